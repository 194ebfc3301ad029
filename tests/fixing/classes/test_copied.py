"""Generators of which the state is sent: nothing else may hold them, by whatever name it reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self._generator = torch.Generator()

    @property
    def generator(self):
        return self._generator

    def __len__(self):
        return 8

    def __getitem__(self, index):
        self._generator.manual_seed(index)
        return torch.rand(1, generator=self.generator)

{outside}

if __name__ == "__main__":
    DataLoader(Rows(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("outside", "refused"),
    [
        ("", None),
        ("def seed(rows):\n    return rows.generator.initial_seed()", None),
        (
            "class Order:\n    def __init__(self, rows):\n        self.kept = rows.generator",
            "another object keeps `_generator` (main.py:22)",
        ),
    ],
)
def test_what_a_property_returns_is_followed_to_its_readers(
    tmp_path: Path, outside: str, refused: str | None
) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(outside=outside))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF206"
    assert finding.refused == refused
    assert (finding.fix is None) is (refused is not None)
