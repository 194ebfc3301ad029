from dataclasses import dataclass
from pathlib import Path

import pytest

from dlfix.fixing.lines import LineMap, Moved, alike, moved, spans_of
from dlfix.source.text import Position, Span


def span(row, column=0, end_row=None, end_column=1):
    return Span(Position(row, column), Position(end_row or row, end_column))


@dataclass(frozen=True)
class Inner:
    where: Span


@dataclass(frozen=True)
class Plan:
    path: Path
    places: tuple[Inner, ...] = ()
    named: dict | None = None
    flag: bool = True


def test_rows_below_an_insertion_shift():
    lines = LineMap("a\nb\nc\n", "new\na\nb\nc\n")
    assert [lines.row(row) for row in (1, 2, 3)] == [2, 3, 4]


def test_a_changed_row_has_no_image_and_its_neighbours_do():
    lines = LineMap("a\nb\nc\n", "a\nB\nB\nc\n")
    assert [lines.row(row) for row in (1, 2, 3)] == [1, None, 4]


def test_equal_rows_keep_their_order():
    lines = LineMap("x\nsame\ny\nsame\n", "x\nsame\nnew\ny\nsame\n")
    assert [lines.row(row) for row in (2, 4)] == [2, 5]


def test_a_plan_is_carried_along_with_all_its_places():
    plan = Plan(Path("a"), (Inner(span(2)),), {"x": [span(3, 4, 3, 5)]})
    lines = LineMap("a\nb\nc\n", "new\na\nb\nc\n")
    assert moved(plan, lines) == Plan(Path("a"), (Inner(span(3)),), {"x": [span(4, 4, 4, 5)]})


def test_a_plan_without_places_stays_equal():
    assert moved(Plan(Path("a")), LineMap("a\n", "b\n")) == Plan(Path("a"))


def test_a_plan_on_a_changed_row_cannot_be_carried_along():
    with pytest.raises(Moved):
        moved(Plan(Path("a"), (Inner(span(1)),)), LineMap("a\nb\n", "A\nb\n"))


def test_a_span_is_carried_along_though_rows_within_it_changed():
    outer = span(1, 0, 3, 1)
    assert moved(outer, LineMap("a\nb\nc\n", "a\nB\nB\nc\n")) == span(1, 0, 4, 1)


def test_all_spans_of_a_plan_are_found():
    plan = Plan(Path("a"), (Inner(span(1)), Inner(span(2))), {"k": {span(3)}})
    assert sorted(spans_of(plan)) == [span(1), span(2), span(3)]


def test_shared_lines_are_found_between_lines_that_both_texts_have_once():
    old = ["a", "", "b", "", "c", "x", "", "d"]
    new = ["a", "", "new", "b", "", "c", "", "d"]
    shared = [(one + n, other + n) for one, other, size in alike(old, new) for n in range(size)]
    assert shared == [(0, 0), (1, 1), (2, 3), (3, 4), (4, 5), (6, 6), (7, 7)]


def test_lines_that_changed_places_are_shared_once():
    shared = [(one, other) for one, other, size in alike(["a", "b", "c"], ["c", "a", "b"]) if size]
    assert shared == [(0, 1), (1, 2)]


def test_a_new_row_leads_back_to_the_row_that_it_replaces():
    lines = LineMap("a\nb\nc\n", "a\nx\ny\nc\nd\n")
    assert [lines.row_before(row) for row in range(1, 6)] == [1, 2, 2, 3, None]
