import sqlite3

from torch.utils.data import Dataset

import settings


class Rows(Dataset):
    def __init__(self):
        self.scale = 2
        self.db = sqlite3.connect(settings.store)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = self.db.execute("SELECT value FROM rows WHERE id = ?", (index,)).fetchone()[0]
        return value * self.scale
