import ast
from pathlib import Path

import pytest

from dlfix.fixing import engine, proof, registry
from dlfix.fixing.outcomes import Choice
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.base import Finding, Step
from tests.fixing import fakes

A, B = Path("/a.py"), Path("/b.py")


class Setup:
    """What the registry knows, and the texts to work on."""

    def __init__(self) -> None:
        self.planners = {"rename": fakes.plan}
        self.codemods = {"rename": fakes.rename}

    def rewrite(self, texts, rules=(fakes.BadName,), **options):
        return engine.rewrite(fakes.FakeProject(texts), None, rules, **options)

    def inspect(self, texts, rules=(fakes.BadName,), **options):
        return engine.inspect(fakes.FakeAnalysis(fakes.FakeProject(texts)), rules, **options)


@pytest.fixture
def setup(monkeypatch):
    setup = Setup()
    monkeypatch.setattr(registry, "planner", lambda name: setup.planners.get(name))
    monkeypatch.setattr(registry, "codemod", lambda name: fakes.Codemod(setup.codemods[name]))
    monkeypatch.setattr(
        "dlfix.reach.analysis.analyze",
        lambda p, c, tell=None: fakes.FakeAnalysis(p, c),
        raising=False,
    )
    return setup


def test_text_without_findings_stays(setup):
    result = setup.rewrite({A: "x = 1\n"})
    assert (result.texts, result.applied, result.left) == ({}, (), ())


def test_a_finding_is_mended(setup):
    result = setup.rewrite({A: "x = BAD\n"})
    assert result.texts == {A: "import functools\nx = good\n"}
    assert [planned.findings[0].code for planned in result.applied] == ["DLF901"]
    assert result.left == ()


def test_several_fixes_in_a_file_survive_the_shift_of_rows(setup):
    result = setup.rewrite({A: "x = BAD\ny = 2\nz = [\n    BAD,\n    BAD, BAD,\n]\n"})
    assert result.texts[A] == (
        "import functools\nx = good\ny = 2\nz = [\n    good,\n    good, good,\n]\n"
    )


def test_files_without_findings_are_not_among_the_texts(setup):
    assert set(setup.rewrite({A: "x = BAD\n", B: "x = 1\n"}).texts) == {A}


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_newlines_stay(setup, newline):
    before = f"x = BAD{newline}y = '''a{newline}b'''{newline}"
    after = setup.rewrite({A: before}).texts[A]
    assert after.endswith(f"x = good{newline}y = '''a{newline}b'''{newline}")


def test_a_file_that_libcst_does_not_keep_is_left_alone(setup):
    result = setup.rewrite({A: "x = BAD\ry = 1\r"})
    assert result.texts == {}
    assert result.left[0].outcome == Refused("LibCST does not reproduce the file exactly")


def test_no_newline_at_the_end_stays_so(setup):
    assert setup.rewrite({A: "import functools\nx = BAD"}).texts[A] == "import functools\nx = good"


def test_a_second_rewrite_changes_nothing(setup):
    once = setup.rewrite({A: "x = BAD\n"}).texts
    assert setup.rewrite(once).texts == {}


def test_an_unsafe_fix_waits_for_a_yes(setup):
    setup.planners["rename"] = fakes.unsafe_plan
    result = setup.rewrite({A: "x = BAD\n"})
    assert result.texts == {}
    assert result.left[0].outcome.applicability is Applicability.UNSAFE
    assert setup.rewrite({A: "x = BAD\n"}, unsafe=True).texts


def test_a_refusal_is_told(setup):
    setup.planners["rename"] = fakes.refusing_plan
    (left,) = setup.rewrite({A: "x = BAD\n"}).left
    assert left.outcome == Refused("it is bound again on line 7")


def test_a_rule_without_a_planner_is_only_reported(setup):
    del setup.planners["rename"]
    (left,) = setup.rewrite({A: "x = BAD\n"}).left
    assert left.outcome is None


class Chooser(fakes.BadName):
    codemods = ("first", "rename")


def test_the_second_codemod_is_asked_where_the_first_refuses(setup):
    setup.planners["first"] = fakes.refusing_plan
    assert setup.rewrite({A: "x = BAD\n"}, [Chooser]).texts


def test_where_both_refuse_the_first_reason_is_told(setup):
    setup.planners["first"] = fakes.refusing_plan
    setup.planners["rename"] = lambda findings, analysis: iter(
        [Planned(tuple(findings), Refused("other"))]
    )
    (left,) = setup.rewrite({A: "x = BAD\n"}, [Chooser]).left
    assert left.outcome == Refused("it is bound again on line 7")


def test_one_culprit_by_two_paths_is_one_finding_with_the_shorter(setup):
    class Twice(fakes.BadName):
        def check(self, analysis):
            for finding in super().check(analysis):
                longer = (*finding.trace, Step(finding.place, "more"))
                yield Finding(Twice, finding.message, finding.place, longer)
                yield finding

    (diagnosis,) = setup.inspect({A: "x = BAD\n"}, [Twice])
    assert len(diagnosis.finding.trace) == 1


def test_findings_come_in_order_of_place(setup):
    class Other(fakes.BadName):
        code = "DLF902"
        looks_for = "WORSE"

    found = setup.inspect({B: "BAD\n", A: "BAD\nWORSE\n\nBAD\n"}, [Other, fakes.BadName])
    places = [(d.finding.place.path, d.finding.place.span.start.row) for d in found]
    assert places == [(A, 1), (A, 2), (A, 4), (B, 1)]


