"""Programs that work, and so have no finding; beside each, the one that does not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.session import Session

PRELUDE = """\
import multiprocessing, sqlite3, threading, zipfile
from torch.utils.data import DataLoader, Dataset
"""
READER = """
class Reader(Dataset):
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path)
    def __getitem__(self, i): return self.archive.read(str(i))
"""
LOADER = "\ndef main():\n    DataLoader(Reader('a'), num_workers=2)\n"

STREAM = """
from torch.utils.data import IterableDataset, get_worker_info
class Stream(IterableDataset):
    def __init__(self): self.rows = [1, 2, 3]
    def __iter__(self): yield from self.rows
"""

CACHE = """
class Cache:
    def __init__(self, path): self.path, self.kept = path, {}
    def get(self, key):
        self.kept[key] = zipfile.ZipFile(self.path)
        return self.kept[key].read(key)
class Reading(Dataset):
    def __init__(self, cache): self.cache = cache
    def __getitem__(self, i): return self.cache.get(str(i))
"""
TRAINER = """
class Trainer:
    def __init__(self): self.source = None
    def fit(self, devices):
        self.spread = devices > 1
        {before}
        if self.spread: multiprocessing.get_context("spawn").Pool(devices).map(self.run_device, [1])
        else: {beside}
    def run_device(self, device): self.set_up()
    def set_up(self):
        self.source = zipfile.ZipFile("a")
        self.source.namelist()
def main(): Trainer().fit(2)
"""
READING = "    DataLoader(Reading(Cache('a')), num_workers=2)\n"

RECORDER = """
class Recorder:
    def __init__(self): self.archive = None
    def begin(self, path): self.archive = zipfile.ZipFile(path)
    def write(self): return self.archive.read("x")
class Camera(multiprocessing.Process):
    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder
    def run(self):
        self.recorder.begin("a")
        self.recorder.write()
"""

RECORDERS = (
    RECORDER.replace(
        "    def begin",
        "    @classmethod\n    def of(cls, name): return cls()\n    def begin",
    )
    + """
def main():
    recorder = Recorder.of('a')
    {}
    Camera(recorder).start()
"""
)

KINDS = """
KINDS = {}
def prepare(names):
    global KINDS
    KINDS = {}
    for name in names:
        KINDS[name] = len(KINDS)
"""
POOL = """
def main():
    prepare("abc")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, "abc"))
    print(KINDS)
if __name__ == "__main__":
    main()
"""

PICTURES = """
from PIL import Image
from torchvision.transforms import ToTensor
class Crop:
    def __call__(self, image): return [1]
class Pictures(Dataset):
    def __init__(self, crop=None, transform=None):
        self.crop = crop
        self.transform = transform
    def __len__(self): return 2
    def __getitem__(self, i):
        image = Image.open("a.png")
        if self.transform is not None:
            return self.transform(image)
        if self.crop is not None:
            return self.crop(image)
        else:
            return image
def main():
    DataLoader({}, num_workers=2)
if __name__ == "__main__":
    main()
"""
TOWER = """
KINDS = None
class Tower:
    def __enter__(self):
        global KINDS
        KINDS = self
    def __exit__(self, *error):
        global KINDS
        {}
def prepare(names): pass
def work(x):
    with Tower(): return x
"""
LEVEL = """
KINDS = 0
def prepare(names): pass
def work(x):
    global KINDS
    before = KINDS
    KINDS = 1
"""
SENT = """
import multiprocessing
OPTIONS = {{}}
def work(options, i):
    global OPTIONS
    OPTIONS = options
    note(i)
def note(i): OPTIONS[i] = 1
def main():
    for i in range(2):
        multiprocessing.Process(target=work, args=(OPTIONS, i)).start()
    {}
if __name__ == "__main__":
    main()
"""
ONCE = """
KINDS = None
class Setup:
    ready = False
    def run(self):
        global KINDS
        if not self.ready:
            KINDS = object()
            {}
SETUP = Setup()
def prepare(names): pass
def work(x):
    SETUP.run()
    return x
"""
SESSIONS = """
import h5py
from contextlib import contextmanager
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path, self._file = path, None
        with self.session():
            self.names = [name.decode() for name in self._file["names"][:]]
    @contextmanager
    def session(self):
        was_open = self._file is not None
        self.open()
        try:
            yield self
        finally:
            if {}:
                self.close()
    def open(self):
        if self._file is None:
            self._file = h5py.File(self.path, "r")
        return self._file
    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None
    def __len__(self): return len(self.names)
    def __getitem__(self, index): return self.open()["x"][index]
def first(rows):
    with rows.session():
        return [rows[at] for at in range(2)]
if __name__ == "__main__":
    rows = Rows("a.h5")
    print(first(rows))
    DataLoader(rows, num_workers=2)
"""
REPLAY = """
LIMIT = 10
def work(x): return x > LIMIT
def replay(path):
    global LIMIT
    LIMIT = 0
def main(path):
    if path:
        {} replay(path)
    with multiprocessing.Pool(2) as pool:
        pool.map(work, [1])
if __name__ == "__main__":
    main(None)
"""
PIPES = """
from torch.utils.data import DataLoader, IterableDataset
from torchdata.datapipes.iter import IterableWrapper, Multiplexer, ShardingFilter
class Rows(IterableDataset):
    def __iter__(self): yield from range(8)
def main():
    DataLoader({}.prefetch(2), num_workers=2)
"""
EXECUTORS = """
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
class Runner:
    def __init__(self, kind="thread", workers=2):
        self.kind = kind
        self.executor = None
        self.begin(workers)
    def begin(self, workers):
        if self.kind == "auto":
            self.kind = "process" if os.cpu_count() > 8 else "thread"
        if self.kind == "process":
            self.executor = ProcessPoolExecutor(workers)
        else:
            self.executor = ThreadPoolExecutor(workers)
    def all(self, f, items):
        for item in items:
            self.executor.submit(f, item)
def main():
    Runner({}).all(lambda x: x, [1])
