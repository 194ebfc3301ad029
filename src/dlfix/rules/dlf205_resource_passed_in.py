"""DLF205: the caller opens a handle and hands it to what reaches the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class ResourcePassedIn(Rule):
    """The caller opens a handle and hands it to what reaches the workers.

    ## What it does

    The class that keeps the handle cannot know how to open it again. Hand over the path instead, and let
    each process open its own.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: h5py objects cannot be pickled

    ## Example

        faces = Faces(h5py.File("faces.h5", "r"))

    ## Use instead

        faces = Faces("faces.h5")

    ## Fix safety

    Safe where the handle was opened to be read and tells how it was (`file.filename`, `file.mode`): each
    other process opens the same again, the caller goes on owning its own. Else it is only reported.

    ## How to switch it off

    `# dlfix: ignore[DLF205]` on the line of the culprit or of the boundary, or `ignore = ["DLF205"]`.
    """

    code = "DLF205"
    name = "resource-passed-in"
    codemods = ("lazy_resources",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that was passed in."""
        for handle in handles(analysis):
            if handle.row.kind == "resource" and handle.row.fails and handle.passed_in:
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}` is opened by the caller, kept{handle.where}, and cannot be pickled",
                )
                if found is not None:
                    yield found
