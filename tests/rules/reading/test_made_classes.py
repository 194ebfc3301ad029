"""Classes that calls make, and whether pickle finds them: `type(name, bases, namespace)`, `namedtuple`."""

from pathlib import Path

import pytest

import dlfix

HEAD = """
import sys
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __getitem__(self, i):
        return i

"""


def found(tmp_path: Path, body: str) -> list[str]:
    (tmp_path / "main.py").write_text(HEAD + body)
    return [one.code for one in dlfix.check([tmp_path], isolated=True)]


@pytest.mark.parametrize(
    "body",
    [
        "def make(cls):\n    return type(cls.__name__, (cls,), {'n': 1})\n"
        "def main():\n    DataLoader(make(Rows)(), num_workers=2)\n",
        "def main():\n    DataLoader(type('Other', (Rows,), {})(), num_workers=2)\n",
        "Renamed = type('Other', (Rows,), {})\n"
        "def main():\n    DataLoader(Renamed(), num_workers=2)\n",
    ],
)
def test_an_object_of_a_class_that_pickle_cannot_find_is_reported(tmp_path, body):
    assert found(tmp_path, body) == ["DLF103"]


@pytest.mark.parametrize(
    "body",
    [
        "Other = type('Other', (Rows,), {})\ndef main():\n    DataLoader(Other(), num_workers=2)\n",
        "def make(cls):\n    return type(cls.__name__, (cls,), {'n': 1})\nRows = make(Rows)\n"
        "def main():\n    DataLoader(Rows(), num_workers=2)\n",
        "def make(name):\n    globals()[name] = made = type(name, (Rows,), {})\n    return made\n"
        "def main():\n    DataLoader(make('Other')(), num_workers=2)\n",
        "def make(name):\n    made = type(name, (Rows,), {})\n"
        "    setattr(sys.modules[__name__], name, made)\n    return made\n"
        "def main():\n    DataLoader(make('Other')(), num_workers=2)\n",
        "def main():\n    rows = Rows()\n    DataLoader(type(rows)(), num_workers=2)\n",
    ],
)
def test_a_class_that_is_known_by_its_name_is_not(tmp_path, body):
    assert found(tmp_path, body) == []
