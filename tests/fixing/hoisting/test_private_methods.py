"""Class-private methods that are sent: what they are called then, and where they keep their name."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import multiprocessing
from multiprocessing import Process
{above}
class Job{bases}:
    {decorator}
    def __run(*given):
        return given
    def start(self):
        {use}
        Process(target=self.__run).start()
{below}
if __name__ == "__main__":
    Job().start()
"""
PLAIN = {
    "above": "", "bases": "", "decorator": "# it runs elsewhere", "use": "self.__run()", "below": "",
}  # fmt: skip
RENAMED = {
    "a method": ({}, "_run"),
    "a static method": ({"decorator": "@staticmethod"}, "_run"),
    "a class method": ({"decorator": "@classmethod"}, "_run"),
    "one that a subclass would override": (
        {"below": "class Other(Job):\n    def _run(self): ..."},
        "_job_run",
    ),
    "one that a base has": (
        {"above": "class Base:\n    def _run(self): ...", "bases": "(Base)"},
        "_job_run",
    ),
    "a base out of view": ({"above": "import lib", "bases": "(lib.Base)"}, "_job_run"),
    "a class within, whose name is another": (
        {"use": "class Inner:\n            def __run(self): self.__run()"},
        "_run",
    ),
}
REFUSED = {
    "the name under which the class keeps it": ({"below": "run = Job._Job__run"}, "`_Job__run`"),
    "a text": ({"use": "getattr(self, '_Job' + '__run')"}, "a text has its name"),
    "an assignment": ({"use": "other = Job()\n        other.__run = print"}, "is no plain read"),
    "an expression": ({"use": "type(self)().__run()"}, "is no plain read"),
    "another class of that name": (
        {"above": "class _Job:\n    def __run(self): ...", "bases": "(_Job)"},
        "another class of its line",
    ),
    "a second of the class": ({"use": "...\n    def __run(self): ...\n    def go(self):"}, ""),
    "its name": ({"use": "print(self.__run.__name__)"}, "`__name__` of the method is read"),
}


def only(folder: Path, parts: dict[str, str]) -> dlfix.Problem:
    (folder / "main.py").write_text(PROGRAM.format(**{**PLAIN, **parts}), encoding="utf-8")
    (one,) = [each for each in dlfix.check([folder], isolated=True) if each.code == "DLF105"]
    return one


@pytest.mark.parametrize(("parts", "name"), RENAMED.values(), ids=RENAMED)
def test_it_is_renamed(parts: dict[str, str], name: str, tmp_path: Path) -> None:
    one = only(tmp_path, parts)
    assert one.fix is not None
    assert one.fix.message == f"Rename the method `__run` of `Job` to `{name}`"


@pytest.mark.parametrize(("parts", "why"), REFUSED.values(), ids=REFUSED)
def test_it_keeps_its_name(parts: dict[str, str], why: str, tmp_path: Path) -> None:
    one = only(tmp_path, parts)
    assert one.fix is None
    assert why in str(one.refused)
