"""What is derived from a handle is a place of the handle's finding, not a finding of its own."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import dlfix
from dlfix.cli import app

ROWS = """\
import sqlite3
import threading

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path)
        self.images = self.file["images"]
        self.first = self.images["first"]
        self.other = h5py.File(path + ".labels")
        self.connection = sqlite3.connect(path)
        self.lock = threading.Lock()

    def __len__(self):
        return 4

    def __getitem__(self, i):
        with self.lock:
            return self.images[i], self.first[i], self.other["x"][i]


loader = DataLoader(Rows("a.h5"), num_workers=2)
"""


def found(tmp_path: Path, text: str = ROWS) -> list[dlfix.Finding]:
    path = tmp_path / "train.py"
    path.write_text(text)
    return dlfix.check([path], select=["DLF2"])


def test_a_handle_and_what_is_derived_from_it_are_one_finding(tmp_path):
    first = found(tmp_path)[0]
    assert (first.code, first.row) == ("DLF201", 9 + 1)
    assert [(step.row, step.label.split()[0]) for step in first.also] == [
        (11, ".images"),
        (12, ".first"),
    ]


def test_two_handles_and_a_lock_of_one_object_stay_findings_of_their_own(tmp_path):
    assert [(one.code, one.row) for one in found(tmp_path)] == [
        ("DLF201", 10), ("DLF201", 13), ("DLF201", 14), ("DLF204", 15),
    ]  # fmt: skip


def test_a_derived_value_whose_handle_is_not_kept_is_a_finding_of_its_own(tmp_path):
    text = ROWS.replace("self.file = h5py", "file = h5py").replace("self.file[", "file[")
    first = found(tmp_path, text)[0]
    assert "images" in first.message
    assert [step.row for step in first.also] == [12]


def test_a_comment_on_a_handle_covers_what_is_derived_from_it(tmp_path):
    text = ROWS.replace("h5py.File(path)\n", "h5py.File(path)  # dlfix: ignore[DLF201]\n", 1)
    assert [one.row for one in found(tmp_path, text)] == [13, 14, 15]


def test_a_comment_on_what_is_derived_leaves_the_finding_of_the_handle(tmp_path):
    text = ROWS.replace('["images"]\n', '["images"]  # dlfix: ignore[DLF201]\n', 1)
    first = found(tmp_path, text)[0]
    assert first.row == 10


def printed(path: Path, form: str):
    command = ["check", "--no-cache", "--isolated", "--output-format", form, str(path)]
    return json.loads(CliRunner().invoke(app, command).stdout)


def test_json_and_sarif_name_the_further_places(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(ROWS)
    first = next(one for one in printed(path, "json") if one["code"] == "DLF201")
    assert [step["row"] for step in first["also"]] == [11, 12]
    log = printed(path, "sarif")
    related = log["runs"][0]["results"][0]["relatedLocations"]
    lines = [one["physicalLocation"]["region"]["startLine"] for one in related]
    assert lines == [11, 12]


TRAINER = """\
import csv

from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, path):
        self.log_file = open(path, "w", newline="")
        self.log = csv.writer(self.log_file)

    def collate(self, batch):
        return batch[::-1]

    def train(self, rows):
        for batch in DataLoader(rows, num_workers=2, collate_fn=self.collate):
            self.log.writerow(batch)


Trainer("log.csv").train([1, 2, 3, 4])
"""


def test_a_fix_that_leaves_out_several_attributes_names_them_all(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TRAINER)
    first, second = dlfix.check([path], select=["DLF2"])
    assert first.fix is not None
    assert second.fix is not None
    assert first.fix.message == "Remove `log_file`, `log` from the pickled state of `Trainer`"
    assert second.fix.message == "Remove `log` from the pickled state of `Trainer`"
    result = CliRunner().invoke(app, ["apply", "--dry-run", "--no-cache", str(path)])
    assert result.output.count("Remove `log_file`, `log` from the pickled state") == 2
