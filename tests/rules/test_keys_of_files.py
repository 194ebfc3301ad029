"""A key that a parameter's default or a call shows to be text names a part of a file; others may read data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

ROWS = """\
import contextlib
import h5py
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path, {parameters}):
        file = h5py.File(path, "r")  # !DLF201
        {made}
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return self.fields
def main(path, names):
    DataLoader(Rows(path{given}), num_workers=2)
"""


def rows(title, parameters, made, given="", found="  # !DLF201"):
    text = ROWS.format(parameters=parameters, made=made + found, given=given)
    return program(title, text.replace("  # !DLF201\n", "\n", 1))


KEYS = """import json
import tempfile
import yaml
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path, rows):
        with open(path) as file:
            read = {read}
        self.kept = {kept}{found}
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return index
def main(path, rows):
    DataLoader(Rows(path, rows), num_workers=2)
"""


def keys(title, read, kept, found=""):
    return program(title, KEYS.format(read=read, kept=kept, found=found and f"  # !{found}"))


PROGRAMS = [
    keys("keys of a JSON file", "json.load(file)", "read.keys()", "DLF206"),
    keys("values of a part", "yaml.safe_load(file)", "read['rows'][0].values()", "DLF206"),
    keys("a list of the keys", "json.load(file)", "list(read.keys())"),
    keys("keys of anything", "rows(file)", "read.keys()"),
    keys("a part under a key", "json.load(file)", "read['keys']"),
    keys("a spooled file", "rows", "tempfile.SpooledTemporaryFile(mode='w+b')"),
    keys("a spooled text", "rows", "tempfile.SpooledTemporaryFile(mode='w+')", "DLF201"),
    rows("by default", "name='a'", "self.fields = file['state'][name]"),
    rows(
        "by default, where a call gives it", "name='a'", "self.fields = file['s'][name]", ", names"
    ),
    rows("in a call", "name", "self.fields = file['state'][name]", ", 'a'"),
    rows(
        "each of the names by default",
        "names=('a', 'b')",
        "self.fields = {name: file['state'][name] for name in names}",
    ),
    rows("a number", "index=0", "self.fields = file['state'][index]", found=""),
    rows("not known", "index", "self.fields = file['state'][index]", ", names", found=""),
    rows("another type", "index: int = 0", "self.fields = file['state'][index]", found=""),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
