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


def section(rule, heading: str) -> str:
    page = pages.markdown(rule)
    return page.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def blocks(rule, heading: str) -> list[str]:
    return re.findall(r"^```\w+\n(.*?)^```", section(rule, heading), re.MULTILINE | re.DOTALL)


def is_program(rule) -> bool:
    """Tell whether the example is a whole program, which starts with its imports."""
    found = blocks(rule, "Example")
    return len(found) == 1 and found[0].startswith(("import ", "from ")) and "__main__" in found[0]


PROGRAMS = [rule for rule in all_rules() if is_program(rule)]
each_program = pytest.mark.parametrize("rule", PROGRAMS, ids=[rule.code for rule in PROGRAMS])


def test_some_pages_show_whole_programs():
    assert {"DLF101", "DLF102", "DLF103", "DLF105", "DLF201", "DLF204"} <= {
        r.code for r in PROGRAMS
    }


@each_program
def test_the_fix_of_the_page_is_what_apply_writes(rule):
    (before,), (after,) = blocks(rule, "Example"), blocks(rule, "Use instead")
    unsafe = section(rule, "Fix safety").lstrip().startswith("Unsafe")
    fixed = dlfix.fix_text(before, "main.py", select=[rule.code], unsafe=unsafe, isolated=True)
    assert fixed.text == after
    assert fixed.left == ()


def ready(folder, program: str) -> Run:
    """Return the run of a program with the start method spawn."""
    folder.mkdir()
    (folder / "main.py").write_text(program.replace(GUARD, SPAWN), encoding="utf-8")
    return Run(folder, "main.py", 0, "spawn")


@each_program
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the errors are those of Python 3.11")
def test_the_example_fails_with_the_error_of_the_page_and_its_fix_works(rule, warm, tmp_path):
    if warm is None:
        pytest.skip("torch is not installed, or --no-execute")
    (before,), (after,) = blocks(rule, "Example"), blocks(rule, "Use instead")
    failed, worked = warm.run(
        [ready(tmp_path / "before", before), ready(tmp_path / "after", after)]
    )
    errors = "".join(blocks(rule, "The error you see")).splitlines()
    patterns = [re.escape(error).replace(r"\.\.\.", ".*") for error in errors if error.strip()]
    assert failed.code == 1
    assert any(re.search(each, failed.errors) for each in patterns), str(failed)
    assert worked.code == 0, str(worked)
