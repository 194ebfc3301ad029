"""Every golden program is rewritten, compared to the byte, and run before and after."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace

import pytest

from dlfix.fixing.plans import Fix, Refused
from tests.golden import cases
from tests.golden.cases import Case
from tests.golden.programs import Cold, Outcome, Run

METHODS = ("spawn", "forkserver", "fork")
# A warm process spawns out of a fork server: both methods are one there.
WARM_METHODS = ("spawn", "fork")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only = metafunc.config.getoption("golden_only") or ""
    chosen = [case for case in cases.all_cases() if only in case.name]
    if metafunc.function is test_also_in_fresh_interpreters:
        first = {c.codemod: c for c in reversed(chosen) if not (c.stays or c.is_notebook)}
        chosen = list(first.values())
    metafunc.parametrize("case", chosen, ids=[case.name for case in chosen])


def test_golden(case: Case, warm, request) -> None:
    check_text(case, update=request.config.getoption("update_goldens"))
    cold = request.config.getoption("golden_cold") or case.is_notebook
    executor = Cold() if warm and cold else warm
    if executor is None:
        pytest.skip("compared, not run: torch is not installed, or --no-execute")
    for library in case.declared.get("requires", ()):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"compared, not run: {library} is not installed")
    if "clean" not in case.declared:
        check_before(case, executor)
    if not case.stays:
        check_after(case, executor)


def test_also_in_fresh_interpreters(case: Case, warm) -> None:
    if warm is None:
        pytest.skip("torch is not installed, or --no-execute")
    (spawned,) = Cold().run([run_of(case, case.after, 1, "spawn")])
    alone, served = warm.run([run_of(case, case.after, n, "forkserver") for n in (0, 2)])
    assert alone.result is not None, str(alone)
    assert spawned.result == alone.result, str(spawned)
    assert served.result == alone.result, str(served)


def check_text(case: Case, *, update: bool) -> None:
    """Compare what dlfix makes of `before` with `after`, to the byte."""
    if "clean" in case.declared:
        assert not cases.diagnosed(case.before)
        return
    unsafe = bool(case.declared.get("unsafe"))
    prefer = case.declared.get("prefer", "lazy")
    result = cases.rewritten(case.before, unsafe=unsafe, prefer=prefer)
    assert case.rule in codes_of(result)
    assert result.errors == ()
    if case.stays:
        check_stays(case, result)
        return
    if unsafe:
        check_waits_for_a_yes(case)
    made = cases.as_bytes(case.before, result)
    if update:
        print(cases.diff(cases.sources(case.after), made))
        cases.write(case.after, made)
    used = {edit.codemod for planned in result.applied for edit in planned.outcome.edits}
    assert case.codemod in used, told(result.left)
    assert cases.diff(cases.sources(case.after), made) == ""
    assert cases.sources(case.after) == made
    again = cases.rewritten(case.after, unsafe=unsafe, prefer=prefer)
    assert cases.diff(made, cases.as_bytes(case.after, again)) == ""


def codes_of(result) -> set[str]:
    """Return the rules of what a rewrite has found, fixed or left."""
    fixed = {finding.code for planned in result.applied for finding in planned.findings}
    return fixed | {diagnosis.finding.code for diagnosis in result.left}


def check_stays(case: Case, result) -> None:
    """Nothing may change, for the declared reason."""
    assert cases.diff(cases.sources(case.before), cases.as_bytes(case.before, result)) == ""
    if "refused" not in case.declared:
        return
    reasons = [
        diagnosis.outcome.reason
        for diagnosis in result.left
        if diagnosis.finding.code == case.rule and isinstance(diagnosis.outcome, Refused)
    ]
    assert any(case.declared["refused"] in reason for reason in reasons), told(result.left)


def check_waits_for_a_yes(case: Case) -> None:
    """An unsafe fix is not applied unasked."""
    result = cases.rewritten(case.before, unsafe=False)
    rule = case.rule
    assert rule in {diagnosis.finding.code for diagnosis in result.left}


def told(left) -> str:
    return "\n".join(
        f"{diagnosis.finding.code} line {diagnosis.finding.place.span.start.row}: "
        + (
            diagnosis.outcome.message
            if isinstance(diagnosis.outcome, Fix)
            else str(diagnosis.outcome)
        )
        for diagnosis in left
    )


def run_of(case: Case, folder, workers: int, method: str) -> Run:
    return Run(folder, case.entry, workers, method, tuple(case.declared.get("guard", ())))


def check_before(case: Case, executor) -> None:
    """The program fails as declared."""
    error = case.declared.get("error")
    if error is None:
        assert case.stays, "case.toml must say how `before` fails"
        return
    method = case.declared.get("method", "spawn")
    workers = case.declared.get("workers", 2)
    failing = run_of(case, case.before, workers, method)
    if case.declared.get("endless"):
        failing = replace(failing, until=error)
    if error == "WRONG RESULT":
        failing, alone = executor.run([failing, run_of(case, case.before, 0, method)])
        assert failing.code == 0, str(failing)
        assert failing.result != alone.result
        return
    (failing,) = executor.run([failing])
    assert fails_with(error, failing), str(failing)


def fails_with(error: str, outcome: Outcome) -> bool:
    printed = outcome.errors + outcome.output
    return outcome.code != 0 and (error in printed or re.search(error, printed) is not None)


def check_after(case: Case, executor) -> None:
    """The program computes what it did without workers, however they are started."""
    methods = METHODS if isinstance(executor, Cold) else WARM_METHODS
    alone = run_of(case, case.before, 0, "spawn")
    if case.declared.get("error_without_workers"):
        alone = run_of(case, case.after, 0, "spawn")
    runs = [alone, run_of(case, case.after, 2, "spawn")]
    if not case.is_notebook:  # whose kernel takes seconds to start
        runs += [run_of(case, case.after, 2, method) for method in methods[1:]]
        runs.insert(1, run_of(case, case.after, 0, "spawn"))
    expected, *outcomes = executor.run(runs)
    assert expected.result is not None, str(expected)
    for run, outcome in zip(runs[1:], outcomes, strict=True):
        assert outcome.result == expected.result, f"{run.workers} {run.method}: {outcome}"
