"""What a branch or a method opens, and `__setstate__` opens again in any case."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, path, lazy):
        self.path = path
        {first}
        if not lazy:
            self.open()

    def open(self):
        self.file = h5py.File(self.path)
{state}
    def __getitem__(self, i):
        if self.file is None:
            self.open()
        return self.file[i]
"""
ALWAYS = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        {again}
"""
MARKED = """
    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("file") is not None:
            state["file"] = True
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.file:
            self.file = h5py.File(self.path)
"""


def reasons(state, first="self.file = None"):
    before = BEFORE.format(first=first, state="")
    found = worse(before, BEFORE.format(first=first, state=state))
    return [each for each in found if "is None until something opens it" in each]


@pytest.mark.parametrize("again", ["self.file = h5py.File(self.path)", "self.open()"])
def test_what_may_be_none_is_not_opened_in_any_case(again):
    assert reasons(ALWAYS.format(again=again))


@pytest.mark.parametrize("again", ["self.file = None", "if self.path: self.open()"])
def test_what_is_opened_under_a_condition_is_another_question(again):
    assert not reasons(ALWAYS.format(again=again))


def test_what_was_open_is_opened_again():
    assert not reasons(MARKED)


def test_what_the_constructor_opens_in_any_case_is_opened_in_any_case():
    state = ALWAYS.format(again="self.file = h5py.File(self.path)")
    assert not reasons(state, "self.file = h5py.File(path)")
