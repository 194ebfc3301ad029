"""Callables that can be sent now, and ask a library for what only the parent has set up.

A forked worker is a copy of the parent and has its process group; a spawned one has none, and no error of pickle stops the
program before that any more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, last_part, within
from dlfix.fixing.proof.unbound import functions_of
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module

_MOST = 200  # functions and classes that one callable runs
_SETS_UP = "init"  # what the names of functions start with that give a worker a state of its own
_NUMBERS = frozenset({"torch.distributed.get_rank", "torch.distributed.get_world_size"})
_NEEDING = _NUMBERS | frozenset(
    {
        "torch.distributed.barrier",
        "torch.distributed.init_process_group",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.utils.data.DistributedSampler",
        "torch.utils.data.distributed.DistributedSampler",
    }
)
# Decorators by which pickle finds a function.
_MAKES_SENDABLE = frozenset({"wraps", "staticmethod"})


def check(change: FileChange) -> Iterator[Regression]:
    """Yield what a worker would ask that only the parent has."""
    for node in _sent_now(change):
        calls = list(_of_parent(change.new, change.after, node))
        if any(last_part(call.func).startswith(_SETS_UP) for _, call in calls):
            continue
        for module, call in calls[:1]:
            yield change.regression(
                node.name,
                node,
                f"`{ast.unparse(call)}` asks for state that only the parent process has "
                f"({module.path.name}:{call.lineno})",
            )


def _sent_now(change: FileChange) -> Iterator[Function | ast.ClassDef]:
    """Yield the functions and classes of a file that pickle finds by their names, and did not before."""
    had = {
        node.name
        for node in change.before.tree.body
        if isinstance(node, (*FUNCTIONS, ast.ClassDef))
    }
    for node in change.after.tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name not in had:
            yield node
    before = functions_of(change.before)
    for name, function in functions_of(change.after).items():
        if name in before and not _decorators(function) <= _decorators(before[name]):
            yield function


def _decorators(function: Function) -> frozenset[str]:
    names = (
        last_part(each.func if isinstance(each, ast.Call) else each)
        for each in function.decorator_list
    )
    return _MAKES_SENDABLE.intersection(names)


def _of_parent(
    program: Program, module: Module, start: ast.AST
) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls, in a callable and in what it calls, that a library answers from what its process has set up."""
    seen: list[ast.AST] = [start]
    waiting = [(module, start)]
    while waiting and len(seen) < _MOST:
        where, node = waiting.pop()
        for call in within(node):
            if not isinstance(call, ast.Call):
                continue
            row = load().function(ImportTime(where.tree).full_name(call.func))
            if row is not None and row.of_parent:
                yield where, call
            found = _called(program, where, call)
            if found is not None and not any(found[1] is each for each in seen):
                seen.append(found[1])
                waiting.append(found)


def _called(program: Program, module: Module, call: ast.Call) -> tuple[Module, ast.AST] | None:
    """Return the function or class of the program that a call runs."""
    if isinstance(call.func, ast.Attribute):
        owner = program.class_of_self(module, call.func.value)
        method = program.method(owner, call.func.attr) if owner is not None else None
        if method is not None:
            return method[0].module, method[1]
    return program.resolve(module, call.func)


def is_number_of_parent(module: Module, call: ast.Call) -> bool:
    """Return whether a call gives the same number as long as the process group lasts, which surely is there by then."""
    names = ImportTime(module.tree)
    if call.args or call.keywords or names.full_name(call.func) not in _NUMBERS:
        return False
    statement = module.statement(call)
    while not isinstance(module.parent(statement), ast.Module):
        block = module.block_of(statement)
        for before in block[: block.index(statement)]:
            if isinstance(before, (ast.Assign, ast.Expr)) and _uses_group(before.value, names):
                return True
        above = module.parent(statement)
        if not isinstance(above, ast.stmt) or isinstance(above, FUNCTIONS):
            return False
        statement = above
    return False


def _uses_group(value: ast.expr, names: ImportTime) -> bool:
    """Return whether an expression calls, or passes to a call, what fails without a process group."""
    if not isinstance(value, ast.Call):
        return False
    keywords = {each.arg for each in value.keywords}
    name = names.full_name(value.func)
    has_rank = name.endswith("Sampler") and (
        len(value.args) > 1 or keywords & {"rank", "num_replicas", None}
    )
    given = (*value.args, *(each.value for each in value.keywords))
    return (name in _NEEDING and not has_rank) or any(_uses_group(each, names) for each in given)


__all__ = ["check", "is_number_of_parent"]
