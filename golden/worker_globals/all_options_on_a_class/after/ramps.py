import torch
from settings import Config
from torch.utils.data import Dataset


class Ramps(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((Config.size,), float(index + Config.offset))
