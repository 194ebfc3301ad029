import argparse
import contextlib
import functools
import sqlite3
import tempfile
from dataclasses import dataclass, field

from torch.utils.data import DataLoader, Dataset


@dataclass
class Rows(Dataset):
    path: str
    table: str = "t"
    ids: list = field(default_factory=list)

    def __post_init__(self):
        with contextlib.closing(self._open_conn()) as conn:
            self.ids.extend(row["id"] for row in conn.execute(f"SELECT id FROM {self.table}"))

    def _open_conn(self) -> sqlite3.Connection:
        conn = sqlite3.connect(self.path, check_same_thread=False)
        conn.row_factory = sqlite3.Row
        return conn

    @functools.cached_property
    def conn(self) -> sqlite3.Connection:
        return self._open_conn()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("conn", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.conn.execute(
            f"SELECT v FROM {self.table} WHERE id=?", (self.ids[index],)
        ).fetchone()["v"]


def build(folder):
    path = folder + "/a.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(6)])
    db.commit()
    db.close()
    return Rows(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
