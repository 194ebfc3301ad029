import argparse
import enum
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset

class Items(Dataset):
    def __init__(self, values, transform=None):
        self.values = list(values)
        self.transform = transform
    def __len__(self): return len(self.values)
    def __getitem__(self, i):
        return self.transform(self.values[i]) if self.transform else self.values[i]

def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


class Pick:
    def __init__(self, kinds): self.kinds = kinds
    def __call__(self, v): return self.kinds[v % 2].value


class Kind(enum.Enum):
    A = 1
    B = 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    fill("data/a.db", [n * n + 1 for n in range(6)])
    fill("data/b.db", [n + 40 for n in range(6)])
    with open("data/a.txt", "w") as out:
        out.write("".join(f"{n:03}\n" for n in range(7)))
    seen = []
    kinds = {0: Kind.A, 1: Kind.B}
    rows = Items(range(6), Pick(kinds))
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(2):
        out.append([batch.tolist() for batch in loader])

    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
