"""The rows of a diff, side by side."""

from __future__ import annotations

import random

from dlfix.report.diff import hunks


def edited(seed: int) -> tuple[list[str], list[str]]:
    chance = random.Random(seed)
    before = [chance.choice(["a", "b", "e", "    c"]) for _ in range(chance.randrange(30))]
    after = list(before)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(after) + 1)
        after[at : at + chance.randrange(2)] = [chance.choice(["a", "d"])] * chance.randrange(2)
    return before, after


def test_the_rows_are_those_of_the_texts_and_all_changes_are_among_them():
    for seed in range(500):
        before, after = edited(seed)
        pairs = [pair for hunk in hunks("\n".join(before), "\n".join(after)) for pair in hunk]
        left = [side for side, _ in pairs if side]
        right = [side for _, side in pairs if side]
        assert all(before[row - 1] == line for row, line, _ in left)
        assert all(after[row - 1] == line for row, line, _ in right)
        removed = {row for row, _, changed in left if changed}
        added = {row for row, _, changed in right if changed}
        assert [line for row, line in enumerate(before, 1) if row not in removed] == [
            line for row, line in enumerate(after, 1) if row not in added
        ]


def test_only_what_differs_is_compared(monkeypatch):
    compared = []

    class Matcher:
        def __init__(self, junk, one, other, autojunk):
            compared.append((len(one), len(other)))

        def get_grouped_opcodes(self, context):
            return []

    monkeypatch.setattr("dlfix.report.diff.difflib.SequenceMatcher", Matcher)
    lines = [f"x = {number}" for number in range(1000)]
    list(hunks("\n".join(lines), "\n".join([*lines[:500], "y = 1", *lines[501:]])))
    assert compared == [(7, 7)]
