"""The example of a rule's page fails as the page says, and its fix is what `apply` makes of it."""

from __future__ import annotations

import re
import sys

import pytest

import dlfix
from dlfix.rules import pages
from dlfix.rules.registry import all_rules
from tests.golden.programs import Run

GUARD = 'if __name__ == "__main__":\n'
SPAWN = f"{GUARD}    import multiprocessing\n\n    multiprocessing.set_start_method('spawn', force=True)\n"
UNGUARDED = SPAWN.replace(GUARD, "").replace("    ", "")


def section(rule, heading: str) -> str:
    page = pages.markdown(rule)
    return page.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def blocks(rule, heading: str) -> list[str]:
    return re.findall(r"^```\w+\n(.*?)^```", section(rule, heading), re.MULTILINE | re.DOTALL)


NOTEBOOK = "DLF106"  # golden/notebook_modules runs its example
PROGRAMS = [rule for rule in all_rules() if rule.code.startswith("DLF") and rule.code != NOTEBOOK]
# From 3.13 on a shelf cannot be pickled at all.
FOUND_AS = {"DLF202": "DLF201"} if sys.version_info >= (3, 13) else {}
each_program = pytest.mark.parametrize("rule", PROGRAMS, ids=[rule.code for rule in PROGRAMS])


def fixed(rule, program: str) -> dlfix.Fixed:
    text = section(rule, "Fix safety").lstrip()
    unsafe = text.startswith(("Unsafe", "The fix is unsafe"))
    # DLF900 is about all others.
    select = None if rule.code == "DLF900" else [FOUND_AS.get(rule.code, rule.code)]
    return dlfix.fix_text(program, "main.py", select=select, unsafe=unsafe, isolated=True)


@each_program
def test_the_fix_of_the_page_is_what_apply_writes(rule):
    (before,), (after,) = blocks(rule, "Example"), blocks(rule, "Use instead")
    made = fixed(rule, before)
    if section(rule, "Fix safety").lstrip().startswith("There is no fix"):
        assert [one.code for one in made.left] == [rule.code]
        assert fixed(rule, after).left == ()
        return
    assert made.text == after
    assert made.left == ()


def ready(folder, program: str) -> Run:
    """Return the run of a program with the start method spawn."""
    folder.mkdir()
    spawning = program.replace(GUARD, SPAWN) if GUARD in program else UNGUARDED + program
    (folder / "main.py").write_text(spawning, encoding="utf-8")
    return Run(folder, "main.py", 0, "spawn")


@each_program
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the errors are those of Python 3.11")
def test_the_example_fails_with_the_error_of_the_page_and_its_fix_works(rule, warm, tmp_path):
    if warm is None:
        pytest.skip("torch is not installed, or --no-execute")
    if rule.severity == "likely":
        pytest.skip("its example calls a library that is out of view")
    (before,), (after,) = blocks(rule, "Example"), blocks(rule, "Use instead")
    failed, worked = warm.run(
        [ready(tmp_path / "before", before), ready(tmp_path / "after", after)]
    )
    assert worked.code == 0, str(worked)
    told = "".join(blocks(rule, "The error you see"))
    if section(rule, "The error you see").lstrip().startswith("None"):
        assert failed.code == 0, str(failed)
        assert told in failed.output
        assert not told or told not in worked.output
        return
    errors = [error for error in told.splitlines() if error.strip(" .")]
    patterns = [re.escape(error).replace(r"\.\.\.", ".*") for error in errors]
    assert failed.code == 1
    assert any(re.search(each, failed.errors) for each in patterns), str(failed)