"""
RUNNER = """
class Runner({}):
    def work(self, x): return x
    def run(self): print(LIMIT)
    def runs(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            pool.map(self.work, [1])
if __name__ == "__main__":
    LIMIT = 3
    runner = Runner()
    runner.runs()
    runner.run()
"""
TOKENS = """
import contextlib, mmap
from torch.utils.data import DataLoader, Dataset
class Tokens(Dataset):
    def __init__(self, path):
        self.path, self._file, self._map = path, None, None
        with self.opened():
            self.size = self._map[0]
    def open(self):
        self._file = open(self.path, "rb")
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
    def close(self):
        if self._map is not None:
            self._map.close()
            self._file.close()
        self._map = self._file = None
    @contextlib.contextmanager
    def opened(self):
        mine = self._map is None
        if mine:
            self.open()
        try:
            yield self
        finally:
            if mine:
                self.close()
    def document(self, index):
        with self.opened():
            return self._map[index]
    def __len__(self): return self.size
    def __getitem__(self, index): return self.document(index)
if __name__ == "__main__":
    tokens = Tokens("a.bin")
    with tokens.opened() as held:
        longest = max((held.document(at) for at in range(len(held))), key=abs)
    {}
    DataLoader(tokens, num_workers=2)
"""
VOCAB = """
from collections import defaultdict
from torch.utils.data import DataLoader, Dataset
class Vocab:
    def __init__(self): self.ids = defaultdict(lambda: len(self.ids))
    def freeze(self): self.ids.default_factory = {}
class Words(Dataset):
    def __init__(self, words):
        self.vocab = Vocab()
        self.rows = [self.vocab.ids[word] for word in words]
        self.vocab.freeze()
    def __getitem__(self, index): return self.rows[index]
if __name__ == "__main__":
    DataLoader(Words(["a"]), num_workers=2)
"""
ACTORS = """
import multiprocessing, queue
class Actors:
    def __init__(self, count):
        self.count = count
        if count:
            self.queue = multiprocessing.Queue()
        else:
            self.queue = queue.Queue()
    def act(self): self.queue.put(1)
    def run(self):
        if not self.count:
            return self.act()
        return [multiprocessing.Process(target=self.act) for _ in range({})]
if __name__ == "__main__":
    Actors(2).run()
"""
REDUCED = """
from torch.utils.data import DataLoader
def make(pad):
    class Collator:
        def __init__(self, pad): self.pad = pad
        def __call__(self, batch): return batch + [self.pad]
        def __reduce__(self): return {}
    return Collator(pad)
if __name__ == "__main__":
    DataLoader([1, 2], collate_fn=make(0), num_workers=2)
"""
MISSING = """
def missing(name):
    class Missing:
        def __init__(self, *options):
            {}
    return Missing
Series = missing("series")
def main():
    DataLoader(Series([1]), num_workers=2)
if __name__ == "__main__":
    main()
"""
CONNECTED = """
class Rows(Dataset):
    def __init__(self, path): self.path, self.db = path, None
    def connect(self): self.db = sqlite3.connect(self.path)
    def disconnect(self):
        if self.db is not None:
            self.db.close()
            self.db = None
    def __len__(self): return 2
    def __getitem__(self, i): return self.db.execute("SELECT 1").fetchone()
def main():
    rows = Rows("a.db")
    rows.connect()
    print([row for row in rows[0]])
    {}
    list(DataLoader(rows, num_workers=2, worker_init_fn=start))
def start(_): torch.utils.data.get_worker_info().dataset.connect()
if __name__ == "__main__":
    main()
"""
CODEC = """
import copyreg, importlib, statistics, types
class Scores(Dataset):
    def __init__(self): self.codec = statistics
    def __len__(self): return 2
    def __getitem__(self, i): return self.codec.mean([i, 2])
def reduce(module): return importlib.import_module, (module.__name__,)
copyreg.pickle({}, reduce)
def main(): list(DataLoader(Scores(), num_workers=2))
if __name__ == "__main__":
    main()
"""
SECTIONS = """
import collections
class Section(collections.OrderedDict): pass
class Options(Dataset):
    def __init__(self): self.section = Section((key, {}) for key in "ab")
    def __len__(self): return 2
    def __getitem__(self, i): return i
def main(): list(DataLoader(Options(), num_workers=2))
if __name__ == "__main__":
    main()
"""
MAPPED = """
def run(function, rows, workers=0):
    if workers > 0:
        with multiprocessing.Pool(workers) as pool:
            return list(pool.imap(function, rows))
    return [function(row) for row in rows]
def main():
    def double(row): return 2 * row
    print(run(double, [1, 2]{}))
"""
PAIRS = """
from PIL import Image
class Each:
    def __init__(self, change): self.change = change
    def __call__(self, *images): return [self.change(image) for image in images]
class Pairs(Dataset):
    def __init__(self, transforms=None): self.transforms = transforms
    def __len__(self): return 2
    def __getitem__(self, i):
        pair = [Image.open("a.png"), Image.open("b.png")]
        if self.transforms:
            for transform in self.transforms: pair = transform(*pair)
        return pair
def main(transforms=None):
    DataLoader({}, num_workers=2)
"""
TREE = """
from rtree.index import Index
class Reader(Dataset):
    def __init__(self, path):
        self.index = Index()
        self.index.insert(0, (0, 0, 1, 1))
    def __getitem__(self, i): return list(self.index.intersection((0, 0, 1, 1)))
"""

QUEUES = """
import queue
def work(results): results.put(1)
class Runs:
    def __init__(self):
        self.results = multiprocessing.SimpleQueue()
"""
TAKE = "        multiprocessing.Process(target=work, args=(self.results,)).start()\n"

ENVIRONMENT = """
class Reader(Dataset):
    def __init__(self, path, in_memory):
        self.path = path
        self.in_memory = in_memory
        if self.in_memory:
            self.archive = None
        else:
            self.archive = zipfile.ZipFile(path)
    def __getitem__(self, i): return self.archive.read(str(i))
def main():
    """

IN_WORKER = """
from torch.utils.data import get_worker_info
class Reader(Dataset):
    def __init__(self, path): self.path, self.archive = path, None
    def __len__(self): return 8
    def __getitem__(self, i):
        info = get_worker_info()
        if info {}:
            self.archive = zipfile.ZipFile(self.path)
        return self.archive.read(str(i))
def main():
    reader = Reader("a")
    print(reader[0])
    DataLoader(reader, num_workers=2)
"""

STORE = """
class Store:
    def __init__(self, path, connect=True):
        self.path, self.db = path, None
        if connect:
            self.connect()
    def connect(self):
        self.db = sqlite3.connect(self.path)
    def value(self, key): return self.db.execute(key).fetchone()

def embed(store, keys):
    store.connect()
    print([store.value(key) for key in keys])

def embed_all(path, keys):
    other = Store(path, {})
    multiprocessing.Process(target=embed, args=(other, keys)).start()
"""

WORKERS = """
import queue
class Worker(multiprocessing.Process):
    def __init__(self, results):
        super().__init__()
        self.results = results
    def run(self): self.results.put(1)
def main(workers):
    results = multiprocessing.Queue() if workers else queue.Queue()
    processes = [Worker(results) for _ in range(2)]
    for process in processes:
        {}
"""

LIGHTNING = """
import pytorch_lightning as pl
class Data(pl.LightningDataModule):
    def train_dataloader(self): return DataLoader([1, 2], num_workers=2)
"""

POINTS = """
from torch.utils.data._utils.collate import default_collate_fn_map
class Point:
    def __init__(self, x): self.x = x
def collate(batch, *, collate_fn_map=None): return [point.x for point in batch]
"""
MAIN = """
def main():
    DataLoader([{"at": Point(i)} for i in range(5)], num_workers=2)
if __name__ == "__main__":
    main()
"""

ENTERED = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Spectra(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __enter__(self):
        self.file = h5py.File(self.path)
        return self

    def __exit__(self, *error):
        self.file.close()
        self.file = None

    def __getitem__(self, index):
        return self.file["x"][index]

def total(loader):
    return sum(loader)

def main(path, workers):
    data = Spectra(path)
    {}
        with data:
            total(DataLoader(data))
    else:
        total(DataLoader(data, num_workers=workers))
"""
ATTACHED = """
from torch.utils.data import get_worker_info
class Series(Dataset):
    def __init__(self, path): self.path, self.db = path, None
    def attach(self): self.db = sqlite3.connect(self.path)
    def __getitem__(self, i): return self.db.execute("select x", [i]).fetchone()
def attach_in_worker(worker): get_worker_info().dataset.attach()
def main(workers, chunk):
    series = Series("a.db")
    {}
        series.attach()
    DataLoader(series, num_workers=workers, worker_init_fn=attach_in_worker)
"""
DECORATED = """
import functools, h5py
def opened(function):
    @functools.wraps(function)
    def wrapper(self, *args):
        if self.file is None:
            self.file = h5py.File("a.h5")
        return function(self, *args)
    return wrapper
class Series(Dataset):
    def __init__(self): self.file = None
    def __len__(self): return 3
    @opened
    def __getitem__(self, i): return self.file["x"][i]
def main(): DataLoader(Series(), num_workers=2)
"""

CLOSING = """
import h5py
class Series(Dataset):
    def __init__(self): self.file = None
    def open(self): self.file = h5py.File("a.h5")
    def close(self):
        self.file.close()
        self.file = None
    def __len__(self):
        closed = self.file is None
        {}
        if closed:
            self.open()
        try:
            print(self.file)
            return self.count()
        finally:
            if closed: self.close()
    def count(self): return len(self.file["x"])
    def __getitem__(self, i):
        if self.file is None: self.open()
        return self.file["x"][i]
def main(): DataLoader(Series(), num_workers=2)
"""
REGISTRY = """
import functools
COLLATE = {{}}
def collate(name):
    def add(function):
        @functools.wraps(function)
        def checked(batch, **options): return function(batch, **options)
        COLLATE[name] = checked
        return checked
    return add
{}def pad(batch): return batch
"""
USE = """
def main(name):
    DataLoader([1, 2], num_workers=2, collate_fn=functools.partial(COLLATE[name], n=1))
"""
POLICY = """
import random
class Policy:
    def __init__(self):
        self.rng = random.Random(3)
{}    def offset(self): return self.rng.random()
class Crops(Dataset):
    def __init__(self, policy): self.policy = policy
    def __getitem__(self, i): return self.policy.offset()
def main():
    DataLoader(Crops(Policy()), num_workers=2)
"""
OPENED = """
from datasets import load_dataset
from torch.utils.data import IterableDataset
class Rows(Dataset):
    def __len__(self): return 1
    def __getitem__(self, i): return i
class Stream(IterableDataset):
    def __init__(self, rows): self.rows = rows
    def __iter__(self): return map(self.rows.read, range(get_worker_info().id, 9))
def opened(name, streaming=False):
    rows = load_dataset(name)
    if %s:
        return Stream(rows)
    return Rows()
def main(args):
    DataLoader(opened("a", args.stream), shuffle=True)
"""
BUFFER = """
class Buffer(Dataset):
    def __init__(self): self.keys = []
    def __setitem__(self, index, value):
        if {}:
            self.keys[index] = (one.key for one in value)
    def __getitem__(self, i): return self.keys[i]
def main():
    buffer = Buffer()
    buffer[0] = []
    DataLoader(buffer, num_workers=2)
"""
SETTING = """
quiet = False
def be_quiet(value):
    global quiet
    quiet = value
def work(i):
    if not quiet:
        print(i)
def main():
    be_quiet({})
    with multiprocessing.Pool(2) as pool:
        pool.map(work, [1, 2])
if __name__ == "__main__":
    main()
"""
PLUGIN = """
import importlib.util
class Clips(Dataset):
    def __init__(self, labels): self.labels = labels
    def __getitem__(self, i):
        label = self.labels["a"]
        return label(i)
def main(path):
    spec = importlib.util.spec_from_file_location({}, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    DataLoader(Clips({{"a": module.{}}}), num_workers=2)
"""

ROWS = {
    "a loader that shuffles what may be a stream, by what was loaded": (
        OPENED % "not hasattr(rows, '__len__')",
        [],
    ),
    "a loader that shuffles what may be a stream, by an argument": (
        OPENED % "streaming",
        ["DLF403"],
    ),
    "a stream of which each worker yields all": (
        STREAM + "def main():\n    DataLoader(Stream(), num_workers=2)\n",
        ["DLF501"],
    ),
    "a stream that takes the next of what it is given": (
        """
from torch.utils.data import IterableDataset
class Stream(IterableDataset):
    def __init__(self, source, length): self.source, self.length = source, length
    def __iter__(self):
        rows = iter(self.source)
        for _ in range(self.length):
            yield next(rows)
def main(source):
    DataLoader(Stream(source, 3), num_workers=2)
""",
        [],
    ),
    "a stream of whose batches each worker keeps a share": (
        STREAM
        + """
def share(batch):
    worker = get_worker_info()
    return batch[worker.id :: worker.num_workers]
def main():
    DataLoader(Stream(), collate_fn=share, num_workers=2)
""",
        [],
    ),
    "a lambda that a process gets by fork": (
        """
        def main():
            multiprocessing.get_context("fork").Process(target=lambda: 1).start()
        """,
        [],
    ),
    "a lambda that a spawned process gets": (
        """
        def main():
            multiprocessing.get_context("spawn").Process(target=lambda: 1).start()
        """,
        ["DLF101"],
    ),
    "a lambda in a loader that forks": (
        """
        def main(n):
            DataLoader([], collate_fn=lambda b: b, num_workers=2,
                       multiprocessing_context="fork" if n else None)
        """,
        [],
    ),
    "a lock in a loader that forks": (
        """
        class Data(Dataset):
            def __init__(self): self.lock = threading.Lock()
            def __getitem__(self, i): return i
        def main():
            DataLoader(Data(), num_workers=2, multiprocessing_context="fork")
        """,
        [],
    ),
    "a connection in a loader that forks": (
        """
        class Data(Dataset):
            def __init__(self, path): self.db = sqlite3.connect(path)
            def __getitem__(self, i): return self.db.execute("SELECT 1").fetchone()
        def main():
            DataLoader(Data("a"), num_workers=2, multiprocessing_context="fork")
        """,
        ["DLF202"],
    ),
    "a function that a forked pool is given for its tasks, which are pickled": (
        """
        def main():
            multiprocessing.get_context("fork").Pool(2).map(lambda x: x, [1])
        """,
        ["DLF101"],
    ),
    "what each thread has for itself, which the parent reads as well": (
        """
        import threading
        held = threading.local()
        def opened(path):
            held.file = open(path)
            return held.file
        class Data(Dataset):
            def __getitem__(self, i): return opened("a").read()
        def main():
            print([*DataLoader(Data(), num_workers=2)], vars(held))
        """,
        [],
    ),
    "a local class that is published under the name that a helper gives it": (
        """
        def publish(made, name):
            made.__name__ = made.__qualname__ = name
            globals()[name] = made
            return made
        def dataset(name):
            class Rows(Dataset):
                def __getitem__(self, i): return i
            return publish(Rows, name)
        def main():
            DataLoader(dataset("Gray")(), num_workers=2)
        """,
        [],
    ),
    "a local class that is passed to a helper which only counts it": (
        """
        def count(made, name):
            made.__name__ = name
            return made
        def dataset(name):
            class Rows(Dataset):
                def __getitem__(self, i): return i
            return count(Rows, name)
        def main():
            DataLoader(dataset("Gray")(), num_workers=2)
        """,
        ["DLF103"],
    ),
    "a lambda that a helper gives its name": (
        """
        def named(name, f):
            f.__name__ = f.__qualname__ = name
            return f
        collate = named("collate", lambda b: b)
        def main():
            DataLoader([], collate_fn=collate, num_workers=2)
        """,
        [],
    ),
    "a lambda that a helper gives a display name": (
        """
        def named(name, f):
            f.title = name
            return f
        collate = named("collate", lambda b: b)
        def main():
            DataLoader([], collate_fn=collate, num_workers=2)
        """,
        ["DLF101"],
    ),
    "a lambda for a process, after the method was set to fork": (
        """
        def main():
            before = multiprocessing.get_start_method()
            multiprocessing.set_start_method("fork", force=True)
            try:
                multiprocessing.Process(target=lambda: 1).start()
            finally:
                multiprocessing.set_start_method(before, force=True)
        """,
        [],
    ),
    "a lambda for a process, after the method may have been set to fork": (
        """
        def main(old):
            if old:
                multiprocessing.set_start_method("fork", force=True)
            multiprocessing.Process(target=lambda: 1).start()
        """,
        ["DLF101"],
    ),
    "a lambda for a loader, after the method was set to fork": (
        """
        def main():
            multiprocessing.set_start_method("fork")
            DataLoader([1], collate_fn=lambda b: b, num_workers=2)
        """,
        [],
    ),
    "a lambda for a process, after the method was set to fork on the same line": (
        """
        def main():
            multiprocessing.set_start_method("fork"); multiprocessing.Process(target=lambda: 1).start()
        """,
        [],
    ),
    "a lambda for a process, before the method is set to fork on the same line": (
        """
        def main():
            multiprocessing.Process(target=lambda: 1).start(); multiprocessing.set_start_method("fork")
        """,
        ["DLF101"],
    ),
    "a lambda for a loader, in a program that forks": (
        """
        def main():
            DataLoader([1], collate_fn=lambda b: b, num_workers=2)
        if __name__ == "__main__":
            multiprocessing.set_start_method("fork")
            main()
        """,
        [],
    ),
    "a lambda for a loader, in a program that may fork": (
        """
        def main():
            DataLoader([1], collate_fn=lambda b: b, num_workers=2)
        if __name__ == "__main__":
            if sys.platform == "darwin":
                multiprocessing.set_start_method("fork")
            main()
        """,
        ["DLF101"],
    ),
    "a lambda for a loader, after the method was set to fork and again": (
        """
        def main():
            before = multiprocessing.get_start_method()
            multiprocessing.set_start_method("fork", force=True)
            loader = DataLoader([1], collate_fn=lambda b: b, num_workers=2)
            multiprocessing.set_start_method(before, force=True)
            print(list(loader))
        """,
        ["DLF101"],
    ),
    "a lambda for a process, after the method was set again": (
        """
        def main():
            multiprocessing.set_start_method("fork", force=True)
            multiprocessing.set_start_method("spawn", force=True)
            multiprocessing.Process(target=lambda: 1).start()
        """,
        ["DLF101"],
    ),
    "a logger under another name in the parent": (
        """
        import logging
        log = logging.getLogger(__name__)
        def work(i): log.info(i)
        def main():
            multiprocessing.Process(target=work, args=(1,)).start()
        if __name__ == "__main__":
            log = logging.getLogger("program")
            main()
        """,
        [],
    ),
    "a logger that only the parent has": (
        """
        import logging
        def work(i): log.info(i)
        def main():
            multiprocessing.Process(target=work, args=(1,)).start()
        if __name__ == "__main__":
            log = logging.getLogger("program")
            main()
        """,
        ["DLF303"],
    ),
    "a loader that is gone through again and again": (
        """
        import itertools
        class Noisy(Dataset):
            def __init__(self, rows): self.noise = itertools.cycle(DataLoader(rows))
            def __getitem__(self, i): return next(self.noise)
        def main():
            DataLoader(Noisy([1]), num_workers=2)
        """,
        ["DLF206"],
    ),
    "a list of loaders that is gone through once": (
        """
        import itertools
        class Noisy(Dataset):
            def __init__(self, rows): self.loaders = itertools.chain([DataLoader(rows)])
            def __getitem__(self, i): return next(iter(next(self.loaders)))
        def main():
            DataLoader(Noisy([1]), num_workers=2)
        """,
        [],
    ),
    "a generator assigned to a slice": (BUFFER.format("isinstance(index, slice)"), []),
    "a generator assigned to an item": (
        BUFFER.format("index in self.keys"),
        ["DLF206", "DLF207"],
    ),
    "a setting that is given the value it has": (SETTING.format("False"), []),
    "a setting that is given another value": (SETTING.format("True"), ["DLF303"]),
    "a function of a file, loaded under a name that no import finds": (
        PLUGIN.format('"plugin"', "label"),
        ["DLF105"],
    ),
    "a number of a file that is loaded": (PLUGIN.format('"plugin"', "classes"), []),
    "a function of a file, loaded under its own name": (PLUGIN.format("path[:-3]", "label"), []),
    "a function of a file, loaded as this very module": (PLUGIN.format('"main"', "label"), []),
    "a handle opened where no workers are started": (
        TRAINER.format(before="pass", beside="self.set_up()"),
        [],
    ),
    "a handle opened in the other branch by hand": (
        TRAINER.format(before="pass", beside="self.source = zipfile.ZipFile('a')"),
        [],
    ),
    "a handle opened before and beside": (
        TRAINER.format(before="self.set_up()", beside="self.set_up()"),
        ["DLF203"],
    ),
    "a handle that its class keeps": (READER + LOADER, ["DLF201"]),
    "a state that an assignment in the class gives": (
        READER
        + """
    def _state(self): return {}
    __getstate__ = _state
"""
        + LOADER,
        [],
    ),
    "a state that a factory gives": (
        """
def without(*names):
    def state(self):
        return {k: v for k, v in self.__dict__.items() if k not in names}
    return state
"""
        + READER
        + "    __getstate__ = without('archive')\n"
        + LOADER,
        [],
    ),
    "a state that a decorator gives": (
        """
def reopens(cls):
    def state(self): return {}
    cls.__getstate__ = state
    return cls
@reopens"""
        + READER
        + LOADER,
        [],
    ),
    "a state that a statement gives": (
        READER + "\nReader.__getstate__ = lambda self: {}\n" + LOADER,
        [],
    ),
    "a class that copyreg takes apart": (
        "import copyreg\n"
        + READER
        + "copyreg.pickle(Reader, lambda r: (Reader, ('a',)))\n"
        + LOADER,
        [],
    ),
    "a lock whose type copyreg takes apart": (
        "import copyreg\n"
        "class Counter(Dataset):\n    def __init__(self): self.lock = threading.Lock()\n"
        "    def __getitem__(self, i): return i\n"
        "_Lock = type(threading.Lock())\n"
        "copyreg.pickle(_Lock, lambda lock: (threading.Lock, ()))\n"
        "def main():\n    DataLoader(Counter(), num_workers=2)\n",
        [],
    ),
    "a state that leaves out a slot": (
        READER.replace("(Dataset)", "").replace(
            "    def __init__", "    __slots__ = ('archive',)\n    def __init__"
        )
        + "    def __getstate__(self):\n"
        "        return {n: getattr(self, n) for n in self.__slots__ if n != 'archive'}\n" + LOADER,
        [],
    ),
    "a state that leaves out another slot": (
        READER.replace("(Dataset)", "").replace(
            "    def __init__", "    __slots__ = ('archive',)\n    def __init__"
        )
        + "    def __getstate__(self):\n"
        "        return {n: getattr(self, n) for n in self.__slots__ if n != 'cache'}\n" + LOADER,
        ["DLF201"],
    ),
    "a state without what the class names": (
        READER.replace("    def __init__", "    HANDLES = ('archive',)\n    def __init__")
        + "    def __getstate__(self):\n        state = vars(self).copy()\n"
        "        for name in self.HANDLES: state.pop(name)\n        return state\n" + LOADER,
        [],
    ),
    "a handle that `vars` loses again": (
        READER.replace(
            "    def __getitem__", "        vars(self).pop('archive')\n    def __getitem__"
        )
        + LOADER,
        [],
    ),
    "a number of workers that the command line sets on a class": (
        "import sys\nclass Options:\n    workers = 0\n"
        "for name, value in zip(sys.argv[1::2], sys.argv[2::2]):\n"
        "    setattr(Options, name, int(value))\n"
        + READER
        + "def main():\n    DataLoader(Reader('a'), num_workers=Options.workers)\n",
        ["DLF201"],
    ),
    "a handle that a method opens which only workers call": (
        CACHE + "def main():\n    options = {}\n    options.get('a')\n" + READING,
        [],
    ),
    "a handle that a method opens which the parent calls, too": (
        CACHE + "def main():\n    cache = Cache('a')\n    cache.get('first')\n"
        "    DataLoader(Reading(cache), num_workers=2)\n",
        ["DLF201"],
    ),
    "a handle that a process opens itself when it runs": (
        RECORDER + "def main():\n    Camera(Recorder()).start()\n"
        "    other = Recorder()\n    other.begin('b')\n",
        [],
    ),
    "a handle that the parent opens before a process gets it": (
        RECORDER + "def main():\n    recorder = Recorder()\n    recorder.begin('b')\n"
        "    Camera(recorder).start()\n",
        ["DLF203"],
    ),
    "a logger that the parent sets up": (
        """
import logging
LOG = logging.getLogger("data")
class Logs(Dataset):
    def __getitem__(self, i):
        LOG.info("item %d", i)
        return i
def main():
    LOG.disabled = True
    DataLoader(Logs(), num_workers=2)
if __name__ == "__main__":
    main()
""",
        [],
    ),
    "a logger that only the parent makes": (
        """
import logging
LOG = None
class Logs(Dataset):
    def __getitem__(self, i):
        LOG.info("item %d", i)
        return i
def main():
    global LOG
    LOG = logging.getLogger("data")
    DataLoader(Logs(), num_workers=2)
if __name__ == "__main__":
    main()
""",
        ["DLF303"],
    ),
    "a table that workers and parent each make for themselves": (
        KINDS + "def work(x):\n    prepare([x])\n    return KINDS[x]\n" + POOL,
        [],
    ),
    "a list that workers fill and the parent reads": (
        KINDS + "def work(x):\n    KINDS[x] = 1\n    return x\n" + POOL,
        ["DLF304"],
    ),
    "a global that the parent only hands to further processes": (SENT.format("pass"), []),
    "a global that the parent hands on, and reads in the end": (
        SENT.format("print(OPTIONS)"),
        ["DLF304"],
    ),
    "a global that is set for the length of a with": (TOWER.format("KINDS = None") + POOL, []),
    "a global that the end of a with leaves as it is": (TOWER.format("pass") + POOL, ["DLF304"]),
    "a global that is set back in the end": (
        LEVEL + "    try: return before\n    finally: KINDS = before\n" + POOL,
        [],
    ),
    "a global that each process makes once": (ONCE.format("self.ready = True") + POOL, []),
    "a global that a worker makes each time": (ONCE.format("self.seen = True") + POOL, ["DLF304"]),
    "a global that is not set back": (
        LEVEL + "    try: return before\n    finally: print(before)\n" + POOL,
        ["DLF304"],
    ),
    "a class that stands in for a library that is not there": (
        MISSING.format("raise ImportError(name)"),
        [],
    ),
    "a class made in a function whose constructor raises at times": (
        MISSING.format("if name: raise ImportError(name)"),
        ["DLF103"],
    ),
    "a file that a context manager closes if it has opened it": (
        SESSIONS.format("not was_open"),
        [],
    ),
    "a file that a context manager closes if it was open": (
        SESSIONS.format("was_open"),
        ["DLF201"],
    ),
    "samples of which a stage of a pipeline gives each worker its share": (
        PIPES.format("Multiplexer(IterableWrapper(Rows()).cycle()).sharding_filter().shuffle()"),
        [],
    ),
    "samples of which a stage gives each worker its share, before they are mixed": (
        PIPES.format("Multiplexer(ShardingFilter(IterableWrapper(Rows())))"),
        [],
    ),
    "samples of a pipeline that no stage shares": (
        PIPES.format("Multiplexer(IterableWrapper(Rows()).cycle()).shuffle()"),
        ["DLF501"],
    ),
    "samples beside those that a stage shares": (
        PIPES.format(
            "Multiplexer(IterableWrapper(range(3)).sharding_filter(), IterableWrapper(Rows()))"
        ),
        ["DLF501"],
    ),
    "what an object gets that was told to keep threads": (EXECUTORS.format("workers=3"), []),
    "what an object gets that was told to keep processes": (
        EXECUTORS.format("'process'"),
        ["DLF101"],
    ),
    "what an object gets that may keep processes": (EXECUTORS.format("'auto'"), ["DLF101"]),
    "what an object gets that is set to keep processes later": (
        EXECUTORS.format("").replace(
            "self.begin(workers)", "self.kind = kind.lower(); self.begin(workers)"
        ),
        ["DLF101"],
    ),
    "a global that `run` of an object reads, of which a worker calls another method": (
        RUNNER.format(""),
        [],
    ),
    "a global that `run` of a process reads": (
        RUNNER.format("multiprocessing.Process").replace(
            "pool.map(self.work, [1])", "self.start()"
        ),
        ["DLF303"],
    ),
    "a global set where the function then ends": (REPLAY.format("return"), []),
    "a global set before the workers start": (REPLAY.format("x ="), ["DLF303"]),
    "a file that a context manager opens by another method": (TOKENS.format(""), []),
    "a file that a method opens and another closes": (
        TOKENS.format("tokens.open(); tokens.close()"),
        [],
    ),
    "a file that a method opens beside a context manager": (
        TOKENS.format("tokens.open()"),
        ["DLF203", "DLF203"],
    ),
    "a dict with a default that ends before it is sent": (VOCAB.format("None"), []),
    "a dict with another default": (VOCAB.format("lambda: 0"), ["DLF101", "DLF101"]),
    "a queue that is only made without workers": (ACTORS.format("self.count"), []),
    "a local class whose objects a function makes again": (
        REDUCED.format("make, (self.pad,)"),
        [],
    ),
    "a local class whose objects are made of it again": (
        REDUCED.format("type(self), (self.pad,)"),
        ["DLF103"],
    ),
    "an image where the dataset was given no crop": (PICTURES.format("Pictures()"), ["DLF207"]),
    "an image where the dataset was given a crop": (PICTURES.format("Pictures(Crop())"), []),
    "an image where the dataset was given a transform of a library": (
        PICTURES.format("Pictures(crop=None, transform=ToTensor())"),
        [],
    ),
    "a connection that the parent closes again below": (CONNECTED.format("rows.disconnect()"), []),
    "a connection that the parent closes once workers have started": (
        CONNECTED.format("list(DataLoader(rows, num_workers=2))\n    rows.disconnect()"),
        ["DLF203"],
    ),
    "a connection that the parent leaves open": (CONNECTED.format("pass"), ["DLF203"]),
    "a dict that is filled out of a generator": (SECTIONS.format("1"), []),
    "a dict that is filled with what a generator gives": (
        SECTIONS.format("lambda: 1"),
        ["DLF101"],
    ),
    "a module, which copyreg pickles": (CODEC.format("types.ModuleType"), []),
    "a module, where copyreg pickles others": (CODEC.format("types.GeneratorType"), ["DLF206"]),
    "a function that is only passed where no workers are asked for": (MAPPED.format(""), []),
    "a function that is passed with a number of workers": (MAPPED.format(", 2"), ["DLF102"]),
    "images in a list where there are no transforms": (PAIRS.format("Pairs()"), ["DLF207"]),
    "images in a list that transforms may take the place of": (
        PAIRS.format("Pairs([Each(change)])"),
        [],
    ),
    "an index whose items pickle leaves out": (TREE + LOADER, ["DLF206"]),
    "an index that is filled again where it is loaded": (
        TREE
        + """
    def __getstate__(self): return self.__dict__, list(self.index.intersection(self.index.bounds))
    def __setstate__(self, state):
        self.__dict__, items = state
        for item in items: self.index.insert(item, (0, 0, 1, 1))
"""
        + LOADER,
        [],
    ),
    "a queue of threads that takes the place of one of processes": (
        QUEUES + TAKE + "        self.results = queue.Queue()\n",
        [],
    ),
    "a queue of threads that is handed to a process": (
        QUEUES + "        self.results = queue.Queue()\n" + TAKE,
        ["DLF204"],
    ),
    "a handle that is opened only for what the constructor is not passed": (
        ENVIRONMENT + "DataLoader(Reader('a', True), num_workers=2)\n",
        [],
    ),
    "a handle that is opened for what the constructor is passed": (
        ENVIRONMENT + "DataLoader(Reader('a', False), num_workers=2)\n",
        ["DLF201"],
    ),
    "a trainer of Lightning that starts no workers when it is imported": (
        LIGHTNING + "if __name__ == '__main__':\n    pl.Trainer().fit(None, Data())\n",
        [],
    ),
    "a trainer of Lightning that starts workers when it is imported": (
        LIGHTNING + "trainer = pl.Trainer()\ntrainer.fit(None, datamodule=Data())\n",
        ["DLF301"],
    ),
    "a trainer of another library": (
        LIGHTNING + "import other\nother.Trainer().fit(None, Data())\n",
        [],
    ),
    "samples of a type that torch learns to collate when a worker imports it": (
        POINTS + "default_collate_fn_map[Point] = collate\n" + MAIN,
        [],
    ),
    "samples of a type that torch learns to collate in the parent only": (
        POINTS + MAIN.replace("    Data", "    default_collate_fn_map[Point] = collate\n    Data"),
        ["DLF207"],
    ),
    "samples of a list that the loader collates by a function of its own": (
        POINTS + MAIN.replace("num_workers", "collate_fn=collate, num_workers"),
        [],
    ),
    "a decorator that registers what wraps a function, under whose name it is found": (
        REGISTRY.format("@collate('pad')\n") + USE,
        [],
    ),
    "a handle that the program opens where it starts no workers": (
        ATTACHED.format("if workers == 0:"),
        [],
    ),
    "a handle that the program opens where it starts workers": (
        ATTACHED.format("if workers != 0:"),
        ["DLF203"],
    ),
    "a handle that the program opens for another number": (
        ATTACHED.format("if not chunk:"),
        ["DLF203"],
    ),
    "a handle that a block opens and closes where the program starts no workers": (
        ENTERED.format("if workers == 0:"),
        [],
    ),
    "a handle that a block opens where the program starts workers": (
        ENTERED.format("if workers != 0:"),
        ["DLF203"],
    ),
    "a store that is not connected where it is sent to a process, which connects it": (
        STORE.format("connect=False"),
        [],
    ),
    "a store that its constructor connects": (STORE.format("connect=True"), ["DLF201"]),
    "a store that is connected before it is sent": (
        STORE.format("connect=False").replace("    multi", "    other.connect()\n    multi"),
        ["DLF203"],
    ),
    "a queue of threads where nothing but the parent runs the code": (
        WORKERS.format("process.start() if workers else process.run()"),
        [],
    ),
    "a queue of threads in a process that is always started": (
        WORKERS.format("process.start()"),
        ["DLF204"],
    ),
    "a handle that is kept only where there is a worker": (IN_WORKER.format("is not None"), []),
    "a handle that is kept only where there is no worker": (
        IN_WORKER.format("is None"),
        ["DLF203"],
    ),
    "a recorder that nothing but the process begins, beside one of the parent": (
        RECORDERS.format("other = Recorder.of('b')\n    other.begin('b')"),
        [],
    ),
    "a recorder of a maker that the parent begins": (
        RECORDERS.format("recorder.begin('b')"),
        ["DLF203"],
    ),
    "a decorator that opens a file before a method of the worker": (DECORATED, []),
    "a decorator that opens a file before a method of the parent": (
        DECORATED.replace("    def __len__", "    @opened\n    def __len__"),
        ["DLF203"],
    ),
    "a decorator that opens a file for itself": (
        DECORATED.replace("    def __len__", "    @opened\n    def __len__").replace(
            "self.file =", "file ="
        ),
        [],
    ),
    "a file that each method closes again that opened it": (CLOSING.format(""), []),
    "a file that a method does not close again": (
        CLOSING.format("").replace("if closed: self.close()", "pass"),
        ["DLF203"],
    ),
    "a file that a method closes where another test holds": (
        CLOSING.format("").replace("if closed: self", "if not closed: self"),
        ["DLF203"],
    ),
    "a file that a method closes where a name was set again": (
        CLOSING.format("closed = self.file is not None"),
        ["DLF203"],
    ),
    "a file that is open where a loader gets the object": (
        CLOSING.format("").replace("print(self.file)", "DataLoader(self, num_workers=1)"),
        ["DLF203"],
    ),
    "a generator that an object in the dataset draws from": (POLICY.format(""), ["DLF503"]),
    "a generator that only the constructor's own helper seeds": (
        POLICY.format("        self._start()\n    def _start(self): self.rng = random.Random(7)\n"),
        ["DLF503"],
    ),
    "a generator that is seeded when a worker asks for it": (
        POLICY.format("    def start(self, n): self.rng = random.Random(n)\n").replace(
            "return self.policy.offset()", "self.policy.start(i); return self.policy.offset()"
        ),
        [],
    ),
    "a generator that a method seeds which nothing calls": (
        POLICY.format("    def start(self, n): self.rng = random.Random(n)\n"),
        ["DLF503"],
    ),
}


@pytest.mark.parametrize(("source", "codes"), ROWS.values(), ids=ROWS)
def test_what_is_found(source: str, codes: list[str], tmp_path: Path) -> None:
    """Each program has the findings of its row, and no other."""
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + textwrap.dedent(source), encoding="utf-8")
    session = Session.open([path], Settings())
    assert [each.finding.code for each in session.diagnoses()] == codes


