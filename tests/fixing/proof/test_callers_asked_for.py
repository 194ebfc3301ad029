"""Code that asks which function calls it gets the same answer after a fix."""

import pytest

from tests.fixing.proof.pairs import opened, worse

ASKS = {
    "the frame above": ("sys._getframe(1).f_code.co_name", True),
    "the frame above its own": ("sys._getframe().f_back.f_code.co_name", True),
    "the frame above the current one": ("inspect.currentframe().f_back.f_code.co_name", True),
    "the second of the stack": ("inspect.stack()[1].function", True),
    "all of the stack": ("[each.name for each in traceback.extract_stack()]", True),
    "under another name": ("frame_of(1).f_code.co_name", True),
    "its own frame": ("sys._getframe().f_code.co_name", False),
    "its own entry of the stack": ("inspect.stack()[0].function", False),
    "a stack of another kind": ("np.stack([path])", False),
}
OPENER = """
    import inspect
    import sqlite3
    import sys
    import traceback
    from sys import _getframe as frame_of

    import numpy as np

    def connect(path):
        label = {asks}
        return sqlite3.connect(path), label

    def quiet(path):
        return connect(path)

    class Traced:
        def __init__(self, path):
            self.rows, self.label = connect(path)
            self.label = {asks}
    """


def asked(asks, opener="tracing.connect"):
    reasons = opened(
        init=f"self.path = path\nself.file = {opener}(path)",
        opener=f"return {opener}(self.path)",
        program="import tracing\n",
        tracing=OPENER.format(asks=asks),
    )
    return any("asks which function calls it" in reason for reason in reasons)


@pytest.mark.parametrize(("asks", "refused"), ASKS.values(), ids=ASKS)
def test_an_opener_asks_who_calls_it(asks, refused):
    assert asked(asks) == refused


def test_a_constructor_asks_who_calls_it():
    assert asked("sys._getframe(1).f_code.co_name", "tracing.Traced")


def test_what_calls_the_opener_is_the_same_where_a_function_lies_in_between():
    assert not asked("sys._getframe(1).f_code.co_name", "tracing.quiet")
    assert asked("sys._getframe(2).f_code.co_name", "tracing.quiet")


def test_code_that_moves_asks_for_its_own_name():
    reasons = opened(
        decorator="import sys\n",
        init="self.path = path\nself.file = h5py.File(path, 'r', name=sys._getframe().f_code.co_name)",
        opener="return h5py.File(self.path, 'r', name=sys._getframe().f_code.co_name)",
    )
    assert any("asks which function calls it" in reason for reason in reasons)


NOTES = """
import sys

def note(rows):
    return sys._getframe(1).f_code.co_name, rows

"""
MAKE = "def make():\n    {local}    return DataLoader([], collate_fn={name})\n"


def test_a_lambda_that_moves_gets_a_name():
    before = NOTES + MAKE.format(local="", name="lambda rows: note(rows)")
    after = (
        NOTES
        + "def _collate(rows):\n    return note(rows)\n\n"
        + MAKE.format(local="", name="_collate")
    )
    assert any("had another name" in reason for reason in worse(before, after))


def test_a_function_that_moves_keeps_its_name():
    local = "def collate(rows):\n        return note(rows)\n"
    before = NOTES + MAKE.format(local=local, name="collate")
    after = (
        NOTES
        + "def collate(rows):\n    return note(rows)\n\n"
        + MAKE.format(local="", name="collate")
    )
    assert not any("asks which function" in reason for reason in worse(before, after))
