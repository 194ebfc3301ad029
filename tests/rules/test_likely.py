"""DLF107: callables given to calls out of view that are likely to start workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from dlfix.config import Settings
from dlfix.session import Session

HEAD = """\
import functools
from torch.utils.data import DataLoader, Dataset
from trainkit import make_loader, Runner

class Notes(Dataset):
    def __len__(self): return 8
    def __getitem__(self, index): return index

def own(rows, **options):
    return list(rows)

def first(batch):
    return batch[0]

"""


@pytest.fixture
def found(tmp_path: Path):
    def run(line: str, **settings: object) -> list[str]:
        (tmp_path / "main.py").write_text(f"{HEAD}def train(rows):\n    {line}\n", encoding="utf-8")
        settings.setdefault("extend_select", ("DLF107",))
        diagnoses = Session.open([tmp_path], Settings(**settings)).diagnoses()
        return [diagnosis.finding.code for diagnosis in diagnoses]

    return run


@pytest.mark.parametrize(
    "line",
    [
        "make_loader(rows, collate_fn=lambda batch: batch[0], num_workers=2)",
        "make_loader(Notes(), collate_fn=lambda batch: batch[0])",
        "make_loader(dataset=Notes(), worker_init_fn=lambda i: None)",
        "Runner().loaders(rows, num_workers=4, transform=lambda row: row)",
        "make_loader(rows, num_workers=4, transform=functools.partial(lambda k, row: row, 1))",
    ],
)
def test_a_lambda_given_with_a_dataset_or_workers_to_a_call_out_of_view_is_likely_sent(
    found, line: str
):
    assert found(line) == ["DLF107"]


@pytest.mark.parametrize(
    "line",
    [
        "make_loader(rows, collate_fn=first, num_workers=2)",
        "make_loader(rows, collate_fn=lambda batch: batch[0])",
        "make_loader(rows, collate_fn=lambda batch: batch[0], num_workers=0)",
        "make_loader(rows, key=lambda row: row, num_workers=2)",
        "own(rows, collate_fn=lambda batch: batch[0], num_workers=2)",
        "own(Notes(), transform=lambda row: row)",
    ],
)
def test_what_can_be_pickled_or_read_or_has_no_workers_is_not(found, line: str):
    assert found(line) == []


def test_what_surely_crosses_is_found_once(found):
    line = "f = lambda b: b; make_loader(rows, collate_fn=f, num_workers=2)"
    line += "; return DataLoader(rows, collate_fn=f, num_workers=2)"
    assert found(line) == ["DLF101"]


def test_what_is_only_likely_is_off_unless_selected_by_code_or_name(found):
    line = "make_loader(rows, collate_fn=lambda batch: batch[0], num_workers=2)"
    assert found(line, extend_select=()) == []
    assert found(line, select=("DLF1",), extend_select=()) == []
    assert found(line, extend_select=("callable-may-reach-worker",)) == ["DLF107"]


def test_a_trace_shows_what_is_likely(tmp_path: Path, monkeypatch):
    source = "def train(rows):\n    make_loader(rows, collate_fn=lambda b: b, num_workers=2)\n"
    (tmp_path / "main.py").write_text(HEAD + source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["trace", ".", "--output-format", "json"])
    findings = [one["findings"] for root in json.loads(shown.stdout) for one in root["children"]]
    assert [each["code"] for given in findings for each in given] == ["DLF107"]


def test_a_file_that_does_not_name_torch_is_read_where_the_rule_is_selected(tmp_path: Path) -> None:
    text = "from trainkit import Fitter\ndef main(rows):\n    Fitter(rows, num_workers=4, collate_fn=lambda b: b)\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    selected = Settings(extend_select=("DLF107",))
    found = [one.finding.code for one in Session.open([tmp_path], selected).diagnoses()]
    assert found == ["DLF107"]
    assert not Session.open([tmp_path], Settings()).diagnoses()


@pytest.mark.parametrize(
    "line",
    [
        "DataLoader(Notes(), collate_fn=Runner(lambda batch: batch), num_workers=2)",
        "n = Notes(); n.transform = Runner([Runner(key=lambda x: x)]); DataLoader(n, num_workers=2)",
        "steps = []; steps.append(Runner(functools.partial(lambda k, x: x, 1)))"
        "; DataLoader(Notes(), collate_fn=Runner(*steps), num_workers=2)",
    ],
)
def test_what_a_class_out_of_view_gets_is_likely_kept_where_its_object_is_sent(found, line: str):
    assert found(line) == ["DLF107"]
    assert found(line, extend_select=()) == []


@pytest.mark.parametrize(
    "line",
    [
        "DataLoader(Notes(), collate_fn=Runner(lambda batch: batch), num_workers=0)",
        "DataLoader(Notes(), sampler=Runner(lambda batch: batch), num_workers=2)",
        "DataLoader(Notes(), collate_fn=Runner(first), num_workers=2)",
        "DataLoader(Notes(), collate_fn=make_loader(lambda batch: batch), num_workers=2)",
        "n = Notes(); n.size = Runner(lambda x: x).size; DataLoader(n, num_workers=2)",
        "n = Runner(lambda x: x); DataLoader(Notes(), num_workers=2)",
    ],
)
def test_what_is_not_sent_or_is_no_class_by_its_name_keeps_nothing(found, line: str):
    assert found(line) == []
