"""A class that gives a method the name `__getstate__`: that method leaves the handle out."""

import dlfix

PROGRAM = """
import sqlite3
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.cache = {{}}
        self.db = sqlite3.connect(path)

    def _without_cache(self):
        return dict(self.__dict__, cache={{}})

    __getstate__ = _without_cache
{more}
    def __getitem__(self, index):
        return self.db.execute("SELECT x FROM rows WHERE id = ?", (index,)).fetchone()

{below}
def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""


def fixed(more: str = "", below: str = "") -> str:
    source = PROGRAM.format(more=more, below=below)
    result = dlfix.fix_text(source, isolated=True)
    return result.text if result.changed else ""


def test_the_method_leaves_the_handle_out():
    assert """
    def _without_cache(self):
        state = dict(self.__dict__, cache={})
        state.pop("db", None)  # each process opens its own
        return state

    __getstate__ = _without_cache
""" in fixed()


def test_a_method_that_other_code_calls_goes_on_giving_all():
    more = "\n    def settings(self):\n        return self._without_cache()\n"
    assert fixed(more) == ""


def test_a_method_that_a_subclass_overrides_is_not_edited():
    below = """
class Named(Rows):
    def _without_cache(self):
        return {}

"""
    assert fixed(below=below) == ""
