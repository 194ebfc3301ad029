import torch
from torch.utils.data import Dataset


def windows(values, size, step=1, normalize=True):
    """A dataset of the windows of a series."""
    low, high = float(values.min()), float(values.max())

    def scale(x):
        return (x - low) / (high - low)

    class Windows(Dataset):
        # (window, next value)
        def __init__(self, values):
            self.values = values

        def __len__(self):
            return (len(self.values) - size - 1) // step + 1

        def __getitem__(self, i):
            start = i * step
            x = self.values[start:start + size]
            y = self.values[start + size]
            return (scale(x), scale(y)) if normalize else (x, y)

    return Windows(torch.as_tensor(values))
