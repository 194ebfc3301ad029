import lmdb

from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.env = lmdb.open(self.path, readonly=True, lock=False)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("env", None)  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.env = lmdb.open(self.path, readonly=True, lock=False)

    def __len__(self):
        return self.env.stat()["entries"]

    def __getitem__(self, index):
        return int(self.env.begin().get(str(index).encode()))
