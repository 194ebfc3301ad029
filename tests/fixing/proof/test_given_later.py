"""What an object gets after it was made, and what its constructor closed."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened, worse

REOPEN = """
    def reopen(self, place):
        self.path = place
        self.file = h5py.File(self.path, 'r')
"""
GONE = {
    "its folder is renamed": ("os.rename('data', 'archive')", True),
    "it is removed": ("os.remove('data/b')", True),
    "another is removed": ("os.remove('logs/c')", False),
}


@pytest.mark.parametrize(("gone", "removes"), GONE.values(), ids=GONE)
@pytest.mark.parametrize("given", ["'data/b'", "other"])
def test_a_file_that_a_method_is_given_is_not_removed(given, gone, removes):
    program = (
        f"other = 'data/b'\nrows = Rows('first/a')\nrows.reopen({given})\n{gone}\n"
        "DataLoader(rows, num_workers=2)\n"
    )
    reasons = opened(body=REOPEN, program=program)
    assert any("removed, renamed" in each for each in reasons) is removes


BY_PROCESS = """
class Rows(Dataset):
    def __init__(self, path):
        {made}
        self.array = np.memmap(path, dtype='i4', mode='r')
        {view}

    def __getitem__(self, index):
        return int(self.view[index])
{members}
rows = Rows('a')
{step}
DataLoader(rows, num_workers=2)
"""
VIEW = """
    def _open_view(self):
        self.view = self.array[0:6]

    @property
    def view(self):
        if os.getpid() not in self._view_by_pid:
            self._open_view()
        return self._view_by_pid[os.getpid()]

    @view.setter
    def view(self, view):
        self._view_by_pid[os.getpid()] = view

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_view_by_pid"] = {}
        return state
"""
SETTING = {
    "by an assignment": ("rows.array = np.arange(6)", True),
    "by object.__setattr__": ("object.__setattr__(rows, 'array', np.arange(6))", True),
    "another attribute": ("rows.name = 'a'", False),
}


@pytest.mark.parametrize(("step", "refused"), SETTING.values(), ids=SETTING)
def test_a_view_is_not_taken_again_of_what_was_replaced(step, refused):
    before = BY_PROCESS.format(
        made="pass", view="self.view = self.array[0:6]", members="", step=step
    )
    after = BY_PROCESS.format(
        made="self._view_by_pid = {}", view="self._open_view()", members=VIEW, step=step
    )
    reasons = worse(before, after)
    assert any("`array` is read later" in each for each in reasons) is refused


CLOSING = {
    "closed": ("self.file.close()", True),
    "closed and opened again": ("self.file.close()\nself.file = h5py.File(path, 'r')", False),
    "open": ("self.size = len(self.file)", False),
}


@pytest.mark.parametrize(("line", "refused"), CLOSING.values(), ids=CLOSING)
def test_what_the_constructor_closed_is_not_opened_again(line, refused):
    init = textwrap.dedent(f"self.path = path\nself.file = h5py.File(path, 'r')\n{line}")
    reasons = opened(init=init)
    assert any("property reopens it" in each for each in reasons) is refused


KEPT = {
    "in a table of the module": (
        "if path not in FILES:\n        FILES[path] = h5py.File(path)\n    return FILES[path]",
        True,
    ),
    "by setdefault": ("return FILES.setdefault(path, h5py.File(path))", True),
    "in a local table": (
        "files = {}\n    files[path] = h5py.File(path)\n    return files[path]",
        False,
    ),
    "nowhere": ("return h5py.File(path)", False),
}
KEYED = """
    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._file_by_pid[os.getpid()] = open_once(self.path)
        return self._file_by_pid[os.getpid()]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {{}}
        return state
"""


@pytest.mark.parametrize(("body", "refused"), KEPT.values(), ids=KEPT)
def test_a_forked_worker_gets_no_handle_that_a_function_keeps(body, refused):
    reasons = opened(
        init="self.path = path\nself.file = open_once(path)",
        later="self.path = path\nself._file_by_pid = {os.getpid(): open_once(path)}",
        getter=KEYED,
        program=f"FILES = {{}}\n\ndef open_once(path):\n    {body}\n\nDataLoader(Rows('a'), num_workers=2)\n",
    )
    assert any("caches the handle" in each for each in reasons) is refused
