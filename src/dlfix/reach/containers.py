"""Lists, tuples, sets and dicts: what displays, slices, sums and later additions put into them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from dlfix.project import scan
from dlfix.project.bodies import Named
from dlfix.project.flow import reaching
from dlfix.project.module import Module
from dlfix.project.syntax import first_parameter, positional
from dlfix.project.trees import COMPREHENSIONS, walk
from dlfix.reach.access_paths import (
    ITSELF,
    Addition,
    Holder,
    Step,
    added_to,
    additions,
    constant_key,
    handed_over,
    holder_of,
    holders,
    key_of,
    outermost,
    path_of,
    put_in,
)
from dlfix.reach.conditions import is_dead
from dlfix.reach.copied_entries import entries, left_by_tests, under
from dlfix.reach.instances import is_own, makers
from dlfix.reach.methods import calls_base
from dlfix.reach.removals import ALL, LAST, OWN, Block, block_around, is_process_id
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    Class,
    Constant,
    Container,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Passed,
    Reached,
)

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.project.module import Scope
    from dlfix.reach.evaluator import Def, Evaluator, Item


@dataclass(frozen=True)
class Inside:
    """Stands for a key where an item goes into a container that another one holds under `outer`."""

    outer: object
    key: object
    step: Step
    frame: Frame

    def __hash__(self) -> int:
        """Leave the keys out: a slice has no hash before Python 3.12."""
        return hash((self.step.name, self.frame))


_MOST_WAYS = 8  # that one item comes into a container, each told apart


class _Known:
    """The items that a container has already. A slice has no hash before Python 3.12: such items are compared."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._hashed: set[Item] = set()
        self._others: list[Item] = []
        self._ways: Counter[tuple[object, ...]] = Counter()
        for item in items:
            self.takes(item)

    def without_ways(self, item: Item) -> Item:
        """Return an item without the way it came, where it came many: then none of them rules it out."""
        key, value = item
        if not isinstance(value, Bound) or not value.passed:
            return item
        told = (key if isinstance(key, Hashable) else repr(key), value.node, value.frame)
        self._ways[told] += 1
        return item if self._ways[told] <= _MOST_WAYS else (key, replace(value, passed=()))

    def takes(self, item: Item) -> bool:
        """Take an item up; return whether it is new."""
        try:
            if item in self._hashed:
                return False
            self._hashed.add(item)
        except TypeError:
            if item in self._others:
                return False
            self._others.append(item)
        return True


ANY_PART = slice(None, None, 0)  # a slice whose ends are not known


