import lmdb

from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.env = lmdb.open(self.path, readonly=True, lock=False)

    def __len__(self):
        return self.env.stat()["entries"]

    def __getitem__(self, index):
        return int(self.env.begin().get(str(index).encode()))
