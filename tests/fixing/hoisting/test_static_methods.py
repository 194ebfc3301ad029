"""A bound method that sends a whole object becomes static where it only reads attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader

class Log:
    def __init__(self, path):
        self.file = open(path, "w")

    def on_end(self):
        self.file.write("done")

class Trainer{bases}:
    def __init__(self, rows, config, path):
        self.rows = rows
        self.config = config
        self.hooks = Log(path)
        {constructor}

    {signature}
        {body}

    def loader(self):
        return DataLoader(self.rows, collate_fn=self.collate, num_workers=2)

    def log(self, hook="on_end"):
        getattr(self.hooks, hook)()
        {log}

{more}

def main(path):
    trainer = Trainer([1, 2], {{"by": 2}}, path)
    for batch in trainer.loader():
        print(batch)
    trainer.log()
"""
SIGNATURE = "def collate(self, batch):"


def fixed(tmp_path: Path, **parts: str) -> str:
    """Return the fixed text, or why there is no fix."""
    usual = {
        "bases": "",
        "constructor": "",
        "signature": SIGNATURE,
        "body": "return [row * self.config['by'] for row in batch]",
        "log": "",
        "more": "",
    }
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**{**usual, **parts}))
    [finding] = dlfix.check([path], isolated=True)
    if finding.fix is None:
        return str(finding.refused)
    return dlfix.fix_text(path.read_text(), path, isolated=True, unsafe=True).text


def test_a_partial_holds_what_the_method_reads(tmp_path):
    text = fixed(tmp_path)
    assert "    @staticmethod\n    def collate(batch, *, config):" in text
    assert "row * config['by']" in text
    assert "collate_fn=functools.partial(self.collate, config=self.config)" in text


def test_a_call_passes_it_too(tmp_path):
    assert "self.collate([3], config=self.config)" in fixed(tmp_path, log="self.collate([3])")


def test_a_method_that_reads_nothing_takes_nothing(tmp_path):
    text = fixed(tmp_path, body="return batch")
    assert "    @staticmethod\n    def collate(batch):" in text
    assert "collate_fn=self.collate" in text


@pytest.mark.parametrize(
    "parts",
    [
        {"body": "return self.prepare(batch)"},
        {"body": "return [self.hooks for _ in batch]"},
        {"body": "self.config = {}; return batch"},
        {"body": "return [self.late for _ in batch]", "log": "self.late = 1"},
        {"log": "self.config = {}"},
        {"log": "print(self.collate.__name__)"},
        {"log": "print(getattr(self, 'collate'))"},
        {"constructor": "self.early = self.collate"},
        {"signature": "def collate(self, batch, **options):"},
        {"more": "class Other(Trainer):\n    def collate(self, batch): return batch"},
        {"more": "def all(trainer): return trainer.collate([1])"},
        {"bases": "(Plugin)"},
        {"log": "pass\n    def __getstate__(self): return dict(self.__dict__)"},
    ],
)
def test_no_fix(tmp_path, parts):
    assert "staticmethod" not in fixed(tmp_path, **parts)
