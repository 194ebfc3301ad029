"""What the constructor builds up step by step: code that makes it again takes the same steps.

A list to which an opener appends less than the constructor did is another list, and no error says so. Nor does one
when the constructor changes a value after it was kept for an opener.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.syntax import Function, dotted, executed, self_name, stored_names
from dlfix.fixing.proof.writes import changes_by_name
from dlfix.project.module import Module
from dlfix.project.order import comes_before


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what is built up with fewer steps than before, and what is changed once it is kept."""
    yield from _skipped(change)
    yield from _changed_once_kept(change)


def _skipped(change: ClassChange) -> Iterator[Regression]:
    for function in _written_anew(change):
        for name in sorted(stored_names(function.body) - _taken_over(function)):
            steps = [
                _steps(owner.module, before, name)
                for owner, before in change.constructed_before
                if name in stored_names(before.body)
            ]
            if steps and min(steps) > _steps(change.after.module, function, name):
                yield change.regression(
                    function,
                    f"the constructor modifies `{name}` in more statements than `{function.name}`, "
                    f"which makes it again (line {function.lineno})",
                )
                return


def _written_anew(change: ClassChange) -> Iterator[Function]:
    """Yield the methods with new statements that are no constructors."""
    constructors = {function.name for _, function in change.constructed_before}
    for function in change.after.functions:
        if function.name not in constructors and change.fresh(function):
            yield function


def _taken_over(function: Function) -> set[str]:
    """Return the local names of what the object keeps: `names = self._names`."""
    owner = self_name(function)
    return {
        target.id
        for node in executed(function.body)
        if isinstance(node, ast.Assign) and dotted(node.value).startswith(f"{owner}.")
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _steps(module: Module, function: Function, name: str) -> int:
    return sum(1 for _ in changes_by_name(module, function.body, name))


def _changed_once_kept(change: ClassChange) -> Iterator[Regression]:
    for owner, function in change.constructed_after:
        for node in executed(function.body):
            if isinstance(node, ast.Assign) and _is_new(change, node, self_name(function)):
                for name in _same_as(function, node.value):
                    changed = _changed_after(owner.module, function, node, name)
                    if changed is not None:
                        yield change.regression(
                            changed,
                            f"`{name}` is kept (line {node.lineno}) and modified afterwards "
                            f"(line {getattr(changed, 'lineno', 0)})",
                        )
                        return


def _is_new(change: ClassChange, node: ast.Assign, owner: str) -> bool:
    """Return whether an assignment sets attributes that objects did not have, and nothing else."""
    kept = [each for each in node.targets if isinstance(each, ast.Attribute)]
    return len(kept) == len(node.targets) and all(
        dotted(each.value) == owner and each.attr in change.new_attributes for each in kept
    )


def _same_as(function: Function, value: ast.expr) -> set[str]:
    """Return the names of the object that is kept, which other assignments of the function give it as well."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    found = {each.id for each in parts if isinstance(each, ast.Name)}
    for node in executed(function.body):
        if isinstance(node, ast.Assign) and dotted(node.value) in found:
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return found


def _changed_after(
    module: Module, function: Function, kept: ast.Assign, name: str
) -> ast.AST | None:
    """Return where a function changes a value once it is kept: below, or in a later turn of a loop."""
    loops = [each for each in module.ancestors(kept) if isinstance(each, (ast.For, ast.While))]
    for changed in changes_by_name(module, function.body, name):
        around = [*module.ancestors(changed)]
        if not comes_before(changed, kept) or any(loop in around for loop in loops):
            return changed
    return None


__all__ = ["check"]
