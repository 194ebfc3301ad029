"""What code keeps under the name of an attribute, of whatever object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.program import Program
from dlfix.project.module import Module


def values_given(program: Program, name: str) -> Iterator[tuple[Module, ast.expr | None]]:
    """Yield what code sets an attribute of a name to; None where that is not spelled, as for a field of a class."""
    for module in program.project.mentions(name):
        for node in module.stores_by_name.get(name, ()):
            above = module.parent(node)
            if isinstance(node, ast.Name) and module.scope_of(node).is_class:
                yield module, None
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield (
                    module,
                    above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None,
                )


__all__ = ["values_given"]
