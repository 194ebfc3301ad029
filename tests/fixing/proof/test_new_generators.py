"""The methods of a new generator open no file: it does not matter where the program changes to."""

from __future__ import annotations

from pathlib import Path

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
