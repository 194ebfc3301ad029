from __future__ import annotations

import textwrap

import pytest

import dlfix
from dlfix.fixing.classes.handles import Refusal
from tests.fixing.classes.lazily import sliced
from tests.fixing.classes.test_opening import init, method

GET = "\ndef __getitem__(self, index):\n    self.file.seek(index)\n    return self.file.read(1)\n"


def rewritten(body: str, *others: str) -> str:
    start = "def __init__(self, path, member=0):\n" + textwrap.indent(
        textwrap.dedent(body).strip(), "    "
    )
    text = "\n".join([start, GET, *others])
    source = "import csv\nimport logging\n\n\nclass Items:\n" + textwrap.indent(text, "    ")
    return sliced(source, file="open")


def opener(body: str, *others: str) -> str:
    return method(rewritten(body, *others), "_open_file").partition("\n    ")[2]


def test_statements_in_one_piece_leave_the_constructor():
    code = rewritten("""
        self.path = path
        self.file = open(path, "rb")
        self.size = self.file.seek(0, 2)
    """)
    assert method(code, "_open_file").endswith("self.file = open(self.path, 'rb')")
    assert init(code)[1:] == [
        "self.path = path",
        "self._open_file()",
        "self.size = self.file.seek(0, 2)",
    ]


@pytest.mark.parametrize(
    ("above", "then", "leaves"),
    [
        ("", "", True),
        ("self.path = path", "", True),
        ("", "self.packed = gzip.magic", False),
        ("# Slow.", "", False),
    ],
)
def test_an_import_leaves_the_constructor_with_all_that_reads_it(above, then, leaves):
    code = rewritten(f"""
        {above}
        import gzip
        if member:
            self.file = gzip.open(path)
        else:
            self.file = open(path, "rb")
        {then}
    """)
    assert "import gzip" in method(code, "_open_file")
    assert ("import gzip" not in init(code)) is leaves
    assert "self._open_file()" in init(code)


def test_the_constructor_stays_where_more_is_done_between_them():
    code = rewritten("""
        self.path = path
        file = open(path, "rb")
        self.size = file.seek(0, 2)
        self.file = file
    """)
    assert method(code, "_open_file").endswith("file = open(self.path, 'rb')\n    self.file = file")
    assert "file = open(path, 'rb')" in init(code)


def test_a_branch_asks_again_what_cannot_have_changed():
    assert opener("""
        self.path = path
        if self.path.endswith(".gz"):
            self.file = gzip.open(self.path)
            self.packed = True
        else:
            self.file = open(self.path, "rb")
    """) == (
        "if self.path.endswith('.gz'):\n        self.file = gzip.open(self.path)\n"
        "    else:\n        self.file = open(self.path, 'rb')"
    )


def test_an_error_of_the_constructor_is_no_way_to_open():
    assert (
        opener("""
        self.path = path
        if member < 0:
            self.file = None
            raise ValueError(member)
        self.file = open(self.path, "rb")
    """)
        == "self.file = open(self.path, 'rb')"
    )


def test_what_an_error_led_to_is_kept():
    code = rewritten("""
        self.path = path
        try:
            self.file = open(self.path, "rb")
        except OSError:
            self.file = open(self.path + ".old", "rb")
    """)
    assert "self._file_fell_back = False" in init(code)
    assert method(code, "_open_file").endswith(
        "if self._file_fell_back:\n        self.file = open(self.path + '.old', 'rb')\n"
        "    else:\n        self.file = open(self.path, 'rb')"
    )


def test_a_local_value_that_opening_reads_is_kept():
    code = rewritten("""
        self.path = path
        size = max(member, 4)
        self.file = open(self.path, "rb", size)
        self.name = self.file.name
    """)
    assert "self.size = size" in init(code)
    assert method(code, "_open_file").endswith("self.file = open(self.path, 'rb', self.size)")


def test_a_loop_opens_from_what_it_computes_each_time():
    assert opener("""
        self.parts = list(path)
        self.file = None
        for part in self.parts:
            name = f"{part}.bin"
            self.total = self.total + len(name)
            self.file = open(name, "rb")
    """) == (
        "self.file = None\n    for part in self.parts:\n        name = f'{part}.bin'\n"
        "        self.file = open(name, 'rb')"
    )


