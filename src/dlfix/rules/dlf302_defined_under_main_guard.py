"""DLF302: a function or class defined under the main guard is sent to the workers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.entry_points import may_belong, under_guard
from dlfix.reach.starts import only_forks
from dlfix.reach.values import Class
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Function


class DefinedUnderMainGuard(Rule):
    """A function or class defined under the main guard is sent to the workers.

    ## What it does

    Finds functions and classes under `if __name__ == "__main__":` that are sent to a worker, as a
    callable or as the class of an object. They are pickled by name, and a spawned worker, which
    imports the script as `__mp_main__`, does not run the guarded code.

    ## The error you see

    In the worker (torch 2.13, Python 3.11, spawn):

        AttributeError: Can't get attribute 'collate' on <module '__mp_main__' from '...'>

    and in the parent only:

        RuntimeError: DataLoader worker (pid(s) 13722) exited unexpectedly

    ## Example

        import torch
        from torch.utils.data import DataLoader

        if __name__ == "__main__":

            def collate(batch):
                return torch.tensor(batch)

            for batch in DataLoader(range(8), batch_size=4, collate_fn=collate, num_workers=2):
                print(batch)

    ## Use instead

        import torch
        from torch.utils.data import DataLoader


        def collate(batch):
            return torch.tensor(batch)


        if __name__ == "__main__":
            for batch in DataLoader(range(8), batch_size=4, collate_fn=collate, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is safe if the definition does not need the guarded code. Values that it reads there are
    passed in; if that is not possible, there is no fix, and the finding gives the name.

    ## How to turn it off

    `# dlfix: ignore[DLF302]` on the line of the definition, or `ignore = ["DLF302"]`.
    """

    code = "DLF302"
    name = "defined-under-main-guard"
    codemods = ("module_level_classes", "module_level_callables")
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each definition under a guard that crosses."""
        for crossing in analysis.pickled:
            definition = callables.definition(crossing.value)
            if definition is None or isinstance(definition.node, ast.Lambda):
                continue
            module, node = definition.module, definition.node
            boundary = crossing.boundary
            if (
                under_guard(module, node) is None
                or boundary.is_message
                or only_forks(analysis, boundary)
            ):
                continue
            if not may_belong(analysis, crossing.boundary, module):
                continue
            yield self._finding(crossing, definition, node)

    def _finding(
        self,
        crossing: Crossing,
        definition: Function | Class,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    ) -> Finding:
        what = "class" if isinstance(definition, Class) else "function"
        return Finding(
            type(self),
            f"{what.capitalize()} `{node.name}` is sent to the workers but is defined under the main "
            "guard, which workers do not run",
            definition.module.place(node),
            crossing.path,
            error=f"Can't get attribute '{node.name}' on <module '__mp_main__'",
            evidence=crossing,
        )
