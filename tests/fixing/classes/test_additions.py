"""A list of handles that statements in a row make opens as a whole."""

from __future__ import annotations

import pytest

from dlfix.fixing.classes.handles import Refusal
from tests.fixing.classes.lazily import lazily

PROGRAM = """
import h5py

class Rows:
    def __init__(self, names, more):
        self.files = [h5py.File(name, "r") for name in names]
{below}
    def __getitem__(self, index):
        return self.files[index]
"""


def made(*below: str) -> str:
    lines = "".join(f"        {line}\n" for line in below)
    return lazily(PROGRAM.format(below=lines), files="h5py.File")


def test_what_the_next_statements_add_opens_with_it() -> None:
    after = made("# and more", "self.files += [h5py.File(more)]", "self.files += [h5py.File(more)]")
    assert (
        '        files = [h5py.File(name, "r") for name in self.names]\n'
        "        # and more\n"
        "        files += [h5py.File(self.more)]\n"
        "        files += [h5py.File(self.more)]\n"
        "        return files\n"
    ) in after


@pytest.mark.parametrize(
    "below",
    [
        ("print(names)", "self.files += [h5py.File(more)]"),
        ("self.files += [self.files[0]]",),
        ("self.files += more",),
        ("self.files *= 2",),
        ("if more:", "    self.files += [h5py.File(more)]"),
    ],
)
def test_what_is_added_in_another_way_is_not_taken_along(below: tuple[str, ...]) -> None:
    with pytest.raises(Refusal):
        made(*below)
