"""Give each worker random numbers of its own."""

from __future__ import annotations

from typing import Any, cast

import libcst as cst

from dlfix.fixing.planners.worker_random_state import CallByName, WorkerGenerator
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import classes, imports, placement, positions

_WHY = "# each worker draws its own numbers in each epoch"


class WorkerRandomState(PlannedCodemod):
    """Derive a kept generator from each worker's own seed."""

    NAME = "worker_random_state"
    DESCRIPTION = "Seed random generators separately in each worker."

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        if isinstance(plan, CallByName):
            return _call_by_name(module, plan)
        return _own_generator(module, plan)


def _own_generator(module: cst.Module, plan: WorkerGenerator) -> cst.Module:
    node = classes.at(module, plan.cls)
    targets = set(positions.find(module, plan.targets, cst.Attribute).values())
    module, get_info = imports.use(module, "torch.utils.data", "get_worker_info")
    renamed = cast(cst.ClassDef, node.visit(_Renamed(module, targets, plan)))
    body = classes.body(renamed)
    index = classes.method_index(body, "__init__")
    place = len(body) if index is None else index + 1
    body[place:place] = classes.methods(module, _property_code(plan, get_info))
    if plan.dropped:
        body += classes.methods(module, _state_code(plan))
    return classes.with_body(module, node, body)


class _Renamed(cst.CSTTransformer):
    """Store the generator under its hidden name, with no seed yet."""

    def __init__(
        self, module: cst.Module, targets: set[cst.CSTNode], plan: WorkerGenerator
    ) -> None:
        super().__init__()
        self._targets = targets
        self._plan = plan
        kind = ": int | None" if plan.annotation else ""
        code = f"self.{plan.seed_as}{kind} = None\n"
        if plan.base_as:
            code += f"self.{plan.base_as} = self.{plan.kept_as}.initial_seed()\n"
        self._seed = classes.statements(module, code)
        self._stored = False
        self._seeded = False

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        if original_node not in self._targets:
            return updated_node
        self._stored = True
        return updated_node.with_changes(attr=cst.Name(self._plan.kept_as))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if not self._stored or self._seeded:
            return updated_node
        self._seeded = True
        return cst.FlattenSentinel([updated_node, *self._seed])


def _property_code(plan: WorkerGenerator, get_info: str) -> str:
    returns = f" -> {plan.annotation}" if plan.annotation else ""
    return (
        "@property\n"
        f"def {plan.attribute}(self){returns}:\n"
        f"    worker = {get_info}()\n"
        f"    if worker is not None and self.{plan.seed_as} != worker.seed:\n"
        f"        {_WHY}\n"
        f"        self.{plan.seed_as} = worker.seed\n"
        f"        self.{plan.kept_as} = {plan.make}\n"
        f"    return self.{plan.kept_as}\n"
    )


def _state_code(plan: WorkerGenerator) -> str:
    returns = " -> dict[str, object]" if plan.annotation else ""
    return (
        f"def __getstate__(self){returns}:\n"
        "    state = self.__dict__.copy()\n"
        f'    state["{plan.kept_as}"] = None  # each worker creates its own generator\n'
        "    return state\n"
    )


def _call_by_name(module: cst.Module, plan: CallByName) -> cst.Module:
    value = positions.find(module, [plan.value])[plan.value]
    arguments = "*args, **kwargs" if plan.takes_arguments else ""
    code = f"def {plan.name}({arguments}):\n    return {plan.function}({arguments})\n"
    index = placement.top_level_index(module, plan.cls)
    changed = module.deep_replace(value, cst.Name(plan.name))
    assert isinstance(changed, cst.Module)
    return placement.insert_at(changed, index, classes.statements(module, code))
