"""Iterators over the files of a folder become lists: safely where they are gone through once."""

import pytest

import dlfix

PROGRAM = """
from pathlib import Path
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, root):
        self.paths = Path(root).glob("*.txt")
        {made}

    def __getitem__(self, index):
        return {item}

def load(root):
    return DataLoader(Rows(root), num_workers=2)
"""
CASES = {
    "once": ("self.names = [p.name for p in sorted(self.paths)]", "self.names[index]", "safe"),
    "in a worker": ("pass", "[p.name for p in self.paths]", "unsafe"),
    "twice": ("self.names, self.again = list(self.paths), list(self.paths)", "index", "unsafe"),
    "in each round": (
        "self.names = [p for a in range(2) for p in self.paths]",
        "self.names[index]",
        "unsafe",
    ),
    "one by one": ("pass", "next(self.paths).name", ""),
    "handed on": ("self.show(self.paths)", "index", ""),
}


@pytest.mark.parametrize(("made", "item", "how"), CASES.values(), ids=CASES)
def test_a_list_is_kept_in_place_of_an_iterator(tmp_path, made, item, how):
    (tmp_path / "main.py").write_text(PROGRAM.format(made=made, item=item))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF206"
    fix = finding.fix
    assert (fix is None) == (not how)
    if fix is not None:
        assert fix.safe == (how == "safe")
