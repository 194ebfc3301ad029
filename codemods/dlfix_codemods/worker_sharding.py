"""Share a stream's samples out among the workers."""

from __future__ import annotations

from typing import Any, cast

import libcst as cst

from dlfix.fixing.planners.worker_sharding import Names, ShardOutput, ShardSource
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import blocks, classes, imports, positions


class WorkerSharding(PlannedCodemod):
    """Give each worker its own share of an iterable dataset."""

    NAME = "worker_sharding"
    DESCRIPTION = "Share a stream's samples out among the workers."

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        imported, get_info = imports.use(module, "torch.utils.data", "get_worker_info")
        islice = imports.use(imported, "itertools", "islice")[1]
        if isinstance(plan, ShardSource):
            changed = _shard_source(module, plan, get_info, islice)
        else:
            changed = _shard_output(module, plan, get_info, islice)
        changed = imports.use(changed, "torch.utils.data", "get_worker_info")[0]
        return imports.use(changed, "itertools", "islice")[0]


def _shard_source(
    module: cst.Module, plan: ShardSource, get_info: str, islice: str
) -> cst.Module:
    found = positions.find(module, [plan.replaced, plan.source])
    source = module.code_for_node(found[plan.source])
    code = f"{islice}({source}, {plan.names.start}, None, {plan.names.step})"
    statement = blocks.statement_at(module, plan.above)
    share = classes.statements(module, _share(plan.names, get_info))
    nodes = {found[plan.replaced]: cst.parse_expression(code)}
    return blocks.replaced(module, nodes, statement, share)


def _shard_output(
    module: cst.Module, plan: ShardOutput, get_info: str, islice: str
) -> cst.Module:
    function = cast(
        cst.FunctionDef, positions.find(module, [plan.function], cst.FunctionDef)[plan.function]
    )
    returns = f" -> {module.code_for_node(function.returns.annotation)}" if function.returns else ""
    names = plan.names
    code = f"def __iter__(self){returns}:\n" + "".join(
        f"    {line}\n"
        for line in [
            *_share(names, get_info).splitlines(),
            f"return {islice}(self.{plan.renamed}(), {names.start}, None, {names.step})",
        ]
    )
    (new,) = classes.statements(module, code)
    blank = cst.EmptyLine(indent=False)
    above = new.with_changes(leading_lines=function.leading_lines)
    below = function.with_changes(name=cst.Name(plan.renamed), leading_lines=[blank])
    return cast(cst.Module, module.visit(_Parted(function, [above, below])))


class _Parted(cst.CSTTransformer):
    def __init__(self, function: cst.FunctionDef, parts: list[cst.BaseStatement]) -> None:
        super().__init__()
        self._function, self._parts = function, parts

    def leave_FunctionDef(  # noqa: N802
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
