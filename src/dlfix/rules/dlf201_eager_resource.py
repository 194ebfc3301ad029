"""DLF201: an object sent to the workers opens a handle that cannot be pickled in its constructor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import class_handles, finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class EagerResource(Rule):
    """An object sent to the workers opens a handle that cannot be pickled in its constructor.

    ## What it does

    Finds files, connections, environments and clients that an object opens in its constructor and
    stores. Under spawn and forkserver, pickling the object fails; under fork, the workers share one
    handle. Resources derived from a handle, such as a cursor, are reported too.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: cannot pickle 'sqlite3.Connection' object

    ## Example

        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, path):
                self.path = path
                self.connection = sqlite3.connect(path)

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return self.connection.execute("SELECT ?", (index,)).fetchone()[0]


        def train(path):
            for batch in DataLoader(Rows(path), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train("rows.db")

    ## Use instead

        import functools
        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, path):
                self.path = path

            @functools.cached_property
            def connection(self):
                return sqlite3.connect(self.path)

            def __getstate__(self):
                state = self.__dict__.copy()
                state.pop("connection", None)  # each process opens its own
                return state

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return self.connection.execute("SELECT ?", (index,)).fetchone()[0]


        def train(path):
            for batch in DataLoader(Rows(path), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train("rows.db")

    ## Fix safety

    The fix is safe if each process can open its own handle. There is no fix if code depends on the
    position of the handle, writes to it, or if an argument that opens it is no longer available;
    the reason gives the line. Then a method that takes its object along (`collate_fn=self.collate`) becomes
    static, if it only reads attributes that the constructor sets: they are sent instead. This is unsafe
    unless its name starts with an underscore, because code outside the project may call it.

    ## How to turn it off

    `# dlfix: ignore[DLF201]` on the line of the object or of the boundary, or `ignore = ["DLF201"]`.
    """

    code = "DLF201"
    name = "eager-resource"
    codemods = ("lazy_resources", "module_level_callables")
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that is opened eagerly."""
        for handle in handles(analysis):
            if (
                handle.row.kind == "resource"
                and handle.fails
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
            if handle.row.kind == "resource":
                message = (
                    f"`{handle.name}`{handle.where} is stored on the class only by the "
                    "parent and is missing in spawned workers"
                )
                found = finding(type(self), handle, message)
                if found is not None:
                    yield replace(found, error="")
