"""The rows of a diff, side by side."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from dlfix.report.diff import hunks, unified


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

        def get_opcodes(self):
            return []

    monkeypatch.setattr("dlfix.report.diff.difflib.SequenceMatcher", Matcher)
    lines = [f"x = {number}" for number in range(1000)]
    list(hunks("\n".join(lines), "\n".join([*lines[:500], "y = 1", *lines[501:]])))
    assert compared == [(1, 1)]


def test_git_applies_a_unified_diff(tmp_path: Path):
    for seed in range(40):
        before, after = edited(seed)
        (tmp_path / "a.py").write_text("".join(f"{line}\n" for line in before), encoding="utf-8")
        text = "".join(f"{line}\n" for line in after)
        shown = unified("a.py", "".join(f"{line}\n" for line in before), text).plain
        if before != after:
            apply = ["git", "apply", "-p0", "--unidiff-zero", "--whitespace=nowarn", "-"]
            subprocess.run(apply, cwd=tmp_path, input=shown.encode(), check=True)
        assert (tmp_path / "a.py").read_text(encoding="utf-8") == text, seed


def test_a_hunk_begins_and_ends_with_three_lines_at_most_and_holds_a_change():
    for seed in range(500):
        before, after = edited(seed)
        rows = unified("a.py", "\n".join(before), "\n".join(after)).plain.splitlines()[2:]
        assert (before != after) == bool(rows)
        for at, row in enumerate(rows):
            if row.startswith("@@"):
                around = [each[:1] for each in rows[at + 1 :]]
                end = around.index("@") if "@" in around else len(around)
                signs = "".join(around[:end])
                assert signs.strip(" ")
                assert len(signs) - len(signs.lstrip(" ")) <= 3
                assert len(signs) - len(signs.rstrip(" ")) <= 3
                assert " " * 7 not in signs.strip(" ")


def test_lines_that_are_frequent_are_not_removed_and_added_again():
    lines = [line for number in range(300) for line in (f"x = {number}", "")]
    after = ["y = 1", "", *lines[:400], "z = 2", "", *lines[400:]]
    changed = [
        row
        for row in unified("a.py", "\n".join(lines), "\n".join(after)).plain.splitlines()[2:]
        if row[:1] in "+-"
    ]
    assert sorted(changed) == ["+", "+", "+y = 1", "+z = 2"]
