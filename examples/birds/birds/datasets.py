"""What the network learns from."""

import sqlite3

import torch
from torch.utils.data import Dataset

from birds.archive import SPECIES


class Calls(Dataset):
    """Calls of the archive, in the order they were recorded."""

    def __init__(self, path):
        # one connection for the life of the dataset: opening is slow on the lab's NFS
        self.connection = sqlite3.connect(path)
        self.cursor = self.connection.cursor()

    def __len__(self):
        return self.cursor.execute("SELECT COUNT(*) FROM calls").fetchone()[0]

    def __getitem__(self, index):
        self.cursor.execute("SELECT species, samples FROM calls WHERE id = ?", (index,))
        species, text = self.cursor.fetchone()
        samples = torch.tensor([float(word) for word in text.split()])
        return samples, SPECIES.index(species)


class Silence(Dataset):
    """Stretches without a bird, so that the network learns what is none."""

    def __init__(self, count, length):
        self.count = count
        self.length = length

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return 0.1 * torch.randn(self.length, generator=generator), len(SPECIES)
