"""Boundaries and holders of every kind: pools kept on objects, namespaces, pipelines, bound methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

ROWS = [
    row(
        "iterators and datasets of transformers' pipelines",
        """
        from transformers.pipelines.pt_utils import KeyDataset, PipelineDataset, PipelineIterator
        class Pipe:
            def __init__(self): self.lock = threading.Lock()
            def read(self, item): return item
            def loader(self, rows):
                return DataLoader(PipelineIterator(KeyDataset(rows, "a"), self.read, {}), num_workers=2)
        Pipe().loader(Keep(lambda b: b))
        DataLoader(PipelineDataset([1], lambda b: b, {}), num_workers=2)
        """,
        "dataset.loader.dataset.kept lambda",
        "dataset.infer.__self__.lock threading.Lock()",
        "dataset.process lambda",
    ),
    row(
        "a stage of webdataset that is passed by a name made up at run time",
        """
        import webdataset as wds
        from torchvision import transforms as T
        column = input()
        stages = {column: T.Compose([T.Lambda(lambda x: x)])}
        wds.WebLoader(wds.WebDataset("a.tar").map_dict(**stages).batched(4), num_workers=2)
        """,
        "dataset.map_dict.transforms[0].lambd lambda",
    ),
    row(
        "a loader that ignite makes",
        """
        import ignite.distributed as idist
        idist.auto_dataloader([1], num_workers=2, collate_fn=lambda b: b)
        """,
        "collate_fn lambda",
    ),
    row(
        "a function that ignite spawns, by position and by keyword",
        """
        import ignite.distributed as idist
        idist.spawn("gloo", print, args=(lambda x: x,), nproc_per_node=2)
        idist.spawn("gloo", print, (), {"f": threading.Lock()})
        """,
        "args[0] lambda",
        "kwargs_dict['f'] threading.Lock()",
    ),
    row(
        "a loader of graphs",
        """
        import dgl
        dgl.dataloading.GraphDataLoader([1], lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a loader of fastai whose third argument shuffles",
        """
        from fastai.data.all import TfmdDL
        TfmdDL([1], 64, False, 2, after_item=lambda x: x)
        """,
        "after_item lambda",
    ),
    row(
        "a stage of webdataset that makes batches",
        """
        import webdataset as wds
        data = wds.DataPipeline(wds.SimpleShardList("a.tar"), wds.batched(4, lambda b: b))
        wds.WebLoader(data, num_workers=2)
        """,
        "dataset.pipeline.collation_fn lambda",
    ),
    row(
        "a context's pool kept on the object whose method it runs",
        """
        import multiprocessing
        class Scorer:
            def __init__(self):
                self.lock = threading.Lock()
                self.pool = multiprocessing.get_context("spawn").Pool(2)
            def score(self, x): return x
            def run(self, xs): return self.pool.map(self.score, xs)
        Scorer().run([1])
        """,
        "func.__self__.lock threading.Lock()",
        'func.__self__.pool multiprocessing.get_context("spawn")....(...)',
    ),
    row(
        "an executor kept on the object whose method it runs",
        """
        from concurrent.futures import ProcessPoolExecutor
        class Scorer:
            def __init__(self):
                self.lock = threading.Lock()
                self.pool = ProcessPoolExecutor(2)
            def score(self, x): return x
            def run(self, xs): return [self.pool.submit(self.score, x) for x in xs]
        Scorer().run([1])
        """,
        "fn.__self__.lock threading.Lock()",
        "fn.__self__.pool ProcessPoolExecutor(...)",
    ),
    row(
        "a pool made in another method",
        """
        from multiprocessing import Pool
        class Scorer:
            def __init__(self):
                self.f = lambda x: x
            def start(self): self.pool = Pool(2)
            def run(self, xs): return self.pool.map(self.f, xs)
        s = Scorer()
        s.start()
        s.run([1])
        """,
        "func lambda",
    ),
    row(
        "a process that runs a private method",
        """
        import multiprocessing as mp
        class Server:
            def __init__(self): self.lock = threading.Lock()
            def __run(self): pass
            def start(self): mp.Process(target=self.__run).start()
        Server().start()
        """,
        "target.__self__.lock threading.Lock()",
    ),
    row(
        "a class derived from a context's process",
        """
        import multiprocessing as mp
        class Worker(mp.get_context("spawn").Process):
            def __init__(self):
                super().__init__()
                self.f = lambda x: x
        Worker().start()
        """,
        "self.f lambda",
    ),
    row(
        "a class derived from the process of a context with a name",
        """
        import torch.multiprocessing as mp
        ctx = mp.get_context("spawn")
        class Worker(ctx.Process):
            def __init__(self):
                super().__init__()
                self.f = lambda x: x
        Worker().start()
        """,
        "self.f lambda",
    ),
    row(
        "a function in parsed arguments",
        """
        import argparse
        class Grid(Dataset):
            def __init__(self, args): self.args = args
        def main():
            def total(args): return 1
            parser = argparse.ArgumentParser()
            parser.set_defaults(func=total)
            args = parser.parse_args()
            DataLoader(Grid(args), num_workers=2)
        main()
        """,
        "dataset.args.func def total",
    ),
    row(
        "a function in the parsed arguments of a subcommand",
        """
        import argparse
        class Grid(Dataset):
            def __init__(self, args): self.args = args
        parser = argparse.ArgumentParser()
        parsers = parser.add_subparsers()
        one = parsers.add_parser("one")
        one.set_defaults(func=lambda a: a)
        args = parser.parse_args()
        DataLoader(Grid(args), num_workers=2)
        """,
        "dataset.args.func lambda",
    ),
    row(
        "methods that a base class makes for the columns of a table, under names that pickle does not know",
        """
        import types
        class Base:
            def __init__(self, table):
                def getter_of(column):
                    def getter(self, i): return self.table[column][i]
                    return getter
                for column in table.columns:
                    setattr(self, f"get_{column}", types.MethodType(getter_of(column), self))
        class Data(Base):
            def __init__(self, table): super().__init__(table)
        DataLoader(Data(open("t")), num_workers=2)
        """,
        "dataset.get_{column} types.MethodType(...)",
    ),
    row(
        "environments that run in one process, made by functions that their class keeps",
        """
        import gym, multiprocessing
        from gym.vector import SyncVectorEnv
        class Envs(SyncVectorEnv):
            def __init__(self, env_fns, space=None): super(Envs, self).__init__(env_fns, space)
        class Sampler(multiprocessing.Process):
            def __init__(self, env_fns):
                super().__init__()
                self.envs = Envs(env_fns)
                self.other = gym.vector.SyncVectorEnv([lambda: gym.make("a")])
        def made(name):
            def make(): return gym.make(name)
            return make
        Sampler([made("a")]).start()
        """,
        "self.envs.env_fns[0] def make",
        "self.other.env_fns[0] lambda",
    ),
    row(
        "a local function bound to an object as a method",
        """
        import types
        def speed_up(data):
            def fast(self, i): return i
            data.load = types.MethodType(fast, data)
            return data
        DataLoader(speed_up(Keep()), num_workers=2)
        """,
        "dataset.load types.MethodType(...)",
    ),
    row(
        "a local function under the name of the method that it wraps, bound to the object",
        """
        import types
        def timed(method):
            @functools.wraps(method)
            def call(*args): return method.__func__(*args)
            return types.MethodType(call, method.__self__)
        class Data(Dataset):
            def __init__(self): self.load = timed(self.read)
            def read(self, i): return i
        DataLoader(Data(), num_workers=2)
        """,
    ),
    row(
        "a local function that wraps methods of two classes, bound to an object of each",
        """
        import types
        def timed(method):
            @functools.wraps(method)
            def call(*args): return method.__func__(*args)
            return types.MethodType(call, method.__self__)
        class One:
            def one(self, i): return i
        class Two:
            def two(self, i): return i
        DataLoader(Keep([timed(each) for each in (One().one, Two().two)]), num_workers=2)
        """,
    ),
    row(
        "a local function under the name of another class's method, bound to an object",
        """
        import types
        class Other:
            def other(self, i): return i
        def timed(data, method):
            @functools.wraps(method)
            def call(*args): return method(*args)
            data.load = types.MethodType(call, data)
            return data
        DataLoader(timed(Keep(), Other().other), num_workers=2)
        """,
        "dataset.load types.MethodType(...)",
    ),
    row(
        "a local function that wraps what is not seen, bound to what is not seen",
        """
        import types, sys
        def timed(method):
            @functools.wraps(method)
            def call(*args): return method(*args)
            return types.MethodType(call, method.__self__)
        DataLoader(Keep(timed(sys.argv[1])), num_workers=2)
        """,
    ),
    row(
        "what an object holds whose method is kept",
        """
        class Data(Dataset):
            def __init__(self): self.f = lambda x: x
            def read(self, i): return i
        read = Data().read
        DataLoader(Keep(read.__self__), num_workers=2)
        """,
        "dataset.kept.f lambda",
    ),
    row(
        "a bound method of an unnamed handle",
        """
        import zipfile
        class Data(Dataset):
            def __init__(self, p): self.read = zipfile.ZipFile(p).read
            def __getitem__(self, i): return self.read(str(i))
        DataLoader(Data("a"), num_workers=2)
        """,
        "dataset.read.__self__ zipfile.ZipFile(...)",
    ),
    row(
        "a bound method of a connection",
        """
        DataLoader(Keep(sqlite3.connect("a").execute), num_workers=2)
        """,
        'dataset.kept sqlite3.connect("a").execute',
    ),
    row(
        "a step that a fluent method checks and adds",
        """
        import inspect
        class Checked:
            def __init__(self): self.steps = []
            def add(self, step):
                if not inspect.isfunction(step) or step.__code__.co_argcount != 1:
                    raise TypeError(step)
                self.steps.append(step)
                return self
        def make():
            def clip(x): return x
            return Checked().add(clip).add(lambda x: x)
        DataLoader(Keep(make()), num_workers=2)
        """,
        "dataset.kept.steps[] def clip",
        "dataset.kept.steps[] lambda",
    ),
    row(
        "a private attribute of a pydantic model",
        """
        import zipfile
        from pydantic import BaseModel, PrivateAttr
        class Source(BaseModel):
            path: str
            _archive: zipfile.ZipFile = PrivateAttr()
            def model_post_init(self, context):
                self._archive = zipfile.ZipFile(self.path)
        DataLoader(Keep(Source(path="a")), num_workers=2)
        """,
        "dataset.kept._archive zipfile.ZipFile(...)",
    ),
    row(
        "a private attribute of a pydantic model with a default",
        """
        from pydantic import BaseModel, PrivateAttr
        class Source(BaseModel):
            path: str
            _lock: object = PrivateAttr(default_factory=threading.Lock)
        DataLoader(Keep(Source(path="a")), num_workers=2)
        """,
        "dataset.kept._lock PrivateAttr(...)",
    ),
    row(
        "a hook on a module that is kept",
        """
        net = torch.nn.Linear(2, 2)
        net.register_forward_hook(lambda m, i, o: o)
        DataLoader(Keep(net), num_workers=2)
        """,
        "dataset.kept._forward_hooks lambda",
    ),
    row(
        "a hook on a module of one's own",
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(2, 2)
                self.layer.register_forward_pre_hook(lambda m, i: i)
        DataLoader(Keep(Net()), num_workers=2)
        """,
        "dataset.kept.layer._forward_pre_hooks lambda",
    ),
    row(
        "stages of a pipeline of data pipes",
        """
        from torchdata.datapipes.iter import IterableWrapper
        pipe = IterableWrapper([1]).map(lambda x: x).shuffle().filter(filter_fn=lambda x: x).batch(2)
        DataLoader(pipe, num_workers=2)
        """,
        "dataset.map lambda",
        "dataset.filter lambda",
    ),
    row(
        "stages of a web dataset",
        """
        import webdataset as wds
        data = wds.WebDataset("a.tar").shuffle(10).decode("pil").map(lambda x: x).batched(2)
        wds.WebLoader(data, num_workers=2)
        """,
        "dataset.map lambda",
    ),
    row(
        "a pipeline of stages",
        """
        import webdataset as wds
        data = wds.DataPipeline(wds.SimpleShardList("a"), wds.map(lambda x: x))
        DataLoader(data, num_workers=2)
        """,
        "dataset.pipeline.f lambda",
    ),
    row(
        "a dataset of the hub with a transform",
        """
        from datasets import load_dataset
        data = load_dataset("a").with_transform(lambda x: x)
        DataLoader(data, num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a dataset of the hub whose transform is set",
        """
        from datasets import load_dataset
        data = load_dataset("a", split="train")
        data.set_transform(lambda x: x)
        DataLoader(data, num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a loader of fastai defined in a function",
        """
        from fastai.data.all import DataLoader as FastLoader
        def convert(data):
            class Converted(FastLoader):
                def create_batch(self, b): return b
            return Converted(data, num_workers=2)
        convert([])
        """,
    ),
    row(
        "a monai dataset that takes a transform",
        """
        import monai
        monai.data.DataLoader(monai.data.CSVDataset("a", transform=lambda x: x), num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a logging handler",
        """
        import logging
        class Data(Dataset):
            def __init__(self): self.handler = logging.FileHandler("a")
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.handler logging.FileHandler(...)",
    ),
    row(
        "a handle opened when an attribute is asked for",
        """
        class Data(Dataset):
            def __len__(self): return len(self.db.execute("x").fetchall())
            def __getattr__(self, name):
                if name == "db":
                    self.db = sqlite3.connect("a")
                    return self.db
                raise AttributeError(name)
        DataLoader(Data(), num_workers=2)
        """,
        "dataset.db sqlite3.connect(...)",
    ),
    row(
        "an attribute of a handle that is no method",
        """
        import zipfile
        class Data(Dataset):
            def __init__(self, p): self.name = zipfile.ZipFile(p).filename
            def __getitem__(self, i): return self.name
        DataLoader(Data("a"), num_workers=2)
        """,
    ),
    row(
        "a method of the class bound to the object it belongs to",
        """
        import types
        class Data(Dataset):
            def fast(self, i): return i
        data = Data()
        data.load = types.MethodType(Data.fast, data)
        DataLoader(data, num_workers=2)
        """,
    ),
    row(
        "a trainer that derives from one of a library",
        """
        from transformers import TrainingArguments
        from trl import SFTTrainer
        class MyTrainer(SFTTrainer): pass
        args = TrainingArguments("out", dataloader_num_workers=2)
        MyTrainer(model=None, args=args, train_dataset=[], data_collator=lambda b: b)
        """,
        "data_collator lambda",
    ),
    row(
        "a dataset that a library nobody knows splits, and one that its class wraps",
        """
        import vendor
        class Rows:
            def __init__(self): self.key = lambda r: r
            def __len__(self): return 3
            def __getitem__(self, i): return i
        class Cells(Dataset):
            def __init__(self): self.lock = threading.Lock()
        train, val = vendor.data.random_split(Rows(), lengths=[2, 1])
        DataLoader(train, num_workers=2)
        DataLoader(vendor.Cached(source=Cells()), num_workers=2)
        """,
        "dataset.0.key lambda",
        "dataset.source.lock threading.Lock()",
    ),
    # silent
    row(
        "what a library nobody knows makes of a dataset, or takes next to it",
        """
        import vendor
        class Rows:
            def __init__(self): self.key = lambda r: r
            def __len__(self): return 3
            def __getitem__(self, i): return i
        rows = Rows()
        DataLoader(vendor.to_table(rows), num_workers=2)
        DataLoader(vendor.count(rows)[0], num_workers=2)
        DataLoader(vendor.Lines(sorted, lambda x: x), num_workers=2)
        DataLoader([1], num_workers=2, sampler=vendor.Sampler(rows))
        """,
    ),
    row(
        "a pool kept by the object whose static method it runs",
        """
        from multiprocessing import Pool
        class Scorer:
            def __init__(self): self.pool = Pool(2)
            @staticmethod
            def score(x): return x
            def run(self, xs): return self.pool.map(self.score, xs)
        Scorer().run([1])
        """,
        "func def score",
    ),
    row(
        "a hook that is removed, or on a module that stays in the parent",
        """
        net = torch.nn.Linear(2, 2)
        net.register_forward_hook(lambda m, i, o: o)
        DataLoader(Keep(), num_workers=2)
        """,
    ),
    row(
        "a part of an object that a method sends in a tuple",
        """
        from multiprocessing import Process
        class Runner:
            def __init__(self, step):
                self.step = step
            def go(self):
                Process(target=print, args=(self.step, 2)).start()
        def main():
            Runner(lambda: 1).go()
        """,
        "args[0] lambda",
    ),
    row(
        "parts of an object that a method sends one by one, some at a time",
        """
        from multiprocessing import Process
        class Runner:
            def __init__(self, steps, size):
                self.steps, self.size = steps, size
            def go(self):
                for first in range(0, len(self.steps), self.size):
                    for step in self.steps[first:first + self.size]:
                        Process(target=print, args=(step,)).start()
        def main():
            Runner([lambda: 1], 2).go()
        """,
        "args[0] lambda",
    ),
    row(
        "an object whose methods compute with its parts",
        """
        class Rows(Dataset):
            def __init__(self, step):
                self.step = step
            def first(self):
                value = self.step(1)
                return torch.tensor((value, 2))
        def check():
            Rows(lambda i: i).first()
        def main():
            DataLoader(Rows(abs), num_workers=2)
        """,
    ),
    row(
        "what a method of a handle gave",
        """
        import zipfile
        DataLoader(Keep(zipfile.ZipFile("a").read("x")), num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_the_paths_of_what_crosses(case: Case, tmp_path: Path) -> None:
    """Each program ships exactly the culprits of its row."""
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
