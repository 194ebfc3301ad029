import torch
from torch.utils.data import Dataset


class Plain(Dataset):
    def __getitem__(self, index):
        return torch.tensor(self.rows[index] - self.mean)


class Scaled(Dataset):
    def __getitem__(self, index):
        return torch.tensor(2 * (self.rows[index] - self.mean))
