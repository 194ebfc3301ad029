"""Captures that a partial binds by position."""

from __future__ import annotations

import textwrap

import pytest

import dlfix

PROGRAM = """
    import inspect

    from torch.utils.data import DataLoader


    def scaled(row, by, **options):
        return row * by


    class Rows:
        def __init__(self, step):
            self.step = step

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.step(index)


    def step_by(by):
        return STEP


    if __name__ == "__main__":
        ASKED
        for row in DataLoader(Rows(step_by(2)), num_workers=2):
            print(row)
    """
PLAIN = "lambda row: row * by"
FORWARDS = "lambda row, **options: scaled(row + 1, by=by, **options)"
PASSES_ON = "lambda row, **options: scaled(row, by=by, **options) + 1"
KEEPS = "lambda row, **options: (row * by, options)"


@pytest.mark.parametrize(
    ("step", "asked", "written"),
    [
        (PLAIN, "pass", "(row, *, by)"),
        (PLAIN, "inspect.signature(print)", "(row, *, by)"),
        (PLAIN, "inspect.signature(step_by(3))", "(by, row)"),
        (FORWARDS, "pass", "(by, row, **options)"),
        (PASSES_ON, "pass", "(by, /, row, **options)"),
        (KEEPS, "pass", "(by, /, row, **options)"),
    ],
)
def test_a_mark_is_written_only_where_a_keyword_may_mean_something_else(step, asked, written):
    text = textwrap.dedent(PROGRAM).replace("STEP", step).replace("ASKED", asked)
    assert f"{written}:\n" in dlfix.fix_text(text, isolated=True).text
