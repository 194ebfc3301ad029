"""What is wrong after several fixes were carried out together."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.fixing.blame import Attribution, Matched, complaints
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.rules.base import Finding, Step
from dlfix.rules.dlf101_lambda_reaches_worker import LambdaReachesWorker
from dlfix.rules.dlf207_unpicklable_sample import UnpicklableSample
from dlfix.source.text import Place, Position, Span

PATH = Path("/program/main.py")


def place(row: int) -> Place:
    return Place(PATH, Span(Position(row, 0), Position(row, 9)))


@pytest.mark.parametrize(("row", "is_explained"), [(3, True), (20, True), (30, False)])
def test_a_finding_goes_only_where_a_line_on_its_path_changes(row: int, is_explained: bool) -> None:
    fixed = Finding(LambdaReachesWorker, "a lambda", place(3), ())
    gone = Finding(UnpicklableSample, "a sample", place(9), (Step(place(row), "f(...)"),))
    plan = Span(Position(18, 0), Position(22, 0))
    fix = Fix("Move", Applicability.SAFE, (Edit(PATH, "module_level_callables", plan),))
    attribution = Attribution([(Planned((fixed,), fix), fix)], {})
    found = list(complaints(Matched([fixed, gone], [fixed], [], {}), attribution))
    assert [each.suspects for each in found] == [frozenset((0,))] * (not is_explained)
