"""A handle that the parent may read by a text, a pattern or a protocol is not opened lazily, once for all processes."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import opened

LOAD = "\nDataLoader(rows, num_workers=2)\n"
PROGRAMS = {
    "an attrgetter": "import operator\nprint(max([rows], key=operator.attrgetter('file.name')))",
    "a renamed attrgetter": "from operator import attrgetter as get\nprint(get('file')(rows))",
    "a helper that walks": (
        "def walk(start, path):\n    for part in path.rsplit('.'):\n"
        "        start = getattr(start, part)\n    return start\nprint(walk(rows, 'file.name'))"
    ),
    "a reduction": "print(functools.reduce(getattr, 'file.name'.split('.'), rows))",
    "a template": "print('{0.file.name}'.format(rows))",
    "a template by a name": "SHOWN = '{rows.file.name!r:>20}'\nprint(SHOWN.format(rows=rows))",
    "a pattern": "match rows:\n    case Rows(file=file):\n        print(file)",
    "a pattern of any object": "match rows:\n    case object(file=file):\n        print(file)",
    "an item of a list": "many = []\nmany.append(rows)\nprint(many[0].file.name)",
    "a loop": "many = [rows]\nprint([each.file.name for each in many])",
    "a key": "many = [rows]\nmany.sort(key=lambda each: each.file.name)",
}
NEIGHBOURS = {
    "an attrgetter of another": "import operator\nprint(max([rows], key=operator.attrgetter('path')))",
    "a text that is no name": "import operator\nprint(operator.attrgetter('path')(rows), {'file': 1})",
    "a walk through another object": (
        "def walk(start, path):\n    for part in path.split('.'):\n"
        "        start = getattr(start, part)\n    return start\nprint(walk(np, 'linalg.norm'))\n"
        "print(dict(file=1)['file'])"
    ),
    "a template of another": "print('{0.path} {file}'.format(rows, file=1))",
    "a pattern of another": "match rows:\n    case Rows(path=path):\n        print(path)",
    "a pattern of another class": "match rows:\n    case np.memmap(file=file):\n        print(file)",
    "an attribute of another": "other = h5py\nprint([each.file for each in [other]])",
}
PROTOCOL = """
from typing import Protocol, runtime_checkable

@runtime_checkable
class Has(Protocol):
    {member}: object

def kind(each):
    return isinstance({asked}, Has)

rows = Rows('a')
print(kind(rows))
"""


def reasons(program, **others):
    found = opened(program=f"rows = Rows('a')\n{program}{LOAD}", **others)
    return [each for each in found if "forked workers share it" in each]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_the_parent_may_open(program):
    assert reasons(program)


@pytest.mark.parametrize("program", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_what_reads_something_else(program):
    assert not reasons(program)


@pytest.mark.parametrize(
    ("member", "asked", "is_opened"),
    [("file", "each", True), ("path", "each", False), ("file", "np", False)],
)
def test_a_protocol_asks_for_its_members(member, asked, is_opened):
    found = opened(program=PROTOCOL.format(member=member, asked=asked) + LOAD)
    assert is_opened == any("forked workers share it" in each for each in found)


@pytest.mark.parametrize("listed", ["path", "file"])
def test_positions_of_a_pattern(listed):
    program = "match rows:\n    case Rows(one):\n        print(one)"
    assert bool(reasons(program, body=f"__match_args__ = ('{listed}',)\n")) == (listed == "file")


@pytest.mark.parametrize(
    "length", ["len(getattr(self, 'file'))", "int('{0.file.id}'.format(self))", "len(self.path)"]
)
def test_a_method_may_read_by_a_text(length):
    body = f"def __len__(self):\n    return {length}\n"
    assert bool(reasons("", body=body)) == ("file" in length)


def test_what_runs_in_workers_may_read_an_item():
    reading = (
        "class Many(Dataset):\n    def __init__(self, many):\n        self.many = many\n\n"
        "    def __getitem__(self, index):\n        return self.many[0].file['x'][index]\n\n"
        "many = Many([Rows('a')])\nDataLoader(many, num_workers=2)\n"
    )
    assert not [each for each in opened(program=reading) if "forked workers share it" in each]
