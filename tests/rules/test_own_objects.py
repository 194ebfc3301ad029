"""What only the parent sets on an object that a function gives, of which each process has its own (DLF303)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

GIVERS = """\
--- config.py
import functools
class Config:
    one = None
    def __init__(self): self.rate = self.size = 1
    def double(self): self.size = 2 * self.size
    def fit(self, rate): self.rate = rate
    def reset(self): self.rate = 1
    def scaled(self, i): return i * self.rate
    @classmethod
    def get(cls):
        if cls.one is None: cls.one = cls()
        return cls.one
    @classmethod
    def new(cls): return cls()
class Single:
    one = None
    def __new__(cls):
        if not cls.one:
            cls.one = super().__new__(cls)
            cls.one.rate = 1
        return cls.one
class Once(type):
    made = {}
    def __call__(cls, *args):
        if cls not in cls.made: cls.made[cls] = super().__call__(*args)
        return cls.made[cls]
class Meta(metaclass=Once):
    def __init__(self): self.rate = 1
@functools.cache
def cached(): return Config()
_table = {"rate": 1}
def table(): return _table
def fresh(): return {"rate": 1}
"""
MAIN = """\
--- main.py
import sys
from torch.utils.data import DataLoader, Dataset
import config
from config import Config, Meta, Single, cached, table
class Rows(Dataset):
    def __init__(self): self.config = Config.get()
    def __getitem__(self, i): {body}
def setup(rate):
    {setup}
def main():
    setup(3)
    DataLoader(Rows(), num_workers=2)
    Config.get().size = 5
if __name__ == '__main__': main()
"""


@pytest.mark.parametrize(
    ("body", "setup"),
    [
        ("return i * Config.get().rate", "Config.get().rate = rate  # !DLF303"),
        ("return i * config.Config.get().rate", "Config.get().rate = rate  # !DLF303"),
        ("return i * Single().rate", "Single().rate = rate  # !DLF303"),
        ("return i * Meta().rate", "Meta().rate = 3  # !DLF303"),
        ("return i * cached().rate", "cached().rate = rate  # !DLF303"),
        ("return i * table()['rate']", "table()['rate'] = rate  # !DLF303"),
        ("return i * table().get('rate', 1)", "mine = table(); mine['rate'] = rate  # !DLF303"),
        # by its methods
        ("return Config.get().scaled(i)", "Config.get().rate = rate  # !DLF303"),
        ("return Config.get().scaled(i)", "Config.get().fit(rate)  # !DLF303"),
        (
            "c = Config.get(); return [c.scaled(n) for n in (i,)]",
            "Config.get().fit(rate)  # !DLF303",
        ),
        ("return i * Config.get().rate", "mine = Config.get(); mine.fit(rate)  # !DLF303"),
        ("return Config.get().scaled(i)", "Config.get().double()"),
        ("return Config.get().scaled(i)", "Config.get().reset()"),
        ("return Config.get().scaled(i)", "Config.new().fit(rate)"),
        ("Config.get().fit(i); return Config.get().scaled(i)", "Config.get().fit(rate)"),
        # each call makes another, or it is the object that is sent
        ("return i * Config.new().rate", "Config.new().rate = rate"),
        ("return i * config.fresh()['rate']", "config.fresh()['rate'] = rate"),
        ("return i * self.config.rate", "Config.get().rate = rate"),
        # another part, a part that is only set later, or one that workers set, too
        ("return i * Config.get().size", "Config.get().rate = rate"),
        ("return i * table()['size']", "table()['rate'] = rate"),
        ("Config.get().rate = 3; return i * Config.get().rate", "Config.get().rate = rate"),
        ("Config.get().double(); return i * Config.get().size", "Config.get().size = rate"),
        # what it is from the start
        ("return i * Config.get().rate", "Config.get().rate = 1"),
        ("return i * table()['rate']", "table()['rate'] = 1"),
    ],
)
def test_what_the_parent_sets_on_its_own(body: str, setup: str, tmp_path: Path) -> None:
    check(tmp_path, GIVERS + MAIN.format(body=body, setup=setup))


VARIABLE = """\
import contextvars, sys
from torch.utils.data import DataLoader, Dataset
LEVEL = contextvars.ContextVar("level", default=0)
class Rows(Dataset):
    def __getitem__(self, i):
        {body}
        return i + LEVEL.get()
def main(level):
    {setup}
    DataLoader(Rows(), num_workers=2)
if __name__ == '__main__': main(int(sys.argv[1])){mark}
"""


@pytest.mark.parametrize(
    ("body", "setup", "mark"),
    [
        ("pass", "LEVEL.set(level)", "  # !DLF303"),
        ("pass", "token = LEVEL.set(level)", "  # !DLF303"),
        ("LEVEL.set(2)", "LEVEL.set(level)", ""),
        ("pass", "print(LEVEL.get())", ""),
    ],
)
def test_context_variables(body: str, setup: str, mark: str, tmp_path: Path) -> None:
    check(tmp_path, VARIABLE.format(body=body, setup=setup, mark=mark))
