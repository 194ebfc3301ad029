import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = None
        self.keys = None

    def __getstate__(self):
        state = self.__dict__.copy()
        state["db"] = None  # each process opens its own
        return state

    def _connect(self):
        assert self.db is None, "already connected"
        self.db = sqlite3.connect(
            self.path,
            timeout=10,
        )
        self.keys = [key for key, in self.db.execute("SELECT id FROM items ORDER BY id")]

    def _close(self):
        self.db.close()
        self.db = None
        self.keys = None

    def __len__(self):
        if self.db is None:
            self._connect()
        return len(self.keys)

    def __getitem__(self, index):
        if self.db is None:
            self._connect()
        query = "SELECT value FROM items WHERE id = ?"
        return self.db.execute(query, (self.keys[index],)).fetchone()[0]


def make(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    db.commit()
    db.close()


def shown(options):
    return sorted(vars(options))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/rows.db"
        make(path)
        rows = Rows(path)
        print("RESULT", shown(rows), len(rows))
        context = args.start_method if args.workers else None
        loader = DataLoader(
            rows, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
