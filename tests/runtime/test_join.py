"""Joining what was seen with what reading finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.runtime.explain import explain
from dlfix.runtime.join import code_of, join
from dlfix.runtime.probe import Culprit, Line
from dlfix.source.text import Position, Span

TRAIN = Path("/proj/train.py")


class Eager(Rule):
    """A rule to find with."""

    code = "DLF201"
    name = "eager-resource"

    def check(self, analysis):
        """Find nothing."""
        return iter(())


def finding(row: int, label: str, path: Path = TRAIN, error: str = "") -> Finding:
    place = Place(path, Span(Position(row, 4), Position(row, 20)))
    return Finding(Eager, f"`{label}` is opened in `__init__`", place, (Step(place, label),), error)


def culprit(
    row: int | None = None,
    message: str = "cannot pickle 'sqlite3.Connection' object",
    stage: str = "pickle",
    when: str = "",
    error: str = "TypeError",
    attribute: str = "db",
) -> Culprit:
    line = Line(TRAIN, row) if row else None
    return Culprit(
        "loader.dataset.db", "sqlite3.Connection", error, message, line, stage, when, attribute
    )


def test_without_findings_a_culprit_keeps_its_own_line_and_code():
    (joined,) = join([culprit(7)])
    assert (joined.code, joined.line, joined.finding) == ("DLF201", Line(TRAIN, 7), None)


def test_the_finding_at_the_culprit_s_line_is_joined():
    findings = [finding(3, "self.cache"), finding(7, "self.db")]
    (joined,) = join([culprit(7)], findings)
    assert joined.finding is findings[1]


def test_a_culprit_without_a_line_gets_that_of_the_finding_of_its_attribute():
    findings = [finding(3, "self.cache"), finding(7, "self.db")]
    (joined,) = join([culprit()], findings)
    assert joined.line == Line(TRAIN, 7)


def test_a_finding_of_another_attribute_or_file_is_not_joined():
    findings = [finding(3, "self.dbs"), finding(7, "self.cache", Path("/proj/other.py"))]
    (joined,) = join([culprit(7)], findings)
    assert joined.finding is None


def test_what_a_worker_raised_is_joined_by_its_rule():
    findings = [finding(3, "self.db")]
    at_fetch = culprit(9, stage="fetch", attribute="")
    at_start = culprit(9, attribute="")
    assert [j.finding for j in join([at_fetch, at_start], findings)] == [findings[0], None]


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (culprit(), "DLF201"),
        (culprit(when="next epoch"), "DLF203"),
        (culprit(message="cannot pickle '_thread.lock' object"), "DLF204"),
        (culprit(message="'scale'", error="KeyError", stage="fetch"), "DLF303"),
        (culprit(message="no such file", error="OSError", stage="load"), ""),
    ],
)
def test_a_culprit_s_code_comes_from_its_error_and_stage(seen, code):
    assert code_of(seen) == code


def test_an_explanation_names_the_line_of_the_finding_that_fits():
    text = (
        'Traceback (most recent call last):\n  File "/proj/train.py", line 70, in main\n'
        "    for batch in loader:\nTypeError: cannot pickle 'sqlite3.Connection' object\n"
    )
    error = "cannot pickle 'sqlite3.Connection' object"
    findings = [finding(3, "self.h5"), finding(9, "self.db", error=error)]
    found = explain(text, findings)
    assert (found.line, found.line_is) == ("/proj/train.py:9", "culprit")
    assert found.found == findings[1].message


def rule(code: str) -> type[Rule]:
    return type("Found", (Eager,), {"code": code})


def found(code: str, row: int, message: str = "x", error: str = "") -> Finding:
    place = Place(TRAIN, Span(Position(row, 4), Position(row, 20)))
    return Finding(rule(code), message, place, (Step(place, "x"),), error)


SENT = """Traceback (most recent call last):
  File "train.py", line 70, in <module>
    for batch in loader:
