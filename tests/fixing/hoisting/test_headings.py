"""The heading of a section stays where its first statement moves away."""

import dlfix

PROGRAM = """\
from torch.utils.data import DataLoader


def load(rows):
    limit = 3

    # ---- Collating ----

    # Takes all rows.
    collate = lambda batch: [*batch]
    loader = DataLoader(rows, num_workers=2, collate_fn=collate)
    return loader, limit
"""


def test_a_heading_stays_and_a_comment_moves() -> None:
    after = dlfix.fix_text(PROGRAM, isolated=True).text
    assert "    limit = 3\n\n    # ---- Collating ----\n\n    loader = DataLoader(" in after
    assert "# Takes all rows.\ndef collate(batch):" in after
