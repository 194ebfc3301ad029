"""DLF205: a handle opened by the caller is passed to an object that is sent to the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.labels import label
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import Handle, finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class ResourcePassedIn(Rule):
    """A handle opened by the caller is passed to an object that is sent to the workers.

    ## What it does

    The class that stores the handle cannot reopen it. Pass the path instead and open the file in
    each process. A handle that can be pickled is reported too if forked workers must not share it.

    ## The error you see

    With torch 2.13 on Python 3.11:

        TypeError: h5py objects cannot be pickled

    ## Example

        import h5py
        from torch.utils.data import DataLoader, Dataset


        class Faces(Dataset):
            def __init__(self, file):
                self.file = file
                self.count = len(file["x"])

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.file["x"][index]


        def create(path):
            with h5py.File(path, "w") as file:
                file["x"] = list(range(8))


        if __name__ == "__main__":
            create("faces.h5")
            faces = Faces(h5py.File("faces.h5", "r"))
            for batch in DataLoader(faces, batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import os

        import h5py
        from torch.utils.data import DataLoader, Dataset


        class Faces(Dataset):
            def __init__(self, file):
                self._file_by_pid = {os.getpid(): file}
                self._file_name = file.filename
                self._file_mode = file.mode
                self.count = len(file["x"])

            @property
            def file(self):
                pid = os.getpid()
                if pid not in self._file_by_pid:
                    self._file_by_pid[pid] = h5py.File(self._file_name, self._file_mode)
                return self._file_by_pid[pid]

            def __getstate__(self):
                state = self.__dict__.copy()
                state["_file_by_pid"] = {}  # each process opens its own
                return state

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.file["x"][index]


        def create(path):
            with h5py.File(path, "w") as file:
                file["x"] = list(range(8))


        if __name__ == "__main__":
            create("faces.h5")
            faces = Faces(h5py.File("faces.h5", "r"))
            for batch in DataLoader(faces, batch_size=4, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is safe if the handle is opened for reading and records how it was opened
    (`file.filename`, `file.mode`): each worker process reopens the file, and the caller still
    owns the original handle. Otherwise a method that takes its object along becomes static as for DLF201, or
    the finding is only reported.

    ## How to turn it off

    `# dlfix: ignore[DLF205]` on the line of the object or of the boundary, or `ignore = ["DLF205"]`.
    """

    code = "DLF205"
    name = "resource-passed-in"
    codemods = ("lazy_resources", "module_level_callables")
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that was passed in."""
        for handle in handles(analysis):
            matters = handle.fails or handle.row.fork_unsafe
            if handle.row.kind == "resource" and matters and handle.passed_in:
                why = (
                    "cannot be pickled"
                    if handle.fails
                    else "must not be shared with forked workers"
                )
                found = finding(type(self), handle, f"`{handle.name}` {_how(handle)} but {why}")
                if found is not None:
                    yield found


def _how(handle: Handle) -> str:
    above = handle.crossing.parent
    if handle.crossing.edge.kind == "state" and above is not None:
        return f"is part of the state of `{label(above.value)}`"
    return f"is opened by the caller and stored{handle.where}"
