"""What code looks up in the `__dict__` of an object stays there, or the fix is refused."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

CLASS = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        {init}

    {opens}

    @property
    def is_open(self):
        return {asked}

    def __getitem__(self, i):
        return self.file[i]
"""
BEFORE = "@functools.cached_property\n    def file(self):\n        return h5py.File(self.path)"
BY_PROCESS = """@property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path)
        return self._file_by_pid[pid]

    def __getstate__(self):
        return {**self.__dict__, "_file_by_pid": {}}"""
CACHED = (
    BEFORE
    + """

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "file"}"""
)


def reasons(asked, after, init="pass"):
    before = CLASS.format(init="pass", opens=BEFORE, asked=asked)
    found = worse(before, CLASS.format(init=init, opens=after, asked=asked))
    return [each for each in found if "is looked up in a `__dict__`" in each]


@pytest.mark.parametrize(
    "asked",
    [
        '"file" in self.__dict__',
        '"file" not in vars(self)',
        'self.__dict__.get("file") is not None',
    ],
)
def test_what_is_held_by_process_is_not_in_the_dict(asked):
    assert reasons(asked, BY_PROCESS, "self._file_by_pid = {}")
    assert not reasons(asked, CACHED)


@pytest.mark.parametrize("asked", ['"path" in self.__dict__', '"file" in self.path', "True"])
def test_other_questions_are_answered_as_they_were(asked):
    assert not reasons(asked, BY_PROCESS, "self._file_by_pid = {}")
