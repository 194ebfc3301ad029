"""Settings of libraries that only the parent makes, and that code in workers goes by.

`ImageFile.LOAD_TRUNCATED_IMAGES = True` under the main guard: a spawned worker opens images without it. The catalogue says
which code goes by a setting; an attribute of a library that the program sets (`np.load = load`) is read by its own name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.catalog import SettingRow
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import Use
from dlfix.reach.starts import only_forks
from dlfix.reach.worker_code import WorkerCode, WorkerFunction
from dlfix.rules.reading.lacking import set_before
from dlfix.rules.reading.setting_reads import name_of, reads
from dlfix.rules.reading.setting_writes import (
    calls,
    changes_nothing,
    made,
    naming,
    of_same_key,
    stores,
)

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

# Output and warnings go where the worker's own do; nothing of what it gives depends on them.
_OF_OUTPUT = ("builtins.", "logging.", "sys.", "warnings.")


@dataclass(frozen=True)
class SetInLibrary:
    """A setting of a library, the place in a worker that goes by it, and the parent's that makes it."""

    name: str  # as the parent writes it: `ImageFile.LOAD_TRUNCATED_IMAGES`
    row: SettingRow | None  # none for an attribute that the worker reads itself
    function: WorkerFunction
    read: ast.expr
    write: Use
    entry: Entry
    more: tuple[tuple[Use, Entry], ...] = ()  # the other places that make it, in the parent

    @property
    def crossing(self) -> Crossing:
        """What brings the function that goes by the setting to the workers."""
        return self.function.crossing

    @property
    def title(self) -> str:
        """What the setting is called in messages."""
        return self.name

    @property
    def all(self) -> tuple[SetInLibrary, ...]:
        """What one statement sets: this setting."""
        return (self,)

    @property
    def has_default(self) -> bool:
        """Whether a worker goes by a value of the library's own."""
        return self.row is None or not self.row.error


def set_in_libraries(analysis: Analysis) -> Iterator[SetInLibrary]:
    """Yield the settings of libraries that workers go by and only the parent makes."""
    known: set[str] = set()
    for row in analysis.catalog.rows("setting"):
        assert isinstance(row, SettingRow)
        known |= {row.name, *row.aliases}
        writes = list(made(row, analysis))
        if writes and not _has_own(row, analysis):
            yield from _by_row(row, writes, analysis)
    yield from _attributes(known, analysis)


def _by_row(row: SettingRow, writes: list[Use], analysis: Analysis) -> Iterator[SetInLibrary]:
    for function in _sent(analysis):
        for read in reads(row, function.module, function.node, analysis):
            again = of_same_key(row, writes, function.module, read, analysis)
            found = _found(row, function, read, again, analysis) if again else None
            if found is not None and not _is_for_others(row, analysis):
                yield found
                return
            if not (row.is_keyed or row.handles):
                break


def _has_own(row: SettingRow, analysis: Analysis) -> bool:
    """Return whether code in workers makes a setting of its own, for a part of it."""
    code = WorkerCode.of(analysis)
    uses = (use for name in row.own for use in calls(name, analysis))
    return any(code.runs(use.module, use.node) is not None for use in uses)


def _is_for_others(row: SettingRow, analysis: Analysis) -> bool:
    """Return whether only the parent runs code that goes by a setting: it may be made for that."""
    if not row.for_some:
        return False
    code = WorkerCode.of(analysis)
    modules = dict.fromkeys(each for name in row.read_by for each in naming(name, analysis))
    return any(
        code.runs(module, read) is None
        for module in modules
        for read in reads(row, module, module.tree, analysis)
    )


def _attributes(known: set[str], analysis: Analysis) -> Iterator[SetInLibrary]:
    """Yield the attributes of libraries that a worker reads and only the parent puts something else in the place of."""
    seen = set(known)
    for function in _sent(analysis):
        for node in walk(function.node):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            if not analysis.project.sets(node.attr):
                continue
            name = name_of(node, function.module, analysis)
            if not name or name in seen or name.startswith(_OF_OUTPUT):
                continue
            seen.add(name)
            writes = list(stores(name, analysis))
            found = _found(None, function, node, writes, analysis) if writes else None
            if found is not None:
                yield found


def _sent(analysis: Analysis) -> Iterator[WorkerFunction]:
    """Yield the functions that run in workers which are not copies of the parent."""
    for function in list(WorkerCode.of(analysis).functions.values()):
        boundary = function.crossing.boundary
        if boundary.kind != "dataset" and not only_forks(analysis, boundary):
            yield function


def _found(
    row: SettingRow | None,
    function: WorkerFunction,
    read: ast.expr,
    writes: list[Use],
    analysis: Analysis,
) -> SetInLibrary | None:
    around = row is not None and bool(row.again)
    found = set_before(analysis, function, writes, around=around)
    if found is None or not found[1]:
        return None
    function, all_writes = found
    if row is not None and any(changes_nothing(row, use, analysis) for use, _ in all_writes):
        return None
    (write, entry), *more = all_writes
    return SetInLibrary(ast.unparse(write.node), row, function, read, write, entry, (*more,))


__all__ = ["SetInLibrary", "set_in_libraries"]
