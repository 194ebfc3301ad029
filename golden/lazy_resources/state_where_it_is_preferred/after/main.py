import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.row_factory = sqlite3.Row
        self.ids = [row["id"] for row in self.connection.execute("SELECT id FROM items")]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("connection", None)  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        connection = sqlite3.connect(self.path, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        self.connection = connection

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        return self.connection.execute(query, (self.ids[index],)).fetchone()["value"]


def make(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    connection.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
