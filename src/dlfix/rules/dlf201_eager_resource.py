"""DLF201: a handle that cannot be pickled is opened in the constructor of what reaches the workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import class_handles, finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class EagerResource(Rule):
    """A handle that cannot be pickled is opened in the constructor of what reaches the workers.

    ## What it does

    Finds files, connections, environments and clients that an object opens when it is made and keeps.
    Under spawn and forkserver pickling the object fails; under fork the workers share one handle.
    What hangs from a handle (a cursor, a variable) is found with it.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: cannot pickle 'sqlite3.Connection' object

    ## Example

        class Rows(Dataset):
            def __init__(self, path):
                self.connection = sqlite3.connect(path)

    ## Use instead

        class Rows(Dataset):
            def __init__(self, path):
                self.path = path

            @functools.cached_property
            def connection(self):
                return sqlite3.connect(self.path)

            def __getstate__(self):
                state = self.__dict__.copy()
                state.pop("connection", None)
                return state

    ## Fix safety

    Safe where each process may open its own. Refused where code counts on the handle's position, writes
    through it, or an opening argument is gone by then; the reason names the line.

    ## How to switch it off

    `# dlfix: ignore[DLF201]` on the line of the culprit or of the boundary, or `ignore = ["DLF201"]`.
    """

    code = "DLF201"
    name = "eager-resource"
    codemods = ("lazy_resources",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that is opened eagerly."""
        for handle in handles(analysis):
            if (
                handle.row.kind == "resource"
                and handle.row.fails
                and not handle.passed_in
                and not handle.late
            ):
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}`{handle.where} is opened before the workers start and cannot be pickled",
                )
                if found is not None:
                    yield found
        for handle in class_handles(analysis):
            if handle.row.kind == "resource" and handle.row.fails:
                message = (
                    f"`{handle.name}`{handle.where} is kept on the class by the parent only; "
                    "a worker that does not fork finds nothing there"
                )
                found = finding(type(self), handle, message)
                if found is not None:
                    yield replace(found, error="")
