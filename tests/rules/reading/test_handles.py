"""What the catalogue says of a value, by what it is derived from."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from pathlib import Path
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self, root):
        self.stream = {opened}

    def __getitem__(self, i):
        return self.stream.readline()

def load(folder, n):
    return DataLoader(Lines(Path(folder)), num_workers=2)
"""


def codes(tmp_path: Path, opened: str) -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(opened=opened))
    return [one.code for one in dlfix.check([path], select=["DLF201"], isolated=True)]


@pytest.mark.parametrize(
    "opened",
    [
        "root.open()",
        "(root / 'a' / 'b.txt').open()",
        "(root.parent / 'b.txt').resolve().open('rb')",
        "root.joinpath('a').with_suffix('.txt').open()",
    ],
)
def test_a_path_made_of_a_path_opens_a_file(tmp_path, opened):
    assert codes(tmp_path, opened) == ["DLF201"]


@pytest.mark.parametrize(
    "opened", ["root / 'a'", "(root / 'a').read_text()", "(3 / 4).as_integer_ratio()", "root.parts"]
)
def test_what_a_path_is_or_reads_is_plain(tmp_path, opened):
    assert codes(tmp_path, opened) == []


PARTS = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Signals(Dataset):
    def __init__(self, path, names: list[str] | None = None, rows=()):
        file = h5py.File(path)
        signals, index = file["signals"], file["index"]
        self.part = {kept}

    def __getitem__(self, i):
        return self.part[i]

def load(path, names):
    return DataLoader(Signals(path, names), num_workers=2)
"""


def parts(tmp_path: Path, kept: str) -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(PARTS.format(kept=kept))
    return [one.code for one in dlfix.check([path], select=["DLF201"], isolated=True)]


@pytest.mark.parametrize(
    "kept",
    [
        "[signals[name] for name in names]",
        "[signals[name] for name in (names or sorted(signals))]",
        "{name: signals[name] for name in signals.keys()}",
        "{name: file[name] for name in file}",
        "{name: signals[name] for _, name in enumerate(signals)}",
        "[signals[f'channel_{row}'] for row in rows]",
        "[signals['channel_' + str(row)] for row in rows]",
        "[signals[str(row)] for row in rows]",
        "[signals[name] for name in ['a', 'b']]",
        "[signals[name.lower()] for name in rows]",
    ],
)
def test_a_part_that_is_read_by_its_name_hangs_from_the_file(tmp_path, kept):
    assert parts(tmp_path, kept) == ["DLF201"]


@pytest.mark.parametrize(
    "kept",
    [
        "[signals[row] for row in rows]",
        "[signals[row] for row in index]",
        "[signals[row] for row in sorted(rows)]",
        "[signals[row, 0] for row in range(3)]",
        "[signals[row] for row in list()]",
        "{row: signals[row] for row in set()}",
        "[signals[i] for i, name in enumerate(names)]",
    ],
)
def test_what_is_read_by_an_index_is_data(tmp_path, kept):
    assert parts(tmp_path, kept) == []


KEPT = """
import copyreg
import logging
import threading
from torch.utils.data import DataLoader, Dataset

class Seen({base}):
    def __init__(self):
        super().__init__()
{more}
class Rows(Dataset):
    def __init__(self):
        self.seen = Seen()

    def __getitem__(self, i):
        return i

def load():
    return DataLoader(Rows(), num_workers=2)
"""
OWN_STATE = "\n    def __reduce__(self):\n        return Seen, ()\n"


def kept(tmp_path: Path, base: str, more: str = "") -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(KEPT.format(base=base, more=more))
    return [one.code for one in dlfix.check([path], isolated=True)]


@pytest.mark.parametrize("base", ["logging.Handler", "logging.StreamHandler", "threading.Thread"])
def test_an_object_is_pickled_like_the_class_of_a_library_that_it_derives_from(tmp_path, base):
    assert kept(tmp_path, base) != []


@pytest.mark.parametrize(
    ("base", "more"),
    [
        ("logging.Handler", OWN_STATE),
        ("logging.Handler", "\ncopyreg.pickle(Seen, lambda seen: (Seen, ()))\n"),
        ("logging.Filter", ""),
        ("dict", ""),
    ],
    ids=["it reduces itself", "copyreg takes it apart", "a filter", "a dict"],
)
def test_an_object_may_derive_from_a_class_of_a_library(tmp_path, base, more):
    assert kept(tmp_path, base, more) == []


ARCHIVES = """
import glob
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Episodes(Dataset):
    def __init__(self, paths):
        {opened}

    def __getitem__(self, i):
        {read}

    def opened(self, path):
        return np.load(path)

