import settings
from torch.utils.data import Dataset


class Rows(Dataset):
    """Rows cut to the settings of the run."""

    def __init__(self, count):
        self._settings = settings.SETTINGS
        self.count = count

    def __len__(self):
        return self.count

    def offset(self):
        return self._settings["offset"]

    def __getitem__(self, index):
        return index + self.offset()
