import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths, most=5):
        self.connections = {}
        self.places = {}
        for path in paths:
            con = sqlite3.connect(path)
            (count,) = con.execute("select count(*) from t").fetchone()
            for i in range(count):
                if len(self) >= most:
                    break
                self.places[len(self)] = i
                self.connections[len(self)] = con

    def __len__(self):
        return len(self.connections)

    def __getitem__(self, index):
        rows = self.connections[index].execute("select v from t order by v").fetchall()
        return rows[self.places[index]][0]


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
