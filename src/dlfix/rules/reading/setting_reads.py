"""The code that goes by a setting of a library: calls, attributes, methods of its objects, and handlers of exceptions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.values import Constant, Derived, External, ExternalCall, ModuleValue, Value
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.catalog import SettingRow
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_OPERATORS: dict[str, type[ast.operator]] = {"__truediv__": ast.Div}
# What reads numbers as Python has them, not as arrays of some type.
_PLAIN_DATA = frozenset(
    ["ast.literal_eval", "json.load", "json.loads", "tomllib.load", "tomllib.loads"]
)
_GIVING_FLOATS = frozenset(["builtins.float", "float", "time.perf_counter", "time.time"])
_RANDOM_FLOATS = frozenset(["gauss", "normalvariate", "random", "triangular", "uniform"])
# A tensor of whole numbers has no such method, or gets the default type by it.
_OF_FLOATS = frozenset(["/", "log_softmax", "mean", "norm", "softmax", "std", "var"])
_CASTS = frozenset("bool byte double float half int long short to type".split())


def reads(row: SettingRow, module: Module, node: ast.AST, analysis: Analysis) -> Iterator[ast.expr]:
    """Yield the places in some code that go by a setting."""
    if row.handles:
        yield from _handlers(row, module, node, analysis)
    else:
        yield from _calls_in(row, module, node, analysis)


def _calls_in(
    row: SettingRow, module: Module, node: ast.AST, analysis: Analysis
) -> Iterator[ast.expr]:
    names = {each.removesuffix(".*") for each in (*row.read_by, *row.of_floats)}
    words = {each.rpartition(".")[2] for each in names}
    owners = {each.removesuffix(".*") for each in row.read_by if each.endswith(".*")}
    for each in walk(node):
        if isinstance(each, ast.BinOp) and _is_operator(each, names, module, analysis):
            yield each
        if not isinstance(each, (ast.Name, ast.Attribute)) or last_name(each) not in words:
            continue
        above = module.parent(each)
        name = name_of(each, module, analysis)
        if name in owners:
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                yield above
        elif isinstance(above, ast.Call) and above.func is each and _goes_by(row, above):
            named = name in names and (
                not row.of_floats
                or _has_default_type(above, name in row.of_floats, module, analysis)
            )
            if named or _is_method(above, names, module, analysis):
                yield each


def is_call(above: ast.AST | None, node: ast.expr) -> bool:
    """Return whether a call is of an expression."""
    return isinstance(above, ast.Call) and above.func is node


def _goes_by(row: SettingRow, call: ast.Call) -> bool:
    """Return whether no keyword makes a call independent of a setting; unknown ones may."""
    given = {each.arg: each.value for each in call.keywords}
    if (row.unless or row.needs) and None in given:
        return False
    for each in row.unless:
        name, _, value = each.partition("=")
        if name in given and not (value and _is_other_constant(given[name], value)):
            return False
    return not row.needs or not given.keys().isdisjoint(row.needs)


def _is_other_constant(node: ast.expr, value: str) -> bool:
    return isinstance(node, ast.Constant) and repr(node.value) != value


def _is_operator(
    node: ast.BinOp, names: Collection[str], module: Module, analysis: Analysis
) -> bool:
    return any(
        isinstance(node.op, _OPERATORS.get(method, ()))
        and any(_is_made_by(maker, each, module, analysis) for each in (node.left, node.right))
        for maker, method in _methods(names)
    )


def _is_method(call: ast.Call, names: Collection[str], module: Module, analysis: Analysis) -> bool:
    """Return whether a call is of a method of an object that a library makes, or passes one such to its like."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) > 1:
        return False  # a second argument is what would come of the setting
    operands = (call.func.value, *call.args)
    return any(
        method == call.func.attr
        and any(_is_made_by(maker, each, module, analysis) for each in operands)
        for maker, method in _methods(names)
    )


