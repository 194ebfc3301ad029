import h5py

from torch.utils.data import Dataset

import stats


class Rows(Dataset):
    def __init__(self, file, path):
        self.path = path
        self.scale = 2
        self.file = file
        self.total = stats.total(self.file)

    @classmethod
    def from_path(cls, path):
        return cls(h5py.File(path, "r"), path)

    def close(self):
        self.file.close()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = int(self.file["values"][index])
        return value * self.scale


class Doubled(Rows):
    def __getitem__(self, index):
        return super().__getitem__(index) + 1

    def close(self):
        super().close()
        self.closed_once = True
