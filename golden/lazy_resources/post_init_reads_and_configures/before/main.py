import argparse
import sqlite3
import tempfile
from dataclasses import dataclass, field

from torch.utils.data import DataLoader, Dataset


@dataclass
class Rows(Dataset):
    path: str
    table: str = "t"
    conn: sqlite3.Connection = field(init=False, repr=False)
    ids: list = field(default_factory=list)

    def __post_init__(self):
        self.conn = sqlite3.connect(self.path, check_same_thread=False)
        self.conn.row_factory = sqlite3.Row
        self.ids.extend(row["id"] for row in self.conn.execute(f"SELECT id FROM {self.table}"))

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
