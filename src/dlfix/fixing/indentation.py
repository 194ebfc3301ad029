"""The indentation that new code of a file gets: what most of its blocks have, not what the first one has."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst

_OUTER_BLOCK = re.compile(
    r"^\S[^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]+)\S", re.M
)


def usual(text: str, first: str) -> str:
    """Return the most common indentation of blocks at module level.

    Only blocks count whose character, tab or space, begins the most lines of the file. The first
    block's indentation (`first`) is returned where no other is more common.
    """
    text = text.replace("\r\n", "\n")
    lines = Counter(line[0] for line in text.split("\n") if line[:1] in ("\t", " "))
    steps = Counter(_OUTER_BLOCK.findall(text))
    most = max(lines.values(), default=0)
    alike = {step: times for step, times in steps.items() if lines[step[0]] == most}
    step, times = max(alike.items(), key=lambda each: each[1], default=(first, 0))
    return step if times > alike.get(first, 0) else first


def indented_as_usual(module: cst.Module, text: str) -> cst.Module:
    """Let a module's default be what most blocks are indented by; what stands in it stays as it is."""
    import libcst as cst

    first, step = module.default_indent, usual(text, module.default_indent)
    if step == first:
        return module

    class Fixed(cst.CSTTransformer):
        """Writes the indentation of each block down that differs from the new default."""

        def leave_IndentedBlock(  # noqa: N802
            self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
        ) -> cst.IndentedBlock:
            own = first if updated_node.indent is None else updated_node.indent
            return updated_node.with_changes(indent=None if own == step else own)

    return module.visit(Fixed()).with_changes(default_indent=step)


__all__ = ["indented_as_usual", "usual"]
