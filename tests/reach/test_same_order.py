"""What is evaluated, and in what order, does not depend on how strings are hashed: budgets would cut elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from torch.utils.data import DataLoader
from work import evaluate, report, train

loader = DataLoader([1, 2], num_workers=2)
rows = loader
batches = rows
samples = batches
train(loader), evaluate(rows), report(batches), train(samples)
"""
WORK = """
def train(loader): return [batch for batch in loader]
def evaluate(rows): return [row for row in rows]
def report(batches): print(batches)
"""
RECORDING = """
import sys
from dlfix.reach.interpreter import Interpreter
evaluate = Interpreter.evaluate
def recorded(self, node, frame, *rest):
    print(frame.module.path.name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return evaluate(self, node, frame, *rest)
Interpreter.evaluate = recorded
import dlfix
print(len(dlfix.check([sys.argv[1]], isolated=True)))
"""


def evaluated(folder: Path, seed: int) -> str:
    """Return what is evaluated for the program, in order, where strings are hashed with a seed."""
    return subprocess.run(
        [sys.executable, "-c", RECORDING, str(folder)],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_order_is_the_same_for_every_hash(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "work.py").write_text(WORK, encoding="utf-8")
    orders = {evaluated(tmp_path, seed) for seed in (1, 2, 3)}
    assert len(orders) == 1
    assert len(orders.pop().splitlines()) > 20
