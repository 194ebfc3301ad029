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


def test_a_heading_stays_above_the_partial_that_takes_the_name() -> None:
    lambda_ = "collate = lambda batch: [*batch][:limit]  # not all"
    program = PROGRAM.replace("collate = lambda batch: [*batch]", lambda_)
    program = program.replace(
        "return loader,", "return loader, DataLoader(rows, 2, False, None, None, 2, collate),"
    )
    after = dlfix.fix_text(program, isolated=True).text
    assert "    # ---- Collating ----\n\n    collate = functools.partial(" in after
    assert "# Takes all rows.\n# not all\ndef _collate(batch, *, limit):" in after
