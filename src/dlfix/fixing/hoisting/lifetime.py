"""When a captured name is bound, and who still holds the function when it is bound again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from dlfix.fixing.hoisting.order import Order, occurrences, order_of, root_of
from dlfix.project.bindings import Binding
from dlfix.project.module import Module, Scope
from dlfix.project.order import Place, comes_before, lies_in, start
from dlfix.project.syntax import FUNCTIONS, Function, dotted, last_name
from dlfix.project.trees import COMPREHENSIONS

Loop = ast.For | ast.AsyncFor | ast.While
IsLoader = Callable[[ast.expr], bool]

# Builtins whose result holds nothing of what they are given; those that hold what they iterate over.
_SCALARS = {
    "sum", "len", "print", "min", "max", "any", "all", "str", "repr", "float", "int", "bool",
    "round", "isinstance", "hasattr", "id", "type",
}  # fmt: skip
# What gives the items of its argument on, one by one.
_PASSING_ON = {"enumerate", "tqdm", "tqdm.tqdm", "track", "zip"}
_COLLECTING = {"list", "tuple", "set", "dict", "next", "sorted"}


def line_of(binding: Binding) -> int:
    """Return the line a name is bound at."""
    return int(getattr(binding.node, "lineno", getattr(binding.statement, "lineno", 1)))


def is_bound_before(module: Module, binder: Scope, name: str, point: ast.AST) -> bool:
    """Return whether a name surely has its value when `point` is reached: it was bound, or read before."""
    bound = [each.node for each in binder.bindings.get(name, ())]
    read = [] if _is_unbound_again(binder, name) else binder.reads.get(name, ())
    order = order_of(module, binder.node)
    places = list(occurrences(module, _root(module, binder), point))
    return bool(places) and all(
        order.surely_after(each, [*bound, *(r for r in read if r is not each)]) for each in places
    )


def _is_unbound_again(binder: Scope, name: str) -> bool:
    """Return whether a name is deleted, as a handler does at its end."""
    return any(
        each.kind == "delete" or isinstance(each.node, ast.ExceptHandler)
        for each in binder.bindings.get(name, ())
    )


def may_run_after(module: Module, binder: Scope, node: ast.AST, point: ast.AST) -> bool:
    """Return whether a node may be evaluated once `point` was reached, in the code of a scope."""
    root = _root(module, binder)
    order = order_of(module, root)
    later = order.reachable(occurrences(module, root, point))
    return any(order.at.get(each) in later for each in occurrences(module, root, node))


@dataclass(frozen=True)
class Again:
    """A binding of a captured name that may run once the name is bound to a function's argument."""

    how: str
    used: int | None  # a line where what holds the function is used after that


def bound_again(
    module: Module,
    node: ast.AST,
    name: str,
    point: ast.AST,
    captured: tuple[str, Scope],
    is_loader: IsLoader,
) -> Again | None:
    """Return how a name that a function captures is bound again, once `point` has bound its value.

    `name` is the local name of the function, if it has one.
    """
    text, binder = captured
    order = order_of(module, binder.node)
    starts = list(occurrences(module, _root(module, binder), point))
    later = order.reachable(starts)
    bindings = [
        each
        for each in binder.bindings.get(text, ())
        if each.kind != "parameter" and order.at.get(each.node) in later
    ]
    if not bindings:
        return None
    holders = Holders(module, node, name, is_loader)
    found: Again | None = None
    for binding in bindings:
        again = Again(_how(module, text, binding, point), holders.used_after(order, binding.node))
        if again.used is not None:
            return again
        if holders.handed_on:
            found = found or again
    return found


def _how(module: Module, name: str, binding: Binding, point: ast.AST) -> str:
    around = set(module.ancestors(point))
    for above in [binding.statement, *module.ancestors(binding.node)]:
        if isinstance(above, (*COMPREHENSIONS, Loop)) and above in around:
            return f"the loop assigns `{name}` in each iteration (line {above.lineno})"
    return f"`{name}` is reassigned (line {line_of(binding)})"


def _root(module: Module, binder: Scope) -> ast.AST:
    if isinstance(binder.node, (*COMPREHENSIONS, ast.ClassDef)):
        return root_of(module, binder.node)
    return binder.node


# Its rank, what uses a holder, which holder, and what gives that one another value.
_Use: TypeAlias = "tuple[tuple[int, Place], ast.AST, object, list[ast.AST]]"


def _by_rank(use: _Use) -> tuple[int, Place]:
    return use[0]


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


