"""A handle that a function keeps, and gives to others as well, is not closed, and is no process's own."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import LAZY, worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = opened(path)
        self.header = self.file.attrs["header"]
"""
CLOSED = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with opened(self.path) as file:
            self.header = file.attrs["header"]
"""
BY_PROCESS = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {os.getpid(): opened(path)}
        self.header = self.file.attrs["header"]

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = opened(self.path)
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}
        return state
"""
ITEM = """
    def __getitem__(self, i):
        return self.file["rows"][i]
"""
KEEPING = {
    "a cache": """
@functools.lru_cache
def opened(path):
    return h5py.File(path, "r")
""",
    "a cache by a call": """
def _opened(path):
    return h5py.File(path, "r")

opened = functools.lru_cache(maxsize=None)(_opened)
""",
    "a decorator of the program": """
def remembered(function):
    results = {}
    @functools.wraps(function)
    def wrapper(path):
        if path not in results:
            results[path] = function(path)
        return results[path]
    return wrapper

@remembered
def opened(path):
    return h5py.File(path, "r")
""",
    "a decorator that is not known": """
@memory.cache
def opened(path):
    return h5py.File(path, "r")
""",
    "a table, tried first": """
FILES = {}

def opened(path):
    try:
        return FILES[path]
    except KeyError:
        file = h5py.File(path, "r")
        FILES[path] = file
        return file
""",
    "an object that keeps all": """
class Pool:
    def __init__(self):
        self.files = {}

    def take(self, path):
        if path not in self.files:
            self.files[path] = h5py.File(path, "r")
        return self.files[path]

POOL = Pool()

def opened(path):
    return POOL.take(path)
""",
    "a list of all": """
ALL = []

def opened(path):
    file = h5py.File(path, "r")
    ALL.append(file)
    return file
""",
}
MAKING = {
    "a call": """
def opened(path):
    return h5py.File(path, "r")
""",
    "one of two": """
def opened(path):
    if path.endswith(".gz"):
        return gzip.open(path)
    file = h5py.File(path, "r")
    print(file)
    return file
""",
    "another function": """
def _opened(path):
    return h5py.File(path, "r")

def opened(path):
    file = _opened(path) if path else None
    return file
""",
    "a decorator that calls": """
def logged(function):
    @functools.wraps(function)
    def wrapper(path):
        print(path)
        return function(path)
    return wrapper

@logged
def opened(path):
    return h5py.File(path, "r")
""",
}


def reasons(maker, after):
    found = worse(maker + BEFORE + ITEM, maker + after + ITEM)
    return [each for each in found if "give it to others" in each]


def in_with():
    return CLOSED + LAZY.format(opener="return opened(self.path)")


@pytest.mark.parametrize("maker", KEEPING.values(), ids=KEEPING)
def test_what_is_kept_is_not_closed(maker):
    assert reasons(maker, in_with())


@pytest.mark.parametrize("kind", [each for each in KEEPING if each != "a list of all"])
def test_what_is_kept_is_not_opened_by_process(kind):
    maker = KEEPING[kind]
    assert reasons(maker, BY_PROCESS)


@pytest.mark.parametrize("after", [in_with(), BY_PROCESS], ids=["closed", "by process"])
@pytest.mark.parametrize("maker", MAKING.values(), ids=MAKING)
def test_what_is_made_anew_is_closed_and_opened_again(maker, after):
    assert not reasons(maker, after)
