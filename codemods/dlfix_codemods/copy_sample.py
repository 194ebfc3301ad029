"Copy samples before modifying them in place."

from __future__ import annotations

from typing import Any, cast

import libcst as cst

from dlfix.fixing.planners import copy_sample as plans
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import blocks, classes, imports, positions

_FORMS = {"dict": "dict({})", "list": "list({})", "clone": "{}.clone()", "copy": "{}.copy()"}
_FUNCTIONS = {"shallow": "copy", "deep": "deepcopy"}


class CopySample(PlannedCodemod):
    """Copy what the dataset keeps before it is changed."""

    NAME = "copy_sample"
    DESCRIPTION = "Copy samples before modifying them in place."

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        if isinstance(plan, plans.BindCopy):
            return _bind_copy(module, plan)
        return _copy(module, plan)


def _copy(module: cst.Module, plan: plans.CopySample) -> cst.Module:
    of = plan.of or plan.value
    found = positions.find(module, [plan.value, of])
    value, original = found[plan.value], module.code_for_node(found[of])
    module, form = _form(module, plan.form)
    copied = cst.parse_expression(form.format(original))
    return cast(cst.Module, module.deep_replace(value, copied))


def _bind_copy(module: cst.Module, plan: plans.BindCopy) -> cst.Module:
    uses = positions.find(module, plan.uses)
    statement = blocks.statement_at(module, plan.before)
    module, form = _form(module, plan.form)
    original = module.code_for_node(uses[plan.uses[0]]) if plan.uses else plan.name
    code = form.format(original)
    bound = classes.statements(module, f"{plan.name} = {code}\n")
    names = {node: cst.Name(plan.name) for node in uses.values()}
    return blocks.replaced(module, names, statement, bound)


def _form(module: cst.Module, name: str) -> tuple[cst.Module, str]:
    if name in _FORMS:
        return module, _FORMS[name]
    module, function = imports.use(module, "copy", _FUNCTIONS[name])
    return module, function + "({})"
