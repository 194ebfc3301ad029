"""Definitions at module level that a plan does not name: neither visited nor rendered again.

Without this, the fixes of a file cost its size each, so that many fixes in a large file are quadratic.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import libcst as cst

from dlfix.source.text import Span

if TYPE_CHECKING:
    from libcst._nodes.internal import CodegenState

# The ids of the blocks whose definitions are visited; None: all are.
_AWAKE: ContextVar[set[int] | None] = ContextVar("awake", default=None)


class _Resting(cst.CSTNode):
    """What makes a definition one that can rest; it keeps the tokens that it was rendered to."""

    body: Any

    def visit(self, visitor: Any) -> Any:
        awake = _AWAKE.get()
        if awake is None or id(self.body) in awake:
            return super().visit(visitor)
        return self

    def deep_clone(self) -> Any:
        clone = super().deep_clone()
        awake = _AWAKE.get()
        if awake is not None and id(self.body) in awake:
            awake.add(id(clone.body))
        return clone

    def _codegen(self, state: CodegenState, **options: Any) -> None:
        # A state that counts positions, or is within a block, is another matter.
        if type(state) is not _plain_state() or state.indent_tokens or options:
            super()._codegen(state, **options)
            return
        key = state.default_indent, state.default_newline
        kept = self.__dict__.get("rendered")
        if kept is None or kept[0] != key:
            own = type(state)(state.default_indent, state.default_newline)
            super()._codegen(own)
            kept = key, tuple(own.tokens)
            object.__setattr__(self, "rendered", kept)
        state.tokens.extend(kept[1])


def _plain_state() -> type[CodegenState]:
    from libcst._nodes.internal import CodegenState

    return CodegenState


# LibCST's visitors look for their methods by these names.
_FunctionDef = type("FunctionDef", (_Resting, cst.FunctionDef), {})
_ClassDef = type("ClassDef", (_Resting, cst.ClassDef), {})


def rested(module: cst.Module) -> cst.Module:
    """Return a module whose definitions can rest."""
    return module.with_changes(body=[_rested(statement) for statement in module.body])


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
def awake_at(module: cst.Module, spans: Iterable[Span], ends: list[int]) -> Iterator[None]:
    """Let the definitions rest that hold none of these places; `ends` are the statements' last rows."""
    awake: set[int] = set()
    for span in spans:
        first = bisect_left(ends, span.start.row)
        last = bisect_left(ends, span.end.row)
        awake.update(id(getattr(one, "body", None)) for one in module.body[first : last + 1])
    token = _AWAKE.set(awake or None)
    try:
        yield
    finally:
        _AWAKE.reset(token)
