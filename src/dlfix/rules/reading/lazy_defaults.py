"""Values that each process sets if there is none: `if _config is None: _config = Config()`.

A worker does so as well, and so never sees what the parent has passed in: `configure(rate)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.trees import walk

if TYPE_CHECKING:
    from dlfix.reach.global_state import Use
    from dlfix.reach.worker_code import WorkerCode

_OWN = frozenset({"self", "cls"})


def without_defaults(writes: Sequence[Use], code: WorkerCode) -> list[Use]:
    """Return the writes that count where workers set a value if there is none: those of what code is passed."""
    in_workers = [each for each in writes if code.runs(each.module, each.node) is not None]
    if not in_workers or not all(map(_sets_default, in_workers)):
        return [*writes]
    return [each for each in writes if each not in in_workers and _sets_passed(each)]


def _sets_default(use: Use) -> bool:
    """Return whether a use sets what it has asked about: only if there is none."""
    module, text = use.module, ast.unparse(use.node)
    child: ast.AST = use.node
    for above in module.ancestors(use.node):
        if isinstance(above, ast.If) and child in above.body and asks_for_none(above.test, text):
            return True
        child = above
    return False


def asks_for_none(test: ast.expr, text: str) -> bool:
    """Return whether a test asks if there is no value of a name, attribute or item yet."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=asked):
            return ast.unparse(asked) == text
        case ast.Compare(left=asked, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return ast.unparse(asked) == text
        case ast.Compare(left=key, ops=[ast.NotIn()], comparators=[holder]):
            return f"{ast.unparse(holder)}[{ast.unparse(key)}]" == text
    return False


def _sets_passed(use: Use) -> bool:
    """Return whether a use sets something to what the function around it has been passed, or has worked out."""
    module, function = use.module, enclosing_function(use.module, use.node)
    value = getattr(module.statement(use.node), "value", None)
    if function is None or value is None or not use.rebinds:
        return False
    scope = module.inner_scope(function)
    names = {each.id for each in walk(value) if isinstance(each, ast.Name)} - _OWN
    return any(scope.lookup(name) is scope for name in names)


__all__ = ["asks_for_none", "without_defaults"]
