"""Jobs and handlers of a process that derives from `Process`: what only the child adds is not sent."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import threading
from multiprocessing import Process

class Base(Process):
    def __init__(self):
        Process.__init__(self)
        self.handlers = {"stop": (True, self.do_stop)}
        self.jobs = {"default": []}
        self.threads = {}

    def run(self):
        while True:
            self.handle("stop")

    def handle(self, name):
        self.handlers[name][1]()

    def do_stop(self):
        self.threads["stop"] = threading.Thread(target=print)

    def add_job(self, job, which="default"):
        self.jobs[which].append(job)

class Import(Base):
    def __init__(self):
        Base.__init__(self)
        self.handlers.update({"import": (True, self.do_import)})

    def do_import(self):
        def later():
            self.idle = False
        self.add_job(later)

class Keys(Base):
    pass

if __name__ == "__main__":
    importer = Import()
    START
    importer.start()
    Keys().start()
"""


def found(tmp_path: Path, start: str) -> list[str]:
    (tmp_path / "main.py").write_text(PROGRAM.replace("START", start))
    return [one.code for one in dlfix.check([tmp_path], isolated=True)]


def test_what_the_child_adds_as_it_runs_is_not_sent(tmp_path):
    assert found(tmp_path, "pass") == []


@pytest.mark.parametrize(
    ("start", "code"),
    [
        ("importer.add_job(lambda: 1)", "DLF101"),
        ("importer.do_import()", "DLF102"),
        ("importer.handle('import')", "DLF102"),
        ("importer.handle('stop')", "DLF204"),
    ],
)
def test_what_the_parent_adds_before_it_starts_the_process_is(tmp_path, start, code):
    assert code in found(tmp_path, start)
