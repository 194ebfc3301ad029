"""What a function imports may be imported at module level where that costs nothing, and nothing says why it stands there."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader
{above}

def rows():
    {imported}

    class Rows(Dataset):
        def __len__(self):
            return 4
        def __getitem__(self, i):
            return i
    return Rows()

def main():
    return DataLoader(rows(), num_workers=2)
"""
IMPORT = "from torch.utils.data import Dataset"


@pytest.mark.parametrize(
    ("imported", "moves"),
    [
        (IMPORT, True),
        (f"{IMPORT}  # pylint: disable=import-outside-toplevel", True),
        (f"{IMPORT}  # pylint: disable=C0415", True),
        (f"{IMPORT}  # noqa: PLC0415", True),
        (f"{IMPORT}  # type: ignore", False),
        (f"{IMPORT}  # pylint: disable=no-name-in-module", False),
        (f"{IMPORT}  # patched first", False),
        (f"# patched first\n    {IMPORT}  # noqa: PLC0415", False),
        ("from torchvision.datasets import VisionDataset as Dataset", False),
    ],
)
def test_an_import_goes_to_module_level_with_the_class(
    tmp_path: Path, imported: str, moves: bool
) -> None:
    text = PROGRAM.format(above="", imported=imported)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.code == "DLF103"
    assert (finding.fix is not None) is moves


def test_a_name_that_the_module_has_from_elsewhere_is_another(tmp_path: Path) -> None:
    text = PROGRAM.format(above="from torch.utils.data import Subset as Dataset", imported=IMPORT)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert finding.fix is None
