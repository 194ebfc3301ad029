"""What a decorator without arguments enters in a table when a module is imported is there in workers (DLF303)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

TABLE = """\
--- ops.py
OPS = {}
def register(f):
    OPS[f.__name__] = f
    return f
@register
def double(x): return 2 * x
--- extra.py
from ops import register
@register
def half(x): return x / 2
--- main.py
import sys
from torch.utils.data import DataLoader, Dataset
from ops import OPS, double, register
class Rows(Dataset):
    def __init__(self, name): self.name = name
    def __getitem__(self, i): return OPS[KEY](i)
def triple(x): return 3 * x
"""


@pytest.mark.parametrize(
    ("key", "setup"),
    [
        ("self.name", "register(triple)  # !DLF303"),
        ("'triple'", "register(triple)  # !DLF303"),
        ("self.name", "import extra  # !DLF303"),
        ("'double'", "register(triple)"),
        ("self.name", "register(double)"),
        ("'double'", "import extra"),
        ("self.name", "pass"),
    ],
)
def test_what_a_bare_decorator_adds(key: str, setup: str, tmp_path: Path) -> None:
    main = f"def main():\n    {setup}\n    DataLoader(Rows(sys.argv[1]), num_workers=2)\n"
    text = TABLE.replace("KEY", key) + main + "if __name__ == '__main__': main()\n"
    check(tmp_path, text)