class Containers:
    """Makes containers, each once for the place and frame that make it."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter

    def new(
        self,
        kind: str,
        items: Iterable[Item],
        node: ast.expr,
        frame: Frame,
        *more: object,
        is_open: bool = False,
    ) -> Container:
        """Return the container an expression makes, with all that is put into it in view."""
        return self.interpreter.calls.made(
            node,
            frame,
            lambda: self._made(
                kind, *self._filled(items, node, frame, is_open), node, frame, is_open
            ),
            "container",
            *more,
        )

    def _made(
        self,
        kind: str,
        items: tuple[Item, ...],
        taken: tuple[Item, ...],
        node: ast.expr,
        frame: Frame,
        is_open: bool,
    ) -> Container:
        """Return a container; a dict with an item under an unknown key may hold more than is seen."""
        more = kind == "dict" and any(key is None for key, _ in items)
        return Container(kind, node, frame, items, is_open or more, taken)

    def sequence(self, kind: str, elts: list[ast.expr], node: ast.expr, frame: Frame) -> Container:
        """Return what a display of a list, tuple or set makes."""
        return self.new(kind, self._elements(elts, frame), node, frame)

    def _elements(self, elts: list[ast.expr], frame: Frame) -> Iterator[Item]:
        sure = True  # whether the places of items are still known
        for index, element in enumerate(elts):
            if isinstance(element, ast.Starred):
                sure = False
                for item in self.interpreter.each(Bound(element.value, frame)):
                    yield None, item
            else:
                yield index if sure else None, Bound(element, frame)

    def mapping(self, node: ast.Dict, frame: Frame) -> Container:
        """Return what a display of a dict makes; a later key replaces an earlier one."""
        spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        is_open = any(self.is_open(Bound(value, frame)) for value in spread)
        items = _last_of_each_key(self._pairs(node, frame))
        return self.new("dict", items, node, frame, is_open=is_open)

    def is_open(self, argument: Argument) -> bool:
        """Return whether a mapping may hold more than what is in view."""
        values = self.interpreter.values(argument)
        return not values or any(
            not isinstance(value, Container) or value.is_open for value in values
        )

    def filtered(
        self, node: ast.DictComp, frame: Frame
    ) -> Iterable[tuple[Container, tuple[Passed, ...]]]:
        """Return the dicts that `{k: v for k, v in options.items() if k != "name"}` may copy."""
        match node:
            case ast.DictComp(
                key=ast.Name(id=key),
                value=ast.Name(id=value),
                generators=[
                    ast.comprehension(
                        target=ast.Tuple(elts=[ast.Name(id=of_key), ast.Name(id=of_value)]),
                        iter=ast.Call(func=ast.Attribute(value=mapping, attr="items"), args=[]),
                    )
                ],
            ) if (key, value) == (of_key, of_value):
                return [
                    (self._without(one.value, node, frame), one.steps)
                    for one in self.interpreter.evaluate(mapping, frame)
                    if isinstance(one.value, Container) and one.value.kind == "dict"
                ]
        return ()

    def _without(self, container: Container, node: ast.DictComp, frame: Frame) -> Container:
        """Return a copy of a dict with the keys for which no test says otherwise."""
        inner = self.interpreter.inner(node, frame)
        items = [
            item for item in container.items
            if left_by_tests(node.key, [Reached(Constant(item[0]))], inner, self.interpreter)
        ]  # fmt: skip
        return self.new("dict", items, node, frame, container, is_open=container.is_open)

    def comprehension(self, node: ast.DictComp, frame: Frame) -> Container:
        """Return what a comprehension of a dict makes."""
        inner = self.interpreter.inner(node, frame)
        items = under(node.key, node.value, inner, self.interpreter)
        return self.new("dict", items, node, frame)

    def pair(self, pair: Container) -> Iterator[Item]:
        """Yield the items that a pair of key and value makes in a dict."""
        match [item for _, item in pair.items]:
            case [Bound() as key, Bound() as value] if key.frame is value.frame:
                yield from under(key.node, value.node, key.frame, self.interpreter)
            case [key, value]:
                known = self.interpreter.values(key)
                single = known[0] if len(known) == 1 else None
                yield single.value if isinstance(single, Constant) else None, value

    def copy(self, container: Container, node: ast.expr, frame: Frame) -> Container:
        """Return a shallow copy: what is put into it later is not in the original."""
        kind, is_open = container.kind, container.is_open
        return self.new(kind, container.items, node, frame, container, is_open=is_open)

    def _pairs(self, node: ast.Dict, frame: Frame) -> Iterator[Item]:
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield self._key(key, frame), Bound(value, frame)
                continue
            for container in self.interpreter.containers(Bound(value, frame)):
                yield from container.items

    def _key(self, node: ast.expr, frame: Frame) -> object:
        """Return a key that is a constant, or names one; None where it is not known."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return constant_key(node)
        found = self.interpreter.values_at(node, frame)
        return found[0].value if len(found) == 1 and isinstance(found[0], Constant) else None

    def joined(
        self, left: Container, right: Container | None, node: ast.expr, frame: Frame
    ) -> Container:
        """Return `left + right` or `left | right`; None for a side that is not known."""
        more: Iterable[Item] = right.items if right is not None else ()
        is_open = left.is_open or right is None or right.is_open
        if left.kind == "dict":
            items = _last_of_each_key((*left.items, *more))
        elif numbered(left) and right is not None and numbered(right):
            items = [(i, v) for i, (_, v) in enumerate((*left.items, *more))]
        else:
            items = [*left.items, *((None, item) for _, item in more)]
        return self.new(left.kind, items, node, frame, left, right, is_open=is_open)

    def datasets(self, node: ast.BinOp, frame: Frame) -> ExternalCall:
        """Return what adding two datasets makes."""
        sides = self.new("list", enumerate((Bound(node.left, frame), Bound(node.right, frame))),
                         node, frame)  # fmt: skip
        call = cast("ast.Call", node)
        name, arguments = "torch.utils.data.ConcatDataset", Arguments((sides,))
        return self.interpreter.calls.external_call(name, arguments, call, frame)

    def loosened(self, container: Container, node: ast.expr, frame: Frame) -> Container:
        """Return a container of the same items, at places that are not known."""
        items = [(None, item) for _, item in container.items]
        return self.new(container.kind, items, node, frame, container)

    def part(self, container: Container, cut: slice, node: ast.expr, frame: Frame) -> Container:
        """Return a slice of a sequence."""
        kind = "tuple" if container.kind == "tuple" else "list"
        if cut == ANY_PART or not numbered(container):
            return self.loosened(container, node, frame)
        items = list(enumerate(item for _, item in container.items[cut]))
        return self.new(kind, items, node, frame, container, cut.start, cut.stop, cut.step)

    def held(self, found: Iterable[Reached], node: ast.expr, frame: Frame) -> Iterator[Reached]:
        """Yield what an expression gives, with what is put into it under the name it is given here."""
        put = {holder_of(target) for target in _targets(node, frame.module)}
        added = additions(frame.module)
        has_more = any(
            each is not None and (each in added or self._is_added_outside(each, frame))
            for each in put
        )
        for one in found:
            value = one.value
            if has_more and isinstance(value, Container) and value.node is not node:
                yield Reached(self._under_its_name(value, node, frame), one.steps)
            else:
                yield one

    def _under_its_name(self, value: Container, node: ast.expr, frame: Frame) -> Container:
        """Return a container that was made elsewhere, as it is after all that is put in here."""

        def named() -> Container:
            items, taken = self._filled(value.items, node, frame, value.is_open)
            if items == value.items:
                return value
            taken = (*value.taken, *taken)
            return self._made(value.kind, items, taken, value.node, value.frame, value.is_open)

        return self.interpreter.calls.made(node, frame, named, "held", value)

    def added(self, node: ast.expr, frame: Frame) -> Iterator[Item]:
        """Yield what is put into what an expression makes, after it is made."""
        return self._put_in(node, frame)

    # What is put into containers after they were made

    def put_under(self, node: ast.expr, frame: Frame) -> Iterator[Item]:
        """Yield what is put into what a name, or an attribute of a name, holds."""
        if isinstance(node, ast.Name):
            yield from self._put_in_name(node, frame)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield from self._put_in_attribute(node.value.id, node.attr, frame)
        elif isinstance(node, ast.Subscript):
            keys = self._keys(key_of(node.slice), frame)
            for inside, item in self.put_under(node.value, frame):
                if isinstance(inside, Inside) and not inside.step.name and inside.outer in keys:
                    yield inside.key, item

    def _filled(
        self, items: Iterable[Item], node: ast.expr, frame: Frame, is_open: bool
    ) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        """Return what a container holds after all that is put into it, and what is taken out again."""
        found = [*items]
        known = _Known(found)
        replaced = set(_replaced(node, frame))
        for put in self._put_in(node, frame):
            added = known.without_ways(put)
            if added[0] in replaced and any(key == added[0] for key, _ in found):
                found = [item for item in found if item[0] != added[0]]
                known = _Known(found)
            if not known.takes(added):
                continue
            if not _is_default(added):
                found.append(added)
            elif is_open or all(key != added[0] for key, _ in found):
                found.insert(0, added)
        whole = self.settled(found)
        left = tuple(self._left(whole, node, frame))
        return left, tuple(each for each in whole if each not in left) if len(left) < len(
            whole
        ) else ()

    # What is put into containers that another container holds

    def settled(self, items: list[Item]) -> list[Item]:
        """Return items with those that go into containers among them put in there."""
        inside = [(key, item) for key, item in items if isinstance(key, Inside)]
        found = [(key, item) for key, item in items if not isinstance(key, Inside)]
        for added in inside:
            at = added[0].outer
            exact = [index for index, (key, _) in enumerate(found) if at in (key, None)]
            among = exact or [index for index, (key, _) in enumerate(found) if key is None]
            for index in among:
                key, item = found[index]
                found[index] = key, self._with_more(item, added)
            if not among and not added[0].step.name:
                found.append((at, self._part((added,))))
        return found

    def _with_more(self, item: Argument, added: tuple[Inside, Argument]) -> Argument:
        """Return an item that holds what is put into it after it is made."""
        if isinstance(item, Bound):
            return item if added in item.more else replace(item, more=(*item.more, added))
        return self._extended(item, (added,)) if isinstance(item, Container) else item

    def with_more(self, found: Iterable[Reached], more: tuple[Item, ...]) -> Iterator[Reached]:
        """Yield what an item may be, with what is put into it."""
        known = False
        for one in found:
            if isinstance(one.value, Container):
                known = True
                yield Reached(self._extended(one.value, more), one.steps)
            else:
                yield one
        surely = tuple(each for each in more if not cast("Inside", each[0]).step.name)
        if not known and surely:
            yield Reached(self._part(surely))

    def _extended(self, container: Container, more: tuple[Item, ...]) -> Container:
        """Return a container with what is put into it where another container holds it."""
        added = [(cast("Inside", key).key, item) for key, item in more]
        return self.interpreter.calls.made(
            container.node,
            container.frame,
            lambda: replace(container, items=tuple(self.settled([*container.items, *added]))),
            "held",
            container,
            more,
        )

    def _part(self, more: tuple[Item, ...]) -> Container:
        """Return the container that items are put into where nobody in view makes it."""
        inside = cast("Inside", more[0][0])
        is_dict = any(isinstance(cast("Inside", key).key, (str, Inside)) for key, _ in more)
        kind = "dict" if is_dict else "list"
        node, frame = inside.step.node, inside.frame
        return self._extended(
            self.interpreter.calls.made(
                node, frame, lambda: Container(kind, node, frame, (), True), "part", kind
            ),
            more,
        )

    def _left(self, items: list[Item], node: ast.expr, frame: Frame) -> Iterable[Item]:
        """Return the items that no statement after the making takes out again."""
        targets = list(_targets(node, frame.module))
        block = block_around(node, targets, frame.module, partial(self._run_by, frame))
        if block is None or not items:
            return items
        made = block.place_of(node) or 0
        placed = [(item, self._place_in(block, item, made, frame)) for item in items]
        for removal in block.removals:
            before = [
                pair
                for pair in placed
                if made <= pair[1] < removal.index
                and block.keeps_to_itself(pair[1] + 1, removal.index)
            ]
            if removal.key is LAST and len(before) != 1:
                continue
            if removal.key is OWN:
                gone = [pair for pair in before if _is_per_process(pair[0])]
            else:
                gone = [p for p in before if removal.key in (LAST, ALL) or p[0][0] == removal.key]
            placed = [pair for pair in placed if pair not in gone]
        return [item for item, _ in placed]

    def _run_by(self, frame: Frame, statement: ast.stmt) -> Iterator[ast.stmt]:
        """Yield the statements that a constructor surely runs by one that calls a method: `self.close()`."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name("self"), attr=name))):
                cls = frame.owner.cls if isinstance(frame.owner, Instance) else None
                method = self.interpreter.instances.method(cls, name) if cls is not None else None
                is_near = method is not None and method.module is frame.module
                for each in getattr(method.node, "body", ()) if is_near else ():  # type: ignore[union-attr]
                    yield each
                    if any(isinstance(inner, ast.Return) for inner in walk(each)):
                        return

    def _place_in(self, block: Block, item: Item, made: int, frame: Frame) -> int:
        """Return the place in a block at which an item is put in; beyond it where that is not known."""
        bound, never = item[1], len(block.statements)
        if not isinstance(bound, Bound):
            return never
        if bound.frame.module is block.module and (at := block.place_of(bound.node)) is not None:
            return at
        method = bound.frame.scope.name
        owner = bound.frame.owner
        if not isinstance(owner, Instance) or frame.scope.name != "__init__":
            return never
        roles = self.interpreter.roles
        if not roles.only_in_constructor(owner.cls, method, owner):
            return never
        leading = roles.leading_to(owner.cls, method)
        used = [i for i in range(made, never) if block.calls_after(i - 1) & leading]
        return max(used, default=made)

    def _put_in(self, node: ast.expr, frame: Frame) -> Iterator[Item]:
        for target in _targets(node, frame.module):
            yield from self.put_under(target, frame)
            if isinstance(target, ast.Name) and frame.scope.is_class:
                for owner in ("self", "cls", frame.scope.name):  # a default, or what objects share
                    yield from self._put_in_attribute(owner, target.id, frame)

    def _put_in_name(self, target: ast.Name, frame: Frame) -> Iterator[Item]:
        name, module = target.id, frame.module
        binder = frame.scope.lookup(name)
        at: Frame | None = frame
        while at is not None and at.scope is not binder:
            at = at.enclosing
        if at is None:
            return
        for added in added_to(("", name), module):
            scope = module.scope_of(added.node)
            if scope is at.scope and (
                not _may_reach(target, added.node, scope)
                or is_dead(added.node, at, self.interpreter)
            ):
                continue
            gone = _gone_through(added.node, at.scope.bindings.get(name, []), module)
            if scope is at.scope:
                yield from (_of_all(item, gone) for item in self.put(added, at))
            elif scope.lookup(name) is binder:
                inside = self.interpreter.frame(scope)
                for each in self.interpreter.callers.applications(inside) or [inside]:
                    yield from self.put(added, each)
        here = at
        yield from self._put_in_by_called(("", name), module, lambda scope: (
            here if scope is here.scope
            else self.interpreter.frame(scope) if scope.lookup(name) is binder else None
        ))  # fmt: skip
        if at.scope is module.scope:
            yield from self._put_in_by_importers(name, module)

    def _put_in_by_called(
        self, holder: Holder, module: Module, frame_of: Callable[[Scope], Frame | None]
    ) -> Iterator[Item]:
        """Yield what functions of the tree put into a container that they are passed: `extend(options)`."""
        for call, place, path in handed_over(module).get(holder, ()):
            frame = frame_of(module.scope_of(call))
            if frame is None or not self._is_of_tree(call.func, frame):
                continue
            for value in self.interpreter.values_at(call.func, frame):
                if isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
                    for item in self._put_by_function(value, place, call, frame):
                        yield from self._along(path, item, frame)

    def _put_by_function(
        self, function: Function, place: int | str, call: ast.Call, frame: Frame
    ) -> Iterator[Item]:
        """Yield what a function puts into what a call passes it at a place, or under a name."""
        calls, module = self.interpreter.calls, function.module
        names = positional(cast("ast.FunctionDef", function.node))
        parameter = place if isinstance(place, str) else "".join(names[place : place + 1])
        scope = module.inner_scope(function.node)
        added = [a for a in added_to(("", parameter), module) if module.scope_of(a.node) is scope]
        given = calls.arguments(call, frame) if added else Arguments()
        inside = calls.frame_of(function, given, call, frame, None) if added else None
        for each in added if inside is not None else ():
            yield from self.put(each, cast("Frame", inside))

    def _is_of_tree(self, func: ast.expr, frame: Frame) -> bool:
        """Return whether a name, or an attribute of a module or class, may be a function of the tree."""
        root = func.value if isinstance(func, ast.Attribute) else func
        binder = frame.scope.lookup(root.id) if isinstance(root, ast.Name) else None
        if binder is None or not isinstance(root, ast.Name):
            return False
        kinds = {binding.kind for binding in binder.bindings.get(root.id, ())}
        return isinstance(func, ast.Name) or bool(kinds & {"import", "class"})

    def _put_in_by_importers(self, name: str, module: Module) -> Iterator[Item]:
        """Yield what other modules put, as they are imported, into what a module's global holds."""
        for other in self.interpreter.project.users(module, name):
            if other is module or not self.interpreter.audience.speaks(other, module):
                continue
            for owner, attribute in other.answer(holders, name):
                if not self._is_global_of(owner, attribute, other, name, module):
                    continue
                for added in added_to((owner, attribute), other):
                    scope = other.scope_of(added.node)
                    if scope is other.scope:
                        yield from self.put(added, self.interpreter.frame(scope))

    def _is_global_of(
        self, owner: str, attribute: str, other: Module, name: str, module: Module
    ) -> bool:
        """Return whether a module means by `attribute`, or `owner.attribute`, a global of another."""
        if owner and attribute != name:
            return False
        for binding in other.scope.bindings.get(owner or attribute, ()):
            if binding.kind != "import":
                continue
            source = self.interpreter.imported(binding, other)
            if owner and source is not None and not source[1]:
                source = self.interpreter.source_in(source[0], attribute, set())
            if source == (module, name):
                return True
        return False

    def put_in_parameter(self, name: str, frame: Frame) -> Iterator[Item]:
        """Yield what a function adds to a container that it is passed."""
        for added in added_to(("", name), frame.module):
            if frame.module.scope_of(added.node) is frame.scope:
                yield from self.put(added, frame)

    def put(self, added: Addition, frame: Frame) -> Iterator[Item]:
        """Yield what an addition in a frame puts in: a comprehension's item is read inside it."""
        above = frame.module.parent(added.value)
        inner = frame
        if isinstance(above, COMPREHENSIONS):
            inner = self.interpreter.inner(above, frame)
        for item in entries(added.key, added.value, inner, self.interpreter):
            yield from self._along(added.path, item, frame)

    def _along(self, path: tuple[Step, ...], item: Item, frame: Frame) -> Iterator[Item]:
        """Yield an item that is put in at the end of a path, under the keys that the path may have."""
        if not path:
            yield item
            return
        step, *rest = path
        for key, argument in self._along(tuple(rest), item, frame):
            if step.key is ITSELF:
                yield key, argument
                continue
            for outer in self._keys(step.key, frame):
                yield Inside(outer, key, step, frame), argument

    def _keys(self, key: object, frame: Frame) -> list[object]:
        """Return what a key of a path may be; None where it is not known."""
        if not isinstance(key, ast.expr):
            return [key]
        found = self.interpreter.values_at(key, frame)
        known = [each.value for each in found if isinstance(each, Constant)]
        return [*known] if found and len(known) == len(found) else [None]

    def _put_in_attribute(self, owner: str, name: str, frame: Frame) -> Iterator[Item]:
        """Yield what methods that the parent runs add to `self.x`."""
        for body in self._bodies(frame):
            frame_of = partial(self._frame_around, body, frame)
            for added in added_to((owner, name), body.module):
                at = frame_of(body.module.scope_of(added.node))
                if at is not None:
                    yield from self.put(added, at)
            yield from self._put_in_by_called((owner, name), body.module, frame_of)
        if self._is_added_outside((owner, name), frame):
            yield from self._put_in_outside(name, frame)

    def _frame_around(self, body: Frame, frame: Frame, scope: Scope) -> Frame | None:
        """Return the frame of code in a class's body for an object, if the parent may run it."""
        if scope is frame.scope:
            return frame
        method = _method_around(scope, body.scope)
        runs = method is not None and self._in_parent(method, frame)
        return self.owned(scope, body, frame) if runs else None

    def put_by_method(self, node: Def, body: Frame, frame: Frame) -> Iterator[Item]:
        """Yield what a method, run in the parent, or a function in it puts into its own object."""
        module, me = body.module, first_parameter(node) or ""
        own = module.inner_scope(node)
        if not self._in_parent(own, frame):
            return

        def frame_of(scope: Scope) -> Frame | None:
            is_own = scope.lookup(me) is own
            return self._frame_around(body, frame, scope) if is_own else None

        for added in added_to(("", me), module):
            at = frame_of(module.scope_of(added.node))
            if at is not None:
                yield from self.put(added, at)
        yield from self._put_in_by_called(("", me), module, frame_of)

    def _is_added_outside(self, holder: tuple[str, str], frame: Frame) -> bool:
        """Return whether the module that makes a method's object adds to an attribute of this name."""
        owner, name = holder
        made = frame.owner.frame if isinstance(frame.owner, Instance) else None
        return owner == "self" and made is not None and name in _added_on_others(made.module)

    def _put_in_outside(self, name: str, frame: Frame) -> Iterator[Item]:
        """Yield what code outside the class adds to what an object holds: `steps.all.append(f)`."""
        instance = cast("Instance", frame.owner)
        module = cast("Frame", instance.frame).module
        for _, item in self.put_outside(name, instance, module):
            yield item

    def put_outside(
        self, name: str, holder: Instance | ExternalCall, module: Module
    ) -> Iterator[tuple[ast.AST, Item]]:
        """Yield what a module's code adds to what an object holds under a name, with where it does."""
        made = next(makers(holder), None)
        for owner, added in _added_on_others(module).get(name, ()):
            at = self.interpreter.frame_at(module, added.node)
            if self.interpreter.roles.only_worker(module, added.node):
                continue
            for reached in self.interpreter.evaluate(owner, at):
                if made in [*makers(reached.value)]:
                    yield from ((added.node, item) for item in self.put(added, at))

    def _bodies(self, frame: Frame) -> Iterator[Frame]:
        """Yield the bodies of the classes whose methods share a frame's `self`."""
        at: Frame | None = frame
        while at is not None and not at.scope.is_class:
            at = at.enclosing
        if at is not None and isinstance(frame.owner, Instance):
            instances = self.interpreter.instances
            for cls in instances.mro(frame.owner.cls):
                if isinstance(cls, Class):
                    yield instances.body(cls)
        elif at is not None:
            yield at
            yield from self._metaclass_body(at)

    def _metaclass_body(self, body: Frame) -> Iterator[Frame]:
        instances = self.interpreter.instances
        if body.scope.is_class and body.enclosing is not None:
            metaclass = instances.metaclass(
                self.interpreter.class_value(body.scope.node, body.enclosing)
            )
            yield from [instances.body(metaclass)] if metaclass is not None else []

    def _in_parent(self, method: Scope, frame: Frame) -> bool:
        """Return whether the parent may run a method on a frame's object: not one it has replaced."""
        if not isinstance(frame.owner, Instance):
            return self._in_parent_of_process(method)
        roles, cls, name = self.interpreter.roles, frame.owner.cls, method.name
        own = self.interpreter.instances.method(cls, name)
        if own is not None and own.frame.scope is not method.parent and not calls_base(own, name):
            return False
        return roles.may_run_in_parent(cls, name)

    def _in_parent_of_process(self, method: Scope) -> bool:
        """Return whether the parent may run a method on some object of a class: `Base.__init__(self)`."""
        body = method.parent
        if body is None or not body.is_class or body.parent is None:
            return True
        interpreter = self.interpreter
        cls = interpreter.class_value(body.node, interpreter.frame(body.parent))
        if not interpreter.roles.is_process(cls):
            return True
        classes = [cls, *interpreter.instances.subclasses(cls)]
        return any(interpreter.roles.may_run_in_parent(each, method.name) for each in classes)

    def owned(self, scope: Scope, body: Frame, frame: Frame) -> Frame:
        """Return the frame of a method of an object, or of a function in it."""
        if frame.owner is None:
            return self.interpreter.frame(scope)
        owner = frame.owner
        above = body
        if scope.parent is not None and scope.parent is not body.scope:
            above = self.owned(scope.parent, body, frame)
        return self.interpreter.calls.made(
            scope.node, above, lambda: Frame(scope, above, None, owner), "frame", owner
        )


