"""Attributes of classes that only the parent sets, and that code in workers reads: `Config.rate = rate`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.trees import walk
from dlfix.reach.entries import Entries, Entry, is_before, may_belong
from dlfix.reach.global_state import Use
from dlfix.reach.instances import attribute_targets
from dlfix.reach.methods import takes_instance
from dlfix.reach.sides import stored_on_self
from dlfix.reach.starts import only_forks
from dlfix.reach.values import Class
from dlfix.reach.worker_code import WorkerCode, WorkerFunction

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


@dataclass(frozen=True)
class SetOnClass:
    """An attribute of a class, the place in a worker that reads it, and the parent's that sets it."""

    name: str  # `Config.rate`
    function: WorkerFunction
    read: ast.Attribute
    write: Use
    entry: Entry
    has_default: bool  # a worker finds the value of the class statement

    @property
    def crossing(self) -> Crossing:
        """What brings the function that reads the attribute to the workers."""
        return self.function.crossing


def set_on_classes(analysis: Analysis) -> Iterator[SetOnClass]:
    """Yield the attributes of classes that workers read and only the parent sets."""
    seen: set[tuple[ast.AST, str]] = set()
    for function in list(WorkerCode.of(analysis).functions.values()):
        boundary = function.crossing.boundary
        if boundary.kind == "dataset" or only_forks(analysis, boundary):
            continue
        for node in walk(function.node):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            for cls in _classes(node, function, analysis):
                if (cls.node, node.attr) not in seen:
                    seen.add((cls.node, node.attr))
                    yield from _set_by_parent(cls, node, function, analysis)


def _classes(node: ast.Attribute, function: WorkerFunction, analysis: Analysis) -> Iterator[Class]:
    """Yield the class whose attribute is read: by its name, or by an object that has none of its own."""
    module = function.module
    above = module.parent(function.node)
    first = next(iter((*function.node.args.posonlyargs, *function.node.args.args)), None)
    is_own = isinstance(node.value, ast.Name) and first is not None and node.value.id == first.arg
    if isinstance(above, ast.ClassDef) and is_own and takes_instance(function.node):
        if analysis.project.sets(node.attr):
            cls = analysis.interpreter.class_value(above, analysis.frame(module.scope_of(above)))
            if _default(cls, node.attr, analysis) is not None and not _is_stored(
                cls, node.attr, analysis
            ):
                yield cls
        return
    if analysis.project.sets(node.attr):
        code = WorkerCode.of(analysis)
        yield from (v for v in code.stands_for(module, node.value) if isinstance(v, Class))


def _default(cls: Class, name: str, analysis: Analysis) -> ast.expr | None:
    """Return the value that a class statement gives an attribute."""
    for base in analysis.mro(cls):
        if isinstance(base, Class):
            bindings = base.module.inner_scope(base.node).bindings.get(name, ())
            values = [b.value for b in bindings if b.kind not in ("def", "class", "import")]
            if bindings:
                return values[-1] if values else None
    return None


def _is_stored(cls: Class, name: str, analysis: Analysis) -> bool:
    methods = analysis.interpreter.sides.methods(cls)
    return any(name in stored_on_self(node) for node in methods.values())


def _set_by_parent(
    cls: Class, node: ast.Attribute, function: WorkerFunction, analysis: Analysis
) -> Iterator[SetOnClass]:
    code, entries, boundary = (
        WorkerCode.of(analysis), Entries.of(analysis), function.crossing.boundary,
    )  # fmt: skip
    writes = list(_writes(cls, node.attr, analysis))
    if not writes or any(code.runs(use.module, use.node) is not None for use in writes):
        return
    found = [(use, entry) for use in writes for entry in entries.entries(use.module, use.node)]
    if any(entry.kind == "import" for _, entry in found):
        return
    starts = entries.entries(boundary.frame.module, boundary.node)
    default = _default(cls, node.attr, analysis)
    for use, entry in found:
        if not may_belong(analysis, boundary, entry.module) or _says(use, default):
            continue
        if any(is_before(entry, use.node, start, boundary.frame.module, boundary.node)
               for start in starts):  # fmt: skip
            name = f"{cls.name}.{node.attr}"
            yield SetOnClass(name, function, node, use, entry, default is not None)
            return


def _writes(cls: Class, name: str, analysis: Analysis) -> Iterator[Use]:
    """Yield the places that set an attribute on a class, or on one it derives from."""
    line = {base.node for base in analysis.mro(cls) if isinstance(base, Class)}
    modules = [cls.module, *analysis.project.setting(name, cls.module)]
    for module in dict.fromkeys(modules):
        for target, _ in attribute_targets(module, name):
            if not isinstance(target.value, (ast.Name, ast.Attribute)):
                continue
            owners = analysis.evaluate(target.value, analysis.frame(module.scope_of(target)))
            values = [reached.value for reached in owners]
            if values and all(isinstance(v, Class) and v.node in line for v in values):
                yield Use(module, target, rebinds=True)


def _says(use: Use, default: ast.expr | None) -> bool:
    """Tell whether an assignment sets what the class statement says."""
    value = getattr(use.module.statement(use.node), "value", None)
    return value is not None and default is not None and ast.dump(value) == ast.dump(default)
