"""What code asks of an object tells that it is none of some classes: no object of these has such an attribute."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    SCOPES,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    last_part,
    parameters,
    self_name,
    stored_names,
)
from dlfix.project.module import Module
from dlfix.project.order import comes_before

# Bases that give an object no attributes but methods of their own.
BARE = frozenset({"object", "ABC", "Generic", "Protocol", "Dataset", "IterableDataset"})
_MAY_NOT_RUN = (
    *(ast.If, ast.IfExp, ast.BoolOp, ast.Match, ast.Try, ast.For, ast.AsyncFor, ast.While),
    *COMPREHENSIONS,
)
_OF_ATTRIBUTES = frozenset({"AttributeError", "Exception", "BaseException"})


def has_other_attributes(
    program: Program, module: Module, node: ast.expr, classes: Sequence[Class]
) -> bool:
    """Return whether a function reads an attribute of a variable, or of what is copied, that no object of the classes has."""
    while isinstance(node, ast.Call) and is_copy(node):
        node = node.args[0]
    function, name = program.enclosing(module, node), dotted(node)
    if function is None or name not in bound_in(function):
        return False
    nodes = list(executed(function.body))
    if not _is_bound_once(function, nodes, name):
        return False
    others = {id(n.func) for n in calls_in(function.body) if _asks_of_itself(function, n, name)}
    if any(map(_catches, nodes)) or any(
        last_part(each) == "hasattr" and id(each) not in others for each in nodes
    ):
        return False
    is_given = name in parameters(function)
    read = {
        n.attr
        for n in nodes
        if isinstance(n, ast.Attribute) and dotted(n.value) == name
        if not n.attr.startswith("__") and (is_given or _surely_runs(module, n, nodes))
    }
    return bool(read) and all(_lacks_one(program, cls, read) for cls in classes)


def _surely_runs(module: Module, node: ast.AST, nodes: list[ast.AST]) -> bool:
    """Return whether code runs on each way through its function: what a test leads to says nothing of the other way."""
    if any(isinstance(each, ast.Return) and comes_before(each, node) for each in nodes):
        return False
    inside = itertools.takewhile(lambda each: not isinstance(each, SCOPES), module.ancestors(node))
    return not any(isinstance(each, _MAY_NOT_RUN) for each in inside)


def _asks_of_itself(function: Function, call: ast.Call, name: str) -> bool:
    """Return whether a method asks its own object, not what a variable holds: `hasattr(self, key)`."""
    me = self_name(function)
    return me != name and me in map(dotted, call.args[:1])


def _is_bound_once(function: Function, nodes: list[ast.AST], name: str) -> bool:
    """Return whether a local variable is given one value, though it may end before the function does."""
    plain = (ast.stmt, ast.Name)
    defined = (*FUNCTIONS, ast.ClassDef)
    binding = (n for n in nodes if isinstance(n, defined) or not isinstance(n, plain))
    named = (n for n in nodes if isinstance(n, ast.Name) and n.id == name)
    stored = sum(isinstance(each.ctx, ast.Store) for each in named)
    is_given = name in parameters(function)
    return stored + is_given == 1 and name not in stored_names(binding)


def is_copy(call: ast.Call) -> bool:
    """Return whether a call copies its argument."""
    return (
        dotted(call.func) in ("copy", "copy.copy", "copy.deepcopy", "deepcopy")
        and len(call.args) == 1
    )


def _catches(node: ast.AST) -> bool:
    """Return whether a node handles the error of an attribute that is not there."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or any(last_part(n) in _OF_ATTRIBUTES for n in ast.walk(node.type))


def _lacks_one(program: Program, cls: Class, names: set[str]) -> bool:
    """Return whether objects of a class surely lack one of some attributes."""
    lineage = program.lineage(cls)
    members = {name for each in lineage for name in (*each.methods, *each.values, *each.annotated)}
    if set(program.unknown_bases(cls)) - BARE or "__getattr__" in members:
        return False
    return any(_is_unset(program, cls, name) for name in names - members - {*dir(object)})


def _is_unset(program: Program, cls: Class, name: str) -> bool:
    """Return whether nothing sets an attribute, or only methods of other classes on their own objects."""
    family = program.family(cls)
    for module in program.project.setters(name):
        stores = module.stores_by_name.get(name, ())
        owners = [program.class_of_self(module, each.value) for each in stores]
        if any(own is None or own in family for own in owners):
            return False
        if module.says(f"'{name}'") or module.says(f'"{name}"'):
            return False
    return True


__all__ = ["BARE", "has_other_attributes", "is_copy"]
