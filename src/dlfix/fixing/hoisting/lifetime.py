"""When a captured name is bound, and who still holds the function when it is bound anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.module import Module
from dlfix.project.scopes import Binding, Scope

Loop = ast.For | ast.AsyncFor | ast.While
_CONSUMERS = {"list", "tuple", "set", "dict", "sum", "len", "next", "print", "sorted", "min", "max"}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def line_of(binding: Binding) -> int:
    """Return the line a name is bound at."""
    return int(getattr(binding.node, "lineno", getattr(binding.statement, "lineno", 1)))


def common_loop(module: Module, node: ast.AST, binding: Binding, binder: Scope) -> ast.AST | None:
    """Return the loop that both makes a function and binds the name."""
    if isinstance(binder.node, _COMPREHENSIONS):
        return binder.node if binding.kind == "for" else None
    if binding.kind == "parameter":
        return None
    around = set(module.ancestors(binding.node))
    for above in module.ancestors(node):
        if above is binder.node:
            return None
        if isinstance(above, Loop) and above in around:
            return above
    return None


def used_after_loop(module: Module, node: ast.AST, name: str, loop: ast.AST) -> int | None:
    """Return a line where what holds a function is used once its loop goes on; None if nowhere."""
    if isinstance(loop, _COMPREHENSIONS):
        return int(loop.lineno)
    within = set(ast.walk(loop))
    holders = Holders(module, node, name)
    outside: list[int] = []
    for holder, scope in holders.names:
        bound = [each.node for each in scope.bindings.get(holder, ())]
        places = [*bound, *holders.reads(holder, scope)]
        outside += [getattr(place, "lineno", 1) for place in places if place not in within]
    below = [line for line in outside if line > getattr(node, "lineno", 0)]
    if outside:
        return min(below, default=int(getattr(node, "lineno", 1)))
    return holders.lost


def used_in_loop(
    module: Module, node: ast.AST, name: str, loop: ast.AST, binding: Binding
) -> int | None:
    """Return a line in a loop where what holds a function is used after a name is bound anew.

    That is between the binding and where the next round makes the function, or with the binding in
    a loop within this one.
    """
    if isinstance(loop, _COMPREHENSIONS):
        return None
    own, within = set(ast.walk(node)), set(ast.walk(loop))
    inner = _inner_loop(module, binding.node, node, loop)
    made, bound = int(getattr(node, "lineno", 0)), line_of(binding)
    holders = Holders(module, node, name)
    for holder, scope in holders.names:
        for read in holders.reads(holder, scope):
            if read in own or read not in within:
                continue
            late = bound < read.lineno or read.lineno < made
            between = late if bound > made else bound <= read.lineno < made
            if between or read in inner:
                return read.lineno
    return None


def _inner_loop(module: Module, binding: ast.AST, node: ast.AST, loop: ast.AST) -> set[ast.AST]:
    """Return what is in the outermost loop, within another, that binds a name apart from a node."""
    around = set(module.ancestors(node))
    found: set[ast.AST] = set()
    for above in module.ancestors(binding):
        if above is loop or above in around:
            break
        if isinstance(above, Loop):
            found = set(ast.walk(above))
    return found


def used_after_line(module: Module, node: ast.AST, name: str, line: int) -> int | None:
    """Return a line below another where what holds a function is used; None if there is none."""
    holders = Holders(module, node, name)
    for holder, scope in holders.names:
        for read in holders.reads(holder, scope):
            if read.lineno > line:
                return read.lineno
    return holders.lost


class Holders:
    """The local names that may hold a function, or something that holds it.

    `lost` is a line where it goes where no local name follows: an attribute, a generator's consumer.
    """

    def __init__(self, module: Module, node: ast.AST, name: str) -> None:
        self.module = module
        self.names: list[tuple[str, Scope]] = []
        self.lost: int | None = None
        if name:
            self._add(name, module.scope_of(node))
        else:
            self._keep(node)
        for holder, scope in self.names:  # grows while it is read
            for read in self.reads(holder, scope):
                if read in module.parents:  # `x += 1` reads, and has no node for it
                    self._keep(read)
                    self._close_over(read, scope)

    def _close_over(self, read: ast.Name, scope: Scope) -> None:
        """Note the functions whose bodies read a holder: they hold it as long as they live."""
        for above in self.module.ancestors(read):
            if above is scope.node:
                return
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._add(above.name, self.module.scope_of(above))
            elif isinstance(above, (ast.Lambda, ast.GeneratorExp)):
                self._keep(above)

    def reads(self, name: str, scope: Scope) -> Iterator[ast.Name]:
        """Yield where a name is read for what a scope binds."""
        for each in scope.walk():
            if each.lookup(name) is scope:
                yield from each.reads.get(name, ())

    def _keep(self, node: ast.AST) -> None:
        """Note what the statement around an expression may keep it under."""
        child = node
        for above in self.module.ancestors(node):
            match above:
                case ast.Call() if _gives_samples(above, child, node):
                    return
                case ast.Call(func=ast.Attribute(value=receiver)):
                    self._store(receiver, only_local=True)
                case ast.NamedExpr(target=target):
                    self._store(target)
                case ast.Yield() | ast.YieldFrom():
                    self.lost = above.lineno
                case ast.stmt():
                    for each in _targets(above):
                        self._store(each)
                    return
            child = above

    def _store(self, target: ast.expr, only_local: bool = False) -> None:
        for each in ast.walk(target):
            if not isinstance(each, ast.Name):
                continue
            scope = self.module.scope_of(each)
            binder = scope.lookup(each.id)
            if binder is None or (binder.is_module and only_local and not scope.is_module):
                continue
            self._add(each.id, binder)
            if any(b.kind == "parameter" for b in binder.bindings[each.id]):
                self.lost = each.lineno

    def _add(self, name: str, scope: Scope) -> None:
        if (name, scope) not in self.names:
            self.names.append((name, scope))


def _gives_samples(call: ast.Call, child: ast.AST, node: ast.AST) -> bool:
    """Tell whether a call gives results only: `f(x)` itself, `list(DataLoader(...))`."""
    if call.func is node:
        return True
    consumes = isinstance(call.func, ast.Name) and call.func.id in _CONSUMERS
    return consumes and isinstance(child, ast.Call)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """Return what a statement binds or sets."""
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return [target]
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [each.optional_vars for each in items if each.optional_vars is not None]
    return []


def is_bound_before(module: Module, binder: Scope, name: str, point: ast.AST) -> bool:
    """Tell whether a name surely has its value when `point` is reached."""
    blocks = {id(point), *(id(each) for each in module.ancestors(point))}
    for each in binder.bindings.get(name, ()):
        if each.kind == "parameter":
            return True
        statement = module.statement(each.node)
        if statement.lineno >= getattr(point, "lineno", 0) and id(statement) not in blocks:
            continue
        if _surely_runs(module, statement, blocks, binder, name):
            return True
    return False


def _surely_runs(
    module: Module, statement: ast.AST, blocks: set[int], binder: Scope, name: str
) -> bool:
    """Tell whether a statement has run wherever the blocks around the point are reached."""
    for parent in module.ancestors(statement):
        if id(parent) in blocks or parent is binder.node:
            return True
        if isinstance(parent, (ast.With, ast.AsyncWith, ast.Try)):
            continue
        if isinstance(parent, ast.If) and _binds_in_both(parent, binder, name):
            continue
        return False
    return True


def _binds_in_both(branch: ast.If, binder: Scope, name: str) -> bool:
    places = [each.node for each in binder.bindings[name]]

    def within(body: list[ast.stmt]) -> bool:
        held = {id(node) for statement in body for node in ast.walk(statement)}
        leaves = bool(body) and isinstance(body[-1], (ast.Raise, ast.Return))
        return leaves or any(id(place) in held for place in places)

    return within(branch.body) and within(branch.orelse)
