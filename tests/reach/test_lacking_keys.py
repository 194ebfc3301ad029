"""Tests of keys that a configuration does not have, and objects that their program keeps to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """
        from functools import cache
        from torch.utils.data import DataLoader, Dataset
        class Configured(Dataset):
            def __init__(self, config): self.config = config
            def __len__(self): return 3
        class Rows(Configured):
            def __init__(self, config):
                super().__init__(config)
                if {test}:
                    self.load = cache(self.load){mark}
            def load(self, i): return i
            def __getitem__(self, i): return self.load(i)
        def main():
            {config}
            for batch in DataLoader(Rows(config), num_workers=2): print(batch)
"""
GET, FOUND = 'self.config.get("keep", False)', "  # !DLF206"
STORE = """
        --- {folder}rows.py
        import sqlite3
        from torch.utils.data import Dataset
        class Rows(Dataset):
            def __init__(self, path): self.db = sqlite3.connect(path){mark}
            def __getitem__(self, i): return self.db.execute("select 1").fetchone()
            def size(self): return self.db.total_changes
        --- main.py
        from {folder}rows import Rows
        {more}
        if __name__ == "__main__":
            rows = Rows("rows.db")
            print(rows.size(), [rows[i] for i in range(3)])
            {use}
"""
PROGRAMS = [
    program(
        "a key that no caller gives", ROWS.format(test=GET, mark="", config='config = {"path": 1}')
    ),
    program(
        "a key that `dict(...)` does not get",
        ROWS.format(test='self.config.get("keep")', mark="", config="config = dict(path=1)"),
    ),
    program(
        "a key that a default stands for",
        ROWS.format(
            test='self.config.get("keep", True)', mark=FOUND, config='config = {"path": 1}'
        ),
    ),
    program(
        "a key that is there, and is changed by hand",
        ROWS.format(test=GET, mark=FOUND, config='config = {"path": 1, "keep": False}'),
    ),
    program(
        "a key that is put there later",
        ROWS.format(test=GET, mark=FOUND, config='config = {"path": 1}; config["keep"] = True'),
    ),
    program(
        "keys that are put there by an update",
        ROWS.format(test=GET, mark=FOUND, config='config = {}; config.update(vars(open("x")))'),
    ),
    program(
        "keys that are not known",
        ROWS.format(test=GET, mark=FOUND, config='import json; config = json.load(open("x"))'),
    ),
    program(
        "a dataset of a program that is only read by its script",
        STORE.format(folder="", mark="", more="", use=""),
    ),
    program(
        "a dataset whose method gives one part to another",
        STORE.format(folder="", mark="", more="", use="print(rows.look())").replace(
            "def size(self)",
            "def look(self): return self.db.execute(self.query)\n            def size(self)",
        ),
    ),
    program(
        "a dataset whose method hands on the object itself",
        STORE.format(folder="", mark="  # !DLF201", more="", use="print(rows.look())").replace(
            "def size(self)", "def look(self): return watch(self)\n            def size(self)"
        ),
    ),
    program(
        "a dataset that gives out a function which holds it",
        STORE.format(folder="", mark="  # !DLF201", more="", use="print(rows.look())").replace(
            "def size(self)",
            "def look(self): return watch(lambda: self.db)\n            def size(self)",
        ),
    ),
    program(
        "a dataset that the script hands on",
        STORE.format(
            folder="", mark="  # !DLF201", more="from away import train", use="train(rows)"
        ),
    ),
    program(
        "a dataset class that is in a table, too",
        STORE.format(folder="", mark="  # !DLF201", more='TABLE = {"rows": Rows}', use=""),
    ),
    program(
        "a dataset class of a library, which others use, too",
        STORE.format(folder="", mark="  # !DLF201", more="", use="")
        + """
        --- setup.py
        from setuptools import setup
        setup(name="rows")
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_exactly_the_marked_findings_are_there(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
