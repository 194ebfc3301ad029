"""What `__len__` of a dataset opens is only there if somebody asks that dataset: a subset has a length of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

WRAPPED = """
        import h5py
        from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset
        class Rows(Dataset):
            def __init__(self, path):
                self.path = path
                self.file = None
            def _open(self):
                if self.file is None: self.file = h5py.File(self.path, "r"){mark}
                return self.file
            def __len__(self): return len(self._open()["x"])
            def __getitem__(self, index): return self._open()["x"][index]
        class Part(Subset):
            def __getitem__(self, index): return self.dataset[index]
        class Fixed(Dataset):
            def __init__(self, rows, size=4):
                self.rows = rows
                self.size = size
            def __len__(self): return self.size
            def __getitem__(self, index): return self.rows[index]
        class Whole(Fixed):
            def __len__(self): return len(self.rows)
        def main(path):
            rows = Rows(path)
            {uses}
            for batch in DataLoader({loaded}, num_workers=2): print(batch)
"""


def wrapped(title: str, loaded: str, uses: str = "pass", *, found: bool) -> object:
    mark = "  # !DLF203" if found else ""
    return program(title, WRAPPED.format(loaded=loaded, uses=uses, mark=mark))


PROGRAMS = [
    wrapped("the dataset itself", "rows", found=True),
    wrapped("a subset", "Subset(rows, [0, 1])", found=False),
    wrapped("a subset by keywords", "Subset(indices=[0, 1], dataset=rows)", found=False),
    wrapped("a subset of what is counted", "Subset(rows, [0, 1])", "print(len(rows))", found=True),
    wrapped("a subset of what is passed on", "Subset(rows, [0, 1])", "show(rows)", found=True),
    wrapped(
        "a subset through which it is counted",
        "part",
        "part = Subset(rows, [0]); print(len(part.dataset))",
        found=True,
    ),
    wrapped(
        "a subset that is counted",
        "part",
        "part = Subset(rows, [0]); print(len(part))",
        found=False,
    ),
    wrapped("a subset made in place", "Subset(Rows(path), [0])", "del rows", found=False),
    wrapped("a class that derives from Subset", "Part(rows, [0])", found=False),
    wrapped("a wrapper with a size", "Fixed(rows)", found=False),
    wrapped("a wrapper that asks", "Whole(rows)", found=True),
    wrapped("several one after the other", "ConcatDataset([rows])", found=True),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_exactly_the_marked_findings_are_there(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
