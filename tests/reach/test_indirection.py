"""What reaches workers by way of bases, registries, callbacks and settings; and what is replaced or emptied before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

LOADERS = """
        from torch.utils.data import DataLoader
        class Sized(DataLoader):
            def __init__(self, rows, *, workers=0, **options):
                super().__init__(rows, num_workers=workers, **options)
        class Padded(Sized):
            def __init__(self, rows, pad, **options):
                def merge(items): return items, pad{mark}
                super().__init__(rows, collate_fn=merge, **options)
        class Sorted(Padded):
            def __init__(self, rows, pad, **options):
                super().__init__(rows, pad, **options)
        if __name__ == "__main__":
            {use}
"""
TASKS = """
        from torch.utils.data import DataLoader, Dataset
        TASKS = {{}}
        class Task(Dataset):
            merge = staticmethod(lambda items: items){base}
            def __init__(self): self.gain = abs
            def __getitem__(self, i): return self.gain(i)
            def loader(self): return DataLoader(self, collate_fn=self.merge, num_workers=2)
        class Pairs(Task):
            @staticmethod
            def merge(items): return items[0]
        TASKS["pairs"] = {kept}
        def main(name):
            for batch in TASKS[name]().loader(): print(batch)
"""
CALLBACKS = """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self): self.transform = None
            def __getitem__(self, i): return self.transform(i)
        class Augment:
            def on_start(self, engine): engine.rows.transform = lambda x: x{mark}
        class Engine:
            def __init__(self, rows, callbacks): self.rows, self.callbacks = rows, callbacks
            def emit(self, event):
                for callback in self.callbacks: getattr(callback, event)(self)
            def fit(self):
                self.emit("{event}")
                for batch in DataLoader(self.rows, num_workers=2): print(batch)
        if __name__ == "__main__":
            Engine(Rows(), [Augment()]).fit()
"""
RECIPES = """
        --- main.py
        from build import Builder
        from recipes import RECIPES
        def main(name): RECIPES[name](Builder([1]).parallel(2)).build()
        --- build.py
        from torch.utils.data import DataLoader
        class Builder:
            def __init__(self, rows): self.rows, self.options = rows, {}
            def _set(self, **given):
                self.options.update(given)
                return self
            def parallel(self, n): return self._set(num_workers=n)
            def merged_by(self, function): return self._set(collate_fn=function)
            def build(self): return DataLoader(self.rows, **self.options)
        --- recipes.py
        RECIPES = {}
        def recipe(function):
            RECIPES[function.__name__] = function
            return function
        @recipe
        def words(builder): return builder.merged_by(lambda items: items)  # !DLF101
"""
SETTINGS = """
        --- main.py
        from torch.utils.data import DataLoader, Dataset
        from settings import configure
        class Table(Dataset):
            def __init__(self): self.clean = None
            def __getitem__(self, i): return self.clean(i)
        def main(name):
            table = Table()
            configure(table, name)
            DataLoader(table, num_workers=2)
        --- settings.py
        CHANGES = {"short": {"clean": lambda row: row[:2]}, "long": {}}  # !DLF101
        def configure(table, name):
            for key, value in CHANGES[name].items(): setattr(table, key, value)
"""
CHAINED = """
        from collections import ChainMap
        from torch.utils.data import DataLoader
        BASE = {"batch_size": 2}
        PRESETS = {"small": {"collate_fn": lambda items: items}}  # !DLF101
        def main(name, workers):
            options = dict(ChainMap({"num_workers": workers}, PRESETS[name], BASE))
            DataLoader([1], **options)
"""
SESSION = """
        import sqlite3
        from contextlib import contextmanager
        from torch.utils.data import DataLoader, Dataset
        class Session:
            def __init__(self, db): self.db = db
            def count(self): return {count}
        class Rows(Dataset):
            def __init__(self, path): self.path, self._db = path, None
            def db(self):
                if self._db is None: self._db = sqlite3.connect(self.path){mark}
                return self._db
            @contextmanager
            def session(self):
                try: yield Session(self.db())
                finally:
                    self._db.close()
                    self._db = None
            def __getitem__(self, i): return self.db().execute("select ?", (i,)).fetchone()
        def main():
            rows = Rows("x")
            with rows.session() as session: print(session.count())
            DataLoader(rows, num_workers=2)
"""
REPLACED = """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self): self.split = lambda text: text{mark}
            def __getitem__(self, i): return self.split(str(i))
        class Study:
            def __init__(self, rows): self.rows = rows
            def loader(self):
                {use}
                return DataLoader(self.rows, num_workers=2)
        def main(): print(list(Study(Rows()).loader()))
