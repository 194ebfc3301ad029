"""What the `__setstate__` of a subclass reads is in the state that its base now writes."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

FAMILY = """
class Base(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")
        self.setup()

    def setup(self):
        pass
{base}

class Rows(Base):
    def setup(self):
        self.root = self.file["/"]
{heir}
    def __getitem__(self, index):
        return self.root[index]

rows = Rows("a")
"""
DROPS = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
"""
OPENS = """
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = h5py.File(self.path, "r")
"""
HEIR = """
    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("root", None)
        return state

    def __setstate__(self, state):
        {first}
        self.root = self.file["/"]
"""


@pytest.mark.parametrize(
    ("base", "first", "refused"),
    [
        (DROPS, "self.__dict__.update(state)", True),
        (DROPS + OPENS, "super().__setstate__(state)", False),
        (DROPS + OPENS, "self.__dict__.update(state)", True),
    ],
    ids=["nothing opens it again", "the base does", "the base would, and is not asked"],
)
def test_a_subclass_is_restored_from_what_its_base_leaves_in_the_state(base, first, refused):
    before = FAMILY.format(base="", heir="")
    after = FAMILY.format(base=base, heir=HEIR.format(first=first))
    reasons = worse(before, after)
    assert refused == any("while the instance is unpickled" in each for each in reasons)
