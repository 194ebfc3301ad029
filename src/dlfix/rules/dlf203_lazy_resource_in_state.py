"""DLF203: a handle that is opened on first use is opened by the parent and then pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LazyResourceInState(Rule):
    """A handle that is opened on first use is opened by the parent and then pickled.

    ## What it does

    Samplers and progress bars call `len(dataset)` in the parent. A handle that `__len__` opens is
    in `__dict__` from then on, and the workers of the next epoch (sometimes of the first) cannot be
    started.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: h5py objects cannot be pickled

    ## Example

        def __len__(self):
            if self.file is None:
                self.file = h5py.File(self.path, "r")
            return len(self.file["x"])

    ## Use instead

        def __getstate__(self):
            state = self.__dict__.copy()
            state["file"] = None  # each process opens its own
            return state

    ## Fix safety

    The fix is safe: the handle is removed from the pickled state, and a forked worker does not use
    a handle that the parent opened.

    ## How to turn it off

    `# dlfix: ignore[DLF203]` on the line of the object or of the boundary, or `ignore = ["DLF203"]`.
    """

    code = "DLF203"
    name = "lazy-resource-in-state"
    codemods = ("pickle_state",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that the parent opens lazily."""
        for handle in handles(analysis):
            if (
                handle.row.kind == "resource"
                and handle.row.fails
                and not handle.passed_in
                and handle.late
            ):
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}`{handle.where} is opened by the parent in `{handle.opened_by}` and "
                    "then pickled",
                )
                if found is not None:
                    yield found
