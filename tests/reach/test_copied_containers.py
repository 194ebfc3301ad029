"""Copies of objects of classes that derive from `dict`, and what is put into the copies."""

from __future__ import annotations

import pytest

from tests.reach.marked import check, program

HEAD = """\
--- config.py
import copy
class Config(dict):
    def __getattr__(self, name): return self[name]
    def override(self, **changes):
        new = copy.copy(self)
        new.update(changes)
        return new
    def with_item(self, key, value):
        new = copy.deepcopy(self)
        new[key] = value
        return new
base = Config(scale=2, transform=None)
--- main.py
from torch.utils.data import DataLoader, Dataset
from config import base
class Rows(Dataset):
    def __init__(self, config): self.config = config
    def __getitem__(self, i): return self.config.transform(i)
"""


@pytest.mark.parametrize(
    "text",
    [
        program(
            "what `update` puts into the copy",
            HEAD + "config = base.override(transform=lambda x: x)  # !DLF101\n"
            "DataLoader(Rows(config), num_workers=2)\n",
        ),
        program(
            "an item that is set in the copy",
            HEAD + "config = base.with_item('transform', lambda x: x)  # !DLF101\n"
            "DataLoader(Rows(config), num_workers=2)\n",
        ),
        program(
            "the original has what is put into no copy",
            HEAD + "config = base.override(transform=lambda x: x)\n"
            "DataLoader(Rows(base), num_workers=2)\n",
        ),
    ],
)
def test_a_copy_has_what_is_put_into_it(tmp_path, text):
    check(tmp_path, text)
