"""What the body of a local class calls runs when the function does: not on import, once the class has moved."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import enum
import re

import torch
from torch.utils.data import DataLoader


def make(rows):
    {decorator}
    class Collate:
        value = {value}

        def __call__(self, batch):
            return batch, {read}

    return DataLoader(rows, collate_fn=Collate(), num_workers=2)
"""


def fixed(folder: Path, value: str, read: str = "self.value", decorator: str = "") -> str:
    (folder / "main.py").write_text(PROGRAM.format(value=value, read=read, decorator=decorator))
    return dlfix.fix_text((folder / "main.py").read_text(), isolated=True).text


@pytest.mark.parametrize("value", ["torch.rand(2)", "torch.tensor([0.1])", "[open('a').read()]"])
def test_a_value_of_its_time_is_made_where_it_was(tmp_path: Path, value: str) -> None:
    after = fixed(tmp_path, value)
    assert f"def make(rows):\n    value = {value}\n" in after
    assert "collate_fn=Collate(value)" in after


@pytest.mark.parametrize(
    "value", ["list(range(3))", "re.compile('a b')", "'a b'.split()", "enum.Enum('E', 'a b')"]
)
def test_a_value_that_is_the_same_at_any_time_moves(tmp_path: Path, value: str) -> None:
    after = fixed(tmp_path, value)
    assert f"\nclass Collate:\n    value = {value}\n" in after
    assert "collate_fn=Collate()" in after


@pytest.mark.parametrize("parts", [{"read": "type(self).value"}, {"decorator": "@torch.no_grad()"}])
def test_a_value_of_its_time_that_the_class_needs_refuses_the_move(tmp_path: Path, parts) -> None:
    fixed(tmp_path, "torch.rand(2)", **parts)
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.refused
