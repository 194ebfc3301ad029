"""What is replaced while an object is made is not called later."""

import pytest

from tests.fixing.proof.pairs import opened

PATCHES = {
    "a text": (
        "from unittest import mock\nwith mock.patch('h5py.File'):\n    rows = Rows('a')\n",
        True,
    ),
    "an attribute of a module": (
        "from unittest import mock\nwith mock.patch.object(h5py, 'File'):\n    rows = Rows('a')\n",
        True,
    ),
    "an assignment": ("h5py.File = print\nrows = Rows('a')\n", True),
    "a function of the program": (
        "def swap(owner, name, value):\n    setattr(owner, name, value)\n\nswap(h5py, 'File', print)\n"
        "rows = Rows('a')\n",
        True,
    ),
    "a key": ("vars(h5py)['File'] = print\nrows = Rows('a')\n", True),
    "another name": (
        "from unittest import mock\nwith mock.patch('h5py.Dataset'):\n    rows = Rows('a')\n",
        False,
    ),
    "a name of another module": (
        "from unittest import mock\nwith mock.patch.object(zipfile, 'File'):\n    rows = Rows('a')\n",
        False,
    ),
    "a question": ("print(getattr(h5py, 'File'))\nrows = Rows('a')\n", False),
}


@pytest.mark.parametrize(("program", "refused"), PATCHES.values(), ids=PATCHES)
def test_what_replaces_the_function_that_opens(program, refused):
    reasons = opened(program=program)
    assert refused == any("other code replaces it" in reason for reason in reasons)


def test_a_test_that_makes_no_such_object_may_replace_what_it_likes():
    other = "from unittest import mock\nwith mock.patch('h5py.File'):\n    print(1)\n"
    reasons = opened(program="rows = Rows('a')\n", other=other)
    assert not any("other code replaces it" in reason for reason in reasons)


PATCHED = """
import pytest
from unittest import TestCase, mock
from main import Rows, made

class RowsTest(TestCase):
    def setUp(self):
        {before}

    @mock.patch("main.tools")
    def {name}(self, tools):
        rows = {rows}
        print(rows[0])
        {after}

{beside}
"""
TESTS = {
    "made by the test": ({}, False),
    "made by a function": ({"rows": "made('a')"}, False),
    "made by another test, too": ({"before": "rows = Rows('b')"}, False),
    "a function in the test": ({"after": "size = lambda: 1\n        def g(): return 1"}, False),
    "made before": ({"before": "self.rows = Rows('b')"}, True),
    "made before, by a function": ({"before": "self.rows = made('b')"}, True),
    "kept": ({"after": "return rows"}, True),
    "made on import": ({"beside": "ROWS = Rows('b')"}, True),
    "a fixture": ({"beside": "@pytest.fixture()\ndef f():\n    rows = Rows('b')"}, True),
    "no test": ({"name": "replaced"}, True),
}


@pytest.mark.parametrize(("parts", "refused"), TESTS.values(), ids=TESTS)
def test_a_patch_of_a_whole_test_holds_for_what_is_called_later_as_well(parts, refused):
    given = dict.fromkeys(["before", "after"], "pass") | {"beside": "", "name": "test_rows"}
    reasons = opened(
        decorator="import tools\n",
        init="self.path = path\nself.file = tools.open(path)",
        opener="return tools.open(self.path)",
        program="def made(path):\n    return Rows(path)\n",
        tests=PATCHED.format(**given | {"rows": "Rows('a')"} | parts),
    )
    assert refused == any("`tools` is read later" in reason for reason in reasons)


@pytest.mark.parametrize(("importing", "refused"), [("", False), ("import other", True)])
def test_a_script_that_a_test_does_not_import_makes_its_objects_without_the_patch(
    importing, refused
):
    parts = dict.fromkeys(["before", "after"], "pass")
    reasons = opened(
        decorator="import tools\n",
        init="self.path = path\nself.file = tools.open(path)",
        opener="return tools.open(self.path)",
        other="from main import Rows\nROWS = Rows('b')\n",
        tests=PATCHED.format(**parts, beside=importing, name="test_rows", rows="Rows('a')"),
    )
    assert refused == any("`tools` is read later" in reason for reason in reasons)


METHODS = {
    "of the class": ("Rows.make = staticmethod(print)", True),
    "of a subclass": ("Sub.make = staticmethod(print)", True),
    "of a base": ("Base.make = staticmethod(print)", True),
    "of another class": ("Other.make = staticmethod(print)", False),
    "another method": ("Sub.made = staticmethod(print)", False),
}


@pytest.mark.parametrize(("statement", "refused"), METHODS.values(), ids=METHODS)
def test_a_method_that_opens_may_be_replaced_in_each_class_of_an_object(statement, refused):
    reasons = opened(
        decorator="class Base:\n    pass\n\n",
        bases="Base, Dataset",
        init="self.path = path\nself.file = self.make(path)",
        opener="return self.make(self.path)",
        body="def make(self, path):\n    return open(path)\n",
        program=(
            "class Sub(Rows):\n    pass\n\nclass Other:\n    pass\n\n"
            f"rows = Sub('a')\n{statement}\n"
        ),
    )
    assert refused == any("other code replaces it" in reason for reason in reasons)
