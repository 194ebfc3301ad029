"""Whether the code that keeps a handle closes it again, before anything else can get at it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before
from dlfix.project.syntax import dotted
from dlfix.reach.must_run import conditions

if TYPE_CHECKING:
    from dlfix.catalog import ResourceRow
    from dlfix.reach.crossing import Store


def is_closed_again(store: Store, row: ResourceRow) -> bool:
    """Return whether the function that stores a handle surely closes it: by `close`, or at the end of a `with`."""
    module, statement = store.frame.module, store.statement
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return row.enters
    name, around = dotted(store.node), enclosing_function(module, statement)
    decided_by = [*conditions(statement, module)]
    return any(
        isinstance(call, ast.Call)
        and comes_before(statement, call)
        and _closes(call, name, row)
        and all(each in decided_by for each in conditions(call, module))
        for call in (module.within(around) if name and around is not None else ())
    )


def _closes(call: ast.Call, name: str, row: ResourceRow) -> bool:
    if "." in row.close:
        return dotted(call.func) == row.close and [dotted(each) for each in call.args] == [name]
    return dotted(call.func) == f"{name}.{row.close}"