def _replaced(node: ast.expr, frame: Frame) -> Iterator[object]:
    """Yield the keys of a dict that are given another value before anything reads it."""
    module, statement = frame.module, frame.module.statement(node)
    block = getattr(module.parent(statement), "body", [])
    names = {target.id for target in _targets(node, module) if isinstance(target, ast.Name)}
    if statement not in block or not names:
        return
    for later in block[block.index(statement) + 1 :]:
        match later:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)]) if (
                name in names and isinstance(key, ast.Constant)
            ):
                yield key.value
        if not isinstance(later, ast.Assign) or names & _read_in(later):
            return


def _is_default(item: Item) -> bool:
    """Return whether an item is put in only where its key is missing: `options.setdefault(k, v)`."""
    argument = item[1]
    above = argument.frame.module.parent(argument.node) if isinstance(argument, Bound) else None
    return isinstance(above, ast.Call) and getattr(above.func, "attr", "") == "setdefault"


def _read_in(statement: ast.Assign) -> set[str]:
    """Return the names that a statement reads but to put something into what they hold."""
    put = {target.value for target in statement.targets if isinstance(target, ast.Subscript)}
    return {
        inner.id for inner in walk(statement)
        if isinstance(inner, ast.Name) and inner not in put
    }  # fmt: skip


