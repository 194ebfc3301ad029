"""What `__reduce__` is given to an exception class, and that pickle then makes it again."""

from __future__ import annotations

import ast
import pickle
import sys
import types
from pathlib import Path

import libcst as cst

from dlfix.fixing.planners.pickle_state_exceptions import AddReduce, reduce_plan
from dlfix.rules.base import Place
from dlfix.rules.reading import exceptions
from dlfix.source.text import Position, Span
from dlfix_codemods import pickle_state_classes

BEFORE = '''"""What may go wrong."""


class Failure(Exception):
    """The base of all."""


class Odd(Failure):
    def __init__(self, number: int, *, reason: str) -> None:
        super().__init__(f"{number}: {reason}")
        self.number = number
'''
AFTER = '''"""What may go wrong."""

import functools


class Failure(Exception):
    """The base of all."""


class Odd(Failure):
    def __init__(self, number: int, *, reason: str) -> None:
        super().__init__(f"{number}: {reason}")
        self.number = number
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return functools.partial(type(self), reason=self.reason), (self.number,), self.__dict__
'''


def rewritten(text: str) -> str:
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    last = classes[-1]
    span = Span(
        Position(last.lineno, last.col_offset),
        Position(last.end_lineno or 0, last.end_col_offset or 0),
    )
    constructor = exceptions.read(classes[::-1], Place(Path("errors.py"), span))
    assert constructor is not None
    plan = reduce_plan(constructor)
    assert isinstance(plan, AddReduce)
    return pickle_state_classes.rewrite(cst.parse_module(text), plan).code


def test_a_keyword_that_was_not_kept_is_kept_and_carried_in_a_partial() -> None:
    assert rewritten(BEFORE) == AFTER


def test_pickle_makes_the_exception_again() -> None:
    module = types.ModuleType("errors_rewritten")
    sys.modules[module.__name__] = module
    exec(AFTER, module.__dict__)
    error = pickle.loads(pickle.dumps(module.Odd(3, reason="odd")))
    assert (error.number, error.reason, str(error)) == (3, "odd", "3: odd")


def test_arguments_that_are_kept_are_handed_on_by_position() -> None:
    before = (
        "class Odd(Exception):\n"
        "    def __init__(self, number, reason):\n"
        "        super().__init__(f'{number}: {reason}')\n"
        "        self.number = number\n"
        "        self.reason = reason  # why\n"
    )
    after = before + (
        "\n    def __reduce__(self):\n        return type(self), (self.number, self.reason), self.__dict__\n"
    )
    assert rewritten(before) == after
