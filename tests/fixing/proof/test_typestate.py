"""Only what a rewrite may have changed is followed through the methods of a class."""

import textwrap
from pathlib import Path

import pytest

from dlfix.fixing.proof.changes import ClassChange, FileChange
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.typestate import Interpreter
from dlfix.project.project import Project

MAIN = Path("/program/main.py")
ROWS = """
class Base:
    def prepare(self):
        self.index()

    def describe(self):
        return self.title


class Rows(Base):
    def __init__(self, path):
        self.path = path
        if path:
            self.rows = open(path)

    def index(self):
        return len(self.rows)

    def total(self):
        return self.index() + self.size
"""


def program(text):
    project = Project([MAIN], {MAIN: textwrap.dedent(text)})
    module = project.get(MAIN)
    found = Program(project)
    return found, {each.name: each for each in found.classes(module)}


def read_unset(watched, name):
    found, classes = program(ROWS)
    interpreter = Interpreter(found, classes["Rows"], watched)
    made = interpreter.constructed()
    owner = next(each for each in classes.values() if name in each.methods)
    run = interpreter.alone(owner, owner.methods[name], made)
    return {reading.name for reading in run.unset}


@pytest.mark.parametrize(
    ("method", "unset"),
    [
        ("prepare", {".rows"}),
        ("describe", {".title"}),
        ("index", {".rows"}),
        ("total", {".rows", ".size"}),
    ],
)
def test_of_watched_attributes_the_same_is_told_as_of_all(method, unset):
    assert read_unset(None, method) == unset
    for watched in (frozenset({"rows"}), frozenset({"title", "size"}), frozenset({"path"})):
        assert read_unset(watched, method) == {name for name in unset if name[1:] in watched}


def at_stake(after):
    old, before_classes = program(ROWS)
    new, after_classes = program(after)
    file = FileChange(old, new, old.project.get(MAIN), new.project.get(MAIN))
    before, now = before_classes["Rows"], after_classes["Rows"]
    return ClassChange(file, before, now).attributes_at_stake(before, now)


def test_what_code_names_that_changed_is_at_stake():
    after = ROWS.replace("self.rows = open(path)", "self._rows_path = path")
    found = at_stake(after)
    assert {"rows", "_rows_path", "path"} <= found
    assert not {"title", "size"} & found


def test_nothing_is_left_out_where_the_bases_changed():
    assert at_stake(ROWS.replace("class Rows(Base)", "class Rows(dict)")) is None


CORRELATED = """
class Rows:
    def __init__(self, options, kind):
        self.kind = kind
        self.is_zip = options["kind"] == "zip"
        {before}
        if options["kind"] == "zip":
            self.path = options["path"]
        {after}

    def read(self):
        if {test}:
            return open(self.path)
"""


@pytest.mark.parametrize(
    ("test", "before", "after", "unset"),
    [
        ("self.is_zip", "pass", "pass", set()),
        ("not self.is_zip", "pass", "pass", {".path"}),
        ("self.is_zip", "pass", "self.is_zip = True", {".path"}),
        ("self.is_zip", "options = dict(kind='zip')", "pass", {".path"}),
        ("self.kind == 'zip'", "pass", "pass", {".path"}),
        ("self.other != 'zip'", "self.other = options['kind']", "pass", {".path"}),
        ("not self.other != 'zip'", "self.other = options['kind']", "pass", set()),
    ],
)
def test_an_attribute_that_keeps_a_condition_is_asked_for_it(test, before, after, unset):
    found, classes = program(CORRELATED.format(test=test, before=before, after=after))
    interpreter = Interpreter(found, classes["Rows"], frozenset({"path"}))
    made = interpreter.constructed()
    run = interpreter.alone(classes["Rows"], classes["Rows"].methods["read"], made)
    assert {reading.name for reading in run.unset} == unset
