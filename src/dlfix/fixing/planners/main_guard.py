"""Plans for `main_guard`: what of a script goes under `if __name__ == "__main__":`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.guard_split import Division, divide
from dlfix.fixing.module_state import ModuleState
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.fixing.script_blocks import CELL
from dlfix.project.import_time import Unit
from dlfix.reach.worker_code import WorkerCode
from dlfix.source.lines import bare
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

CODEMOD = "main_guard"
_MOST_GUARDS = 3


@dataclass(frozen=True)
class Guard:
    """One guard: the top-level statements that it takes, in order.

    The guard stands where the last of them stood; a statement that is a guard itself gives its body.
    """

    statements: tuple[Span, ...]


@dataclass(frozen=True)
class MainGuardPlan:
    """All guards of a module, in order."""

    guards: tuple[Guard, ...]


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Plan one guard for each script."""
    for finding in findings:
        module = analysis.project.module(finding.place.path)
        yield Planned((finding,), _outcome(module, finding, analysis))


def _outcome(module: Module, finding: Finding, analysis: Analysis) -> Fix | Refused:
    if finding.evidence.importer:
        return Refused(
            f"`{finding.evidence.importer}` imports the module, but code under a main "
            "guard does not run on import"
        )
    if _is_paired(module):
        return Refused(
            "the script is paired with a notebook (jupytext), whose cells would become one under the guard"
        )
    state = ModuleState(analysis, module)
    reads = {**state.worker_reads(), **_worker_reads(module, analysis)}
    division = divide(
        module.tree,
        module.text,
        reads,
        state.touched,
        lambda name: analysis.project.find(name, module) is not None,
    )
    if isinstance(division, Refused):
        return division
    start = finding.evidence.statement
    if not any(start in unit.statements for unit in division.move):
        return Refused(
            f"the statement that starts the workers must run on import (line {start.lineno})"
        )
    cells = _cells(module, division)
    if len(cells) > _MOST_GUARDS:
        return Refused(
            f"the script is run cell by cell (line {cells[0][0].row}), and its cells would become one under "
            "the guard"
        )
    guards = tuple(Guard(tuple(_span(module, unit) for unit in units)) for units in cells)
    return Fix(
        'Move the script\'s code under `if __name__ == "__main__":`',
        Applicability.SAFE,
        (Edit(module.path, CODEMOD, MainGuardPlan(guards)),),
    )


def _is_paired(module: Module) -> bool:
    """Return whether a header says that a script's text is a notebook's, in cells that no line begins for sure."""
    header: list[str] = []
    for line in bare(module.text):
        if not line.startswith("#"):
            break
        header.append(line.lstrip("# "))
    formats = [line.partition(":")[2].strip() for line in header if line.startswith("format_name:")]
    return "jupytext:" in header and bool(formats) and formats[0] not in ("percent", "hydrogen")


def _worker_reads(module: Module, analysis: Analysis) -> dict[str, str]:
    """Return the module's names that code in a worker reads, and who does."""
    code = WorkerCode.of(analysis)
    return {read.name: read.reader for read in code.global_reads() if read.module is module}


def _cells(module: Module, division: Division) -> list[list[Unit]]:
    """Return what moves, cell by cell where editors run each."""
    cells: dict[int, list[Unit]] = {}
    rows = [i for i, line in enumerate(bare(module.text), 1) if CELL.match(line)]
    for unit in division.move:
        cells.setdefault(sum(row < unit.row for row in rows), []).append(unit)
    return list(cells.values())


def _span(module: Module, unit: Unit) -> Span:
    return Span(module.span(unit.first).start, module.span(unit.statements[-1]).end)