def test_what_a_script_reads_is_not_what_workers_of_another_change(tmp_path: Path) -> None:
    """Workers fill a list in one program; another program that starts no workers reads it."""
    texts = {
        "notes.py": "NOTES = []\ndef note(x): NOTES.append(x)\ndef flush(): print(len(NOTES))\n",
        "convert.py": (
            "import multiprocessing, notes\ndef work(x): notes.note(x)\n"
            "def main():\n    multiprocessing.Pool(2).map(work, 'abc')\n{}"
            "if __name__ == '__main__':\n    main()\n"
        ),
        "train.py": "import notes\nif __name__ == '__main__':\n    notes.flush()\n",
    }
    for flushes, codes in (("", []), ("    notes.flush()\n", ["DLF304"])):
        for name, text in texts.items():
            (tmp_path / name).write_text(text.format(flushes) if name == "convert.py" else text)
        session = Session.open([tmp_path], Settings())
        assert [each.finding.code for each in session.diagnoses()] == codes


def test_what_a_module_sets_when_run_itself_is_not_what_workers_of_another_read(
    tmp_path: Path,
) -> None:
    codec = "encode = None\ndef coded(x): return encode(x)\nif __name__ == '__main__':\n    {}encode = str\n"
    worker = "import codec, multiprocessing\nclass Core:\n    def start(self):\n        "
    worker += "multiprocessing.Process(target=codec.coded, args=(1,)).start()\n"
    (tmp_path / "worker.py").write_text(worker)
    for imports, codes in (("", []), ("import worker; worker.Core().start(); ", ["DLF303"])):
        (tmp_path / "codec.py").write_text(codec.format(imports))
        diagnoses = Session.open([tmp_path], Settings()).diagnoses()
        assert [each.finding.code for each in diagnoses] == codes


