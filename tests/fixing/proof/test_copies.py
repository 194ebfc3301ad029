"""A copy of an object has what the object has, unless it is given its own at once."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
import copy

class Rows(Dataset):
    def __init__(self, values):
        self.values = values
        self._lock = threading.Lock()

    def subset(self, indices):
        other = copy.copy(self)
        {then}
        return other
"""
STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()
"""


@pytest.mark.parametrize(
    ("then", "refused"),
    [
        ("other.values = self.values[:9]; other._lock = threading.Lock()", False),
        ("other.values = self.values[:9]", True),
        ("other.values = other.subset(); other._lock = threading.Lock()", True),
        ("other.subset(); other._lock = threading.Lock()", True),
        ("self._lock = threading.Lock()", True),
    ],
)
def test_a_copy_that_gets_its_own_lock_at_once_never_shared_one(then, refused):
    before = BEFORE.format(then=then)
    assert any("the same `_lock`" in each for each in worse(before, before + STATE)) is refused


STREAM = """
import copy

class Rows(IterableDataset):
    def __init__(self, path):
        self.path = path
        self.stream = open(path)

    def first(self, count):
        part = copy.copy(self)
        part.count = count
        return part

    def __iter__(self):
        {seek}
        while line := self.stream.readline():
            yield line
"""
LAZY = """
    @functools.cached_property
    def stream(self):
        return open(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stream", None)
        return state
"""


@pytest.mark.parametrize(("seek", "refused"), [("pass", True), ("self.stream.seek(0)", False)])
def test_copies_that_take_turns_to_read_share_one_stream(seek, refused):
    before = STREAM.format(seek=seek)
    after = before.replace("        self.stream = open(path)\n", "") + LAZY
    assert any("the same `stream`" in each for each in worse(before, after)) is refused


@pytest.mark.parametrize(("then", "refused"), [("pass", True), ("other._lock = None", False)])
def test_a_copy_has_what_only_the_parent_uses_too(then, refused):
    before = BEFORE.format(then=then)
    reasons = worse(before, before + STATE[: STATE.index("    def __setstate__")])
    assert any("the copy would have none" in each for each in reasons) is refused