def _methods(names: Collection[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        maker, called, method = name.partition("().")
        if called:
            yield maker, method


def _is_made_by(maker: str, node: ast.expr, module: Module, analysis: Analysis) -> bool:
    found = values_of(node, module, analysis)
    return any(isinstance(each, ExternalCall) and each.name == maker for each in found)


def _handlers(
    row: SettingRow, module: Module, node: ast.AST, analysis: Analysis
) -> Iterator[ast.expr]:
    """Yield the exceptions that some code handles, if they come of nothing but the setting."""
    for each in walk(node):
        if not isinstance(each, ast.Try):
            continue
        if row.read_by and not any(
            True for one in each.body for _ in _calls_in(row, module, one, analysis)
        ):
            continue
        for handler in each.handlers:
            caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            for one in caught:
                is_of_row = one is not None and exception(one, module, analysis) in row.handles
                if one is not None and is_of_row and not _raises(module, last_name(one)):
                    yield one


def exception(node: ast.expr, module: Module, analysis: Analysis) -> str:
    """Return the name of an exception: of a builtin, or a dotted one."""
    if isinstance(node, ast.Name) and module.scope_of(node).lookup(node.id) is None:
        return node.id  # a builtin
    return name_of(node, module, analysis)


def _raises(module: Module, name: str) -> bool:
    """Return whether a module itself raises an exception of a name."""
    for each in module.nodes(ast.Raise):
        raised = each.exc.func if isinstance(each.exc, ast.Call) else each.exc
        if raised is not None and last_name(raised) == name:
            return True
    return False


def _has_default_type(
    call: ast.Call, needs_floats: bool, module: Module, analysis: Analysis
) -> bool:
    """Return whether what a call makes is of the default type, and is not cast at once."""
    above = module.parent(call)
    if isinstance(above, ast.Attribute) and above.attr in _CASTS:
        return False
    if not needs_floats:
        return True
    return any(_is_float(each, module, analysis) for each in call.args) or (
        bool(call.args)
        and _is_plain(call.args[0], module, analysis)
        and _is_used_as_floats(call, module, analysis)
    )


def _is_float(node: ast.expr, module: Module, analysis: Analysis) -> bool:
    """Return whether an expression is a float of Python, or a list of some."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, float)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return any(_is_float(each, module, analysis) for each in parts)
        case ast.ListComp(elt=part) | ast.UnaryOp(operand=part):
            return _is_float(part, module, analysis)
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            # An array or tensor on the other side has a type of its own.
            sides = (left, right)
            return all(
                isinstance(each, ast.Constant) or _is_float(each, module, analysis)
                for each in sides
            ) and any(_is_float(each, module, analysis) for each in sides)
        case ast.Call(func=func):
            called = name_of(func, module, analysis) or _builtin(func, module)
            root, _, word = called.rpartition(".")
            return called in _GIVING_FLOATS or (root == "random" and word in _RANDOM_FLOATS)
        case ast.Name():
            found = values_of(node, module, analysis)
            return bool(found) and all(
                isinstance(each, Constant) and isinstance(each.value, float) for each in found
            )
    return False


def _builtin(node: ast.expr, module: Module) -> str:
    is_free = isinstance(node, ast.Name) and module.scope_of(node).lookup(node.id) is None
    return getattr(node, "id", "") if is_free else ""


def _is_plain(node: ast.expr, module: Module, analysis: Analysis) -> bool:
    """Return whether an expression is surely data as Python has them, as from a file of JSON."""
    found = [_origin(each) for each in values_of(node, module, analysis)]
    return bool(found) and all(
        isinstance(each, ExternalCall) and each.name in _PLAIN_DATA for each in found
    )


def _is_used_as_floats(call: ast.Call, module: Module, analysis: Analysis) -> bool:
    """Return whether something is made of a tensor for which it must be one of floats."""
    around = next((each for each in module.ancestors(call) if isinstance(each, _CODE)), None)
    if around is None:
        return False
    for each in walk(around):
        match each:
            case ast.BinOp(op=ast.Div()) | ast.Attribute():
                word = getattr(each, "attr", "/")
                found = values_of(each, module, analysis) if word in _OF_FLOATS else []
                if any(_is_made_of(value, call) for value in found):
                    return True
    return False


_CODE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _is_made_of(value: Value, call: ast.Call) -> bool:
    if not isinstance(value, Derived) or value.how not in _OF_FLOATS:
        return False
    while isinstance(value, Derived):
        if value.how in _CASTS:
            return False
        value = value.origin
    return isinstance(value, ExternalCall) and value.node is call


def _origin(value: Value) -> Value:
    while isinstance(value, Derived):
        value = value.origin
    return value


def values_of(node: ast.expr, module: Module, analysis: Analysis) -> list[Value]:
    """Return what an expression may stand for, callers unknown."""
    interpreter = analysis.interpreter
    return interpreter.values_at(node, interpreter.frame_at(module, node))


def name_of(node: ast.expr, module: Module, analysis: Analysis) -> str:
    """Return the dotted name of what an expression is of a library; empty where it is not surely one thing."""
    of = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(of, (ast.Name, ast.Attribute)):
        return ""
    found = WorkerCode.of(analysis).stands_for(module, of)
    names = {
        each.name
        for each in found
        if isinstance(each, External) or (isinstance(each, ModuleValue) and each.module is None)
    }
    if len(names) != 1 or len(found) != 1:
        return ""
    (name,) = names
    return f"{name}.{node.attr}" if isinstance(node, ast.Attribute) else name


__all__ = ["exception", "is_call", "name_of", "reads", "values_of"]
