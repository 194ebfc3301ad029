"""Tensors with a gradient that code computes, which cannot be sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

HEAD = """\
import torch
from torch.utils.data import Dataset
class Rows(Dataset):
    def __init__(self, rows=None):
        net = torch.nn.Linear(3, 3)
        w = torch.ones(3, requires_grad=True)
        p = torch.nn.Parameter(torch.ones(3))
        x = torch.ones(3)
{}
    def __getitem__(self, index):
        return index
"""


@pytest.mark.parametrize(
    "value", ["w * 2", "2 * w", "(w + x).mean()", "p / 3", "w[0]", "-1 + w.exp()"]
)
def test_what_is_computed_with_a_tensor_that_requires_a_gradient(
    tmp_path: Path, value: str
) -> None:
    check(tmp_path, HEAD.format(f"        self.w = {value}  # !DLF206"))


@pytest.mark.parametrize(
    "value",
    ["w", "w.to('cpu')", "(w * 2).detach()", "x * 2", "x @ x", "w.data * 2", "w.shape[0] * 2", "p"],
)
def test_what_is_a_leaf_or_has_no_gradient(tmp_path: Path, value: str) -> None:
    check(tmp_path, HEAD.format(f"        self.w = {value}"))


@pytest.mark.parametrize(
    "text",
    [
        program(
            "the weights of a layer, scaled",
            "import torch\nfrom torch.utils.data import Dataset\nclass Rows(Dataset):\n"
            "    def __init__(self):\n        net = torch.nn.Linear(3, 3)\n"
            "        self.w = net.weight / net.weight.norm()  # !DLF206\n"
            "    def __getitem__(self, index):\n        return index\n",
        ),
        program(
            "the weights of a layer themselves",
            "import torch\nfrom torch.utils.data import Dataset\nclass Rows(Dataset):\n"
            "    def __init__(self):\n        net = torch.nn.Linear(3, 3)\n"
            "        self.w = net.weight\n"
            "    def __getitem__(self, index):\n        return index\n",
        ),
        program(
            "a tensor that is computed where no gradient is kept",
            HEAD.format("        with torch.no_grad():\n            self.w = w * 2"),
        ),
    ],
)
def test_weights(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
