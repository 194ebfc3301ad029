"""Which callables that cross are not found by their names, and which only look so."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.catalog import load
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.dlf105_callable_not_found_by_name import CallableNotFoundByName

PATH = Path("/nowhere/program.py")
CATALOG = load()
HEAD = """
import functools
from torch.utils.data import DataLoader

def logged(function, word="x"):
    @functools.wraps(function)
    def inner(rows):
        return function(rows)
    return inner

def bare(function):
    def inner(rows):
        return function(rows)
    return inner

"""


def messages(body: str) -> list[str]:
    text = textwrap.dedent(HEAD) + textwrap.dedent(body)
    analysis = analyze(Project([PATH], {PATH: text}), CATALOG)
    return [finding.message for finding in CallableNotFoundByName().check(analysis)]


@pytest.mark.parametrize(
    "defined",
    [
        "@logged\ndef collate(rows):\n    return rows",
        "@logged\n@logged\ndef collate(rows):\n    return rows",
        "def collate(rows):\n    return rows\ncollate = logged(collate)",
        "collate = functools.partial(str, encoding='utf-8')",
    ],
)
def test_a_name_that_leads_back_is_no_finding(defined: str) -> None:
    assert messages(f"{defined}\nDataLoader([1], collate_fn=collate, num_workers=2)") == []


def test_a_decorator_without_wraps_is_told() -> None:
    body = "@bare\ndef collate(rows): ...\nDataLoader([1], collate_fn=collate, num_workers=2)"
    (message,) = messages(body)
    assert message == (
        "`inner` is sent to the workers wrapped by a decorator that does not use `functools.wraps`"
    )


def test_wraps_by_a_call_lends_a_name_that_leads_elsewhere() -> None:
    body = "def collate(rows): ...\nDataLoader([1], collate_fn=logged(collate), num_workers=2)"
    (message,) = messages(body)
    assert message == (
        "`inner` is sent to the workers under the name of `collate`, which is another function"
    )