STATE = """
def strip(state): state["db"] = None
class Reader(Dataset):
    def __init__(self, path): self.path, self.db, self.lock = path, sqlite3.connect(path), None
    def __getitem__(self, i): return self.db.execute(str(i)).fetchone()
    def close(self):
        if self.db is not None:
            self.db.close()
            self.db = None
    def __getstate__(self):
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("self.db = None; return self.__dict__", []),
        ("self.lock = None; return self.__dict__", ["DLF201"]),
        ("del self.db; return self.__dict__.copy()", []),
        (
            "db, self.db = self.db, None; state = self.__dict__.copy(); self.db = db; return state",
            [],
        ),
        ("state = self.__dict__.copy(); self.db = None; return state", ["DLF201"]),
        ("self.close(); return self.__dict__", []),
        ("state = self.__dict__.copy(); state.update(db=None); return state", []),
        ("state = self.__dict__.copy(); state.update(lock=None); return state", ["DLF201"]),
        ("state = self.__dict__.copy(); state.update({'db': None}); return state", []),
        ("state = self.__dict__.copy(); strip(state); return state", []),
        ("state = self.__dict__.copy(); print(self.path); return state", ["DLF201"]),
        ("return {k: None if k == 'db' else v for k, v in self.__dict__.items()}", []),
        ("return {k: v if k != 'db' else None for k, v in vars(self).items()}", []),
        ("return {k: None if k == 'lock' else v for k, v in self.__dict__.items()}", ["DLF201"]),
        ("return {k: v for k, v in self.__dict__.items() if k in ('path', 'lock')}", []),
        ("return {k: v for k, v in self.__dict__.items() if k in ('path', 'db')}", ["DLF201"]),
    ],
)
def test_what_an_own_getstate_leaves_out_is_not_found(body: str, codes: list[str], tmp_path: Path):
    """Only attributes that are empty when the state is taken are left out."""
    source = PRELUDE + STATE + f"        {body}\n" + LOADER
    (tmp_path / "main.py").write_text(source, encoding="utf-8")
    session = Session.open([tmp_path], Settings())
    assert [each.finding.code for each in session.diagnoses()] == codes


def test_a_method_of_a_handle_is_not_the_one_of_a_dataset_of_the_same_name(tmp_path: Path) -> None:
    """`env.begin()` of an environment that a script writes with is no call of `Scenes.begin`."""
    program = """
    import lmdb
    from torch.utils.data import DataLoader, Dataset

    class Scenes(Dataset):
        def __init__(self, path):
            self.path, self.env = path, None

        def begin(self):
            if self.env is None:
                self.env = lmdb.open(self.path)
            return self.env.begin()

        def __getitem__(self, i):
            return self.begin().get(i)

    def write(path):
        env = lmdb.open(path)
        with env.begin(write=True) as txn:
            txn.put(b"0", b"1")

    def load(path):
        write(path)
        return DataLoader(Scenes(path), num_workers=2)
    """
    (tmp_path / "main.py").write_text(textwrap.dedent(program), encoding="utf-8")
    assert Session.open([tmp_path], Settings()).diagnoses() == []


RELEASED = """
import h5py, tempfile
from torch.utils.data import DataLoader, Dataset
class Volumes(Dataset):
    def __init__(self, path): self.h5 = h5py.File(path)
    def release(self):
        self.h5.close()
        del self.h5
    def finish(self):
        try: self.rows = list(self.h5)
        finally:
            self.h5.close()
            del self.h5
    def fail(self):
        try: self.rows = list(self.h5)
        except OSError:
            del self.h5
    def __getitem__(self, i): return i
