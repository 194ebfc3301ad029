"""Classes of main.py that require torch."""

from torch.utils import data


class Squares(data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * index
