"""A fix that several findings share, and a file with very many fixes: what is written does not grow with their product."""

import json

import pytest
from typer.testing import CliRunner

from dlfix import previews
from dlfix.cli import app
from dlfix.config import Settings
from dlfix.report import html, sarif
from dlfix.report import json as as_json
from dlfix.report.view import View
from dlfix.session import Session

SAME = "    DataLoader(data, num_workers=2, collate_fn=lambda batch: batch[0])\n"
OWN = "    DataLoader(data, num_workers=2, collate_fn=lambda batch: batch[@])\n"
UNSAFE = "    DataLoader(data, sampler=RandomSampler(data), shuffle=True)\n"


def view(folder, line, count):
    folder.mkdir(exist_ok=True)
    loaders = "".join(line.replace("@", str(number)) for number in range(count))
    text = f"from torch.utils.data import DataLoader, RandomSampler\n\n\ndef main(data):\n{loaders}"
    (folder / "main.py").write_text(text)
    session = Session.open([folder], Settings())
    return View(session, session.diagnoses())


@pytest.mark.parametrize("render", [as_json.render, sarif.render, html.render])
@pytest.mark.parametrize("line", [SAME, OWN], ids=["one fix", "a fix each"])
def test_the_output_grows_as_the_findings_do(render, line, tmp_path):
    few, some, many = (
        len(render(view(tmp_path / str(count), line, count))) for count in (8, 16, 32)
    )
    # Twice as much more for twice as many more; it would be four times if it grew with the square.
    assert many - some < 2.2 * (some - few)


def test_the_edits_of_a_shared_fix_are_at_the_first_finding(tmp_path):
    found = json.loads(as_json.render(view(tmp_path, SAME, 3)))
    assert [(one["fix"]["id"], len(one["fix"]["edits"])) for one in found] == [(1, 2), (1, 0), (1, 0)]  # fmt: skip
    own = json.loads(as_json.render(view(tmp_path, OWN, 3)))
    assert [one["fix"]["id"] for one in own] == [1, 2, 3]
    assert all(one["fix"]["edits"] for one in own)


def test_sarif_has_a_shared_fix_at_the_first_result(tmp_path):
    results = json.loads(sarif.render(view(tmp_path, SAME, 3)))["runs"][0]["results"]
    assert ["fixes" in one for one in results] == [True, False, False]
    assert [one["properties"] for one in results] == [{"fix": 1}] * 3


@pytest.mark.parametrize("command", ["check", "apply"])
def test_edits_beyond_a_number_of_fixes_are_left_out_and_that_is_said(
    command, tmp_path, monkeypatch
):
    monkeypatch.setattr(previews, "MOST", 2)
    view(tmp_path, UNSAFE, 5)
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, [command, str(tmp_path), "--report", str(page)])
    assert "the edits of 3 fixes are omitted because a file has more than 2 fixes" in done.stderr
    assert page.read_text().count("too many fixes to show each") == 3


def test_json_has_the_edits_of_as_many_fixes_as_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(previews, "MOST", 2)
    view(tmp_path, OWN, 5)
    arguments = ["check", str(tmp_path), "--output-format", "json"]
    done = CliRunner().invoke(app, arguments)
    edits = [bool(one["fix"]["edits"]) for one in json.loads(done.stdout)]
    assert edits == [True, True, False, False, False]
    assert "the edits of 3 fixes are omitted" in done.stderr
