"""Settings of libraries that only the parent makes, and that code in workers goes by.

`ImageFile.LOAD_TRUNCATED_IMAGES = True` under the main guard: a spawned worker opens images without it. The catalogue says
which code goes by a setting; an attribute of a library that the program sets (`np.load = load`) is read by its own name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.catalog import SettingRow
from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import Use
from dlfix.reach.starts import only_forks
from dlfix.reach.values import External, ModuleValue
from dlfix.reach.worker_code import WorkerCode, WorkerFunction
from dlfix.rules.reading.lacking import set_before

if TYPE_CHECKING:
    from dlfix.project.module import Module
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
        writes = list(_made(row, analysis))
        if writes:
            yield from _by_row(row, writes, analysis)
    yield from _attributes(known, analysis)


def _by_row(row: SettingRow, writes: list[Use], analysis: Analysis) -> Iterator[SetInLibrary]:
    for function in _sent(analysis):
        read = next(_reads(row, function, analysis), None)
        found = _found(row, function, read, writes, analysis) if read is not None else None
        if found is not None:
            yield found
            return


def _attributes(known: set[str], analysis: Analysis) -> Iterator[SetInLibrary]:
    """Yield the attributes of libraries that a worker reads and only the parent puts something else in the place of."""
    seen = set(known)
    for function in _sent(analysis):
        for node in walk(function.node):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            if not analysis.project.sets(node.attr):
                continue
            name = _name(node, function.module, analysis)
            if not name or name in seen or name.startswith(_OF_OUTPUT):
                continue
            seen.add(name)
            writes = list(_stores(name, analysis))
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
    function, ((write, entry), *_) = found
    return SetInLibrary(ast.unparse(write.node), row, function, read, write, entry)


def _reads(row: SettingRow, function: WorkerFunction, analysis: Analysis) -> Iterator[ast.expr]:
    """Yield the places of a function that go by a setting."""
    names = {each.removesuffix(".*") for each in row.read_by}
    words = {each.rpartition(".")[2] for each in names}
    owners = {each.removesuffix(".*") for each in row.read_by if each.endswith(".*")}
    for node in walk(function.node):
        if not isinstance(node, (ast.Name, ast.Attribute)) or last_name(node) not in words:
            continue
        above = function.module.parent(node)
        name = _name(node, function.module, analysis)
        if name in owners:
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                yield above
        elif name in names and _calls(above, node, row.unless):
            yield node


def _made(row: SettingRow, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that make a setting: a call, or an assignment."""
    for name in (row.name, *row.aliases):
        yield from _stores(name, analysis)
        word = name.rpartition(".")[2]
        for module in _naming(name, analysis):
            for node in module.nodes_by_name.get(word, ()):
                if _calls(module.parent(node), node) and _name(node, module, analysis) == name:
                    yield Use(module, node)


def _stores(name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that set an attribute of a library."""
    word = name.rpartition(".")[2]
    for module in _naming(name, analysis):
        for node in module.nodes_by_name.get(word, ()):
            is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if is_set and _name(node, module, analysis) == name:
                yield Use(module, node, rebinds=True)


def _naming(name: str, analysis: Analysis) -> Iterator[Module]:
    """Yield the modules whose text holds a name and its library: the others are not parsed for it."""
    words = (name.partition(".")[0], name.rpartition(".")[2])
    rare, other = sorted(words, key=analysis.project.spread)
    for module in analysis.project.mentions(rare):
        if module.says(other):
            yield module


def _calls(above: ast.AST | None, node: ast.expr, unless: Sequence[str] = ()) -> bool:
    """Return whether a call is of an expression, and passes none of some keywords, nor unknown ones."""
    if not isinstance(above, ast.Call) or above.func is not node:
        return False
    return not (unless and {each.arg for each in above.keywords} & {None, *unless})


def _name(node: ast.expr, module: Module, analysis: Analysis) -> str:
    """Return the dotted name of what an expression is of a library; empty where it is not surely one thing."""
    of = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(of, (ast.Name, ast.Attribute)):
        return ""
    found = WorkerCode.of(analysis).stands_for(module, of)
    names = {
        each.name
        for each in found
        if isinstance(each, External) or (isinstance(each, ModuleValue) and each.module is None)
    }
    if len(names) != 1 or len(found) != 1:
        return ""
    (name,) = names
    return f"{name}.{node.attr}" if isinstance(node, ast.Attribute) else name


__all__ = ["SetInLibrary", "set_in_libraries"]
