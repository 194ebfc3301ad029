"""A function that a class of the program hands to its processes runs in them, and opens what it needs there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import sqlite3
from functools import partial
from multiprocessing import Process
from threading import Thread

class Index:
    def __init__(self, path):
        self.path = path
        self.file = None

    def open(self):
        self.file = sqlite3.connect(self.path)

    def find_row(self, name):
        if self.file is None:
            self.open()
        return self.file.execute(name)

def work(name, index):
    return index.find_row(name)

class Worker(Process):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def run(self):
        print(self.func("a"))

{several}

def main(path):
    index = Index(path)
{body}

if __name__ == "__main__":
    main("a.db")
"""
SEVERAL = """
class Several(Thread):
    def __init__(self, func, count):
        super().__init__()
        self.processes = [Worker({first}) for _ in range(count)]{more}

    def start(self):
        for process in self.processes:
            process.start()
        super().start()
"""
STARTED = "Several(partial(work, index=index), 2).start()"
HANDED = {
    "by a class": (SEVERAL.format(first="func", more=""), STARTED),
    "by a keyword": (
        SEVERAL.format(first="func", more=""),
        "Several(func=partial(work, index=index), count=2).start()",
    ),
    "by a function": (
        "def start(func):\n    process = Worker(func)\n    process.start()",
        "start(partial(work, index=index))",
    ),
    "at once": ("", "Worker(partial(work, index=index)).start()"),
}
RUN_TOO = {
    "by the class": (SEVERAL.format(first="func", more='\n        func("b")'), STARTED),
    "by the program": (SEVERAL.format(first="func", more=""), f'work("b", index)\n{STARTED}'),
    "by a method": (SEVERAL.format(first="func", more=""), f'index.find_row("b")\n{STARTED}'),
}


def codes(folder: Path, several: str, body: str) -> list[str]:
    path = folder / "main.py"
    path.write_text(PROGRAM.format(several=several, body=textwrap.indent(body, "    ")))
    return [finding.code for finding in dlfix.check([path], isolated=True)]


@pytest.mark.parametrize(("several", "body"), HANDED.values(), ids=HANDED)
def test_what_only_processes_run_opens_nothing_in_the_parent(
    tmp_path: Path, several: str, body: str
) -> None:
    assert codes(tmp_path, several, body) == []


@pytest.mark.parametrize(("several", "body"), RUN_TOO.values(), ids=RUN_TOO)
def test_what_the_parent_runs_too_opens_there(tmp_path: Path, several: str, body: str) -> None:
    assert codes(tmp_path, several, body) == ["DLF203"]
