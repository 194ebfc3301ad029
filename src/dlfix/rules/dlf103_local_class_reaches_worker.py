"""DLF103: a local class, or an instance of one, is sent to the workers but cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import ExternalCall
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


class LocalClassReachesWorker(Rule):
    """A local class, or an instance of one, is sent to the workers but cannot be pickled.

    ## What it does

    An instance is pickled with the name of its class. A class that is defined inside a function, or
    one that `namedtuple(...)` or `type(name, bases, namespace)` makes there or that is assigned to a
    different name, cannot be found by name.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'get_dataset.<locals>.Clips'

    ## Example

        from torch.utils.data import DataLoader, Dataset


        def get_dataset(rows):
            class Clips(Dataset):
                def __init__(self, rows):
                    self.rows = rows

                def __len__(self):
                    return len(self.rows)

                def __getitem__(self, index):
                    return self.rows[index]

            return Clips(rows)


        def train():
            for batch in DataLoader(get_dataset([1, 2, 3]), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train()

    ## Use instead

        from torch.utils.data import DataLoader, Dataset


        class Clips(Dataset):
            def __init__(self, rows):
                self.rows = rows

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                return self.rows[index]


        def get_dataset(rows):
            return Clips(rows)


        def train():
            for batch in DataLoader(get_dataset([1, 2, 3]), num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train()

    ## Fix safety

    The fix is safe. Values of the enclosing function that methods read are passed to `__init__` and
    stored on the instance. Where the class is kept in a variable or returned, and only called, a
    `functools.partial` of it holds them. A named tuple that a function of another module makes gets the name of
    the module that binds it. Where the bases are chosen by what the function is passed, and this is a class or the key of a
    table, the objects get a `__reduce__` that names it, and the function keeps the class that it made. There is no fix if
    such a name is assigned more than once, or if a base class may differ in each call otherwise.

    ## How to turn it off

    `# dlfix: ignore[DLF103]` on the line of the object or of the boundary, or `ignore = ["DLF103"]`.
    """

    code = "DLF103"
    name = "local-class-reaches-worker"
    codemods = ("module_level_classes",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each local class that crosses."""
        for crossing in analysis.pickled:
            if callables.problem(crossing, analysis) == "class":
                message = f"{_named(crossing)} is sent to the workers but cannot be pickled"
                yield callables.finding(type(self), crossing, message)


def _named(crossing: Crossing) -> str:
    name, value = callables.name_of(crossing), crossing.value
    if (
        isinstance(value, ExternalCall) and name == value.name
    ):  # what it is called is not written there
        return f"A class made by `{name}(...)`"
    bound = callables.bound_to(value) if isinstance(value, ExternalCall) else ""
    return f"Class `{name}`, which is bound to `{bound}`," if bound else f"Local class `{name}`"