def _method_around(scope: Scope, body: Scope) -> Scope | None:
    """Return the method of a class that a scope is, or is in."""
    at: Scope | None = scope
    while at is not None and at.parent is not body:
        at = at.parent
    return at


def numbered(container: Container) -> bool:
    """Return whether a container's items are known by their places, and in order."""
    return all(key == index for index, (key, _) in enumerate(container.items)) and (
        container.kind in ("list", "tuple")
    )


def item_of(container: Container, key: object) -> list[Argument]:
    """Return what `container[key]` may be; a key of None is one that is not known."""
    if isinstance(key, int) and key < 0 and numbered(container):
        key += len(container.items)
    exact = [item for at, item in container.items if key is not None and at == key]
    return exact or [item for at, item in container.items if key is None or at is None]


def _last_of_each_key(items: Iterable[Item]) -> list[Item]:
    found: dict[object, Item] = {}
    for index, (key, item) in enumerate(items):
        place = (index,) if key is None else (type(key), key)
        found.pop(place, None)
        found[place] = (key, item)
    return list(found.values())


def _targets(node: ast.expr, module: Module) -> list[ast.expr]:
    """Return what a display is assigned to, also as one of several: `a, self.b = [], []`."""
    match module.parent(node):
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            return [target]
        case ast.Tuple(elts=values) as display:
            match module.parent(display):
                case ast.Assign(targets=[ast.Tuple(elts=targets)]) if len(targets) == len(values):
                    starred = any(isinstance(each, ast.Starred) for each in (*targets, *values))
                    return [] if starred else [targets[values.index(node)]]
    return []


