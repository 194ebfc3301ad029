"""Which expressions give text: a key that is text names a part of a file; an index or a mask reads data."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlfix.project.syntax import FUNCTIONS, defaults
from dlfix.reach.values import Bound, Constant, Container

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

GIVE_TEXT = frozenset(
    {"format", "join", "strip", "lower", "upper", "title", "zfill", "decode", "replace"}
)
GIVE_TEXTS = frozenset({"listdir", "split", "splitlines"})
OVER_ITEMS = frozenset({"sorted", "list", "tuple", "set", "reversed", "keys"})
ITEM_TYPES = ("list", "List", "Sequence", "Iterable", "tuple", "Tuple", "set", "dict", "Mapping")


class Texts:
    """Tells which expressions are text; `by_name` tells of a value whether its parts have names."""

    def __init__(self, analysis: Analysis, by_name: Callable[[Value], bool]) -> None:
        self._analysis, self._by_name = analysis, by_name
        self._followed: set[ast.AST] = set()

    def is_text(self, at: Bound) -> bool:
        """Return whether an expression is surely a string."""
        node, frame = at.node, at.frame
        match node:
            case ast.JoinedStr() | ast.Call(func=ast.Name(id="str")):
                return True
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod()):
                return self.is_text(Bound(left, frame))
            case ast.Call(func=ast.Attribute(attr=method)):
                return method in GIVE_TEXT
            case ast.IfExp(body=body, orelse=orelse):
                return all(self.is_text(Bound(each, frame)) for each in (body, orelse))
            case ast.Name():
                return self._is_text_by_name(at, node.id)
        values = self._analysis.values(at)
        return bool(values) and all(map(_is_text, values))

    def _is_text_by_name(self, at: Bound, name: str) -> bool:
        below, binding = _only_binding(at, name)
        if binding is None or below is None or binding.node in self._followed:
            return False
        self._followed.add(binding.node)
        if isinstance(binding.node, ast.arg):
            written = _annotation(binding)
            if written:
                return written == "str"
            return any(map(_is_text, self._given(at, below, binding)))
        called = _called(below.node)
        match binding.path:
            case ():
                return self.is_text(below)
            case ("each",):
                return called not in ("items", "enumerate") and self._gives_texts(below)
            case ("each", 0):
                return called == "items" and self._gives_texts(_receiver(below))
            case ("each", 1):
                return called == "enumerate" and self._gives_texts(_receiver(below))
        return False

    def _gives_texts(self, at: Bound | None) -> bool:
        """Return whether the items of an iterable are strings: what one alternative gives, the others do too."""
        if at is None:
            return False
        node, frame = at.node, at.frame
        match node:
            case ast.BoolOp(values=parts):
                return any(self._gives_texts(Bound(each, frame)) for each in parts)
            case ast.IfExp(body=body, orelse=orelse):
                return any(self._gives_texts(Bound(each, frame)) for each in (body, orelse))
            case ast.Call() if _called(node) in OVER_ITEMS:
                return self._gives_texts(_receiver(at))
            case ast.Call() if _called(node) in GIVE_TEXTS:
                return True
            case ast.Name():
                below, binding = _only_binding(at, node.id)
                if binding is not None and below and isinstance(binding.node, ast.arg):
                    written = _annotation(binding)
                    given = [] if written else self._given(at, below, binding)
                    return _is_of_texts(written) or any(map(self._holds_texts, given))
                if binding is not None and below is not None and not binding.path:
                    if binding.node in self._followed:
                        return False
                    self._followed.add(binding.node)
                    return self._gives_texts(below)
        return any(map(self._holds_texts, self._analysis.values(at)))

    def _given(self, at: Bound, below: Bound, binding: Binding) -> list[Value]:
        """Return what is known of the values of a parameter: what calls pass, and its default."""
        values = list(self._analysis.values(at))
        function = below.frame.scope.node
        default = (
            defaults(function.args).get(binding.name)
            if isinstance(function, (*FUNCTIONS, ast.Lambda))
            else None
        )
        if default is not None:
            values += self._analysis.values(Bound(default, below.frame.enclosing or below.frame))
        return values

    def _holds_texts(self, value: Value) -> bool:
        if not isinstance(value, Container):
            return self._by_name(value)
        if value.kind == "dict":
            return bool(value.items) and all(isinstance(key, str) for key, _ in value.items)
        items = [each for _, item in value.items for each in self._analysis.values(item)]
        return bool(items) and all(map(_is_text, items))


def _is_text(value: Value) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, str)


def _only_binding(at: Bound, name: str) -> tuple[Bound | None, Binding | None]:
    """Return the one binding of a name, and what it is bound to in the frame that binds it."""
    frame = at.frame
    while name not in frame.scope.bindings and frame.enclosing is not None:
        frame = frame.enclosing
    bindings = frame.scope.bindings.get(name, [])
    if len(bindings) != 1:
        return None, None
    binding = bindings[0]
    return Bound(binding.value if binding.value is not None else at.node, frame), binding


def _called(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def _receiver(at: Bound) -> Bound | None:
    """Return what a call is about: its first argument, or the object whose method it is; of `list()` nothing."""
    match at.node:
        case ast.Call(args=[first, *_]):
            return Bound(first, at.frame)
        case ast.Call(func=ast.Attribute(value=owner)):
            return Bound(owner, at.frame)
    return None


def _annotation(binding: Binding) -> str:
    written = getattr(binding.node, "annotation", None)
    if isinstance(written, ast.Constant):
        return str(written.value)
    return ast.unparse(written) if written is not None else ""


def _is_of_texts(annotation: str) -> bool:
    """Return whether an annotation is of an iterable of strings: `list[str] | None`."""
    inner = annotation.removeprefix("Optional[").removeprefix("typing.")
    outer, _, of = inner.partition("[")
    return outer in ITEM_TYPES and of.startswith(("str]", "str,"))
