"""A handle under a local name, from which an attribute hangs, stays local where its method still opens it."""

import dlfix

ROWS = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.items = None
        self.kinds = None

    def _open(self):
        source = h5py.File(self.path, "r")
        self.items = source["items"]
        self.kinds = source["kinds"][:]

    def __len__(self):
        if self.items is None:
            self._open()
        return len(self.items)

    def __getitem__(self, index):
        if self.items is None:
            self._open()
        return self.items[str(index)][()]

def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""


def test_the_state_leaves_out_no_attribute_that_is_never_set():
    fixed = dlfix.fix_text(ROWS, isolated=True)
    assert "_items_by_pid" in fixed.text
    assert "_source" not in fixed.text
