"""An object that code uses and closes again before it is sent holds nothing, unless something opens it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """\
from torch.utils.data import DataLoader, Dataset, Subset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.size = 3
        self.file = None
    def open(self):
        self.file = open(self.path){opened}
        return self
    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None
    def __len__(self):
        return self.size
    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path){indexed}
        return self.file.read(1)
    def shown(self):
        try:
            return [self[0], self[1]]
        finally:
            self.close()
    def closed_too_soon(self):
        self.close()
        return [self[0]]
def first(rows):
    try:
        return rows[0]
    finally:
        rows.close()
def perhaps(rows, really):
    item = rows[0]
    if really:
        rows.close()
    return item
"""
MARK = "  # !DLF203"


def silent(title, *lines):
    return program(title, ROWS.format(opened="", indexed="") + main(lines))


def found(title, *lines, opened="", indexed=MARK):
    return program(title, ROWS.format(opened=opened, indexed=indexed) + main(lines))


def main(lines):
    return "\n    ".join(["def main(path, workers):", "rows = Rows(path)", *lines, ""])


LOADER = "loader = DataLoader(rows, num_workers=workers)"
LOOP = "for batch in loader: print(batch)"
SUBSET = "loader = DataLoader(Subset(rows, range(len(rows))), num_workers=workers)"

PROGRAMS = [
    silent("closed", "print(rows[0])", "rows.close()", LOADER, LOOP),
    silent("closed at the end", "try: print(rows[0])", "finally: rows.close()", LOADER, LOOP),
    silent("by a function", "seen = [first(rows), rows.size]", LOADER, LOOP),
    silent("asked for its length", "print(rows[0])", "rows.close()", SUBSET, LOOP, "rows.close()"),
    silent("opened by name", "rows.open()", "rows.close()", LOADER, LOOP),
    silent(
        "opened again beside no workers",
        *("rows.open()", "rows.close()", LOADER, "if workers == 0: rows.open()", LOOP),
    ),
    silent("used once all is done", "print(rows[0])", "rows.close()", LOADER, LOOP, "rows.open()"),
    silent("closed by what uses it", "for item in rows.shown(): print(item)", LOADER, LOOP),
    found("closed before it is used", "print(rows.closed_too_soon())", LOADER, LOOP),
    found("not closed", "print(rows[0])", LOADER, LOOP),
    found("opened again", "print(rows[0])", "rows.close()", "rows[1]", LOADER, LOOP),
    found("opened again later", "print(rows[0])", "rows.close()", LOADER, "rows[1]", LOOP),
    found("perhaps closed", "perhaps(rows, workers)", LOADER, LOOP),
    found("closed in a branch", "rows[0]", "if path: rows.close()", LOADER, LOOP),
    found("closed, perhaps", "rows[0]", "path and rows.close()", LOADER, LOOP),
    found("handed on", "rows[0]", "rows.close()", "show(rows)", LOADER, LOOP),
    found("another", "other = Rows(path)", "rows[0]", "other.close()", LOADER, LOOP),
    found("bound again", "rows[0]", "rows.close()", "rows = Rows(path)", "rows[0]", LOADER, LOOP),
    found(
        "opened again by name",
        *("rows.open()", "rows.close()", "rows.open()", LOADER, LOOP),
        opened=MARK,
        indexed="",
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
