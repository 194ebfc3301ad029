"""Wrappers that `functools.wraps` names after what they wrap: as partials they hold what they wrap."""

from __future__ import annotations

import ast

from dlfix.fixing.hoisting.captures import CannotHoist, Draft
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.project.syntax import last_name


def check(draft: Draft, project: Project) -> None:
    """Refuse where a wrapper takes the place of what it wraps, which pickle then does not find."""
    for around in draft.module.ancestors(draft.node):
        if not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for module in project.mentions(around.name):
            if module.aliases_of(around.name):
                raise CannotHoist(f"`{around.name}` has another name in {module.path.name}")
            for read in module.nodes_by_name.get(around.name, ()):
                if isinstance(read.ctx, ast.Load) and _replaces(module, read):
                    raise CannotHoist(
                        f"`{around.name}` also replaces functions by {draft.what} "
                        f"({module.path.name}:{read.lineno}), which would not be found by their names"
                    )


def _replaces(module: Module, read: ast.expr) -> bool:
    """Return whether what a factory makes may be stored where its argument was."""
    made, above = read, module.parent(read)
    given: list[str] = []
    while isinstance(above, ast.Call) and above.func is made:
        given += [last_name(each) for each in above.args]
        made, above = above, module.parent(above)
    if made is read:
        return not isinstance(above, ast.Return)
    statement = module.statement(made)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return made in statement.decorator_list
    if isinstance(module.parent(statement), ast.ClassDef) or _sets_by_name(module, made):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    in_function = module.scope_of(statement).is_function
    return any(
        last_name(target) in given and not (isinstance(target, ast.Name) and in_function)
        for target in targets
    )


def _sets_by_name(module: Module, made: ast.expr) -> bool:
    calls = [each for each in module.ancestors(made) if isinstance(each, ast.Call)]
    return any(last_name(each.func) in ("setattr", "patch") for each in calls)


__all__ = ["check"]
