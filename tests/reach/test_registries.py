"""Registries that a helper, or a method of a dict of one's own, fills; and classes that names do not lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a dict of one's own, filled by a helper in a decorator, read under an unknown key",
        """
        --- registry.py
        def put(table, name, made):
            assert name not in table
            table[name] = made
        class Registry(dict):
            def __init__(self, *args, **kwargs):
                super(Registry, self).__init__(*args, **kwargs)
            def register(self, name, made=None):
                if made is not None:
                    put(self, name, made)
                    return
                def register_it(it):
                    put(self, name, it)
                    return it
                return register_it
        KINDS = Registry()
        --- kinds.py
        from registry import KINDS
        class Base:
            def __getitem__(self, i): return i
        @KINDS.register("a")
        @KINDS.register("b")
        class Rows(Base):
            def __init__(self): self.key = lambda x: x # !DLF101
        class Others(Base):
            def __init__(self): self.key = lambda x: x # !DLF101
        class Unused(Base):
            def __init__(self): self.key = lambda x: x
        KINDS.register("c", Others)
        --- main.py
        import sys
        import kinds
        from registry import KINDS
        from torch.utils.data import DataLoader
        if __name__ == "__main__":
            DataLoader(KINDS[sys.argv[1]](), num_workers=2)
        """,
    ),
    program(
        "a table on an object, filled by a helper in a decorator",
        """
        import sys
        from torch.utils.data import DataLoader
        def put(table, name, made): table[name] = made
        class Registry:
            def __init__(self): self.table = {}
            def get(self, name): return self.table[name]
            def register(self, name):
                def register_it(it):
                    put(self.table, name, it)
                    return it
                return register_it
        KINDS = Registry()
        @KINDS.register("a")
        class Rows:
            def __init__(self): self.key = lambda x: x # !DLF101
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(KINDS.get(sys.argv[1])(), num_workers=2)
        """,
    ),
    program(
        "a global table, filled by a helper in a decorator",
        """
        import sys
        from torch.utils.data import DataLoader
        TABLE = {}
        def put(table, name, made): table[name] = made
        def register(name):
            def register_it(it):
                put(TABLE, name, it)
                return it
            return register_it
        @register("a")
        class Rows:
            def __init__(self): self.key = lambda x: x # !DLF101
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(TABLE[sys.argv[1]](), num_workers=2)
        """,
    ),
    program(
        "a dict of one's own that the constructor has filled",
        """
        import zipfile
        from torch.utils.data import DataLoader, Dataset
        class Cache(dict):
            def load(self, key):
                if key not in self: self[key] = zipfile.ZipFile(key) # !DLF201
                return self[key]
        class Rows(Dataset):
            def __init__(self):
                self.cache = Cache()
                self.names = self.cache.load("a").namelist()
            def __getitem__(self, i): return self.cache.load("a").read(self.names[i])
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "a dict of one's own that workers alone fill",
        """
        import zipfile
        from torch.utils.data import DataLoader, Dataset
        class Cache(dict):
            def load(self, key):
                if key not in self: self[key] = zipfile.ZipFile(key)
                return self[key]
        class Rows(Dataset):
            def __init__(self): self.cache = Cache()
            def __getitem__(self, i): return self.cache.load("a").read(str(i))
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "a helper that puts things into another dict",
        """
        import sys
        from torch.utils.data import DataLoader
        def put(table, name, made): table[name] = made
        class Registry(dict):
            def register(self, name, made): put(self.others, name, made)
        KINDS = Registry(a=list)
        KINDS.others = {}
        KINDS.register("b", lambda: [1])
        if __name__ == "__main__":
            DataLoader([1], collate_fn=KINDS[sys.argv[1]], num_workers=2)
        """,
    ),
    program(
        "a class whose name a later class takes",
        """
        import sys
        from torch.utils.data import DataLoader, Dataset
        KINDS = {}
        def register(name):
            def register_it(it):
                KINDS[name] = it
                return it
            return register_it
        @register("a")
        class Rows(Dataset): # !DLF105
            def __getitem__(self, i): return i
        @register("b")
        class Rows(Dataset):
            def __getitem__(self, i): return -i
        if __name__ == "__main__":
            DataLoader(KINDS[sys.argv[1]](), num_workers=2)
        """,
    ),
    program(
        "a class behind a function that makes its only object",
        """
        from torch.utils.data import DataLoader, Dataset
        def single(cls):
            made = []
            def get(*args):
                if not made: made.append(cls(*args))
                return made[0]
            return get
        @single
        class Rows(Dataset): # !DLF105
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(Rows(), num_workers=2)
        """,
    ),
    program(
        "classes that their decorators leave, or derive from",
        """
        import dataclasses
        from torch.utils.data import DataLoader, Dataset
        from unknown import known
        ALL = []
        def listed(cls):
            ALL.append(cls)
            return cls
        def either(cls=None):
            def decorate(it): return it
            return decorate if cls is None else decorate(cls)
        @listed
        class Rows(Dataset):
            def __getitem__(self, i): return i
        @dataclasses.dataclass
        class Fields(Dataset):
            size: int = 1
            def __getitem__(self, i): return i
        @known
        class Known(Dataset):
            def __getitem__(self, i): return i
        @either()
        class Either(Dataset):
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            for rows in (Rows(), Fields(), Known(), Either()):
                DataLoader(rows, num_workers=2)
        """,
    ),
    program(
        "an object of a registry that makes its parts by the same function",
        """
        import sys
        from torch.utils.data import DataLoader
        class Registry:
            def __init__(self): self.table = {}
            def get(self, name): return self.table.get(name, None)
            def register(self, cls):
                self.table[cls.__name__] = cls
                return cls
        def build(cfg, registry):
            args = cfg.copy()
            cls = registry.get(args.pop("type"))
            return cls(**args)
        SETS, STEPS = Registry(), Registry()
        @STEPS.register
        class Scale:
            def __init__(self, by): self.by = by
        @STEPS.register
        class Shift:
            def __init__(self, by): self.move = lambda x: x + by # !DLF101
        @STEPS.register
        class Nested:
            def __init__(self, steps):
                self.steps = [build(each, STEPS) for each in steps]
        class Steps:
            def __init__(self, steps):
                self.steps = []
                for each in steps:
                    self.steps.append(build(each, STEPS))
        @SETS.register
        class Rows:
            def __init__(self, steps): self.steps = Steps(steps)
            def __getitem__(self, i): return i
        def walk(tree, make): # of parts that no constructor makes it says nothing
            return [walk(each, make) for each in tree] or make(tree)
        if __name__ == "__main__":
            cfg = {"type": "Rows", "steps": [{"type": "Scale", "by": 2}, {"type": "Shift", "by": 3}]}
            DataLoader(build(cfg, SETS), num_workers=2)
            DataLoader(walk(sys.argv, list), num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
