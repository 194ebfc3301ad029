"""Bodies that stand on the line of their header: what changes in them begins a new line."""

import subprocess
import sys

import dlfix

CLASS = """\
import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        {opened}

    def __len__(self): return len(self.file["x"])  # rows
    def __getitem__(self, index): return self.file["x"][index]
    def close(self): self.file.close()


def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""
OPENED = 'self.file = h5py.File(path, "r")'


def applied(tmp_path, opened: str) -> str:
    path = tmp_path / "rows.py"
    path.write_text(CLASS.format(opened=opened), encoding="utf-8")
    run = [sys.executable, "-m", "dlfix", "apply", "--no-cache", "--isolated", str(path)]
    subprocess.run(run, capture_output=True, check=False)
    return path.read_text(encoding="utf-8")


def test_a_body_that_changes_begins_a_new_line(tmp_path) -> None:
    after = applied(tmp_path, OPENED)
    assert "    def __len__(self):\n        return self._length\n" in after
    assert 'self._length = len(file["x"])  # rows\n' in after
    assert '    def __getitem__(self, index): return self.file["x"][index]\n' in after
    assert "    def close(self):\n        if " in after
    assert not dlfix.check([tmp_path], isolated=True)


def test_a_length_is_not_asked_of_a_handle_that_may_not_be_there(tmp_path) -> None:
    after = applied(tmp_path, f"if path: {OPENED}")
    assert '    def __len__(self): return len(self.file["x"])  # rows\n' in after
    assert not dlfix.check([tmp_path], isolated=True)


def test_of_several_statements_on_a_line_none_is_changed(tmp_path) -> None:
    before = CLASS.format(opened=f"self.path = path; {OPENED}")
    assert applied(tmp_path, f"self.path = path; {OPENED}") == before
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert "on the same line as another" in (finding.refused or "")
