"""A generated `==` compares the handle: two objects for one file differ."""

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
import dataclasses

@dataclasses.dataclass{options}
class Shard:
    path: str
    file: object = dataclasses.field(init=False, repr=False{field})

    def __post_init__(self):
        self.file = open(self.path, "rb")
{body}
class Rows(Dataset):
    def __init__(self, shards):
        self.shards = shards

{program}
"""
AFTER = """
import dataclasses

@dataclasses.dataclass{options}
class Shard:
    path: str

    @functools.cached_property
    def file(self):
        return open(self.path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
{body}
class Rows(Dataset):
    def __init__(self, shards):
        self.shards = shards

{program}
"""
ASKS = "def main(shards):\n    rows = Rows([Shard(each) for each in shards])\n    {asked}\n    return DataLoader(rows, num_workers=2)\n"
INDEX = "rows.shards.index(rows.shards[1])"
PROGRAMS = {
    "the place in a list": (INDEX, True),
    "by an operator": ("rows.shards[0] == rows.shards[1]", True),
    "in a list": ("Shard('a') in rows.shards", True),
    "by two operators": ("rows.shards[0] is shards != rows.shards[1]", True),
    "a number": ("len(rows.shards) == 3", False),
    "nothing": ("pass", False),
}


def compared(asked: str, *, options: str = "", field: str = "", body: str = "") -> bool:
    """Return whether the fix counts as one that changes what `==` says."""
    parts = {"options": options, "field": field, "body": body, "program": ASKS.format(asked=asked)}
    reasons = worse(BEFORE.format(**parts), AFTER.format(**parts))
    return any("`==` compares the field `file`" in reason for reason in reasons)


@pytest.mark.parametrize(("asked", "counts"), PROGRAMS.values(), ids=PROGRAMS)
def test_objects_are_compared(asked, counts):
    assert compared(asked) is counts


def test_fields_that_are_not_compared_may_go():
    own = "\n    def __eq__(self, other):\n        return self.path == other.path\n"
    assert not compared(INDEX, field=", compare=False")
    assert not compared(INDEX, options="(eq=False)")
    assert not compared(INDEX, body=own)
