"""A fix that waits for an unsafe one names the one that is unsafe by itself."""

from __future__ import annotations

import textwrap

import dlfix

PROGRAM = """
    import threading

    from torch.utils.data import DataLoader

    LEVEL = 0


    class Rows:
        def __init__(self):
            self.lock = threading.Lock()
            self.step = lambda value: value + LEVEL

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.step(index)


    if __name__ == "__main__":
        LEVEL = 3
        for row in DataLoader(Rows(), num_workers=2):
            print(row)
    """


def test_the_reason_names_what_is_unsafe_by_itself(tmp_path):
    (tmp_path / "main.py").write_text(textwrap.dedent(PROGRAM))
    found = {one.code: one for one in dlfix.check([tmp_path], isolated=True)}
    assert found.keys() == {"DLF204", "DLF101", "DLF303"}
    for code in ("DLF204", "DLF101"):
        assert "the unsafe fix of DLF303 at main.py:" in str(found[code])
