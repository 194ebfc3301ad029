"""How a text ends that is put together: `".npz"` of `os.path.join(root, name + ".npz")`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

from dlfix.reach.values import Argument, Bound, Container, Derived, ExternalCall, Frame, Value

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis

_PATTERNS = frozenset({"glob", "iglob", "rglob"})
_SAME_ITEMS = frozenset({"sorted", "list", "tuple", "set", "reversed", "iter"})
_Read: TypeAlias = Callable[[ast.expr, Frame, int], "str | None"]
_FAR = 12  # names that are followed one after another


def ending_of(text: Bound, analysis: Analysis) -> str | None:
    """Return how a text ends; None where that is not known."""
    return _Endings(analysis).of(text.node, text.frame, _FAR)


class _Endings:
    """Reads endings off the syntax, and asks the evaluator for what a name or an attribute stands for."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def of(self, node: ast.expr, frame: Frame, far: int) -> str | None:
        match node:
            case ast.Constant(value=str() as whole):
                return whole
            case ast.BinOp(op=ast.Add() | ast.Div(), right=right):
                return self.of(right, frame, far)
            case ast.BinOp(op=ast.Mod(), left=left):
                text = self.of(left, frame, far)
                return text.rpartition("%")[2][1:] if text else None
            case ast.JoinedStr(values=[*_, last]):
                return self.of(last, frame, far)
            case ast.Call(func=ast.Attribute(attr="join" | "joinpath"), args=[*_, last]):
                return self.of(last, frame, far)
            case ast.Call(func=ast.Name(id="str" | "Path"), args=[*_, last]):
                return self.of(last, frame, far)
            case ast.Name() if (bound := self._of_name(node, frame, far, self.of)) is not None:
                return bound
            case ast.Name() | ast.Attribute():
                return self._of_values(self.analysis.interpreter.values_at(node, frame), far)
        return None

    def _of_name(self, node: ast.Name, frame: Frame, far: int, read: _Read) -> str | None:
        """Follow a name to what it is bound to, or to what the call at hand passes for it."""
        scope = frame.scope.lookup(node.id)
        bindings = scope.bindings.get(node.id, []) if scope is not None else []
        if len(bindings) != 1 or not far:
            return None
        while frame.scope is not scope and frame.enclosing is not None:
            frame = frame.enclosing
        (binding,) = bindings
        if binding.value is None:
            passed = (frame.arguments or {}).get(node.id, ())
            return _same(
                read(one.node, one.frame, far - 1) if isinstance(one, Bound) else None
                for one in passed
            )
        if not binding.path:
            return read(binding.value, frame, far - 1)
        is_item = binding.path == ("each",) and read == self.of
        return self._of_each(binding.value, frame, far - 1) if is_item else None

    def _of_each(self, node: ast.expr, frame: Frame, far: int) -> str | None:
        """Return how the texts end that something gives when it is gone through."""
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]):
                if name in _PATTERNS:
                    return self.of(first, frame, far)
                return self._of_each(first, frame, far) if name in _SAME_ITEMS else None
            case ast.Name() if (
                bound := self._of_name(node, frame, far, self._of_each)
            ) is not None:
                return bound
            case ast.Name() | ast.Attribute() if far:
                values = self.analysis.interpreter.values_at(node, frame)
                return _same(self._of_items(value, far - 1) for value in values)
        return None

    def _of_items(self, value: Value, far: int) -> str | None:
        if isinstance(value, Container) and not value.is_open:
            return _same(self._of_argument(item, far) for _, item in value.items)
        made = _made(value)
        return self._of_each(*made, far) if made is not None else None

    def _of_argument(self, argument: Argument, far: int) -> str | None:
        if isinstance(argument, Bound):
            return self.of(argument.node, argument.frame, far - 1) if far else None
        return self._of_values([argument], far)

    def _of_values(self, values: list[Value], far: int) -> str | None:
        """Return how all of some values end that calls of a library make: `Path(folder, "rows.npz")`."""
        made = [_made(value) for value in values] if far else []
        return _same(self.of(*call, far - 1) if call is not None else None for call in made)


def _made(value: Value) -> tuple[ast.expr, Frame] | None:
    """Return the call that makes a value outside of the tree."""
    match value:
        case ExternalCall(node=call, frame=frame):
            return call, frame
        case Derived(node=ast.Call() as call, frame=frame, called=True):
            return call, frame
    return None


def _same(endings: Iterable[str | None]) -> str | None:
    """Return how all texts end; None where one is not known, or they have no ending in common."""
    known = [*endings]
    texts = [text for text in known if text is not None]
    if not texts or len(texts) < len(known):
        return None
    backwards = zip(*map(reversed, texts), strict=False)
    return (
        "".join(each[0] for each in takewhile(lambda each: len({*each}) == 1, backwards))[::-1]
        or None
    )
