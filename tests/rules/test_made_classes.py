"""Classes that calls make are found by the name that they are made with, in the module that they say (DLF103)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.plans import Fix, Refused
from dlfix.session import Session
from tests.reach.marked import check

MAIN = """\
import collections, dataclasses, enum, types, typing
from torch.utils.data import DataLoader
{made}
def main(): DataLoader([{sent}], num_workers=2)
"""


@pytest.mark.parametrize(
    ("made", "sent"),
    [
        ("Color = enum.Enum('Colour', 'RED')  # !DLF103", "Color.RED"),
        ("Color = enum.Enum('Colour', 'RED')  # !DLF103", "Color['RED']"),
        ("Flag = enum.IntFlag('Bits', 'A')  # !DLF103", "Flag.A"),
        ("New = types.new_class('New')  # !DLF103", "New()"),
        ("class K:\n    P = collections.namedtuple('P', 'x')  # !DLF103", "K.P(1)"),
        ("class K:\n    Kind = enum.Enum('Kind', 'A')  # !DLF103", "K.Kind.A"),
        ("class K:\n    Made = type('Made', (), {})  # !DLF103", "K.Made()"),
        # found by their names
        ("Color = enum.Enum('Color', 'RED')", "Color.RED"),
        ("Color = enum.Enum('Colour', 'RED', qualname='Color')", "Color.RED"),
        ("New = types.new_class('New')\nNew.__module__ = __name__", "New()"),
        ("class K:\n    P = collections.namedtuple('P', 'x')\nP = K.P", "K.P(1)"),
        ("Pair = collections.namedtuple('P', 'x')\nP = Pair", "Pair(1)"),
        ("Pair = collections.namedtuple('P', 'x')\nPair.__qualname__ = 'Pair'", "Pair(1)"),
        ("class K:\n    Kind = enum.Enum('Kind', 'A', qualname='K.Kind')", "K.Kind.A"),
        # what is sent is of another class
        ("Color = enum.Enum('Colour', 'RED')", "Color.RED.value"),
        ("Color = enum.Enum('Colour', 'RED')", "Color.RED.name"),
        ("Table = typing.TypedDict('Rows', {'x': int})", "Table(x=1)"),
        ("UserId = typing.NewType('User', int)", "UserId(3)"),
    ],
)
def test_classes_are_found_by_what_they_are_made_with(made: str, sent: str, tmp_path: Path) -> None:
    check(tmp_path, MAIN.format(made=made, sent=sent))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="they are of the module that makes them")
def test_a_data_class_that_a_call_makes_is_of_the_module_types(tmp_path: Path) -> None:
    check(
        tmp_path,
        MAIN.format(
            made="Row = dataclasses.make_dataclass('Row', ['x'])  # !DLF103", sent="Row(1)"
        ),
    )


@pytest.mark.parametrize(
    ("made", "sent", "reason"),
    [
        ("Color = enum.Enum('Colour', 'RED')", "Color.RED", ""),
        (
            "Colour = 3\nColor = enum.Enum('Colour', 'RED')",
            "Color.RED",
            "`Colour`, the name of the",
        ),
        ("P = collections.namedtuple('Po' 'int', 'x')\nPoint = 1", "P(1)", "`Point`, the name of"),
        ("N = 'Q'\nP = collections.namedtuple(N, 'x')", "P(1)", "is not a string literal with"),
        ("New = types.new_class('Newer')", "New()", "of the module `types`, where pickle"),
        ("Row = dataclasses.make_dataclass('Rows', ['x'])", "Row(1)", "before Python 3.12, where"),
        ("P = collections.namedtuple('Point', 'x y')", "P(1, 2)", ""),
        ("class K:\n    Kind = enum.Enum('Kind', 'A')", "K.Kind.A", ""),
    ],
)
def test_a_class_is_bound_to_its_own_name(
    made: str, sent: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(MAIN.format(made=made, sent=sent), encoding="utf-8")
    (found,) = Session.open([path], Settings()).diagnoses()
    assert isinstance(found.outcome, Refused if reason else Fix)
    assert not isinstance(found.outcome, Refused) or reason in found.outcome.reason


@pytest.mark.parametrize(
    ("beside", "is_lost"),
    [
        ("class E(Exception):\n    def __reduce__(self): return E, self.args", True),
        ("class E(Exception):\n    def __reduce__(self): return super().__reduce__()", True),
        ("def reduce(self): return P, (1,)\nP.__reduce__ = reduce", False),
        ("setattr(P, '__reduce__', print)", False),
        ("P = type('P', (P,), {'__reduce__': print})", False),
    ],
)
def test_how_other_classes_are_pickled_says_nothing_of_a_class(
    beside: str, is_lost: bool, tmp_path: Path
) -> None:
    text = f"P = collections.namedtuple('Q', 'x'){'  # !DLF103' if is_lost else ''}\n{beside}"
    check(tmp_path, MAIN.format(made=text, sent="P(1)"))


FACTORY = """\
import collections, typing
from torch.utils.data import DataLoader
def record(name, *fields):
    return collections.namedtuple(name, fields){mark}
{made}
def main(): DataLoader([{sent}], num_workers=2)
"""


@pytest.mark.parametrize(
    ("made", "sent", "is_lost"),
    [
        ("Item = record('Sample', 'x', 'y')", "Item(1, 2)", True),
        ("Item = record('Sample', 'x')\nOther = record('Other', 'x')", "Item(1)", True),
        ("Sample = record('Sample', 'x', 'y')", "Sample(1, 2)", False),
        ("Sample = Item = record('Sample', 'x', 'y')", "Item(1, 2)", False),
        ("Item = record('Sample', 'x')\nSample = Item", "Item(1)", False),
        ("Item = record('Sample', 'x')\nItem.__module__ = __name__", "Item(1)", False),
        ("Item = record('Sample', 'x')\nglobals()['Sample'] = Item", "Item(1)", False),
        ("import sys\nItem = record(sys.argv[1], 'x')", "Item(1)", False),
    ],
)
def test_a_class_that_a_function_makes_is_found_by_the_name_it_is_made_with(
    made: str, sent: str, is_lost: bool, tmp_path: Path
) -> None:
    mark = "  # !DLF103" if is_lost else ""
    check(tmp_path, FACTORY.format(made=made, sent=sent, mark=mark))


BATCHES = """\
import collections, dataclasses, enum, typing
from torch.utils.data import DataLoader
{made}
def join(rows):
    return {batch}  # !DLF207
