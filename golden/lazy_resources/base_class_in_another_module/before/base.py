import h5py
from torch.utils.data import Dataset


class FileBacked(Dataset):
    """Whatever lives in one HDF5 file."""

    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")
