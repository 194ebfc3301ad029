"""Which programs a start method is chosen for: the one that sets it, and on Linux too."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from dlfix.catalog import load
from dlfix.fixing.engine import inspect
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

SCRIPT = """
import multiprocessing as mp
import os
import platform
import sys
from torch.utils.data import DataLoader
{chosen}
for batch in DataLoader([1], num_workers=2):
    print(batch)
"""
SETTING = "import multiprocessing as mp, sys\n"
FORK = "mp.set_start_method('fork')"
GUARDED = f"{SETTING}if __name__ == '__main__':\n    {FORK}\n"


@pytest.mark.parametrize(
    ("chosen", "other"),
    [
        ("", GUARDED),
        ("", SETTING + FORK),
        (f"if sys.platform == 'darwin': {FORK}", ""),
        (f"if platform.system() == 'Darwin': {FORK}", ""),
        (f"if os.name == 'nt': print()\nelif sys.platform.startswith('darwin'): {FORK}", ""),
        ("import other", GUARDED),
        ("import other", f"{SETTING}if sys.platform == 'darwin':\n    {FORK}\n"),
        ("mp.set_start_method('spawn')", ""),
    ],
)
def test_a_script_that_another_or_another_platform_lets_fork_wants_a_guard(
    tmp_path: Path, chosen: str, other: str
) -> None:
    assert _codes(tmp_path, main=SCRIPT.format(chosen=chosen), other=other) == ["DLF301"]


@pytest.mark.parametrize(
    ("chosen", "other"),
    [
        (FORK, ""),
        (f"if os.name != 'nt': {FORK}", ""),
        (f"if mp.get_start_method(allow_none=True) is None: {FORK}", ""),
        (f"try: {FORK}\nexcept RuntimeError: pass", ""),
        ("import other", SETTING + FORK),
        ("import other\nother.set_up()", f"{SETTING}def set_up(): {FORK}"),
    ],
)
def test_a_script_that_forks_wants_none(tmp_path: Path, chosen: str, other: str) -> None:
    assert _codes(tmp_path, main=SCRIPT.format(chosen=chosen), other=other) == []


@pytest.mark.parametrize("how", ["import script", "importlib.import_module(sys.argv[1])"])
def test_a_script_that_a_program_imports_once_it_has_chosen_fork_wants_none(
    tmp_path: Path, how: str
) -> None:
    script = SCRIPT.format(chosen="")
    assert _codes(tmp_path, main=f"{GUARDED}    import importlib\n    {how}\n", script=script) == []


def test_a_handle_is_shared_where_only_another_script_spawns(tmp_path: Path) -> None:
    script = dedent("""
        import sqlite3
        from multiprocessing import Process
        db = sqlite3.connect("rows.db")
        def work():
            print(db.execute("select 1"))
        if __name__ == "__main__":
            Process(target=work).start()
    """)
    spawning = GUARDED.replace("fork", "spawn")
    assert _codes(tmp_path, main=script, other=spawning) == ["DLF211"]
    own = script.replace("    Process(", "    import other\n    Process(")
    assert _codes(tmp_path, main=own, other=SETTING + FORK.replace("fork", "spawn")) == []


def _codes(folder: Path, **files: str) -> list[str]:
    paths = [folder / f"{name}.py" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    findings = inspect(analyze(Project(paths), load()), all_rules())
    return [each.finding.code for each in findings]
