"""A cached handle is not opened by code that looks attributes up by names that it computes."""

from __future__ import annotations

import pytest

from tests.fixing.proof.test_observers import opened

PROGRAMS = {
    "hasattr": ("print([hasattr(rows, name) for name in names])", True),
    "getattr": ("print([getattr(rows, name, None) for name in names])", True),
    "a constant": ("print(hasattr(rows, 'scale'))", False),
    "another object": ("print([hasattr(options, name) for name in names])", False),
    "among others": ("for each in [rows, options]:\n    print(hasattr(each, names[0]))", True),
    "in a dataset of datasets": (
        "both = ConcatDataset([rows])\nfor each in both.datasets:\n    print(hasattr(each, names[0]))",
        True,
    ),
}


@pytest.mark.parametrize(("line", "refused"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_looked_up_by_a_computed_name(line, refused):
    reasons = opened(program=f"rows = Rows('a')\n{line}\n")
    assert refused == any("looked up by a computed name" in each for each in reasons)
