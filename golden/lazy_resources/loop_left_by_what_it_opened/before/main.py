import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths):
        self.connections = {}
        self.paths = []
        for path in paths:
            con = sqlite3.connect(path)
            self.connections[path] = con
            self.paths.append(path)
            if con.execute("select count(*) from t").fetchone()[0] > 2:
                break

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.connections[self.paths[index]].execute("select max(v) from t").fetchone()[0]


def build(root):
    paths = []
    for number in range(4):
        path = os.path.join(root, f"{number}.db")
        con = sqlite3.connect(path)
        con.execute("create table t (v integer)")
        con.executemany("insert into t values (?)", [(10 * number + i,) for i in range(number + 1)])
        con.commit()
        con.close()
        paths.append(path)
    return paths


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as root:
        data = Rows(build(root))
        loader = DataLoader(data, batch_size=3, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        print("RESULT", len(data), [b.tolist() for b in loader])
