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
        "with h5py.File(self.path) as file:\n    self.keys = list(file)",
        "self.count = len(self.keys)",
    ]


def test_what_has_no_with_of_its_own_is_closed_by_one():
    assert reading("self.keys = list(self.file)", file="sqlite3.connect")[0].startswith(
        "with contextlib.closing(h5py.File(self.path)) as file:"
    )


def test_what_stands_between_comes_along():
    assert reading("self.keys = list(self.file)", "log(path)", "self.count = len(self.file)") == [
        "with h5py.File(self.path) as file:\n"
        "    self.keys = list(file)\n"
        "    log(path)\n"
        "    self.count = len(file)",
    ]


def test_a_line_that_would_get_too_long_stays_where_it_is():
    long = f"self.title = {'a' * 90!r}"
    assert reading("self.keys = list(self.file)", long, "self.n = len(self.file)") == [
        "file = h5py.File(self.path)",
        "self.keys = list(file)",
        long,
        "self.n = len(file)",
        "file.close()",
    ]


def test_many_lines_stay_where_they_are():
    lines = ["for key in self.file:", *(f"    self.k{n} = key" for n in range(12))]
    opened, loop, closed = reading(*lines)
    assert (opened, closed) == ("file = h5py.File(self.path)", "file.close()")
    assert loop.startswith("for key in file:")


def test_a_name_that_something_else_has_is_not_taken():
    assert reading("self.keys = [file for file in self.file]")[0].startswith(
        "with h5py.File(self.path) as opened_file:"
    )


def test_what_a_lambda_reads_stays_the_attribute():
    lines = ("self.n = len(self.file)", "self.get = lambda key: self.file[key]")
    assert "self.n = len(self.file)" in "".join(reading(*lines))


def test_a_lambda_that_sorts_reads_the_local_handle():
    line = "self.keys = sorted(self.file, key=lambda key: self.file[key].name)"
    assert "key=lambda key: file[key].name" in reading(line)[0]


def test_it_is_refused_where_a_function_that_is_kept_reads_its_local_name():
    with pytest.raises(Refusal, match="`f` is captured by a function that may be called later"):
        lazily(
            dataset(
                "def __init__(self, path):\n"
                "    f = h5py.File(path)\n"
                "    self.file = f\n"
                "    self.keys = list(f)\n"
                "    self.get = lambda key: f[key]\n"
            ),
            file="h5py.File",
        )


def test_it_is_refused_where_it_is_asked_for_above_its_opening():
    with pytest.raises(Refusal, match="`file` is used before it is opened"):
        lazily(
            dataset(
                "def __init__(self, path):\n"
                "    self.n = len(self.file) if hasattr(self, 'file') else 0\n"
                "    self.path = path\n"
                "    self.file = h5py.File(path)\n"
            ),
            file="h5py.File",
        )


def test_what_another_method_reads_stays_the_attribute():
    assert "self.n = self[0]" in "".join(reading("self.n = self[0]", "self.m = len(self.file)"))


def test_it_is_closed_in_the_branch_that_alone_uses_it():
    assert reading(
        "if not path:", "    self.keys = []", "else:", "    self.n = len(self.file)"
    ) == [
        "if not path:\n    self.keys = []\nelse:\n"
        "    with h5py.File(self.path) as file:\n        self.n = len(file)"
    ]


def test_an_elif_that_asks_it_is_within():
    lines = ["if not path:", "    self.n = 0", "elif len(self.file):", "    self.n = 1"]
    assert reading(*lines)[0].startswith("with h5py.File(self.path) as file:\n    if not path:")


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
        "with h5py.File(self.path) as file:\n    self.keys = list(file)",
        "self._other = other",
        "with h5py.File(self._other) as other_file:\n    self.count = len(other_file)",
    ]


def test_a_with_closes_it_where_init_leaves_early():
    lines = ("if not len(self.file):", "    return", "self.keys = list(self.file)")
    assert reading(*lines)[0].startswith("with h5py.File(self.path) as file:")


def test_it_is_refused_where_init_leaves_early_and_no_with_closes_it():
    with pytest.raises(Refusal, match="`__init__` may return while the resource is open"):
        reading("if not self[0]:", "    return", "self.keys = list(self.file)")
