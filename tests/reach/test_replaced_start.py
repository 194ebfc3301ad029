"""Processes whose object replaces its own `start`, and what they get where it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ACTOR = """
import multiprocessing
def nothing(): pass
class Options:
    def __init__(self):
        self.task = None
        self.parallel = True
    def merge(self, more): self.more = more
class Actor(multiprocessing.Process):
    def __init__(self, options):
        multiprocessing.Process.__init__(self)
        self.options = options
        {}
    def run(self): pass
    def step(self): return 1
    def begin(self): self.start()
class Player(Actor):
    def __init__(self, options):
        Actor.__init__(self, options)
        self.options = options
        self.start()
class Agent:
    def __init__(self, options): self.player = Player(options)
"""
REPLACED = """if not options.parallel:
            self.start = lambda: None
            self.close = lambda: None"""
MAIN = """
def main():
    Player(Options())
if __name__ == "__main__": main()
"""

BRANCHES = [
    pytest.param(REPLACED, id="a lambda that does nothing"),
    pytest.param(
        REPLACED.replace("lambda: None", "self.step", 1), id="another method of the object"
    ),
    pytest.param(REPLACED.replace("lambda: None", "nothing", 1), id="a function of the module"),
    pytest.param(
        "if not options.parallel:\n            self.close = lambda: None\n"
        "            if options.parallel is False: self.log = lambda: None\n"
        "            self.start = lambda: None",
        id="above it, and further in",
    ),
]
STARTING = [
    pytest.param(
        """if not options.parallel:
            self.close = lambda: None # !DLF101""",
        id="nothing is replaced",
    ),
    pytest.param(
        """if not options.parallel:
            self.start = nothing
        self.close = lambda: None # !DLF101""",
        id="below the branch",
    ),
    pytest.param(
        """if not options.parallel:
            self.start = self.begin
            self.close = lambda: None # !DLF101""",
        id="a method that calls the start of a copy",
    ),
    pytest.param(
        """if not options.parallel:
            begin = self.start
            self.start = lambda: begin() # !DLF101
            self.close = lambda: None # !DLF101""",
        id="the start under another name",
    ),
    pytest.param(
        """if not options.parallel:
            self.start = options.task
            self.close = lambda: None # !DLF101""",
        id="a start that is not known",
    ),
]


@pytest.mark.parametrize("branch", [*BRANCHES, *STARTING])
def test_what_is_set_where_start_is_replaced_is_not_sent(branch: str, tmp_path: Path) -> None:
    check(tmp_path, ACTOR.format(branch) + MAIN)


TOLD = {
    "set before it is passed": ("options.parallel = False", ""),
    "set to another value before": (
        "options.parallel = True\n    options.merge({})\n    options.parallel = False",
        "",
    ),
    "set so that it starts": ("options.parallel = True", "DLF101"),
    "not set": ("pass", "DLF101"),
    "set in a branch": ("if len(name) > 2: options.parallel = False", "DLF101"),
    "set to what is not known": ("options.parallel = name", "DLF101"),
    "set again": (
        "options.parallel = False\n    if len(name) > 2: options.parallel = True",
        "DLF101",
    ),
    "set once it has been passed": ("Agent(options)\n    options.parallel = False", "DLF101"),
    "set by another name, too": (
        "other = options\n    options.parallel = False\n    other.parallel = True",
        "DLF101",
    ),
    "set on another object": ("Options().parallel = False", "DLF101"),
}


@pytest.mark.parametrize(("lines", "code"), TOLD.values(), ids=TOLD)
def test_options_that_start_no_process_are_not_sent(lines: str, code: str, tmp_path: Path) -> None:
    mark = f" # !{code}" if code else ""
    main = (
        f"\ndef main(name):\n    options = Options()\n    options.task = lambda: 1{mark}\n"
        f'    {lines}\n    Agent(options)\nif __name__ == "__main__": main("x")\n'
    )
    check(tmp_path, ACTOR.format(REPLACED) + main)


PROGRAMS = [
    program(
        "options of one caller start no process, those of another do",
        ACTOR.format(REPLACED)
        + """
def one():
    options = Options()
    options.task = lambda: 1
    options.parallel = False
    Agent(options)
def other():
    options = Options()
    options.task = lambda: 1 # !DLF101
    options.parallel = True
    Agent(options)
if __name__ == "__main__":
    one()
    other()
""",
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_each_object_is_asked_by_itself(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