class Holders:
    """The local names that may hold a function, or something that holds it.

    `lost` is a node where it goes where no local name follows: an attribute, a generator's consumer.
    `handed_on` says that a function gets one, and may keep it: what no name shows may be used later.
    """

    def __init__(self, module: Module, node: ast.AST, name: str, is_loader: IsLoader) -> None:
        self.module = module
        self.node = node
        self.is_loader = is_loader
        self.names: list[tuple[str, Scope]] = []
        self.lost: ast.AST | None = None
        self.handed_on = False
        self.heads: list[ast.AST] = []  # loops that iterate over what holds it
        if name:
            self._add(name, module.scope_of(node))
        else:
            self._keep(node)
        for holder, scope in self.names:  # grows while it is read
            for read in self.reads(holder, scope):
                if read in module.parents:  # `x += 1` reads, and has no node for it
                    self._keep(read)
                    self._close_over(read, scope)

    def used_after(self, order: Order, binding: ast.AST) -> int | None:
        """Return a line where a holder is used after a binding; None if there is none.

        One below the function is the one to name; what holders are lost to comes last.
        """
        anyhow = order.reachable([binding])
        ways: dict[object, set[int]] = {}
        for (side, _), node, key, replaced in sorted(self._uses(binding), key=_by_rank):
            if order.at.get(node) not in anyhow:
                continue
            if key not in ways:
                ways[key] = order.reachable([binding], replaced)
            if order.at.get(node) in ways[key]:
                lost = self.lost is not None and self._side(self.lost) < side
                return _line(self.lost if lost and self.lost is not None else node)
        return None if self.lost is None else _line(self.lost)

    def _uses(self, binding: ast.AST) -> Iterator[_Use]:
        """Yield what uses a holder, with what gives that holder another value."""
        for holder, scope in self.names:
            replaced = self._replaced(holder, scope, binding)
            for read in self.reads(holder, scope):
                yield self._rank(read), read, (holder, scope), replaced
        for head in self.heads:
            yield self._rank(head), head, head, self._made_for(head)

    def _rank(self, node: ast.AST) -> tuple[int, Place]:
        return self._side(node), start(node)

    def _side(self, node: ast.AST) -> int:
        """Return 0 for what is below the function, 1 for what is in its statement, 2 for what is above."""
        if comes_before(self.node, node):
            return 0
        return 1 if lies_in(node, self.module.statement(self.node)) else 2

    def _replaced(self, holder: str, scope: Scope, binding: ast.AST) -> list[ast.AST]:
        """Return where a holder gets another value; a comprehension stores what it made before."""
        within = self.module.statement(binding) if binding in self.module.parents else None
        nodes = [each.node for each in scope.bindings.get(holder, ())]
        return [each for each in nodes if self.module.statement(each) is not within]

    def _made_for(self, head: ast.AST) -> list[ast.AST]:
        """Return what gives a loop another thing to iterate over."""
        iterated = getattr(head, "iter", None)
        return [iterated] if iterated is not None else []

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
        """Note what may hold the value of an expression once its statement has run."""
        child = node
        for above in self.module.ancestors(node):
            if not self._holds(above, child, node):
                return
            match above:
                case ast.Call(func=func) if child is not func:
                    self.handed_on |= not self._keeps_in_result(above)
                    if isinstance(func, ast.Attribute):
                        self._store([func.value], only_local=True)
                case ast.NamedExpr(target=target):
                    self._store([target])
                case ast.comprehension():
                    self.heads.append(above)
                case ast.Yield() | ast.YieldFrom():
                    self.lost = above
                case ast.Lambda():
                    self.lost = above
                    return
                case ast.stmt():
                    self._keep_in(above, child)
                    return
            child = above

    def _keeps_in_result(self, call: ast.Call) -> bool:
        """Return whether a call keeps what it is given in its result only: a constructor, a loader's iterator."""
        return last_name(call.func)[:1].isupper() or self.is_loader(call)

    def _keep_in(self, statement: ast.stmt, child: ast.AST) -> None:
        """Note what a statement does with a value."""
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            self.heads.append(statement)
            if isinstance(child, ast.expr) and self.is_loader(child):
                return
        if isinstance(statement, ast.Return):
            self._return(statement)
        self._store(_targets(statement))

    def _return(self, statement: ast.Return) -> None:
        """Follow what a local function returns to its calls."""
        function = self.module.scope_of(statement).node
        outer = self.module.scope_of(function)
        if not isinstance(function, ast.FunctionDef) or not outer.is_function:
            return
        for read in self.reads(function.name, outer):
            call = self.module.parent(read)
            if isinstance(call, ast.Call) and call.func is read:
                self._keep(call)
            else:
                self.lost = read

    def _holds(self, above: ast.AST, child: ast.AST, node: ast.AST) -> bool:
        """Return whether the value of an expression may hold that of one of its parts."""
        match above:
            case ast.Call(func=func) if func is child:
                return child is not node  # a result of the function itself is a sample
            case ast.Call(func=ast.Name(id=name)) if name in _SCALARS:
                return False
            case ast.Call(func=ast.Name(id=name)) if self._gives_scalars(name):
                return False
            case ast.Call() if child is not above.func and self._is_gone_through(above, child):
                return False
            case ast.Call(func=ast.Name(id=name)) if name in _COLLECTING:
                return not (isinstance(child, ast.Call) or self._gives_samples(child))
            case ast.Compare() | ast.JoinedStr() | ast.FormattedValue() | ast.UnaryOp():
                return False
            case ast.Subscript(value=value):
                return child is value
            case ast.If(test=test) | ast.While(test=test):
                return child is not test
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                iterated = child.iter if isinstance(child, ast.comprehension) else None
                return iterated is None or not self._gives_samples(iterated)
            case ast.comprehension(iter=iterated):
                return child is iterated
        return True

    def _is_gone_through(self, call: ast.Call, child: ast.AST) -> bool:
        """Return whether a function of the module gets a value, and only goes through it before it returns."""
        called = self._function_called(call)
        if called is None:
            return False
        function, parameters = called
        by_place = zip(parameters, call.args, strict=False)
        by_name = ((k.arg or "", k) for k in call.keywords)
        named = [name for name, given in (*by_place, *by_name) if given is child]
        inner = self.module.inner_scope(function)
        if len(named) != 1 or named[0] not in inner.bindings or inner.yields:
            return False
        if len(inner.bindings[named[0]]) > 1 or isinstance(function, ast.AsyncFunctionDef):
            return False
        return all(self._heads_a_loop(each) for each in self.reads(named[0], inner))

    def _function_called(self, call: ast.Call) -> tuple[Function, list[str]] | None:
        """Return the function of the module that a call names, or the method of its class, with what it is passed."""
        match call.func:
            case ast.Name(id=name):
                scope, own = self.module.scope, False
            case ast.Attribute(value=ast.Name(id=me), attr=name):
                method = self.module.scope_of(call).node
                owner = self.module.parent(method)
                if not isinstance(owner, ast.ClassDef) or not isinstance(method, FUNCTIONS):
                    return None
                if [each.arg for each in method.args.args[:1]] != [me] or method.decorator_list:
                    return None
                scope, own = self.module.inner_scope(owner), True
            case _:
                return None
        bindings = scope.bindings.get(name, [])
        found = bindings[0].node if len(bindings) == 1 else None
        if not isinstance(found, FUNCTIONS) or found.decorator_list:
            return None
        takes = [each.arg for each in (*found.args.posonlyargs, *found.args.args)]
        return found, takes[1:] if own else takes

    def _heads_a_loop(self, read: ast.Name) -> bool:
        """Return whether a name is read to go through what it holds at once, or to count it."""
        node: ast.AST = read
        above = self.module.parent(node)
        while isinstance(above, ast.Call) and node is not above.func:
            if dotted(above.func) == "len":
                return True
            if dotted(above.func) not in _PASSING_ON:
                return False
            node, above = above, self.module.parent(above)
        return (
            isinstance(above, (ast.For, ast.comprehension))
            and above.iter is node
            and not isinstance(self.module.parent(above), ast.GeneratorExp)
        )

    def _gives_scalars(self, name: str) -> bool:
        """Return whether a function of the module returns numbers and texts only."""
        bindings = self.module.scope.bindings.get(name, [])
        if len(bindings) != 1 or not isinstance(bindings[0].node, ast.FunctionDef):
            return False
        scope = self.module.inner_scope(bindings[0].node)
        values = [each.value for each in scope.returns if each.value is not None]
        return not scope.yields and all(is_scalar(scope, each) for each in values)

    def _gives_samples(self, node: ast.AST) -> bool:
        return isinstance(node, ast.expr) and self.is_loader(node)

    def _store(self, targets: Iterable[ast.expr], only_local: bool = False) -> None:
        for each in _bases(targets):
            scope = self.module.scope_of(each)
            binder = scope.lookup(each.id)
            if binder is None or (binder.is_module and only_local and not scope.is_module):
                continue
            self._add(each.id, binder)
            if any(b.kind == "parameter" for b in binder.bindings.get(each.id, ())):
                self.lost = each

    def _add(self, name: str, scope: Scope) -> None:
        if (name, scope) not in self.names:
            self.names.append((name, scope))


def is_scalar(scope: Scope, value: ast.expr) -> bool:
    """Return whether an expression gives a number, a text, or a tuple of them."""
    match value:
        case ast.Constant() | ast.Compare() | ast.JoinedStr():
            return True
        case ast.BinOp(left=left, right=right):
            return is_scalar(scope, left) and is_scalar(scope, right)
        case ast.Tuple(elts=elements):
            return all(is_scalar(scope, each) for each in elements)
        case ast.Call(func=ast.Name(id=name)):
            return name in _SCALARS
        case ast.Name(id=name):
            bound = [b for b in scope.bindings.get(name, ()) if b.kind != "augmented"]
            return bool(bound) and all(
                b.kind == "assign" and isinstance(b.value, ast.Constant) for b in bound
            )
    return False


def _bases(targets: Iterable[ast.expr]) -> Iterator[ast.Name]:
    """Yield the names that targets set, or set an attribute or an item of."""
    for target in targets:
        match target:
            case ast.Name():
                yield target
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                yield from _bases(elements)
            case (
                ast.Attribute(value=value)
                | ast.Subscript(value=value)
                | ast.Starred(value=value)
                | ast.Call(func=value)
            ):
                yield from _bases([value])


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
