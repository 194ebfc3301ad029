import h5py
from torch.utils.data import Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return float(self.file["x"][index])
