"""What one analysis keeps is gone with it."""

import ast
import gc

from dlfix.catalog.catalog import load
from dlfix.fixing.engine import inspect
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

TEXT = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Kept(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path)
        self.load = lambda x: x

    def __getitem__(self, index):
        return self.load(self.file["x"][index])

    def __len__(self):
        return 1

def main():
    for batch in DataLoader(Kept("a.h5"), num_workers=2):
        print(batch)

if __name__ == "__main__":
    main()
"""


def living():
    gc.collect()
    return sum(isinstance(each, (ast.AST, Module, Project)) for each in gc.get_objects())


def test_analyses_in_one_process_leave_no_trees_behind(tmp_path):
    path = tmp_path / "main.py"

    def run(number):
        path.write_text(TEXT + f"\nnumber = {number}\n")
        found = inspect(analyze(Project([path]), load()), all_rules())
        assert {each.finding.code for each in found} == {"DLF101", "DLF201"}

    run(0)  # what the catalogue and the rules keep is kept once
    before = living()
    run(1)
    run(2)
    assert living() == before