def main():
    with tempfile.TemporaryDirectory() as d:
        data = Volumes(d)
{}
"""


@pytest.mark.parametrize(
    ("rest", "count"),
    [
        ("        data.release()\n    loader = DataLoader(data, num_workers=2)", 0),
        (
            "        with open(d) as f:\n            data.release()\n    DataLoader(data, num_workers=2)",
            0,
        ),
        ("    DataLoader(data, num_workers=2)\n    data.release()", 1),
        ("        if d: data.release()\n    DataLoader(data, num_workers=2)", 1),
        ("        data.finish()\n    DataLoader(data, num_workers=2)", 0),
        ("        data.fail()\n    DataLoader(data, num_workers=2)", 1),
    ],
)
def test_what_is_released_before_the_loader_is_made_is_not_found(
    rest: str, count: int, tmp_path: Path
) -> None:
    """A `with` runs its body, and a statement under a test may not run."""
    (tmp_path / "main.py").write_text(RELEASED.format(rest), encoding="utf-8")
    assert len(Session.open([tmp_path], Settings()).diagnoses()) == count


GIVEN_LATER = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def initialize(self, options): self.options = options
    def forget(self): self.options = None
    def __getitem__(self, i): return self.options(i)
def main():
    rows = Rows()
    {given}
    for _ in range(2):
        DataLoader(rows, num_workers=2)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("rows.initialize(lambda row: row)", ["DLF101"]),
        ("rows.initialize(len)", []),
        ("rows.initialize(lambda row: row)\n    rows.forget()", []),
    ],
)
def test_what_a_method_is_given_once_the_object_is_made_is_sent(
    tmp_path: Path, given: str, found: list[str]
) -> None:
    """A method that sets an attribute replaces what was there, and not what it sets itself."""
    (tmp_path / "main.py").write_text(GIVEN_LATER.format(given=given), encoding="utf-8")
    diagnoses = Session.open([tmp_path], Settings()).diagnoses()
    assert [each.finding.code for each in diagnoses] == found


FROZEN = """
from collections import defaultdict
class Words(Dataset):
    def __init__(self):
        self.ids = defaultdict(lambda: len(self.ids))
    def __getitem__(self, i): return self.ids.get(i)
    def freeze(self):
        {frozen}
