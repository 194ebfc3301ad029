from config import cfg
from torch.utils.data import Dataset


class Rows(Dataset):
    """The rows of a table."""

    def __init__(self, values):
        super().__init__()
        self.values = list(values)

    def __len__(self):
        return len(self.values) if cfg["labels"] else 0

    def __getitem__(self, index):
        value = self.values[index] * cfg["scale"]
        return value + cfg["labels"][f"row of {cfg['scale']}"]
