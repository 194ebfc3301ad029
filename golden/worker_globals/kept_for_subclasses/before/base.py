import settings
from torch.utils.data import Dataset


class Rows(Dataset):
    """Rows cut to the settings of the run."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def offset(self):
        return settings.SETTINGS["offset"]

    def __getitem__(self, index):
        return index + self.offset()
