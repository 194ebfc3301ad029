"""What only the parent sets is not set by each process alike, because a fix makes it run what sets it."""

import pytest

import dlfix

PROGRAM = """
import sqlite3
from torch.utils.data import DataLoader, Dataset

SLOTS = {{}}

def connect(path):
    {note}
    return sqlite3.connect(path)

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = connect(path)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {read}, self.db.execute("select x from t where y = ?", (index,)).fetchone()[0]

def main():
    for path in ("a.db", "b.db"):
        print(list(DataLoader(Rows(path), num_workers=2)))

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("note", "read", "refused"),
    [
        ("SLOTS.setdefault(path, len(SLOTS))", "SLOTS[self.path]", True),
        ("pass", "index", False),
    ],
)
def test_a_number_that_is_given_in_turn_is_another_in_each_process(tmp_path, note, read, refused):
    (tmp_path / "main.py").write_text(PROGRAM.format(note=note, read=read))
    findings = dlfix.check([tmp_path], isolated=True)
    (handle,) = (each for each in findings if each.code == "DLF201")
    assert (handle.fix is None) is refused
