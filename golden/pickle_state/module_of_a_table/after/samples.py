import json
import pathlib
import pickle

import torch
from torch.utils.data import Dataset

CODECS = {".json": json, ".pkl": pickle}


class Samples(Dataset):
    """All files of one kind in a folder."""

    def __init__(self, root, suffix=".json"):
        self.paths = sorted(pathlib.Path(root).glob("*" + suffix))
        self.suffix = suffix
        self.codec = CODECS[suffix]
        self.binary = self.codec is pickle

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("codec", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.codec = CODECS[self.suffix]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        data = self.paths[i].read_bytes() if self.binary else self.paths[i].read_text()
        return torch.tensor(self.codec.loads(data))
