from dataclasses import dataclass
from pathlib import Path

import pytest

from dlfix.fixing.conflicts import compatible, crosses
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.source.text import Position, Span

A, B = Path("/a.py"), Path("/b.py")


@dataclass(frozen=True)
class Plan:
    span: Span


class OtherPlan(Plan):
    pass


def span(start, end):
    return Span(Position(start, 0), Position(end, 0))


def fix(*edits):
    made = Fix("x", Applicability.SAFE, tuple(Edit(p, c, Plan(s)) for p, c, s in edits))
    return Planned((), made), made


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (span(1, 2), span(2, 3), False),
        (span(1, 9), span(2, 3), False),
        (span(1, 3), span(1, 3), False),
        (span(1, 3), span(2, 4), True),
    ],
    ids=["side by side", "one within the other", "the same", "overlapping"],
)
def test_spans_cross(one, other, expected):
    assert crosses(one, other) is crosses(other, one) is expected


def test_disjoint_fixes_of_one_codemod_go_together():
    fixes = [fix((A, "x", span(1, 2))), fix((A, "x", span(5, 6)))]
    assert compatible(fixes) == fixes


def test_overlapping_fixes_take_turns():
    fixes = [fix((A, "x", span(1, 4))), fix((A, "x", span(3, 6)))]
    assert compatible(fixes) == fixes[:1]


def test_plans_of_two_kinds_for_one_place_take_turns():
    fixes = [fix((A, "x", span(1, 4))), fix((A, "x", span(1, 4)))]
    assert compatible(fixes) == fixes
    made = Fix("x", Applicability.SAFE, (Edit(A, "x", OtherPlan(span(1, 4))),))
    assert compatible([fixes[0], (Planned((), made), made)]) == fixes[:1]


def test_two_codemods_do_not_share_a_file_in_one_round():
    fixes = [fix((A, "x", span(1, 2))), fix((A, "y", span(5, 6))), fix((B, "y", span(5, 6)))]
    assert compatible(fixes) == [fixes[0], fixes[2]]


def test_a_fix_left_out_holds_none_of_its_files():
    fixes = [
        fix((A, "x", span(1, 2))),
        fix((A, "y", span(5, 6)), (B, "y", span(1, 2))),
        fix((B, "x", span(1, 2))),
    ]
    assert compatible(fixes) == [fixes[0], fixes[2]]
