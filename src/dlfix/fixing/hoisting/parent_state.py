"""Callables that ask a library for what only the parent has set up: a spawned worker has no process group.

They worked in a forked worker, a copy of the parent; once they can be pickled, they would fail in a spawned one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.captures import CannotHoist, is_global
from dlfix.project.module import enclosing_function
from dlfix.project.syntax import dotted
from dlfix.project.trees import walk
from dlfix.reach.values import BoundMethod, Class, External, Function
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

_SETS_UP = "init"  # what the names of functions start with that give a worker a state of its own
_NUMBERS = frozenset({"torch.distributed.get_rank", "torch.distributed.get_world_size"})
# What fails without a process group: where it has run, the group is there.
_NEEDING = _NUMBERS | frozenset(
    {
        "torch.distributed.barrier",
        "torch.distributed.init_process_group",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.utils.data.DistributedSampler",
        "torch.utils.data.distributed.DistributedSampler",
    }
)


def refuse_asking(value: Value | None, analysis: Analysis, *, is_moved: bool = False) -> None:
    """Refuse a callable that asks for state of the parent, itself or by what it calls; one that is moved may be passed it."""
    asked: list[tuple[Module, ast.Call]] = []
    for function in WorkerCode.of(analysis).run_by(_nodes(value)):
        passed = (
            numbers_passed(function.module, function.node, analysis)
            if is_moved and function.node in _nodes(value)
            else []
        )
        for call in _of_parent(function.module, function.node, analysis):
            if (
                _name_of(call.func, function.module, analysis)
                .rpartition(".")[2]
                .startswith(_SETS_UP)
            ):
                return
            asked += [(function.module, call)] if call not in passed else []
    if asked:
        module, call = asked[0]
        raise CannotHoist(
            f"`{module.segment(call)}` asks for state that only the parent process has "
            f"({module.path.name}:{call.lineno})"
        )


def numbers_passed(module: Module, node: ast.AST, analysis: Analysis) -> list[ast.Call]:
    """Return the calls in a local function that ask for a number which is known where the function is made."""
    if not _is_set_up(module, node, analysis):
        return []
    return [
        call
        for call in _of_parent(module, node, analysis)
        if not call.args
        and not call.keywords
        and _name_of(call.func, module, analysis) in _NUMBERS
        and is_global(module, module.scope_of(call), dotted(call.func).partition(".")[0])
    ]


def _is_set_up(module: Module, node: ast.AST, analysis: Analysis) -> bool:
    """Return whether the function around a callable has surely used the process group before it makes the callable."""
    around = enclosing_function(module, node)
    statement = module.statement(node)
    while around is not None and statement is not around:
        for before in module.block_of(statement):
            if before is statement:
                break
            if isinstance(before, (ast.Assign, ast.Expr)) and any(
                _needs_group(each, module, analysis) for each in _calls_in(before.value)
            ):
                return True
        above = module.parent(statement)
        if not isinstance(above, ast.stmt):
            return False
        statement = above
    return False


def _calls_in(node: ast.expr) -> Iterator[ast.Call]:
    """Yield a call, and those that give its arguments."""
    if isinstance(node, ast.Call):
        yield node
        for each in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from _calls_in(each)


def _needs_group(call: ast.Call, module: Module, analysis: Analysis) -> bool:
    given = {"rank", "num_replicas", None}.intersection(each.arg for each in call.keywords)
    is_plain = not given and len(call.args) <= 1
    name = _name_of(call.func, module, analysis)
    return name in _NEEDING and (is_plain or not name.endswith("Sampler"))


def _nodes(value: Value | None) -> list[ast.AST]:
    match value:
        case BoundMethod(function=function):
            return [function.node]
        case Function(node=node):
            return [node]
        case Class(node=node):
            return [*node.body]
    return []


def _of_parent(module: Module, node: ast.AST, analysis: Analysis) -> list[ast.Call]:
    """Return the calls in a function that a library answers from what its process has set up."""
    return [
        each
        for each in walk(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, (ast.Name, ast.Attribute))
        and _is_of_parent(_name_of(each.func, module, analysis), analysis)
    ]


def _name_of(func: ast.expr, module: Module, analysis: Analysis) -> str:
    """Return the dotted name of what is called of a library; empty where it is not surely one thing."""
    found = analysis.evaluate(func, analysis.frame(module.scope_of(func)))
    names = {each.value.name for each in found if isinstance(each.value, External)}
    return names.pop() if len(names) == len(found) == 1 else ""


def _is_of_parent(name: str, analysis: Analysis) -> bool:
    row = analysis.catalog.function(name) if name else None
    return row is not None and row.of_parent
