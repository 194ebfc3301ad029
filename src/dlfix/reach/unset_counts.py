"""Numbers of workers that nobody sets: an option of a configuration class whose default is none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.reach.values import Bound

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary


def is_left_at_none(analysis: Analysis, boundary: Boundary, script: Module) -> bool:
    """Tell whether a script never says a boundary's number of workers, and its default is none.

    The number is read from an object that is not followed (`self.config.num_workers`). It counts as
    left at its default where the classes of the tree that have such an option say none.
    """
    row = boundary.row
    count = boundary.arguments.get(row.workers) if row is not None and row.workers else None
    if row is None or boundary.workers is not None or not isinstance(count, Bound):
        return False
    if not isinstance(count.node, ast.Attribute):
        return False
    name = count.node.attr
    modules = analysis.project.mentions(name)
    if script in modules:
        return False
    defaults = [default for module in modules for default in module.answer(_defaults, name)]
    return bool(defaults) and all(default in row.no_workers for default in defaults)


def _defaults(module: Module, option: str) -> tuple[object, ...]:
    """Return the defaults that the classes of a module give an option; None for what is no constant."""
    fields = [
        field.value
        for cls in module.nodes(ast.ClassDef)
        for field in cls.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and field.target.id == option
    ]
    return tuple(getattr(_default(field), "value", None) for field in fields)


def _default(value: ast.expr | None) -> ast.expr | None:
    """Return what `field(default=...)` gives, or the value itself."""
    if not isinstance(value, ast.Call):
        return value
    return next((k.value for k in value.keywords if k.arg == "default"), None)
