"""Lists and dicts of handles that a constructor fills as it likes: what opened each item is kept beside it."""

import textwrap

import pytest

import dlfix

PROGRAM = """
import os
import zipfile
from pathlib import Path
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    def __init__(self, folder, names):
{init}

    def __getitem__(self, index):
        return self.parts[index].read("0")

    def close(self):
        for each in self.parts.values():
            each.close()
{more}

def load(folder, names):
    return DataLoader(Shards(folder, names), num_workers=2)
"""
GAPS = """
    self.parts = {}
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            self.parts[name] = None
            continue
        part = zipfile.ZipFile(path)
        self.parts[name] = part
    """


def fixed(init: str, more: str = "") -> str:
    """Return the class after its fix; the same where it is refused."""
    body = textwrap.indent(textwrap.dedent(init).strip(), "        ")
    method = textwrap.indent(textwrap.dedent(more), "    ")
    source = PROGRAM.format(init=body, more=method)
    result = dlfix.fix_text(source, isolated=True)
    return result.text if result.changed else source


def is_recorded(text: str) -> bool:
    return "self._part_paths" in text


def test_gaps_stay_gaps():
    text = fixed(GAPS)
    assert "            self._part_paths[name] = None\n" in text
    assert "        self._part_paths[name] = path\n" in text
    assert "key: None if path is None else zipfile.ZipFile(path)" in text


TWO_PLACES = """
    self.parts = {}
    for name in names:
        path = os.path.join(folder, name)
        part = zipfile.ZipFile(path, "r", allowZip64=bool(folder))
        if part.namelist():
            self.parts[name] = part
        else:
            self.parts[name.lower()] = part
    """


def test_several_arguments_are_kept_together():
    text = fixed(TWO_PLACES)
    assert "self._part_arguments[name] = (path, bool(folder))" in text
    assert "self._part_arguments[name.lower()] = (path, bool(folder))" in text
    assert "for key, (path, allowZip64) in self._part_arguments.items()" in text


REFUSED = {
    "another method adds to it": (
        GAPS,
        "def add(self, path):\n    self.parts[path] = zipfile.ZipFile(path)\n",
    ),
    "another method takes from it": (GAPS, "def drop(self, name):\n    self.parts.pop(name)\n"),
    "the constructor takes from it": (GAPS + "self.parts.pop('x', None)\n    ", ""),
    "an item is set up": (
        GAPS.replace(
            "self.parts[name] = part", "part.setpassword(b'x')\n        self.parts[name] = part"
        ),
        "",
    ),
    "what it is opened from is taken from a source": (
        GAPS.replace("ZipFile(path)", "ZipFile(names.pop())"),
        "",
    ),
    "what it is opened from is assigned again": (
        GAPS.replace(
            "self.parts[name] = part", "path = str(part)\n        self.parts[name] = part"
        ),
        "",
    ),
}


@pytest.mark.parametrize(("init", "more"), REFUSED.values(), ids=REFUSED)
def test_it_is_not_written_down_where(init, more):
    assert not is_recorded(fixed(init, more))


UNDER_EACH_ROW = """
    self.parts = {}
    self.rows = 0
    for name in names:
        part = zipfile.ZipFile(os.path.join(folder, name))
        if part.namelist():
            first = self.rows
            for row in range(len(part.namelist())):
                self.rows += 1
                self.parts[first + row] = part
    """
UNDER_TWO_NAMES = """
    self.parts = {}
    for name in names:
        part = zipfile.ZipFile(os.path.join(folder, name))
        if part.namelist():
            self.parts[name] = part
            self.parts[name.lower()] = part
    """


@pytest.mark.parametrize("init", [UNDER_EACH_ROW, UNDER_TWO_NAMES])
def test_one_file_under_several_keys_is_not_opened_for_each(init):
    text = fixed(init)
    assert ".items()" not in text or "in dict.fromkeys(" in text
