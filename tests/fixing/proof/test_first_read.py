"""A cached property keeps what its first read gives: all that it reads is there by then."""

import pytest

from tests.fixing.proof.pairs import opened

DICT = "return {key: h5py.File(p, 'r') for key, p in self.paths.items()}"
LOOP = """\
self.file = {}
self.rows = []
for key in names:
    self.file[key] = h5py.File(key, 'r')
    self.rows += list(self.file[key])
"""


def of_a_loop(later: str, **more: str) -> list[str]:
    reasons = opened(init=LOOP, later=later, opener=DICT, parameters="names", **more)
    return [reason for reason in reasons if "first read" in reason]


def test_a_property_is_not_read_in_the_loop_that_fills_what_it_opens():
    reasons = of_a_loop(
        "self.paths = {}\nself.rows = []\nfor key in names:\n"
        "    self.paths[key] = key\n    self.rows += list(self.file[key])\ndel self.file"
    )
    assert len(reasons) == 1
    assert "`file` is computed from `paths`" in reasons[0]


def test_it_may_be_read_in_a_loop_after_the_one_that_fills():
    assert not of_a_loop(
        "self.paths = {}\nself.rows = []\nfor key in names:\n    self.paths[key] = key\n"
        "for key in names:\n    self.rows += list(self.file[key])\ndel self.file"
    )


def test_a_method_that_reads_it_counts_where_it_is_called():
    later = (
        "self.paths = {}\nself.rows = []\nfor key in names:\n"
        "    self.scan(key)\n    self.paths[key] = key\ndel self.file"
    )
    scan = "\ndef scan(self, key):\n    self.rows += list(self.file[key])\n"
    assert of_a_loop(later, body=scan)


def test_a_method_that_fills_counts_where_it_is_called():
    later = (
        "self.paths = {}\nself.rows = []\nfor key in names:\n"
        "    self.rows += list(self.file)\n    self.note(key)\ndel self.file"
    )
    note = "\ndef note(self, key):\n    self.paths[key] = key\n"
    assert of_a_loop(later, body=note)


def test_a_branch_that_reads_does_not_meet_the_branch_that_fills():
    assert not of_a_loop(
        "self.paths = {}\nself.rows = []\nif names:\n    self.paths['a'] = names[0]\n"
        "else:\n    self.rows = list(self.file)\n    del self.file"
    )


def test_what_a_fix_keeps_is_not_read_before_it_is_filled():
    later = (
        "self.paths = {}\nself.rows = []\nopened = {k: h5py.File(p) for k, p in self.paths.items()}\n"
        "for key in names:\n    self.paths[key] = key\n    self.rows += list(opened[key])"
    )
    reasons = opened(init=LOOP, later=later, opener=DICT, parameters="names")
    assert any("`paths` is read (line" in reason for reason in reasons)


def test_what_a_fix_keeps_may_be_read_once_it_is_filled():
    later = (
        "self.paths = {}\nself.rows = []\nfor key in names:\n    self.paths[key] = key\n"
        "opened = {k: h5py.File(p) for k, p in self.paths.items()}\n"
        "for key in names:\n    self.rows += list(opened[key])"
    )
    reasons = opened(init=LOOP, later=later, opener=DICT, parameters="names")
    assert not any("is read (line" in reason for reason in reasons)


def incomplete(loop: str) -> list[str]:
    later = f"self.paths = {{}}\nself.rows = []\nfor key in names:\n{loop}"
    reasons = opened(init=LOOP, later=later, opener=DICT, parameters="names")
    return [reason for reason in reasons if "complete" in reason]


def test_the_item_that_was_put_in_just_before_may_be_read():
    assert not incomplete(
        "    self.paths[key] = key\n"
        "    with h5py.File(self.paths[key], 'r') as f:\n        self.rows += list(f)"
    )


def test_an_item_of_another_key_may_not():
    assert incomplete(
        "    self.paths[key] = key\n    key = names[-1]\n"
        "    with h5py.File(self.paths[key], 'r') as f:\n        self.rows += list(f)"
    )


def test_how_many_there_are_by_now_may_be_asked():
    assert not incomplete("    self.rows.append(len(self.paths))\n    self.paths[key] = key")


@pytest.mark.parametrize(
    ("then", "refused"), [("rows.__init__('b')", True), ("rows = Rows('b')", False)]
)
def test_what_a_property_keeps_is_not_another_files_once_the_constructor_is_called_again(
    then, refused
):
    reasons = opened(program=f"rows = Rows('a')\nprint(rows[0])\n{then}\nprint(rows[0])\n")
    assert any("`__init__` is called again" in each for each in reasons) is refused
