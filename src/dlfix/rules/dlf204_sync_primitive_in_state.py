"""DLF204: a lock, queue, event, thread or pool is part of the pickled state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.contexts import ERROR, is_in_a_task, of_another_context
from dlfix.rules.reading.handles import finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class SyncPrimitiveInState(Rule):
    """A lock, queue, event, thread or pool is part of the pickled state.

    ## What it does

    These objects belong to one process. A worker needs a new one, which guards the threads of that
    worker.

    Locks, queues and values of multiprocessing are for several processes, but belong to a context: `mp.Lock()` to
    the default one, which is fork on Linux before Python 3.14. Workers that are started with spawn or forkserver cannot be
    given them; `mp.get_context("spawn").Lock()` can be given to all.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: cannot pickle '_thread.lock' object

    For an object of the default context:

        RuntimeError: A SemLock created in a fork context is being shared with a process in a spawn context. This is not
        supported. Please use the same context to create multiprocessing objects and Process.

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
    processes are created with the context of the workers, if the code names `multiprocessing` there.
    Methods that take their object along become static as for DLF201.

    ## How to turn it off

    `# dlfix: ignore[DLF204]` on the line of the object or of the boundary, or `ignore = ["DLF204"]`.
    """

    code = "DLF204"
    name = "sync-primitive-in-state"
    codemods = ("pickle_state", "module_level_callables")
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each primitive that crosses."""
        for handle in handles(analysis):
            if handle.row.kind != "sync":
                continue
            other = of_another_context(handle, analysis)
            if other is None and (handle.row.fails or is_in_a_task(handle)):
                message = "is sent to the workers but cannot be pickled"
            elif other is not None:
                message = f"belongs to the default context, but the workers are started with {other.method}"
            else:
                continue
            found = finding(type(self), handle, f"`{handle.name}`{handle.where} {message}")
            if found is not None and other is not None:
                found = replace(found, error=ERROR.format(other.method), evidence=other)
            if found is not None:
                yield found
