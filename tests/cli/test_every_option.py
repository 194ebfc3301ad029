"""Every option of every command is used in some test that runs the command line."""

import ast
import functools
from pathlib import Path

import pytest
import typer.main

from dlfix.cli import app

TESTS = Path(__file__).parents[1]


def offered():
    """Yield each command with each of its options' spellings."""
    for name, command in typer.main.get_command(app).commands.items():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield name, (*parameter.opts, *parameter.secondary_opts)


def words(call):
    """Yield the strings in a call, and the name of the function: a test's `probe(...)` runs it."""
    if isinstance(call.func, ast.Name):
        yield call.func.id
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def used():
    """Yield the words of each call in the tests: a command and its options, in some."""
    for path in TESTS.rglob("test_*.py"):
        if path == Path(__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield set(words(node))


@functools.cache
def calls():
    return list(used())


@pytest.mark.parametrize(
    ("command", "spellings"),
    [(command, spelling) for command, spelling in offered()],
    ids=[f"{command} {spellings[0]}" for command, spellings in offered()],
)
def test_an_option_is_tried(command, spellings):
    assert any(command in said and said.intersection(spellings) for said in calls())