def load(folder, n):
    return DataLoader(Episodes({paths}), num_workers=2)
"""


def of_archives(tmp_path: Path, opened: str, read: str, paths: str = "folder") -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(ARCHIVES.format(opened=opened, read=read, paths=paths))
    return [one.code for one in dlfix.check([path], select=["DLF201"], isolated=True)]


LISTED = "self.all = [np.load(p) for p in paths]"


@pytest.mark.parametrize(
    ("opened", "read"),
    [
        (LISTED, "return self.all[i]['x']"),
        (LISTED, "one = self.all[i]; return one['x'][0]"),
        (LISTED, "return [one['x'] for one in self.all]"),
        (LISTED, "return [one.files for n, one in enumerate(self.all)]"),
        ("self.all = {p: np.load(p) for p in paths}", "return self.all.get(i)['x']"),
        ("self.all = {}\n        self.all[0] = np.load(paths)", "return self.all[i]['x']"),
        ("self.one = np.load(paths)", "one = self.one; return one['x']"),
        ("self.one = np.load(paths)", "return self.one[f'x{i}']"),
        ("self.one = np.load(paths)", "return self.one['x%d' % i]"),
        ("self.one = np.load(paths)", "return self.one['x{}'.format(i)]"),
        ("self.one = self.opened(paths)", "return self.one[str(i)]"),
        ("self.one, self.unit = np.load(paths), 1", "return self.one.files"),
        ("one = np.load(paths)\n        self.one: object = one", "return self.one['x']"),
    ],
)
def test_what_is_kept_is_an_archive_if_it_is_read_by_name(tmp_path, opened, read):
    assert of_archives(tmp_path, opened, read) == ["DLF201"]


def test_what_is_unpacked_beside_an_archive_is_none(tmp_path):
    opened = "self.one, self.names = np.load(paths), {'x': 1}"
    assert of_archives(tmp_path, opened, "return self.names['x']") == []


@pytest.mark.parametrize(
    "read", ["return self.all[i][0]", "return self.names['x']", "return self.all[i].shape"]
)
def test_what_is_kept_is_an_array_if_it_is_read_by_number(tmp_path, read):
    assert of_archives(tmp_path, LISTED, read) == []


@pytest.mark.parametrize("change", ["del self.one['x']", "self.one['x'] = 1"])
def test_what_lets_its_items_be_set_is_no_archive(tmp_path, change):
    opened = (
        f"self.one = np.load(paths)\n        self.pairs = self.one['x'].copy()\n        {change}"
    )
    assert of_archives(tmp_path, opened, "return self.one['y'][i]") == []


@pytest.mark.parametrize(
    "paths", ["glob.glob(folder + '/*.npz')", "sorted(glob.iglob(f'{folder}/*.npz'))"]
)
def test_files_by_a_pattern_are_what_its_ending_says(tmp_path, paths):
    assert of_archives(tmp_path, LISTED, "return self.all[i]", paths) == ["DLF201"]
    other = paths.replace("npz", "npy")
    assert of_archives(tmp_path, LISTED, "return self.all[i]", other) == []


def test_names_that_stand_for_each_other_have_no_ending(tmp_path):
    opened = "a = b\n        b = a\n        self.one = np.load(a)"
    assert of_archives(tmp_path, opened, "return self.one") == []


SPLITS = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Slides(Dataset):
    def __init__(self, path, split):
        self.part = h5py.File(path, "r")["splits"][split]

    def __getitem__(self, i):
        return {used}

def load(path, split):
    return DataLoader(Slides(path, split), num_workers=2)
"""


@pytest.mark.parametrize(
    ("used", "found"),
    [
        ("self.part[i]['patches'][0]", ["DLF201"]),
        ("self.part[str(i)].attrs['grade']", ["DLF201"]),
        ("sorted(self.part.keys())[i]", ["DLF201"]),
        ("self.part[i]", []),
        ("self.part[i].mean()", []),
    ],
)
def test_what_code_does_to_a_part_tells_a_group_from_an_array(tmp_path, used, found):
    path = tmp_path / "train.py"
    path.write_text(SPLITS.format(used=used))
    assert [one.code for one in dlfix.check([path], select=["DLF201"], isolated=True)] == found
