"""A local class that unpickling makes again: the call of its function has to give the very same class."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

PROGRAM = """
import copy
from unittest import mock

class Numbers(Dataset):
    mean = 0
    {numbers}

class Halves(Numbers):
    {halves}

class Plain(Dataset):
    def __getitem__(self, index):
        return index - self.mean
    {plain}

KINDS = {kinds}
{module}

{cached}
def rows_of({parameters}):
    {first}
    class Rows({bases}):
        {body}
{reduce}
    return Rows
{maker}

def shown(cls):
    return cls.mean

def main(kind):
    Rows = {call}
    print(shown(Rows), Rows.mean)
    {main}
    return DataLoader({made}, num_workers=2)

{calls}
if __name__ == "__main__":
    main({given})
"""
PARTS = {
    "numbers": "pass",
    "halves": "pass",
    "plain": "",
    "kinds": "{'numbers': Numbers, 'halves': Halves}",
    "module": "",
    "parameters": "kind",
    "first": '"""Return a class."""',
    "bases": "KINDS[kind], Plain",
    "body": "pass",
    "call": "rows_of(kind)",
    "main": "",
    "made": "Rows()",
    "calls": "",
    "given": "'halves'",
}
REDUCE = """
        def __reduce__(self):
            return _new_rows, ({names},), {state}
"""
MAKER = """
def _new_rows({parameters}):
    cls = rows_of({parameters})
    return cls.__new__(cls)