"""
OPTIONS = """
        from dataclasses import dataclass
        from torch.utils.data import DataLoader
        @dataclass
        class Options:
            workers: int = 0
            limit: int = 3
            def for_loader(self): return dict(num_workers=self.workers)
        def collate_of(options):
            if options.workers {test} 0: return lambda items: items[:options.limit]{mark}
            return None
        def main(workers):
            options = Options(workers)
            given = options.for_loader()
            given["collate_fn"] = collate_of(options)
            DataLoader([1], **given)
"""
CLIPS = """
        from torch.utils.data import DataLoader, Dataset
        class Clips(Dataset):
            def __init__(self, paths): self.paths, self.files = paths, {{}}
            def _file(self, path):
                if path not in self.files: self.files[path] = open(path, "rb"){mark}
                return self.files[path]
            def sizes(self): return [len(self._file(path).read()) for path in self.paths]
            def release(self):
                for file in self.files.values(): file.close()
                self.files.clear()
            def __getitem__(self, i): return self._file(self.paths[i]).read(4)
        def main():
            clips = Clips(["x"])
            {use}
            DataLoader(clips, num_workers=2)
"""
STATE = """
        from torch.utils.data import DataLoader, Dataset
        class Kept:
            _left_out = ()
            def __getstate__(self):
                state = self.__dict__.copy()
                for cls in type(self).__mro__:
                    for name in {names}: state.pop(name, None)
                return state
        class Rows(Kept, Dataset):
            _left_out = ({left},)
            def __init__(self, path): self.path, self.file = path, open(path){mark}
            def __getitem__(self, i): return i
        DataLoader(Rows("x"), num_workers=2)
"""
UNPACKED = """
        from torch.utils.data import DataLoader, IterableDataset
        class Around(IterableDataset):
            def __init__(self, parts): self.parts = tuple(parts)
        class Mixed(Around):
            def __init__(self, *pairs):
                self.parts, self.weights = zip(*pairs)
                super().__init__(self.parts)
                self.pairs = pairs
        def build(parts, steps):
            inner = [(Skip(part, step), 1.0) for part, step in zip(parts, steps)]
            mixed = Mixed(*[pair[:2] for pair in inner])
            mixed = Skip(mixed)
"""
FOUND = "  # !{}"
PROGRAMS = [
    program("a base's constructor gets a local function", LOADERS.format(mark=FOUND.format("DLF102"), use="Padded([1], 2, workers=2)")),
    program("a base's base gets it", LOADERS.format(mark=FOUND.format("DLF102"), use="Sorted([1], 2, workers=2)")),
    program("a registry holds an heir", TASKS.format(base="", kept="Pairs")),
    program("a registry holds the base", TASKS.format(base=FOUND.format("DLF105"), kept="Task")),
    program("a callback that runs", CALLBACKS.format(event="on_start", mark=FOUND.format("DLF101"))),
    program("a callback that does not run", CALLBACKS.format(event="on_end", mark="")),
    program("a builder's recipe", RECIPES),
    program("settings of another module", SETTINGS),
    program("chained mappings", CHAINED),
    program("a session that only counts", SESSION.format(mark="", count="self.db.total_changes")),
    program("a session that starts workers", SESSION.format(mark=FOUND.format("DLF203"), count="len(list(DataLoader([1], num_workers=2)))")),
    program("replaced before", REPLACED.format(mark="", use="self.rows.split = str")),
    program("replaced at times", REPLACED.format(mark=FOUND.format("DLF101"), use="if self.rows: self.rows.split = str")),
    program("only without workers", OPTIONS.format(test="==", mark="")),
    program("only with workers", OPTIONS.format(test=">", mark=FOUND.format("DLF101"))),
    program("emptied", CLIPS.format(mark="", use="print(clips.sizes()); clips.release()")),
    program("emptied, and filled again", CLIPS.format(mark=FOUND.format("DLF201"), use="clips.release(); print(clips.sizes())")),
    program("left out by what the classes name", STATE.format(names='cls.__dict__.get("_left_out", ())', left='"file"', mark="")),
    program("left out by what they have", STATE.format(names='getattr(cls, "_left_out", ())', left='"file"', mark="")),
    program("unpacked, of a name that nothing binds", UNPACKED),
    program("files that a function selects", """
        import webdataset
        def main(urls):
            rows = webdataset.WebDataset(urls, select_files=lambda name: "x" in name)  # !DLF101
            webdataset.WebLoader(rows, num_workers=2)
"""),
    program("another is left out", STATE.format(names='vars(cls).get("_left_out", ())', left='"path"', mark=FOUND.format("DLF201"))),
]  # fmt: skip


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
