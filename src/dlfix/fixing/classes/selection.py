"""Which statements of a constructor belong to the slice that opens its handles: criteria, and live values."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from dlfix.fixing.classes.facts import (
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.plans import Insert
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.text import names_in, stored_in
from dlfix.project.order import comes_before
from dlfix.project.syntax import MUTATORS, is_name, set_by_name


class Selection(Mover):
    """Knows the local values that the slice makes itself, and the statements that it takes."""

    def __init__(
        self,
        facts: ClassFacts,
        method: Method,
        handles: Mapping[str, Handle],
        around: Surroundings,
        *,
        moves_count: bool,
        unsent: Sequence[ast.stmt] = (),
    ) -> None:
        super().__init__(facts, method, handles, around)
        self.surroundings = around
        self.filling = filling_methods(facts, handles, method)
        self.unsent = unsent  # statements that no object that is sent has run
        self.moves_count = moves_count  # later methods read on from where a handle stands
        self.first = next(iter(handles))
        self.live = self._live_locals()
        self.needed = self._needed_locals()
        self.inserts: list[Insert] = []
        self.instead: dict[ast.expr, str] = {}  # what reads a value that is kept -> as what
        self.depth = 0  # of the loops that are written
        self.whole = True  # every statement that the slice takes a part of, it takes whole
        self.statements: list[ast.stmt] = []  # those of the method's block that the slice takes

    def _live_locals(self) -> set[str]:
        """Return the local names of handles, of what holds them, and of what comes of them."""
        found = {
            site.value.id
            for name in self.handles
            for site in self.facts.stores.get(name, [])
            if site.method is self.method and isinstance(site.value, ast.Name)
        }
        size = -1
        while size != len(found):
            size = len(found)
            for statement in ast.walk(self.method):
                if isinstance(statement, ast.stmt):
                    found |= self._bound_live(statement, found)
        return found | self._bound_each_time()

    def _bound_each_time(self) -> set[str]:
        """Return the local names that a loop which opens handles binds: each has one value a turn."""
        loops = [each for each in ast.walk(self.method) if isinstance(each, ast.For)]
        return {
            name
            for loop in loops
            if any(map(self._opens_one, ast.walk(loop)))
            for statement in ast.walk(loop)
            for target in _targets(statement)
            for name in stored_in([target])
        }

    def _bound_live(self, statement: ast.stmt, live: set[str]) -> set[str]:
        match statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                targets = _targets(statement)
            case ast.For(iter=value, target=target):
                targets = [target]
            case _:
                return set()
        if not self._is_live(value, live):
            return set()
        return stored_in(targets)

    def _is_live(self, value: ast.expr, live: set[str]) -> bool:
        """Return whether a value is a handle, is reached from one, is opened here, or holds such values."""
        if (held := _held(value)) is not None:
            gone_through = [
                name
                for each in getattr(value, "generators", ())
                if self._is_live(each.iter, live)
                for name in stored_in([each.target])
            ]
            return any(self._is_live(each, live.union(gone_through)) for each in held)
        root: ast.AST = value
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            if isinstance(root, ast.Call) and self._opens(root):
                return True
            root = root.func if isinstance(root, ast.Call) else root.value
        if is_self_attribute(value, self.me) or isinstance(value, ast.Name):
            return self._is_handle(value, live)
        return isinstance(root, ast.Name) and (
            root.id in live or (root.id == self.me and self._reads_handle(value))
        )

    def _reads_handle(self, value: ast.expr) -> bool:
        node: ast.AST = value
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            if is_self_attribute(node, self.me):
                return node.attr in self.handles
            node = node.func if isinstance(node, ast.Call) else node.value
        return False

    def _is_handle(self, node: ast.AST, live: set[str]) -> bool:
        if is_self_attribute(node, self.me):
            return bool(node.attr in self.handles)
        return isinstance(node, ast.Name) and node.id in live

    def _opens(self, call: ast.Call) -> bool:
        """Return whether a call opens something, or makes something of what is opened for it."""
        if self.inputs is None:
            return False
        given = [*call.args, *(each.value for each in call.keywords)]
        calls = [each for each in given if isinstance(each, ast.Call)]
        opened = [each for each in calls if not self._reads_handle(each)]
        return any(self.inputs.opens(each) for each in (call, *opened))

    def _needed_locals(self) -> set[str]:
        """Return the live local names that what sets the handles reads, directly or not."""
        needed: set[str] = set()
        todo = [
            each
            for each in ast.walk(self.method)
            if self._opens_one(each) or self._sets_up(each, self.live)
        ]
        while todo:
            statement = todo.pop()
            names = names_in([statement]) & self.live - needed
            needed |= names
            for each in ast.walk(self.method):
                if isinstance(each, ast.For) and stored_in([each.target]) & names:
                    todo.append(each.iter)
                elif isinstance(each, ast.stmt) and self._binds(each, names):
                    todo.append(each)
        return needed

    def _binds(self, statement: ast.stmt, names: set[str]) -> bool:
        """Return whether a statement binds one of some local names, or changes what one holds."""
        bound = stored_in(_targets(statement))
        return not names.isdisjoint(bound) or self._changed(statement) in names

    def _changed(self, statement: ast.stmt) -> str:
        """Return the local name of a collection written here, in which a statement changes what it holds."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))):
                changed = attr in MUTATORS
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                changed = True
            case _:
                return ""
        values = (each.value for each in self.scope.bindings.get(name, ()))
        written = any(each is not None and _held(each) is not None for each in values)
        return name if changed and written else ""

    def _sets(self, node: ast.AST) -> bool:
        """Return whether a statement sets a handle, or puts one into what holds several."""
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            return self._sets_by_name(node) or any(
                self._is_set(each) for one in _targets(node) for each in ast.walk(one)
            )
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=name))):
                return name in MUTATORS and self._holds_several(holder)
            case ast.Expr(value=ast.Call() as call):
                return self._sets_by_name(call)
        return False

    def _sets_by_name(self, node: ast.AST) -> bool:
        found = set_by_name(node)
        return found is not None and is_name(found.owner, self.me) and found.name in self.handles

    def _is_set(self, target: ast.AST) -> bool:
        match target:
            case ast.Subscript(value=holder, ctx=ast.Store()):
                return self._holds_several(holder)
            case ast.Attribute(ctx=ast.Store()):
                return is_self_attribute(target, self.me) and target.attr in self.handles
        return False

    def _holds_several(self, node: ast.AST) -> bool:
        if is_self_attribute(node, self.me):
            return node.attr in self.handles and bool(self.handles[node.attr].container)
        stored = (
            site.value.id
            for name, handle in self.handles.items()
            for site in self.facts.stores.get(name, [])
            if handle.container and isinstance(site.value, ast.Name)
        )
        return isinstance(node, ast.Name) and node.id in stored

    def _opens_one(self, node: ast.AST) -> bool:
        """Return whether a statement sets a handle, or calls a method that does."""
        return self._sets(node) or self._filler(node) is not None

    def _filler(self, node: ast.AST) -> Method | None:
        """Return the method that a statement calls, and that puts handles into what holds several."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) as func)):
                return self.filling.get(name) if is_self_attribute(func, self.me) else None
        return None

    def _takes_inside(self, statement: ast.stmt) -> bool:
        return any(
            self._opens_one(each) or (isinstance(each, ast.stmt) and self._binds(each, self.needed))
            for each in ast.walk(statement)
        )

    def _sets_up(self, statement: ast.AST, live: set[str]) -> bool:
        """Return whether an assignment sets an attribute of a handle, or of a part of one."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        return any(
            isinstance(each, ast.Attribute) and self._is_handle(_root(each.value, self.me), live)
            for each in targets
        )

    def _is_done_to_handle(self, call: ast.Call) -> bool:
        """Return whether a call configures a handle, or moves its position."""
        if not isinstance(call.func, ast.Attribute):
            return False
        receiver, name = call.func.value, call.func.attr
        if not self._is_handle(receiver, self.needed):
            return False
        if name in ("enter_context", "push", "callback"):
            return True  # an exit stack, which closes what is opened with it
        handle = self._handle_of(receiver)
        if name == handle.close or name in ("close", "release", "shutdown"):
            raise Refusal(f"the constructor closes the resource ({self.facts.line(call)})")
        return self._is_setting(call, name, handle) or (
            name in handle.position and self._counts(call)
        )

    def _handle_of(self, receiver: ast.AST) -> Handle:
        if is_self_attribute(receiver, self.me):
            return self.handles[receiver.attr]
        for name, handle in self.handles.items():
            for site in self.facts.stores.get(name, []):
                if isinstance(site.value, ast.Name) and site.value.id == getattr(
                    receiver, "id", ""
                ):
                    return handle
        return self.handles[self.first]

    def _helps(self, call: ast.Call) -> bool:
        """Return whether a call of a method sets up, or sets, handles and nothing else."""
        if not is_self_attribute(call.func, self.me) or call.func.attr not in self.facts.methods:
            return False
        reached = self.facts.reached([call.func.attr])
        used = {n for name in reached for n in self_names_used(self.facts.methods[name])}
        if not used & self.handles.keys():
            return False
        for name, sites in self.facts.stores.items():
            for site in sites:
                if site.method.name in reached and name not in self.handles:
                    where = self.facts.line(site.statement)
                    raise Refusal(f"`{call.func.attr}` sets `{name}` as well ({where})")
        return True

    def _moves(self, call: ast.Call) -> bool:
        match call:
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)):
                return self._is_handle(receiver, self.needed) and (
                    name in self._handle_of(receiver).position
                )
            case ast.Call(func=ast.Name(id="next"), args=[receiver, *_]):
                return self._is_handle(receiver, self.needed)
        return False

    def _counts(self, call: ast.Call) -> bool:
        """Return whether it counts where a call leaves a handle: something is opened over it, or reads on."""
        if self.moves_count:
            return True
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]
        following = [each for each in ast.walk(self.method) if self._sets(each)]
        return any(
            comes_before(call, opening) and ast.dump(given) == ast.dump(receiver)
            for each in following
            for opening in ast.walk(each)
            if isinstance(opening, ast.Call)
            for given in ast.walk(opening)
            if getattr(self.module.parent(given), "attr", "") != "fileno"
        )


