"""A `__reduce__` that calls the constructor again does again what the constructor does to others."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

PROGRAM = """
COUNTS = collections.Counter()
NUMBERS = itertools.count()

def note(name):
    COUNTS[name] += 1

class Damaged(ValueError):
    seen = 0

    def __init__(self, path, row):
        self.path, self.row = path, row
        {effect}
        super().__init__(f"{{path}} is damaged in {{row}}")
{reduce}
"""
REDUCE = """
    def __reduce__(self):
        return type(self), (self.path, self.row), self.__dict__
"""


def reasons(effect):
    before = PROGRAM.format(effect=effect, reduce="")
    found = worse(before, PROGRAM.format(effect=effect, reduce=REDUCE))
    return [each for each in found if "runs the constructor again" in each]


@pytest.mark.parametrize(
    "effect",
    [
        "COUNTS[path] += 1",
        "self.number = next(NUMBERS)",
        "Damaged.seen += 1",
        "type(self).seen += 1",
        "note(path)",
        "print(path)",
        "COUNTS.update([path])",
    ],
)
def test_what_others_see_is_not_done_again(effect):
    assert reasons(effect)


@pytest.mark.parametrize(
    "effect",
    [
        "self.names = []; self.names.append(path)",
        "parts = path.split('/'); parts.append('x'); self.parts = parts",
        "self.known = path in COUNTS",
        "self.first = next(iter(path))",
    ],
)
def test_what_only_the_object_has_is_set_again(effect):
    assert not reasons(effect)
