import argparse
import functools
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Tables(Dataset):
    def __init__(self, folder, names):
        self.names = names
        self.folder = folder
        sources = self._open_sources()
        self.size = sources[names[0]].execute("SELECT count(*) AS n FROM t").fetchone()["n"]
        for opened in sources.values():
            opened.close()

    def _open_sources(self):
        # one database for each name
        sources = {}
        for name in self.names:
            path = os.path.join(self.folder, f"{name}.db")
            sources[name] = sqlite3.connect(path)
            sources[name].row_factory = sqlite3.Row
        return sources

    @functools.cached_property
    def sources(self):
        return self._open_sources()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("sources", None)  # each process opens its own
        return state

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        rows = [
            self.sources[n].execute("SELECT v FROM t WHERE rowid = ?", (i + 1,)) for n in self.names
        ]
        return [row.fetchone()["v"] for row in rows]


def prepare(folder):
    for name in "tp":
        db = sqlite3.connect(os.path.join(folder, name + ".db"))
        db.execute("CREATE TABLE t (v REAL)")
        db.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(6)])
        db.commit()
        db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Tables(folder, ["t", "p"])
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
