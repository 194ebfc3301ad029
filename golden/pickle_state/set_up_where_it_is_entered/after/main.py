import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path):
        self.path = path
        self.connection = None

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("connection") is not None:
            state["connection"] = True  # __setstate__ calls __enter__()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.connection:
            self.connection = None
            self.__enter__()

    def __enter__(self):
        self.connection = sqlite3.connect(self.path)
        self.connection.row_factory = sqlite3.Row
        return self

    def __exit__(self, *error):
        self.connection.close()
        self.connection = None

    def value(self, index):
        rows = self.connection.execute("SELECT value FROM items WHERE id = ?", (index,))
        return rows.fetchone()["value"]


class Items(Dataset):
    def __init__(self, store):
        self.store = store

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.store.value(index)


def make(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE items (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data.db"
        make(path)
        context = args.start_method if args.workers else None
        with Store(path) as store:
            loader = DataLoader(
                Items(store), batch_size=3, num_workers=args.workers, multiprocessing_context=context
            )
            print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
