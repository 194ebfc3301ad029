"""Entries that move from one container to another: `update(options)`, `kept[name] = options[name]`.

What is moved keeps the place it was written at, with the statement that moved it as a place passed.
In a loop over several keys each key goes with the values of its own round.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from dlfix.project.bodies import FUNCTIONS
from dlfix.project.module import Module
from dlfix.project.trees import COMPREHENSIONS, kept, walk
from dlfix.reach.access_paths import ALL_OF
from dlfix.reach.conditions import outcome
from dlfix.reach.correlated import tests_around, text_of
from dlfix.reach.evaluator import Item
from dlfix.reach.narrowing import facts_of, left_by
from dlfix.reach.values import (
    Argument,
    Bound,
    Constant,
    Container,
    Frame,
    Passed,
    Reached,
    Unknown,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

_MORE: Item = (None, Unknown())  # what else may be in it
_VIEWS = frozenset({"items", "keys"})


def entries(key: object, value: ast.expr, frame: Frame, interpreter: Evaluator) -> Iterator[Item]:
    """Yield what an addition puts into a container: one item, or all that another one holds."""
    if key is ALL_OF:
        yield from _all_of(value, frame, interpreter)
    elif isinstance(key, ast.expr):
        yield from under(key, value, frame, interpreter)
    else:
        yield key, Bound(value, frame)


def _all_of(value: ast.expr, frame: Frame, interpreter: Evaluator) -> Iterator[Item]:
    passed = Passed(frame.module, frame.module.statement(value), "")
    for reached in interpreter.evaluate(value, frame):
        held = reached.value
        if isinstance(held, Container) and held.kind == "dict":
            for key, item in held.items:
                yield key, with_steps(item, (*reached.steps, passed))
            if held.is_open:
                yield _MORE
        else:
            for item in interpreter.items(held, value, frame):
                yield None, with_steps(item, reached.steps)


def with_steps(item: Argument, steps: tuple[Passed, ...]) -> Argument:
    """Return an item with the places passed on the way to it."""
    if not steps or not isinstance(item, Bound):
        return item
    return Bound(item.node, item.frame, (*item.passed, *steps), item.rounds)


def under(key: ast.expr, value: ast.expr, frame: Frame, interpreter: Evaluator) -> Iterator[Item]:
    """Yield the items that `{key: value}` makes: in a loop one for each key that is known."""
    found = list(interpreter.evaluate(key, frame))
    for reached in left_by_tests(key, found, frame, interpreter):
        known = reached.value.value if isinstance(reached.value, Constant) else None
        yield known, Bound(value, frame, (), rounds(reached))
    if not found:
        yield None, Bound(value, frame)
    if _goes_over_more(key, frame, interpreter):
        yield _MORE


def is_computed(item: Argument) -> bool:
    """Return whether the key of an item is not the one constant that is written with it."""
    if not isinstance(item, Bound):
        return False
    match item.frame.module.parent(item.node):
        case ast.DictComp():
            return True
        case ast.Assign(targets=[ast.Subscript(slice=key), *_]):
            return not isinstance(key, ast.Constant)
    return False


def left_by_tests(
    key: ast.expr, found: list[Reached], frame: Frame, interpreter: Evaluator
) -> list[Reached]:
    """Return those values of a name for which no test around it says otherwise."""
    if not isinstance(key, ast.Name):
        return found
    return left_by(facts_of(key, frame.module), found, frame, interpreter)


def _goes_over_more(key: ast.expr, frame: Frame, interpreter: Evaluator) -> bool:
    """Return whether a key is from a loop over a mapping that may hold more than what is in view."""
    for source in _looped_over(key, frame.module):
        match source:
            case ast.Call(func=ast.Attribute(value=mapping, attr=view), args=[]) if view in _VIEWS:
                return interpreter.displays.is_open(Bound(mapping, frame))
            case _:
                held = interpreter.containers(Bound(source, frame))
                return any(each.is_open for each in held)
    return False


def _looped_over(key: ast.expr, module: Module) -> Iterator[ast.expr]:
    """Yield what the loops around a name go over whose target it is, the innermost first."""
    for above in module.ancestors(key):
        loops: Sequence[ast.For | ast.AsyncFor | ast.comprehension] = ()
        if isinstance(above, (ast.For, ast.AsyncFor)):
            loops = [above]
        elif isinstance(above, COMPREHENSIONS):
            loops = above.generators
        for loop in loops:
            names = {each.id for each in walk(loop.target) if isinstance(each, ast.Name)}
            if isinstance(key, ast.Name) and key.id in names:
                yield loop.iter


def rounds(reached: Reached) -> tuple[Passed, ...]:
    """Return the rounds of loops that a value is of."""
    return tuple(step for step in reached.steps if step.item is not None)


def of_rounds(found: Iterable[Reached], wanted: tuple[Passed, ...]) -> Iterator[Reached]:
    """Yield the values that may be of certain rounds of loops; from there on no loop is around them."""
    item_of = {step.node: step.item for step in wanted}
    for one in found:
        if all(item_of.get(step.node, step.item) == step.item for step in rounds(one)):
            left = tuple(s for s in one.steps if s.item is None or s.node not in item_of)
            yield Reached(one.value, left)


# What a call gets of a dict to which statements around the call add


def at_call(items: Iterable[Item], call: ast.Call, frame: Frame) -> list[Item]:
    """Return the items a dict may have at a call: not those put in later, nor those replaced before."""
    found: dict[int, Item] = {}
    places: dict[object, list[int]] = {}
    orders: dict[ast.stmt, _Order | None] = {}
    for place, (key, item) in enumerate(items):
        statement = _put_by(item, frame)
        if statement is not None and statement not in orders:
            orders[statement] = _order(statement, call, frame.module)
        order = orders[statement] if statement is not None else None
        if order is _Order.AFTER:
            continue
        known = key if isinstance(key, Hashable) else repr(key)
        if order is _Order.BEFORE:
            for replaced in places.pop(known, ()):
                del found[replaced]
        found[place] = key, item
        places.setdefault(known, []).append(place)
    return list(found.values())


def lacked(
    mappings: Sequence[tuple[Container, tuple[Passed, ...]]],
    call: ast.Call,
    frame: Frame,
    interpreter: Evaluator,
) -> dict[str, tuple[Passed, ...]]:
    """Return the names that a mapping need not have at a call, each with how such a mapping is chosen."""
    found: dict[str, tuple[Passed, ...]] = {}
    names = sorted({key for one, _ in mappings for key, _ in one.items if isinstance(key, str)})
    for mapping, steps in mappings:
        items = at_call(mapping.items, call, frame)
        puts: dict[object, list[Argument]] = {}
        for key, item in items:
            if key is None or isinstance(key, str):
                puts.setdefault(key, []).append(item)
        is_open = mapping.is_open or None in puts
        for name in names:
            put = puts.get(name, [])
            left_out = not put and not is_open
            if len(put) == 1:
                left_out = _may_be_left_out(name, put[0], call, frame, interpreter)
            if left_out:
                found[name] = steps
    return found


def _may_be_left_out(
    name: str, item: Argument, call: ast.Call, frame: Frame, interpreter: Evaluator
) -> bool:
    """Return whether what puts an item into a dict is under a test that asks of something else."""
    statement, module = _put_by(item, frame), frame.module
    if statement is None and isinstance(item, Bound):  # in the function that made the dict
        statement, module = _put_by(item, item.frame), item.frame.module
    elif statement is not None and _order(statement, call, module) is not None:
        return False
    asked = _asked_only_there(statement, call, frame, module) if statement is not None else []
    if statement is None or not asked:
        return False
    decided = {text_of(test) for test, _ in tests_around(call, frame.module)}
    put_into = _put_into(statement)
    return all(
        text_of(test) not in decided
        and not _mentions(test, name, put_into)
        and outcome(test, item.frame if isinstance(item, Bound) else frame, interpreter) is not True
        for test in asked
    )


def _asked_only_there(
    statement: ast.stmt, call: ast.Call, frame: Frame, module: Module
) -> list[ast.expr]:
    """Return the tests around a statement that are not around a call; none where a branch or a loop is in between."""
    around = {call, *frame.module.ancestors(call)}
    child: ast.AST = statement
    asked: list[ast.expr] = []
    for above in module.ancestors(statement):
        if above in around or isinstance(above, FUNCTIONS):
            break
        if not isinstance(above, ast.If) or above.orelse or child not in above.body:
            return []
        asked.append(above.test)
        child = above
    return asked


@kept
def _put_into(statement: ast.stmt) -> str | None:
    """Return the dict that a statement puts something into, as text."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=held)]):
            return ast.unparse(held)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held))):
            return ast.unparse(held)
    return None


