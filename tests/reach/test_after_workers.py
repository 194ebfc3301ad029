"""A method that the parent calls when no more workers are started opens nothing that is pickled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = None
    def connection(self):
        if self.db is None:
            self.db = sqlite3.connect(self.path){found}
        return self.db
    def total(self):
        return self.connection().execute("select count(*) from rows").fetchone()
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return self.connection().execute("select x from rows").fetchone()
def read(loader):
    for batch in loader:
        print(batch)
"""
FOUND, SILENT = ROWS.format(found="  # !DLF203"), ROWS.format(found="")

PROGRAMS = [
    program(
        "after the only loop",
        SILENT + "def main(path):\n    rows = Rows(path)\n"
        "    for batch in DataLoader(rows, num_workers=2):\n        print(batch)\n"
        "    print(rows.total())\n",
    ),
    program(
        "after all loops, under the main guard",
        SILENT + "if __name__ == '__main__':\n    rows = Rows('rows.db')\n"
        "    loader = DataLoader(rows, num_workers=2)\n    for epoch in range(2):\n"
        "        read(loader)\n    total = rows.total()\n",
    ),
    program(
        "an item after the only loop",
        SILENT + "def main(path):\n    rows = Rows(path)\n"
        "    for batch in DataLoader(rows, num_workers=2):\n        print(batch)\n"
        "    print(rows[0])\n",
    ),
    program(
        "an item after the loop, in each round of another one",
        FOUND + "def main(path):\n    rows = Rows(path)\n    for epoch in range(2):\n"
        "        for batch in DataLoader(rows, num_workers=2):\n            print(batch)\n"
        "        print(rows[0])\n",
    ),
    program(
        "an item before the loop",
        FOUND + "def main(path):\n    rows = Rows(path)\n    print(rows[0])\n"
        "    for batch in DataLoader(rows, num_workers=2):\n        print(batch)\n",
    ),
    program(
        "an item before a second use of the loader",
        FOUND
        + "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    read(loader)\n    print(rows[0])\n    read(loader)\n",
    ),
    program(
        "an item where the loader is returned",
        FOUND
        + "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    read(loader)\n    print(rows[0])\n    return loader\n",
    ),
    program(
        "an item after a wrapped object was read",
        FOUND + "class Part:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def use(self):\n        read(DataLoader(self.rows, num_workers=2))\n"
        "def main(path):\n    rows = Rows(path)\n    part = Part(rows)\n    part.use()\n"
        "    print(rows[0])\n    part.use()\n",
    ),
    program(
        "after the loop, in each round of another one",
        FOUND + "def main(path):\n    rows = Rows(path)\n    for epoch in range(2):\n"
        "        for batch in DataLoader(rows, num_workers=2):\n            print(batch)\n"
        "        print(rows.total())\n",
    ),
    program(
        "between the loader and its loop",
        FOUND
        + "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    print(rows.total())\n    read(loader)\n",
    ),
    program(
        "before a second use of the loader",
        FOUND
        + "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    read(loader)\n    print(rows.total())\n    read(loader)\n",
    ),
    program(
        "where the loader is returned",
        FOUND
        + "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    read(loader)\n    print(rows.total())\n    return loader\n",
    ),
    program(
        "where a trainer has the loader",
        FOUND + "class Trainer:\n    def use(self, loader):\n        self.loader = loader\n"
        "    def run(self):\n        read(self.loader)\n"
        "def main(path, trainer=Trainer()):\n    rows = Rows(path)\n"
        "    loader = DataLoader(rows, num_workers=2)\n    trainer.use(loader)\n"
        "    print(rows.total())\n    trainer.run()\n",
    ),
    program(
        "in a function that the parent calls with an object of its caller",
        FOUND + "def report(rows):\n    print(rows.total())\n"
        "def main(path):\n    rows = Rows(path)\n    loader = DataLoader(rows, num_workers=2)\n"
        "    report(rows)\n    read(loader)\n",
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_methods_called_after_the_loop(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
