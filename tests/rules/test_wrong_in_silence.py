"""Programs that go wrong in workers without an error, with the work done by helpers, bases and mixins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

IN_PLACE = [
    program(
        "arrays that are read from files",
        """
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Signals(Dataset):
            def __init__(self, path, name):
                self.signals = np.load(path + ".npy")
                self.mapped = np.load(name, mmap_mode="c")  # !DLF601
                self.table = np.genfromtxt(path)
                self.labels = np.load("labels.npy")
                self.archive = np.load(path + ".npz")  # !DLF201
                self.unknown = np.load(name)  # !DLF201
                self.width = 4
            def __len__(self): return 8
            def normalize(self, window):
                window -= window.mean()
                return window
            def __getitem__(self, i):
                window = self.signals[i, : self.width]
                mapped = self.mapped[i]
                mapped /= mapped.std()  # !DLF502
                row = self.table[i, 1:]
                row *= 2  # !DLF502
                label = self.labels[i]
                label -= 1
                unknown = self.unknown["a"]
                unknown -= unknown.mean()
                packed = self.archive["a"]
                packed -= packed.mean()
                whole = self.signals[i].copy()
                whole -= whole.mean()
                return self.normalize(window), mapped, row, label, whole  # !DLF502
        def main(args):
            DataLoader(Signals(args.path, args.name), num_workers=2)
        """,
    ),
    program(
        "a shallow copy holds what the sample holds",
        """
        import copy
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, names):
                self.rows = [{"name": name, "tags": [], "notes": {}} for name in names]
            def __len__(self): return len(self.rows)
            def __getitem__(self, i):
                row = dict(self.rows[i])
                row["name"] = "x"
                row["tags"].append(i) # !DLF502
                row["tags"] = []
                other = copy.copy(self.rows[i])
                other["notes"]["seen"] = True # !DLF502
                del other["tags"]
                last = self.rows[i].copy()
                last["name"] += "x"
                last["notes"]["name"] = i # !DLF502
                whole = copy.deepcopy(self.rows[i])
                whole["notes"]["name"] = i
                return row, other, last, whole
        if __name__ == "__main__":
            DataLoader(Rows(["a", "b"]), num_workers=2)
        """,
    ),
    program(
        "a reader that the dataset keeps copies a list, whose dicts are its own; arrays have none",
        """
        import copy
        import json
        from typing import Any, Dict
        from torch.utils.data import DataLoader, Dataset
        class Reader:
            def __init__(self, path):
                self.talks: Dict[str, Any] = json.load(open(path))
                self.frames: Dict[str, Any] = make(path)
                self.opened = {}
            def __getitem__(self, i):
                talk = copy.copy(self.talks[i])
                for turn in range(len(talk)):
                    talk[turn]["words"] = talk[turn]["words"].split() # !DLF502
                talk[0] = None
                frame = copy.copy(self.frames[i])
                frame[0][0] = 0
                frame = self.frames[i].copy()
                frame[0] += 1
                self.opened[i] = frame
                return talk, frame
            def change(self, i):
                self.talks[i]["seen"] = True
        class Talks(Dataset):
            def __init__(self, path): self.reader = Reader(path)
            def __len__(self): return 4
            def __getitem__(self, i): return self.reader[i]
        if __name__ == "__main__":
            DataLoader(Talks("talks.json"), num_workers=2)
        """,
    ),
    program(
        "what another dataset gives is no sample of this one; what a list of dicts gives is",
        """
        from torch.utils.data import DataLoader, Dataset
        class One(Dataset):
            def __init__(self, rows): self.rows = rows
            def __len__(self): return 4
            def __getitem__(self, i): return {"x": self.rows[i]}
        class Many(Dataset):
            def __init__(self, names):
                self.parts = [One(name) for name in names]
                self.notes = [{"tags": []}, {"tags": []}]
            def __len__(self): return 4
            def __getitem__(self, i):
                item = self.parts[0][i]
                item["part"] = 0
                note = self.notes[0]["tags"]
                note.append(i) # !DLF502
                return item
        if __name__ == "__main__":
            DataLoader(Many(["a", "b"]), num_workers=2)
        """,
    ),
    program(
        "methods of a mixin change a row of an array and hand it on",
        """
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Filters:
            def detrend(self, x):
                x -= x[0]
                return x
            def scale(self, x, by):
                np.multiply(x, by, out=x)
                return x
        class Beats(Filters, Dataset):
            def __init__(self, signal):
                self.signal = np.asarray(signal).reshape(4, 8)
            def __len__(self): return 4
            def __getitem__(self, i):
                beat = self.signal[i]
                beat = self.scale( # !DLF502
                    self.detrend(beat), 2) # !DLF502
                return beat.copy()
        if __name__ == "__main__":
            DataLoader(Beats(range(32)), num_workers=2)
        """,
    ),
    program(
        "a function changes a slice of an array",
        """
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        def centre(x, by=1):
            x -= by * x[0]
        class Windows(Dataset):
            def __init__(self, n):
                self.series = np.arange(n)
            def __len__(self): return 4
            def __getitem__(self, i):
                start = i * 4
                window = self.series[start:start + 4]
                centre(window, by=2) # !DLF502
                return window.copy()
        if __name__ == "__main__":
            DataLoader(Windows(32), num_workers=2)
        """,
    ),
    program(
        "a method that returns a copy",
        """
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, n):
                self.table = np.zeros((n, 4))
            def __len__(self): return 4
            def take(self, i): return self.table[i].copy()
            def twice(self, x):
                y = 2 * x
                y += 1
                return y
            def __getitem__(self, i):
                x = self.take(i)
                x -= 1
                y = self.twice(self.table[i])
                y -= 1
                return x, y
        if __name__ == "__main__":
            DataLoader(Rows(32), num_workers=2)
        """,
    ),
    program(
        "what a sample is put into, and its size",
        """
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, n, queue):
                self.table = np.zeros((n, 4))
                self.queue = queue
            def __len__(self): return 4
            def __getitem__(self, i):
                x = self.table[i]
                n = x.size
                n -= 1
                self.queue.put(x)
                first = x[0]
                first -= 1
                return n, first
        def main(queue):
            DataLoader(Rows(32, queue), num_workers=2)
        """,
    ),
]

GENERATORS = [
    program(
        "a method of a mixin makes the generator for the constructor",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Seeded:
            def init_rng(self, seed):
                self.rng = random.Random(seed) # !DLF503
            def jitter(self, x): return x + self.rng.random()
        class Points(Seeded, Dataset):
            def __init__(self, seed=0):
                super().__init__()
                self.init_rng(seed)
            def __len__(self): return 3
            def __getitem__(self, i): return self.jitter(i)
        if __name__ == "__main__":
            DataLoader(Points(), num_workers=2)
        """,
    ),
    program(
        "a worker calls the method of the mixin",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Seeded:
            def init_rng(self, seed):
                self.rng = random.Random(seed)
        class Points(Seeded, Dataset):
            def __init__(self):
                self.init_rng(0)
            def __len__(self): return 3
            def __getitem__(self, i):
                self.init_rng(i)
                return self.rng.random()
        if __name__ == "__main__":
            DataLoader(Points(), num_workers=2)
        """,
    ),
    program(
        "the program calls the method of the mixin in each epoch",
        """
        import random
        from torch.utils.data import DataLoader, Dataset
        class Seeded:
            def init_rng(self, seed):
                self.rng = random.Random(seed)
        class Points(Seeded, Dataset):
            def __init__(self):
                self.init_rng(0)
            def __len__(self): return 3
            def __getitem__(self, i): return self.rng.random()
        if __name__ == "__main__":
            points = Points()
            for epoch in range(3):
                points.init_rng(epoch)
                for x in DataLoader(points, num_workers=2): print(x)
        """,
    ),
]

STREAMS = [
    program(
        "shards that are files, of a method of the base class",
        """
        from pathlib import Path
        from torch.utils.data import DataLoader, IterableDataset
        class Reader(IterableDataset):
            def __init__(self, folder): self.folder = Path(folder)
            def shards(self): return sorted(self.folder.glob("shard-*.txt"))
            def __iter__(self): # !DLF501
                for shard in self.shards():
                    with shard.open() as lines:
                        yield from lines
        class Words(Reader):
            def parse(self, line): return line
        class Short(IterableDataset):
            def __init__(self, source): self.source = source
            def __iter__(self):
                for line in self.source:
                    if len(line) < 9: yield line
        if __name__ == "__main__":
            DataLoader(Short(Words("x")), num_workers=2)
        """,
    ),
    program(
        "files in another order each epoch, and their first half",
        """
        from torch.utils.data import DataLoader, IterableDataset
        class Turned(IterableDataset):
            def __init__(self, files, epoch=0): self.files, self.epoch = list(files), epoch
            def __iter__(self): # !DLF501
                for file in self.files[self.epoch :] + self.files[: self.epoch]: yield file
        class Half(IterableDataset):
            def __init__(self, files): self.files = list(files)
            def __iter__(self): # !DLF501
                yield from self.files[: len(self.files) // 2]
        if __name__ == "__main__":
            DataLoader(Turned("abc"), num_workers=2)
            DataLoader(Half("abc"), num_workers=2)
        """,
    ),
    program(
        "callables of one sample, which may be a transform of the project",
        """
        import torch
        from torch.utils.data import DataLoader, IterableDataset
        class Unit:
            def __call__(self, x): return x / x.norm()
        class Clouds(IterableDataset):
            def __init__(self, paths, transform): self.paths, self.transform = list(paths), transform
            def read(self, path):
                with open(path) as lines: yield from lines
            def __iter__(self): # !DLF501
                for path in self.paths:
                    for line in self.read(path):
                        x = torch.tensor(float(line))
                        if self.transform is not None:
                            x = self.transform(x)
                        yield x
        class Images(IterableDataset):
            def __init__(self, paths): self.paths = list(paths)
            def load(self, path, steps=()):
                image = torch.load(path)
                for step in steps: image = step(image)
                return image
            def __iter__(self): # !DLF501
                for path in self.paths:
                    yield self.load(path), path
        if __name__ == "__main__":
            DataLoader(Clouds("abc", Unit()), num_workers=2)
            DataLoader(Images("abc"), num_workers=2)
        """,
    ),
    program(
        "callables that give the stream, or decide what is in it",
        """
        from torch.utils.data import DataLoader, IterableDataset
        class Files(IterableDataset):
            def __init__(self, paths, backend, turn):
                self.paths, self.backend, self.turn = list(paths), backend, turn
            def open(self, path): return self.backend.open(path)
            def mine(self, number): return number % 2 == self.turn
        class Read(Files):
            def __iter__(self):
                for path in self.paths:
                    rows = self.open(path)
                    for row in rows: yield row
        class Given(Files):
            def __iter__(self):
                for path in self.paths:
                    yield from self.open(path)
        class Kept(Files):
            def __iter__(self):
                for number in range(9):
                    kept = self.mine(number)
                    if kept: yield number
        class Chosen(Files):
            def __iter__(self):
                for number in range(9):
                    if self.mine(number): yield number
        class Split(Files):
            def __iter__(self):
                for path in self.open(self.paths): yield path
        class Held(Files):
            def __iter__(self):
                for path in self.paths:
                    self.rows = self.open(path)
                    for row in self.rows: yield row
        class Filled(Files):
            def __iter__(self):
                opened = []
                for path in self.paths: opened.append(self.open(path))
                for rows in opened: yield from rows
        if __name__ == "__main__":
            for kind in (Read, Given, Kept, Chosen, Split, Held, Filled):
                DataLoader(kind("abc", None, 0), num_workers=2)
        """,
    ),
    program(
        "shards that are counted with",
        """
        from torch.utils.data import DataLoader, IterableDataset
        class Numbers(IterableDataset):
            def __init__(self, n, shard, shards):
                self.n, self.shard, self.shards = n, shard, shards
            def __iter__(self):
                for i in range(self.n):
                    if i % self.shards == self.shard: yield i
        if __name__ == "__main__":
            DataLoader(Numbers(9, 0, 2), num_workers=2)
        """,
    ),
]

REGISTRIES = [
    program(
        "a global that `__enter__` reads, which only the parent's `with` calls",
        """
        from torch.utils.data import DataLoader, Dataset
        STORE = None
        class Rows(Dataset):
            def __enter__(self):
                self.rows = list(STORE)
                return self
            def __exit__(self, *error): pass
            def __len__(self): return 3
            def __getitem__(self, i): return self.rows[i]
        def main():
            global STORE
            STORE = "abc"
            with Rows() as rows:
                for x in DataLoader(rows, num_workers=2): print(x)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "a global that `__enter__` reads, called by a worker's `with`",
        """
        from torch.utils.data import DataLoader, Dataset
        STORE = None
        class Opened:
            def __enter__(self): return list(STORE)
            def __exit__(self, *error): pass
        class Rows(Dataset):
            def __len__(self): return 3
            def __getitem__(self, i):
                with Opened() as rows: return rows[i]
        def main():
            global STORE
            STORE = "abc"
            for x in DataLoader(Rows(), num_workers=2): print(x)
        if __name__ == "__main__":
            main() # !DLF303
        """,
    ),
    program(
        "an entry that only main adds to what the import has filled",
        """
        from torch.utils.data import DataLoader, Dataset
        INDICES = {}
        def register(name, function):
            INDICES[name] = function
        def ratio(x): return x / 2
        def same(x): return x
        register("same", same)
        class Rows(Dataset):
            def __init__(self, names): self.names = names
            def __len__(self): return 3
            def __getitem__(self, i): return [INDICES[n](i) for n in self.names]
        def main():
            register("ratio", ratio) # !DLF303
            for x in DataLoader(Rows(["ratio"]), num_workers=2): print(x)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "an object with a method that registers",
        """
        from torch.utils.data import DataLoader, Dataset
        class Registry:
            def __init__(self): self.items = {}
            def enrol(self, name, function): self.items[name] = function
            def get(self, name): return self.items[name]
        READERS = Registry()
        def ratio(x): return x / 2
        class Rows(Dataset):
            def __init__(self, name): self.name = name
            def __len__(self): return 3
            def __getitem__(self, i): return READERS.get(self.name)(i)
        def main():
            READERS.enrol("ratio", ratio)
            for x in DataLoader(Rows("ratio"), num_workers=2): print(x)
        if __name__ == "__main__":
            main() # !DLF303
        """,
    ),
    program(
        "an entry that the import adds too, and one that no worker asks for",
        """
        from torch.utils.data import DataLoader, Dataset
        INDICES, METRICS = {}, {}
        def register(name, function):
            INDICES[name] = function
        def measure(name, function):
            METRICS[name] = function
        def same(x): return x
        register("same", same)
        measure("same", same)
        class Rows(Dataset):
            def __init__(self, names): self.names = names
            def __len__(self): return 3
            def __getitem__(self, i):
                return [INDICES[n](i) for n in self.names] + [METRICS["same"](i)]
        def main():
            register("same", same)
            measure("largest", max)
            for x in DataLoader(Rows(["same"]), num_workers=2): print(x)
        if __name__ == "__main__":
            main()
        """,
    ),
]

ROWS = [
    program(
        "rows of `itertuples` in a list, in a dict, and returned",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, frame):
                self.rows = list(frame.itertuples()) # !DLF206
                self.by_id = {
                    row.id: row for row in frame[frame.x > 0].itertuples(name="Row") # !DLF206
                }
                self.frame = frame
            def __len__(self): return 3
            def __getitem__(self, i):
                return next(self.frame[i:].itertuples()) # !DLF207
        def main(frame):
            DataLoader(Rows(frame), num_workers=2)
        """,
    ),
    program(
        "plain tuples, fields and dicts of `itertuples`, and a method of the tree",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, frame):
                self.rows = list(frame.itertuples(index=False, name=None))
                self.ids = [row.id for row in frame.itertuples()]
                self.dicts = [row._asdict() for row in frame.itertuples()]
            def __len__(self): return 3
            def __getitem__(self, i): return self.rows[i]
        def main(frame):
            DataLoader(Rows(frame), num_workers=2)
        """,
    ),
]

HANDLER = """
        from torch.utils.data import DataLoader, Dataset
        class Base(Exception): pass
        class Corrupt(Base):
            def __init__(self, tile, offset{default}):
                super().__init__(tile)
        class Tiles(Dataset):
            def __len__(self): return 3
            def load(self, i):
                raise Corrupt(i, 2) {marked}
            def __getitem__(self, i):
                {load}
        def epoch(loader):
            for batch in loader: print(batch)
        def main():
            loader = DataLoader(Tiles(), num_workers=2)
            try:
                {body}
            except {caught}:
                print("skipped")
        if __name__ == "__main__":
            main()
        """
_USUAL = {
    "default": "",
    "marked": "",
    "load": "return self.load(i)",
    "body": "epoch(loader)",
    "caught": "Corrupt",
}


def lost(title: str, **other: str) -> object:
    return program(title, HANDLER.format(**{**_USUAL, **other}))


EXCEPTIONS = [
    lost("a function goes through the loader", marked="# !DLF209"),
    lost("the handler is for a base class", marked="# !DLF209", caught="(KeyError, Base)"),
    lost("a batch is asked for", marked="# !DLF209", body="next(iter(loader))"),
    lost("torch can make it of one text", default="=None"),
    lost("what torch raises is caught with it", caught="(Corrupt, RuntimeError)"),
    lost("the loop over the loader is elsewhere", body="Tiles()[0]"),
    lost("caught in the worker", load="\n".join(
        [
            "try: return self.load(i)",
            "                except Corrupt: return 0",
        ]
    )),
]  # fmt: skip

MANAGERS = [
    program(
        "a context manager that closes again, around no loop",
        """
        import contextlib, sqlite3
        from torch.utils.data import DataLoader, Dataset, get_worker_info
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.db = path, None
            def open(self):
                self.db = sqlite3.connect(self.path)
            @contextlib.contextmanager
            def opened(self):
                self.open()
                try:
                    yield self
                finally:
                    self.db.close()
                    self.db = None
            def __len__(self): return 3
            def __getitem__(self, i): return self.db.execute("SELECT 1").fetchone()
        def start(worker_id):
            get_worker_info().dataset.open()
        if __name__ == "__main__":
            rows = Rows("x")
            with rows.opened():
                print(rows[0])
            for x in DataLoader(rows, num_workers=2, worker_init_fn=start): print(x)
        """,
    ),
    program(
        "a context manager around a loop over the loader",
        """
        import contextlib, sqlite3
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.db = path, None
            def open(self):
                self.db = sqlite3.connect(self.path) # !DLF203
            @contextlib.contextmanager
            def opened(self):
                self.open()
                try:
                    yield self
                finally:
                    self.db.close()
                    self.db = None
            def __len__(self): return 3
            def __getitem__(self, i): return self.db.execute("SELECT 1").fetchone()
        if __name__ == "__main__":
            rows = Rows("x")
            loader = DataLoader(rows, num_workers=2)
            with rows.opened():
                for x in loader: print(x)
        """,
    ),
]


@pytest.mark.parametrize(
    "text", [*IN_PLACE, *GENERATORS, *STREAMS, *REGISTRIES, *ROWS, *EXCEPTIONS, *MANAGERS]
)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