def filling_methods(
    facts: ClassFacts, handles: Mapping[str, Handle], start: Method
) -> dict[str, Method]:
    """Return the methods, other than one that starts, that put handles into what holds several."""
    several = {name for name, handle in handles.items() if handle.container}
    return {
        name: method
        for name, method in facts.methods.items()
        if method is not start
        and name in facts.started
        and not method.decorator_list
        and any(_puts_into(node, self_name(method), several) for node in ast.walk(method))
    }


def _puts_into(node: ast.AST, me: str, names: Collection[str]) -> bool:
    match node:
        case ast.Subscript(value=holder, ctx=ast.Store()):
            pass
        case ast.Call(func=ast.Attribute(value=holder, attr=attr)) if attr in MUTATORS:
            pass
        case _:
            return False
    return is_self_attribute(holder, me) and holder.attr in names


def _held(value: ast.expr) -> list[ast.expr] | None:
    """Return what a list, a tuple, a dict or a set is written to hold; None for other expressions."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return parts
        case ast.Dict(values=parts):
            return parts
        case (
            ast.ListComp(elt=part)
            | ast.SetComp(elt=part)
            | ast.GeneratorExp(elt=part)
            | ast.DictComp(value=part)
        ):
            return [part]
    return None


def _root(node: ast.expr, me: str) -> ast.expr:
    """Return the name, or the attribute of `self`, that an attribute or an item is a part of."""
    while isinstance(node, (ast.Attribute, ast.Subscript)) and not is_self_attribute(node, me):
        node = node.value
    return node


def _targets(statement: ast.AST) -> list[ast.expr]:
    """Return what an assignment binds."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []


def is_stored(node: ast.Name) -> bool:
    """Return whether a name is bound where it stands."""
    return isinstance(node.ctx, ast.Store)
