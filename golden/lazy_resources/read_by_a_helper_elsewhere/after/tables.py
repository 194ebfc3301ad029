import os
import sqlite3

import torch
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path = path
        self._connection_by_pid = {}

    @property
    def connection(self):
        pid = os.getpid()
        if pid not in self._connection_by_pid:
            self._connection_by_pid[pid] = sqlite3.connect(self.path)
        return self._connection_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_connection_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        row = self.connection.execute("SELECT x FROM t WHERE rowid = ?", (i + 1,)).fetchone()
        return torch.tensor(row[0])
