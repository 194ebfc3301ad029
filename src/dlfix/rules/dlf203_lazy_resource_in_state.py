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

        TypeError: cannot pickle 'sqlite3.Connection' object

    ## Example

        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, path):
                self.path = path
                self.db = None

            def _connect(self):
                if self.db is None:
                    self.db = sqlite3.connect(self.path)
                return self.db

            def __len__(self):
                return self._connect().execute("SELECT count(*) FROM rows").fetchone()[0]

            def __getitem__(self, index):
                return self._connect().execute("SELECT x FROM rows WHERE x = ?", [index]).fetchone()[0]


        def create(path):
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE rows (x)")
                db.executemany("INSERT INTO rows VALUES (?)", [(x,) for x in range(8)])
            db.close()


        if __name__ == "__main__":
            create("rows.db")
            rows = Rows("rows.db")
            print(len(rows), "rows")
            for batch in DataLoader(rows, batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import os
        import sqlite3

        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, path):
                self.path = path
                self._db_by_pid = {}

            @property
            def db(self):
                return self._db_by_pid.get(os.getpid())

            @db.setter
            def db(self, db):
                self._db_by_pid[os.getpid()] = db

            def __getstate__(self):
                state = self.__dict__.copy()
                state["_db_by_pid"] = {}  # each process opens its own
                return state

            def _connect(self):
                if self.db is None:
                    self.db = sqlite3.connect(self.path)
                return self.db

            def __len__(self):
                return self._connect().execute("SELECT count(*) FROM rows").fetchone()[0]

            def __getitem__(self, index):
                return self._connect().execute("SELECT x FROM rows WHERE x = ?", [index]).fetchone()[0]


        def create(path):
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE rows (x)")
                db.executemany("INSERT INTO rows VALUES (?)", [(x,) for x in range(8)])
            db.close()


        if __name__ == "__main__":
            create("rows.db")
            rows = Rows("rows.db")
            print(len(rows), "rows")
            for batch in DataLoader(rows, batch_size=4, num_workers=2):
                print(batch)

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
                and handle.fails
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
