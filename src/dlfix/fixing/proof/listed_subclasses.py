"""Local classes that code finds by `__subclasses__`: at module level they are there from the import on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.flow_targets import bindings_of
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import FUNCTIONS, last_part, parameters
from dlfix.project.module import Module

_WORD = "__subclasses__"
_FAR = 5


def check(change: FileChange) -> Iterator[Regression]:
    """Yield where code asks for what derives from a base of a class that is at module level now."""
    asked = [*_questions(change.new)]
    for cls in change.new.classes(change.after) if asked else ():
        if not _is_at_top(change.after, cls.node) or _was_at_top(change, cls):
            continue
        bases = change.new.lineage(cls)[1:]
        unknown = frozenset(change.new.unknown_bases(cls)) - {"object"}
        for module, owner in asked:
            if _may_be(change.new, module, owner, bases, unknown, _FAR):
                line = getattr(owner, "lineno", 1)
                yield change.regression(
                    cls.name,
                    cls.node,
                    f"code lists the classes that derive from a base of `{cls.name}` "
                    f"({module.path.name}:{line}), and now finds it from the import on",
                )
                break


def _questions(program: Program) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the classes that are asked for what derives from them."""
    for module in program.project.mentions(_WORD):
        for node in module.attributes_by_name.get(_WORD, ()):
            is_of_type = last_part(node.value) == "type"  # `type.__subclasses__(Base)`
            call = module.parent(node)
            if is_of_type and isinstance(call, ast.Call) and call.args:
                yield module, call.args[0]
            else:
                yield module, node.value


def _is_at_top(module: Module, node: ast.ClassDef) -> bool:
    return module.scope_of(node).is_module


def _was_at_top(change: FileChange, cls: Class) -> bool:
    names = {each.name for each in change.before.classes if _is_at_top(change.before, each)}
    return cls.name in names


def _may_be(
    program: Program,
    module: Module,
    asked: ast.expr,
    bases: tuple[Class, ...],
    unknown: frozenset[str],
    far: int,
) -> bool:
    """Return whether an expression may be one of the bases of a class."""
    if not bases and not unknown:
        return False
    own = program.class_of_self(module, asked)
    if own is not None:  # `cls` in a method: also what derives from its class
        return own in bases or any(own in program.lineage(each) for each in bases)
    named = program.class_of(module, asked)
    if named is not None:
        return named in bases
    if program.is_of_library(module, asked):
        return last_part(asked) in unknown
    if not isinstance(asked, ast.Name) or not far:
        return True
    function = program.enclosing(module, asked)
    if isinstance(function, FUNCTIONS) and asked.id in parameters(function):
        passed = [*passed_for(program, module, asked)]
        values = [(home, value) for home, _, value in passed]
    else:
        bound = [each.value for each in bindings_of(module, asked)]
        values = [(module, value) for value in bound if value is not None]
        function = None
    # A function that calls itself passes what it found of the class that it was given.
    outer = [
        each for each in values if function is None or function not in {*each[0].ancestors(each[1])}
    ]
    return not outer or any(
        _may_be(program, home, value, bases, unknown, far - 1) for home, value in outer
    )


__all__ = ["check"]
