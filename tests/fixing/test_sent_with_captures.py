"""What moves sends what it captured: that moves with it, or both stay."""

from __future__ import annotations

import textwrap

import dlfix

PROGRAM = """
    from torch.utils.data import DataLoader


    def shifted_by(step):
        def shift(row):
            return row + step
        return shift


    class Source:
        def __init__(self, step):
            self.shift = CALLABLE


    def view_of(source):
        class View:
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return source.shift(index)

        return View()


    if __name__ == "__main__":
        for row in DataLoader(view_of(Source(2)), num_workers=2):
            print(row)
    """


def findings(folder, text):
    (folder / "main.py").write_text(textwrap.dedent(text))
    return {one.code: one for one in dlfix.check([folder], isolated=True)}


def test_a_local_class_moves_with_the_local_function_that_its_objects_keep(tmp_path):
    found = findings(tmp_path, PROGRAM.replace("CALLABLE", "shifted_by(step)"))
    assert found.keys() == {"DLF103"}
    assert found["DLF103"].refused is None


def test_a_local_class_stays_if_what_its_objects_keep_stays(tmp_path):
    found = findings(tmp_path, PROGRAM.replace("CALLABLE", "(i for i in range(step))"))
    assert found.keys() == {"DLF103"}
    assert "DLF206 would be reported instead" in found["DLF103"].refused
