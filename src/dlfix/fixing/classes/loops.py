"""A loop that does nothing but fill a list or dict with handles: it moves as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dlfix.fixing.classes.facts import ClassFacts, Method
from dlfix.fixing.classes.handles import Handle, Moved
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.plans import Exchange
from dlfix.fixing.classes.text import comments_of, names_in, stored_in
from dlfix.project.module import Module
from dlfix.project.order import begins_before
from dlfix.project.syntax import ADDING, LOOPS


@dataclass(frozen=True)
class Fill:
    """One statement that puts a handle into a list or dict."""

    statement: ast.stmt
    key: ast.expr | None  # of a dict
    value: ast.expr  # what is put in
    opened: ast.expr  # the expression that opens it, the value itself or what its name stands for
    definition: ast.Assign | None  # the statement that gave it that name
    name: str = ""  # the local name that the loop knows it by


class Filled:
    """One attribute that a loop fills."""

    def __init__(self, facts: ClassFacts, method: Method, handle: Handle, mover: Mover) -> None:
        self.facts = facts
        self.module = facts.module
        self.method = method
        self.handle = handle
        self.mover = mover
        self.scope = self.module.inner_scope(method)
        self.local = local_start(facts, handle)  # where it starts under a local name
        self.start = self.local or handle.site.statement
        self.changed = stored_in(each for each in ast.walk(method) if isinstance(each, LOOPS))

    @property
    def local_name(self) -> str:
        """The local name under which it is filled, if it is."""
        value = self.handle.site.value
        return value.id if self.local is not None and isinstance(value, ast.Name) else ""

    def local_reads(self) -> list[ast.Name]:
        """Return the reads of the local name under which it is filled."""
        value = self.handle.site.value
        if self.local is None or not isinstance(value, ast.Name):
            return []
        return [
            each
            for each in ast.walk(self.method)
            if isinstance(each, ast.Name)
            and each.id == value.id
            and isinstance(each.ctx, ast.Load)
            and each is not value
        ]


class WholeLoop:
    """Plans an attribute whose loop does nothing but fill it: the loop moves as it is."""

    def __init__(self, filling: Filled, loop: ast.For) -> None:
        self.filling = filling
        self.loop = loop
        self.module = filling.module
        self.site = filling.handle.site.statement

    def run(self, leading: str) -> Moved:
        """Return the body with the loop in it, and what stays behind."""
        moved = Moved()
        attribute = self.filling.handle.attribute
        moved.bodies[attribute] = self._body(attribute)
        saves = self.filling.mover.saves.get(attribute, [])
        stay = [*saves, *([leading] if leading else [])]
        start, loop = self.filling.start, self.loop
        moved.exchanges.append(
            Exchange(self.module.span(start), "\n".join(stay), takes_comments=True)
        )
        moved.exchanges.append(Exchange(self.module.span(loop), takes_comments=True))
        if self.site is not start:
            moved.exchanges.append(Exchange(self.module.span(self.site)))
            moved.exchanges += self._read_later()
        moved.gone |= {start, loop, self.site}
        moved.kept = dict(self.filling.mover.moved.kept)
        return moved

    def _body(self, attribute: str) -> str:
        mover, value = self.filling.mover, self.filling.handle.site.value
        local = value.id if isinstance(value, ast.Name) else attribute.lstrip("_")
        if local in names_in([self.loop]) and not isinstance(value, ast.Name):
            local = "opened"
        empty = self.module.segment(getattr(self.filling.start, "value"))  # noqa: B009
        loop = mover.statement(attribute, self.loop, local)
        comments = [
            line
            for statement in (self.filling.start, self.loop)
            for line in comments_of(self.module, statement)[0]
        ]
        return "\n".join([*comments, f"{local} = {empty}", loop, f"return {local}"])

    def _read_later(self) -> Iterator[Exchange]:
        """Read the attribute where its local name was read."""
        inside = {*ast.walk(self.loop), *ast.walk(self.site)}
        for node in self.filling.local_reads():
            if node not in inside:
                read = f"{self.filling.mover.me}.{self.filling.handle.attribute}"
                yield Exchange(self.module.span(node), read, "expression")


def local_start(facts: ClassFacts, handle: Handle) -> ast.stmt | None:
    """Return the statement that starts a list or dict under a local name, if that is filled."""
    value, method = handle.site.value, handle.site.method
    if not isinstance(value, ast.Name):
        return None
    bindings = facts.module.inner_scope(method).bindings.get(value.id, [])
    if len(bindings) != 1 or not is_empty(bindings[0].value):
        return None
    filled = any(
        isinstance(node, ast.Name) and node.id == value.id and grows(facts, node)
        for node in ast.walk(method)
    )
    statement = bindings[0].statement
    return statement if filled and isinstance(statement, ast.stmt) else None


def is_empty(value: ast.expr | None) -> bool:
    """Return whether an expression is an empty list, tuple or dict."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and ast.unparse(value) in ("list()", "dict()")


