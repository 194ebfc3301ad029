"""DLF104: a function of a library reaches the workers, and cannot be pickled by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LibraryCallableNotPicklable(Rule):
    """A function of a library reaches the workers, and cannot be pickled by its name.

    ## What it does

    `F.max_pool2d` and all that torch makes by `boolean_dispatch` are local functions inside, whatever name
    they carry outside. The catalogue has the list, measured for each torch.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'boolean_dispatch.<locals>.fn'

    ## Example

        self.pool = F.adaptive_max_pool2d

    ## Use instead

        def _adaptive_max_pool2d(*args, **kwargs):
            return F.adaptive_max_pool2d(*args, **kwargs)


        self.pool = _adaptive_max_pool2d

    ## Fix safety

    Safe: a small module-level function calls the library's.

    ## How to switch it off

    `# dlfix: ignore[DLF104]` on the line of the culprit or of the boundary, or `ignore = ["DLF104"]`.
    """

    code = "DLF104"
    name = "library-callable-not-picklable"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each library callable that crosses and cannot be pickled."""
        for crossing in analysis.pickled:
            row = callables.library_row(crossing, analysis)
            if row is not None and row.problem == "reference":
                message = f"`{row.name}` reaches the workers and cannot be pickled by its name"
                yield callables.finding(type(self), crossing, message, row.error)
