"""Definitions at module level that a plan does not name: neither visited, rendered nor placed again.

Without this, the fixes of a file cost its size each, so that many fixes in a large file are quadratic.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState
from libcst.metadata import CodeRange, PositionProvider
from libcst.metadata.position_provider import NEWLINE_RE, PositionProvidingCodegenState

from dlfix.source.text import Span

# The ids of the blocks whose definitions are visited; None: all are.
_AWAKE: ContextVar[set[int] | None] = ContextVar("awake", default=None)


@dataclass(frozen=True)
class _Rendered:
    """What a definition was rendered to, as if it were the first of a file."""

    newline: tuple[str, str]
    head: str
    last: str  # the token that LibCST takes off at the end of a file without a newline
    rows: int
    place: CodeRange


class _Resting(cst.CSTNode):
    """What makes a definition one that can rest; it keeps what it was rendered to."""

    body: Any

    @property
    def is_awake(self) -> bool:
        """Whether the definition is visited, and has places for all that is in it."""
        awake = _AWAKE.get()
        return awake is None or id(self.body) in awake

    def visit(self, visitor: Any) -> Any:
        return super().visit(visitor) if self.is_awake else self

    def deep_clone(self) -> Any:
        clone = super().deep_clone()
        awake = _AWAKE.get()
        if awake is not None and id(self.body) in awake:
            awake.add(id(clone.body))
        return clone

    def rendered(self, default_indent: str, default_newline: str) -> _Rendered:
        """Return what the definition is rendered to, which is worked out once."""
        key = default_indent, default_newline
        kept: _Rendered | None = self.__dict__.get("kept")
        if kept is None or kept.newline != key:
            places = PositionProvider()
            state = PositionProvidingCodegenState(*key, places)
            super()._codegen(state)
            *tokens, last = state.tokens
            place = places._computed[self]
            assert isinstance(place, CodeRange)
            kept = _Rendered(key, "".join(tokens), last, state.line - 1, place)
            object.__setattr__(self, "kept", kept)
        return kept

    def _codegen(self, state: CodegenState, **options: Any) -> None:
        counts = type(state) is PositionProvidingCodegenState and not self.is_awake
        # A state that counts other places, or is within a block, is another matter.
        if not (counts or type(state) is CodegenState) or state.indent_tokens or options:
            super()._codegen(state, **options)
            return
        kept = self.rendered(state.default_indent, state.default_newline)
        state.tokens += [kept.head, kept.last]
        if isinstance(state, PositionProvidingCodegenState):
            state.provider._computed[self] = _below(kept.place, state.line - 1)
            state.line += kept.rows


def _below(place: CodeRange, rows: int) -> CodeRange:
    start, end = place.start, place.end
    return CodeRange((start.line + rows, start.column), (end.line + rows, end.column))


def awake() -> frozenset[int] | None:
    """Return what tells which definitions rest from which; None where none does."""
    ids = _AWAKE.get()
    return None if ids is None else frozenset(ids)


def last_rows(module: cst.Module) -> list[int]:
    """Return the row that each statement of a module ends in, with what stands below it in its block."""
    row = sum(_rows(line, module) for line in module.header)
    return list(accumulate((_rows(one, module) for one in module.body), initial=row))[1:]


def _rows(node: cst.CSTNode, module: cst.Module) -> int:
    if isinstance(node, _Resting):
        return node.rendered(module.default_indent, module.default_newline).rows
    return len(NEWLINE_RE.findall(module.code_for_node(node)))


# LibCST's visitors look for their methods by these names.
_FunctionDef = type("FunctionDef", (_Resting, cst.FunctionDef), {})
_ClassDef = type("ClassDef", (_Resting, cst.ClassDef), {})


def rested(module: cst.Module) -> cst.Module:
    """Return a module whose definitions can rest, the same where they can already."""
    body = [_rested(statement) for statement in module.body]
    if all(new is old for new, old in zip(body, module.body, strict=True)):
        return module
    return module.with_changes(body=body)


def _rested(statement: Any) -> Any:
    if type(statement) is cst.FunctionDef:
        kind = _FunctionDef
    elif type(statement) is cst.ClassDef:
        kind = _ClassDef
    else:
        return statement
    fields = dataclasses.fields(statement)
    return kind(**{field.name: getattr(statement, field.name) for field in fields})


@contextmanager
def awake_at(module: cst.Module, spans: Iterable[Span]) -> Iterator[None]:
    """Let the definitions rest that hold none of these places."""
    ends = last_rows(module)
    ids: set[int] = set()
    for span in spans:
        first = bisect_left(ends, span.start.row)
        last = bisect_left(ends, span.end.row)
        ids.update(id(getattr(one, "body", None)) for one in module.body[first : last + 1])
    token = _AWAKE.set(ids or None)
    try:
        yield
    finally:
        _AWAKE.reset(token)
