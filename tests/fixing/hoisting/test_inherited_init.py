"""A local class without an `__init__` gets one that takes what its methods read, and passes on the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision.datasets import ImageFolder

class Numbers(Dataset):
    def __init__(self, numbers, *, by=1):
        self.numbers = numbers
        {constructor}
    def __len__(self):
        return len(self.numbers)

def load(scale, tensors, by):
    class Scaled({base}):
        {method}
    return DataLoader(Scaled({given}), num_workers=2)
"""
ITEM = "def __getitem__(self, index): return self.numbers[index] * scale"


def fix_of(tmp_path: Path, **parts: str) -> str:
    """Return the new `__init__` and the call, or why there is no fix."""
    usual = {"constructor": "pass", "base": "Numbers", "method": ITEM, "given": "[1, 2]"}
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**{**usual, **parts}))
    [finding] = dlfix.check([path], isolated=True)
    if finding.fix is None:
        return str(finding.refused)
    text = dlfix.fix_text(path.read_text(), path, isolated=True).text
    start = text.index("    def __init__", text.index("class Scaled"))
    body = text[start : text.index("\n\n", start)]
    return f"{body} # {text[text.index('Scaled(', text.index('return DataLoader')) :]}"


@pytest.mark.parametrize(
    ("given", "parameters", "passed_on"),
    [
        ("[1, 2]", "self, numbers, *, scale", "numbers"),
        ("numbers=[1, 2]", "self, *, scale, **kwargs", "**kwargs"),
        ("[1, 2], by=by", "self, *args, scale, **kwargs", "*args, **kwargs"),
        ("*[[1, 2]]", "self, *args, scale", "*args"),
    ],
)
def test_what_calls_pass_is_passed_on(tmp_path, given, parameters, passed_on):
    fixed = fix_of(tmp_path, given=given)
    assert f"def __init__({parameters}):" in fixed
    assert f"super().__init__({passed_on})" in fixed
    assert f"Scaled({given}, scale=scale)" in fixed


def test_an_attribute_of_a_base_out_of_sight_is_not_replaced(tmp_path):
    item = "def __getitem__(self, index): return super().__getitem__(index)[0] * tensors"
    fixed = fix_of(tmp_path, base="TensorDataset", method=item, given="torch.arange(2)")
    assert "self._tensors = tensors" in fixed


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"constructor": "self.first = self[0]"}, "may call `Scaled.__getitem__`"),
        (
            {"constructor": "self.prepare()", "method": "def prepare(self): self.n = scale"},
            "may call `Scaled.prepare`",
        ),
        (
            {
                "base": "ImageFolder",
                "method": "def find_classes(self, folder): return scale",
                "given": "'images'",
            },
            "may call `Scaled.find_classes`",
        ),
        ({"base": "tuple"}, "unknown parameters"),
        ({"given": "**{'numbers': [1, 2]}"}, "no `__init__` that could take `scale`"),
        ({"given": "[1], by=by", "method": ITEM.replace("scale", "by")}, "could take `by`"),
    ],
)
def test_no_fix(tmp_path, parts, reason):
    assert reason in fix_of(tmp_path, **parts)


PROGRAM_OF_PROCESSES = """
import multiprocessing

def start({name}):
    class Worker(multiprocessing.Process):
        def {method}(self):
            print({name})
    Worker().start()
"""


def process_of(tmp_path: Path, name: str, method: str = "run") -> str:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM_OF_PROCESSES.format(name=name, method=method))
    [finding] = dlfix.check([path], isolated=True)
    if finding.fix is None:
        return str(finding.refused)
    return dlfix.fix_text(path.read_text(), path, isolated=True).text


@pytest.mark.parametrize("name", ["rows", "config", "args"])
def test_a_process_keeps_what_it_reads(tmp_path, name):
    text = process_of(tmp_path, name)
    assert f"super().__init__()\n        self.{name} = {name}" in text
    assert f"print(self.{name})" in text


def test_an_attribute_of_processes_is_not_replaced(tmp_path):
    assert "self._exitcode = exitcode" in process_of(tmp_path, "exitcode")
    assert "already uses the attribute names" in process_of(tmp_path, "name")
