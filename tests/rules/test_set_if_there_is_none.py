"""A value that workers set by themselves if there is none is not the one that the parent was passed (DLF303)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

STATE = """\
import sys
from torch.utils.data import DataLoader, Dataset
_state = None
def state():
    global _state
    if _state is None:
        _state = {"rate": 1}
    return _state
def configure(rate):
    global _state
    _state = {"rate": rate}
def renew():
    global _state
    _state = {"rate": 1}
def reset():
    global _state
    _state = None
class Rows(Dataset):
    def __getitem__(self, i): return i * state()["rate"]
"""
OWN = """\
class Own(Rows):
    def __getitem__(self, i):
        configure(2)
        return super().__getitem__(i)
"""
CONFIG = """\
import sys
from torch.utils.data import DataLoader, Dataset
class Config:
    one = None
    def __init__(self, rate=1): self.rate = rate
    @classmethod
    def init(cls, rate):
        cls.one = cls(rate){mark}
    @classmethod
    def get(cls):
        if not cls.one: cls.one = cls()
        return cls.one
class Rows(Dataset):
    def __getitem__(self, i): return i * Config.get().rate
"""
LOADED = "    DataLoader({}(), num_workers=2)\nif __name__ == '__main__': main()\n"


@pytest.mark.parametrize(
    "text",
    [
        program(
            "the parent passes a value to the module's function",
            STATE + "def main():\n    configure(int(sys.argv[1]))  # !DLF303\n" + LOADED.format("Rows"),
        ),
        program(
            "the parent passes one to a class method",
            CONFIG.format(mark="  # !DLF303") + "def main():\n    Config.init(int(sys.argv[1]))\n" + LOADED.format("Rows"),
        ),
        program(
            "the parent asks for the value, as workers do",
            STATE + "def main():\n    print(state())\n" + LOADED.format("Rows"),
        ),
        program(
            "the parent asks the class for it",
            CONFIG.format(mark="") + "def main():\n    print(Config.get())\n" + LOADED.format("Rows"),
        ),
        program(
            "the parent sets what a worker sets, or none",
            STATE + "def main():\n    renew()\n    reset()\n" + LOADED.format("Rows"),
        ),
        program(
            "a worker is passed a value itself",
            STATE + OWN + "def main():\n    configure(int(sys.argv[1]))\n" + LOADED.format("Own"),
        ),
    ],
)  # fmt: skip
def test_what_the_parent_is_passed(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
