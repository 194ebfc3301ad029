"""Classes of frames.py that require torch."""

import math

import torch
from torch.utils.data import Dataset


class TorchFrames(torch.utils.data.IterableDataset):  # type: ignore
    def __init__(self, frames, first, scale):
        super().__init__()
        self.frames = frames
        self.first = first
        self.scale = scale

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        step = 1 if worker is None else worker.num_workers
        start = self.first if worker is None else self.first + worker.id
        for index in range(start, 8, step):
            yield torch.tensor(self._read(index))

    def _read(self, index, options={}):
        return math.floor(self.frames.rows[index] * self.scale) + options.get("shift", 0)


class Pairs(Dataset):
    def __init__(self, rows, size):
        self.rows = rows
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.rows[index], self.rows[-1 - index]
