"""Lists and dicts of what is opened from a file that a `with` closes again: the path is kept, never the file."""

import ast
import textwrap

import pytest

import dlfix

PROGRAM = """
import mmap
import os
import struct
from torch.utils.data import DataLoader, Dataset

class Shards(Dataset):
    def __init__(self, folder):
        self.maps = {empty}
        self.total = 0
        for path in sorted(os.listdir(folder)):
{loop}

    def __len__(self):
        return self.total

    def __getitem__(self, index):
        return self.maps[{key}][index]

def load(folder):
    return DataLoader(Shards(folder), num_workers=2)
"""
MAPPED = "mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)"
COUNTED = """
with open(path, "rb") as f:
    self.total += struct.unpack("I", f.read(4))[0]
    {put}
"""
ALONE = """
with open(path, "rb") as f:
    {put}
"""
FROM_A_NAME = """
f = open(path, "rb")
self.total += struct.unpack("I", f.read(4))[0]
{put}
"""


def program(loop, put, empty, key):
    indented = textwrap.indent(loop.format(put=put).strip("\n"), " " * 12)
    return PROGRAM.format(loop=indented, empty=empty, key=key)


def in_the_class(text):
    return ast.unparse(next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef)))


@pytest.mark.parametrize("loop", [COUNTED, ALONE], ids=["counted", "alone"])
@pytest.mark.parametrize(
    ("put", "empty", "key", "again"),
    [
        (f"self.maps.append({MAPPED})", "[]", "0", f"maps.append({MAPPED})"),
        (f"self.maps[path] = {MAPPED}", "{}", "'a'", f"] = {MAPPED}"),
    ],
    ids=["a list", "a dict"],
)
def test_the_file_is_opened_again_with_what_is_opened_from_it(loop, put, empty, key, again):
    after = in_the_class(dlfix.fix_text(program(loop, put, empty, key), isolated=True).text)
    opener = after[after.index("def maps(self)") : after.index("def __getstate__")]
    assert "with open(path, 'rb') as f:" in opener
    assert again in opener
    assert "fileno" not in after[: after.index("def maps(self)")]


def test_an_open_file_is_not_kept_as_if_it_were_a_path():
    text = program(FROM_A_NAME, f"self.maps.append({MAPPED})", "[]", "0")
    after = in_the_class(dlfix.fix_text(text, isolated=True).text)
    opener = after[after.index("def _open_maps(self)") : after.index("@property")]
    assert "f = open(path, 'rb')" in opener
    assert "self.paths" not in after
