import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset

import h5py
import io
import mmap
import zipfile
import numpy as np

class Rows(Dataset):
    def __init__(self, path="data/a"):
        self.path = path
        self.f = h5py.File(path + ".h5", "r")
        self.get = self.f["y"].__getitem__

    def __len__(self):
        return 6
    def __getitem__(self, i):
        return int(self.get(i))

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
    import numpy as np
    import h5py, zipfile, io, mmap
    with h5py.File("data/a.h5", "w") as out:
        out["x/values"] = np.arange(6) * 2
        out["x"].attrs["scale"] = 3
        out["y"] = np.arange(6) + 50
    with zipfile.ZipFile("data/a.zip", "w") as out:
        for n in range(6):
            out.writestr(zipfile.ZipInfo(f"{n}.txt"), str(n * n))
    np.save("data/a.npy", np.arange(6) * 5)
    with zipfile.ZipFile("data/a.npz", "w") as out:
        for n in range(6):
            b = io.BytesIO(); np.save(b, np.array(n * 7)); out.writestr(zipfile.ZipInfo(f"a{n}.npy"), b.getvalue())
    with open("data/a.bin", "wb") as out:
        out.write(bytes(range(60)))
    rows = Rows()
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(2):
        out.append([batch.tolist() for batch in loader])

    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
