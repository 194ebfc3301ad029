"""What the state only marks as set is not read before it is set again, or the fix is refused."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

CLASS = """
class Rows(Dataset):
    def __init__(self, path, size):
        self.path = path
        self.file = None
        if size:
            self.file = h5py.File(path)
            self.read = functools.lru_cache(size)(self.read)
{state}
    def read(self, i):
        return i
"""
STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("read") is not None:
            state["read"] = True
        if state.get("file") is not None:
            state["file"] = True
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
{restores}
"""


def reasons(*restores):
    lines = "\n".join(f"        {each}" for each in restores)
    after = CLASS.format(state=STATE.format(restores=lines))
    found = worse(CLASS.format(state=""), after)
    return [each for each in found if "only says whether" in each]


@pytest.mark.parametrize(
    ("restores", "wrong"),
    [
        (('if self.__dict__.get("read"): self.read = lru_cache(8)(self.read)',), True),
        (('if self.__dict__.pop("read", None): self.read = lru_cache(8)(self.read)',), False),
        (("if self.file: self.file = h5py.File(self.path)",), False),
        (("if self.file: self.file = h5py.File(self.path, keeps=self.file)",), True),
        (
            ("if self.file: self.file = None", "self.file = self.file or h5py.File(self.path)"),
            False,
        ),
        (("self.copy = self.file", "if self.file: self.file = h5py.File(self.path)"), True),
    ],
)
def test_a_mark_is_asked_for_and_not_used(restores, wrong):
    assert bool(reasons(*restores)) is wrong
