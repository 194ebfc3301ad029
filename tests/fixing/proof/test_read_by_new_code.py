"""What leaves the state of one class must not be what another class's new property reads."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

VOLUME = """
class Volume:
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")
{state}

class Slices(Dataset):
    def __init__(self, path):
        self.volume = Volume(path)
        {init}
{lazy}
    def __getitem__(self, i):
        return self.values[i]
"""
LEFT = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
"""
BACK = """
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = h5py.File(self.path, "r")
"""
LAZY = """
    @functools.cached_property
    def values(self):
        return self.volume.file["values"]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("values", None)
        return state
"""
SET = 'self.values = self.volume.file["values"]'


def reasons(state, init, lazy):
    before = VOLUME.format(state="", init=SET, lazy="")
    found = worse(before, VOLUME.format(state=state, init=init, lazy=lazy))
    return [each for each in found if "leaves the state, but a worker reads it" in each]


def test_another_class_reads_what_is_gone():
    assert reasons(LEFT, "pass", LAZY)


@pytest.mark.parametrize(
    ("state", "init", "lazy"),
    [(LEFT + BACK, "pass", LAZY), (LEFT, SET, ""), ("", "pass", LAZY)],
)
def test_what_is_opened_again_or_read_by_the_constructor_is_there(state, init, lazy):
    assert not reasons(state, init, lazy)
