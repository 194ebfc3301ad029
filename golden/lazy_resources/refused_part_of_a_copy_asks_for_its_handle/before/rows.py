import sqlite3

from torch.utils.data import Dataset


class Part:
    def __init__(self, owner):
        self.owner = owner

    def handle(self):
        return self.owner.db


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)
        self.part = Part(self)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM rows WHERE id = ?"
        value = self.db.execute(query, (index,)).fetchone()[0]
        return value + (100 if self.part.handle() is self.db else 0)
