from __future__ import annotations

from dataclasses import replace

import pytest

from dlfix.fixing.classes.state import Surroundings
from tests.fixing.classes.lazily import lazily
from tests.fixing.classes.test_opening import dataset, init, method

START = "def __init__(self, path):\n    self.path = path\n    self.file = h5py.File(path)\n"
GETITEM = "\ndef __getitem__(self, index):\n    return self.file[index]\n"


def counted(body: str, around: Surroundings | None = None, start: str = START) -> str:
    return lazily(dataset(f"{start}\n{body}\n{GETITEM}"), around, file="h5py.File")


def test_a_length_asked_of_a_handle_is_computed_once():
    code = counted("def __len__(self):\n    return len(self.file)")
    assert init(code)[1:] == [
        "with h5py.File(self.path) as file:\n    self._length = len(file)",
    ]
    assert method(code, "__len__") == "def __len__(self):\n    return self._length"
    assert "cached_property" in method(code, "file")


def test_all_that_computes_it_moves():
    code = counted(
        "def __len__(self):\n"
        '    """How many."""\n'
        "    # the first group alone\n"
        "    name = sorted(self.file)[0]\n"
        "    with self.file[name] as group:\n"
        "        return len(group)\n"
    )
    assert init(code)[1] == (
        "with h5py.File(self.path) as file:\n"
        "    name = sorted(file)[0]\n"
        "    with file[name] as group:\n"
        "        self._length = len(group)"
    )
    assert "            # the first group alone\n            name" in code
    assert "How many." in method(code, "__len__")


def test_it_may_be_asked_through_other_methods():
    code = counted(
        "def keys(self):\n    return list(self.file)\n\n"
        "def __len__(self):\n    return len(self.keys())\n"
    )
    assert init(code)[1].endswith("self._length = len(self.keys())")


def test_the_name_it_is_kept_under_is_free():
    code = counted(
        "def __len__(self):\n    return len(self.file)",
        start=START + "    self._length = None\n",
    )
    assert method(code, "__len__") == "def __len__(self):\n    return self._length_"


STAYS = {
    "what it depends on is set by a method": (
        "def __len__(self):\n    return len(self.file[self.split])\n\n"
        "def use(self, split):\n    self.split = split\n"
    ),
    "it looks at more than one thing": (
        "def __len__(self):\n    if self.path:\n        return 1\n    return len(self.file)\n"
    ),
    "it is cached already": (
        "def __len__(self):\n    self.size = len(self.file)\n    return self.size\n"
    ),
    "a local name means another thing in init": (
        "def __len__(self):\n    path = self.file['path']\n    return len(path)\n"
    ),
    "nobody knows what sets an attribute": (
        "def __len__(self):\n    return min(self.limit, len(self.file))\n"
    ),
}


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_it_stays_where(body):
    code = counted(body)
    assert "_length" not in code
    assert "_file_by_pid" in code


def test_it_stays_where_init_asks_for_it():
    start = START + "    self.half = len(self) // 2\n"
    code = counted("def __len__(self):\n    return len(self.file)", start=start)
    assert "_length" not in code


def test_it_stays_where_init_hands_the_instance_on():
    start = START + "    self.sampler = Sampler(self)\n"
    code = counted("def __len__(self):\n    return len(self.file)", start=start)
    assert "_length" not in code


def test_it_stays_where_code_outside_sets_what_it_depends_on():
    start = START + "    self.split = 'a'\n"
    around = replace(Surroundings(), set_elsewhere=frozenset({"split"}))
    body = "def __len__(self):\n    return len(self.file[self.split])"
    assert "_length" in counted(body, start=start)
    assert "_length" not in counted(body, around, start)


def test_it_stays_where_the_parent_reads_more():
    around = Surroundings(parent_methods=frozenset({"__len__", "keys"}))
    body = (
        "def keys(self):\n    return list(self.file)\n\n"
        "def __len__(self):\n    return len(self.file)\n"
    )
    assert "_length" not in counted(body, around)


@pytest.mark.parametrize(
    ("opener", "length", "computed"),
    [
        ("h5py.File(path)['x']", "len(self.x)", "len(file['x'])"),
        ("h5py.File(path)['x']['y']", "self.x.shape[0]", "file['x']['y'].shape[0]"),
        ("h5py.File(path).get('x')", "self.x.shape[0] // 2", "file.get('x').shape[0] // 2"),
    ],
)
def test_what_is_counted_once_needs_no_name(opener, length, computed):
    body = f"def __len__(self):\n    return {length}\n"
    start = f"def __init__(self, path):\n    self.path = path\n    self.x = {opener}\n"
    code = lazily(dataset(f"{start}\n{body}{GETITEM.replace('file', 'x')}"), x="")
    assert init(code)[1:] == [f"with h5py.File(self.path) as file:\n    self._length = {computed}"]


@pytest.mark.parametrize(
    ("opener", "length"),
    [
        ("read_columns(path)['x']", "len(self.x)"),  # who knows whether it can be closed
        ("h5py.File(path)['x']", "len(self.x) * self.x.shape[1]"),
    ],
)
def test_what_is_counted_keeps_its_name(opener, length):
    body = f"def __len__(self):\n    return {length}\n"
    start = f"def __init__(self, path):\n    self.path = path\n    self.x = {opener}\n"
    code = lazily(dataset(f"{start}\n{body}{GETITEM.replace('file', 'x')}"), x="")
    assert init(code)[1] == f"x = {opener.replace('path', 'self.path')}"
