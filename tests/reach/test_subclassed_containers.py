"""Objects that are lists or dicts themselves, or whose items are read as attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a list that its constructor fills",
        """
        from torch.utils.data import DataLoader
        class Steps(list):
            def __init__(self, n):
                super().__init__()
                self.append(lambda b: b[:n]) # !DLF101
            def __call__(self, b):
                for f in self: b = f(b)
                return b
        if __name__ == "__main__":
            DataLoader([1], num_workers=2, collate_fn=Steps(3))
        """,
    ),
    program(
        "a dict that its constructor fills with handles",
        """
        from torch.utils.data import DataLoader, Dataset
        class Handles(dict):
            def __init__(self, paths):
                for p in paths:
                    self[p] = open(p) # !DLF201
        class D(Dataset):
            def __init__(self, ps): self.h = Handles(ps)
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(["x"]), num_workers=2)
        """,
    ),
    program(
        "a dict whose `__missing__` opens what the parent asks for",
        """
        from torch.utils.data import DataLoader, Dataset
        class Handles(dict):
            def __missing__(self, p):
                self[p] = open(p) # !DLF201
                return self[p]
        class D(Dataset):
            def __init__(self, ps):
                self.h = Handles()
                self.n = len(self.h["x"].read())
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(["x"]), num_workers=2)
        """,
    ),
    program(
        "a dict whose attributes are its items, with a function set from outside",
        """
        from torch.utils.data import DataLoader, Dataset
        class AttrDict(dict):
            __getattr__ = dict.__getitem__
            __setattr__ = dict.__setitem__
        class D(Dataset):
            def __init__(self, cfg): self.cfg = cfg
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            c = AttrDict()
            c.fn = lambda x: x # !DLF101
            DataLoader(D(c), num_workers=2)
        """,
    ),
    program(
        "an attribute read that is an item of a dict",
        """
        from torch.utils.data import DataLoader
        class AttrDict(dict):
            def __init__(self, *a, **k):
                super().__init__(*a, **k)
                self.__dict__ = self
        if __name__ == "__main__":
            c = AttrDict(coll=lambda b: b, workers=2) # !DLF101
            DataLoader([1], num_workers=c.workers, collate_fn=c.coll)
        """,
    ),
    program(
        "a namespace of a library that is filled by assignments",
        """
        from easydict import EasyDict as edict
        from torch.utils.data import DataLoader
        cfg = edict()
        cfg.workers = 2
        cfg.coll = lambda b: b # !DLF101
        if __name__ == "__main__":
            DataLoader([1], num_workers=cfg.workers, collate_fn=cfg.coll)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
