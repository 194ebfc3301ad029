"""What tests of a given name say: the conditions in a `__getattr__`."""

from __future__ import annotations

import ast

from dlfix.project.syntax import attributes_of, is_name


def holds(test: ast.expr, given: str, name: str, empty: str = "") -> bool | None:
    """Return what a test gives where a variable is a name; None where that is not known.

    `empty` is the variable of an object that has no attributes yet.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            held = holds(operand, given, name, empty)
            return None if held is None else not held
        case ast.BoolOp(op=op, values=values):
            parts = [holds(each, given, name, empty) for each in values]
            decisive = isinstance(op, ast.Or)
            if parts[0] is decisive or (decisive in parts and None not in parts):
                return decisive
            return None if None in parts else not decisive
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=asked), attr="startswith" | "endswith" as how),
            args=[ast.Constant(value=str() as text)],
        ) if asked == given:
            return name.startswith(text) if how == "startswith" else name.endswith(text)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            inside = isinstance(op, (ast.Eq, ast.In))
            if not inside and not isinstance(op, (ast.NotEq, ast.NotIn)):
                return None
            several = isinstance(op, (ast.In, ast.NotIn))
            if several and empty and is_name(attributes_of(right), empty):
                return not inside
            part, texts = _part(left, given, name), _texts(right, several)
            return None if part is None or texts is None else (part in texts) is inside
    return None


def _part(node: ast.expr, given: str, name: str) -> str | None:
    """Return the text of a name, or of the part of it that is compared: `name[:2]`."""
    match node:
        case ast.Name(id=asked) if asked == given:
            return name
        case ast.Subscript(
            value=ast.Name(id=asked),
            slice=ast.Slice(lower=None, upper=ast.Constant(value=int() as upper), step=None),
        ) if asked == given:
            return name[:upper]
        case ast.Subscript(value=ast.Name(id=asked), slice=ast.Constant(value=int() as index)) if (
            asked == given and index < len(name)
        ):
            return name[index]
    return None


def _texts(node: ast.expr, several: bool) -> list[str] | None:
    """Return the texts that a name is compared with: one, or those of a display."""
    match node:
        case ast.Constant(value=str() as text) if not several:
            return [text]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) if several:
            found = [each.value for each in parts if isinstance(each, ast.Constant)]
            if len(found) == len(parts):
                return [text for text in found if isinstance(text, str)]
    return None


__all__ = ["holds"]
