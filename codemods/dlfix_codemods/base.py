"""What all codemods share: a pure rewrite by a plan, and a way to run alone under LibCST."""

from __future__ import annotations

import contextlib
import sys
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import libcst as cst

# A fifth of the time of a small run goes into importing what only LibCST's own runner needs, which has imported it.
if TYPE_CHECKING or "libcst.codemod" in sys.modules:
    from libcst.codemod import CodemodCommand
else:

    class CodemodCommand:
        """Stands for the base class of LibCST's commands, where LibCST does not run the codemod."""

        def __init__(self, *_: object) -> None:
            raise TypeError("import libcst.codemod first: a codemod is a command of LibCST then")


class PlannedCodemod(CodemodCommand):
    """A codemod that carries out plans.

    dlfix calls `rewrite`. Under LibCST's own runner (`python -m libcst.tool codemod -x --no-format
    dlfix_codemods.lazy_resources.LazyResources FILE`) the plans come from dlfix's reading of the
    one file at hand; only safe ones are carried out.
    """

    NAME: ClassVar[str]

    @staticmethod
    @abstractmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Plan for this file alone, then rewrite it: LibCST's entry."""
        from libcst.codemod import SkipFile

        from dlfix.fixing.lines import LineMap, Moved, moved
        from dlfix.fixing.rendering import code_of
        from dlfix.fixing.single_file import plans_for

        if self.context.filename is None:
            raise SkipFile("the codemod requires a file name")
        first = code_of(tree)
        for plan in plans_for(Path(self.context.filename), first, self.NAME):
            with contextlib.suppress(Moved):  # what an earlier plan changed is for another run
                tree = self.rewrite(tree, moved(plan, LineMap(first, code_of(tree))))
        return tree
