"""Assignments that left the guard of the main module: each process makes them, before all that the guard does."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from dlfix.fixing.proof import made_early
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    MUTATING,
    dotted,
    executed,
    last_part,
    parameters,
    stored_names,
)
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.trees import said

_PLAIN = (
    ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.JoinedStr, ast.FormattedValue, ast.Starred,
    ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.keyword,
    ast.comprehension, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, *COMPREHENSIONS,
)  # fmt: skip
_SAME = frozenset(
    "len range dict list tuple set frozenset str int float bool enumerate zip sorted reversed min max sum abs round slice"
    " pathlib.Path collections.OrderedDict collections.defaultdict os.cpu_count multiprocessing.cpu_count torch.device"
    " torch.cuda.is_available torch.cuda.device_count numpy.array numpy.asarray numpy.zeros numpy.ones numpy.full"
    " numpy.arange numpy.linspace numpy.eye numpy.float32 numpy.int64 numpy.uint8".split()
)
_OF_TEXTS = frozenset("format join split strip replace upper lower copy items keys values".split())
_UNCHANGED = frozenset(
    "len str int float bool min max sum abs round join Path device is_available".split()
)
_LOOKUPS = frozenset("globals vars locals exec eval".split())
_OF_THE_PROCESS = frozenset({"import:environ", "import:chdir"})
Changes = Callable[[ast.stmt], Mapping[str, int]]


def check(
    change: FileChange, at_import: Sequence[ast.stmt], guards: Sequence[ast.If], changes: Changes
) -> Iterator[Regression]:
    """Yield what left a guard and is not the same in each process, or may be something else before the guard runs.

    `at_import` is what runs on import after the fix; `changes` says what a statement of before changes.
    """
    for guard in guards:
        left = _left(change, guard, at_import)
        for node, why in _not_alike(change, guard, left, changes):
            yield change.regression(
                said(node),
                node,
                f"{why} (line {node.lineno} before the fix), and ran under the main guard",
            )


def _left(change: FileChange, guard: ast.If, at_import: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a guard that run on import after the fix, and that no definition is."""
    before = Counter(said(each) for each in change.before.tree.body)
    added = Counter(said(each) for each in at_import) - before
    kinds = (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
    return [each for each in guard.body if added[said(each)] and not isinstance(each, kinds)]


def _not_alike(
    change: FileChange, guard: ast.If, left: Sequence[ast.stmt], changes: Changes
) -> Iterator[tuple[ast.stmt, str]]:
    module = change.before
    changed: set[str] = set()
    for node in guard.body:
        if not any(node is each for each in left):
            changed |= {*changes(node)}
            continue
        read = {each.id for each in executed(node) if isinstance(each, ast.Name)}
        own = stored_names(node)
        if not _is_plain_assignment(module, node):
            yield (
                node,
                "a statement does more than to compute a value that is the same in each process",
            )
        elif read & changed or (_OF_THE_PROCESS & changed and _calls(node)):
            yield node, "a value depends on what is changed before"
        elif any(_is_changed(module, name, left) for name in own):
            yield node, "a value is changed elsewhere"
        elif own & {*dir(builtins)}:
            yield node, "a value has the name of a function of Python"
    if _of_sets(left):
        yield left[0], "a value may be in the order of a set"
    if left and any(module.calls_by_name.get(name) for name in _LOOKUPS):
        yield left[0], "names are looked up that are not spelled"
    yield from (
        (node, "a setting is made before")
        for node in made_early.below_settings(change, guard.body, left)
    )


def _of_sets(left: Sequence[ast.stmt]) -> bool:
    """Return whether some statements make sets, which go through their items in another order in each process."""
    return any(
        isinstance(each, (ast.Set, ast.SetComp)) or last_part(each) in ("set", "frozenset")
        for node in left
        for each in ast.walk(node)
    )


def _calls(node: ast.stmt) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _is_plain_assignment(module: Module, node: ast.stmt) -> bool:
    """Return whether a statement gives names what is computed from constants and names alone."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            targets = [target]
        case _:
            return False
    flat = [each for target in targets for each in _parts(target)]
    return all(isinstance(each, ast.Name) for each in flat) and _is_plain(module, value)


def _parts(target: ast.expr) -> list[ast.expr]:
    inner = target.elts if isinstance(target, (ast.Tuple, ast.List)) else None
    return [target] if inner is None else [part for each in inner for part in _parts(each)]


def _is_plain(module: Module, value: ast.AST) -> bool:
    if isinstance(value, ast.Call):
        given = [*value.args, *value.keywords]
        return _gives_the_same(module, value) and all(_is_plain(module, each) for each in given)
    if isinstance(value, ast.Attribute):
        owner, _, _ = imported_as(module, value).rpartition(".")
        return owner in ("torch", "numpy", "math", "string")
    return isinstance(value, _PLAIN) and all(
        _is_plain(module, each) for each in ast.iter_child_nodes(value)
    )


def _gives_the_same(module: Module, call: ast.Call) -> bool:
    full = imported_as(module, call.func) or dotted(call.func)
    if full in _SAME or full.startswith("os.path."):
        return True
    func = call.func
    return (
        isinstance(func, ast.Attribute) and func.attr in _OF_TEXTS and _is_plain(module, func.value)
    )


def _is_changed(module: Module, name: str, left: Sequence[ast.stmt]) -> bool:
    """Return whether code sets a name once more, or changes what it holds."""
    own = {id(each) for node in left for each in ast.walk(node)}
    for node in (each for each in module.nodes_by_name.get(name, ()) if isinstance(each, ast.Name)):
        if id(node) not in own and not isinstance(node.ctx, ast.Load):
            return True
        above = module.parent(node)
        inner: ast.AST = node
        while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is inner:
            if not isinstance(above.ctx, ast.Load) or last_part(above) in MUTATING:
                return True
            inner, above = above, module.parent(above)
        if isinstance(above, ast.AugAssign) and above.target is inner:
            return True
        if not _is_of_constants(left, name) and _is_handed_on(module, node):
            return True
    return any(
        name in each.names for each in module.nodes(ast.Global) if isinstance(each, ast.Global)
    )


def _is_of_constants(left: Sequence[ast.stmt], name: str) -> bool:
    """Return whether what a name is given cannot change: no list, dict or array."""
    given = [each for node in left if name in stored_names(node) for each in ast.walk(node)]
    return not any(
        isinstance(each, (ast.List, ast.Dict, *COMPREHENSIONS))
        or (isinstance(each, ast.Call) and last_part(each.func) not in _UNCHANGED)
        for each in given
    )


def _is_handed_on(module: Module, node: ast.Name) -> bool:
    """Return whether what a name holds gets another name, or is passed to a function that changes it."""
    above = module.parent(node)
    if isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is node:
        return True
    if not isinstance(above, ast.Call) or node not in above.args:
        return False
    at = above.args.index(node)
    called = (
        each
        for each in module.nodes(*FUNCTIONS)
        if isinstance(each, FUNCTIONS) and each.name == last_part(above.func)
    )
    return any(
        _changes_in_place(each, name)
        for each in called
        for name in parameters(each)[at : at + 2]  # a method has its object before
    )


def _changes_in_place(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(each, (ast.Attribute, ast.Subscript))
        and isinstance(each.value, ast.Name)
        and each.value.id == name
        and (not isinstance(each.ctx, ast.Load) or last_part(each) in MUTATING)
        for each in ast.walk(function)
    )


__all__ = ["check"]
