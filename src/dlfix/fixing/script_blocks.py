"""How the statements of a script are grouped: in paragraphs, and in the cells of a notebook."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from itertools import pairwise

from dlfix.project.import_time import Unit
from dlfix.source.lines import bare

# Markers of cells that editors run one by one.
CELL = re.compile(r"# ?%%|# ?<codecell>")
# `# In[3]` is what is left of a notebook that was exported: nobody runs its cells.
EXPORTED = re.compile(r"# ?In ?\[")


def is_marker(line: str) -> bool:
    """Return whether a line begins a cell."""
    return CELL.match(line) is not None or EXPORTED.match(line) is not None


class Blocks:
    """Which top-level statements of a script stand together, by their indices."""

    def __init__(self, units: Sequence[Unit], text: str) -> None:
        lines = bare(text)
        ends = [unit.statements[-1].end_lineno or 0 for unit in units]
        gaps = [lines[end : unit.row - 1] for end, unit in zip(ends, units[1:], strict=False)]
        self.paragraphs = _parted(
            len(units),
            [not all(line.strip() for line in gap) or any(map(is_marker, gap)) for gap in gaps],
        )
        self.has_cells = any(map(is_marker, lines))
        self.cells = _parted(len(units), [any(map(is_marker, gap)) for gap in gaps])

    def leaves(
        self, index: int, kept: Set[int], moving: Set[int], at_module_level: Collection[int]
    ) -> bool:
        """Return whether a unit that may stay goes with what moves, of its paragraph or its cell.

        Above what moves, it stays with what has to stay, or, in its paragraph, with units that belong at
        module level.
        """
        by_cell = self.has_cells and _leaves(index, self.cells[index], kept, moving)
        kept = {*kept, *at_module_level}
        return by_cell or _leaves(index, self.paragraphs[index], kept, moving)


def _leaves(index: int, block: range, kept: Set[int], moving: Set[int]) -> bool:
    movers = moving & set(block)
    if not movers:
        return False
    return min(movers) < index or kept.isdisjoint(block)


def _parted(count: int, parts: Sequence[bool]) -> list[range]:
    """Return for each unit the range of those in its block; `parts` says where the next unit begins another."""
    starts = [0, *(index for index, part in enumerate(parts, 1) if part), count]
    return [range(*each) for each in pairwise(starts) for _ in range(*each)]
