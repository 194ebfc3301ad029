"""Options dicts on their way to a loader: copied, filtered, extended, made from objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "an attribute that code sets on a namespace whose attributes are passed as options",
        """
        from argparse import Namespace
        from types import SimpleNamespace
        from torch.utils.data import DataLoader
        def build(rows, config):
            options = dict(vars(config))
            options.pop("name")
            return DataLoader(rows, **options)
        def main(k):
            config = Namespace(batch_size=2, num_workers=2)
            config.collate_fn = lambda rows: rows[:k]  # !DLF101
            other = Namespace(batch_size=2, num_workers=2)
            other.key = lambda rows: rows[:k]
            named = SimpleNamespace(name="x", num_workers=2)
            named.collate_fn = lambda rows: rows[:k]  # !DLF101
            DataLoader([1], **vars(config))
            build([1], named)
            print(sorted([1], key=vars(other)["key"]))
        """,
    ),
    program(
        "options of which one of several dicts is passed, each with a number of workers of its own",
        """
        from torch.utils.data import DataLoader
        TABLE = {
            "debug": {"num_workers": 0},
            "fast": {"num_workers": 4, "persistent_workers": True},
        }
        WRONG = {
            "fast": {"num_workers": 4},
            "debug": {
                "num_workers": 0,
                "persistent_workers": True,  # !DLF401
            },
        }
        def returned(debug):
            if debug:
                return {"num_workers": 0}
            return {"num_workers": 4, "prefetch_factor": 2}
        def make(**options):
            return DataLoader([1], **options)
        def main(args):
            DataLoader([1], **TABLE[args.profile])
            DataLoader([1], **returned(args.debug))
            make(num_workers=0)
            make(num_workers=4, persistent_workers=True)
            DataLoader([1], **WRONG[args.profile])
        """,
    ),
    program(
        "an option that is passed besides one of several dicts",
        """
        from torch.utils.data import DataLoader
        COUNTS = {"debug": {"num_workers": 0}, "fast": {"num_workers": 4}}
        def main(args):
            DataLoader([1], persistent_workers=True, **COUNTS[args.profile])  # !DLF401
            DataLoader([1], timeout=0, **COUNTS[args.profile])
        """,
    ),
    program(
        "an executor that another module hands over",
        """
        --- work.py
        import threading
        class Work:
            def __init__(self):
                self.lock = threading.Lock() # !DLF204
            def one(self, item):
                return item
            def run(self, items, pool=None):
                return [pool.submit(self.one, item) for item in items]
        --- main.py
        from concurrent.futures import ProcessPoolExecutor
        from work import Work
        if __name__ == "__main__":
            with ProcessPoolExecutor(2) as pool:
                Work().run([1, 2], pool)
        """,
    ),
    program(
        "an entry that an update replaces, passed on to a class of the program",
        """
        import copy
        from torch.utils.data import DataLoader, Dataset
        DEFAULTS = {"seed": 5, "target": None}
        class Rows(Dataset):
            def __init__(self, seed, target=None):
                self.target = target
        def shifted(offset):
            return dict(target=lambda x: x - offset) # !DLF101
        def options(offset):
            made = copy.copy(DEFAULTS)
            made.update(shifted(offset))
            return made
        if __name__ == "__main__":
            DataLoader(Rows(**options(3)), num_workers=2)
        """,
    ),
    program(
        "a dict filtered by a comprehension",
        """
        from torch.utils.data import DataLoader
        def make(ds, opts):
            opts = {k: v for k, v in opts.items() if v is not None}
            return DataLoader(ds, **opts)
        if __name__ == "__main__":
            make([1], {"num_workers": 2, "collate_fn": lambda b: b}) # !DLF101
        """,
    ),
    program(
        "a dict copied and updated",
        """
        from torch.utils.data import DataLoader
        def make(ds, opts):
            o = dict(opts)
            o.update(worker_init_fn=lambda i: None) # !DLF101
            o2 = o.copy()
            return DataLoader(ds, **o2)
        if __name__ == "__main__":
            make([1], {"num_workers": 2})
        """,
    ),
    program(
        "an item set by a function that the dict is passed to",
        """
        from torch.utils.data import DataLoader
        def extend(o):
            o["collate_fn"] = lambda b: b # !DLF101
        def make(ds):
            opts = {"num_workers": 2}
            extend(opts)
            return DataLoader(ds, **opts)
        if __name__ == "__main__":
            make([1])
        """,
    ),
    program(
        "an item set on keywords that an object keeps",
        """
        from torch.utils.data import DataLoader
        class M:
            def __init__(self, **kw):
                self.kw = kw
                self.kw["collate_fn"] = lambda b: b # !DLF101
            def loader(self, ds):
                return DataLoader(ds, **self.kw)
        if __name__ == "__main__":
            M(num_workers=2).loader([1])
        """,
    ),
    program(
        "a dataclass turned into a dict",
        """
        import dataclasses
        from typing import Callable
        from torch.utils.data import DataLoader
        @dataclasses.dataclass
        class Opts:
            num_workers: int = 2
            collate_fn: Callable = None
        def make(ds, o):
            return DataLoader(ds, **dataclasses.asdict(o))
        if __name__ == "__main__":
            make([1], Opts(collate_fn=lambda b: b)) # !DLF101
        """,
    ),
    program(
        "the dict of a namespace",
        """
        import argparse
        from torch.utils.data import DataLoader
        def make(ds, a):
            return DataLoader(ds, **vars(a))
        if __name__ == "__main__":
            make([1], argparse.Namespace(num_workers=2, collate_fn=lambda b: b)) # !DLF101
        """,
    ),
    program(
        "a lambda found by a computed name among the globals",
        """
        from torch.utils.data import DataLoader
        coll_a = lambda b: b # !DLF105
        def coll_b(b): return b
        if __name__ == "__main__":
            import sys
            DataLoader([1], num_workers=2, collate_fn=globals()["coll_" + sys.argv[1]])
        """,
    ),
    program(
        "a lambda found by a computed name in a module",
        """
        --- colls.py
        first = lambda b: b[0] # !DLF105
        --- main.py
        import sys, colls
        from torch.utils.data import DataLoader
        if __name__ == "__main__":
            DataLoader([1], num_workers=2, collate_fn=getattr(colls, sys.argv[1]))
        """,
    ),
    program(
        "a function set on a library's dataset",
        """
        from torch.utils.data import DataLoader
        from torchvision.datasets import MNIST
        if __name__ == "__main__":
            test_set = MNIST("x")
            test_set.get_labels = lambda: 3 # !DLF101
            DataLoader(test_set, num_workers=2)
        """,
    ),
    program(
        "a function that a helper sets on a library's dataset",
        """
        from torch.utils.data import DataLoader
        from torchvision.datasets import ImageFolder
        def prep(ds, n):
            ds.remap = lambda y: y % n # !DLF101
            return ds
        if __name__ == "__main__":
            DataLoader(prep(ImageFolder("x"), 4), num_workers=2)
        """,
    ),
    program(
        "a list filled by a module that imports it from the package",
        """
        --- tab/__init__.py
        from .features import FEATURES
        --- tab/features.py
        FEATURES = []
        --- tab/fill.py
        from tab import FEATURES
        FEATURES.append(lambda x: x) # !DLF101
        --- main.py
        from torch.utils.data import DataLoader, Dataset
        import tab.fill
        from tab import FEATURES
        class D(Dataset):
            def __init__(self): self.f = FEATURES
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "a dict filled through two packages that hand it on",
        """
        --- tab/__init__.py
        from .sub import *
        --- tab/sub/__init__.py
        from .reg import HOOKS
        --- tab/sub/reg.py
        HOOKS = {}
        --- fill.py
        import tab
        tab.HOOKS["x"] = lambda x: x # !DLF101
        --- main.py
        from torch.utils.data import DataLoader, Dataset
        import fill
        from tab.sub.reg import HOOKS
        class D(Dataset):
            def __init__(self): self.f = HOOKS
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "a lambda set as an item has the code of one in a display",
        """
        from torch.utils.data import DataLoader
        T = {}
        T["a"] = lambda b: b # !DLF101
        U = {"a": lambda b: b} # !DLF101
        if __name__ == "__main__":
            DataLoader([1], num_workers=2, collate_fn=T["a"])
            DataLoader([1], num_workers=2, collate_fn=U["a"])
        """,
    ),
    program(
        "what is set on a copy is not on the original",
        """
        import copy
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self): self.t = None
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            d = D()
            e = copy.copy(d)
            e.t = lambda x: x
            DataLoader(d, num_workers=2)
            print(e[0])
        """,
    ),
    program(
        "what is set on a copy is sent with the copy",
        """
        import copy
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self): self.t = None
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            d = D()
            e = copy.copy(d)
            e.t = lambda x: x # !DLF101
            DataLoader(e, num_workers=2)
        """,
    ),
    program(
        "a state function assigned to `__getstate__` drops what it drops",
        """
        import threading
        from torch.utils.data import DataLoader, Dataset
        def drop(self):
            s = dict(self.__dict__)
            del s["l"]
            return s
        class D(Dataset):
            def __init__(self):
                self.l = threading.Lock()
                self.m = threading.Lock() # !DLF204
            def __getitem__(self, i): return i
            __getstate__ = drop
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "an attribute of a loader's dataset that a function sets",
        """
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self): self.t = None
            def __getitem__(self, i): return self.t(i)
        def scale(loader, by):
            loader.dataset.t = lambda x: x * by # !DLF101
        def plain(loader):
            loader.dataset.t = lambda x: x
        if __name__ == "__main__":
            loader = DataLoader(D(), num_workers=2)
            scale(loader, 3)
            plain(DataLoader(D()))
        """,
    ),
    program(
        "a state function that a decorator puts on the class drops what it drops",
        """
        import threading
        from torch.utils.data import DataLoader, Dataset
        def without_lock(cls):
            def state(self):
                s = dict(self.__dict__)
                del s["l"]
                return s
            cls.__getstate__ = state
            return cls
        @without_lock
        class D(Dataset):
            def __init__(self):
                self.l = threading.Lock()
                self.m = threading.Lock() # !DLF204
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "a state function made by the call of a decorator, for names that it is given",
        """
        import threading
        from torch.utils.data import DataLoader, Dataset
        def without(*names):
            def decorate(cls):
                def state(self):
                    return {k: v for k, v in self.__dict__.items() if k not in names}
                cls.__getstate__ = state
                return cls
            return decorate
        @without("l")
        class D(Dataset):
            def __init__(self):
                self.l = threading.Lock()
                self.m = threading.Lock()
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "a decorator's state function that hands a handle over",
        """
        import sqlite3
        from torch.utils.data import DataLoader, Dataset
        def named(cls):
            cls.__getstate__ = state
            return cls
        def state(self):
            return {"path": self.path, "db": self.db}
        @named
        class D(Dataset):
            def __init__(self, path):
                self.path = path
                self.db = sqlite3.connect(path) # !DLF205
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D("a.db"), num_workers=2)
        """,
    ),
    program(
        "a method assigned to `__getstate__` drops what it drops",
        """
        import threading
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self):
                self.l = threading.Lock()
                self.f = lambda x: x # !DLF101
            def _state(self):
                s = self.__dict__.copy()
                s.pop("l")
                return s
            __getstate__ = _state
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(), num_workers=2)
        """,
    ),
    program(
        "hooks registered on each layer of a model",
        """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, model):
                self.net = model
                self.acts = {}
                for name, layer in self.net.named_modules():
                    layer.register_forward_hook(lambda m, i, o, name=name: self.acts.update({name: o})) # !DLF101
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(torch.nn.Linear(1, 1)), num_workers=2)
        """,
    ),
    program(
        "hooks that the function takes off again, and modules made one by one",
        """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(torch.nn.Linear(1, 1) for _ in range(3))
        class D(Dataset):
            def __init__(self, model):
                self.net = model
            def __getitem__(self, i): return i
        def calibrate(model, samples):
            handles = []
            for layer in model.children():
                handles.append(layer.register_forward_hook(lambda m, i, o: print(o)))
            model(samples)
            for handle in handles:
                handle.remove()
            one = model.register_forward_hook(lambda m, i, o: print(i))
            one.remove()
            kept = model.register_forward_hook(lambda m, i, o: print(m)) # !DLF101
        if __name__ == "__main__":
            net = Net()
            calibrate(net, torch.ones(1))
            DataLoader(D(net), num_workers=2)
        """,
    ),
    program(
        "hooks registered on the layers of a model of the program",
        """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(1, 1)
        class D(Dataset):
            def __init__(self, model):
                self.net = model
                layers = dict(self.net.named_modules())
                layers["head"].register_forward_hook(lambda m, i, o: print(o)) # !DLF101
                for layer in model.children():
                    layer.register_forward_pre_hook(lambda m, i: print(i)) # !DLF101
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(D(Net()), num_workers=2)
        """,
    ),
    program(
        "a function bound to each layer of a model",
        """
        import types
        import torch
        import torch.multiprocessing as mp
        def doubled(self, x): return 2 * x
        def patch(model):
            for layer in model.modules():
                layer.forward = types.MethodType(doubled, layer) # !DLF206
        def run(rank, model): model(torch.zeros(1))
        if __name__ == "__main__":
            model = torch.nn.Sequential(torch.nn.Linear(1, 1))
            patch(model)
            mp.spawn(run, args=(model,))
        """,
    ),
    program(
        "a pool that a property makes where a method of its object is mapped",
        """
        import multiprocessing
        class Features:
            def __init__(self): self._pool = None
            @property
            def pool(self):
                if self._pool is None:
                    self._pool = multiprocessing.Pool(2) # !DLF204
                return self._pool
            def one(self, text): return len(text)
            def all(self, texts): return list(self.pool.imap(self.one, texts))
        if __name__ == "__main__":
            Features().all(["a"])
        """,
    ),
    program(
        "unknown options beside a lambda",
        """
        from omegaconf import OmegaConf
        from torch.utils.data import DataLoader
        def make(ds, cfg):
            return DataLoader(ds, num_workers=cfg.workers, **cfg.loader, collate_fn=lambda b: b) # !DLF101
        if __name__ == "__main__":
            make([1], OmegaConf.load("x.yaml"))
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
