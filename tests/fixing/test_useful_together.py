"""A fix that waits for an unsafe one names the one that is unsafe by itself."""

from __future__ import annotations

import textwrap

import pytest

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


WRAPPED = """
    from torch.utils.data import DataLoader, Dataset


    class Rows(Dataset):
        def __init__(self, path):
            self.rows = OPENED

        def collate(self):
            def gather(batch):
                return [self, batch]

            return gather

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return next(self.rows)


    class Loader(DataLoader):
        def __init__(self, rows, **options):
            super().__init__(rows, collate_fn=rows.collate(), **options)


    def loaded(rows):
        return Loader(rows, num_workers=2)


    if __name__ == "__main__":
        for batch in Loader(Rows("log"), num_workers=2):
            print(batch)
    """


@pytest.mark.parametrize(
    ("opened", "is_held_back"), [("(each for each in path)", True), ("iter(path)", False)]
)
def test_what_unknown_callers_may_pass_makes_no_half_fix(tmp_path, opened, is_held_back):
    (tmp_path / "main.py").write_text(textwrap.dedent(WRAPPED).replace("OPENED", opened))
    found = {one.code: one for one in dlfix.check([tmp_path], isolated=True)}
    assert bool(found["DLF102"].fix) is not is_held_back
    assert ("would still fail" in str(found["DLF102"])) is is_held_back
