import os

from torch.utils.data import Dataset


class Parts:
    def __init__(self, path):
        self.stream = open(path, "rb")


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.scale = 2
        self.parts = Parts(self.path)
        self.number = self.parts.stream.fileno()
        self.summary = self._summary()

    def _summary(self):
        value = int.from_bytes(os.pread(self.number, 4, 4 + 4 * (1)), "little")
        return value + 1

    def close(self):
        self.parts.stream.close()

    def __del__(self):
        if hasattr(self, "stream"):
            self.close()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = int.from_bytes(os.pread(self.number, 4, 4 + 4 * (index)), "little")
        return value * self.scale
