"""DLF211: the parent opens a handle in a module's global, and forked workers use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.labels import label
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.rules.reading.shared_globals import SharedHandle, shared_handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class ForkSharedGlobal(Rule):
    """The parent opens a handle in a module-level name or cache, and forked workers use it.

    ## What it does

    Finds files, databases and connections in a module-level name, in a module-level cache, on a class, or kept by
    `functools.lru_cache`, if the parent has certainly opened them when the workers start and code in
    a worker uses them. A client that connects at its first use, such as an engine of SQLAlchemy, counts if the parent
    connects by it before. Nothing is pickled: under spawn and forkserver each worker opens its own. A
    forked worker uses the parent's. Workers that share a file position read each other's
    bytes, and libraries such as SQLite, LMDB and HDF5 do not support this use.

    ## The error you see

    None under spawn and forkserver. Under fork (torch 2.13, Python 3.11) there may be none either, but
    wrong data, or an error such as `zipfile.BadZipFile: Bad magic number for file header`.

    ## Example

        import functools
        import zipfile

        from torch.utils.data import DataLoader, Dataset


        @functools.lru_cache(maxsize=None)
        def archive(path):
            return zipfile.ZipFile(path)


        class Notes(Dataset):
            def __init__(self, path):
                self.path = path
                self.names = archive(path).namelist()

            def __len__(self):
                return len(self.names)

            def __getitem__(self, index):
                return archive(self.path).read(self.names[index])


        def create(path):
            with zipfile.ZipFile(path, "w") as notes:
                for index in range(8):
                    notes.writestr(str(index), bytes([index]) * 4)


        if __name__ == "__main__":
            create("notes.zip")
            for batch in DataLoader(Notes("notes.zip"), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

    Open a second one in the parent and close it, so that the cache is empty when the workers
    start:

        import functools
        import zipfile

        from torch.utils.data import DataLoader, Dataset


        @functools.lru_cache(maxsize=None)
        def archive(path):
            return zipfile.ZipFile(path)


        class Notes(Dataset):
            def __init__(self, path):
                self.path = path
                with zipfile.ZipFile(path) as opened:
                    self.names = opened.namelist()

            def __len__(self):
                return len(self.names)

            def __getitem__(self, index):
                return archive(self.path).read(self.names[index])


        def create(path):
            with zipfile.ZipFile(path, "w") as notes:
                for index in range(8):
                    notes.writestr(str(index), bytes([index]) * 4)


        if __name__ == "__main__":
            create("notes.zip")
            for batch in DataLoader(Notes("notes.zip"), batch_size=4, num_workers=2):
                print(batch)

    Or open it in a `worker_init_fn`, or keep one for each `os.getpid()`.

    ## Fix safety

    There is no fix: other code may rely on the shared handle.

    ## How to turn it off

    `# dlfix: ignore[DLF211]` on the line that opens the handle, or `ignore = ["DLF211"]`. With
    `target-start-methods = ["spawn", "forkserver"]` the rule is off.
    """

    code = "DLF211"
    name = "fork-shared-global"

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that the parent opens and that forked workers use."""
        seen: set[object] = set()
        for shared in shared_handles(analysis):
            if shared.handle.node not in seen:
                seen.add(shared.handle.node)
                yield self._finding(shared)

    def _finding(self, shared: SharedHandle) -> Finding:
        handle, function = shared.handle, shared.function
        module = handle.frame.module
        place = Place(module.path, module.span(handle.node))
        used = Step(function.module.place(function.node), f"`{shared.name}` is used in a worker")
        return Finding(
            type(self),
            f"`{label(handle)}` is opened in the parent and kept in `{shared.name}`, which forked "
            f"workers use (`{function.qualname}`)",
            place,
            (*function.steps, used, *shared.steps, Step(place, label(handle))),
        )
