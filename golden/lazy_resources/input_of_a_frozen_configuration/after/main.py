import argparse
import contextlib
import dataclasses
import functools
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass(frozen=True)
class Config:
    path: str
    timeout: float = 5.0


def connect(config):
    return sqlite3.connect(config.path, timeout=config.timeout)


class Rows(Dataset):
    def __init__(self, config: Config):
        self.config = config
        with contextlib.closing(connect(self.config)) as db:
            self.count = db.execute("SELECT count(*) FROM rows").fetchone()[0]

    @functools.cached_property
    def db(self):
        return connect(self.config)

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.db.execute("SELECT value FROM rows WHERE id = ?", (index,)).fetchone()[0]


def build(root):
    path = os.path.join(root, "rows.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value REAL)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", [(i, i * 2.0) for i in range(5)])
    db.commit()
    db.close()
    return Rows(Config(path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
