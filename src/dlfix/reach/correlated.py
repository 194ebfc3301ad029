"""Correlated branches: what one branch sets is not there in the opposite branch of the same test."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before
from dlfix.project.syntax import LOOPS, first_parameter
from dlfix.project.trees import COMPREHENSIONS, kept, walk

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.values import Passed

_MOST_TOLD = 4  # tests below a statement that say whether another took its place
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BODIES = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.expr_context, ast.cmpop)


def excluded(statement: ast.AST, use: ast.AST, module: Module) -> bool:
    """Return whether a statement has not run where a use stands: their tests come out differently."""
    asked = {
        text_of(test): held for test, held in tests_around(use, module) if _is_stable(test, module)
    }
    if not asked:
        return False
    return any(
        asked.get(text, held) is not held
        for test, held in tests_around(statement, module)
        for text in (text_of(test), _as_attribute(test, module))
    )


@kept
def _as_attribute(test: ast.expr, module: Module) -> str:
    """Return what a test of a parameter says of the attribute that keeps it: `if count`, `self.count = count`."""
    method = enclosing_function(module, test)
    if (
        not isinstance(test, ast.Name)
        or method is None
        or isinstance(method, ast.Lambda)
        or not _is_bound_once(test.id, module.scope_of(test), module)
    ):
        return ""
    me = first_parameter(method)
    for statement in method.body:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner)) as kept_as],
                value=ast.Name(id=name),
            ) if owner == me and name == test.id:
                read = ast.Attribute(ast.Name(me, ast.Load()), kept_as.attr, ast.Load())
                return text_of(read)
    return ""


def choices(steps: Iterable[Passed]) -> Mapping[object, object]:
    """Return what was decided where a value was chosen: how tests came out, which round of a loop it was."""
    found: dict[object, object] = {}
    for passed in steps:
        if passed.item is not None:
            found.setdefault(passed.node, passed.item)
        tests = (*tests_around(passed.node, passed.module), *passed.told)
        found.update({k: v for k, v in _decided(tests, passed.module) if k not in found})
    return found


def agree(one: Mapping[object, object], other: Mapping[object, object]) -> bool:
    """Return whether two values may be chosen together."""
    return all(other.get(key, decided) == decided for key, decided in one.items())


def replaced_unless(
    statement: ast.AST, replacing: Collection[ast.AST], use: ast.AST | None, module: Module
) -> tuple[tuple[ast.expr, bool], ...]:
    """Return the tests below a statement, and how they came out where `use` still has what it gave: `if debug: x = 0`.

    `replacing` are the statements that give something else.
    """
    block = module.block_of(statement) if isinstance(statement, ast.stmt) else []
    if not isinstance(statement, ast.stmt) or not block or statement is block[-1]:
        return ()
    below = block[block.index(statement) + 1 :]
    found = islice(_skipping(below, replacing, use), _MOST_TOLD)
    return tuple(told for test, held in found for told in _told(test, held))


def _skipping(
    block: Iterable[ast.stmt], replacing: Collection[ast.AST], use: ast.AST | None
) -> Iterator[tuple[ast.expr, bool]]:
    """Yield how the tests of a block came out if a branch of theirs that is sure to run a statement was not taken."""
    for each in block:
        if isinstance(each, ast.If) and (use is None or comes_before(each, use)):
            for branch, other, held in (
                (each.body, each.orelse, False),
                (each.orelse, each.body, True),
            ):
                if any(one in replacing for one in branch):
                    yield each.test, held
                    yield from _skipping(other, replacing, use)


def _decided(
    tests: Iterable[tuple[ast.expr, bool]], module: Module
) -> Iterator[tuple[object, bool]]:
    for test, held in tests:
        if _is_stable(test, module):
            yield (_binders(test, module), text_of(test)), held
        elif not _in_loop(test, module):
            yield test, held


@kept
def tests_around(node: ast.AST, module: Module) -> tuple[tuple[ast.expr, bool], ...]:
    """Return the tests that a node is under, without `not`, and how they came out."""
    return tuple(_tests_above(node, module))


def _tests_above(node: ast.AST, module: Module) -> Iterator[tuple[ast.expr, bool]]:
    child = node
    for above in module.ancestors(node):
        left = ((earlier.test, False) for earlier in leaving_before(child, above))
        for test, held in [*_branch(child, above), *left]:
            yield from _told(test, held)
        if isinstance(above, _SCOPES):
            return
        child = above


def _told(test: ast.expr, held: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield a test without `not`, and its parts, where all of them came out as it did: of `a and b` that holds."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, held = test.operand, not held
    yield test, held
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is held:
        for part in test.values:
            yield from _told(part, held)


def _branch(child: ast.AST, above: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    if isinstance(above, ast.If) and child is not above.test:
        yield above.test, child in above.body
    elif isinstance(above, ast.IfExp) and child is not above.test:
        yield above.test, child is above.body
    elif isinstance(above, ast.For) and child in above.body:
        yield from _counted(above.iter)
    elif isinstance(above, COMPREHENSIONS) and child not in above.generators:
        for each in above.generators:
            yield from _counted(each.iter)


def _counted(gone_through: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the number of rounds of `range(n)`: where there is one, it is not 0."""
    match gone_through:
        case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]):
            yield count, True


