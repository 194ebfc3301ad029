"""A handle that another object keeps is not made lazy: the other one is sent with it."""

from __future__ import annotations

import textwrap

import pytest

from tests.fixing.proof.pairs import opened, worse

PROGRAM = """
class Part:
    def __init__(self, rows, handle=None):
        self.rows = {kept}
        self.other = {other}

def main(path):
    rows = Rows(path)
    part = Part({given})
    return DataLoader(part, num_workers=2)
"""
KEPT = {
    "an attribute": {"kept": "rows.file"},
    "in a list": {"kept": "[rows.file, 1]"},
    "an argument": {"other": "handle", "given": "rows, rows.file"},
    "a keyword": {"other": "handle", "given": "rows, handle=rows.file"},
}
READ = {
    "the object": {"kept": "rows"},
    "a value of it": {"kept": "len(rows.file)"},
    "an argument that is only read": {"other": "len(handle)", "given": "rows, rows.file"},
}


def reasons(kept="rows", other="None", given="rows"):
    program = PROGRAM.format(kept=kept, other=other, given=given)
    return [each for each in opened(program=textwrap.dedent(program)) if "another object" in each]


@pytest.mark.parametrize("parts", KEPT.values(), ids=KEPT)
def test_a_handle_that_is_kept_elsewhere_is_sent_from_there(parts):
    assert reasons(**parts)


@pytest.mark.parametrize("parts", READ.values(), ids=READ)
def test_what_is_only_read_elsewhere_is_not(parts):
    assert not reasons(**parts)


CONNECTED = """
import sqlite3

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def __getitem__(self, index):
        return self.db.execute("select x from t").fetchone()
"""
STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.db = sqlite3.connect(self.path)
"""
EDITOR = """
class Editor:
    def __init__(self, rows):
        self.db = {kept}

def main(path):
    rows = Rows(path)
    editor = Editor(rows)
    return DataLoader(rows, num_workers=2)
"""


@pytest.mark.parametrize(("kept", "refused"), [("rows.db", True), ("rows", False)])
def test_a_new_connection_does_not_see_what_another_object_has_not_committed(kept, refused):
    program = EDITOR.format(kept=kept)
    found = worse(CONNECTED + program, CONNECTED + STATE + program)
    assert any("is not committed" in each for each in found) is refused


HELD = """
class Events(IterableDataset):
    def __init__(self, path):
        self.path = path
        {opened}
        self.lines = {lines}
{methods}
    def __iter__(self):
        yield from self.lines
"""
LEFT_OUT = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
"""


@pytest.mark.parametrize(
    ("lines", "is_held"),
    [
        ("iter(self.file.readline, '')", True),
        ("functools.partial(self.file.read, 4)", True),
        ("self.file.readlines()", False),
        ("list(map(str, self.file.readlines()))", False),
    ],
)
def test_a_method_of_a_handle_is_sent_with_what_is_made_of_it(lines, is_held):
    before = HELD.format(opened="self.file = open(path)", lines=lines, methods="")
    after = HELD.format(opened="self.file = open(path)", lines=lines, methods=LEFT_OUT)
    found = any("is sent with it" in reason for reason in worse(before, after))
    assert found is is_held
