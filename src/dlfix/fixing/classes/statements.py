"""Statements that close handles, and what statements do with them: no class is looked at."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence

from dlfix.fixing.classes.handles import Handle
from dlfix.fixing.classes.text import names_in
from dlfix.project.syntax import is_none

INDENT = "    "
PLAIN_CALLS = ("len", "list", "int", "float", "str", "sorted", "tuple", "set", "dict", "sum", "max", "min", "bool", "np.array", "numpy.array")  # fmt: skip
PLAIN_METHODS = ("loads", "decode", "tolist", "item", "fetchone", "fetchall", "fetchmany", "namelist", "getnames")  # fmt: skip
VALUES = (
    ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.JoinedStr, ast.DictComp, ast.ListComp,
    ast.SetComp,
)  # fmt: skip


def hanging_names(statement: ast.stmt) -> set[str]:
    """Return the local names a statement binds to what is more than plain data."""
    names: set[str] = set()
    for each in ast.walk(statement):
        if isinstance(each, ast.Assign) and not is_plain(each.value):
            names |= {t.id for t in each.targets if isinstance(t, ast.Name)}
        elif isinstance(each, ast.For):
            names |= names_in([each.target])
    return names


def is_plain(value: ast.expr) -> bool:
    """Return whether an expression gives plain data, whatever it was read from."""
    if isinstance(value, (ast.ListComp, ast.SetComp, ast.Compare, ast.Constant, ast.JoinedStr)):
        return True
    if not isinstance(value, ast.Call):
        return False
    name = ast.unparse(value.func)
    return name in PLAIN_CALLS or name.rpartition(".")[2] in PLAIN_METHODS


def is_value(node: ast.expr) -> bool:
    """Return whether an expression makes a value of the language: it has no `close`."""
    if isinstance(node, ast.IfExp):
        return is_value(node.body) or is_value(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(is_value(each) for each in node.values)
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return hasattr(builtins, name) and name not in ("open", "getattr", "next", "iter")
    return isinstance(node, VALUES) and not is_none(node)


def close_one(
    me: str, name: str, handle: Handle, surely: bool, may_be_none: bool = False
) -> list[str]:
    """Return statements that close and forget an attribute, if it is open at all."""
    close = close_lines(f"{me}.{name}", handle)
    if close and may_be_none:
        close = [f"if {me}.{name} is not None:", *(INDENT + line for line in close)]
    if not close and not surely:
        return [f'{me}.__dict__.pop("{name}", None)']
    lines = [*close, f"del {me}.{name}"]
    if surely:
        return lines
    return [f'if "{name}" in {me}.__dict__:', *(INDENT + line for line in lines)]


def close_lines(held: str, handle: Handle) -> list[str]:
    """Return statements that close a handle, or each of several."""
    if not handle.close or "." in handle.close or " of " in handle.container:
        return []
    if not handle.container:
        return [f"{held}.{handle.close}()"]
    each = f"{held}.values()" if handle.container == "dict" else held
    close = f"opened.{handle.close}()"
    lines = ["if opened is not None:", f"{INDENT}{close}"] if _may_be_none(handle) else [close]
    return [f"for opened in {each}:", *(INDENT + line for line in lines)]


def _may_be_none(handle: Handle) -> bool:
    """Return whether a list or dict of handles has places that are not opened yet."""
    value = handle.site.value
    return value is not None and any(
        isinstance(each, ast.Constant) and each.value is None
        for part in _places(value)
        for each in ast.walk(part)
    )


def _places(value: ast.expr) -> list[ast.expr]:
    match value:
        case ast.BinOp(op=ast.Mult()):
            return [value.left, value.right]
        case ast.ListComp(elt=each) | ast.DictComp(value=each):
            return [each] if isinstance(each, (ast.Constant, ast.IfExp)) else []
        case ast.Call(func=ast.Attribute(attr="fromkeys")):
            return [value] if len(value.args) == 2 else [ast.Constant(None)]
    return []


def always_run(statement: ast.stmt) -> list[ast.AST]:
    """Return the parts of a statement that run whenever it does."""
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [statement.iter]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [*statement.items, *(part for each in statement.body for part in always_run(each))]
    if isinstance(statement, ast.Try):
        return []
    return [statement]


def left_of(node: ast.AST, gone: Collection[ast.AST]) -> Iterator[ast.AST]:
    """Yield a node and all below it, but for the statements that have moved."""
    if node not in gone:
        yield node
        for child in ast.iter_child_nodes(node):
            yield from left_of(child, gone)


def only_raises(block: Sequence[ast.stmt]) -> bool:
    """Return whether no instance is made where a block runs."""
    return bool(block) and isinstance(block[-1], ast.Raise)
