"""In which order the code of one scope runs: a control-flow graph over its expressions.

Each node that is evaluated in the scope has a point, reached once its operands are evaluated. What a
nested function does when it is called has none. Comprehensions and class bodies run where they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.project.module import Module
from dlfix.project.trees import COMPREHENSIONS

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Order:
    """The points of one function, lambda or module, and what may come after each."""

    def __init__(self, root: ast.AST) -> None:
        self.after: list[set[int]] = []
        self.at: dict[ast.AST, int] = {}
        self.entry = self._new()
        self._here = {self.entry}  # the points that the next one comes after
        self._loops: list[tuple[set[int], set[int]]] = []  # those of `break` and `continue`
        self._handlers: list[set[int]] = []  # the points an exception may leave from
        self._root(root)

    def reachable(self, starts: Iterable[ast.AST], avoiding: Iterable[ast.AST] = ()) -> set[int]:
        """Return the points that may come after some nodes, on ways around others."""
        return self._from([self.at[node] for node in starts if node in self.at], avoiding)

    def may_follow(self, node: ast.AST, earlier: ast.AST, avoiding: Iterable[ast.AST] = ()) -> bool:
        """Return whether a node may be evaluated after another."""
        return self.at.get(node) in self.reachable([earlier], avoiding)

    def surely_after(self, node: ast.AST, earlier: Iterable[ast.AST]) -> bool:
        """Return whether every way to a node comes by one of others."""
        points = [each for each in earlier if each in self.at]
        if any(isinstance(each, ast.arg) for each in points):
            return True
        return self.at.get(node) not in self._from([self.entry], points)

    def _from(self, starts: Iterable[int], avoiding: Iterable[ast.AST]) -> set[int]:
        barred = {self.at[node] for node in avoiding if node in self.at}
        found: set[int] = set()
        waiting = [after for start in starts for after in self.after[start]]
        while waiting:
            point = waiting.pop()
            if point in found or point in barred:
                continue
            found.add(point)
            waiting += self.after[point]
        return found

    # Points

    def _new(self) -> int:
        self.after.append(set())
        return len(self.after) - 1

    def _point(self, node: ast.AST | None = None) -> int:
        point = self._new()
        if node is not None:
            self.at[node] = point
        for before in self._here:
            self.after[before].add(point)
        self._here = {point}
        for leaving in self._handlers:
            leaving.add(point)
        return point

    def _join(self, head: int) -> None:
        """Go back to the head of a loop."""
        for before in self._here:
            self.after[before].add(head)

    # Statements

    def _root(self, root: ast.AST) -> None:
        if isinstance(root, _FUNCTIONS):
            for argument in ast.walk(root.args):
                if isinstance(argument, ast.arg):
                    self.at[argument] = self.entry
        if isinstance(root, ast.Lambda):
            self._evaluate(root.body)
            return
        self._block(root.body)  # type: ignore[attr-defined]

    def _block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._definition(node)
            case ast.If():
                self._branches(node, node.test, node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                self._evaluate(node.iter)
                self._loop(node, [node.target], node.body, node.orelse)
            case ast.While():
                self._loop(node, [node.test], node.body, node.orelse)
            case ast.Try():
                self._try(node)
            case ast.Match():
                self._match(node)
            case ast.Assign(value=value, targets=targets):
                self._all([value, *targets], node)
            case (
                ast.AnnAssign(value=value, target=target)
                | ast.AugAssign(value=value, target=target)
            ):
                self._all([*([value] if value else []), target], node)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                self._all(items, node)
                self._block(body)
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                self._leave(node)
            case _:
                self._evaluate(node)
        if type(node).__name__ == "TryStar":
            self._try(node)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._all(node.decorator_list)
        if isinstance(node, ast.ClassDef):
            self._all([*node.bases, *node.keywords])
            self._block(node.body)
        else:
            self._defaults(node.args)
        self._point(node)

    def _defaults(self, args: ast.arguments) -> None:
        self._all([*args.defaults, *(each for each in args.kw_defaults if each is not None)])

    def _branches(
        self, node: ast.AST, test: ast.expr, body: Iterable[ast.AST], orelse: Iterable[ast.AST]
    ) -> None:
        self._evaluate(test)
        tested = set(self._here)
        self._all(body)
        ends = self._here
        self._here = tested
        self._all(orelse)
        self._here = self._here | ends
        self._point(node)

    def _loop(
        self, node: ast.AST, head: Iterable[ast.AST], body: list[ast.stmt], orelse: list[ast.stmt]
    ) -> None:
        start = self._point(node)
        over = {start} if not isinstance(node, ast.While) else set()
        self._all(head)
        over |= set(self._here) if isinstance(node, ast.While) else set()
        breaks: set[int] = set()
        again: set[int] = set()
        self._loops.append((breaks, again))
        self._block(body)
        self._loops.pop()
        self._here |= again
        self._join(start)
        self._here = over
        self._block(orelse)
        self._here = self._here | breaks

    def _try(self, node: ast.AST) -> None:
        leaving = set(self._here)
        self._handlers.append(leaving)
        self._block(node.body)  # type: ignore[attr-defined]
        self._handlers.pop()
        ended = self._here
        ends: set[int] = set()
        handled = set(leaving)
        self._handlers.append(handled)
        for handler in node.handlers:  # type: ignore[attr-defined]
            self._here = set(leaving)
            if handler.type is not None:
                self._evaluate(handler.type)
            self._point(handler)
            self._block(handler.body)
            ends |= self._here
        self._here = ended
        self._block(node.orelse)  # type: ignore[attr-defined]
        self._handlers.pop()
        self._here = self._here | ends
        if node.finalbody:  # type: ignore[attr-defined]
            normal = bool(self._here)
            self._here = self._here | handled
            self._block(node.finalbody)  # type: ignore[attr-defined]
            if not normal:
                self._here = set()

    def _match(self, node: ast.Match) -> None:
        self._evaluate(node.subject)
        ends: set[int] = set()
        for case in node.cases:
            self._all([case.pattern, *([case.guard] if case.guard else [])])
            tried = set(self._here)
            self._block(case.body)
            ends |= self._here
            self._here = tried
        self._here = self._here | ends

    def _leave(self, node: ast.stmt) -> None:
        self._evaluate(node)
        if isinstance(node, ast.Break) and self._loops:
            self._loops[-1][0].update(self._here)
        if isinstance(node, ast.Continue) and self._loops:
            self._loops[-1][1].update(self._here)
        self._here = set()

    # Expressions

    def _all(self, nodes: Iterable[ast.AST], last: ast.AST | None = None) -> None:
        for node in nodes:
            if isinstance(node, ast.stmt):
                self._statement(node)
            else:
                self._evaluate(node)
        if last is not None:
            self._point(last)

    def _evaluate(self, node: ast.AST) -> None:
        match node:
            case ast.Lambda():
                self._defaults(node.args)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._branches(node, test, [body], [orelse])
                return
            case ast.BoolOp(values=values):
                self._short_circuit(values)
            case ast.NamedExpr(target=target, value=value):
                self._all([value, target])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, node.generators)
                return
            case _:
                self._all(ast.iter_child_nodes(node))
        self._point(node)

    def _short_circuit(self, values: Iterable[ast.expr]) -> None:
        ends: set[int] = set()
        for value in values:
            self._evaluate(value)
            ends |= self._here
        self._here = ends

    def _comprehension(self, node: ast.expr, generators: list[ast.comprehension]) -> None:
        first, *others = generators
        self._evaluate(first.iter)
        head = self._point(first)
        over = {head}
        self._evaluate(first.target)
        self._all(first.ifs)
        if others:
            self._comprehension(node, others)
        else:
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
            self._all(parts)
        self._join(head)
        self._here = over
        self._point(node)


def root_of(module: Module, node: ast.AST) -> ast.AST:
    """Return the function, lambda or module whose code evaluates a node."""
    scope = module.scope_of(node)
    while scope.parent is not None and not isinstance(scope.node, _FUNCTIONS):
        scope = scope.parent
    return scope.node


def order_of(module: Module, root: ast.AST) -> Order:
    """Return the order of a function, lambda, comprehension or module; worked out once."""
    if isinstance(root, (*COMPREHENSIONS, ast.ClassDef)):
        root = root_of(module, root)
    orders: dict[ast.AST, Order] | None = getattr(module, "_orders", None)
    if orders is None:
        orders = {}
        module._orders = orders  # type: ignore[attr-defined]
    if root not in orders:
        orders[root] = Order(root)
    return orders[root]


def occurrences(
    module: Module, root: ast.AST, node: ast.AST, seen: frozenset[ast.AST] = frozenset()
) -> Iterator[ast.AST]:
    """Yield where the code of `root` comes to a node: itself, or what runs the function it is in.

    Of a function that is called by its name these are the reads of that name; else its definition,
    after which it may run at any time.
    """
    order = order_of(module, root)
    if node in order.at:
        yield node
        return
    around = next((above for above in module.ancestors(node) if above in order.at), None)
    if around is None or around in seen:
        return
    reads = list(_reads_of(module, around))
    if not reads:
        yield around
    for read in reads:
        yield from occurrences(module, root, read, seen | {around})


def _reads_of(module: Module, function: ast.AST) -> Iterator[ast.Name]:
    """Yield where a local function is named, apart from its own body."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    scope, own = module.scope_of(function), set(ast.walk(function))
    for inner in scope.walk():
        if inner.lookup(function.name) is scope:
            yield from (r for r in inner.reads.get(function.name, ()) if r not in own)
