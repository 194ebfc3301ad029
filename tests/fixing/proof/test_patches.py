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
