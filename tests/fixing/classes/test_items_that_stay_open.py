"""A container that a property holds open stays open when an item is put into it, and when `__del__` goes through it."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root):
        names = {{"idx": root + "/idx", "z": root + "/z"}}
        self.maps = {{}}
        self.maps["idx"] = np.memmap(names["idx"], mode="r", dtype=np.int64)
        self.maps["z"] = np.memmap(names["z"], mode="r", dtype=np.int8)
        assert self.maps["idx"][0] == 0

    def __del__(self):
        for name in list(self.maps.keys()):
            {line}
            del self.maps[name]

    def __len__(self):
        return len(self.maps["z"])

    def __getitem__(self, index):
        return self.maps["z"][index]


loader = DataLoader(Rows("data"), num_workers=2)
"""


@pytest.mark.parametrize(
    ("line", "is_fixed"),
    [("self.maps[name].flush()", True), ("pass", True), ("print('closed', name)", False)],
)
def test_maps_that_del_goes_through(tmp_path: Path, line: str, is_fixed: bool) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(line=line), encoding="utf-8")
    findings = [each for each in dlfix.check([tmp_path], isolated=True) if each.code == "DLF601"]
    assert findings
    assert all((each.fix is not None) is is_fixed for each in findings)
