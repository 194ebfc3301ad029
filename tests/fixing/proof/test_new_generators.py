"""The methods of a new generator open no file: it does not matter where the program changes to."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

DRAWING = """
import os
import sys

import numpy as np
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.rng = np.random.RandomState(1234)
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.rng.randint(low=-1, high=2)

def main(path):
    os.chdir(path)
    for row in DataLoader(Rows(path), num_workers=2):
        print(row)

if __name__ == "__main__":
    main(sys.argv[1])
"""


def test_a_new_generator_opens_no_file(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(DRAWING)
    [finding] = dlfix.check([path], isolated=True)
    assert finding.fix is not None


CHOSEN = """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, seed, overfit=None):
        self.seed = seed
        self.random = {random}

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.random.randint(100)

if __name__ == "__main__":
    DataLoader(Rows(7, True), num_workers=2)
    DataLoader(Rows(7), num_workers=2)
"""


@pytest.mark.parametrize(
    ("random", "refused"),
    [
        (
            "np.random if overfit else np.random.RandomState(seed)",
            "the fix was rejected: each worker would still draw the same numbers (main.py:8)",
        ),
        ("np.random", None),
    ],
)
def test_what_may_be_a_generator_is_not_made_again_alike(
    tmp_path: Path, random: str, refused: str | None
) -> None:
    path = tmp_path / "main.py"
    path.write_text(CHOSEN.format(random=random))
    findings = dlfix.check([path], isolated=True)
    assert [each.refused for each in findings if each.code == "DLF206"] == [refused]
    assert all(each.fix is None for each in findings) is (refused is not None)
