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
        "what each process keeps under its own id is gone once the parent takes its own out",
        """
        import os, sqlite3
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.tables = path, {}
                self.count = self.table().execute("SELECT count(*) FROM t").fetchone()[0]
                self.leave()
            def leave(self):
                self.tables.pop(os.getpid()).close()
            def table(self):
                pid = os.getpid()
                if pid not in self.tables:
                    self.tables[pid] = sqlite3.connect(self.path)
                return self.tables[pid]
            def __len__(self): return self.count
            def __getitem__(self, index): return self.table().execute("SELECT 1").fetchone()
        class Popped(Rows):
            def leave(self):
                pid = os.getpid()
                table = self.tables.pop(pid, None)
                if table is not None:
                    table.close()
        DataLoader(Rows("x"), num_workers=2)
        DataLoader(Popped("x"), num_workers=2)
        """,
    ),
    program(
        "what is kept under an id is still there where another key, or perhaps nothing, is taken out",
        """
        import os, sqlite3
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path, other):
                self.path, self.tables = path, {}
                self.count = self.table().execute("SELECT count(*) FROM t").fetchone()[0]
                self.leave(other)
            def leave(self, other):
                self.tables.pop(other, None)
            def table(self):
                pid = os.getpid()
                if pid not in self.tables:
                    self.tables[pid] = sqlite3.connect(self.path)  # !DLF201
                return self.tables[pid]
            def __len__(self): return self.count
            def __getitem__(self, index): return self.table().execute("SELECT 1").fetchone()
        class Perhaps(Dataset):
            def __init__(self, path):
                self.tables = {}
                self.tables[os.getpid()] = sqlite3.connect(path)  # !DLF201
                self.tables[0] = sqlite3.connect(path)  # !DLF201
                self.leave()
            def leave(self):
                if len(self.tables) > 2:
                    self.tables.pop(os.getpid())
            def __len__(self): return 1
            def __getitem__(self, index): return index
        class Others(Perhaps):
            def leave(self):
                self.tables.pop(os.getpid())
        DataLoader(Rows("x", 7), num_workers=2)
        DataLoader(Perhaps("x"), num_workers=2)
        DataLoader(Others("x"), num_workers=2)
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
        "what code puts in the place of an item is sent in its stead",
        """
        from torch.utils.data import ConcatDataset, DataLoader, Dataset
        class D(Dataset):
            def __init__(self, f, g=None): self.fs, self.named = [f, g], {"f": f}
            def __getitem__(self, i): return self.fs[0](i)
        def same(x): return x
        def replaced():
            concat = ConcatDataset([D(lambda i: i), D(same), D(lambda i: i)])
            concat.datasets[0] = D(same)
            concat.datasets[-1] = D(same)
            DataLoader(concat, num_workers=2)
        def replaced_in_own():
            rows = D(lambda i: i, lambda i: i)
            rows.fs[0] = rows.named["f"] = same
            del rows.fs[1]
            DataLoader(rows, num_workers=2)
        def by_another():
            concat = ConcatDataset([D(same), D(same)])
            concat.datasets[0] = D(lambda i: i)  # !DLF101
            concat.datasets.append(D(lambda i: i))  # !DLF101
            DataLoader(concat, num_workers=2)
        def later():
            concat = ConcatDataset([D(lambda i: i)])  # !DLF101
            loader = DataLoader(concat, num_workers=2)
            concat.datasets[0] = D(same)
            return loader
        def later_by_another():
            concat = ConcatDataset([D(same)])
            for batch in DataLoader(concat, num_workers=2): print(batch)
            concat.datasets[0] = D(lambda i: i)
        def perhaps():
            concat = ConcatDataset([D(lambda i: i)])  # !DLF101
            if len(concat) > 3: concat.datasets[0] = D(same)
            DataLoader(concat, num_workers=2)
        def of_another():
            concat = ConcatDataset([D(lambda i: i)])  # !DLF101
            other = ConcatDataset([D(same)])
            other.datasets[0] = D(same)
            DataLoader(concat, num_workers=2)
        def of_one_since_replaced():
            concat = other = ConcatDataset([D(same)])
            concat = ConcatDataset([D(lambda i: i)])  # !DLF101
            other.datasets[0] = D(same)
            DataLoader(concat, num_workers=2)
        """,
    ),
    program(
        "what is registered and taken out again before the loader is made is not sent",
        """
        from torch.utils.data import DataLoader, Dataset
        OPS = {}
        class D(Dataset):
            def __init__(self, ops): self.ops = ops
            def __getitem__(self, i): return [f(i) for f in self.ops.values()]
        class Table:
            def __init__(self): self.ops = {}
            def put(self, name, f): self.ops[name] = f
            def clear(self): self.ops.clear()
        def same(x): return x
        def register(name, f): OPS[name] = f
        def put(ops, name, f): ops[name] = f
        def reset():
            OPS.clear()
        def copied():
            register("a", lambda i: i)
            OPS.pop("a")
            register("b", same)
            register("c", lambda i: i)  # !DLF101
            DataLoader(D(dict(OPS)), num_workers=2)
        def by_name():
            def local(i): ...
            register("a", local)
            def kept(i): ...  # !DLF102
            register("b", kept)
            del OPS["a"]
            DataLoader(D(OPS), num_workers=2)
        def by_a_function():
            register("d", lambda i: i)
            reset()
            register("e", lambda i: i)  # !DLF101
            DataLoader(D(OPS), num_workers=2)
        def in_a_local_table():
            ops = {}
            put(ops, "a", lambda i: i)
            put(ops, "b", lambda i: i)  # !DLF101
            ops.pop("a")
            DataLoader(D(ops), num_workers=2)
        def in_an_object():
            table = Table()
            table.put("a", lambda i: i)
            table.clear()
            table.put("b", lambda i: i)  # !DLF101
            DataLoader(D(table.ops), num_workers=2)
        def once_it_is_kept():
            ops = {}
            put(ops, "a", lambda i: i)  # !DLF101
            rows = D(dict(ops))
            ops.clear()
            DataLoader(rows, num_workers=2)
        def once_it_is_sent():
            ops = {}
            put(ops, "a", lambda i: i)  # !DLF101
            next(iter(DataLoader(D(ops), num_workers=2)))
            ops.clear()
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
