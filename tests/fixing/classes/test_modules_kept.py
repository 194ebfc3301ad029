"""Attributes that hold a module for some callers, and something else for others."""

from __future__ import annotations

import textwrap

import pytest

import dlfix

PROGRAM = """
    import argparse

    import settings
    from torch.utils.data import DataLoader


    class Rows:
        def START(self, options):
            self.options = options
            READ

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return index if self.options else None


    def show(options):
        print(sorted(vars(options).items()))


    def loader(options):
        rows = MADE
        show(rows.options)
        return DataLoader(rows, num_workers=2)


    def by_module():
        return loader(settings)


    def by_others():
        others = OTHERS
        return loader(others)


    if __name__ == "__main__":
        print(*by_module(), *by_others())
    """
SET_UP = "Rows()\n        rows.set_up(options)"
PARSED = "argparse.ArgumentParser().parse_args()"


def applied(folder, *, start="__init__", made="Rows(options)", read="self.size = options.size",
            others=PARSED):  # fmt: skip
    (folder / "settings.py").write_text("size = 4\n")
    text = PROGRAM.replace("START", start).replace("MADE", made)
    text = text.replace("READ", read).replace("OTHERS", others)
    done = dlfix.fix_text(textwrap.dedent(text), folder / "main.py", isolated=True)
    return done.text, [each.refused for each in done.left]


def test_what_is_no_module_is_left_as_it_is(tmp_path):
    text, left = applied(tmp_path)
    assert not left
    assert "if isinstance(self.options, types.ModuleType):" in text
    assert "if isinstance(self.options, str):" in text


def test_an_object_that_is_not_set_up_yet_can_be_pickled(tmp_path):
    text, left = applied(tmp_path, start="set_up", made=SET_UP)
    assert not left
    assert 'if hasattr(self, "options") and isinstance(self.options, types.ModuleType):' in text


@pytest.mark.parametrize(
    ("read", "others"),
    [("self.size = 4", PARSED), ("self.size = options.title", PARSED), ("pass", "'settings'")],
)
def test_what_may_be_a_text_stays(tmp_path, read, others):
    _, left = applied(tmp_path, read=read, others=others)
    assert any("may hold something else than a module" in each for each in left)
