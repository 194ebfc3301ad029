"""Names that are computed lead to all that they may stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

SETS = """
class TrainSet(Dataset):
    def __init__(self): self.f = lambda x: x
class TestSet(Dataset):
    def __init__(self): self.g = lambda x: x
class Other:
    def __init__(self): self.h = lambda x: x
"""
MAIN = "# file: main.py\nfrom torch.utils.data import DataLoader\n"
BOTH = ("dataset.f lambda", "dataset.g lambda")

ROWS = [
    row(
        "what a configuration file names, of all functions that `globals` has",
        """
        # file: main.py
        from torch.utils.data import DataLoader
        from collates import *
        def get_trainer(args): return Trainer(lambda x: x)
        class Trainer:
            def __init__(self, f): self.f = f
            def __call__(self, batch): return batch
        def train(args):
            collate = globals()[args.collate_function](**args.collate_params)
            return DataLoader([1], collate_fn=collate, num_workers=args.workers)
        # file: collates.py
        def padded(): return lambda batch: batch
        # file: configs/small.yml
        collate_function: padded  # the only one
        workers: 4
        """,
        "collate_fn lambda",
    ),
    row(
        "a configuration file that names nothing of the module",
        """
        # file: main.py
        from torch.utils.data import DataLoader
        def train(args):
            def collate(batch): return batch
            return DataLoader([1], collate_fn=collate, num_workers=args.workers)
        def padded(): return lambda batch: batch
        def load(args):
            return DataLoader([1], collate_fn=globals()[args.collate](), num_workers=args.workers)
        # file: config.json
        {"collate": "other", "workers": 4}
        """,
        "collate_fn def collate",
        "collate_fn lambda",
    ),
    row(
        "what the default of an option names, of all functions that `globals` has",
        """
        import argparse
        def one(): return lambda batch: batch
        def other(): return threading.Lock
        def third(): return Keep(threading.Lock())
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--collate", default="one")
            args = parser.parse_args()
            DataLoader([1], collate_fn=globals()[args.collate](), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a class whose constructor takes no such arguments is not meant by a computed name",
        """
        # file: main.py
        from torch.utils.data import DataLoader
        class Rows:
            def __init__(self, path, size): self.f = lambda x: x
            def __getitem__(self, i): return i
        class Pairs:
            def __init__(self, path, *, seed): self.g = lambda x: x
            def __getitem__(self, i): return i
        class Runner:
            def __init__(self, path, size): self.h = lambda x: x
        def load(config):
            return DataLoader(eval(config.name)("a", 3), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "neither an object without items is a dataset nor one without `__call__` a function, if a name is worked out",
        """
        # file: main.py
        from torch.utils.data import DataLoader
        class Runner:
            def __init__(self, size): self.h = lambda x: x
            def run(self, config):
                rows = eval(config.name)(3)
                return DataLoader(rows, collate_fn=globals()[config.collate](3), num_workers=2)
        """,
    ),
    row(
        "a class that `eval` finds by its name, among those that can be datasets",
        """
        import sys
        class Rows(Dataset):
            def __init__(self, f): self.f = f
        class Trainer:
            def __init__(self, f): self.trained = f
        DataLoader(eval(sys.argv[1])(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "a local function that `eval` finds by its name",
        """
        def main():
            def collate(batch): return batch
            DataLoader([1], collate_fn=eval("collate"), num_workers=2)
        """,
        "collate_fn def collate",
    ),
    row(
        "a value that `eval` reads",
        """
        import sys
        def main():
            def collate(batch): return batch
            Keep(collate)
            DataLoader(Keep(eval(sys.argv[1])), num_workers=eval(sys.argv[2]))
        """,
    ),
    row(
        "a class that an option of a parser chooses",
        """
        import argparse
        class Rows(Dataset):
            def __init__(self, f): self.f = f
        class Others(Dataset):
            def __init__(self, g): self.g = g
        class LookUp(argparse.Action):
            def __call__(self, parser, options, name, option=None):
                setattr(options, self.dest, self.choices[name])
        parser = argparse.ArgumentParser()
        kinds = dict(rows=Rows, others=Others)
        parser.add_argument("--data-kind", choices=kinds, default=Rows, action=LookUp)
        parser.add_argument("--limit", default=4, type=int)
        options = parser.parse_args()
        DataLoader(options.data_kind(lambda x: x), num_workers=options.limit)
        """,
        "dataset.f lambda",
        "dataset.g lambda",
    ),
    row(
        "a class that is the default of an option with another name",
        """
        import argparse
        class Rows(Dataset):
            def __init__(self, f): self.f = f
        parser = argparse.ArgumentParser()
        parser.add_argument("-d", "--data", dest="rows", default=Rows)
        options = parser.parse_args()
        DataLoader(options.rows(lambda x: x), num_workers=2)
        DataLoader(options.data(lambda x: x), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "globals",
        SETS + "def make(n): return DataLoader(globals()[n + 'Set'](), num_workers=2)",
        *BOTH,
    ),
    row(
        "getattr of a module",
        MAIN + "import sets\n"
        "def make(n): return DataLoader(getattr(sets, f'{n}Set')(), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        *BOTH,
    ),
    row(
        "the dict of a module",
        MAIN + "import sets\n"
        "def make(n): return DataLoader(sets.__dict__['Test' + n](), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        "dataset.g lambda",
        "self.f lambda",  # no loader in view takes it
    ),
    row(
        "vars of a module, a name that is one of two constants",
        MAIN + "import sets\n"
        "def make(a): return DataLoader(vars(sets)['TestSet' if a else 'TrainSet'](), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        *BOTH,
    ),
    row(
        "any dataset of torchvision",
        """
        import torchvision
        def make(n):
            data = torchvision.datasets.__dict__[n]("d", transform=lambda x: x)
            return DataLoader(data, num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a method by the start of its name",
        """
        class Data(Dataset):
            def __init__(self, kind): self.read = getattr(self, "read_" + kind)()
            def read_one(self): return lambda x: x
            def write(self): return threading.Lock()
        def make(kind): return DataLoader(Data(kind), num_workers=2)
        """,
        "dataset.read lambda",
    ),
    row(
        "two registries of one class, filled by a method of their own",
        """
        class Registry:
            def __init__(self): self.known = {}
            def put(self, name, cls): self.known[name] = cls
            def register(self):
                def deco(cls):
                    self.put(cls.__name__, cls)
                    return cls
                return deco
            def get(self, name): return self.known[name]
        SETS, MODELS = Registry(), Registry()
        @SETS.register()
        class One(Keep):
            def __init__(self): self.kept = lambda x: x
        @MODELS.register()
        class Net(Keep):
            def __init__(self): self.other = threading.Lock()
        def make(name): return DataLoader(SETS.get(name)(), num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "any class of modules that are imported by name, and no helper that they import",
        """
        # file: data/__init__.py
        import importlib
        import os
        parts = [importlib.import_module(f"data.{name}") for name in os.listdir("data")]
        def make(kind):
            for module in parts:
                found = getattr(module, kind, None)
                if found is not None:
                    return found("folder")
        # file: data/rows.py
        from tools import scan
        class Rows(Dataset):
            def __init__(self, folder): self.f = lambda x: x
        # file: tools.py
        class Scan(Dataset):
            def __init__(self): self.g = lambda x: x
        def scan(folder):
            return Scan()
        # file: main.py
        import sys
        from torch.utils.data import DataLoader
        from data import make
        DataLoader(make(sys.argv[1]), num_workers=2)
        """,
        "dataset.f lambda",
    ),
    row(
        "attributes set by the names of a dataclass's fields, each from a table",
        """
        import dataclasses
        def good(b): return b
        TABLE = {"on_load": lambda b: b, "on_scale": good}
        @dataclasses.dataclass
        class Hooks:
            load: object = None
            scale: object = None
        hooks = Hooks()
        for field in dataclasses.fields(hooks):
            setattr(hooks, field.name, TABLE[f"on_{field.name}"])
        DataLoader(Keep(hooks), num_workers=2)
        """,
        "dataset.kept.load lambda",
        "dataset.kept.scale def good",
    ),
    row(
        "attributes read by the names of fields, and what the fields say",
        """
        import dataclasses
        @dataclasses.dataclass
        class Hooks:
            load: object
            name: str = dataclasses.field(default="", metadata={"read": lambda b: b})
        def get(hooks):
            return [getattr(hooks, field.name) for field in dataclasses.fields(hooks)]
        read = [field.metadata.get("read") for field in dataclasses.fields(Hooks)]
        names = [field.name for field in dataclasses.fields(Hooks)]
        DataLoader(Keep(get(Hooks(lambda b: b)), Keep(read, names)), num_workers=2)
        """,
        "dataset.kept[] lambda",
        "dataset.other.kept[] lambda",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_a_computed_name_leads_to(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
