"""Handles that other code closes before their object is sent: functions, owners of the object, what makes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

HEAD = """
import sys
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path): self.file = open(path)  # OPENED
    def close(self):
        self.file.close()
        self.file = None
    def __len__(self): return 2
    def __getitem__(self, i): return i
class Owner:
    def __init__(self, rows): self.rows = rows
    def done(self): self.rows.close()
    def maybe(self, really):
        if really: self.rows.close()
    def early(self, really):
        if really: return
        self.rows.close()
def finish(rows, wait=True):
    print(wait)
    rows.close()
def finish_all(*many):
    for rows in many: rows.close()
def finish_later(rows): return lambda: rows.close()
"""
LOADING = """
class Loading(Owner):
    def loader(self):
        self.done()
        return DataLoader(self.rows, num_workers=2)
"""
OPENING = """
class Opening(Owner):
    def loader(self): return DataLoader(self.rows, num_workers=2)
"""
MAKER = """
class Maker:
    def __init__(self, path):
        self.rows = Rows(path)
        self.rows.close()
    def loader(self): return DataLoader(self.rows, num_workers=2)
"""
SENDER = """
class Sender:
    def __init__(self, path):
        self.rows = Rows(path)
        self.first = self.loader()
        self.rows.close()
    def loader(self): return DataLoader(self.rows, num_workers=2)
"""
LOADED = """
def loader_of(rows, workers=2): return DataLoader(rows, num_workers=workers)
def loaders_of(rows): return [loader_of(rows)]
def looking_loader(rows):
    rows[0]
    return loader_of(rows)
"""
LAZY = (
    LOADED
    + """
class Lazy(Rows):
    def open(self):
        if self.file is None: self.file = open('a')  # AGAIN
        return self.file
    def __getitem__(self, i): return self.open().read()
"""
)
CLOSED = {
    "before a function makes the loader": LOADED
    + "rows = Rows('a'); rows.close(); loader_of(rows)",
    "before functions lead to the loader": LOADED
    + "rows = Rows('a'); finish(rows); loaders_of(rows)",
    "before and after": LAZY
    + "rows = Lazy('a'); rows[0]; rows.close(); [*loader_of(rows)]; rows.close()",
    "by a function": "rows = Rows('a'); finish(rows); DataLoader(rows, num_workers=2)",
    "by what else holds it": "rows = Rows('a'); Owner(rows).done(); DataLoader(rows, num_workers=2)",
    "by its owner, before the loader": LOADING + "Loading(Rows('a')).loader()",
    "where its owner makes it": MAKER + "Maker('a').loader()",
}
OPEN = {
    "sent before, too": LOADED
    + "rows = Rows('a'); [*loader_of(rows)]; rows.close(); [*loader_of(rows)]",
    "a function that may not": "rows = Rows('a'); Owner(rows).maybe(sys.argv); DataLoader(rows, num_workers=2)",
    "a function that may leave before": "rows = Rows('a'); Owner(rows).early(sys.argv); DataLoader(rows, num_workers=2)",
    "a function that makes another function": "rows = Rows('a'); finish_later(rows); DataLoader(rows, num_workers=2)",
    "under a test": "rows = Rows('a')\n    if sys.argv: finish(rows)\n    DataLoader(rows, num_workers=2)",
    "another object": "rows, other = Rows('a'), Rows('b'); finish(other); DataLoader(rows, num_workers=2)",
    "one of many": "many = [Rows(p) for p in sys.argv]; many[0].close(); DataLoader(many[1], num_workers=2)",
    "after the loader": "rows = Rows('a'); loader = DataLoader(rows, num_workers=2); print([*loader]); finish(rows)",
    "its owner does not": OPENING + "Opening(Rows('a')).loader()",
    "its owner sends it before": SENDER + "Sender('a')",
}
AGAIN = {
    "on the way to the loader": LAZY + "rows = Lazy('a'); rows.close(); looking_loader(rows)",
    "before": LAZY + "rows = Lazy('a'); rows.close(); rows[0]; loader_of(rows)",
}


def text_of(body: str, *, is_open: bool) -> str:
    """Return the program with a body, and the mark at the handle where it is sent."""
    *classes, last = body.rpartition("\n" if body.startswith("\n") else "\0")
    head = HEAD.replace("# OPENED", "# !DLF201" if is_open else "") + "".join(classes)
    return f'{head}def main():\n    {last}\nif __name__ == "__main__": main()\n'


@pytest.mark.parametrize("body", CLOSED.values(), ids=CLOSED)
def test_what_is_surely_closed_is_not_reported(body: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, is_open=False))


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_what_may_be_open_is_reported(body: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, is_open=True))


@pytest.mark.parametrize("body", AGAIN.values(), ids=AGAIN)
def test_what_is_opened_again_is_reported_there(body: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, is_open=False).replace("# AGAIN", "# !DLF203"))
