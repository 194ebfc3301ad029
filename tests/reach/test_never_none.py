"""What is surely not None: a default that is taken in its place is not sent."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.reach.paths import analysis_of, paths

SOURCE = """
import functools
import json
import operator
import os
import sys
import torch
import torch.nn.functional as F
from torch import nn
from torchvision import transforms
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, f=None):
        self.f = {chosen}

def scaled(x, k=1):
    return x * k

def made(k):
    if k:
        return functools.partial(scaled, k=k)
    return Scale(k)

def perhaps(k):
    if k:
        return scaled

class Scale:
    def __init__(self, k):
        self.k = k
    def apply(self, x):
        return x
    @staticmethod
    def plain(x):
        return x
    @classmethod
    def of(cls):
        return cls(1)

if __name__ == "__main__":
{given}
    DataLoader(Rows(f), num_workers=2)
"""
CHOSEN = ("f if f is not None else lambda x: x", "(lambda x: x) if f is None else f")
OBJECTS = [
    "f = functools.partial(scaled, k=2)",
    "f = made(2)",
    "f = Scale(1).apply",
    "f = Scale.plain",
    "f = Scale.of()",
    "f = transforms.Compose([scaled])",
    "f = transforms.functional.hflip",
    "f = operator.itemgetter(0)",
    "f = F.relu",
    "f = nn.ReLU",
    "f = json.loads",
    "f = torch.zeros(3)",
    "f = f'{sys.argv[0]}.txt'",
    "f = 'x' + sys.argv[0]",
    "f = ', '.join(sys.argv)",
    "f = os.path.join('data', sys.argv[1])",
    "f = int(sys.argv[1])",
    "f = [int(each) for each in sys.argv]",
    "f = perhaps(len(sys.argv)) or scaled",
    "f = functools.partial(scaled, k=2) if len(sys.argv) > 1 else Scale(1)",
    "if len(sys.argv) > 1:\n    f = transforms.Compose([scaled])\nelse:\n    f = Scale(1).apply",
    "f = json.loads(sys.argv[1])\nif f is None:\n    raise ValueError",
    "f = json.loads(sys.argv[1])\nassert f not in (None, 'none')",
    "f = transforms.ToTensor()\nif len(sys.argv) > 1:\n    f = functools.partial(scaled, k=2)",
]
PERHAPS = [
    "f = None",
    "f = perhaps(len(sys.argv))",
    "f = json.loads(sys.argv[1])",
    "f = json.loads(sys.argv[1])\nif f is None:\n    print('none')",
    "f = json.loads(sys.argv[1])\nassert f not in ('None', 'none')",
    "f = os.environ.get('x')",
    "f = torch.version.cuda",
    "f = sys.argv and None",
    "f = functools.partial(scaled, k=2) if len(sys.argv) > 1 else None",
    "f = None\nif len(sys.argv) > 1:\n    f = functools.partial(scaled, k=2)",
    "for f in (None, scaled):\n    pass",
]


def _sent(folder: Path, chosen: str, given: str) -> bool:
    source = SOURCE.format(chosen=chosen, given=indent(given, "    "))
    return any("lambda" in each for each in paths(analysis_of(folder, source, "")))


@pytest.mark.parametrize("given", OBJECTS)
@pytest.mark.parametrize("chosen", CHOSEN)
def test_a_default_for_none_is_not_sent_where_an_object_is_passed(
    tmp_path: Path, chosen: str, given: str
) -> None:
    assert not _sent(tmp_path, chosen, given)


@pytest.mark.parametrize("given", PERHAPS)
@pytest.mark.parametrize("chosen", CHOSEN)
def test_a_default_for_none_is_sent_where_none_may_be_passed(
    tmp_path: Path, chosen: str, given: str
) -> None:
    assert _sent(tmp_path, chosen, given)
