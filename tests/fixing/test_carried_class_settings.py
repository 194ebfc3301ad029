"""What the parent sets on a class is carried to workers only where it can be pickled (DLF303)."""

from __future__ import annotations

import textwrap

import pytest

import dlfix

PROGRAM = """
    from torch.utils.data import DataLoader, Dataset


    def double(value):
        return 2 * value


    class Rows(Dataset):
        step = None

        def __init__(self):
            if type(self).step is None:
                type(self).step = SET

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.step, index


    def main():
        rows = Rows()
        for row in DataLoader(rows, batch_size=None, num_workers=2):
            print(row)


    if __name__ == "__main__":
        main()
    """


@pytest.mark.parametrize(
    ("value", "is_carried"),
    [
        ("3", True),
        ("[1, 2]", True),
        ("double", True),
        ("(each for each in range(6))", False),
        ("lambda value: value", False),
        ("self.__len__", False),
        ("self", False),
    ],
)
def test_a_class_gets_in_workers_what_can_be_pickled(tmp_path, value, is_carried):
    (tmp_path / "main.py").write_text(textwrap.dedent(PROGRAM).replace("SET", value))
    (found,) = (one for one in dlfix.check([tmp_path], isolated=True) if one.code == "DLF303")
    assert (found.fix is not None) is is_carried
