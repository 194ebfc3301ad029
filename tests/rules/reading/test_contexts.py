"""Objects of multiprocessing, and the context of the workers that get them (DLF204)."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """import multiprocessing as mp


def work(lock):
    with lock:
        print(1)


if __name__ == "__main__":
    context = mp.get_context({method!r})
    {before}
    lock = {made}
    process = {maker}.Process(target=work, args=(lock,))
    process.start()
    process.join()
"""


def fixed(
    made: str, method: str = "spawn", maker: str = "context", before: str = "print()"
) -> tuple[str, str]:
    program = PROGRAM.format(made=made, method=method, maker=maker, before=before)
    return program, dlfix.fix_text(program, isolated=True).text


@pytest.mark.parametrize("name", ["Lock", "RLock", "Semaphore", "Condition", "Event", "Queue"])
def test_one_of_the_default_context_is_made_by_that_of_the_processes(name: str):
    before, after = fixed(f"mp.{name}()")
    assert after == before.replace(f"mp.{name}()", f"context.{name}()")


@pytest.mark.parametrize(
    "options",
    [
        {"made": "context.Lock()"},
        {"made": "mp.get_context('spawn').Lock()"},
        {"made": "mp.Value('i', 0, lock=False)"},
        {"made": "mp.Lock()", "method": "fork"},
        {"made": "mp.Lock()", "method": None},
        {"made": "mp.Lock()", "maker": "mp"},
        {"made": "mp.Lock()", "before": "mp.set_start_method('spawn')"},
    ],
    ids=str,
)
def test_others_stay(options: dict[str, str]):
    before, after = fixed(**options)
    assert after == before


def test_processes_that_torch_spawns_have_a_context_by_default():
    program = (
        PROGRAM[: PROGRAM.index("    context =")].format()
        + "    mp.spawn(work, args=(mp.Event(),))\n"
    )
    program = program.replace("import multiprocessing", "import torch.multiprocessing")
    fixed = dlfix.fix_text(program, isolated=True)
    assert fixed.text == program.replace("mp.Event()", 'mp.get_context("spawn").Event()')


@pytest.mark.parametrize("made", ["threading.Lock()", "queue.Queue()", "asyncio.Lock()"])
def test_an_object_of_another_library_has_no_context(made: str):
    library = made.partition(".")[0]
    program, after = fixed(made, before=f"import {library}")
    assert after.count("context") == program.count("context")


TASK = """import multiprocessing as mp


class Cleaner:
    def __init__(self, reports):
        self.reports = reports

    def clean(self, path):
        self.reports.put(path)


def keep(reports):
    global REPORTS
    REPORTS = reports


if __name__ == "__main__":
    context = mp.get_context("spawn")
    reports = {made}
    with context.Pool(2{given}) as pool:
        pool.map({task}, ["a", "b"])
"""


@pytest.mark.parametrize("made", ["context.Queue()", "mp.Queue()"])
def test_a_queue_in_a_task_is_found(made: str, tmp_path: Path):
    program = TASK.format(made=made, given="", task="Cleaner(reports).clean")
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    (found,) = dlfix.check([tmp_path], isolated=True)
    assert found.code == "DLF204"
    assert found.fix is None


def test_a_queue_that_starts_the_workers_is_not(tmp_path: Path):
    given = ", initializer=keep, initargs=(reports,)"
    program = TASK.format(made="context.Queue()", given=given, task="print")
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    assert dlfix.check([tmp_path], isolated=True) == []
