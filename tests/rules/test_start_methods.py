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


STATE = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
STATE = {{}}
def set_state(state):
    global STATE
    STATE = state
def work(i): return STATE["k"] + i
def main(method):
    {body}
if __name__ == "__main__":
    main("fork")
"""
SET_BEFORE = """set_state({{"k": 1}})
    with ProcessPoolExecutor({options}) as pool: print(list(pool.map(work, [1])))"""
CHOSEN = """forks = method == "fork"
    global STATE
    if {test}: STATE = {{"k": 1}}
    else: STATE = {other}
    ProcessPoolExecutor().submit(work, 1)"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (SET_BEFORE.format(options="2"), ["DLF303"]),
        (SET_BEFORE.format(options="mp_context=mp.get_context('spawn')"), ["DLF303"]),
        (SET_BEFORE.format(options="mp_context=mp.get_context('fork')"), []),
        (SET_BEFORE.format(options="2, mp.get_context(method='fork')"), []),
        (CHOSEN.format(test="forks", other="{}"), []),
        (CHOSEN.format(test="mp.get_start_method() == 'fork'", other="{}"), []),
        (CHOSEN.format(test="forks and method", other="{}"), []),
        (CHOSEN.format(test="not forks", other="{}"), ["DLF303"]),
        (CHOSEN.format(test="method == 'spawn'", other="{}"), ["DLF303"]),
        (CHOSEN.format(test="forks", other='{"k": 2}'), ["DLF303"]),
    ],
)
def test_what_only_forked_workers_read_is_there(
    tmp_path: Path, body: str, found: list[str]
) -> None:
    assert _codes(tmp_path, main=STATE.format(body=body)) == found


PASSED = """
import torch.multiprocessing as mp
import wandb
from torch.utils.data import DataLoader
def work(rank, run): run.log({{"rank": rank}})
class Rows:
    def __init__(self, run): self.run = run
if __name__ == "__main__":
    run = wandb.init(project="rows")
    {start}
"""


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("mp.Process(target=work, args=(0, run)).start()", ["DLF205"]),
        ("mp.spawn(work, args=(run,), nprocs=2)", []),
        ("mp.get_context('spawn').Process(target=work, args=(0, run)).start()", []),
        ("mp.start_processes(work, args=(run,), nprocs=2, start_method='fork')", ["DLF205"]),
        ("DataLoader(Rows(run), num_workers=2)", ["DLF205"]),
        ("DataLoader(Rows(run), num_workers=2, multiprocessing_context='spawn')", []),
    ],
)
def test_what_must_not_be_shared_after_a_fork_may_be_sent_to_what_never_forks(
    tmp_path: Path, start: str, found: list[str]
) -> None:
    assert _codes(tmp_path, main=PASSED.format(start=start)) == found


def _codes(folder: Path, **files: str) -> list[str]:
    paths = [folder / f"{name}.py" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    findings = inspect(analyze(Project(paths), load()), all_rules())
    return [each.finding.code for each in findings]
