import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = open(path)
        self.file.readline()

    def __len__(self): return 6
    def __getitem__(self, i):
        self.file.seek(i * 4)
        return int(self.file.readline())

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
    fill("data/a.db", [n * n + 1 for n in range(6)])
    fill("data/b.db", [n + 40 for n in range(6)])
    with open("data/a.txt", "w") as out:
        out.write("".join(f"{n:03}\n" for n in range(7)))
    seen = []
    rows = Rows("data/a.txt")
    seen.append(rows.file.tell())
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(2):
        out.append([batch.tolist() for batch in loader])

    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
