"""Statements that compute the same values in each process, and do nothing else."""

from __future__ import annotations

import ast

from dlfix.project.import_time import ImportTime
from dlfix.project.set_order import uses_of_order
from dlfix.project.syntax import dotted
from dlfix.project.trees import COMPREHENSIONS

_BUILTINS = frozenset(
    "len range dict list tuple set frozenset str int float bool enumerate zip sorted reversed min max sum abs round slice".split()
)
_NUMPY = frozenset(
    "array asarray zeros ones full arange linspace eye empty float32 int64 uint8".split()
)
_PATHS = frozenset("join dirname basename abspath realpath normpath splitext".split())
_OTHERS = frozenset(
    "pathlib.Path collections.OrderedDict collections.defaultdict os.cpu_count multiprocessing.cpu_count"
    " torch.device torch.cuda.is_available torch.cuda.device_count".split()
)
# Methods of texts, lists and dicts.
_METHODS = frozenset(
    "format join split strip replace upper lower copy items keys values get append extend update insert index".split()
)
_WITH_CONSTANTS = ("torch", "numpy", "math", "string")  # `torch.float32`, `math.pi`
_SIMPLE = (
    ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.JoinedStr,
    ast.FormattedValue, ast.Subscript, ast.Slice, ast.IfExp, ast.Starred, ast.Name, *COMPREHENSIONS, ast.comprehension,
    ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


def gives_same_values(module: ImportTime, statement: ast.stmt) -> bool:
    """Return whether a statement sets names of the module, or items of what they hold, to the same in each process."""
    ordered = uses_of_order(module.tree)
    return _same(module, statement, frozenset()) and not any(
        each in ordered for each in ast.walk(statement)
    )


def _same(module: ImportTime, statement: ast.stmt, seen: frozenset[str]) -> bool:
    values: list[ast.expr | None]
    inner: list[ast.stmt] = []
    match statement:
        case ast.Assign(targets=targets, value=value):
            values = [*targets, value]
        case ast.AugAssign(target=target, value=value) | ast.AnnAssign(target=target, value=value):
            values = [target, value]
        case ast.For(target=target, iter=value, body=body, orelse=[]):
            values, inner = [target, value], body
        case ast.If(test=value, body=body, orelse=orelse):
            values, inner = [value], [*body, *orelse]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name())) as value):
            values = [value]
        case ast.Pass():
            return True
        case _:
            return False
    return all(_is_pure(module, each, seen) for each in values if each is not None) and all(
        _same(module, each, seen) for each in inner
    )


def _is_pure(module: ImportTime, value: ast.expr | ast.comprehension, seen: frozenset[str]) -> bool:
    """Return whether an expression computes with what is written there and what names hold."""
    match value:
        case ast.Call(func=func, args=args, keywords=keywords):
            given = [*args, *(each.value for each in keywords)]
            return _is_known(module, func, seen) and all(
                _is_pure(module, each, seen) for each in given
            )
        case ast.Attribute(value=ast.Name(id=owner)) if owner in module.imports:
            return module.imports[owner] in _WITH_CONSTANTS and isinstance(value.ctx, ast.Load)
    return isinstance(value, _SIMPLE) and all(
        _is_pure(module, each, seen)
        for each in ast.iter_child_nodes(value)
        if isinstance(each, (ast.expr, ast.comprehension))
    )


def _is_known(module: ImportTime, func: ast.expr, seen: frozenset[str]) -> bool:
    """Return whether a callee computes what it returns from its arguments alone."""
    name = module.full_name(func)
    definition = module.definitions.get(name)
    if isinstance(definition, ast.FunctionDef):
        return name not in seen and _is_pure_function(module, definition, seen | {name})
    head, _, last = name.rpartition(".")
    if head in ("numpy", "os.path") or name in _OTHERS:
        return last in (_NUMPY if head == "numpy" else _PATHS) or name in _OTHERS
    if isinstance(func, ast.Attribute) and dotted(func).partition(".")[0] not in module.imports:
        return func.attr in _METHODS and _is_pure(module, func.value, seen)
    return name in _BUILTINS and name not in module.assigned


def _is_pure_function(module: ImportTime, function: ast.FunctionDef, seen: frozenset[str]) -> bool:
    if function.decorator_list:
        return False
    for statement in function.body:
        match statement:
            case ast.Return(value=value):
                if value is not None and not _is_pure(module, value, seen):
                    return False
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                if not _same(module, statement, seen):
                    return False
    return True


__all__ = ["gives_same_values"]