"""


def test_a_local_name_is_joined_whatever_words_a_python_has_for_it():
    error = "AttributeError: Can't pickle local object 'timed.<locals>.deco'"
    ours = found("DLF105", 7, error=error)
    for words in ("Can't get local object 'timed.<locals>.deco'", error.partition(": ")[2]):
        told = explain(f"{SENT}AttributeError: {words}\n", [found("DLF105", 5), ours])
        assert told.line == f"{TRAIN}:7"
        assert told.code == "DLF105"


@pytest.mark.parametrize(
    ("others", "line"),
    [
        ([], f"{TRAIN}:9"),
        ([("DLF503", 4)], f"{TRAIN}:9"),
        ([("DLF201", 4)], "train.py:70"),
    ],
    ids=["alone", "with one of another kind", "with one of its kind"],
)
def test_the_only_finding_about_pickling_in_the_files_of_the_traceback_is_it(others, line):
    findings = [found("DLF206", 9), *(found(code, row) for code, row in others)]
    told = explain(
        f"{SENT}_pickle.PicklingError: Can't pickle <class 'x.C'>: it's not the same object as x.C\n",
        findings,
    )
    assert told.line == line


def test_what_a_worker_reads_of_what_only_the_parent_has_is_joined(tmp_path):
    file = tmp_path / "rows.py"
    file.write_text(
        "class Rows:\n    def __getitem__(self, i):\n        return self._db.execute(i)\n"
    )
    text = f"""\
AttributeError: Caught AttributeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "{file}", line 3, in __getitem__
    return self._db.execute(i)
AttributeError: 'NoneType' object has no attribute 'execute'
"""
    ours = found(
        "DLF201",
        20,
        "`connect(...)` in `Rows._db` is stored on the class only by the parent and is missing in spawned workers",
    )
    other = found("DLF201", 4, "`connect(...)` in `Rows._other` is kept")
    assert explain(text, [other, ours]).line == f"{TRAIN}:20"
    assert explain(text, [other]).line == f"{file}:3"


def test_generators_that_draw_alike_belong_to_their_rule():
    seen = culprit(
        7,
        "all workers draw the same random numbers from their copies of the generator",
        "alike",
        error="",
        attribute="rng",
    )
    (joined,) = join([seen], [finding(3, "self.cache")])
    assert (joined.code, joined.finding) == ("DLF503", None)


def through(row: int, *above: int, label: str = "sqlite3.connect(...)") -> Finding:
    """A finding whose path comes through the rows `above`."""
    own = finding(row, "self.db")
    steps = tuple(
        Step(Place(TRAIN, Span(Position(r, 8), Position(r, 15))), label) for r in (*above, row)
    )
    return Finding(Eager, own.message, own.place, steps)


def test_the_line_that_made_it_is_told_where_another_line_keeps_it():
    (joined,) = join([culprit(7)], [through(30, 7)])
    assert joined.line == Line(TRAIN, 30)


def test_of_two_that_are_named_alike_the_one_whose_path_comes_through_the_line_is_joined():
    findings = [through(30, 5), through(40, 7)]
    (joined,) = join([culprit(7)], findings)
    assert joined.finding is findings[1]


def test_a_line_that_is_not_on_the_path_stays():
    (joined,) = join([culprit(7)], [through(30, 5)])
    assert joined.line == Line(TRAIN, 7)


@pytest.mark.parametrize(
    ("text", "matches"), [("return self._db.execute()", True), ("return self._dbs[0]", False)]
)
def test_what_a_worker_misses_is_joined_by_the_attribute_that_its_line_reads(
    tmp_path, text, matches
):
    file = tmp_path / "rows.py"
    file.write_text(f"class Rows:\n    def get(self):\n        {text}\n")
    seen = Culprit("", "", "AttributeError", "no", Line(file, 3), "fetch", "")
    place = finding(9, "x").place
    found = Finding(Eager, "`connect(...)` in `Rows._db` is kept by the parent only", place, ())
    (joined,) = join([seen], [found])
    assert (joined.finding is found) == matches


def test_only_the_program_that_was_probed_is_read(tmp_path):
    from dlfix.runtime import commands
    from dlfix.runtime.probe import Boundary, Probed

    loader = (
        "from torch.utils.data import DataLoader\n\n\ndef make(rows):\n"
        "    return DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])\n"
    )
    for name in ("train.py", "other/train.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(loader)
    target = tmp_path / "train.py"
    culprit = Culprit("loader.collate_fn", "function", "", "", Line(target, 5), "pickle", "")
    probed = Probed(
        str(target), "python", [Boundary("DataLoader", None, 2, "spawn", [], [culprit])]
    )
    found = commands._findings_for(str(target), probed)
    assert [one.place.path for one in found] == [target]
