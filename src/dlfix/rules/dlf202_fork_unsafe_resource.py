"""DLF202: a handle that can be pickled, but not shared by forked processes, is sent to the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.labels import node_of
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading.handles import finding, handles
from dlfix.rules.reading.own_processes import is_of_one_process

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class ForkUnsafeResource(Rule):
    """A handle that can be pickled, but not shared by forked processes, is sent to the workers.

    ## What it does

    Some clients reconnect when they are unpickled, so spawn works. Under fork they return
    wrong data or hang, because the workers share the sockets, threads or file position of the
    parent. A handle that cannot be pickled either is reported here where its workers are surely forked,
    as with `multiprocessing_context="fork"`: nothing is pickled then.

    ## The error you see

    None under spawn and forkserver. Under fork, a worker gets wrong data or hangs.

    ## Example

        import shelve

        from torch.utils.data import DataLoader, Dataset


        class Notes(Dataset):
            def __init__(self, path):
                self.path = path
                self.shelf = shelve.open(path, "r")

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return self.shelf[str(index)]


        def create(path):
            with shelve.open(path, "n") as shelf:
                for index in range(8):
                    shelf[str(index)] = index * index


        if __name__ == "__main__":
            create("notes")
            for batch in DataLoader(Notes("notes"), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import functools
        import shelve

        from torch.utils.data import DataLoader, Dataset


        class Notes(Dataset):
            def __init__(self, path):
                self.path = path

            @functools.cached_property
            def shelf(self):
                return shelve.open(self.path, "r")

            def __getstate__(self):
                state = self.__dict__.copy()
                state.pop("shelf", None)  # each process opens its own
                return state

            def __len__(self):
                return 8

            def __getitem__(self, index):
                return self.shelf[str(index)]


        def create(path):
            with shelve.open(path, "n") as shelf:
                for index in range(8):
                    shelf[str(index)] = index * index


        if __name__ == "__main__":
            create("notes")
            for batch in DataLoader(Notes("notes"), batch_size=4, num_workers=2):
                print(batch)

    ## Fix safety

    As for DLF201.

    ## How to turn it off

    `# dlfix: ignore[DLF202]` on the line of the object or of the boundary, or `ignore = ["DLF202"]`.
    """

    code = "DLF202"
    name = "fork-unsafe-resource"
    codemods = ("lazy_resources", "module_level_callables")

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each handle that crosses and is unsafe under fork."""
        pickled = {node_of(each.crossing.value) for each in handles(analysis) if each.fails}
        for handle in handles(analysis):
            if (
                handle.row.kind == "resource"
                and not handle.fails
                and node_of(handle.crossing.value) not in pickled  # reported as such
                and handle.row.fork_unsafe
                and not handle.passed_in
                and not is_of_one_process(handle.crossing, analysis)
            ):
                found = finding(
                    type(self),
                    handle,
                    f"`{handle.name}`{handle.where} must not be shared with forked workers",
                )
                if found is not None:
                    yield found