def main():
    {made}
    for _ in range(2):
        DataLoader(words, num_workers=2)
"""
MADE = "words = Words()\n    words.freeze()"


@pytest.mark.parametrize(
    ("frozen", "made", "found"),
    [
        ("self.ids = dict(self.ids)", MADE, []),
        ("self.ids: dict = dict(self.ids)", MADE, []),
        ("self.ids = {}; return self", "words = Words().freeze()", []),
        ("pass", "words = Words()\n    del words.ids", []),
        ("self.ids: dict", MADE, ["DLF101"]),
        ("if self.ids: return\n        self.ids = {}", MADE, ["DLF101"]),
        ("self.ids = {}; yield", MADE, ["DLF101"]),
        ("if self.ids: self.ids = {}", MADE, ["DLF101"]),
        ("self.ids = defaultdict(lambda: 0)", MADE, ["DLF101"]),
        ("self.ids = {}", "words = Words()", ["DLF101"]),
        ("self.ids = {}", "words = Words()\n    if input(): words.freeze()", ["DLF101"]),
    ],
)
def test_what_is_set_again_before_the_loader_is_not_sent(
    frozen: str, made: str, found: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + FROZEN.format(frozen=frozen, made=made), encoding="utf-8")
    codes = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert codes == found


BANK = """
class Bank(Dataset):
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path)
    def __getitem__(self, i): return i
    def freeze(self):
        self.archive.close()
        self.archive = None
    def hurry(self): {hurried}
