"""What all callers of a function set again on what it returns: `args = parse(); if args.config: args.config = args.config.name`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import is_name
from dlfix.project.trees import walk

if TYPE_CHECKING:
    from dlfix.reach.crossing import Store
    from dlfix.reach.evaluator import Evaluator
    from dlfix.reach.values import Derived, Frame


def set_by_callers(value: Derived, interpreter: Evaluator) -> frozenset[str]:
    """Return the attributes that each caller of the function that makes an object sets before it hands the object on."""
    module = value.frame.module
    function = enclosing_function(module, value.node)
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    calls = interpreter.callers.of(interpreter.frame(module.inner_scope(function)))
    found = [_set_after(call, caller, value, interpreter) for call, caller in calls]
    return frozenset.intersection(*found) if found else frozenset()


def _set_after(
    call: ast.Call, caller: Frame, value: Derived, interpreter: Evaluator
) -> frozenset[str]:
    """Return the attributes that the block of a call sets on what it returns, before that is handed to anything."""
    module, made = caller.module, caller.module.statement(call)
    match made:
        case ast.Assign(targets=[ast.Name(id=name)]) if made.value is call:
            pass
        case _:
            return frozenset()
    stores = interpreter.instances.set_on(value.node, module)
    block = module.block_of(made)
    found: set[str] = set()
    for statement in block[block.index(made) + 1 :]:
        uses = (each for each in walk(statement) if is_name(each, name))
        if not all(isinstance(module.parent(use), ast.Attribute) for use in uses):
            break
        found |= {each.attribute for each in stores if _surely_sets(each, statement)}
    return frozenset(found)


def _surely_sets(store: Store, statement: ast.stmt) -> bool:
    """Return whether a statement sets an attribute, or does where a value is there to be replaced."""
    if store.statement is statement:
        return True
    if not isinstance(statement, ast.If) or store.statement not in statement.body:
        return False
    asked = ast.unparse(store.node)
    return ast.unparse(statement.test) in (asked, f"{asked} is not None")
