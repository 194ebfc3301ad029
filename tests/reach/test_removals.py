"""What is taken out of a container before the workers start is not sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "attributes deleted by a method called on the new object are gone",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p, progress):
                self.h, self.progress = h5py.File(p), progress  # !DLF201
            def build(self):
                self.n = len(self.h["x"])
                return self
            def freeze(self):
                self.h.close()
                del self.h, self.progress
                return self
            def __getitem__(self, i): return i
            def __len__(self): return self.n
        if __name__ == "__main__":
            DataLoader(D("x", lambda n: print(n)).build().freeze(), num_workers=2)
            DataLoader(D("x", lambda n: print(n)).build(), num_workers=2)  # !DLF101
        """,
    ),
    program(
        "an item popped and closed is gone",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.p = p
                self.h = {"f": h5py.File(p)}
                self.n = len(self.h["f"]["x"])
                self.h.pop("f").close()
            def __getitem__(self, i): return i
            def __len__(self): return self.n
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
    program(
        "an item deleted is gone",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.h = {}
                self.h["f"] = h5py.File(p)
                self.n = len(self.h["f"]["x"])
                del self.h["f"]
            def __getitem__(self, i): return i
            def __len__(self): return self.n
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
    program(
        "a cleared list is empty",
        """
        from torch.utils.data import DataLoader
        class C:
            def __init__(self): self.fs = []
            def __call__(self, b): return b
        if __name__ == "__main__":
            c = C()
            c.fs.append(lambda b: b)
            c.fs.clear()
            DataLoader([1], num_workers=2, collate_fn=c)
        """,
    ),
    program(
        "the only item of a list is popped",
        """
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.stack = []
                self.stack.append(open(p))
                self.text = self.stack[-1].read()
                self.stack.pop().close()
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
    program(
        "a table that the constructor fills by a method and clears is empty",
        """
        import os, h5py
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.p, self.files = p, {}
                self.n = len(self.file()["x"])
                self.files.clear()
            def file(self):
                k = os.getpid()
                if k not in self.files: self.files[k] = h5py.File(self.p)
                return self.files[k]
            def __getitem__(self, i): return self.file()["x"][i]
            def __len__(self): return self.n
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
    program(
        "an attribute popped from `__dict__` is gone",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.f = h5py.File(p)
                self.n = len(self.f["x"])
                self.__dict__.pop("f").close()
            def __getitem__(self, i): return i
            def __len__(self): return self.n
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
    program(
        "what one branch alone removes is still sent",
        """
        import h5py, sys
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p):
                self.f = h5py.File(p) # !DLF201
                if len(sys.argv) > 1:
                    del self.f
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
