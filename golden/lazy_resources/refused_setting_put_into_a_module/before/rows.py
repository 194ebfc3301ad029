import os
import sqlite3

import settings
from torch.utils.data import Dataset


def connect(name):
    return sqlite3.connect(os.path.join(settings.ROOT, name))


class Rows(Dataset):
    def __init__(self, name):
        self.name = name
        self.db = connect(name)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]