"""
CACHED = "@functools.lru_cache(maxsize=None)"


def reasons(*, cached=CACHED, maker=MAKER, state="self.__dict__", others=None, **parts):
    parts = {**PARTS, **parts}
    names = parts["parameters"]
    before = PROGRAM.format(**parts, cached="", reduce="", maker="")
    reduce = REDUCE.format(names=names, state=state)
    maker = maker.format(parameters=names)
    after = PROGRAM.format(**parts, cached=cached, reduce=reduce, maker=maker)
    return worse(before, after, **(others or {}))


def test_a_class_of_a_table_is_made_again():
    assert reasons() == []


@pytest.mark.parametrize(
    "parts",
    [
        {"parameters": "base", "bases": "base", "call": "rows_of(Numbers)"},
        {"parameters": "base", "bases": "Plain, base", "call": "rows_of(Halves)"},
        {"body": "def scaled(self, by=-2): return self[0] * by"},
        {"body": "factor = 2"},
        {"body": "def __len__(self): return len(kind)"},
        {
            "parameters": "kind, by",
            "call": "rows_of(kind, 2)",
            "body": "def __len__(self): return by",
        },
        {"calls": "NAMES = sorted(KINDS)"},
        {"calls": "__all__ = ['rows_of']"},
        {"calls": "def has(kind):\n    return kind in KINDS and KINDS[kind].mean"},
        {
            "numbers": "def __getstate__(self): return self.__dict__.copy()",
            "state": "self.__getstate__()",
        },
        {"main": "assert type(kind) is str"},
    ],
)
def test_what_each_process_makes_alike(parts):
    assert reasons(**parts) == []


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"main": "Rows.mean = 3"}, "used other than"),
        ({"main": "setattr(Rows, 'mean', 3)"}, "used other than"),
        ({"main": "rows = Rows(); rows.__class__.mean = 3"}, "changes the class"),
        ({"main": "rows = Rows(); rows.__class__ = Plain"}, "changes the class"),
        ({"main": "rows = Rows(); type(rows).mean = 3"}, "changes the class"),
        ({"main": "rows = Rows(); setattr(type(rows), 'mean', 3)"}, "changes the class"),
        ({"main": "class More(Rows): pass"}, "used other than"),
        ({"main": "print(isinstance(kind, Rows))"}, "used other than"),
        ({"main": "table = {Rows: 1}"}, "used other than"),
        ({"main": "vars(Rows)"}, "used other than"),
        ({"main": "Rows.__bases__ = (Plain,)"}, "used other than"),
        ({"main": "Numbers.mean = 3"}, "set on the class by the parent alone"),
        ({"main": "KINDS[kind].mean = 3"}, "used other than"),
        ({"main": "kept = KINDS[kind]\n    kept.mean = 3"}, "used other than"),
        ({"main": "KINDS['numbers'] = Plain"}, "may be changed"),
        ({"main": "KINDS.update(numbers=Plain)"}, "may be changed"),
        ({"main": "change(KINDS)"}, "may be changed"),
        ({"main": "with mock.patch.dict('main.KINDS', x=Plain): pass"}, "may be replaced"),
        ({"module": "KINDS = dict(KINDS)"}, "no table of texts and classes"),
        ({"kinds": "dict(numbers=Numbers)"}, "no table of texts and classes"),
        ({"kinds": "{'numbers': Numbers, 'halves': make()}"}, "not known to be a class"),
        ({"kinds": "{1: Numbers, True: Halves}"}, "no table of texts and classes"),
        ({"module": "if len(KINDS) > 1:\n    Numbers = Halves"}, "not known to be a class"),
        ({"call": "rows_of(kind=kind)"}, "used other than by a call"),
        ({"call": "[*map(rows_of, [kind])][0]"}, "used other than by a call"),
        ({"calls": "with mock.patch('main.rows_of', print): pass"}, "bound again or replaced"),
        ({"calls": "def again():\n    global rows_of\n    rows_of = print"}, "bound again"),
        ({"calls": "made = globals()['rows_of']"}, "looked up by its name"),
        ({"cached": ""}, "makes a class for each call"),
        ({"cached": "@functools.lru_cache(maxsize=2)"}, "makes a class for each call"),
        ({"numbers": "__slots__ = ('x',)"}, "has `__slots__`"),
        ({"numbers": "def __reduce_ex__(self, version): return Halves, ()"}, "`__reduce_ex__`"),
        ({"halves": "def __new__(cls): return Numbers()"}, "has `__new__`"),
        ({"halves": "def __init_subclass__(cls): print(cls)"}, "has `__init_subclass__`"),
        ({"plain": "def __copy__(self): return self"}, "has `__copy__`"),
        ({"plain": "def __getattr__(self, name): return name"}, "has `__getattr__`"),
        ({"main": "Rows.register(Plain)"}, "used other than"),
        ({"main": "import cloudpickle"}, "by value"),
        ({"main": "from ray import data"}, "by value"),
        (
            {
                "numbers": "known = {}\n    def prepare(self): self.known[0] = 1",
                "body": "def __getitem__(self, index): return self.known[index]",
                "main": "Rows().prepare()",
            },
            "table of the class that the parent alone fills",
        ),
        ({"plain": "def __setstate__(self, state): pass"}, "is not sent as it was"),
        ({"halves": "def __getstate__(self): return {}"}, "is not sent as it was"),
        (
            {"halves": "def __getstate__(self): return {}", "state": "self.__getstate__()"},
            "is not sent as it was",
        ),
        ({"numbers": "def __getstate__(self): return {}"}, "is not sent as it was"),
        ({"plain": "def note(self):\n        type(self).mean += 1"}, "sets `mean` on the class"),
        ({"body": "rows = []"}, "more than methods and constants"),
        ({"body": "mean = print(1)"}, "more than methods and constants"),
        ({"body": "def scaled(self, by=[]): return by"}, "more than methods and constants"),
        ({"body": "@note\n        def scaled(self): return 1"}, "more than methods and constants"),
        ({"bases": "KINDS[kind], Plain, metaclass=Meta"}, "takes part in making"),
        ({"bases": "KINDS[kind], Unknown"}, "is not known"),
        ({"bases": "KINDS[kind], *[Plain]"}, "is not known"),
        ({"first": "print(kind)"}, "may make something else"),
        ({"first": "kind = kind.lower()"}, "may make something else"),
        ({"parameters": "base", "bases": "base", "call": "rows_of(kind)"}, "no constant"),
        (
            {
                "parameters": "base",
                "bases": "base",
                "call": "rows_of(Local)",
                "first": "",
                "module": "def make():\n    class Local(Dataset): pass\n    return Local\n"
                "Local = make()",
            },
            "no constant",
        ),
        (
            {
                "parameters": "kind, by",
                "call": "rows_of(kind, [2])",
                "body": "def __len__(self): return by",
            },
            "no constant",
        ),
        (
            {
                "parameters": "kind, by",
                "call": "rows_of(kind, 1)",
                "calls": "def other(): return rows_of('halves', True)()",
                "body": "def __len__(self): return by",
            },
            "several types",
        ),
        ({"maker": MAKER.replace("cls.__new__(cls)", "cls()")}, "may make something else"),
        ({"maker": "@note" + MAKER}, "may make something else"),
        ({"state": "dict(self.__dict__, x=1)"}, "may make something else"),
    ],
)
def test_what_may_be_another_class_or_object(parts, reason):
    assert any(reason in each for each in reasons(**parts))


SECOND = "def other(): return rows_of('halves')()"


@pytest.mark.parametrize(
    "asked",
    [
        "type(a) is type(b)",
        "a.__class__ == b.__class__",
        "isinstance(a, type(b))",
        "Dataset.__subclasses__()",
        "a[type(b)]",
    ],
)
def test_classes_that_calls_share_are_not_told_apart(asked):
    asks = f"def same(a, b): return {asked}"
    assert reasons(calls=f"{SECOND}\n{asks}")
    assert not reasons(calls=asks)  # one call makes one class
    assert not reasons(calls=SECOND)
    assert reasons(calls=asks, made="[main(kind), Rows()][1]")  # which is made more than once


def test_other_modules_count():
    other = "import main\nmain.KINDS['x'] = print\n"
    assert any("may be changed" in each for each in reasons(others={"other": other}))
    other = "from main import rows_of\nrows_of('numbers').mean = 4\n"
    assert any("used other than" in each for each in reasons(others={"other": other}))
    other = "from main import rows_of as made\nmade(kind='numbers')\n"
    assert any("used other than by" in each for each in reasons(others={"other": other}))
