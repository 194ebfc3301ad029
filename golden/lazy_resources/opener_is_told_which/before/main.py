import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset

SPLITS = {"train": ["first", "second"], "test": ["third"]}


class Rows(Dataset):
    def __init__(self, root, split="train"):
        self.root = root
        self.connect(split)

    def connect(self, split="train"):
        names = sum(SPLITS.values(), []) if split == "all" else SPLITS[split]
        self.tables = []
        for name in names:
            self.tables.append(sqlite3.connect(os.path.join(self.root, name)))

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM rows WHERE id = ?"
        return sum(table.execute(query, (index,)).fetchone()[0] for table in self.tables)


def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    for offset, name in enumerate(("first", "second", "third")):
        fill(os.path.join("data", name), [at * at + 100 * offset for at in range(6)])
    loader = DataLoader(
        Rows("data", "test"),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    out = [[batch.tolist() for batch in loader] for _ in range(2)]
    print("RESULT", out)


if __name__ == "__main__":
    main()
