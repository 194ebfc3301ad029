"""Every boundary: what crosses at it, and what stays in the parent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

ROWS = [
    row("keywords", "DataLoader([], collate_fn=lambda b: b, num_workers=2)", "collate_fn lambda"),
    row(
        "positions",
        "DataLoader([], 4, False, None, None, 2, lambda b: b)",
        "collate_fn lambda",
    ),
    row("a sampler stays", "DataLoader([], sampler=lambda b: b, num_workers=2)"),
    row("a generator stays", "DataLoader([], generator=threading.Lock(), num_workers=2)"),
    row(
        "what a batch sampler gives",
        "DataLoader([], batch_sampler=[lambda b: b], num_workers=2)",
        "[batch_sampler] lambda",
    ),
    row(
        "a worker_init_fn",
        "DataLoader([], worker_init_fn=lambda i: i, num_workers=2)",
        "worker_init_fn lambda",
    ),
    row(
        "a loader made by a method of its class",
        """
        class Loader(DataLoader):
            @classmethod
            def of(cls, ds, **kw): return cls(dataset=ds, collate_fn=lambda b: b, num_workers=2, **kw)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader that makes another of its type",
        """
        class Loader(DataLoader):
            def again(self): return type(self)(self.dataset, collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a copy of a loader that a function is given",
        """
        class Loader(DataLoader): pass
        def again(loader: Loader): return type(loader)(loader.dataset, 4, False, None, None, 2, lambda b: b)
        again(Loader([]))
        """,
        "collate_fn lambda",
    ),
    row(
        "a copy of what does not look like a loader, but is told its options",
        """
        class Loader(DataLoader): pass
        def again(one: Loader): return one.__class__([], collate_fn=lambda b: b, num_workers=2)
        again(Loader([]))
        """,
        "collate_fn lambda",
    ),
    row(
        "another class that makes itself",
        """
        class Plan:
            @classmethod
            def of(cls): return cls(collate_fn=lambda b: b, num_workers=2)
        """,
    ),
    row(
        "what two callers pass on by keyword",
        """
        def make(ds, **kw): return DataLoader(ds, num_workers=2, **kw)
        def one(): return make([], collate_fn=lambda b: b)
        def other(): return make([], batch_size=3, collate_fn=lambda c: c)
        """,
        "collate_fn lambda",
        "collate_fn lambda",
    ),
    row("no workers", "DataLoader([], collate_fn=lambda b: b, num_workers=0)"),
    row("workers by default", "DataLoader([], collate_fn=lambda b: b)"),
    row(
        "workers that are not known",
        "def make(n): return DataLoader([], collate_fn=lambda b: b, num_workers=n)",
        "collate_fn lambda",
    ),
    row(
        "workers that are a name's value",
        "N = 0\nDataLoader([], collate_fn=lambda b: b, num_workers=N)",
    ),
    row(
        "a loader's subclass",
        """
        class Loader(DataLoader): pass
        Loader([], collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader's subclass with a constructor",
        """
        class Loader(DataLoader):
            def __init__(self, data, workers):
                super().__init__(data, collate_fn=lambda b: b, num_workers=workers)
        Loader([], 2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader's subclass that forwards",
        """
        class Loader(DataLoader):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
        Loader([], collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "another class of the same name",
        """
        class DataLoader:
            def __init__(self, *args, **kwargs): pass
        DataLoader([], collate_fn=lambda b: b, num_workers=2)
        """,
    ),
    row(
        "a wrapper that forwards keywords",
        """
        def make(ds, **kwargs): return DataLoader(ds, num_workers=4, **kwargs)
        make([], collate_fn=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a wrapper that forwards no workers",
        """
        def make(ds, **kwargs): return DataLoader(ds, **kwargs)
        make([], collate_fn=lambda b: b)
        """,
    ),
    row(
        "a wrapper that forwards workers for another",
        """
        def make(ds, **kwargs): return DataLoader(ds, **kwargs)
        make([threading.Lock()], batch_size=2)
        make([1], num_workers=2, collate_fn=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader under another name",
        """
        from torch.utils.data import DataLoader as DL
        Other = DL
        Other([], collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a partial of a loader",
        """
        load = functools.partial(DataLoader, num_workers=2, collate_fn=lambda b: b)
        load([])
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader that a library makes of what it is passed",
        """
        from sacred_loaders import Experiment
        ex = Experiment("birds")
        ex.datasets.training.iter(DataLoader, static=True, num_workers=2, worker_init_fn=lambda w: w)
        """,
        "worker_init_fn lambda",
    ),
    row(
        "a loader that a library makes without workers",
        """
        from sacred_loaders import Experiment
        ex = Experiment("birds")
        ex.datasets.training.iter(DataLoader, num_workers=0, worker_init_fn=lambda w: w)
        ex.datasets.testing.iter(DataLoader, worker_init_fn=lambda w: w)
        """,
    ),
    row(
        "a function in view that is passed a loader",
        """
        def told(kind, num_workers, collate_fn):
            return kind.__name__, num_workers
        print(told(DataLoader, num_workers=2, collate_fn=lambda b: b))
        """,
    ),
    row(
        "torch_geometric replaces the collate_fn",
        """
        from torch_geometric.loader import DataLoader as Loader
        Loader(Keep(lambda x: x), collate_fn=lambda b: b, num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "monai",
        """
        from monai.data import DataLoader as Loader
        Loader([], collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a stateful loader",
        """
        from torchdata.stateful_dataloader import StatefulDataLoader
        StatefulDataLoader([], collate_fn=lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a lightning module's loader",
        """
        import lightning as L
        class Data(L.LightningDataModule):
            def setup(self, stage): self.train = Keep(lambda x: x)
            def train_dataloader(self): return DataLoader(self.train, num_workers=2)
        """,
        "dataset.kept lambda",
    ),
    row(
        "a lightning module does not cross with its loader",
        """
        import lightning as L
        class Data(L.LightningDataModule):
            def __init__(self): self.lock = threading.Lock()
            def train_dataloader(self): return DataLoader(Keep(), num_workers=2)
        """,
    ),
    row(
        "a trainer",
        """
        from transformers import Trainer, TrainingArguments
        Trainer(None, TrainingArguments("out", dataloader_num_workers=2), data_collator=lambda b: b)
        """,
        "data_collator lambda",
    ),
    row(
        "a trainer without workers",
        """
        from transformers import Trainer, TrainingArguments
        Trainer(None, TrainingArguments("out"), data_collator=lambda b: b)
        """,
    ),
    row(
        "a trainer's metrics stay",
        """
        from transformers import Trainer, TrainingArguments
        Trainer(None, TrainingArguments("out", dataloader_num_workers=2), compute_metrics=lambda b: b)
        """,
    ),
    row(
        "a subset",
        "from torch.utils.data import Subset\nDataLoader(Subset(Keep(lambda x: x), [0]), num_workers=2)",
        "dataset.dataset.kept lambda",
    ),
    row(
        "what a generator gives is kept in a list",
        """
        from torch.utils.data import ConcatDataset
        def parts():
            yield Keep()
            yield Keep(lambda x: x)
        DataLoader(ConcatDataset(parts()), num_workers=2)
        """,
        "dataset.datasets.kept lambda",
    ),
    row(
        "a generator that is kept as it is",
        """
        from torch.utils.data import ChainDataset
        def parts():
            yield Keep()
        DataLoader(ChainDataset(parts()), num_workers=2)
        """,
        "dataset.datasets parts()",
    ),
    row(
        "datasets joined",
        """
        from torch.utils.data import ConcatDataset
        DataLoader(ConcatDataset([Keep(), Keep(lambda x: x)]), num_workers=2)
        """,
        "dataset.datasets[1].kept lambda",
    ),
    row(
        "a random split",
        """
        from torch.utils.data import random_split
        train, valid = random_split(Keep(lambda x: x), [1, 2])
        DataLoader(train, num_workers=2)
        """,
        "dataset.dataset.kept lambda",
    ),
    row(
        "datasets added",
        """
        class Data(Dataset):
            def __init__(self, f): self.f = f
        DataLoader(Data(None) + Data(lambda x: x), num_workers=2)
        """,
        "dataset.datasets[1].f lambda",
    ),
    row(
        "a composition",
        """
        from torchvision import transforms as T
        DataLoader(Keep(T.Compose([T.ToTensor(), T.Lambda(lambda x: x)])), num_workers=2)
        """,
        "dataset.kept.transforms[1].lambd lambda",
    ),
    row(
        "a composition that is applied",
        """
        from torchvision import transforms as T
        DataLoader(Keep(T.Compose([lambda x: x])(3)), num_workers=2)
        """,
    ),
    row(
        "a process's target and arguments",
        """
        import multiprocessing as mp
        mp.Process(target=lambda q: q, args=(threading.Lock(),)).start()
        """,
        "target lambda",
        "args[0] threading.Lock()",
    ),
    row(
        "a thread",
        "threading.Thread(target=lambda q: q, args=(threading.Lock(),)).start()",
    ),
    row(
        "a process's subclass",
        """
        import multiprocessing
        class Worker(multiprocessing.Process):
            def __init__(self):
                super().__init__()
                self.lock = threading.Lock()
        Worker().start()
        """,
        "self.lock threading.Lock()",
    ),
    row(
        "a pool's maps",
        """
        from multiprocessing import Pool
        with Pool(2) as pool:
            pool.map(lambda x: x, [1])
            pool.imap_unordered(len, (threading.Lock(),))
        """,
        "func lambda",
        "[iterable] threading.Lock()",
    ),
    row(
        "a pool's apply",
        """
        from multiprocessing import Pool
        pool = Pool(2)
        pool.apply_async(len, (threading.Lock(),), callback=lambda r: r)
        """,
        "args[0] threading.Lock()",
    ),
    row(
        "a pool's initializer",
        """
        import multiprocessing as mp
        mp.Pool(2, initializer=lambda: 0, initargs=(1,))
        """,
        "initializer lambda",
    ),
    row(
        "a pool of threads",
        """
        from multiprocessing.pool import ThreadPool
        ThreadPool(2).map(lambda x: x, [1])
        """,
    ),
    row(
        "a pool of a context",
        """
        import multiprocessing as mp
        context = mp.get_context("spawn")
        context.Pool(2).map(lambda x: x, [1])
        """,
        "func lambda",
    ),
    row(
        "a process of a context",
        """
        from torch.multiprocessing import get_context
        get_context("spawn").Process(target=lambda: 0)
        """,
        "target lambda",
    ),
    row(
        "a pool kept on self",
        """
        import multiprocessing as mp
        class Runner:
            def __init__(self): self.pool = mp.Pool(2)
            def run(self): return self.pool.starmap(lambda x: x, [(1,)])
        """,
        "func lambda",
    ),
    row(
        "spawn",
        "import torch.multiprocessing as mp\nmp.spawn(lambda i: i, args=(3,), nprocs=2)",
        "fn lambda",
    ),
    row(
        "an executor",
        """
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor() as executor:
            executor.submit(len, threading.Lock())
            executor.map(lambda x: x, [1])
        """,
        "args threading.Lock()",
        "fn lambda",
    ),
    row(
        "an executor of threads",
        """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor() as executor:
            executor.submit(len, threading.Lock())
            executor.map(lambda x: x, [1])
        """,
    ),
    row(
        "joblib",
        """
        from joblib import Parallel, delayed
        Parallel(n_jobs=2)(delayed(lambda x: x)(i) for i in range(3))
        """,
    ),
    row(
        "datasets' map",
        """
        from datasets import load_dataset
        load_dataset("x").map(lambda row: row, num_proc=2)
        """,
    ),
    row(
        "map of another object",
        "class Pool:\n    def map(self, f, xs): pass\nPool().map(lambda x: x, [1])",
    ),
    row(
        "a dataset class with no loader in view",
        """
        class Data(Dataset):
            def __init__(self): self.lock = threading.Lock()
        """,
        "self.lock threading.Lock()",
    ),
    row(
        "a dataset class of a file of tests, with no loader in view",
        """
# file: test_data.py
import threading
from torch.utils.data import Dataset
class Data(Dataset):
    def __init__(self): self.lock = threading.Lock()
        """,
    ),
    row(
        "a dataset class of a file of tests, with a loader in view",
        """
# file: test_data.py
import threading
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __init__(self): self.lock = threading.Lock()
def test_data():
    DataLoader(Data(), num_workers=2)
        """,
        "dataset.lock threading.Lock()",
    ),
    row(
        "a loader that a namespace gives no workers",
        """
        import types
        def make(args, f):
            return DataLoader([], collate_fn=f, num_workers=args.workers)
        make(types.SimpleNamespace(workers=0), lambda b: b)
        """,
    ),
    row(
        "a loader that a namespace gives workers",
        """
        import types
        def make(args, f):
            return DataLoader([], collate_fn=f, num_workers=args.workers)
        make(types.SimpleNamespace(workers=2), lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "what the caller without workers passes",
        """
        def good(b): return b
        def make(n, f):
            return DataLoader([], collate_fn=f, num_workers=n)
        make(0, lambda b: b)
        make(2, None)
        """,
    ),
    row(
        "what the caller with workers passes",
        """
        def make(n, f):
            return DataLoader([], collate_fn=f, num_workers=n)
        make(2, lambda b: b)
        make(0, threading.Lock())
        """,
        "collate_fn lambda",
    ),
    row(
        "what the caller passes whose workers are not known",
        """
        import sys
        def make(n, f):
            return DataLoader([], collate_fn=f, num_workers=n)
        make(int(sys.argv[1]), lambda b: b)
        make(0, threading.Lock())
        """,
        "collate_fn lambda",
    ),
    row(
        "what the object without workers holds",
        """
        class T:
            def __init__(self, ds, workers=0):
                self.ds = ds
                self.workers = workers
            def loader(self): return DataLoader(self.ds, num_workers=self.workers)
        T(Keep(lambda x: x)).loader()
        T(Keep(3), workers=2).loader()
        """,
    ),
    row(
        "what the object with workers holds",
        """
        class T:
            def __init__(self, ds, workers=0):
                self.ds = ds
                self.workers = workers
            def loader(self): return DataLoader(self.ds, num_workers=self.workers)
        T(Keep(lambda x: x), 4).loader()
        T(Keep(3), workers=0).loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "what a subclass hands to the constructor, beside an object without workers",
        """
        class T:
            def __init__(self, ds, workers=0):
                self.ds = ds
                self.workers = workers
            def loader(self): return DataLoader(self.ds, num_workers=self.workers)
        class S(T):
            def __init__(self): super().__init__(Keep(lambda x: x), 4)
        S().loader()
        T(Keep(3), workers=0).loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "a dataset that every object makes",
        """
        class D(Dataset):
            def __init__(self, f): self.f = f
        class T:
            def __init__(self, workers=0):
                self.workers = workers
            def loader(self): return DataLoader(D(lambda x: x), num_workers=self.workers)
        T().loader()
        T(3).loader()
        """,
        "dataset.f lambda",
    ),
    row(
        "what a subclass hands to the constructor",
        """
        class T:
            def __init__(self, ds, workers=0):
                self.ds = ds
                self.workers = workers
            def loader(self): return DataLoader(self.ds, num_workers=self.workers)
        class S(T):
            def __init__(self): super().__init__(Keep(lambda x: x), 4)
        S().loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "what a subclass that inherits the constructor is given",
        """
        class T:
            def __init__(self, ds, workers=0):
                self.ds = ds
                self.workers = workers
            def loader(self): return DataLoader(self.ds, num_workers=self.workers)
        class S(T):
            pass
        S(Keep(lambda x: x), 4).loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "a subclass's own hook",
        """
        class T:
            def dataset(self): raise NotImplementedError
            def loader(self): return DataLoader(self.dataset(), num_workers=2)
        class S(T):
            def dataset(self): return Keep(lambda x: x)
        S().loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "a subclass's own class attribute",
        """
        class T:
            collate = None
            def loader(self): return DataLoader([], collate_fn=self.collate, num_workers=2)
        class S(T):
            collate = staticmethod(lambda b: b)
        S().loader()
        """,
        "collate_fn lambda",
    ),
    row(
        "what a subclass sets after the constructor",
        """
        class T:
            def __init__(self): self.ds = None
            def loader(self): return DataLoader(self.ds, num_workers=2)
        class S(T):
            def __init__(self):
                super().__init__()
                self.ds = Keep(lambda x: x)
        S().loader()
        """,
        "dataset.kept lambda",
    ),
    row(
        "a subclass that makes its own loader",
        """
        class T:
            def dataset(self): return None
            def loader(self): return DataLoader(self.dataset(), num_workers=2)
        class S(T):
            def dataset(self): return Keep(lambda x: x)
            def loader(self): return list(self.dataset())
        S().loader()
        """,
    ),
    row(
        "a hook of a class that is no subclass",
        """
        class T:
            def dataset(self): return None
            def loader(self): return DataLoader(self.dataset(), num_workers=2)
        class S:
            def dataset(self): return Keep(lambda x: x)
        T().loader()
        """,
    ),
    row(
        "a hook that only the base has, of which nobody makes objects",
        """
        class T:
            def collate(self): return lambda b: b
            def loader(self): return DataLoader([], collate_fn=self.collate(), num_workers=2)
        class S(T):
            def collate(self): return None
        S().loader()
        """,
    ),
    row(
        "a hook of the base, of which objects are made too",
        """
        class T:
            def collate(self): return lambda b: b
            def loader(self): return DataLoader([], collate_fn=self.collate(), num_workers=2)
        class S(T):
            def collate(self): return None
        S().loader()
        T().loader()
        """,
        "collate_fn lambda",
    ),
    row(
        "a subclass of a trainer",
        """
        from transformers import Trainer, TrainingArguments
        class Ours(Trainer):
            def compute_loss(self, *given): return 0
        arguments = TrainingArguments("x", dataloader_num_workers=2)
        Ours(args=arguments, train_dataset=[1], data_collator=lambda f: f)
        """,
        "data_collator lambda",
    ),
    row(
        "a subclass of a trainer without workers",
        """
        from transformers import Trainer, TrainingArguments
        class Ours(Trainer):
            def compute_loss(self, *given): return 0
        Ours(args=TrainingArguments("x"), train_dataset=[1], data_collator=lambda f: f)
        """,
    ),
    row(
        "a loader's partial that is called",
        """
        Load = functools.partial(DataLoader, num_workers=2)
        Load([1], collate_fn=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "the number of workers is a field, whose default need not stay",
        """
        from dataclasses import dataclass
        @dataclass
        class Options:
            workers: int = 0
        def load(path): return Options(**read(path))
        DataLoader([1], collate_fn=lambda b: b, num_workers=load("a").workers)
        """,
        "collate_fn lambda",
    ),
    row(
        "the number of workers is a field that keeps its default",
        """
        from dataclasses import dataclass
        @dataclass
        class Options:
            path: str
            workers: int = 0
        def load(path): return Options(path)
        DataLoader([1], collate_fn=lambda b: b, num_workers=load("a").workers)
        """,
    ),
    row(
        "a loader's partial that is called for no workers",
        """
        Load = functools.partial(DataLoader, num_workers=2)
        Load([1], collate_fn=lambda b: b, num_workers=0)
        """,
    ),
    row(
        "what goes with another callee, in the other branch",
        """
        import multiprocessing, queue, sys
        def run(q): pass
        def start(apart):
            if apart:
                made = multiprocessing.Queue(); worker = multiprocessing.Process
            else:
                made = queue.Queue(); worker = threading.Thread
            worker(target=run, args=(made,)).start()
        start(len(sys.argv) > 1)
        """,
        "args[0] multiprocessing.Queue()",
        "target def run",
    ),
    row(
        "what goes with a callee in either branch",
        """
        import multiprocessing, queue, sys
        def run(q): pass
        def start(apart):
            if apart:
                made = multiprocessing.Queue(); worker = multiprocessing.Process
            else:
                made = queue.Queue(); worker = multiprocessing.Process
            worker(target=run, args=(made,)).start()
        start(len(sys.argv) > 1)
        """,
        "args[0] multiprocessing.Queue()",
        "args[0] queue.Queue()",
        "target def run",
    ),
    row(
        "a class that is no dataset",
        """
        class Data:
            def __init__(self): self.lock = threading.Lock()
        """,
    ),
    row(
        "a dataset class whose loaders have no workers",
        """
        class Data(Dataset):
            def __init__(self): self.lock = threading.Lock()
        DataLoader(Data(), num_workers=0)
        """,
    ),
    row(
        "a class derived from a dataset of the tree",
        """
        class Base(Dataset): pass
        class Data(Base):
            def __init__(self): self.lock = threading.Lock()
        """,
        "self.lock threading.Lock()",
    ),
    row(
        "an attribute of a loader that does not cross, set later",
        """
        loader = DataLoader(Keep(), num_workers=2)
        loader.sampler = lambda b: b
        """,
    ),
    row(
        "a loader's attribute set later",
        """
        loader = DataLoader(Keep(), num_workers=2)
        loader.collate_fn = lambda b: b
        """,
        "collate_fn lambda",
    ),
    row(
        "a number that other code sets on an object of the program",
        """
        import sys
        class Config:
            def __init__(self): self.workers = 0
        def start(config): DataLoader([lambda: 1], num_workers=config.workers)
        config = Config()
        config.workers = int(sys.argv[1])
        start(config)
        """,
        "dataset[0] lambda",
    ),
    row(
        "no number but on an object of another class, and none but zero",
        """
        class Config:
            def __init__(self): self.workers = 0
        class Other:
            def __init__(self): self.workers = 1
        def start(config): DataLoader([lambda: 1], num_workers=config.workers)
        config, other = Config(), Other()
        config.workers = 0
        other.workers = 4
        start(config)
        """,
    ),
    row(
        "a context that one caller passes starts workers, that of another none",
        """
        import multiprocessing as mp
        class Inline:
            def Process(self, target): return target
        def launch(context, f): context.Process(target=f).start()
        launch(Inline(), lambda: 1)
        def main():
            def work(): ...
            launch(mp.get_context("spawn"), work)
        """,
        "target def work",
    ),
    row(
        "a pool that is kept on objects: those of a subclass get one without workers",
        """
        import multiprocessing as mp
        class Inline:
            def map(self, f, items): return [f(each) for each in items]
        class Job:
            def __init__(self, pool): self.pool = pool
            def run(self, items): return self.pool.map(self.one, items)
            def one(self, item): return item
        class Local(Job):
            def __init__(self, pool):
                super().__init__(pool)
                self.f = lambda item: item
        Local(Inline()).run([1])
        Job(mp.Pool(2)).run([1])
        """,
        "func.__self__.pool mp.Pool(...)",
    ),
    row(
        "a process whose start runs what it is given",
        """
        import multiprocessing as mp
        class Inline(mp.Process):
            def start(self): self.run()
        Inline(target=lambda: 1).start()
        class Threaded(mp.Process):
            def start(self):
                self.thread = threading.Thread(target=self.run)
                self.thread.start()
        Threaded(target=lambda: 1).start()
        class Timed(mp.Process):
            def start(self):
                self.begun = time.time()
                super().start()
        def main():
            def work(): ...
            Timed(target=work).start()
        """,
        "target def work",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_at_each_boundary(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