def send(bank): DataLoader(bank, num_workers=2)
"""


@pytest.mark.parametrize(
    ("main", "hurried", "count"),
    [
        ("def load(bank):\n    bank.freeze()\n    DataLoader(bank, num_workers=2)\n", "pass", 0),
        (
            "def load(bank):\n    bank.freeze()\n    if bank: DataLoader([bank][0], num_workers=2)\n",
            "pass",
            0,
        ),
        ("def load(bank):\n    DataLoader(bank, num_workers=2)\n    bank.freeze()\n", "pass", 1),
        (
            "def load(bank):\n    if bank: bank.freeze()\n    DataLoader(bank, num_workers=2)\n",
            "pass",
            1,
        ),
        (
            "def load(bank):\n    bank.freeze()\n    bank = Bank('b')\n"
            "    DataLoader(bank, num_workers=2)\n",
            "pass",
            1,
        ),
        (
            "def made():\n    bank = Bank('b')\n    bank.freeze()\n    return bank\n"
            "def load(_):\n    DataLoader(made(), num_workers=2)\n",
            "pass",
            0,
        ),
        (
            "def made():\n    bank = Bank('b')\n    send(bank)\n    bank.freeze()\n    return bank\n"
            "def load(_):\n    made()\n",
            "pass",
            1,
        ),
        (
            "def made():\n    bank = Bank('b')\n    bank.hurry()\n    bank.freeze()\n    return bank\n"
            "def load(_):\n    made()\n",
            "send(self)",
            1,
        ),
    ],
)
def test_what_is_emptied_where_the_loader_is_made_or_where_the_object_is_made_is_not_sent(
    main: str, hurried: str, count: int, tmp_path: Path
) -> None:
    """The object comes from another file, or from a function; what may send it before counts."""
    bank = PRELUDE + BANK.format(hurried=hurried)
    (tmp_path / "bank.py").write_text(bank, encoding="utf-8")
    imports = "from torch.utils.data import DataLoader\nfrom bank import Bank, send\n"
    start = "if __name__ == '__main__':\n    load({})\n".format(
        "Bank('a')" if "load(bank)" in main else "None"
    )
    (tmp_path / "main.py").write_text(imports + main + start, encoding="utf-8")
    codes = [each.finding.code for each in Session.open([tmp_path], Settings()).diagnoses()]
    assert codes == ["DLF201"] * count


PER_PROCESS = """
class Base:
    LOCAL = ("db",)
    def __init__(self): self.db = sqlite3.connect("a")
    def __getstate__(self):
        state = self.__dict__.copy()
        for name in {source}: state[name] = None
        return state
class Rows(Base, Dataset):
    {local}
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
    def __getitem__(self, i): return i
