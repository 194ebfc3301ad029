"""DLF301: a script starts workers on import, without a main guard."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.project.import_time import IMPORTS
from dlfix.project.importing import Import, comes_with, imported
from dlfix.project.order import begins_before
from dlfix.reach.entry_points import Entry, may_belong
from dlfix.reach.starts import Start, only_forks, starts_on_import
from dlfix.reach.unset_counts import is_left_at_none, is_left_out, is_switched_off
from dlfix.rules.base import Finding, Rule, Step

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

ERROR = (
    "An attempt has been made to start a new process before the current process has finished its"
    " bootstrapping phase."
)


@dataclass(frozen=True)
class StartsAtImport:
    """What the planner reads: the top-level statement that starts workers, and who imports it."""

    statement: ast.stmt
    importer: str  # "train.py:3", or nothing for a script


class MissingMainGuard(Rule):
    """A script starts workers on import, outside `if __name__ == "__main__":`.

    ## What it does

    Finds top-level code that starts worker processes: a loop over a loader with workers, a pool, a
    process, or a call of a function that does so. Under spawn and forkserver each worker imports
    the main module and would start workers of its own.

    ## The error you see

    In the worker (torch 2.13, Python 3.11, spawn):

        RuntimeError:
                An attempt has been made to start a new process before the
                current process has finished its bootstrapping phase.

                This probably means that you are not using fork to start your
                child processes and you have forgotten to use the proper idiom
                in the main module:

                    if __name__ == '__main__':
                        freeze_support()
                        ...

    and in the parent only:

        RuntimeError: DataLoader worker (pid(s) 13697) exited unexpectedly

    ## Example

        from torch.utils.data import DataLoader

        loader = DataLoader(range(8), batch_size=4, num_workers=2)
        for batch in loader:
            print(batch)

    ## Use instead

        from torch.utils.data import DataLoader

        if __name__ == "__main__":
            loader = DataLoader(range(8), batch_size=4, num_workers=2)
            for batch in loader:
                print(batch)

    ## Fix safety

    The fix is safe. Definitions, settings that workers need and the names that these or a worker
    need stay at module level; so do imports, constants and other settings above them. The other
    statements move under the guard, in order. A constant or a setting of the process (`os.environ`,
    warnings) stays or moves with its paragraph, in the script of a notebook with its cell, and what is
    printed is printed under the guard, so that workers do not print it again. There is no fix if a worker reads a name that can be set only once,
    if a setting that workers need would be made before a statement that may depend on it, or if other
    modules import the script.

    ## How to turn it off

    `# dlfix: ignore[DLF301]` on the line that starts the workers, or `ignore = ["DLF301"]`. A
    script that only uses fork needs no guard: with `multiprocessing_context="fork"` nothing is
    reported.
    """

    code = "DLF301"
    name = "missing-main-guard"
    codemods = ("main_guard",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield one finding for each module: its first statement that starts workers."""
        first: dict[Path, tuple[ast.stmt, Start, Entry]] = {}
        for start in starts_on_import(analysis):
            for entry in start.entries(analysis):
                path = entry.module.path
                if entry.kind != "import" or path.suffix == ".ipynb":
                    continue
                if only_forks(analysis, start.boundary, entry.module):
                    continue
                if is_left_at_none(analysis, start.boundary, entry.module):
                    continue
                if is_left_out(analysis, start.boundary, entry.module):
                    continue
                if is_switched_off(analysis, start, entry):
                    continue
                if not may_belong(analysis, start.boundary, entry.module):
                    continue
                if path not in first or begins_before(entry.statement, first[path][0]):
                    first[path] = (entry.statement, start, entry)
        found = [
            each for each in first.values() if not _is_never_run_again(analysis, each[2].module)
        ]
        for statement, start, entry in found:
            brings = frozenset(
                other.module.path
                for _, _, other in found
                if other is not entry and comes_with(analysis.project, entry.module, other.module)
            )
            yield self._finding(analysis, statement, start, entry, brings)

    def _finding(
        self,
        analysis: Analysis,
        statement: ast.stmt,
        start: Start,
        entry: Entry,
        brings: frozenset[Path],
    ) -> Finding:
        boundary = start.boundary
        place = boundary.frame.module.place(boundary.node)
        last = Step(start.module.place(start.node), "started here")
        importer = _importer(analysis, entry.module)
        return Finding(
            type(self),
            'Workers are started on import, without an `if __name__ == "__main__":` guard',
            entry.steps[0].place if entry.steps else last.place,
            (Step(place, f"{boundary.kind}(...)"), *entry.steps, last),
            error=ERROR,
            evidence=StartsAtImport(statement, importer),
            brings=brings,
        )


def _is_never_run_again(analysis: Analysis, module: Module) -> bool:
    """Return whether no worker runs a module: multiprocessing leaves the `__main__` of a package alone."""
    return module.path.name == "__main__.py" and not _importer(analysis, module)


def _importer(analysis: Analysis, module: Module) -> str:
    """Return where another module imports this one; empty for a script."""
    stem = module.name.rpartition(".")[2]
    for other in analysis.project.mentions(stem):
        if other is module:
            continue
        for node in other.nodes(*IMPORTS):
            assert isinstance(node, Import)
            if module in imported(analysis.project, other, node):
                return f"{other.path.name}:{node.lineno}"
    return ""
