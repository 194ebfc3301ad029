"""A file that is open, or its number, is no path: another process cannot open anything from it."""

import pytest

from tests.fixing.proof.pairs import opened, worse

ROWS = """
import mmap

class Rows(Dataset):
    def __init__(self, paths):
        self.{name} = []
        for path in paths:
            with open(path, "rb") as f:
                self.total = f.read(1)
                self.{name}.append({kept})
{opener}
    def __getitem__(self, index):
        return self.maps[index]

loader = DataLoader(Rows(["a", "b"]), num_workers=2)
"""
OPENER = """
    @functools.cached_property
    def maps(self):
        return [{opened} for path in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("maps", None)
        return state
"""


def kept(what, opened, *, before):
    return worse(
        ROWS.format(name="maps", kept=before, opener=""),
        ROWS.format(name="paths", kept=what, opener=OPENER.format(opened=opened)),
    )


@pytest.mark.parametrize(
    ("what", "opened", "before"),
    [
        ("f.fileno()", "mmap.mmap(path, 0)", "mmap.mmap(f.fileno(), 0)"),
        ("f", "zipfile.ZipFile(path)", "zipfile.ZipFile(f)"),
        ("[f]", "zipfile.ZipFile(*path)", "zipfile.ZipFile(*[f])"),
    ],
)
def test_what_is_open_is_not_kept_to_open_something_from_it(what, opened, before):
    [reason] = kept(what, opened, before=before)
    assert reason.startswith("`paths` keeps an open file, or its number")


def test_a_path_is_kept():
    assert kept("path", "zipfile.ZipFile(path)", before="zipfile.ZipFile(path)") == []


WHOLE = """
import zipfile
from pathlib import Path

class Rows(Dataset):
    def __init__(self, path):
        path = Path(path)
        {opens}
{opener}
    def __getitem__(self, index):
        return self.archive.read(str(index))

loader = DataLoader(Rows("a.zip"), num_workers=2)
"""


def test_a_path_object_is_kept():
    opener = (
        OPENER.replace("maps", "archive")
        .format(opened="")
        .replace("return [ for path in self.paths]", "return zipfile.ZipFile(str(self.path))")
    )
    before = WHOLE.format(opens="self.archive = zipfile.ZipFile(str(path))", opener="")
    assert worse(before, WHOLE.format(opens="self.path = path", opener=opener)) == []


RELATIVE = """
FOLDER = os.open("data", os.O_RDONLY)

def relative(path, flags):
    return os.open(path, flags, dir_fd=FOLDER)

def main(path):
    rows = Rows(path)
    {then}
    return DataLoader(rows, num_workers=2)
"""


def _by_folder(then, how="opener=relative"):
    return opened(
        init=f"self.path = path\nself.file = open(path, {how})",
        opener=f"return open(self.path, {how})",
        program=RELATIVE.format(then=then),
    )


def test_a_folder_that_is_closed_before_the_file_is_opened_is_a_reason():
    assert [each for each in _by_folder("os.close(FOLDER)") if "is closed" in each]


def test_a_folder_that_stays_open_or_is_not_read_is_none():
    assert not [each for each in _by_folder("pass") if "is closed" in each]
    assert not [each for each in _by_folder("os.close(FOLDER)", "'rb'") if "is closed" in each]


def test_a_path_of_an_open_file_is_a_reason():
    init = "fd = os.open(path, os.O_RDONLY)\nself.path = f'/proc/self/fd/{fd}/rows'\nself.file = open(self.path)"
    later = "fd = os.open(path, os.O_RDONLY)\nself.path = f'/proc/self/fd/{fd}/rows'"
    found = opened(init=init, later=later, opener="return open(self.path)")
    assert [each for each in found if "by its number" in each]
