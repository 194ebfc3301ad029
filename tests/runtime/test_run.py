"""Fetching the first batch for real, and proving a rewrite by it."""

from __future__ import annotations

import pytest

from dlfix.runtime import commands
from dlfix.runtime.commands import proved
from dlfix.runtime.probe import Fetched
from dlfix.runtime.show import outcome

BROKEN = """
import argparse, torch
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self):
        self.scale = lambda x: 2 * x
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(self.scale(i))

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int)
    for batch in DataLoader(Clips(), batch_size=4, num_workers=p.parse_args().workers):
        raise SystemExit("the training step ran")
"""

FIXED = BROKEN.replace("self.scale = lambda x: 2 * x", "self.scale = double").replace(
    "class Clips", "def double(x):\n    return 2 * x\n\nclass Clips"
)


def test_a_rewrite_is_proved_by_fetching_a_batch_before_and_after(tmp_path, capsys):
    script = tmp_path / "main.py"
    script.write_text(BROKEN)

    def rewrite() -> int:
        script.write_text(FIXED)
        return 0

    assert commands.prove(f"{script} --workers 1", rewrite) == 0
    told = capsys.readouterr().out
    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in told.strip().split("\n")}
    assert rows["none"].strip() == "works -> works"
    assert rows["fork"].strip() == "works -> works"
    assert rows["spawn"].strip() == "broken -> works"
    assert rows["forkserver"].strip() == "broken -> works"


def test_nothing_is_rewritten_where_nothing_can_be_proved(tmp_path, capsys):
    script = tmp_path / "main.py"
    script.write_text("x = 1")
    assert commands.prove(str(script), lambda: pytest.fail("it was rewritten")) == 2
    assert "iterates no loader that has workers" in capsys.readouterr().err


def rows(*oks: bool, digest: str = "a") -> list[Fetched]:
    return [Fetched(m, ok, "", digest) for m, ok in zip(("none", "spawn"), oks, strict=True)]


def test_a_rewrite_that_changes_the_batch_without_workers_is_not_proved():
    assert proved(rows(True, False), rows(True, True))
    assert not proved(rows(True, False), rows(True, False))
    assert not proved(rows(True, False), rows(True, True, digest="b"))


def test_outcomes_are_compared_with_no_workers():
    base, spawn = rows(True, True)
    other = Fetched("fork", True, "", "b")
    late = Fetched("forkserver", False, "no batch after 5 s")
    told = [outcome(row, [base, spawn, other, late]) for row in (base, spawn, other, late)]
    assert told == ["works", "works, same", "works, differs", "fails"]
