"""What a loop computes from each resource that it opens, it computes from a local one that it closes.

The loop keeps what each is opened from instead; the list or dict of resources is made from that later.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.facts import is_self_attribute, names_used
from dlfix.fixing.classes.handles import Moved, Refusal
from dlfix.fixing.classes.inputs import is_repeatable
from dlfix.fixing.classes.loops import Fill, Filled
from dlfix.fixing.classes.plans import Exchange, Insert, Within
from dlfix.fixing.classes.residue import MOST_LINES
from dlfix.fixing.classes.statements import only_raises
from dlfix.fixing.classes.text import names_in
from dlfix.project.module import Module
from dlfix.project.order import begins_before, comes_before
from dlfix.project.syntax import FUNCTIONS, LOOPS

LIVE = (
    "attrs", "keys", "values", "items", "get", "read", "read_direct", "execute", "cursor", "open",
    "getinfo", "namelist", "extractfile", "fetch", "query", "sample", "seek", "variables", "iter_chunks",
)  # fmt: skip
PLAIN_CALLS = ("len", "list", "sorted", "set", "tuple", "int", "sum", "str", "enumerate", "print")
_VALUES = ("len", "int", "float", "bool", "str", "sum")
_ENDED = (*LOOPS, *FUNCTIONS)
_ENDED_BY = {ast.Continue: _ENDED, ast.Break: _ENDED, ast.Return: FUNCTIONS}
_BINDS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.withitem, ast.NamedExpr)


class EachTime:
    """Plans what is left of one statement that fills a list or dict, and of what follows it."""

    def __init__(self, filling: Filled, fill: Fill, call: ast.Call, paths: str) -> None:
        self.filling = filling
        self.fill = fill
        self.call = call  # what opens one
        self.module = filling.module
        self.me = filling.mover.me
        self.kept = f"{self.me}.{paths}"
        self.items = list(self._items())  # reads of what was filled in last

    def leave(self, moved: Moved) -> None:
        """Keep what it is opened from; open it under a local name for what else reads it."""
        fill = self.fill
        moved.gone.add(fill.statement)
        for node in (*self._counted(), *self._counted_by_methods()):
            moved.gone.add(node)
            moved.exchanges.append(Exchange(self.module.span(node), self.kept, "expression"))
        if fill.definition is not None:
            self._leave_named(fill.definition, moved)
        elif fill.name:
            text = f"{self._keeps()}\n{fill.name} = {self._opened()}"
            self._exchange(fill.statement, text, moved)
            self._close_below(fill.statement, fill.name, moved)
        else:
            self._exchange(fill.statement, self._keeps(), moved)
            if self.items:
                self._leave_unnamed(moved)

    # -- what the loop reads of the list or dict while it fills it

    def _reads(self) -> Iterator[ast.expr]:
        """Yield the reads of the list or dict in the loop, but for the one that fills it."""
        filling = self.filling
        loop = self._loop()
        attribute = filling.handle.attribute
        name = filling.local_name
        filled = set(ast.walk(self.fill.statement))
        for node in ast.walk(loop):
            own = is_self_attribute(node, self.me) and node.attr == attribute
            local = isinstance(node, ast.Name) and bool(name) and node.id == name
            if (own or local) and node not in filled:
                assert isinstance(node, ast.expr)
                yield node

    def _loop(self) -> ast.stmt:
        """Return the outermost loop that fills it."""
        around = [e for e in self.module.ancestors(self.fill.statement) if isinstance(e, LOOPS)]
        return around[-1] if around else self.fill.statement

    def _counted_by_methods(self) -> Iterator[ast.expr]:
        """Yield where methods that the loop runs ask how many there are: `len(self)`."""
        facts, attribute = self.filling.facts, self.filling.handle.attribute
        run = facts.reached(names_used(self._loop(), self.me))
        for method, node in facts.reads.get(attribute, ()):
            if method.name not in run or method is self.filling.method:
                continue
            assert isinstance(node, ast.expr)
            if not self._is_counted(node):
                where = facts.line(node)
                raise Refusal(f"`{method.name}` reads the container while it is filled ({where})")
            yield node

    def _items(self) -> Iterator[ast.Subscript]:
        for node in self._reads():
            item = self.module.parent(node)
            if self._is_counted(node):
                continue
            if not isinstance(item, ast.Subscript) or not self._is_last(item):
                where = self.filling.facts.line(node)
                raise Refusal(f"the container is read while it is filled ({where})")
            yield item

    def _counted(self) -> Iterator[ast.expr]:
        """Yield the reads that ask how many there are, or whether one is there."""
        return (node for node in self._reads() if self._is_counted(node))

    def _is_counted(self, node: ast.expr) -> bool:
        match self.module.parent(node):
            case ast.Call(func=ast.Name(id="len")):
                return True
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
                return container is node and self.fill.key is not None
        return False

    def _is_last(self, item: ast.Subscript) -> bool:
        """Return whether an item is the one that was filled in just before."""
        if not isinstance(item.ctx, ast.Load):
            return False
        key = self.fill.key
        wanted = ast.unparse(key) if key is not None else "-1"
        if ast.unparse(item.slice) != wanted:
            return False
        block = self.module.block_of(self.fill.statement)
        following = block[block.index(self.fill.statement) + 1 :]
        if not any(item in ast.walk(each) for each in following):
            return False
        names = names_in([key]) if key is not None else set()
        return not any(
            isinstance(each, ast.Name) and each.id in names and not isinstance(each.ctx, ast.Load)
            for statement in following
            for each in ast.walk(statement)
        )

    # -- what stays in the loop

    def _argument(self) -> str:
        return self.module.segment(self.call.args[0])

    def _keeps(self) -> str:
        key = self.fill.key
        if key is None:
            return f"{self.kept}.append({self._argument()})"
        return f"{self.kept}[{self.module.segment(key)}] = {self._argument()}"

    def _opened(self) -> str:
        """Return the expression that opens one, from what was kept for it just before."""
        first, key = self.call.args[0], self.fill.key
        text = f"{self.kept}[{self.module.segment(key) if key is not None else -1}]"
        if isinstance(first, (ast.Name, ast.Constant)):
            text = self._argument()
        handle = self.filling.handle
        return self.filling.mover.rendered(handle.attribute, self.fill.opened, {first: text})

    def _exchange(self, statement: ast.stmt, text: str, moved: Moved) -> None:
        moved.exchanges.append(Exchange(self.module.span(statement), text))

    def _leave_named(self, definition: ast.Assign, moved: Moved) -> None:
        """Leave what the loop opened under a name: open for as long as it goes on reading it."""
        fill, name = self.fill, self.fill.name
        uses = [*self._uses(name, definition), *self.items]
        tried = isinstance(self.module.parent(definition), ast.Try)
        moved.gone.add(definition)
        for item in self.items:
            moved.gone.add(item)
            moved.exchanges.append(Exchange(self.module.span(item), name, "expression"))
        if not uses and not tried:
            self._exchange(fill.statement, self._keeps(), moved)
            self._exchange(definition, "", moved)
            return
        self._refuse_escaping(uses)
        if self._moves_up(definition):
            self._exchange(definition, f"{self._keeps()}\n{name} = {self._opened()}", moved)
            self._exchange(fill.statement, "", moved)
        else:
            self._refuse_evaluating_again(definition)
            self._exchange(fill.statement, self._keeps(), moved)
        self._close_below(definition, name, moved)

    def _moves_up(self, definition: ast.Assign) -> bool:
        """Return whether what is kept can be kept where it is opened, as an argument with a call asks for."""
        if isinstance(self.call.args[0], (ast.Name, ast.Constant)):
            return False
        block = self.module.block_of(definition)
        if self.fill.statement not in block:
            return False
        between = block[block.index(definition) : block.index(self.fill.statement)]
        names = names_in([self.fill.key]) if self.fill.key is not None else set()
        return not any(
            isinstance(each, (ast.Continue, ast.Break, ast.Return, ast.Raise))
            or (isinstance(each, ast.Name) and each.id in names and _is_bound(each))
            for statement in between
            for each in ast.walk(statement)
        )

    def _refuse_evaluating_again(self, definition: ast.Assign) -> None:
        first = self.call.args[0]
        names = names_in([first])
        for each in ast.walk(self.filling.method):
            bound = isinstance(each, ast.Name) and each.id in names and _is_bound(each)
            if (
                isinstance(each, ast.Name)
                and bound
                and not (begins_before(each, definition) or comes_before(self.fill.statement, each))
            ):
                where = self.filling.facts.line(each)
                raise Refusal(f"`{each.id}` is assigned after the resource is opened ({where})")
        for call in (each for each in ast.walk(first) if isinstance(each, ast.Call)):
            if not is_repeatable(call):
                where = self.filling.facts.line(call)
                raise Refusal(f"`{ast.unparse(call.func)}` would be called twice ({where})")

    def _leave_unnamed(self, moved: Moved) -> None:
        """Open what the rest of the loop reads in a `with`."""
        self._refuse_escaping(self.items)
        local = self._local_name()
        block = self.module.block_of(self.fill.statement)
        following = block[block.index(self.fill.statement) + 1 :]
        used = [s for s in following if any(i in ast.walk(s) for i in self.items)]
        for item in self.items:
            moved.gone.add(item)
            moved.exchanges.append(Exchange(self.module.span(item), local, "expression"))
        handle, opened = self.filling.handle, self._opened()
        first, last = self.module.span(used[0]), self.module.span(following[-1])
        short = last.end.row - first.start.row < MOST_LINES
        if short and handle.close and (handle.enters or handle.close == "close"):
            head = opened if handle.enters else f"contextlib.closing({opened})"
            moved.withins.append(Within(first, last, f"{head} as {local}"))
            return
        moved.inserts.append(Insert(first, f"{local} = {opened}", before=True))
        self._close_below(used[0], local, moved)

    def _close_below(self, opened: ast.stmt, name: str, moved: Moved) -> None:
        """Close a local one below the last statement of the block in which it is opened, or before one that may leave that."""
        block = home_block(self.module, opened)
        first = outermost_in(self.module, block, opened)
        leaving = self._leaving(block[block.index(first) + 1 :])
        if leaving is not None:
            self._refuse_reading_on(block, leaving, name)
        close = self.filling.handle.close
        if not close or "." in close:
            return
        line, last = f"{name}.{close}()", self.module.span(block[-1])
        if leaving is not None:
            moved.inserts.append(Insert(self.module.span(leaving), line, before=True))
            return
        for index, each in enumerate(moved.exchanges):
            if each.span == last and each.kind == "statement":
                text = "\n".join(part for part in (each.becomes, line) if part)
                moved.exchanges[index] = Exchange(last, text)
                return
        moved.inserts.append(Insert(last, line))

    # -- what is refused

    def _uses(self, name: str, definition: ast.stmt) -> list[ast.expr]:
        filled = {*ast.walk(self.fill.statement), *ast.walk(definition)}
        return [
            each
            for each in ast.walk(self.filling.method)
            if isinstance(each, ast.Name) and each.id == name and each not in filled
        ]

    def _leaving(self, block: Sequence[ast.stmt]) -> ast.stmt | None:
        """Return the first statement of a block that may leave it after the resource was kept."""
        return next((each for each in block if any(self._leaves(each))), None)

    def _leaves(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """Yield where a statement leaves the block that it stands in: the `break` of a loop inside does not."""
        inside = set(ast.walk(statement))
        for node in inside:
            if not isinstance(node, (ast.Continue, ast.Break, ast.Return)):
                continue
            around = (each for each in self.module.ancestors(node) if isinstance(each, _ENDED))
            ended = next((e for e in around if isinstance(e, _ENDED_BY[type(node)])), None)
            if ended not in inside and comes_before(self.fill.statement, node):
                yield node

    def _refuse_reading_on(self, block: Sequence[ast.stmt], leaving: ast.stmt, name: str) -> None:
        """Refuse where what may leave the block, or what follows, reads from the resource: it is closed before."""
        later = block[block.index(leaving) :]
        if names_in(later) & self._read_from(block, name):
            where = self.filling.facts.line(leaving)
            raise Refusal(f"a pass of the loop may end before the resource can be closed ({where})")

    def _read_from(self, block: Sequence[ast.stmt], name: str) -> set[str]:
        """Return the names that may give the resource or a part of it: bound by statements that read from it."""
        found, simple = {name}, [n for each in block for n in ast.walk(each)]
        while True:
            more = {
                bound.id
                for node in simple
                if isinstance(node, _BINDS) and names_in([node]) & found
                for bound in ast.walk(node)
                if isinstance(bound, ast.Name) and _is_bound(bound) and not _gives_value(node)
            }
            if more <= found:
                return found
            found |= more

    def _refuse_escaping(self, uses: Sequence[ast.expr]) -> None:
        """Refuse where something goes on reading from a resource that the loop closes."""
        home = home_block(self.module, self.fill.definition or self.fill.statement)
        inside = {node for each in home for node in ast.walk(each)}
        for use in uses:
            parent = self.module.parent(use)
            read = ast.unparse(use)
            where = self.filling.facts.line(use)
            called = isinstance(parent, ast.Call) and use in parent.args
            if use not in inside or (called and not _is_plain(parent)):
                raise Refusal(
                    f"`{read}` is used outside the block that opens it, or passed on ({where})"
                )
            if self._is_kept(use):
                raise Refusal(f"a value derived from `{read}` is stored ({where})")

    def _is_kept(self, use: ast.AST) -> bool:
        """Return whether an expression that begins with a resource is kept as it is."""
        node, parent = use, self.module.parent(use)
        while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node:
            if isinstance(parent, ast.Subscript) and isinstance(
                parent.slice, (ast.Slice, ast.Tuple)
            ):
                return False
            node, parent = parent, self.module.parent(parent)
        if isinstance(node, ast.Attribute) and not self._is_live(node.attr):
            return False
        if isinstance(parent, ast.Call) and node in parent.args:
            return isinstance(parent.func, ast.Attribute) and parent.func.attr in ("append", "add")
        if isinstance(parent, (ast.Tuple, ast.List, ast.Dict)):
            return True
        return (
            isinstance(parent, ast.Assign)
            and parent.value is node
            and any(not isinstance(each, ast.Name) for each in parent.targets)
        )

    def _is_live(self, attribute: str) -> bool:
        """Return whether an attribute of a resource, or of its parts, reads from it when it is used."""
        handle = self.filling.handle
        return attribute.startswith("__") or attribute in {*handle.position, *handle.write, *LIVE}

    def _local_name(self) -> str:
        method = self.filling.method
        taken = names_in([method]) | {*self.module.scope.bindings, *dir(builtins)}
        taken |= {each.arg for each in ast.walk(method) if isinstance(each, ast.arg)}
        plain = self.filling.handle.attribute.strip("_")
        one = plain.removesuffix("s") if plain.endswith("s") else ""
        for wanted in (one, f"{one}_file", "opened", f"opened_{plain}"):
            if wanted.isidentifier() and wanted not in taken and wanted != "_file":
                return wanted
        raise Refusal("no unused name is available for the local resource")


def home_block(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """Return the block in which a name is bound: around a `try` whose handlers all leave it."""
    parent = module.parent(statement)
    tried = isinstance(parent, ast.Try) and statement in parent.body and not parent.finalbody
    if isinstance(parent, ast.Try) and tried and all(_leaves(e.body) for e in parent.handlers):
        return module.block_of(parent)
    return module.block_of(statement)


def outermost_in(module: Module, block: Sequence[ast.stmt], node: ast.stmt) -> ast.stmt:
    """Return the statement of a block that another one is, or stands in."""
    around = (node, *module.ancestors(node))
    return next(each for each in block if any(each is one for one in around))


def _leaves(block: Sequence[ast.stmt]) -> bool:
    return only_raises(block) or isinstance(block[-1], (ast.Continue, ast.Break, ast.Return))


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_plain(call: ast.AST | None) -> bool:
    return isinstance(call, ast.Call) and ast.unparse(call.func) in PLAIN_CALLS


def _gives_value(node: ast.AST) -> bool:
    """Return whether an assignment keeps a number or a text, nothing that reads from the resource."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func) in _VALUES
