import argparse
import functools
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths, most=3):
        self.paths = {}
        self.places = []
        for number, path in enumerate(paths):
            con = sqlite3.connect(path)
            count = int(con.execute("select count(*) from t").fetchone()[0])
            self.paths[number] = path
            for i in range(count):
                if i == 2:
                    break
                self.places.append((number, i))
            con.close()
            if len(self.paths) == most or count > 5:
                break

    @functools.cached_property
    def connections(self):
        return {key: sqlite3.connect(path) for key, path in self.paths.items()}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("connections", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        number, i = self.places[index]
        rows = self.connections[number].execute("select v from t order by v").fetchall()
        return rows[i][0]


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
