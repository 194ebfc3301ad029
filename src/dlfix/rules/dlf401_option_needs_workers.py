"""DLF401: an option that needs workers is passed to a loader without workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.loader_options import findings

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class OptionNeedsWorkers(Rule):
    """An option that needs workers is passed to a loader without workers.

    ## What it does

    Finds `prefetch_factor`, `persistent_workers`, `multiprocessing_context` and `timeout` on a
    loader whose `num_workers` is 0 or not passed. torch raises an error when the loader is created
    (for `timeout`: when it is iterated). A value that depends on the number of workers (`context if
    workers else None`) is not reported.

    ## The error you see

    torch 2.13, Python 3.11:

        ValueError: prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.
        ValueError: persistent_workers option needs num_workers > 0
        ValueError: multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0
        AssertionError: _SingleProcessDataLoaderIter requires timeout == 0

    ## Example

        from torch.utils.data import DataLoader


        def train(clips):
            for batch in DataLoader(clips, num_workers=0, multiprocessing_context="spawn"):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Use instead

        from torch.utils.data import DataLoader


        def train(clips):
            for batch in DataLoader(clips, num_workers=0):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Fix safety

    The fix is safe: without workers, the only effect of the option is the error. Where the number of
    workers is a variable, the option depends on it: `persistent_workers=workers > 0`. There is no fix if
    the option is not a keyword argument of the call.

    ## How to turn it off

    `# dlfix: ignore[DLF401]` on the line of the option, or `ignore = ["DLF401"]`.
    """

    code = "DLF401"
    name = "option-needs-workers"
    codemods = ("loader_arguments",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each loader and option."""
        yield from findings(type(self), analysis)
