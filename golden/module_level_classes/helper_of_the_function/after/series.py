import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    # (window, next value)
    def __init__(self, values, *, size, step, normalize, low, high):
        self.size = size
        self.step = step
        self.normalize = normalize
        self.low = low
        self.high = high
        self.values = values

    def __len__(self):
        return (len(self.values) - self.size - 1) // self.step + 1

    def __getitem__(self, i):
        start = i * self.step
        x = self.values[start:start + self.size]
        y = self.values[start + self.size]
        return (self._scale(x), self._scale(y)) if self.normalize else (x, y)

    def _scale(self, x):
        return (x - self.low) / (self.high - self.low)


def windows(values, size, step=1, normalize=True):
    """A dataset of the windows of a series."""
    low, high = float(values.min()), float(values.max())

    return Windows(torch.as_tensor(values), size=size, step=step, normalize=normalize, low=low, high=high)
