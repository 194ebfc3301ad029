from config import cfg
from torch.utils.data import Dataset


class Rows(Dataset):
    """The rows of a table."""

    def __init__(self, values):
        super().__init__()
        self._cfg = cfg
        self.values = list(values)

    def __len__(self):
        return len(self.values) if self._cfg["labels"] else 0

    def __getitem__(self, index):
        value = self.values[index] * self._cfg["scale"]
        return value + self._cfg["labels"][f"row of {self._cfg['scale']}"]