def main(): DataLoader(Rows(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("source", "local", "found"),
    [
        ("self.LOCAL", 'LOCAL = Base.LOCAL + ("lock",)', []),
        ("type(self).LOCAL", 'LOCAL = (*Base.LOCAL, "lock")', []),
        ("self.LOCAL", 'LOCAL: tuple = ("db", "lock")', []),
        ("self.LOCAL", "pass", ["DLF204"]),
        ("self.LOCAL", 'LOCAL = ("lock",)', ["DLF201"]),
    ],
)
def test_a_state_leaves_out_what_the_class_of_the_object_lists(
    source: str, local: str, found: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + PER_PROCESS.format(source=source, local=local), encoding="utf-8")
    codes = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert codes == found


def test_a_script_without_a_guard_does_not_hide_what_workers_of_another_lack(
    tmp_path: Path,
) -> None:
    """One script sets a global on import, for its own workers; those of a guarded script lack it."""
    shared = (
        "import multiprocessing\ndef work(x): return ROWS[x]\ndef run(rows):\n"
        "    global ROWS\n    ROWS = rows\n"
        "    with multiprocessing.Pool(2) as pool: return pool.map(work, [0])\n"
    )
    (tmp_path / "shared.py").write_text(shared)
    (tmp_path / "guarded.py").write_text(
        "import shared\nif __name__ == '__main__':\n    shared.run([1])\n"
    )
    for also, codes in (([], ["DLF303"]), (["plain.py"], ["DLF301", "DLF303"])):
        for name in also:
            (tmp_path / name).write_text("import shared\nshared.run([2])\n")
        session = Session.open([tmp_path], Settings())
        assert sorted(each.finding.code for each in session.diagnoses()) == codes


SETTINGS = {
    "settings.py": "options = {}\ndef fill():\n    options.update(rate=2)\n",
    "rows.py": (
        "from torch.utils.data import DataLoader, Dataset\nfrom settings import options\n"
        "class Rows(Dataset):\n    def __getitem__(self, i): return i * options['rate']\n"
        "class Task:\n    def loader(self): return DataLoader(Rows(), num_workers=2)\n"
    ),
    "train.py": (
        "import importlib\nfrom settings import fill, options\nfill()\ndef run():\n"
        "    getattr(importlib.import_module(options['task']), 'Task')().loader()\n"
        "if __name__ == '__main__':\n    run()\n"
    ),
}


@pytest.mark.parametrize(
    ("export", "codes"),
    [
        ("print('done')", []),
        ("import rows\n    rows.Task().loader()", ["DLF303"]),
    ],
)
def test_a_script_counts_that_is_seen_to_start_the_workers_if_another_sets_the_global_on_import(
    export: str, codes: list[str], tmp_path: Path
) -> None:
    script = "import rows\nfrom settings import fill\nif __name__ == '__main__':\n    fill()\n"
    for name, text in {**SETTINGS, "export.py": f"{script}    {export}\n"}.items():
        (tmp_path / name).write_text(text)
    session = Session.open([tmp_path], Settings())
    assert [each.finding.code for each in session.diagnoses()] == codes


PART = """
import h5py
class Part:
    def __init__(self, path):
        self.path, self.file = path, None
    def __getitem__(self, i):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return int(self.file[str(i)][0])
    def __len__(self):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return len(self.file)
class Rows(Dataset):
    def __init__(self, path, preload=False):
        self.part = Part(path)
        if preload:
            self.rows = [self.part[i] for i in range(len(self.part))]
            {gone}
        else:
            self.rows = self.part
        {more}
    def __getitem__(self, i): return self.rows[i]
    def __len__(self): return {length}
def main(path, preload): DataLoader(Rows(path, preload), num_workers=2)
"""


@pytest.mark.parametrize(
    ("gone", "more", "length", "codes"),
    [
        ("del self.part", "pass", "10", []),
        ("self.part = None", "pass", "10", []),
        ("pass", "pass", "10", ["DLF203"]),
        ("del self.part", "pass", "len(self.rows)", ["DLF203"]),
        ("del self.part", "print(sorted(self.rows))", "10", ["DLF203"]),
    ],
)
def test_the_length_of_a_part_of_a_dataset_counts_where_it_is_asked_and_the_part_stays(
    gone: str, more: str, length: str, codes: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    text = PART.format(gone=gone, more=more, length=length)
    path.write_text(PRELUDE + text, encoding="utf-8")
    found = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert found == codes


CHOSEN = """
class Rows(Dataset):
    def __init__(self, path, late=False):
        self.late = late
        {before}
        {test}:
            self.db = sqlite3.connect(path)
        else:
            self.db = None
    def __getitem__(self, i): return self.db.execute("SELECT 1")
{program}
def main(): DataLoader(Rows("a", late={late}), num_workers=2)
"""
ELSEWHERE = "def init(args): args.late = 'JOB' in args.names"


@pytest.mark.parametrize(
    ("test", "late", "before", "program", "found"),
    [
        ("if not self.late", True, "", ELSEWHERE, []),
        ("if not self.late and path", True, "", ELSEWHERE, []),
        ("if self.late is False", True, "", ELSEWHERE, []),
        ("if not self.late", False, "", ELSEWHERE, ["DLF201"]),
        ("if not self.late", 0, "", ELSEWHERE, ["DLF201"]),
        ("if not self.late", True, "self.late = len(path) > 3", ELSEWHERE, ["DLF201"]),
    ],
)
def test_a_constructor_knows_what_its_attribute_was_given_whatever_else_has_its_name(
    test: str, late: object, before: str, program: str, found: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    text = CHOSEN.format(test=test, late=late, before=before, program=program)
    path.write_text(PRELUDE + text, encoding="utf-8")
    codes = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert codes == found


SHARED = """
import torch
class Rows(Dataset):
    def __init__(self, shared=True):
        {init}
        self.lock = multiprocessing.Lock()
    def __len__(self): return 4
    def __getitem__(self, index):
        with self.lock:
            self.weights[index][[0, 1]] += 1
        return index
def main(): DataLoader(Rows(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("self.weights = [torch.zeros(3)]; self.weights[0].share_memory_()", []),
        ("self.weights = torch.zeros((4, 3)); self.weights.share_memory_()", []),
        ("rows = torch.zeros((4, 3)); rows.share_memory_(); self.weights = rows", []),
        ("rows = torch.zeros(3); rows.share_memory_(); self.weights = [torch.zeros(3)]\n"
         "        self.weights.append(rows)", []),
        ("self.weights = [torch.zeros(3), torch.zeros(3)]\n"
         "        for each in self.weights: each.share_memory_()", []),
        ("self.weights = [torch.zeros(3)]", ["DLF502"]),
        ("self.weights = [torch.zeros(3)]; self.other = torch.zeros(3).share_memory_()",
         ["DLF502"]),
    ],
)  # fmt: skip
def test_what_is_in_shared_memory_is_there_to_be_modified(
    init: str, found: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + SHARED.format(init=init), encoding="utf-8")
    codes = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert codes == found


FORKING = """
class Data(Dataset):
    def __init__(self, path): self.db = sqlite3.connect(path)
    def __getitem__(self, i): return self.db.execute("SELECT 1").fetchone()
def main(data=Data("a")):
    {loaders}
"""
FORKED = "DataLoader(data, num_workers=2, multiprocessing_context={})"


@pytest.mark.parametrize(
    ("loaders", "found"),
    [
        (FORKED.format("'fork'"), ["DLF202"]),
        (FORKED.format("multiprocessing.get_context('fork')"), ["DLF202"]),
        (FORKED.format("multiprocessing.get_context('spawn')"), ["DLF201"]),
        (FORKED.format("'fork'") + "; " + FORKED.format("None"), ["DLF201"]),
    ],
)
def test_a_handle_of_workers_that_surely_fork_is_shared_and_not_pickled(
    loaders: str, found: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + FORKING.format(loaders=loaders), encoding="utf-8")
    diagnoses = Session.open([path], Settings()).diagnoses()
    assert [each.finding.code for each in diagnoses] == found
    assert all(bool(each.finding.error) == (each.finding.code == "DLF201") for each in diagnoses)


def test_a_loader_out_of_view_forks_where_all_in_view_do(tmp_path: Path) -> None:
    """`Other` is sent nowhere in view; what it holds is what another dataset sends to a loader that forks."""
    holding = "".join(
        f"class {name}(Dataset):\n    def __init__(self): self.data = Data('a')\n"
        "    def __getitem__(self, i): return self.data[i]\n"
        for name in ("Sent", "Other")
    )
    source = FORKING.format(loaders=FORKED.format("'fork'")).replace('data=Data("a")', "")
    source = source.replace("(data, ", "(Sent(), ").replace("def main", holding + "def main")
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + source, encoding="utf-8")
    codes = [each.finding.code for each in Session.open([path], Settings()).diagnoses()]
    assert codes == ["DLF202"]