def test_a_loop_ends_and_skips_as_it_did():
    assert opener("""
        self.parts = list(path)
        self.file = None
        for part in self.parts:
            if part.endswith(".txt"):
                continue
            self.file = open(part, "rb")
            self.chosen = part
            if self.file.seekable():
                break
    """) == (
        "self.file = None\n    for part in self.parts:\n        if part.endswith('.txt'):\n"
        "            continue\n        self.file = open(part, 'rb')\n"
        "        if self.file.seekable():\n            break"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if not path:\n    return\nself.file = open(path)", "the constructor may return early"),
        (
            "while True:\n    self.file = open(path)",
            "the resource is opened inside a compound statement",
        ),
        (
            "self.file = open(path)\nself.file.close()",
            "the constructor closes the resource",
        ),
        (
            "self.file = open(path)\nself.names.append(self.file)",
            "`self.names.append` keeps a reference to the resource",
        ),
        (
            "self.file = self.copy = open(path)",
            "the statement also sets other attributes",
        ),
        (
            "try:\n    self.file = open(path)\nexcept OSError:\n    self.file = None\n"
            "except ValueError:\n    self.file = 1",
            "different errors open different resources",
        ),
    ],
)
def test_a_slice_is_refused(body: str, reason: str):
    with pytest.raises(Refusal, match=reason):
        rewritten(body)


def test_what_sets_a_part_of_the_handle_up_is_in_the_slice():
    assert opener("""
        self.file = open(path, "rb")
        raw = self.file.raw
        raw.name = path
        self.size = self.file.seek(0, 2)
    """) == ("self.file = open(self.path, 'rb')\n    raw = self.file.raw\n    raw.name = self.path")


def test_an_annotation_is_not_kept():
    assert "io.BufferedReader" in (
        opener("""
        self.file: io.BufferedReader = open(path, "rb")
        self.size = self.file.seek(0, 2)
    """)
    )


def test_branches_that_set_again_what_is_set_above_them_are_left_out():
    code = rewritten("""
        self.file = None
        self.whole = member
        if self.whole:
            self.size = 1
        else:
            self.file = None
        if member:
            self.file = open(path, "rb")
    """)
    assert "else" not in method(code, "_open_file"), code


def test_a_branch_with_nothing_in_it_is_the_opposite_test():
    code = rewritten("""
        self.path = path
        if path is None:
            self.size = 0
        else:
            self.file = open(path, "rb")
    """)
    assert "if self.path is not None:" in method(code, "_open_file"), code
    assert "pass" not in method(code, "_open_file")


IN_A_BRANCH = """
import os

import lmdb
from torch.utils.data import DataLoader, Dataset


def opened(kind, root, name):
    if kind == "lmdb":
        env = lmdb.open(root, readonly=True, lock=False)
        return env, sorted(key for key, _ in env.begin().cursor())
    return None, os.listdir(root)


class Images(Dataset):
    def __init__(self, options):
        self.env = None
        if options["subset"] is not None:
            self.keys = open(options["subset"]).read().split()
        else:
            self.env, self.keys = opened(options["kind"], options["root"], options["name"])
            self.env_2, self.keys_2 = opened(options["kind"], options["root_2"], "b")

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return self.env.begin().get(self.keys[index]), self.env_2


def main(options):
    {first}
    return DataLoader(Images(options), num_workers=2)
"""


def test_what_one_branch_reads_of_an_argument_is_kept_in_that_branch() -> None:
    fixed = dlfix.fix_text(IN_A_BRANCH.format(first=""), isolated=True).text
    branch = fixed.partition("        else:\n")[2].partition("\n    def ")[0]
    kept = [line.strip() for line in branch.split("\n") if " = options[" in line]
    assert [line.partition(" = ")[2] for line in kept] == [
        'options["kind"]', 'options["root"]', 'options["name"]', 'options["root_2"]',
    ]  # fmt: skip
    assert fixed.count(" = options[") == 5  # and the test


def test_only_what_an_opener_opens_becomes_an_absolute_path() -> None:
    fixed = dlfix.fix_text(IN_A_BRANCH.format(first="os.chdir('data')"), isolated=True).text
    assert 'os.path.abspath(options["root"])' in fixed
    assert 'abspath(options["kind"])' not in fixed


TOLD = """
import sqlite3

import agents
from torch.utils.data import DataLoader, Dataset

{own}

class Rows(Dataset):
    def __init__(self, path, db=None):
        self.path = path
        self.db = db
        if not db:
            self.db = sqlite3.connect(path)
        {call}
        self.keys = list(self.db.execute("SELECT k FROM t"))

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE k = ?", self.keys[index]).fetchone()

if __name__ == "__main__":
    DataLoader(Rows("a.db"), num_workers=2)
"""


def test_each_process_tells_a_library_of_its_own_handle():
    made = dlfix.fix_text(TOLD.format(own="", call="agents.add_user(self.db)"), isolated=True).text
    assert "    agents.add_user(self.db)" in method(made, "_open_db")


@pytest.mark.parametrize(
    ("own", "call"),
    [
        ("agents = []", "agents.append(self.db)"),
        ("def agents(): return []", "agents().append(self.db)"),
        ("agents = agents.all()", "agents.add_user(self.db)"),
    ],
    ids=["a list", "what a function gives", "an object"],
)
def test_an_object_of_the_program_is_not_told_again(own, call):
    assert "_open_db" not in dlfix.fix_text(TOLD.format(own=own, call=call), isolated=True).text
