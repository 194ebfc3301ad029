"""The example project is fixed as the README shows."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.plans import Fix
from dlfix.session import Session
from tests.golden import cases
from tests.golden.programs import Run

BIRDS = Path(__file__).parents[1] / "examples" / "birds"
METHODS = ("spawn", "forkserver", "fork")


@pytest.fixture(scope="module")
def mended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mended") / "birds"
    shutil.copytree(BIRDS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    cases.write(folder, cases.as_bytes(folder, cases.rewritten(folder, unsafe=False)))
    return folder


def class_text(folder: Path, name: str) -> str:
    text = (folder / "birds" / "datasets.py").read_text()
    nodes = [node for node in ast.parse(text).body if getattr(node, "name", "") == name]
    return ast.get_source_segment(text, nodes[0])


def test_the_handle_and_the_lambda_are_found():
    found = [
        (diagnosis.finding.code, diagnosis.finding.place.path.name)
        for diagnosis in cases.diagnosed(BIRDS)
    ]
    assert ("DLF101", "loaders.py") in found
    assert ("DLF201", "datasets.py") in found
    assert {name for _, name in found} == {"loaders.py", "datasets.py"}


def test_the_example_is_fixed_where_the_readme_names_it():
    """It is a project of its own: what else is in the repository has no say."""
    found = Session.open([BIRDS], Settings()).diagnoses()
    assert {one.finding.code for one in found} == {"DLF101", "DLF201"}
    assert all(isinstance(one.outcome, Fix) and not one.outcome.why_unsafe for one in found)


def test_a_file_alone_has_the_findings_that_its_project_has_there(tmp_path):
    birds = tmp_path / "birds"
    shutil.copytree(BIRDS, birds)
    whole = Session.open([birds], Settings()).diagnoses()
    for name in ("train.py", "birds/datasets.py", "birds/loaders.py"):
        alone = Session.open([birds / name], Settings()).diagnoses()
        here = [one for one in alone if one.finding.place.path == birds / name]
        assert here == [one for one in whole if one.finding.place.path == birds / name]
        assert {one.finding.trace[0].place.path for one in alone if one not in here} <= {
            birds / name
        }


def test_nothing_is_left_to_find(mended):
    assert cases.diagnosed(mended) == []


def test_the_clean_dataset_stays(mended):
    assert class_text(mended, "Silence") == class_text(BIRDS, "Silence")
    assert class_text(mended, "Calls") != class_text(BIRDS, "Calls")


def test_training_comes_to_the_same_under_every_start_method(mended, warm):
    if warm is None:
        pytest.skip("torch is not installed, or --no-execute")
    before, *after = warm.run(
        [
            Run(BIRDS, "train.py", 0, "spawn"),
            Run(mended, "train.py", 0, "spawn"),
            *(Run(mended, "train.py", 2, method) for method in METHODS),
        ]
    )
    assert before.result is not None, str(before)
    for outcome in after:
        assert outcome.result == before.result, str(outcome)


def test_the_readme_shows_what_is_found():
    readme = (BIRDS.parents[1] / "README.md").read_text(encoding="utf-8")
    (found,) = (
        diagnosis for diagnosis in cases.diagnosed(BIRDS) if diagnosis.finding.code == "DLF101"
    )
    assert f"DLF101 {found.finding.message}\n" in readme
    assert f"fix:    {found.outcome.message}\n" in readme


def test_an_added_comment_covers_the_handle_and_what_is_derived_from_it(tmp_path):
    birds = tmp_path / "birds"
    shutil.copytree(BIRDS, birds, ignore=shutil.ignore_patterns("__pycache__"))
    changes, count = Session.open([birds], Settings()).baseline()
    assert count == 2
    for change in changes:
        change.path.write_bytes(change.after)
    assert Session.open([birds], Settings()).diagnoses() == []


def test_what_may_be_fixed_is_fixed_beside_what_the_settings_leave_as_it_is(tmp_path):
    birds = tmp_path / "birds"
    shutil.copytree(BIRDS, birds, ignore=shutil.ignore_patterns("__pycache__"))
    outcome = Session.open([birds], Settings().over(fixable=("DLF2",))).rewrite()
    assert [change.path.name for change in outcome.changes] == ["datasets.py"]
