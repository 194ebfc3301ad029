from __future__ import annotations

import pytest

from dlfix.fixing.classes.handles import Refusal
from tests.fixing.classes.lazily import lazily
from tests.fixing.classes.test_opening import dataset, init


def reading(*statements: str, file: str = "h5py.File") -> list[str]:
    """Return what becomes of an `__init__` that does this once the file is open."""
    lines = "".join(f"    {each}\n" for each in statements)
    code = lazily(
        dataset(
            f"def __init__(self, path):\n    self.path = path\n    self.file = h5py.File(path)\n{lines}"
            "\ndef __getitem__(self, index):\n    return self.file[index]\n"
        ),
        file=file,
    )
    return init(code)[1:]


def test_statements_that_use_it_stand_in_a_with():
    assert reading("self.keys = list(self.file)", "self.count = len(self.keys)") == [
        "with contextlib.closing(self.file):\n    self.keys = list(self.file)",
        "del self.file",
        "self.count = len(self.keys)",
    ]


def test_a_with_does_not_take_in_what_has_nothing_to_do_with_it():
    assert reading("self.keys = list(self.file)", "log(path)", "self.count = len(self.file)") == [
        "self.keys = list(self.file)",
        "log(path)",
        "self.count = len(self.file)",
        "self.file.close()",
        "del self.file",
    ]


def test_a_line_that_would_get_too_long_stays_where_it_is():
    long = "self.keys = [key for key in self.file if key.startswith('a') and key.endswith('bc')]"
    assert reading(long)[0].startswith("self.keys")


def test_many_lines_stay_where_they_are():
    lines = ["for key in self.file:", *(f"    self.k{n} = key" for n in range(12))]
    assert reading(*lines)[0].startswith("for key")


def test_no_with_opens_what_a_branch_may_not_need():
    lines = ("if path:", "    self.keys = list(self.file)", "elif 'a' in self.file:", "    pass")
    assert reading(*lines)[1].startswith("if 'file' in")


def test_it_is_closed_in_the_branch_that_alone_uses_it():
    assert reading(
        "if not path:", "    self.keys = []", "else:", "    self.n = len(self.file)"
    ) == [
        "if not path:\n    self.keys = []\nelse:\n"
        "    with contextlib.closing(self.file):\n        self.n = len(self.file)\n"
        "    del self.file"
    ]


def test_it_is_closed_below_an_elif_whose_branches_share_it():
    lines = ["if not path:", "    self.n = 0", "elif len(self.file):", "    self.n = 1"]
    assert reading(*lines)[1].startswith("if 'file' in")


def test_only_what_a_local_name_hangs_from_is_closed():
    code = lazily(
        dataset("""
        def __init__(self, path, other):
            self.path, self.other_path = path, other
            self.file = h5py.File(path)
            self.other = h5py.File(other)
            group = self.file["a"]
            self.count = len(group)

        def __getitem__(self, index):
            return self.file[index], self.other[index]
        """),
        file="h5py.File",
        other="h5py.File",
    )
    assert "other" not in init(code)[-1]


def test_what_the_later_of_two_is_opened_from_is_kept_before_a_with_opens_it():
    code = lazily(
        dataset("""
        def __init__(self, path, other):
            self.path = path
            self.file = h5py.File(path)
            self.keys = list(self.file)
            self.other = h5py.File(other)
            self.count = len(self.other)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
        other="h5py.File",
    )
    assert init(code)[1:4] == [
        "self.keys = list(self.file)",
        "self._other = other",
        "self.count = len(self.other)",
    ]


def test_it_is_refused_where_init_may_leave_in_between():
    with pytest.raises(Refusal, match="`__init__` may return while the resource is open"):
        reading("if not len(self.file):", "    return", "self.keys = list(self.file)")
