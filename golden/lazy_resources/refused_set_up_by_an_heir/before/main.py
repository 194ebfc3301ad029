import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)
        self.ids = [row[0] for row in self.db.execute("SELECT id FROM items ORDER BY id")]

    def __len__(self):
        return len(self.ids)


class Rows(Table):
    def __init__(self, path, factor):
        super().__init__(path)
        self.db.create_function("scaled", 1, lambda value: value * factor)

    def __getitem__(self, index):
        sql = "SELECT scaled(x) FROM items WHERE id = ?"
        return self.db.execute(sql, (self.ids[index],)).fetchone()[0]


def build(folder):
    db = sqlite3.connect(f"{folder}/a.db")
    db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, x INTEGER)")
    db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    db.commit()
    db.close()
    return Rows(f"{folder}/a.db", 3)


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
