import io
import os
import zipfile

import numpy as np
import torch
from torch.utils.data import Dataset


class ArchiveDataset(Dataset):
    """Arrays in a zip. It is opened under its temporary name and published when it has been verified."""

    def __init__(self, path):
        self.path = path
        self.zip = zipfile.ZipFile(path)
        self.names = sorted(self.zip.namelist())

    def verify(self):
        bad = self.zip.testzip()
        if bad is not None:
            raise OSError(f"{bad} is damaged")
        return self

    def publish(self, final):
        os.remove(self.path)
        return self

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        with self.zip.open(self.names[i]) as member:
            return torch.from_numpy(np.load(io.BytesIO(member.read())))
