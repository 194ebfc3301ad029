"""DLF103: a class made inside a function reaches the workers, itself or through an object of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LocalClassReachesWorker(Rule):
    """A class made inside a function reaches the workers, itself or through an object of it.

    ## What it does

    An object is pickled with the name of its class. A class that is defined inside a function, or a
    `namedtuple` that is made there or bound to another name than its own, cannot be found by it.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'get_dataset.<locals>.Clips'

    ## Example

        def get_dataset(root):
            class Clips(Dataset):
                ...

            return Clips(root)

    ## Use instead

        class Clips(Dataset):
            ...


        def get_dataset(root):
            return Clips(root)

    ## Fix safety

    Safe. What methods read of the function around the class is passed to `__init__` and kept by the
    instance. A name that is set more than once, or a base that differs from call to call, is refused.

    ## How to switch it off

    `# dlfix: ignore[DLF103]` on the line of the culprit or of the boundary, or `ignore = ["DLF103"]`.
    """

    code = "DLF103"
    name = "local-class-reaches-worker"
    codemods = ("module_level_classes",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each local class that crosses."""
        for crossing in analysis.pickled:
            if callables.problem(crossing, analysis) == "class":
                name = callables.name_of(crossing)
                message = f"the local class `{name}` reaches the workers and cannot be pickled"
                yield callables.finding(type(self), crossing, message)
