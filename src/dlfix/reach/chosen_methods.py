"""The start methods that programs choose for all their workers: `set_start_method("fork")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.importing import comes_with, may_come_with
from dlfix.project.library_names import imported_as
from dlfix.reach.conditions import is_dead
from dlfix.reach.entry_points import Entries
from dlfix.reach.values import Constant

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.conditions import Surely
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.entry_points import Entry
    from dlfix.reach.evaluator import Reading
    from dlfix.reach.values import Frame, Value

_SETTING = "set_start_method"
# What asks for the platform, and the answer on Linux.
_ON_LINUX = {"sys.platform": "linux", "os.name": "posix", "platform.system": "Linux"}


@dataclass(frozen=True)
class _Choice:
    """A call that sets the start method, with the statements it is run from; none where that is not seen."""

    method: object
    entries: tuple[Entry, ...]


def chosen_for_all(
    analysis: Reading, boundary: Boundary, script: Module | None = None
) -> set[object]:
    """Return the start methods that programs which come to a boundary choose for all; those of one script, where it is given.

    What they choose on other platforms than Linux does not count: that it is fork on macOS says nothing of Windows.
    """
    choices = analysis.once(chosen_for_all, lambda: [*_choices(analysis)])
    if not choices:
        return set()
    scripts = [script] if script is not None else _scripts(analysis, boundary)
    return {
        each.method
        for each in choices
        if not (each.entries and scripts)
        or any(_are_together(analysis, entry, one) for entry in each.entries for one in scripts)
    }


def _choices(analysis: Reading) -> Iterator[_Choice]:
    for module in analysis.project.mentions(_SETTING):
        for call in module.calls_by_name.get(_SETTING, ()):
            frame = analysis.frame(module.scope_of(call))
            if not is_dead(call, frame, analysis.interpreter, _on_linux(analysis)):
                given = call.args[0] if call.args else None
                method = given.value if isinstance(given, ast.Constant) else None
                yield _Choice(method, tuple(Entries.of(analysis).entries(module, call)))


def _on_linux(analysis: Reading) -> Surely:
    """Return what says all that an expression is on Linux."""

    def values(node: ast.expr, frame: Frame) -> list[Value]:
        asked = node.func if isinstance(node, ast.Call) else node
        known = _ON_LINUX.get(imported_as(frame.module, asked))
        must = analysis.interpreter.must
        return must.values(node, frame) if known is None else [Constant(known)]

    return values


def _scripts(analysis: Reading, boundary: Boundary) -> list[Module]:
    """Return the modules that a boundary is come to from; none where any may."""
    if not isinstance(boundary.node, ast.Call):
        return []
    home = boundary.frame.module
    entries = Entries.of(analysis).entries(home, boundary.node)
    return [*dict.fromkeys(entry.module for entry in entries)] or [home]


def _are_together(analysis: Reading, entry: Entry, script: Module) -> bool:
    """Return whether a program that runs a script runs an entry, too."""
    project = analysis.project
    return may_come_with(project, entry.module, script) or (
        entry.kind == "import" and comes_with(project, script, entry.module)
    )
