"""Classes that unpickling makes again: by a call of the function that made them, which keeps what it made."""

from __future__ import annotations

import libcst as cst

from dlfix.fixing.plans_classes import FactoryPlan
from dlfix_codemods.tools import classes, imports, placement, positions


def rewrite(module: cst.Module, plan: FactoryPlan) -> cst.Module:
    """Give a class of a function a `__reduce__`, the function a cache, and the module what unpickling calls."""
    cache = imports.access(module, "functools", "lru_cache")
    found = positions.find(module, [plan.function], cst.FunctionDef)
    function = cst.ensure_type(found[plan.function], cst.FunctionDef)
    node = classes.at(module, plan.cls)
    index = module.body.index(function)
    changed = function.with_deep_changes(node, body=_with_reduce(module, node.body, plan))
    decorator = cst.Decorator(cst.parse_expression(f"{cache.written}(maxsize=None)"))
    changed = cst.ensure_type(changed, cst.FunctionDef).with_changes(decorators=[decorator])
    module = module.with_changes(body=[*module.body[:index], changed, *module.body[index + 1 :]])
    made = classes.statements(module, _maker(plan, changed, module))
    if index + 1 == len(module.body):
        module = placement.append(module, made)
    else:
        module = placement.insert_at(module, index + 1, made)
    return cache.apply(module)


def _with_reduce(module: cst.Module, suite: cst.BaseSuite, plan: FactoryPlan) -> cst.IndentedBlock:
    """Return the body of a class with a `__reduce__` below its methods, or in place of `pass`."""
    if isinstance(suite, cst.IndentedBlock):
        block = suite
    else:
        line = cst.ensure_type(suite, cst.SimpleStatementSuite)
        block = cst.IndentedBlock([cst.SimpleStatementLine(line.body)])
    body = [each for each in block.body if not _is_pass(each)]
    comma = "," if len(plan.names) == 1 else ""
    value = f"{plan.maker}, ({', '.join(plan.names)}{comma}), {plan.state}"
    why = "# pickle cannot find a local class by its name"
    text = f"def __reduce__(self){plan.gives}:\n    {why}\n    return {value}\n"
    method = classes.methods(module, text)
    if not body:
        method = [each.with_changes(leading_lines=()) for each in method]
    return block.with_changes(body=[*body, *method])


def _is_pass(statement: cst.BaseStatement) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Pass()]):
            return True
    return False


def _maker(plan: FactoryPlan, function: cst.FunctionDef, module: cst.Module) -> str:
    taken = module.code_for_node(function.params)
    gives = " -> object" if plan.gives else ""
    return (
        f"def {plan.maker}({taken}){gives}:\n"
        f"    {plan.local} = {function.name.value}({', '.join(plan.names)})\n"
        f"    return {plan.local}.__new__({plan.local})\n"
    )