def main(): DataLoader([1, 2], num_workers=2, collate_fn=join)
"""


@pytest.mark.parametrize(
    ("made", "batch", "is_named"),
    [
        ("Pair = collections.namedtuple('P', 'x y')", "Pair(*rows)", True),
        ("Pair = collections.namedtuple('P', 'x y')", "Pair._make(rows)", True),
        ("Pair = collections.namedtuple('P', 'x y')", "{'pair': [Pair(1, 2), Pair(3, 4)]}", True),
        ("Pair = typing.NamedTuple('P', [('x', int)])", "Pair(rows)", True),
        ("Pair = type('P', (dict,), {})", "Pair(x=rows)", True),
        ("Color = enum.Enum('Colour', 'RED')", "Color.RED", True),
        ("class K:\n    P = collections.namedtuple('P', 'x')", "K.P(rows)", True),
    ],
)
def test_batches_of_classes_that_are_made_under_another_name(
    made: str, batch: str, is_named: bool, tmp_path: Path
):
    text = BATCHES.format(made=made, batch=batch)
    check(tmp_path, text)
    (found,) = Session.open([tmp_path], Settings()).diagnoses()
    assert isinstance(found.outcome, Fix) is is_named


@pytest.mark.parametrize(
    ("made", "batch"),
    [
        ("Pair = collections.namedtuple('Pair', 'x y')", "Pair(*rows)"),
        ("Pair = collections.namedtuple('P', 'x y')\nP = Pair", "Pair(*rows)"),
        ("Pair = collections.namedtuple('P', 'x y')", "Pair(*rows).x"),
        ("Pair = collections.namedtuple('P', 'x y')", "tuple(Pair(*rows))"),
        ("class Pair(collections.namedtuple('P', 'x y')): pass", "Pair(*rows)"),
        ("Color = enum.Enum('Colour', 'RED')", "Color.RED.value"),
        ("Color = enum.Enum('Color', 'RED')", "Color.RED"),
    ],
)
def test_batches_of_classes_that_are_found_by_name(made: str, batch: str, tmp_path: Path):
    check(tmp_path, BATCHES.format(made=made, batch=batch).replace("  # !DLF207", ""))