def find_loop(facts: ClassFacts, method: Method, handle: Handle, start: ast.stmt) -> ast.For | None:
    """Return the one loop of a method that fills an attribute and does nothing else."""
    body = method.body
    if start not in body or handle.site.statement not in body:
        return None
    loops = [
        each
        for each in body
        if isinstance(each, ast.For) and begins_before(start, each) and not each.orelse
    ]
    names = {handle.site.value.id} if isinstance(handle.site.value, ast.Name) else set()
    filling = [each for each in loops if _mentions_of(each, handle.attribute, names)]
    if not filling or any(
        _mentions_of(each, handle.attribute, names)
        for each in body[body.index(start) + 1 : body.index(filling[0])]
    ):
        return None
    if len(filling) > 1 and any(_grows_in(facts, each, handle, names) for each in filling[1:]):
        return None
    loop = filling[0]
    own = stored_in([loop])
    if _read_outside(method, loop, own) or not _is_same_each_time(loop):
        return None
    return (
        loop
        if all(_only_fills(each, handle.attribute, names | own) for each in loop.body)
        else None
    )


def _is_same_each_time(loop: ast.For) -> bool:
    """Return whether a loop goes over the same in each process: it asks nobody but what is kept."""
    asked = [loop.iter, *(each.test for each in ast.walk(loop) if isinstance(each, ast.If))]
    calls = [each for node in asked for each in ast.walk(node) if isinstance(each, ast.Call)]
    return all(
        each.func.attr in ("items", "keys", "values", "endswith", "startswith")
        if isinstance(each.func, ast.Attribute)
        else ast.unparse(each.func) in ("enumerate", "zip", "range", "sorted", "len", "reversed")
        for each in calls
    )


def _mentions_of(node: ast.AST, attribute: str, names: set[str]) -> bool:
    return any(
        (isinstance(each, ast.Attribute) and each.attr == attribute)
        or (isinstance(each, ast.Name) and each.id in names)
        for each in ast.walk(node)
    )


def _grows_in(facts: ClassFacts, node: ast.AST, handle: Handle, names: set[str]) -> bool:
    return any(
        _mentions_of(each, handle.attribute, names) and grows(facts, each)
        for each in ast.walk(node)
        if isinstance(each, (ast.Attribute, ast.Name))
    )


def _read_outside(method: Method, loop: ast.For, own: set[str]) -> bool:
    inside = set(ast.walk(loop))
    return any(
        isinstance(each, ast.Name) and each.id in own and each not in inside
        for each in ast.walk(method)
    )


def _only_fills(statement: ast.stmt, attribute: str, names: set[str]) -> bool:
    """Return whether all a statement changes is the attribute, what it holds, or names of the loop."""
    match statement:
        case ast.Assign(targets=[ast.Name()]) | ast.Continue() | ast.Pass() | ast.Raise():
            return True
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]):
            return _is_rooted(target.value, attribute, names)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver))):
            return _is_rooted(receiver, attribute, names)
        case ast.If():
            blocks = [*statement.body, *statement.orelse]
            return all(_only_fills(each, attribute, names) for each in blocks)
        case ast.With(items=[ast.withitem(optional_vars=ast.Name())], body=block):
            return all(_only_fills(each, attribute, names) for each in block)
    return False


def _is_rooted(node: ast.expr, attribute: str, names: set[str]) -> bool:
    """Return whether an expression reads from the attribute itself or from some local names."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        if isinstance(node, ast.Attribute) and node.attr == attribute:
            return True
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


def grows(facts: ClassFacts, node: ast.AST) -> bool:
    """Return whether something is put into what a node stands for."""
    match facts.module.parent(node):
        case ast.Subscript(ctx=ast.Store()) | ast.AugAssign():
            return True
        case ast.Attribute(attr=name):
            return name in ADDING
    return False


def is_put_in_again(module: Module, made: ast.AST, put_in: ast.AST) -> bool:
    """Return whether a loop puts one object in several times: opened for each item, it would be several."""
    around = [each for each in module.ancestors(made) if isinstance(each, LOOPS)]
    return any(isinstance(a, LOOPS) and a not in around for a in module.ancestors(put_in))
