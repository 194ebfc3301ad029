"""Lists and dicts of handles, however the constructor fills them: what opens each is written down beside it.

The constructor goes on as before. Next to each item that it puts in, it keeps the values that the item was
opened from; another process opens the items again from those, in the same order.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from dlfix.fixing.classes.closing import questions_and_guards
from dlfix.fixing.classes.facts import STARTS, Method, is_self_attribute, self_name
from dlfix.fixing.classes.forms import storage_insert
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.inputs import is_mutated, is_repeatable
from dlfix.fixing.classes.kept_locals import hint_for, kept_name
from dlfix.fixing.classes.loops import is_put_in_again
from dlfix.fixing.classes.plans import ClassPlan, Insert, Lazy
from dlfix.fixing.classes.sliced import Sliced
from dlfix.project.flow import exclusive, levels
from dlfix.project.order import start as start_of
from dlfix.project.syntax import is_none

CHANGES = frozenset("extend insert update setdefault pop popitem remove clear sort reverse".split())
MOST_COLUMNS = 72  # of a statement in a method, without its indentation


@dataclass(frozen=True)
class Item:
    """One statement that puts something into the list or dict."""

    statement: ast.stmt
    key: ast.expr | None  # of a dict
    opened: ast.Call | None  # what opens it; None where the item is None


class Recorded(Sliced):
    """Plans a property over what the constructor opens, and wrote down, item by item."""

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        self.together = []
        self.handles = {
            n: h for n, h in self.handles.items() if not isinstance(h.site.target, ast.Name)
        }
        if len(self.handles) != 1:
            raise Refusal("no single list or dict holds the resources")
        (name, handle), *_ = self.handles.items()
        self._refuse_writes()
        self._refuse_positions()
        self._refuse_fields()
        start = self._start()
        self.me = self_name(start)
        self._refuse_changes_elsewhere(name, start)
        self._refuse_handling(name, start)
        items = self._items(name, start)
        calls = [each.opened for each in items if each.opened is not None]
        self._refuse_putting_in_again(items)
        varying = self._varying(name, calls)
        kept = self._record_name(name, varying)
        body = self._reopened(name, kept, items, calls[0], varying)
        opens = None if start.name in STARTS else start
        inserts = [
            storage_insert(self.facts, self._storage(name), opens),
            self._started(handle, kept),
        ]
        inserts += [self._written_down(each, kept) for each in items]
        inputs = self.around.inputs
        if inputs is not None:
            inputs.refuse_changing(self.facts, body, self.me, {name, kept})
        opener = self._opener_name()
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(
                questions_and_guards(self.facts, name, self._kept_in(name, True), name)
            ),
            inserts=tuple(inserts),
            lazies=(
                Lazy(
                    name=name,
                    body=body,
                    annotation=self._annotation(handle),
                    kept_in=self._kept_in(name, True),
                    settable=True,
                    deletable=self._is_stored_elsewhere(name, ast.Del),
                    opener=opener,
                    calls=self._calls(self.me, opener),
                    self_name=self.me,
                ),
            ),
            state=self._dropped((kept,)),
            after=start.name,
        )

    # -- what is put in

    def _refuse_putting_in_again(self, items: list[Item]) -> None:
        """Refuse one object that is several items: opened for each of them it would be several."""
        for one, other in itertools.combinations(items, 2):
            if one.opened is None or one.opened is not other.opened:
                continue
            ways = [levels(self.module, e.statement, self.module.tree) for e in (one, other)]
            if not exclusive(*ways):
                where = self.facts.line(other.statement)
                raise Refusal(f"one resource is stored under several keys ({where})")

    def _items(self, name: str, start: Method) -> list[Item]:
        """Return what the constructor puts in, in the order of the text."""
        found = [each for node in ast.walk(start) for each in self._put(node, name, start)]
        if not any(each.opened for each in found):
            raise Refusal(f"no statement adds the resource to the container (line {start.lineno})")
        return sorted(found, key=lambda each: start_of(each.statement))

    def _put(self, node: ast.AST, name: str, start: Method) -> Iterator[Item]:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=value):
                if self._is_it(held, name):
                    yield self._item(node, key, value, start)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=held, attr="append"), args=[value])
            ):
                if self._is_it(held, name):
                    yield self._item(node, None, value, start)
            case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in CHANGES:
                if self._is_it(held, name):
                    raise Refusal(f"`{method}` modifies the container ({self.facts.line(node)})")
            case ast.Delete() | ast.AugAssign():
                targets = node.targets if isinstance(node, ast.Delete) else [node.target]
                if any(self._is_it(n, name) for each in targets for n in ast.walk(each)):
                    raise Refusal(f"the container is modified ({self.facts.line(node)})")

    def _is_it(self, node: ast.AST, name: str) -> bool:
        return is_self_attribute(node, self.me) and node.attr == name

    def _item(
        self, statement: ast.stmt, key: ast.expr | None, value: ast.expr, start: Method
    ) -> Item:
        if is_none(value):
            return Item(statement, key, None)
        opened = self._opened(value, start)
        if opened is None:
            raise Refusal(f"an item is not opened by a single call ({self.facts.line(statement)})")
        if is_put_in_again(self.module, opened, statement):
            raise Refusal(
                f"one resource is stored under several keys ({self.facts.line(statement)})"
            )
        return Item(statement, key, opened)

    def _opened(self, value: ast.expr, start: Method) -> ast.Call | None:
        """Return the call that opens an item, by a local name that is bound once."""
        if isinstance(value, ast.Name):
            bindings = self.module.inner_scope(start).bindings.get(value.id, [])
            if len(bindings) != 1 or bindings[0].path or bindings[0].value is None:
                return None
            value = bindings[0].value
        opens = self.around.inputs is not None and self.around.inputs.opens(value)
        return value if isinstance(value, ast.Call) and opens else None

    def _refuse_handling(self, name: str, start: Method) -> None:
        """Refuse what the constructor does to an item that another opening would not have."""
        handle = self.handles[name]
        done = {*handle.configure, *handle.position, *handle.write}
        known = {each.id for each in self._known_as(name, start)}
        for node in ast.walk(start):
            if not isinstance(node, ast.Attribute):
                continue
            roots = [each for each in ast.walk(node.value) if self._is_it(each, name)]
            named = isinstance(node.value, ast.Name) and node.value.id in known
            if (named or roots) and (node.attr in done or not isinstance(node.ctx, ast.Load)):
                where = self.facts.line(node)
                raise Refusal(f"`{node.attr}` changes the state of the resource ({where})")

    def _known_as(self, name: str, start: Method) -> Iterator[ast.Name]:
        """Yield the local names by which the constructor knows an item."""
        for node in ast.walk(start):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=held)], value=ast.Name() as local):
                    if self._is_it(held, name):
                        yield local
                case ast.Call(func=ast.Attribute(value=held), args=[ast.Name() as local]):
                    if self._is_it(held, name):
                        yield local

    def _refuse_changes_elsewhere(self, name: str, start: Method) -> None:
        """Refuse a list or dict that other code adds to, or takes from."""
        inputs = self.around.inputs
        for module in inputs.project.mentions(name) if inputs is not None else ():
            for node in module.nodes_by_name.get(name, ()):
                changes = isinstance(node, ast.Attribute) and is_mutated(module, node)
                if changes and start not in module.ancestors(node):
                    where = f"{module.path.name}:{node.lineno}"
                    raise Refusal(f"`{name}` is also modified elsewhere ({where})")

    # -- what is written down

    def _varying(self, name: str, calls: list[ast.Call]) -> list[ast.expr]:
        """Return the arguments of the first call that are not constants; those of all are written alike."""
        first = calls[0]
        if any(_shape(each) != _shape(first) for each in calls):
            raise Refusal(f"the items are opened in several ways ({self.facts.line(calls[1])})")
        varying = _varying(first)
        if any(each.arg is None for each in first.keywords):
            raise Refusal(f"the arguments cannot be stored ({self.facts.line(first)})")
        if not varying:
            raise Refusal(f"`{name}` is opened from constants ({self.facts.line(first)})")
        for call in calls:
            for each in _varying(call):
                self._refuse_impure(each)
        return varying

    def _refuse_impure(self, written: ast.expr) -> None:
        """Refuse what another evaluation, right below, would not give again."""
        for node in ast.walk(written):
            where = self.facts.line(written)
            if isinstance(node, ast.Call) and not is_repeatable(node):
                raise Refusal(f"`{ast.unparse(node)}` would be called more than once ({where})")
            if isinstance(node, (ast.Starred, ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield)):
                raise Refusal(f"the arguments cannot be stored ({where})")
            if isinstance(node, ast.Name) and self._is_bound_again(node):
                raise Refusal(f"`{node.id}` is reassigned ({where})")

    def _is_bound_again(self, name: ast.Name) -> bool:
        bindings = self.module.scope_of(name).bindings.get(name.id, [])
        return len(bindings) > 1

    def _record_name(self, name: str, varying: list[ast.expr]) -> str:
        hint = (
            hint_for(self.module.parent(varying[0]), varying[0]) + "s"
            if len(varying) == 1
            else "arguments"
        )
        wanted = kept_name(name.removesuffix("s"), hint)
        while (
            wanted in self.facts.names or wanted in self.facts.stores or wanted in self.around.taken
        ):
            wanted += "_"
        return wanted

    def _started(self, handle: Handle, kept: str) -> Insert:
        value = handle.site.value
        if not isinstance(value, (ast.List, ast.Dict)) or getattr(
            value, "elts", getattr(value, "keys", [])
        ):
            where = self.facts.line(handle.site.statement)
            raise Refusal(f"the resources are not added to an empty list or dict ({where})")
        empty = "[]" if isinstance(value, ast.List) else "{}"
        return Insert(self.module.span(handle.site.statement), f"{self.me}.{kept} = {empty}")

    def _written_down(self, item: Item, kept: str) -> Insert:
        value = "None"
        if item.opened is not None:
            value = _tuple([self.module.segment(each) for each in _varying(item.opened)])
        if item.key is not None:
            self._refuse_impure(item.key)
            text = f"{self.me}.{kept}[{self.module.segment(item.key)}] = {value}"
        else:
            text = f"{self.me}.{kept}.append({value})"
        return Insert(self.module.span(item.statement), text)

    def _reopened(
        self, name: str, kept: str, items: list[Item], call: ast.Call, varying: list[ast.expr]
    ) -> str:
        """Return the statement that opens all items again from what was written down."""
        names = self._names_for(varying)
        text = self._with_names(call, dict(zip(varying, names, strict=True)))
        if any(each.opened is None for each in items):
            if len(names) > 1:
                raise Refusal(f"some items are None ({self.facts.line(call)})")
            text = f"None if {names[0]} is None else {text}"
        target, source = _tuple(names), f"{self.me}.{kept}"
        if items[0].key is None:
            parts = ("[", text, f"for {target} in {source}", "]")
        else:
            parts = ("{", f"key: {text}", f"for key, {target} in {source}.items()", "}")
        return fitted(f"{self.me}.{name} = ", *parts)

    def _with_names(self, call: ast.Call, names: dict[ast.expr, str]) -> str:
        """Return a call's text with names in place of some arguments."""
        args = [names.get(each) or self.module.segment(each) for each in call.args]
        for each in call.keywords:
            args.append(f"{each.arg}={names.get(each.value) or self.module.segment(each.value)}")
        return f"{self.module.segment(call.func)}({', '.join(args)})"

    def _names_for(self, varying: list[ast.expr]) -> list[str]:
        names: list[str] = []
        for each in varying:
            name = (
                each.id if isinstance(each, ast.Name) else hint_for(self.module.parent(each), each)
            )
            while name in names or name == "key":
                name += "_"
            names.append(name)
        return names


def fitted(start: str, opening: str, item: str, loop: str, closing: str) -> str:
    """Return a comprehension in one line where it is short, else in four."""
    line = f"{start}{opening}{item} {loop}{closing}"
    if len(line) <= MOST_COLUMNS:
        return line
    return f"{start}{opening}\n    {item}\n    {loop}\n{closing}"


def _varying(call: ast.Call) -> list[ast.expr]:
    given = [*call.args, *(each.value for each in call.keywords)]
    return [each for each in given if not isinstance(each, ast.Constant)]


def _shape(call: ast.Call) -> str:
    """Return what two calls have in common that differ in the values of their arguments only."""
    given = [("", each) for each in call.args] + [
        (each.arg or "**", each.value) for each in call.keywords
    ]
    parts = [f"{name}={ast.dump(e) if isinstance(e, ast.Constant) else '?'}" for name, e in given]
    return f"{ast.unparse(call.func)}({', '.join(parts)})"


def _tuple(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


__all__ = ["Recorded", "fitted"]
