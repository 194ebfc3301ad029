"""Classes that objects tell of themselves, and fields that only an annotation names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

FLOW = """
    from torch.utils.data import DataLoader, Dataset
    class Flow(Dataset):
        def __init__(self, source, stages=()):
            self.source = source
            self.stages = tuple(stages)
        @classmethod
        def over(cls, source):
            return cls(source)
        def then(self, stage):
            return {made}(self.source, (*self.stages, stage))
        def __len__(self):
            return len(self.source)
        def __getitem__(self, index):
            return [stage(self.source[index]) for stage in self.stages]
    def main():
        flow = Flow.over([1]).then(lambda r: r)  # !DLF101
        for x in DataLoader(flow, num_workers=2):
            print(x)
"""
PROGRAMS = [
    program("type(self) makes the next object of a chain", FLOW.format(made="type(self)")),
    program("self.__class__ makes the next object of a chain", FLOW.format(made="self.__class__")),
    program(
        "a class method makes an object without its constructor",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class Cells(Dataset):
            def __init__(self, counts):
                self.counts, self.file = counts, open("never")
            @classmethod
            def backed(cls, path):
                self = cls.__new__(cls)
                self.file = h5py.File(path)  # !DLF201
                self.count = 3
                return self
            def __getitem__(self, i):
                return self.file["counts"][i]
        def main():
            for row in DataLoader(Cells.backed("x"), num_workers=2):
                print(row)
        """,
    ),
    program(
        "a state may leave out what no text names",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class Volatile:
            @classmethod
            def _volatile(cls):
                return [name for each in cls.__mro__ for name in vars(each).get("_names", ())]
            def __getstate__(self):
                state = self.__dict__.copy()
                for name in self._volatile():
                    state[name] = None
                return state
        class Rows(Volatile, Dataset):
            _names = ("file",)
            def __init__(self, path):
                self.file = h5py.File(path)
            def __getitem__(self, i):
                return self.file["x"][i]
        def main():
            for row in DataLoader(Rows("x"), num_workers=2):
                print(row)
        """,
    ),
    program(
        "a field that is only annotated is read when the dataclass is made",
        """
        from dataclasses import dataclass
        from torch.utils.data import DataLoader, Dataset
        @dataclass
        class Columns:
            kinds: dict
            def __post_init__(self):
                self.names = self.kinds.keys()  # !DLF206
        class Table(Dataset):
            def __init__(self, columns):
                self.columns = columns
            def __len__(self):
                return 1
            def __getitem__(self, index):
                return list(self.columns.names)
        def main():
            for batch in DataLoader(Table(Columns({"a": 1})), num_workers=2):
                print(batch)
        """,
    ),
    program(
        "any of the steps may be the one that reduce begins with",
        """
        import functools
        from torch.utils.data import DataLoader
        def main(steps):
            steps = [abs, *steps]
            steps.insert(0, lambda x: x * 2)  # !DLF101
            chain = functools.reduce(lambda f, g: functools.partial(call, f, g), steps)
            for batch in DataLoader([1], collate_fn=chain, num_workers=2):
                print(batch)
        def call(f, g, x):
            return g(f(x))
        """,
    ),
    program(
        "what an exit stack hands over is as open as the stack",
        """
        import contextlib
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            def __init__(self, path):
                with contextlib.ExitStack() as stack:
                    self.file = stack.enter_context(open(path))  # !DLF201
                    self.stack = stack.pop_all()  # !DLF201
            def __len__(self):
                return 1
            def __getitem__(self, index):
                self.file.seek(0)
                return self.file.read(1)
        def main(path):
            for batch in DataLoader(Lines(path), num_workers=2):
                print(batch)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
