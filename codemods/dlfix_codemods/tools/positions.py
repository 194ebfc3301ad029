"""Nodes by their place in the text, at the cost of one pass."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from dlfix.fixing import untouched
from dlfix.fixing.rendering import code_of
from dlfix.source.lines import bare
from dlfix.source.text import Position, Span


class NotFoundError(LookupError):
    """No node stands at a span: the plan was made for another text."""


def find(
    module: cst.Module,
    spans: Iterable[Span],
    kind: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...] = (),
) -> dict[Span, cst.CSTNode]:
    """Return the node at each span (as `ast` gives it); raise NotFoundError if one has none.

    Where several nodes share a span, an expression is taken before the statement or argument it
    fills, and the outermost of those; `kind` narrows the choice.
    """
    return pick(all_spans(module), spans, kind)


def pick(
    placed: Mapping[cst.CSTNode, Span],
    spans: Iterable[Span],
    kind: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...] = (),
) -> dict[Span, cst.CSTNode]:
    """Do what `find` does, among nodes whose spans are known already."""
    wanted = set(spans)
    rows = sorted({span.start.row for span in wanted})
    beginning = placed.by_row if isinstance(placed, Placed) else _by_row(placed)
    found: dict[Span, cst.CSTNode] = {}
    for node in (node for row in rows for node in beginning.get(row, ())):
        span = placed[node]
        if span not in wanted or (kind and not isinstance(node, kind)):
            continue
        if span not in found or _rank(node) < _rank(found[span]):
            found[span] = node
    missing = wanted - found.keys()
    if missing:
        raise NotFoundError(f"no node at {min(missing)}")
    return found


@functools.lru_cache(maxsize=1)
def lines(module: cst.Module) -> list[str]:
    """Return the lines of a module; those of the one at hand are worked out once."""
    return bare(code_of(module))


class Placed(dict[cst.CSTNode, Span]):
    """Nodes with their spans."""

    @functools.cached_property
    def by_row(self) -> Mapping[int, Sequence[cst.CSTNode]]:
        """The nodes by the row they begin in, in the order in which they come."""
        return _by_row(self)


def _by_row(placed: Mapping[cst.CSTNode, Span]) -> Mapping[int, Sequence[cst.CSTNode]]:
    rows: dict[int, list[cst.CSTNode]] = {}
    for node, span in placed.items():
        rows.setdefault(span.start.row, []).append(node)
    return rows


def all_spans(module: cst.Module) -> Placed:
    """Return the span of every node, as `ast` counts it; those of the modules at hand are kept.

    Of a definition that rests there is its own span, and none of what is in it.
    """
    return _all_spans(module, untouched.awake())


@functools.lru_cache(maxsize=12)  # some files of a batch of fixes, which is tried several times
def _all_spans(module: cst.Module, _: frozenset[int] | None) -> Placed:
    return Placed(_placed(module))


def _placed(module: cst.Module) -> Iterable[tuple[cst.CSTNode, Span]]:
    ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    semicolons = any(isinstance(node, cst.Semicolon) for node in ranges)
    for node, place in ranges.items():
        assert isinstance(place, CodeRange)
        tail = _tail(node) if semicolons and isinstance(node, _ENDING) else None
        last = tail.semicolon if tail is not None else None
        ending = (
            ranges.get(last) if isinstance(last, cst.Semicolon) else None
        )  # none where it rests
        if isinstance(ending, CodeRange):
            place = CodeRange(place.start, ending.end)  # `ast` counts it in
        yield node, _as_ast(node, place, ranges)


# What ends with a block, or is one.
_ENDING = (
    cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally, cst.ExceptHandler,
    cst.ExceptStarHandler, cst.MatchCase,
)  # fmt: skip


def _tail(node: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """Return the simple statement that a statement or block ends with."""
    while not isinstance(node, cst.BaseSmallStatement):
        parts = (*_ENDING, cst.SimpleStatementLine, cst.BaseSmallStatement)
        inner = [one for one in node.children if isinstance(one, parts)]
        if not inner:
            return None
        node = inner[-1]
    return node


def _as_ast(node: cst.CSTNode, place: CodeRange, ranges: object) -> Span:
    """Return the span `ast` gives: it counts a tuple's or generator's own parentheses in."""
    start = Position(place.start.line, place.start.column)
    end = Position(place.end.line, place.end.column)
    if not isinstance(node, cst.Tuple | cst.GeneratorExp):
        return Span(start, end)
    if node.lpar:
        assert isinstance(ranges, dict) or hasattr(ranges, "__getitem__")
        opening, closing = ranges[node.lpar[-1]], ranges[node.rpar[0]]
        start = Position(opening.start.line, opening.start.column)
        return Span(start, Position(closing.end.line, closing.end.column))
    if isinstance(node, cst.GeneratorExp):
        return Span(Position(start.row, start.column - 1), Position(end.row, end.column + 1))
    return Span(start, end)


def _rank(node: cst.CSTNode) -> int:
    if isinstance(node, cst.BaseExpression):
        return 0
    if isinstance(node, cst.SimpleStatementLine | cst.BaseSuite):
        return 2
    return 1