def _added_on_others(module: Module) -> Named[str, tuple[ast.expr, Addition]]:
    """Return what a module adds to attributes of other objects than `self`, with what they are of."""
    return module.table(_added_on, scan.may_read)


def _added_on(module: Module) -> dict[str, list[tuple[ast.expr, Addition]]]:
    found: dict[str, list[tuple[ast.expr, Addition]]] = {}
    for node in module.nodes(ast.Call, ast.AugAssign, ast.Assign):
        for target, added in put_in(node, module):
            held = outermost(target)
            if not isinstance(held, ast.Attribute) or is_own(module, held.value):
                continue
            if not _is_taken_later(node, held, module):
                path = path_of(target)
                pairs = ((held.value, Addition(node, key, value, path)) for key, value in added)
                found.setdefault(held.attr, []).extend(pairs)
    return {name: each for name, each in found.items() if each}


def _is_taken_later(node: ast.AST, held: ast.expr, module: Module) -> bool:
    """Return whether a later statement of the block may take out again what one adds."""
    statement = module.statement(node)
    block = block_around(statement, [held], module)
    place = block.place_of(statement) if block is not None else None
    return block is not None and any(each.index > (place or 0) for each in block.removals)


def _is_per_process(item: Item) -> bool:
    """Return whether code puts an item in under the id of its process: `held[os.getpid()] = open(path)`."""
    bound = item[1]
    if not isinstance(bound, Bound):
        return False
    module = bound.frame.module
    match module.parent(bound.node):
        case ast.Assign(targets=targets):
            return all(
                not isinstance(each, ast.Subscript) or is_process_id(each.slice, module)
                for each in targets
            )
    return False


def _may_reach(target: ast.Name, use: ast.AST, scope: Scope) -> bool:
    """Return whether a name may still stand for what a statement gave it where code uses it."""
    if isinstance(target.ctx, ast.Load):
        return True
    return any(binding.node is target for binding in reaching(scope, target.id, use))


def _gone_through(node: ast.AST, bindings: list[Binding], module: Module) -> frozenset[ast.AST]:
    """Return what loops around an addition go through that do not make the container anew."""
    loops = [loop for loop in module.ancestors(node) if isinstance(loop, (ast.For, ast.AsyncFor))]
    if not loops:  # as nearly everywhere
        return frozenset()
    around = {above for each in bindings for above in module.ancestors(each.node)}
    return frozenset(loop.iter for loop in loops if loop not in around)


def _of_all(item: Item, gone: frozenset[ast.AST]) -> Item:
    """Return an item that is there together with those of the other rounds of some loops."""
    key, value = item
    if not gone or not isinstance(value, Bound):
        return item
    left = tuple(step for step in value.passed if step.item is None or step.node not in gone)
    return key, replace(value, passed=left)