def _mentions(test: ast.expr, name: str, put_into: str | None) -> bool:
    """Return whether a test asks of a name in a dict, or of the dict."""
    return name in _constants_in(test) or put_into in _texts_in(test)


@kept
def _constants_in(test: ast.expr) -> frozenset[str]:
    constants = (node.value for node in walk(test) if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


@kept
def _texts_in(test: ast.expr) -> frozenset[str]:
    """Return the expressions in a test as texts: worked out once, for it is asked for each name at each call."""
    return frozenset(ast.unparse(node) for node in walk(test) if isinstance(node, ast.expr))


def _put_by(item: Argument, frame: Frame) -> ast.stmt | None:
    """Return the statement of a frame that puts an item into a dict, after the dict was made."""
    if not isinstance(item, Bound):
        return None
    module = frame.module
    merging = _merging(item, module)
    if merging is None:
        if item.frame.module is not module:
            return None
        above = module.parent(item.node)
        above = module.parent(above) if isinstance(above, ast.keyword) else above
        if not _puts(above):
            return None
        merging = module.statement(item.node)
    same = module.scope_of(merging) is frame.scope
    return merging if same and isinstance(merging, ast.stmt) else None


def _merging(item: Bound, module: Module) -> ast.AST | None:
    """Return the last statement of a module that an item passed which merges one mapping into another."""
    for step in reversed(item.passed):
        if step.module is module and isinstance(step.node, (ast.Expr, ast.AugAssign)):
            return step.node
    return None


def _puts(node: ast.AST | None) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="update")):
            return True
        case ast.Assign(targets=[ast.Subscript()]):
            return True
    return False


class _Order(Enum):
    """How a statement stands to a call of the same function."""

    BEFORE = 1  # it has surely run when the call is made
    AFTER = 2  # it has surely not run


@kept
def _order(statement: ast.stmt, call: ast.Call, module: Module) -> _Order | None:
    line = {statement, *module.ancestors(statement)}
    child: ast.AST = call
    for above in module.ancestors(call):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(above, field, None)
            if not isinstance(block, list) or child not in block:
                continue
            other = next((each for each in block if each in line), None)
            if other is None or other is child:
                continue
            if block.index(other) < block.index(child):
                whole = other is statement or (
                    isinstance(other, ast.For) and statement in other.body
                )
                return _Order.BEFORE if whole else None
            return None if _is_in_loop(block[0], module) else _Order.AFTER
        child = above
    return None


def _is_in_loop(node: ast.AST, module: Module) -> bool:
    """Return whether a statement may run again in the same call of its function."""
    for above in module.ancestors(node):
        if isinstance(above, (ast.For, ast.AsyncFor, ast.While)):
            return True
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
    return False
