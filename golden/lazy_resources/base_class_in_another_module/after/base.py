import functools

import h5py
from torch.utils.data import Dataset


class FileBacked(Dataset):
    """Whatever lives in one HDF5 file."""

    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state
