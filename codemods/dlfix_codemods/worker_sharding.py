"Split the samples of an iterable dataset among the workers."

from __future__ import annotations

from typing import Any, cast

import libcst as cst

from dlfix.fixing.planners.worker_sharding import Names, ShardOutput, ShardSource
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import blocks, classes, imports, positions


class WorkerSharding(PlannedCodemod):
    """Give each worker its own share of an iterable dataset."""

    NAME = "worker_sharding"
    DESCRIPTION = "Split the samples of an iterable dataset among the workers."

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        if isinstance(plan, ShardSource):
            return _shard_source(module, plan)
        return _shard_output(module, plan)


def _shard_source(module: cst.Module, plan: ShardSource) -> cst.Module:
    found = positions.find(module, [plan.replaced, plan.source])
    statement = blocks.statement_at(module, plan.above)
    module, get_info, islice = _tools(module)
    source = module.code_for_node(found[plan.source])
    code = f"{islice}({source}, {plan.names.start}, None, {plan.names.step})"
    share = classes.statements(module, _share(plan.names, get_info))
    nodes = {found[plan.replaced]: cst.parse_expression(code)}
    return blocks.replaced(module, nodes, statement, share)


def _shard_output(module: cst.Module, plan: ShardOutput) -> cst.Module:
    found = positions.find(module, [plan.function], cst.FunctionDef)
    function = cast(cst.FunctionDef, found[plan.function])
    module, get_info, islice = _tools(module)
    (new,) = classes.statements(module, _output_code(module, function, plan, get_info, islice))
    blank = cst.EmptyLine(indent=False)
    above = new.with_changes(leading_lines=function.leading_lines)
    below = function.with_changes(name=cst.Name(plan.renamed), leading_lines=[blank])
    return module.visit(_Parted(function, [above, below]))


def _output_code(
    module: cst.Module, function: cst.FunctionDef, plan: ShardOutput, get_info: str, islice: str
) -> str:
    returns = f" -> {module.code_for_node(function.returns.annotation)}" if function.returns else ""
    start, step = plan.names.start, plan.names.step
    lines = _share(plan.names, get_info).splitlines()
    lines.append(f"return {islice}(self.{plan.renamed}(), {start}, None, {step})")
    return f"def __iter__(self){returns}:\n" + "".join(f"    {line}\n" for line in lines)


def _tools(module: cst.Module) -> tuple[cst.Module, str, str]:
    module, get_info = imports.use(module, "torch.utils.data", "get_worker_info")
    module, islice = imports.use(module, "itertools", "islice")
    return module, get_info, islice


class _Parted(cst.CSTTransformer):
    def __init__(self, function: cst.FunctionDef, parts: list[cst.BaseStatement]) -> None:
        super().__init__()
        self._function, self._parts = function, parts

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node is self._function:
            return cst.FlattenSentinel(self._parts)
        return updated_node


def _share(names: Names, get_info: str) -> str:
    worker = names.worker
    return (
        f"{worker} = {get_info}()\n"
        f"{names.start}, {names.step} = "
        f"({worker}.id, {worker}.num_workers) if {worker} else (0, 1)\n"
    )
