import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class BaseDataset(Dataset):
    def name(self):
        return "BaseDataset"

    def initialize(self, opt):
        pass


class Rows(BaseDataset):
    def __init__(self, name="rows"):
        self._db_by_pid = {}
        self._db_path = None
        self.label = name
        self.db = None
        self.size = 0

    def initialize(self, opt):
        self.opt = opt
        self.root = opt.dataroot
        self._db_path = os.path.join(opt.dataroot, opt.phase + ".db")
        self._open_db()
        self.size = self.db.execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def _open_db(self):
        self.db = sqlite3.connect(self._db_path)
        self.db.row_factory = sqlite3.Row

    @property
    def db(self):
        if os.getpid() not in self._db_by_pid:
            self._open_db()
        return self._db_by_pid[os.getpid()]

    @db.setter
    def db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return min(self.size, self.opt.max_size)

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE id = ?", (index,)).fetchone()["v"]


def create_dataset(opt):
    dataset = Rows()
    dataset.initialize(opt)
    return dataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--phase", default="train")
    parser.add_argument("--max_size", type=int, default=100)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        opt.dataroot = folder
        db = sqlite3.connect(os.path.join(folder, "train.db"))
        db.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(9)])
        db.commit()
        db.close()
        dataset = create_dataset(opt)
        loader = DataLoader(
            dataset,
            batch_size=2,
            num_workers=opt.workers,
            multiprocessing_context=opt.start_method if opt.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
