import h5py
from torch.utils.data import Dataset


def open_phase(config):
    return h5py.File(f"{config.root}/{config.phase}.h5", "r")


class Scans(Dataset):
    def __init__(self, config):
        self.config = config
        self.file = open_phase(config)
        self.count = len(self.file["x"])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return int(self.file["x"][index])
