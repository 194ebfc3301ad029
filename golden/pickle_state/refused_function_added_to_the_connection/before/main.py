import argparse
import copy
import logging
import os
import sqlite3
import tempfile
import zipfile
from pathlib import Path

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def loader(ds, args, **kw):
    return DataLoader(ds, batch_size=4, num_workers=args.workers,
                      multiprocessing_context=args.start_method if args.workers else None, **kw)


def clip(v):
    return min(v, 20)


def prepare(connection):
    connection.create_function("clip", 1, clip)
    connection.execute("create temp table keep as select id from items where id % 2 = 0")
    return connection


class Items(Dataset):
    def __init__(self, db):
        self.db = db
        self.conn = None
        self.n = 0

    def setup(self):
        self.conn = sqlite3.connect(self.db)
        return self

    def count(self):
        (self.n,) = self.conn.execute("select count(*) from keep").fetchone()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        q = "select i.id, clip(i.v) from items i join keep k on k.id = i.id order by i.id limit 1 offset ?"
        return torch.tensor(self.conn.execute(q, (i,)).fetchone())


def main(args):
    with tempfile.TemporaryDirectory() as tmp:
        p = os.path.join(tmp, "i.db")
        c = sqlite3.connect(p)
        c.execute("create table items (id int, v int)")
        c.executemany("insert into items values (?, ?)", [(i, i * i % 37) for i in range(30)])
        c.commit()
        c.close()
        ds = Items(p).setup()
        prepare(ds.conn)
        ds.count()
        print("RESULT", len(ds), [int(b[:, 1].sum()) for b in loader(ds, args)])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    main(ap.parse_args())
