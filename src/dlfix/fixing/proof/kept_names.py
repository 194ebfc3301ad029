"""Partials that go by the name of the function they replace: which questions they answer as it did."""

from __future__ import annotations

import ast
from collections.abc import Collection

from dlfix.fixing.proof.flow_targets import bindings_of
from dlfix.fixing.proof.parent_code import ParentCode
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import dotted, last_part, parameters
from dlfix.project.module import Module

_NAME = frozenset({"__name__"})
# What `functools.update_wrapper` sets; `inspect.signature` follows `__wrapped__`.
_OF_WRAPPED = frozenset(
    "__name__ __qualname__ __doc__ __module__ __wrapped__ signature unwrap".split()
)


def answered(module: Module, partial: ast.Call, defs: Collection[str]) -> frozenset[str]:
    """Return what code of the parent may ask a partial with the answer that one of some functions gave."""
    match module.parent(partial):
        case ast.Call(func=func) as call if last_part(func) == "update_wrapper":
            return _OF_WRAPPED if call.args[0] is partial and len(call.args) == 2 else frozenset()
        case ast.Assign(targets=[ast.Name(id=name)]) as statement:
            kept = name in defs and _names(next(iter(module.below(statement)), None), name)
            return _NAME if kept else frozenset()
    return frozenset()


def updated(module: Module, function: ast.AST) -> str:
    """Return whose name a partial of a function gets: `update_wrapper(partial(function, ...), wrapped)`."""
    partial = module.parent(function)
    if not isinstance(partial, ast.Call) or function not in partial.args[:1]:
        return ""
    match module.parent(partial):
        case ast.Call(func=func, args=[each, wrapped], keywords=[]) if each is partial:
            made = last_part(partial.func) == "partial" and last_part(func) == "update_wrapper"
            return dotted(wrapped) if made else ""
    return ""


def _names(statement: ast.stmt | None, name: str) -> bool:
    """Return whether a statement gives a variable its own name: `f.__name__ = "f"`."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Constant(value=given)):
            return dotted(target) == f"{name}.__name__" and given == name
    return False


def asked_of_wrapped(program: Program, module: Module, node: ast.AST, partial: ast.Call) -> bool:
    """Return whether a question of a wrapper is about what it wraps: a function of the module's, as before."""
    maker, wrapper = program.enclosing(module, partial), program.enclosing(module, node)
    asked = dotted(getattr(node, "value", None))
    given = [dotted(each) for each in partial.args]
    wrapped = parameters(maker)[:1] if maker is not None else []
    given += [each.arg or "" for each in partial.keywords if [dotted(each.value)] == wrapped]
    if maker is None or wrapper is None or given[:1] != [wrapper.name] or asked not in given:
        return False
    calls = [
        (other, call)
        for other in program.project.mentions(maker.name)
        for call in other.calls_by_name.get(maker.name, ())
    ]
    return bool(calls) and all(
        call.args and program.function_of(other, call.args[0]) is not None for other, call in calls
    )


def only_shown(module: Module, node: ast.AST) -> bool:
    """Return whether a name is read with a default in the text that an object is shown as."""
    call = node if isinstance(node, ast.Call) else module.parent(node)
    shows = any(
        isinstance(each, ast.FunctionDef) and each.name in ("__repr__", "__str__", "extra_repr")
        for each in module.ancestors(node)
    )
    return shows and isinstance(call, ast.Call) and len(call.args) == 3


def only_compared(module: Module, node: ast.AST, others: frozenset[str]) -> bool:
    """Return whether a name, or its package, is only compared with texts that are none of these: `type(x).__module__ == "numpy"`."""
    asked = _package_of(module, node)
    match module.parent(asked):
        case ast.Attribute(attr="startswith") as method:
            call = module.parent(method)
            called = isinstance(call, ast.Call) and call.func is method
            texts = _texts(module, call.args) if called and isinstance(call, ast.Call) else []
            return bool(texts) and not any(
                each.startswith(text) for text in texts for each in others
            )
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            texts = _texts(module, [right if left is asked else left])
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[held]) if (
            left is asked
        ):
            elements = held.elts if isinstance(held, (ast.Tuple, ast.List, ast.Set)) else []
            texts = _texts(module, elements)
        case _:
            return False
    return bool(texts) and not any(text.rpartition(".")[2] in others for text in texts)


def _package_of(module: Module, node: ast.AST) -> ast.AST:
    """Return the expression that takes the first part of a name: `name.split(".")[0]`; else the name."""
    method = module.parent(node)
    call = module.parent(method) if method is not None else None
    part = module.parent(call) if call is not None else None
    match method, call, part:
        case (
            ast.Attribute(attr="split" | "partition"),
            ast.Call(args=[ast.Constant(value="."), *_]),
            ast.Subscript(slice=ast.Constant(value=0)),
        ) if call.func is method and part.value is call:
            return part
    return node


def _texts(module: Module, given: list[ast.expr]) -> list[str]:
    """Return the texts that some expressions give, also as the name of an imported module; none where one is not known."""
    texts = [_name_of_module(module, each) or getattr(each, "value", None) for each in given]
    found = [each for each in texts if isinstance(each, str) and each]
    return found if len(found) == len(given) else []


def _name_of_module(module: Module, given: ast.expr) -> str:
    """Return what `np.__name__` gives where an `import` statement alone binds `np`: packages are not renamed."""
    if not isinstance(given, ast.Attribute) or given.attr != "__name__":
        return ""
    bindings = bindings_of(module, given.value)
    if len(bindings) != 1 or not isinstance(bindings[0].statement, ast.Import):
        return ""
    names = {(each.asname or each.name): each.name for each in bindings[0].statement.names}
    return names.get(bindings[0].name, bindings[0].name)


def asked_by_parent(program: Program, module: Module, node: ast.AST) -> bool:
    """Return whether only the parent runs the code that asks: no worker gets what is set on a partial."""
    return ParentCode(program).runs(module, program.enclosing(module, node))


__all__ = ["answered", "asked_by_parent", "only_compared", "only_shown", "updated"]
