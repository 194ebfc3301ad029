"""DLF601: a memory-mapped array is pickled as a full copy of its data for each worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import last_name
from dlfix.reach.values import Bound, ExternalCall
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import finding, handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value


class MappedMemoryCopied(Rule):
    """A memory-mapped array is pickled as a full copy of its data for each worker.

    ## What it does

    Pickle treats `np.memmap` like any other array: all of its data is read, sent, and stored once
    per worker.

    ## The error you see

    None: memory and start-up time grow with the data, for each worker.

    ## Example

        import numpy as np
        from torch.utils.data import DataLoader, Dataset


        class Tokens(Dataset):
            def __init__(self, path):
                self.path = path
                self.tokens = np.memmap(path, dtype=np.uint8, mode="r")

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return int(self.tokens[index])


        if __name__ == "__main__":
            np.arange(8, dtype=np.uint8).tofile("tokens.bin")
            for batch in DataLoader(Tokens("tokens.bin"), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import functools

        import numpy as np
        from torch.utils.data import DataLoader, Dataset


        class Tokens(Dataset):
            def __init__(self, path):
                self.path = path

            @functools.cached_property
            def tokens(self):
                return np.memmap(self.path, dtype=np.uint8, mode="r")

            def __getstate__(self):
                state = self.__dict__.copy()
                state.pop("tokens", None)  # each process opens its own
                return state

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return int(self.tokens[index])


        if __name__ == "__main__":
            np.arange(8, dtype=np.uint8).tofile("tokens.bin")
            for batch in DataLoader(Tokens("tokens.bin"), batch_size=4, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is safe for a mapping that is only read. There is no fix if the mapping is written to.

    ## How to turn it off

    `# dlfix: ignore[DLF601]` on the line of the object or of the boundary, or `ignore = ["DLF601"]`.
    """

    code = "DLF601"
    name = "mapped-memory-copied"
    severity = "warning"
    costs_late = True
    codemods = ("lazy_resources",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each mapped array that crosses."""
        for handle in handles(analysis):
            if handle.row.kind != "memmap":
                continue
            if not _is_of_open_file(handle.crossing.value):
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}`{handle.where} is pickled as a full copy of its data for each worker",
                )
                if found is not None:
                    yield found


def _is_of_open_file(value: Value) -> bool:
    """Return whether an array is loaded from a file that is open already: numpy cannot map it."""
    given = value.arguments.get(0, "file") if isinstance(value, ExternalCall) else None
    if not isinstance(given, Bound):
        return False
    made = [given.node]
    if isinstance(given.node, ast.Name):
        bindings = given.frame.scope.bindings.get(given.node.id, ())
        made = [each.value for each in bindings if each.value is not None]
    return any(isinstance(each, ast.Call) and last_name(each.func) == "open" for each in made)
