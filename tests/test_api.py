"""The public API."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import dlfix
from tests.test_meta import HEAVY, loaded_by

SOURCE = """from torch.utils.data import DataLoader

loader = DataLoader(range(8), collate_fn=lambda batch: batch[0], num_workers=2)
"""


def test_a_finding_has_place_trace_error_and_fix(tmp_path):
    path = tmp_path / "loaders.py"
    path.write_text(SOURCE)
    (finding,) = dlfix.check([tmp_path])
    assert (finding.code, finding.name) == ("DLF101", "lambda-reaches-worker")
    assert (finding.path, finding.cell, finding.row, finding.column) == (path, None, 3, 42)
    assert [step.row for step in finding.trace] == [3, 3]
    assert finding.fix is not None
    assert finding.fix.safe
    assert finding.refused is None


@pytest.mark.parametrize("rules", [{"select": ["DLF2"]}, {"ignore": ["lambda-reaches-worker"]}])
def test_rules_are_chosen(tmp_path, rules):
    (tmp_path / "loaders.py").write_text(SOURCE)
    assert dlfix.check([str(tmp_path)], **rules) == []


def test_the_configuration_is_in_force_unless_isolated(tmp_path):
    (tmp_path / "loaders.py").write_text(SOURCE)
    (tmp_path / "dlfix.toml").write_text('ignore = ["DLF101"]\n')
    assert dlfix.check([tmp_path]) == []
    assert len(dlfix.check([tmp_path], isolated=True)) == 1


def test_a_missing_path_and_a_wrong_rule_are_errors(tmp_path):
    with pytest.raises(dlfix.DlfixError, match="none"):
        dlfix.check([tmp_path / "none"])
    with pytest.raises(dlfix.DlfixError, match="XYZ"):
        dlfix.check([tmp_path], select=["XYZ"])


def test_a_file_that_does_not_parse_is_an_error_or_passed_on(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n")
    (tmp_path / "loaders.py").write_text(SOURCE)
    with pytest.raises(dlfix.DlfixError, match=r"broken\.py"):
        dlfix.check([broken])
    errors: list[str] = []
    found = dlfix.check([broken, tmp_path / "loaders.py"], on_error=errors.append)
    assert [one.code for one in found] == ["DLF101"]
    assert len(errors) == 1


def test_a_text_is_fixed_and_nothing_is_written(tmp_path):
    fixed = dlfix.fix_text(SOURCE, tmp_path / "loaders.py")
    assert fixed.changed
    assert "def _collate_fn(batch):" in fixed.text
    assert fixed.left == ()
    assert list(tmp_path.iterdir()) == []
    again = dlfix.fix_text(fixed.text, tmp_path / "loaders.py")
    assert (again.changed, again.text) == (False, fixed.text)


def test_a_text_of_a_file_is_analyzed_in_its_project(tmp_path):
    text = "def picker():\n    return lambda rows: rows[0]\n"
    (tmp_path / "lib.py").write_text("")
    (tmp_path / "broken.py").write_text("from torch.utils.data import DataLoader\ndef x(:\n")
    (tmp_path / "train.py").write_text(
        "from torch.utils.data import DataLoader\nfrom lib import picker\n\n\n"
        "def load(rows):\n    return DataLoader(rows, num_workers=2, collate_fn=picker())\n"
    )
    assert not dlfix.fix_text(text, tmp_path / "new.py").changed
    assert dlfix.fix_text(text, tmp_path / "lib.py").changed


def test_what_is_left_in_a_text_is_returned():
    fixed = dlfix.fix_text(SOURCE, ignore=["DLF9"], select=["DLF1", "DLF2"], unsafe=False)
    assert fixed.left == ()
    kept = dlfix.fix_text("def f():\n    pass\n")
    assert (kept.changed, kept.left) == (False, ())


def test_a_text_that_does_not_parse_is_an_error():
    with pytest.raises(dlfix.DlfixError, match=r"some\.py"):
        dlfix.fix_text("def f(:\n", "some.py")


def test_findings_are_plain_data(tmp_path):
    (tmp_path / "loaders.py").write_text(SOURCE)
    (finding,) = dlfix.check([tmp_path])
    assert dataclasses.asdict(finding)["trace"][0]["path"] == tmp_path / "loaders.py"


def test_the_api_is_loaded_only_when_it_is_used():
    assert "dlfix.api" not in loaded_by("import dlfix")
    assert not loaded_by("from dlfix import check") & HEAVY


@pytest.mark.parametrize("name", dlfix.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(dlfix, name)
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    assert name == "__version__" or name in page
