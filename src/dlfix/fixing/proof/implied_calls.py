"""Which special methods syntax and built-in functions run: `a @ b`, `a in b`, `with a`, `f"{a}"`, `len(a)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.syntax import dotted

_BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "bool"}
_COMPARED = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_ITEM: dict[type[ast.expr_context], str] = {
    ast.Load: "__getitem__",
    ast.Store: "__setitem__",
    ast.Del: "__delitem__",
}
_OPERATORS = (ast.BinOp, ast.AugAssign, ast.UnaryOp, ast.Compare, ast.BoolOp)
_ITERATED = ("__iter__", "__getitem__")
OPERATING = (*_OPERATORS, ast.withitem, ast.FormattedValue, ast.Subscript, ast.Call)
SPECIAL = frozenset(
    [
        *(f"__{kind}{name}__" for name in _BINARY.values() for kind in ("", "r", "i")),
        *(f"__{name}__" for name in (*_UNARY.values(), *_COMPARED.values())),
        *("__contains__", "__enter__", "__exit__", "__format__", "__setitem__", "__delitem__"),
        *("__str__", "__repr__", "__hash__", "__int__", "__float__", "__abs__", "__round__"),
    ]
)
_TRUTH = ("__bool__", "__len__")
_SHOWN = ("__str__", "__repr__")
# What built-in functions run on their arguments.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "len": ("__len__",),
    "next": ("__next__",),
    "repr": ("__repr__",),
    "str": _SHOWN,
    "print": _SHOWN,
    "format": ("__format__", *_SHOWN),
    "bool": _TRUTH,
    "hash": ("__hash__",),
    "int": ("__int__", "__index__", "__trunc__"),
    "float": ("__float__", "__index__"),
    "complex": ("__complex__", "__float__"),
    "bytes": ("__bytes__", "__iter__"),
    "abs": ("__abs__",),
    "round": ("__round__",),
    "divmod": ("__divmod__",),
    "pow": ("__pow__",),
    "reversed": ("__reversed__", "__len__", "__getitem__"),
    "open": ("__fspath__",),
    "os.fspath": ("__fspath__",),
    "iter": _ITERATED,
    "sorted": (*_ITERATED, "__lt__"),
    "min": (*_ITERATED, "__lt__"),
    "max": (*_ITERATED, "__gt__"),
    "sum": (*_ITERATED, "__add__", "__radd__"),
    "set": (*_ITERATED, "__hash__", "__eq__"),
    **dict.fromkeys("list tuple zip enumerate map filter any all".split(), _ITERATED),
}


def implied(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the special methods that evaluating a node may run, not its parts, each with the operand it is of."""
    yield from _of_operator(node) if isinstance(node, _OPERATORS) else _of_syntax(node)


def _of_operator(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            name = _BINARY[type(op)]
            yield f"__{name}__", left
            yield f"__r{name}__", right
        case ast.AugAssign(target=target, op=op, value=value):
            name = _BINARY[type(op)]
            yield f"__i{name}__", target
            yield f"__{name}__", target
            yield f"__r{name}__", value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from ((name, operand) for name in _TRUTH)
        case ast.UnaryOp(op=op, operand=operand):
            yield f"__{_UNARY[type(op)]}__", operand
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for one, how, other in zip([left, *comparators], ops, comparators, strict=False):
                yield from _compared(one, how, other)
        case ast.BoolOp(values=values):
            yield from ((name, each) for each in values for name in _TRUTH)


def _compared(one: ast.expr, op: ast.cmpop, other: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(op, (ast.In, ast.NotIn)):
        yield from ((name, other) for name in ("__contains__", *_ITERATED))
        yield from ((name, one) for name in ("__hash__", "__eq__"))
    elif type(op) in _COMPARED:
        name = _COMPARED[type(op)]
        yield f"__{name}__", one
        yield f"__{_MIRRORED.get(name, name)}__", other


def _of_syntax(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Subscript(value=held, slice=key, ctx=context):
            yield _ITEM[type(context)], held
            yield from ((name, key) for name in ("__hash__", "__index__"))
        case ast.For(iter=held) | ast.AsyncFor(iter=held) | ast.comprehension(iter=held):
            yield from ((name, held) for name in _ITERATED)
        case ast.Starred(value=held) | ast.YieldFrom(value=held):
            yield from ((name, held) for name in _ITERATED)
        case ast.Assign(targets=targets, value=held) if _unpacks(targets):
            yield from ((name, held) for name in _ITERATED)
        case ast.withitem(context_expr=held):
            yield from ((name, held) for name in ("__enter__", "__exit__"))
        case (
            ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test)
        ):
            yield from ((name, test) for name in _TRUTH)
        case ast.FormattedValue(value=held):
            yield from ((name, held) for name in ("__format__", *_SHOWN))
        case ast.Set(elts=held):
            yield from (("__hash__", each) for each in held)
        case ast.Dict(keys=held):
            yield from (("__hash__", each) for each in held if each is not None)
        case ast.Attribute(value=held, ctx=ast.Load()):
            yield "__getattribute__", held
        case ast.Call(func=func, args=args):
            yield "__call__", func
            for name in _FUNCTIONS.get(dotted(func), ()):
                yield from ((name, each) for each in args)


def _unpacks(targets: list[ast.expr]) -> bool:
    return any(isinstance(each, (ast.Tuple, ast.List)) for each in targets)


def described(method: str, name: str) -> str:
    """Return how an error message names the code that runs a special method of a variable."""
    known = {
        "__getitem__": f"`{name}[...]`",
        "__iter__": f"iterating over `{name}`",
        "__contains__": f"`in {name}`",
        "__eq__": f"a comparison of `{name}`",
        "__hash__": f"the hash of `{name}`",
        "__call__": f"`{name}()`",
        "__len__": f"`len({name})`",
        "__repr__": f"`repr({name})`",
        "__next__": f"`next({name})`",
    }
    return known.get(method, f"`{name}.{method}`, which an operator runs")


__all__ = ["described", "implied"]