def leaving_before(child: ast.AST, above: ast.AST) -> Iterator[ast.If]:
    """Yield the statements before one in its block whose branch leaves the block."""
    for block, leaving in _leaving(above):
        if child in block:
            index = block.index(child)
            yield from (earlier for at, earlier in leaving if at < index)


@kept
def _leaving(above: ast.AST) -> tuple[tuple[list[ast.AST], list[tuple[int, ast.If]]], ...]:
    """Return the blocks of a node that have statements whose branch leaves, with these and their places."""
    found = []
    for field in _BODIES:
        block = getattr(above, field, None)
        if not isinstance(block, list):
            continue
        ifs = [(at, each) for at, each in enumerate(block) if isinstance(each, ast.If)]
        leaving = [(at, each) for at, each in ifs if isinstance(each.body[-1], _LEAVING)]
        if leaving:
            found.append((block, leaving))
    return tuple(found)


def _in_loop(node: ast.AST, module: Module) -> bool:
    for above in module.ancestors(node):
        if isinstance(above, LOOPS):
            return True
        if isinstance(above, _SCOPES):
            return False
    return False


@kept
def text_of(test: ast.expr) -> str:
    """Return what a test says, whatever its place: two that say the same have the same text."""
    return ast.dump(test)


def _is_stable(test: ast.expr, module: Module) -> bool:
    """Return whether a test comes out the same each time: of names that are bound once, in no loop."""
    if not all(isinstance(each, _PLAIN) for each in walk(test)):
        return False
    scope = module.scope_of(test)
    names = [each for each in walk(test) if isinstance(each, ast.Name)]
    attributes = [each.attr for each in walk(test) if isinstance(each, ast.Attribute)]
    return (
        bool(names)
        and all(_is_bound_once(name.id, scope, module) for name in names)
        and not any(is_set_again(attribute, module) for attribute in attributes)
    )


def _binders(test: ast.expr, module: Module) -> tuple[Scope | None, ...]:
    """Return the scopes whose variables a test reads: two tests that read the same ones come out alike.

    The `self` of a method stands for that of all methods of its class.
    """
    found: list[Scope | None] = []
    for name in (each.id for each in walk(test) if isinstance(each, ast.Name)):
        binder = module.scope_of(test).lookup(name)
        above = binder.parent if binder is not None and name == "self" else None
        found.append(above if above is not None and above.is_class else binder)
    return tuple(found)


def _is_bound_once(name: str, scope: Scope, module: Module) -> bool:
    binder = scope.lookup(name)
    bindings = binder.bindings.get(name, []) if binder is not None else []
    if binder is None or len(bindings) != 1 or name in binder.module_globals:
        return False
    if bindings[0].kind in ("parameter", "import"):
        return True
    return not _in_loop(bindings[0].statement, module)


def is_set_again(attribute: str, module: Module) -> bool:
    """Return whether code of a module sets an attribute by a name more than once."""
    stores = [
        node
        for node in module.stores_by_name.get(attribute, ())
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    return len(stores) > 1
