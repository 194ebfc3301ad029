"""DLF106: a function or class defined in a notebook is sent to the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.starts import only_forks
from dlfix.reach.values import Class
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Function


class NotebookDefinitionReachesWorker(Rule):
    """A function or class defined in a notebook is sent to the workers.

    ## What it does

    Finds functions and classes defined in notebook cells that are sent to a worker process, as a
    callable or as the class of an object. Pickle sends only their names. They belong to the
    kernel's `__main__`, which has no file, so a worker started with spawn or forkserver cannot
    import them.
    The default start method is spawn on macOS and Windows, and forkserver on Linux since Python 3.14.
    Under fork the same notebook works.

    ## The error you see

    In the output of the kernel, once for each worker (torch 2.13, Python 3.11, spawn):

        AttributeError: Can't get attribute 'Rows' on <module '__main__' (built-in)>

    and in the cell only:

        RuntimeError: DataLoader worker (pid(s) 13722) exited unexpectedly

    ## Example

    In a cell:

        class Rows(Dataset):
            def __getitem__(self, index):
                return torch.tensor(index)

    In another one:

        loader = DataLoader(Rows(), num_workers=4)

    ## Use instead

    In `train_workers.py` next to the notebook `train.ipynb`:

        '''Definitions of train.ipynb that worker processes import.'''

        import torch
        from torch.utils.data import Dataset


        class Rows(Dataset):
            def __getitem__(self, index):
                return torch.tensor(index)

    In place of the class in its cell:

        from train_workers import Rows

    ## Fix safety

    The fix is unsafe, because the kernel has to be restarted. It moves the definition with the imports, functions,
    classes and constants that it uses into the module, which it creates or extends. A lambda of a cell that is sent to
    the workers (DLF101, DLF105) becomes a function of that module. There is no fix if the definition
    uses a value that the notebook computes, sets a global, is changed by another cell, or is inside a
    function (DLF102, DLF103).

    ## How to turn it off

    `# dlfix: ignore[DLF106]` on the line of the definition or of the boundary, or
    `ignore = ["DLF106"]`.
    """

    code = "DLF106"
    name = "notebook-definition-reaches-worker"
    codemods = ("notebook_modules",)
    costs_late = True  # whatever else cannot be sent fails first

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each definition of a notebook that is sent to a worker by its name."""
        for crossing in analysis.crossings:
            definition = callables.definition(crossing.value)
            if definition is None or not is_notebook(definition.module.path):
                continue
            if not _is_looked_up(crossing, analysis) or only_forks(analysis, crossing.boundary):
                continue
            yield self._finding(crossing, definition)

    def _finding(self, crossing: Crossing, definition: Function | Class) -> Finding:
        what = "class" if isinstance(definition, Class) else "function"
        name = getattr(definition.node, "name", "")
        return Finding(
            type(self),
            f"{what.capitalize()} `{name}` is sent to the workers but is defined in a notebook, which "
            "workers cannot import",
            definition.module.place(definition.node),
            crossing.path,
            error=f"Can't get attribute '{name}' on <module '__main__' (built-in)>",
            evidence=crossing,
        )


def _is_looked_up(crossing: Crossing, analysis: Analysis) -> bool:
    """Return whether the kernel's pickle sends a name that a worker has to look up."""
    if crossing.boundary.is_message:
        return False
    if crossing.boundary.kind == "dataset":  # no loader in view, and nobody imports a notebook
        return False
    if any(each.edge.kind == "returned" for each in (crossing, *crossing.above())):
        return False
    return callables.is_sent_by_name(crossing, analysis)
