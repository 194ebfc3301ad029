"""What a constructor puts into a list or dict is put in again by what opens it later."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import opened, worse

NESTED = """
self.path, self.file = path, {}
for year in path:
    self.file[year] = {}
    for day in year:
        self.file[year][day] = h5py.File(day)
"""
FILLS = """
self.path = path
self.file = []
for day in path:
    self.file.append(h5py.File(day))
"""


@pytest.mark.parametrize(
    ("init", "opener", "kept"),
    [
        (NESTED, "return {}", False),
        (NESTED, "return {y: {d: h5py.File(d) for d in y} for y in self.path}", True),
        (NESTED.replace("self.file", "f") + "self.file = f\n", "return {}", False),
        (
            NESTED.replace("[day] = h5py.File(day)", ".setdefault(day, h5py.File(day))"),
            "return {}",
            False,
        ),
        (
            NESTED.replace("self.file[year][day] =", "self.file.get(year)[day] ="),
            "return {}",
            False,
        ),
        (
            NESTED.replace("self.file[year][day] =", "part = self.file[year]\n        part[day] ="),
            "return {}",
            False,
        ),
        (
            NESTED.replace("[day] = h5py", " |= {day: 0 if day else h5py").replace(
                "e(day)", "e(day)}"
            ),
            "return {}",
            False,
        ),
        (
            NESTED.replace("self.file[year] = {}", "part = self.file[year] = {}").replace(
                "self.file[year][day]", "part[day]"
            ),
            "return {}",
            False,
        ),
        (FILLS, "return []", False),
        (FILLS, "return [h5py.File(day) for day in self.path]", True),
        (FILLS, "return self._open()", True),
        (FILLS, "return opened(self.path)", True),
        (FILLS.replace("h5py.File(day)", "day"), "return []", True),
    ],
)
def test_a_property_makes_the_items_that_the_constructor_made(init, opener, kept):
    reasons = opened(
        init=init.strip(),
        opener=opener,
        body="def _open(self):\n    return [h5py.File(day) for day in self.path]\n",
        program="def opened(path):\n    return [h5py.File(day) for day in path]\n",
    )
    assert any("the constructor adds the result of" in reason for reason in reasons) is not kept


WHEN_ASKED = """
class Rows(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.files = {}
        self.first = self._file(0)["x"][0]
    def _file(self, i):
        if i not in self.files:
            self.files[i] = h5py.File(self.paths[i])
        return self.files[i]
    def __getitem__(self, i):
        return self._file(i)["x"]
"""


@pytest.mark.parametrize(("read", "kept"), [("self._file(i)", True), ("self.files[i]", False)])
def test_what_a_method_puts_in_when_it_is_asked_is_not_missing(read, kept):
    before = WHEN_ASKED.replace("return self._file(i)[", f"return {read}[")
    after = before.replace("        self.files = {}\n", "") + (
        "    @functools.cached_property\n    def files(self):\n        return {}\n"
        "    def __getstate__(self):\n        state = self.__dict__.copy()\n"
        "        state.pop('files', None)\n        return state\n"
    )
    reasons = worse(before, after)
    assert any("the constructor adds the result of" in reason for reason in reasons) is not kept


@pytest.mark.parametrize(
    ("test", "more", "kept"),
    [
        ("i not in self.files", "", True),
        ("i not in self.files.keys()", "", True),
        ("i in self.files", "", False),
        ("i not in self.files", "    def names(self):\n        return list(self.files)\n", False),
        ("i not in self.files", "print(Rows([]).files)\n", False),
    ],
)
def test_a_cache_that_the_constructor_alone_asks_may_be_empty(test, more, kept):
    before = WHEN_ASKED.replace("i not in self.files", test) + more
    before = before.replace('return self._file(i)["x"]', "return self.first")
    property_ = (
        "    @functools.cached_property\n    def files(self):\n        return {}\n"
        "    def __getstate__(self):\n        state = self.__dict__.copy()\n"
        "        state.pop('files', None)\n        return state\n    def _file("
    )
    after = before.replace("        self.files = {}\n", "").replace("    def _file(", property_)
    reasons = worse(before, after)
    assert any("the constructor adds the result of" in reason for reason in reasons) is not kept


STATE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.files = {}
        for day in path:
            self.files[day] = h5py.File(day)
"""
PAIR = """
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.files = {}
"""


def test_a_state_pair_makes_the_items_that_the_constructor_made():
    assert any(
        "the code that reopens it does not" in reason for reason in worse(STATE, STATE + PAIR)
    )
    again = PAIR.replace("= {}", "= {day: h5py.File(day) for day in self.path}")
    assert not any("the constructor adds" in reason for reason in worse(STATE, STATE + again))


@pytest.mark.parametrize(
    ("init", "opener", "refused"),
    [
        (FILLS.replace("h5py.File(day)", "os"), "return []", True),
        (NESTED.replace("h5py.File(day)", "os"), "return {}", True),
        (FILLS.replace("h5py.File(day)", "os"), "return [os for day in self.path]", False),
        ("self.path = path\nself.file = []", "return []", False),
    ],
)
def test_a_container_is_not_recreated_empty_that_the_constructor_filled(init, opener, refused):
    reasons = opened(init=init.strip(), opener=opener)
    assert refused == any("find it empty" in reason for reason in reasons)


BASE = """
class Base(Dataset):
    def __init__(self, paths):
        self.paths = paths
        {init}
{more}
    def add(self, path):
        self.files.append(h5py.File(path))

    def __getitem__(self, i):
        {item}
        return self.files[i]['x']

class Heir(Base):
    def __init__(self, paths):
        super().__init__(paths)
        for path in paths:
            self.add(path)
"""
BY_PROCESS = """
    @property
    def files(self):
        if os.getpid() not in self._files_by_pid:
            self._files_by_pid[os.getpid()] = []
        return self._files_by_pid[os.getpid()]

    def __getstate__(self):
        return {**self.__dict__, "_files_by_pid": {}}
"""
PAIR_OF_STATE = """
    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "files"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.files: list = []
"""


@pytest.mark.parametrize(
    ("init", "more"),
    [("self._files_by_pid = {}", BY_PROCESS), ("self.files: list = []", PAIR_OF_STATE)],
)
@pytest.mark.parametrize(("item", "refused"), [("pass", True), ("self.add(self.paths[i])", False)])
def test_what_only_the_parent_fills_is_not_left_to_workers(init, more, item, refused):
    before = BASE.format(init="self.files: list = []", more="", item=item)
    reasons = worse(before, BASE.format(init=init, more=more, item=item))
    assert refused == any("find it empty" in reason for reason in reasons)


HEIR = """
class Images(Rows):
    def __init__(self, path):
        super().__init__(path)
        {adds}
"""


@pytest.mark.parametrize(
    ("adds", "refused"),
    [
        ("self.file['more'] = h5py.File(path)", True),
        ("self.file.update(more=h5py.File(path))", True),
        ("self.more = {'more': h5py.File(path)}", False),
        ("self.path = path", False),
    ],
)
def test_what_a_derived_class_puts_in_is_not_lost(adds, refused):
    heir = HEIR.format(adds=adds)
    init = "self.path, self.file = path, {}\nself.file['one'] = h5py.File(path)"
    opener = "return {'one': h5py.File(self.path)}"
    reasons = opened(init=init, opener=opener, program=heir)
    assert any("`Images.__init__`" in each for each in reasons) is refused
