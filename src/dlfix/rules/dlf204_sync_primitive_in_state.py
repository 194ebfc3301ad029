"""DLF204: a lock, queue, event, thread or pool is part of the pickled state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class SyncPrimitiveInState(Rule):
    """A lock, queue, event, thread or pool is part of the pickled state.

    ## What it does

    These objects belong to one process. A worker needs a new one, which guards the threads of that
    worker.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: cannot pickle '_thread.lock' object

    ## Example

        import threading

        from torch.utils.data import DataLoader, Dataset


        class Cached(Dataset):
            def __init__(self, rows):
                self.rows = rows
                self.lock = threading.Lock()

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                with self.lock:
                    return self.rows[index]


        def train(rows):
            for batch in DataLoader(Cached(rows), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Use instead

        import threading

        from torch.utils.data import DataLoader, Dataset


        class Cached(Dataset):
            def __init__(self, rows):
                self.rows = rows
                self.lock = threading.Lock()

            def __getstate__(self):
                state = self.__dict__.copy()
                state.pop("lock", None)  # recreated by __setstate__
                return state

            def __setstate__(self, state):
                self.__dict__.update(state)
                self.lock = threading.Lock()

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                with self.lock:
                    return self.rows[index]


        def train(rows):
            for batch in DataLoader(Cached(rows), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Fix safety

    The fix is safe for objects that guard the threads of one process. Objects that synchronize
    processes are only reported.

    ## How to turn it off

    `# dlfix: ignore[DLF204]` on the line of the object or of the boundary, or `ignore = ["DLF204"]`.
    """

    code = "DLF204"
    name = "sync-primitive-in-state"
    codemods = ("pickle_state",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each primitive that crosses."""
        for handle in handles(analysis):
            if handle.row.kind == "sync" and handle.row.fails:
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}`{handle.where} is sent to the workers but cannot be pickled",
                )
                if found is not None:
                    yield found
