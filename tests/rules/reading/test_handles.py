"""What the catalogue says of a value, by what it is derived from."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from pathlib import Path
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self, root):
        self.stream = {opened}

    def __getitem__(self, i):
        return self.stream.readline()

def load(folder, n):
    return DataLoader(Lines(Path(folder)), num_workers=2)
"""


def codes(tmp_path: Path, opened: str) -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(opened=opened))
    return [one.code for one in dlfix.check([path], select=["DLF201"], isolated=True)]


@pytest.mark.parametrize(
    "opened",
    [
        "root.open()",
        "(root / 'a' / 'b.txt').open()",
        "(root.parent / 'b.txt').resolve().open('rb')",
        "root.joinpath('a').with_suffix('.txt').open()",
    ],
)
def test_a_path_made_of_a_path_opens_a_file(tmp_path, opened):
    assert codes(tmp_path, opened) == ["DLF201"]


@pytest.mark.parametrize(
    "opened", ["root / 'a'", "(root / 'a').read_text()", "(3 / 4).as_integer_ratio()", "root.parts"]
)
def test_what_a_path_is_or_reads_is_plain(tmp_path, opened):
    assert codes(tmp_path, opened) == []
