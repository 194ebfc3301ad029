"""`make replay`: reported programs, what is found in them, and whether they still work after their fixes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "replay.py"
LOADER = """\
from torch.utils.data import DataLoader


def train(rows):
    return DataLoader(rows, collate_fn=lambda batch: batch[0], num_workers=2)
"""


def test_a_case_that_is_found_and_fixed_is_said_to_be(tmp_path: Path):
    tree = tmp_path / "trees" / "X1"
    tree.mkdir(parents=True)
    (tree / "train.py").write_text(LOADER, encoding="utf-8")
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([{"id": "X1", "place": "train.py:5", "category": "lambda"}]))
    said = tmp_path / "said.json"
    command = [sys.executable, str(SCRIPT), "--cases", str(cases), "--trees", str(tree.parent)]
    done = subprocess.run([*command, "--json", str(said)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(said.read_text())[0]["outcome"] == "fixed"
