"""What a call leaves behind that runs later now: a list, a counter or a table that other code reads."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import Function, bound_in, executed, last_part
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties whose opener notes something that other code reads before the first use."""
    gone = _called(change.constructed_before) - _called(change.constructed_after)
    for name, getter in change.made_lazy.items() if gone else ():
        notes = _Notes(change)
        for owner, function in order.reached(change.new, change.after, (name,)):
            for call in executed(function.body):
                if isinstance(call, ast.Call) and last_part(call.func) in gone:
                    notes.follow(owner.module, call)
        noted = next(notes.seen_elsewhere(), None)
        if noted is not None:
            function_name, written, place = noted
            yield change.regression(
                getter,
                f"`{function_name}` changes `{written}`, which other code reads ({place}), "
                f"but it now runs later than before (line {getter.lineno})",
            )
            return


def _called(functions: list[tuple[Class, Function]]) -> Counter[str]:
    """Return how often some functions call others, by their last names."""
    return Counter(
        last_part(node.func)
        for _, function in functions
        for node in executed(function.body)
        if isinstance(node, ast.Call)
    )


class _Notes:
    """The globals that functions of the program change, from one call on."""

    def __init__(self, change: ClassChange) -> None:
        self.program = change.new
        self.visited: list[Function] = []
        self.changed: list[tuple[Function, Module, str]] = []

    def follow(self, module: Module, call: ast.Call) -> None:
        """Take in what a function that is called changes, and what those change that it calls."""
        known = self.program.function_of(module, call.func)
        if known is None or any(known[1] is each for each in self.visited):
            return
        home, function = known
        self.visited.append(function)
        self.changed += [(function, home, name) for name in _globals_changed(home, function)]
        for node in executed(function.body):
            if isinstance(node, ast.Call):
                self.follow(home, node)

    def seen_elsewhere(self) -> Iterator[tuple[str, str, str]]:
        """Yield what other code reads: the function, the name it changes, and the place."""
        own = {id(node) for function in self.visited for node in ast.walk(function)}
        for function, home, name in self.changed:
            for module in dict.fromkeys([home, *self.program.project.users(home, name)]):
                for node in module.nodes_by_name.get(name, ()):
                    if isinstance(node.ctx, ast.Load) and id(node) not in own:
                        yield function.name, name, f"{module.path.name}:{node.lineno}"


def _globals_changed(module: Module, function: Function) -> Iterator[str]:
    """Yield the names of the module that a function binds anew, or whose objects it changes."""
    own, rebound = bound_in(function), set()
    for node in executed(function.body):
        if isinstance(node, ast.Global):
            rebound |= {*node.names}
        elif (
            isinstance(node, ast.Name)
            and node.id not in own
            and node.id in module.scope.bindings
            and writes.changes_in_place(module, node)
        ):
            yield node.id
    yield from sorted(rebound)


__all__ = ["check"]
