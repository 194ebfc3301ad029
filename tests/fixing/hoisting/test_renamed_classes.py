"""A local class may get another name where nobody can tell: who asks for the names of classes is read."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader, Dataset

class Rows:
    {method}

class Other(Dataset):
    {other}

{outside}

def load(n):
    class Rows(Dataset):
        {own}
        def __len__(self):
            return 4
        def __getitem__(self, i):
            return i
    return DataLoader(Rows(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("parts", "is_refused"),
    [
        ({}, False),
        ({"outside": "def show(x): print(type(x).__name__)"}, True),
        ({"outside": "def show(x): print(x.__class__.__name__)"}, True),
        ({"own": "def show(self): print(self.__class__.__name__)"}, True),
        ({"other": "def show(self): print(self.__class__.__name__)"}, False),
        (
            {"other": "def show(self):\n        return lambda: type(self).__qualname__"},
            False,
        ),
        ({"other": "def show(self, other): print(other.__class__.__name__)"}, True),
        ({"outside": "def fail(x): raise TypeError(type(x).__name__)"}, False),
        ({"outside": "def fail(x): raise TypeError('Not this', x.__class__.__name__)"}, False),
        ({"outside": "def fail(x): print(type(x).__name__); raise TypeError(x)"}, True),
        ({"outside": "def is_conv(x): return type(x).__name__ == 'Conv'"}, False),
        ({"outside": "def is_conv(x): return 'Conv' in type(x).__name__"}, False),
        ({"outside": "def is_conv(x): return type(x).__name__.find('Conv') != -1"}, False),
        ({"outside": "def is_conv(x): return type(x).__name__ in ('Conv', 'Rows')"}, True),
        ({"outside": "def is_row(x): return 'Row' in type(x).__name__"}, True),
        ({"outside": "def is_any(x, names): return type(x).__name__ in names"}, True),
    ],
)
def test_who_asks_for_the_name_of_a_class_that_gets_another(
    tmp_path: Path, parts: dict[str, str], is_refused: bool
) -> None:
    empty = {"method": "pass", "other": "pass", "outside": "", "own": "pass"}
    (tmp_path / "main.py").write_text(PROGRAM.format(**{**empty, **parts}), encoding="utf-8")
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF103"
    assert ("its name is read" in (finding.refused or "")) is is_refused
    assert (finding.fix is None) is is_refused
