"""Arguments of loaders that were taken away: only where the dataset is surely one that refuses them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import bound_in, dotted, executed, last_part
from dlfix.fixing.proof.writes import values_of
from dlfix.project.module import Module
from dlfix.project.trees import said

_OF_ORDER = frozenset({"shuffle", "sampler", "batch_sampler"})
_STREAMS = frozenset("IterableDataset IterDataPipe ChainDataset IterableWrapper WebDataset".split())
_FAR = 4


def check(change: FileChange) -> Iterator[Regression]:
    """Yield loaders that lost their order though their dataset may have one."""
    had = [c for c in change.before.calls if _order(c)]
    left = [said(c) for c in change.after.calls]
    for call in had:
        if said(call) in left:
            continue
        after = _same_call(change.after, call)
        if after is None:
            continue
        lost = {k.arg for k in _order(call)} - {k.arg for k in _order(after)}
        if (
            not lost
            or _order(after)
            or (not after.args and not any(k.arg == "dataset" for k in after.keywords))
        ):
            continue
        dataset = (
            next((k.value for k in after.keywords if k.arg == "dataset"), None) or after.args[0]
        )
        if not surely_streams(change.new, change.after, dataset):
            name = min(filter(None, lost))
            yield change.regression(
                dotted(call.func),
                after,
                f"`{name}` is no longer passed (line {after.lineno}), but the dataset may "
                "require it",
            )


def _order(call: ast.Call) -> list[ast.keyword]:
    return [k for k in call.keywords if k.arg in _OF_ORDER and not _is_neutral(k.value)]


def _is_neutral(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def _same_call(module: Module, call: ast.Call) -> ast.Call | None:
    """Return the call after that is the same, but for keywords."""
    kept = {said(k) for k in call.keywords}
    for other in module.calls:
        if said(other.func) != said(call.func) or len(other.args) != len(call.args):
            continue
        same = all(said(a) == said(b) for a, b in zip(other.args, call.args, strict=True))
        if same and {said(k) for k in other.keywords} < kept:
            return other
    return None


def surely_streams(program: Program, module: Module, node: ast.expr, far: int = _FAR) -> bool:
    """Return whether all that an expression may be is an iterable dataset."""
    if far == 0:
        return False
    if isinstance(node, ast.IfExp):
        return all(surely_streams(program, module, n, far - 1) for n in (node.body, node.orelse))
    if isinstance(node, ast.Call):
        return _made_by(program, module, node, far)
    name = dotted(node)
    if not name:
        return False
    function = program.enclosing(module, node)
    values = values_of(program, module, node, name)
    if not values and (function is None or name not in bound_in(function)):
        values = [
            s.value
            for s in executed(module.tree.body)
            if isinstance(s, ast.Assign) and any(dotted(t) == name for t in s.targets)
        ]
    if not values and "." in name:
        values = [
            s.value for s in module.nodes(ast.Assign) if any(dotted(t) == name for t in s.targets)
        ]
    return bool(values) and all(surely_streams(program, module, v, far - 1) for v in values)


def _made_by(program: Program, module: Module, call: ast.Call, far: int) -> bool:
    cls = program.class_of(module, call.func)
    if cls is not None:
        return is_stream(program, cls)
    found = program.function_of(module, call.func)
    if found is not None:
        returned = [
            n.value
            for n in executed(found[1].body)
            if isinstance(n, ast.Return) and n.value is not None
        ]
        return bool(returned) and all(
            surely_streams(program, found[0], v, far - 1) for v in returned
        )
    return last_part(call.func) in _STREAMS


def is_stream(program: Program, cls: Class) -> bool:
    """Return whether a class derives from an iterable dataset."""
    return bool(set(program.unknown_bases(cls)) & _STREAMS) or any(
        each.name in _STREAMS for each in program.lineage(cls)
    )
