"""A value that was evaluated under a condition is not kept without it."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, options):
        self.options = options
{init}

    def __getitem__(self, i):
        return self.file[i]
"""
AFTER = """
class Rows(Dataset):
    def __init__(self, options):
        self.options = options
{init}

    @functools.cached_property
    def file(self):
        return h5py.File(self._file_path)

    def __getstate__(self):
        return {{k: v for k, v in self.__dict__.items() if k != "file"}}

    def __getitem__(self, i):
        return self.file[i]
"""
OPEN = "self.file = h5py.File(options['path'])"
KEEP = "self._file_path = options['path']"
UNDER = {
    "a test": (f"if options['on']:\n    {OPEN}", "{}"),
    "another branch": (f"if options['off']:\n    pass\nelse:\n    {OPEN}", "{}"),
    "an error": (f"try:\n    {OPEN}\nexcept KeyError:\n    self.file = None", "{}"),
    "a return": (f"if not options:\n    return\n{OPEN}", "{}\nif not options:\n    return"),
    "another test, which is kept": (
        f"if options['on']:\n    {OPEN}",
        "self._off = options['off']\nif self._off:\n    {}\nif options['on']:\n    pass",
    ),
    "a test that is kept twice": (
        f"if options['on']:\n    {OPEN}",
        "self._on = options['on']\nself._on = True\nif self._on:\n    {}",
    ),
    "the other test": (
        f"if options['on']:\n    {OPEN}",
        "if options['off']:\n    {}\nif options['on']:\n    pass",
    ),
}
SAME = {
    "no test": (OPEN, "{}"),
    "the same test": (f"if options['on']:\n    {OPEN}", "if options['on']:\n    {}"),
    "the same test, which is kept": (
        f"if options['on']:\n    {OPEN}",
        "self._on = options['on']\nif self._on:\n    {}",
    ),
    "the opposite of a test that is kept": (
        f"if options['off'] is not None:\n    pass\nelse:\n    {OPEN}",
        "self._off = options['off'] is not None\nif not self._off:\n    {}",
    ),
    "the opposite test": (
        f"if not options['on']:\n    pass\nelse:\n    {OPEN}",
        "if options['on']:\n    {}",
    ),
    "either branch": (f"if options['on']:\n    {OPEN}\nelse:\n    {OPEN}", "{}"),
    "the same return": (f"if not options:\n    return\n{OPEN}", "if not options:\n    return\n{}"),
}


def reasons(init, kept):
    def within(text):
        return "\n".join(f"        {line}" for line in text.split("\n"))

    before, after = BEFORE.format(init=within(init)), AFTER.format(init=within(kept.format(KEEP)))
    return [each for each in worse(before, after) if "only evaluated under" in each]


@pytest.mark.parametrize("pair", UNDER.values(), ids=UNDER)
def test_what_only_a_condition_evaluated_may_raise_without_it(pair):
    assert reasons(*pair)


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_what_was_evaluated_anyway_is_kept_anywhere(pair):
    assert not reasons(*pair)
