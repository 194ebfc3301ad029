"""dlfix as it is, in a folder of its own with one program that has findings."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dlfix.cli import app

PROGRAM = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)  # opened eagerly

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return self.db.execute("select ?", (i,)).fetchone()[0]


def main():
    loader = DataLoader(Rows("x.db"), num_workers=2, collate_fn=lambda batch: list(batch))
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
"""


@dataclass
class World:
    folder: Path

    def write(self, name, content=PROGRAM):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def run(self, *arguments, input=None):
        """Run dlfix in this process."""
        return CliRunner().invoke(app, [str(one) for one in arguments], input=input)

    def process(self, *arguments, input=None, **options):
        """Run dlfix in a process of its own, which may die."""
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(
            [sys.executable, "-m", "dlfix", *arguments], cwd=self.folder, input=input,
            stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "80"}, timeout=120, **options,
        )  # fmt: skip


@pytest.fixture
def world(tmp_path, monkeypatch):
    folder = tmp_path / "world"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return World(folder)


@pytest.fixture
def beside(world):
    """A folder with one good program, beside which a test puts something odd."""
    world.write("train.py")

    def check(*arguments):
        result = world.run("check", "--output-format", "concise", *arguments)
        assert "train.py:18:65: DLF101" in result.stdout  # the run went on
        assert "internal error" not in result.stderr
        return result

    world.check = check
    return world
