"""What asks for one very object is not sent to workers, which unpickle another."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

CLASS = """
from marks import ABSENT
MISSING = object()
EMPTY = None

class Rows(Dataset):
    def __init__(self, path, split="TRAIN", scale=MISSING):
        self.path = path
        {opened}
        self.split = split
        self.scale = scale

    {opens}

    def __getitem__(self, i):
        if {asked}:
            return self.file[i]
        return None
"""
LAZY = """@functools.cached_property
    def file(self):
        return h5py.File(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state"""


def reasons(asked):
    before = CLASS.format(opened="self.file = h5py.File(path)", opens="", asked=asked)
    after = CLASS.format(opened="pass", opens=LAZY, asked=asked)
    found = worse(before, after, marks="ABSENT = object()")
    return [each for each in found if "asks for the very object" in each]


@pytest.mark.parametrize(
    "asked",
    [
        'self.split is "TRAIN"',
        'self.split is not "TRAIN"',
        "self.scale is MISSING",
        "ABSENT is not self.scale",
        "self.scale is 1000",
    ],
)
def test_a_copy_is_not_the_object(asked):
    assert reasons(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "self.scale is None",
        "self.scale is EMPTY",
        "self.scale is True",
        "self.scale is 1",
        'self.split == "TRAIN"',
        "i is MISSING",
    ],
)
def test_what_a_copy_answers_in_the_same_way(asked):
    assert not reasons(asked)


VIEWS = """
class Rows(Dataset):
    def __init__(self, path):
        self.rows = {{path: 1}}
        self.others = dict(self.rows)
        self.ids = self.rows.keys()

    {state}

    def __getitem__(self, i):
        return set(self.ids)
"""
PAIR = """def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("ids", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.ids = {view}"""


@pytest.mark.parametrize(
    ("view", "refused"),
    [("self.rows.keys()", False), ("self.others.keys()", True), ("self.rows.items()", True)],
)
def test_a_view_is_made_again_of_the_same_dict(view, refused):
    found = worse(VIEWS.format(state=""), VIEWS.format(state=PAIR.format(view=view)))
    assert any("view of another dict" in each for each in found) is refused
