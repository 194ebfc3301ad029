"""What a rewrite costs, and that fixes come to the same together and one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from dlfix.fixing import engine, registry, rewriting
from dlfix.fixing.outcomes import Choice
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from tests.fixing import fakes

A, B = Path("/a.py"), Path("/b.py")


class World:
    """Counts readings, parses and rewrites; `stubborn` are columns whose fix does nothing."""

    def __init__(self) -> None:
        self.analyses = self.parses = self.renders = 0
        self.stubborn: set[int] = set()
        self.planner = fakes.plan

    def analyze(self, project, catalog, tell=None):
        self.analyses += 1
        return fakes.FakeAnalysis(project, catalog)

    def rewrite(self, module, plan):
        self.renders += 1
        to = "BAD" if plan.span.start.column in self.stubborn else plan.to
        return fakes.rename(module, fakes.Rename(plan.span, to))

    def run(self, texts, rules=(fakes.BadName,), **options):
        return engine.rewrite(fakes.FakeProject(texts), None, rules, **options)


@pytest.fixture
def world(monkeypatch):
    world = World()
    first = rewriting.Sheet.__init__

    def counted(sheet, text):
        world.parses += 1
        first(sheet, text)

    monkeypatch.setattr(rewriting.Sheet, "__init__", counted)
    monkeypatch.setattr(registry, "planner", lambda name: world.planner)
    monkeypatch.setattr(registry, "codemod", lambda name: fakes.Codemod(world.rewrite))
    monkeypatch.setattr("dlfix.reach.analysis.analyze", world.analyze)
    return world


def lines(count):
    return "import functools\n" + "".join(f"x{number} = BAD\n" for number in range(count))


@pytest.mark.parametrize("count", [2, 20])
def test_all_fixes_of_a_file_cost_two_readings_and_one_parse(world, count):
    assert world.run({A: lines(count)}).left == ()
    assert (world.analyses, world.parses, world.renders) == (2, 1, count)


@pytest.mark.parametrize("count", [2, 20])
def test_a_fix_that_does_not_hold_costs_one_reading_more(world, count):
    world.stubborn = {8}
    result = world.run({A: lines(count), B: "import functools\nlonger = BAD\nlong_ = BAD\n"})
    assert [left.finding.place.span.start.column for left in result.left] == [8]
    assert world.analyses == 3
    assert world.parses == 2


def test_safe_fixes_are_not_left_behind_however_many_do_not_hold(world):
    world.stubborn = {7}
    count = 150
    text = "import functools\n" + "y = BAD\nlong = BAD\n" * 10
    result = world.run({Path(f"/{name}.py"): text for name in range(15)})
    assert len(result.left) == count
    assert len(result.applied) == count
    assert world.analyses == 3


def test_fixes_come_to_the_same_together_and_one_by_one(world):
    world.stubborn = {8}
    texts = {A: lines(12) + "long_ = BAD\nz = [BAD,\n  BAD, BAD]\n", B: "x = BAD\n"}
    together = world.run(texts)
    singly = world.run(texts, choose=lambda proposal: Choice.APPLY)
    assert together.texts == singly.texts
    places = [[one.finding.place for one in result.left] for result in (together, singly)]
    assert places[0] == places[1]


def test_fixes_that_fail_only_together_are_told_apart(world):
    """Two of them bring a finding where both are; each alone is fine."""

    class Both(fakes.BadName):
        code = "DLF903"
        codemods = ()

        def check(self, analysis):
            for path, text in analysis.project.texts.items():
                if "a1 = good" in text and "b1 = good" in text:
                    node = next(fakes.names(text, "marker"))
                    place = fakes.Place(path, fakes.span_of(node))
                    yield fakes.Finding(type(self), "both", place, (fakes.Step(place, "x"),))

    text = "import functools\nmarker\na1 = BAD\n" + "x = BAD\n" * 6 + "b1 = BAD\n"
    result = world.run({A: text}, (fakes.BadName, Both))
    assert len(result.applied) == 7
    assert len(result.left) == 1
    assert world.analyses <= 10


def test_check_announces_what_apply_does(world):
    world.stubborn = {8}
    texts = {A: lines(3) + "long_ = BAD\n"}
    analysis = fakes.FakeAnalysis(fakes.FakeProject(texts))
    announced = engine.inspect(analysis, [fakes.BadName])
    fixable = [one.finding.place for one in announced if isinstance(one.outcome, Fix)]
    applied = [f.place for planned in world.run(texts).applied for f in planned.findings]
    assert fixable == applied
    assert [type(one.outcome) for one in announced] == [Fix, Fix, Fix, Refused]


def test_a_fix_that_needs_a_file_that_was_not_named_says_so(world):
    def planner(findings, analysis):
        edits = tuple(
            Edit(one.place.path, "rename", fakes.Rename(one.place.span)) for one in findings
        )
        yield Planned(tuple(findings), Fix("Both", Applicability.SAFE, edits))

    world.planner = planner
    result = world.run({A: "x = BAD\n", B: "y = BAD\n"}, within=[A])
    assert result.texts == {}
    reason = "the fix also changes b.py, which is not among the given paths (add it or check the whole project)"
    assert [one.outcome for one in result.left] == [Refused(reason)] * 2


def test_findings_of_files_that_were_not_named_are_left_out(world):
    result = world.run({A: "x = BAD\n", B: "y = BAD\n"}, within=[A])
    assert set(result.texts) == {A}
    assert result.left == ()


def in_two_forms(lazy: str, state: str):
    """Plan a renaming to one name, and to another where that is not accepted."""

    def planner(findings, analysis):
        for planned in fakes.plan(findings, analysis):
            first = planned.outcome
            edits = [
                replace(first.edits[0], plan=fakes.Rename(first.edits[0].plan.span, to))
                for to in (lazy, state)
            ]
            instead = replace(first, edits=(edits[1],), form="state")
            fix = replace(first, edits=(edits[0],), form="lazy", instead=instead)
            yield Planned(planned.findings, fix)

    return planner


def test_the_next_form_is_tried_where_the_first_fixes_nothing(world):
    world.planner = in_two_forms("BAD", "other")
    done = world.run({A: "import functools\nx = BAD\n"})
    assert done.texts[A].endswith("x = other\n")
    assert done.applied[0].outcome.form == "state"


def test_the_form_that_is_preferred_comes_first(world):
    world.planner = in_two_forms("good", "other")
    done = world.run({A: "import functools\nx = BAD\n"}, prefer=lambda path: "state")
    assert done.texts[A].endswith("x = other\n")


def test_where_no_form_is_accepted_the_reason_is_that_of_the_first(world):
    world.planner = in_two_forms("BAD", "BAD")
    done = world.run({A: "import functools\nx = BAD\n"})
    assert done.texts == {}
    assert isinstance(done.left[0].outcome, Refused)


class Part:
    """What hangs in an object under a name of its own."""

    parent = same = value = None

    def __init__(self, name):
        self.edge = SimpleNamespace(kind="attribute", name=name)


SENT = Part("sent")


def line_of(analysis, finding):
    return analysis.project.texts[A].splitlines()[finding.place.span.start.row - 1]


def in_one(finding, analysis):
    """Return what leads to the first two names: parts of one object, which fails as long as one of them is left."""
    text = line_of(analysis, finding)
    return frozenset() if "third" in text else frozenset({(SENT, Part(text))})


def test_what_was_of_no_use_alone_is_taken_up_with_what_it_waited_for(world, monkeypatch):
    def planner(findings, analysis):
        blocked = "third = BAD" in analysis.project.texts[A]
        for planned in fakes.plan(findings, analysis):
            (edit,) = planned.outcome.edits
            if blocked and "first" in line_of(analysis, planned.findings[0]):
                edit = replace(edit, plan=replace(edit.plan, to="BAD"))
            yield replace(planned, outcome=replace(planned.outcome, edits=(edit,)))

    monkeypatch.setattr("dlfix.fixing.whole_or_nothing.ways_of", in_one)
    world.planner = planner
    done = world.run({A: "import functools\nfirst = BAD\nsecond = BAD\nthird = BAD\n"})
    assert done.texts[A].endswith("first = good\nsecond = good\nthird = good\n")