def test_what_is_suppressed_is_neither_told_nor_mended(setup):
    result = setup.rewrite(
        {A: "import functools\nx = BAD\ny = BAD\n"},
        keep=lambda finding, project: finding.place.span.start.row != 2,
    )
    assert "x = BAD\n" in result.texts[A]
    assert "y = good\n" in result.texts[A]
    assert result.left == ()


def test_each_fix_can_be_chosen(setup):
    asked = []

    def choose(proposal):
        asked.append(proposal)
        return Choice.APPLY if len(asked) == 2 else Choice.LEAVE

    result = setup.rewrite({A: "x = BAD\ny = BAD\n"}, choose=choose)
    assert result.texts[A] == "import functools\nx = BAD\ny = good\n"
    assert [proposal.after[A] for proposal in asked] == [
        "import functools\nx = good\ny = BAD\n",
        "import functools\nx = BAD\ny = good\n",
    ]
    assert isinstance(result.left[0].outcome, Fix)


def test_a_codemod_that_raises_costs_only_its_fix(setup):
    def rewrite(module, plan):
        if plan.span.start.row == 1:
            raise KeyError("oops\nsecond line")
        return fakes.rename(module, plan)

    setup.codemods["rename"] = rewrite
    result = setup.rewrite({A: "x = BAD\ny = BAD\n"})
    assert result.texts == {A: "import functools\nx = BAD\ny = good\n"}
    (left,) = result.left
    assert left.outcome.reason.startswith("internal error in rename (KeyError: ")
    assert "\n" not in left.outcome.reason


def test_a_planner_that_raises_costs_only_the_finding_it_stumbles_over(setup):
    def planner(findings, analysis):
        if any(finding.place.span.start.column == 4 for finding in findings):
            raise ZeroDivisionError("x")
        yield from fakes.plan(findings, analysis)

    setup.planners["rename"] = planner
    result = setup.rewrite({A: "x = BAD\nlong = BAD\n"})
    assert "long = good" in result.texts[A]
    assert "internal error in rename's planner (ZeroDivisionError: x)" in (
        result.left[0].outcome.reason
    )


def test_a_proof_that_raises_costs_only_the_fix_it_stumbles_over(setup, monkeypatch):
    def regressions(before, after, changed):
        if "long = good" in after.texts[A]:
            raise RecursionError("deep")
        return []

    monkeypatch.setattr(proof, "regressions", regressions)
    result = setup.rewrite({A: "x = BAD\nlong = BAD\n"})
    assert result.texts[A].endswith("x = good\nlong = BAD\n")
    assert "internal error in the proof (RecursionError: deep)" in result.left[0].outcome.reason


def test_a_rule_that_raises_is_told_once_and_the_others_work(setup):
    class Raising(fakes.BadName):
        code = "DLF999"

        def check(self, analysis):
            raise IndexError("no")

    result = setup.rewrite({A: "x = BAD\n"}, [Raising, fakes.BadName])
    assert result.texts
    assert result.errors == ("internal error in DLF999 (IndexError: no); please report it",)


def test_a_fix_that_does_not_do_its_work_is_dropped_with_the_reason(setup):
    setup.codemods["rename"] = lambda module, plan: fakes.rename(
        module, fakes.Rename(plan.span, "BAD")
    )
    result = setup.rewrite({A: "x = BAD\n"})
    assert result.texts == {}
    assert result.left[0].outcome == Refused("the fix was rejected: DLF901 would remain (`BAD`)")


def test_a_fix_that_brings_another_finding_is_dropped(setup):
    class Worse(fakes.BadName):
        code = "DLF902"
        looks_for = "WORSE"
        codemods = ()

    setup.codemods["rename"] = lambda module, plan: fakes.rename(
        module, fakes.Rename(plan.span, "WORSE")
    )
    result = setup.rewrite({A: "x = BAD\n"}, [fakes.BadName, Worse])
    assert result.texts == {}
    assert "DLF902 would be reported instead" in result.left[0].outcome.reason


def test_a_bad_fix_does_not_drag_good_ones_with_it(setup):
    def rewrite(module, plan):
        to = "BAD" if plan.span.start.column == 8 else "good"
        return fakes.rename(module, fakes.Rename(plan.span, to))

    setup.codemods["rename"] = rewrite
    result = setup.rewrite({A: "x = BAD\nlong_ = BAD\ny = BAD\n"})
    assert result.texts[A] == "import functools\nx = good\nlong_ = BAD\ny = good\n"
    assert len(result.left) == 1


def test_a_fix_over_two_files_is_whole_or_not_at_all(setup):
    def planner(findings, analysis):
        edits = tuple(
            Edit(finding.place.path, "rename", fakes.Rename(finding.place.span))
            for finding in findings
        )
        yield Planned(tuple(findings), Fix("Both", Applicability.SAFE, edits))

    def rewrite(module, plan):
        if "second" in module.code:
            raise ValueError("no")
        return fakes.rename(module, plan)

    setup.planners["rename"] = planner
    assert set(setup.rewrite({A: "x = BAD\n", B: "y = BAD\n"}).texts) == {A, B}
    setup.codemods["rename"] = rewrite
    assert setup.rewrite({A: "x = BAD\n", B: "second = BAD\n"}).texts == {}


def test_the_result_of_every_fix_parses(setup):
    result = setup.rewrite({A: "def f():\n\treturn BAD  # why\n"})
    ast.parse(result.texts[A])
    assert "\treturn good  # why\n" in result.texts[A]
