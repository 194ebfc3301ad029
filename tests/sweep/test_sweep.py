"""A small part of `make sweep`, and that a sweep sees what is wrong."""

import concurrent.futures
import shutil
import sys
from pathlib import Path

import pytest

from tests.odd.conftest import PROGRAM
from tests.sweep.sweep import Totals, sweep, trees_in

DLFIX = [sys.executable, "-m", "dlfix"]
GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    return folder


def test_programs_that_are_rewritten_are_swept_clean(tree):
    for case in sorted((GOLDEN / "lazy_resources").iterdir())[::40]:
        shutil.copytree(case / "before", tree / case.name)
    (tree / "python2.py").write_text("from torch.utils.data import DataLoader\nprint 'x'\n")
    totals = sweep(tree, DLFIX)
    assert totals.changed > 0
    assert totals.unreadable == 1
    assert (totals.wrong, totals.notes) == (0, [])


def test_a_part_of_the_standard_library_is_swept_clean():
    totals = sweep(Path(concurrent.futures.__file__).parent, DLFIX)
    assert totals.files > 2
    assert (totals.wrong, totals.notes) == (0, [])


# What stands in for dlfix: it does something wrong that the sweep must see.
WRONG = """\
import pathlib, sys
path = pathlib.Path("tree/train.py")
if sys.argv[1] == "check":
    print("[]")
    sys.exit("internal error in x\\nTraceback (most recent call last):")
if sys.argv[1] == "apply":
    path.write_text("def f(:\\n" + path.read_text().replace("# opened eagerly", ""))
"""


def test_a_sweep_sees_what_is_wrong(tree):
    (tree / "train.py").write_text(PROGRAM)
    totals = sweep(tree, [sys.executable, "-c", WRONG])
    assert totals.tracebacks == 1
    assert totals.internal_errors == 1
    assert totals.not_compiling == 1
    assert totals.comments_lost == 1
    assert totals.changed_unplanned == 1
    assert totals.changed_by_second_apply == 1
    assert totals.undo_differences == 1


# Changes the file at each of two applies, and takes back one of them at each undo.
TWICE = """\
import pathlib, sys
path = pathlib.Path("tree/train.py")
if sys.argv[1] == "check":
    print("[]")
if sys.argv[1] == "apply":
    path.write_text("#" + path.read_text())
if sys.argv[1] == "undo":
    path.write_text(path.read_text()[1:])
"""


def test_each_apply_that_changed_something_is_undone(tree):
    (tree / "train.py").write_text(PROGRAM)
    totals = sweep(tree, [sys.executable, "-c", TWICE])
    assert (totals.changed_by_second_apply, totals.undo_differences) == (1, 0)


def test_installed_packages_are_swept_one_by_one(tmp_path):
    for name in ("a", "b", "a-1.dist-info"):
        (tmp_path / "site-packages" / name).mkdir(parents=True)
    assert [one.name for one in trees_in(tmp_path / "site-packages")] == ["a", "b"]
    assert list(trees_in(tmp_path)) == [tmp_path]


def test_totals_add_up_but_for_the_peak():
    total = Totals(files=1, peak_megabytes=5.0)
    total.add(Totals(files=2, peak_megabytes=3.0, comments_lost=1))
    assert (total.files, total.peak_megabytes, total.wrong) == (3, 5.0, 1)
