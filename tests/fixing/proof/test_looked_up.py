"""What a constructor looks up in a handle that it opens is looked up there still: a part may be missing."""

from __future__ import annotations

import pytest

import dlfix
from tests.fixing.proof.pairs import worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = {opener}
        self.labels = {labels}
        self.count = len(self.file["rows"])

    def __getitem__(self, index):
        return self.labels[index]
"""
AFTER = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with {again} as file:
            {left}
            self.count = len(file["rows"])

    @functools.cached_property
    def file(self):
        return {again}

    @functools.cached_property
    def labels(self):
        return {labels}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        state.pop("labels", None)
        return state

    def __getitem__(self, index):
        return self.labels[index]
"""
PARTS = [
    ("h5py.File(path, 'r')", "self.file['labels']"),
    ("h5py.File(path, 'r')", "self.file['group']['labels']"),
    ("h5py.File(path, 'r')", "[self.file[key] for key in ('a', 'b')]"),
    ("zipfile.ZipFile(path)", "self.file.open('labels')"),
    ("np.load(path)", "self.file['labels'].T"),
]


def reasons(opener: str, labels: str, left: str) -> list[str]:
    again = opener.replace("path", "self.path")
    after = AFTER.format(again=again, labels=labels, left=left)
    return [
        reason
        for reason in worse(BEFORE.format(opener=opener, labels=labels), after)
        if "is evaluated later" in reason
    ]


@pytest.mark.parametrize(("opener", "labels"), PARTS)
def test_a_part_is_looked_up_where_it_was(opener: str, labels: str) -> None:
    assert reasons(opener, labels, "pass")
    assert not reasons(opener, labels, labels.replace("self.", ""))


def test_what_may_be_none_raises_nothing() -> None:
    assert not reasons("h5py.File(path, 'r')", "self.file.get('labels')", "pass")


PROGRAM = """
import {library}
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = {opener}
        self.labels = {labels}
        self.count = len(self.file.{listed}())

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.labels[index]

if __name__ == "__main__":
    DataLoader(Rows("data"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("library", "opener", "labels", "listed"),
    [
        ("h5py", "h5py.File(path)", 'self.file["labels"]', "keys"),
        ("zipfile", "zipfile.ZipFile(path)", 'self.file.open("labels")', "namelist"),
    ],
)
def test_the_constructor_goes_on_looking_up(
    library: str, opener: str, labels: str, listed: str
) -> None:
    program = PROGRAM.format(library=library, opener=opener, labels=labels, listed=listed)
    fixed = dlfix.fix_text(program, isolated=True).text
    looked_up = labels.replace("self.", "")
    assert f"            {looked_up}  # raises here if it is missing\n" in fixed
    assert f"            self.count = len(file.{listed}())\n" in fixed
