"""What running a body does that may lead to code of the program, found once for each body of a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

from dlfix.fixing.proof.accessors import Accessors
from dlfix.fixing.proof.callees import CallOf, callees
from dlfix.fixing.proof.exit_stacks import called_at_end
from dlfix.fixing.proof.indirect_calls import comes_to, handed_on
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.returned_paths import Returned
from dlfix.fixing.proof.special_calls import Implied, may_be_run_by, special_calls
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
)
from dlfix.project.module import Module

AT_THE_END = frozenset("register finalize addCleanup addfinalizer callback push".split())

Step: TypeAlias = "ast.Call | ast.Assign"
Body: TypeAlias = "tuple[Module, Function | None, bool]"


class Steps:
    """Goes through the bodies of one program, each once for all that ask."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._accessors = Accessors(program)
        self._origins: dict[Body, Origins] = {}
        self._returned = Returned(program, self.origins)
        self._of: dict[Body, list[tuple[ast.AST, list[Step]]]] = {}

    def origins(
        self, module: Module, function: Function | None, *, is_local: bool = False
    ) -> Origins:
        """Return what the names of a body go back to: of a function, or the module without one.

        A local function sees the names around it too.
        """
        key = module, function, is_local
        if key not in self._origins:
            body = _body(module, function)
            if function is not None and is_local:
                body = [*self.program.body_around(module, function), *body]
            self._origins[key] = Origins(
                body,
                parameters(function) if function else (),
                returned=partial(self._returned.of, module),
            )
        return self._origins[key]

    def of(
        self, module: Module, function: Function | None, *, is_local: bool = False
    ) -> list[tuple[ast.AST, list[Step]]]:
        """Return the nodes of a body, with those steps of each that may lead to code of the program."""
        key = module, function, is_local
        if key not in self._of:
            origins = self.origins(module, function, is_local=is_local)
            self._of[key] = [
                (node, [*self._leading(module, node, origins)])
                for node in executed(_body(module, function))
            ]
        return self._of[key]

    def of_node(self, module: Module, node: ast.AST) -> Iterator[Step]:
        """Yield what running a node does that may lead to code of the program."""
        if isinstance(node, (ast.Call, ast.Assign)):
            yield node
        yield from special_calls(node)
        yield from called_at_end(self.program, module, node)
        yield from self._accessors.run_by(node)
        if not isinstance(node, ast.Call) or last_part(node.func) not in AT_THE_END:
            yield from handed_on(self.program, module, node)

    def _leading(self, module: Module, node: ast.AST, origins: Origins) -> Iterator[Step]:
        """Yield the steps of a node but for what syntax asks of an object for which the program has no code."""
        for step in self.of_node(module, node):
            if not isinstance(step, Implied) or self._runs_any(module, step, origins):
                yield step

    def _runs_any(self, module: Module, step: Implied, origins: Origins) -> bool:
        """Return whether code of the program runs where syntax makes a call: whatever parameters are given."""
        if isinstance(step, CallOf):
            return True
        return (
            any(True for _ in self.methods_run(module, step, origins.some_calls(_owner(step))))
            or any(True for _ in comes_to(self.program, module, step, origins))
            or any(True for _ in callees(self.program, module, step, origins))
        )

    def methods_run(
        self, module: Module, call: ast.Call, made: list[ast.Call]
    ) -> Iterator[tuple[Module, Function]]:
        """Yield the methods that a call of an attribute may run, of an object that some calls made."""
        for home, function in self._methods(module, call, made):
            if may_be_run_by(function, call):
                yield home, function

    def run_on_self(
        self, run: list[tuple[Module, Function]], cls: Class | None
    ) -> list[tuple[Module, Function]]:
        """Return what some methods call of their own object, of a class of the program or the one that they are defined in."""
        found = [*run]
        for home, function in found:  # grows while it is read
            owner = cls or self.program.class_at(home, home.parent(function))
            for call in calls_in(function.body) if owner is not None else ():
                named = call.func.attr if is_attribute(call.func, self_name(function)) else ""
                method = self.program.method(owner, named) if owner is not None else None
                if method is not None and (method[0].module, method[1]) not in found:
                    found.append((method[0].module, method[1]))
        return found[len(run) :]

    def _methods(
        self, module: Module, call: ast.Call, made: list[ast.Call]
    ) -> Iterator[tuple[Module, Function]]:
        """Yield the methods by the name that is called: of the classes that made the object, if known."""
        name = last_part(call.func)
        classes = [self.program.class_of(module, each.func) for each in made]
        for cls in classes:
            found = self.program.method(cls, name) if cls is not None else None
            if found is not None:
                yield found[0].module, found[1]
        if isinstance(call, Implied) or (classes and None not in classes):
            return  # what syntax asks of an object unseen is most likely one of Python's own
        for home in self.program.project.mentions(name):
            for function in home.functions_by_name.get(name, ()):
                if isinstance(home.parent(function), ast.ClassDef):
                    yield home, function


def _owner(step: Implied) -> ast.expr:
    assert isinstance(step.func, ast.Attribute)
    return step.func.value


def _body(module: Module, function: Function | None) -> list[ast.stmt]:
    return function.body if function is not None else module.tree.body


__all__ = ["AT_THE_END", "Step", "Steps"]
