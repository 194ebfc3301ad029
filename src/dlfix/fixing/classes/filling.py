"""Lists and dicts of handles that a loop fills: what opens each is kept, and they open together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.classes.additions import Additions, additions
from dlfix.fixing.classes.facts import ClassFacts, Method
from dlfix.fixing.classes.handles import Handle, Moved, Refusal
from dlfix.fixing.classes.loop_residue import EachTime, home_block, outermost_in
from dlfix.fixing.classes.loops import (
    Fill,
    Filled,
    WholeLoop,
    find_loop,
    grows,
    is_empty,
    local_start,
)
from dlfix.fixing.classes.plans import Exchange, Insert
from dlfix.fixing.classes.text import names_in, stored_in
from dlfix.project.order import comes_before
from dlfix.project.syntax import ADDING, LOOPS


def is_filled(facts: ClassFacts, handle: Handle) -> bool:
    """Return whether an attribute starts as an empty list or dict that the same method fills.

    What is filled when something is asked for starts empty in each process as well.
    """
    if local_start(facts, handle) is not None or additions(facts, handle):
        return True
    if not is_empty(handle.site.value):
        return False
    filling = {
        user.name: node
        for user, node in facts.reads.get(handle.attribute, [])
        if grows(facts, node) and user.name in facts.started
    }
    if handle.site.method.name in filling:
        return True
    for name, node in filling.items():
        if not _is_asked(facts.methods[name], handle.attribute):
            where = facts.line(facts.module.statement(node))
            raise Refusal(f"`{name}` fills the container while the instance is created ({where})")
    return False


def _is_asked(method: Method, attribute: str) -> bool:
    """Return whether a method looks what is there before it adds to it."""
    for node in ast.walk(method):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(attr=name)]):
                if name == attribute:
                    return True
            case ast.Attribute(value=ast.Attribute(attr=name), attr="get" | "setdefault"):
                if name == attribute:
                    return True
            case ast.If(test=test) if any(
                isinstance(each, ast.Attribute) and each.attr == attribute
                for each in ast.walk(test)
            ):
                return True
    return any(isinstance(node, ast.ExceptHandler) for node in ast.walk(method))


class Filling(Filled):
    """Plans one attribute that a loop fills."""

    def run(self, leading: str) -> Moved:
        """Move a loop that does nothing else; else keep in it what opens each."""
        together = _is_tuple(self.start)
        if len(getattr(self.start, "targets", [None])) > 1 or (together and self.local is not None):
            raise Refusal(
                f"the statement also sets other attributes ({self.facts.line(self.start)})"
            )
        added = additions(self.facts, self.handle)
        if added:
            return Additions(self, added).run(leading)
        loop = find_loop(self.facts, self.method, self.handle, self.start)
        if loop is not None and not together:
            return WholeLoop(self, loop).run(leading)
        fill = self._only_fill()
        around = self._around(fill)
        call = _innermost_call(fill.opened if around is None else around.context_expr)
        if call is None or not call.args or isinstance(call.args[0], ast.Starred):
            raise Refusal(
                f"the container is created from several parts ({self.facts.line(fill.statement)})"
            )
        paths = self._free_attribute()
        moved = Moved()
        if around is None:
            moved.bodies[self.handle.attribute] = self._body(fill, call, paths)
        else:
            moved.bodies[self.handle.attribute] = self._body_with(fill, around, call, paths)
        self._leave(fill, call, paths, leading, moved)
        moved.kept = {**self.mover.moved.kept, f"{paths} of a loop": paths}
        return moved

    def _only_fill(self) -> Fill:
        attribute = self.handle.attribute
        fills = [*self._fills()]
        if not fills:
            where = self.facts.line(self.handle.site.statement)
            raise Refusal(
                f"the container is created empty, but the code that fills it is unknown ({where})"
            )
        if len(fills) > 1:
            first, second = (self.facts.line(each.statement) for each in fills[:2])
            raise Refusal(f"the container is filled in two places ({first} and {second})")
        others = [
            site
            for site in self.facts.stores.get(attribute, [])
            if site.statement is not self.handle.site.statement
        ]
        if others:
            raise Refusal(f"the attribute is reassigned ({self.facts.line(others[0].statement)})")
        return fills[0]

    def _fills(self) -> Iterator[Fill]:
        reads = self.facts.reads.get(self.handle.attribute, [])
        for user, node in [*reads, *((self.method, each) for each in self.local_reads())]:
            parent = self.module.parent(node)
            statement = self.module.statement(node)
            found = self._fill(node, parent, statement)
            if found is None:
                continue
            if user is not self.method:
                raise Refusal(
                    f"`{user.name}` also fills the container ({self.facts.line(statement)})"
                )
            yield found

    def _fill(self, node: ast.AST, parent: ast.AST | None, statement: ast.stmt) -> Fill | None:
        match statement:
            case ast.Assign(targets=targets, value=value) if (
                isinstance(parent, ast.Subscript) and parent in targets and parent.value is node
            ):
                return self._made(statement, parent.slice, value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append") as func, args=[value])):
                return self._made(statement, None, value) if func is parent else None
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) as func)):
                if func is parent and name in ADDING:
                    raise Refusal(
                        f"the container is filled in an unsupported way ({self.facts.line(statement)})"
                    )
        return None

    def _made(self, statement: ast.stmt, key: ast.expr | None, value: ast.expr) -> Fill:
        if not isinstance(value, ast.Name):
            return Fill(statement, key, value, value, None, self._second_target(statement))
        bindings = self.scope.bindings.get(value.id, [])
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path:
            raise Refusal(
                f"the stored value has more than one origin ({self.facts.line(statement)})"
            )
        definition = bindings[0].statement
        opened = bindings[0].value
        if opened is None or not isinstance(definition, ast.Assign):
            raise Refusal(f"the resource is opened in a loop ({self.facts.line(statement)})")
        block = home_block(self.module, definition)
        following = block[block.index(outermost_in(self.module, block, definition)) :]
        if not any(statement in ast.walk(each) for each in following):
            raise Refusal(f"the resource is opened in a loop ({self.facts.line(statement)})")
        if len(definition.targets) != 1:
            raise Refusal(f"the resource is stored twice ({self.facts.line(definition)})")
        return Fill(statement, key, value, opened, definition, value.id)

    def _second_target(self, statement: ast.stmt) -> str:
        """Return the local name that a statement gives a handle besides: `z = self.zips[key] = ...`."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        if targets and (len(names) > 1 or len(targets) > len(names) + 1):
            raise Refusal(f"the resource is stored twice ({self.facts.line(statement)})")
        return names[0] if names else ""

    # -- what opens them

    def _around(self, fill: Fill) -> ast.withitem | None:
        """Return what the resource is opened from and closed again: `with open(p) as f: ...mmap(f.fileno())`."""
        names = names_in([fill.opened])
        for above in self.module.ancestors(fill.statement):
            items = above.items if isinstance(above, ast.With) else []
            used = [each for each in items if names & stored_in([each])]
            if not used:
                continue
            if len(items) > 1 or fill.name or not isinstance(used[0].optional_vars, ast.Name):
                raise Refusal(
                    f"the resource is opened from another one ({self.facts.line(fill.statement)})"
                )
            return used[0]
        return None

    def _body(self, fill: Fill, call: ast.Call, paths: str) -> str:
        self._refuse_what_changes([fill.opened], call)
        me = self.mover.me
        item, key = self._items_named([fill.opened], call)
        text = self.mover.rendered(self.handle.attribute, fill.opened, {call.args[0]: item})
        if self._is_shared(fill):
            return self._shared(fill, text, paths, item, key)
        if self._is_keyed(fill):
            return f"return {{{key}: {text} for {key}, {item} in {me}.{paths}.items()}}"
        return f"return [{text} for {item} in {me}.{paths}]"

    def _is_shared(self, fill: Fill) -> bool:
        """Return whether a loop stores under several keys what is opened once before it."""
        definition = fill.definition
        if definition is None:
            return False
        loops = [e for e in self.module.ancestors(fill.statement) if isinstance(e, LOOPS)]
        return any(definition not in ast.walk(loop) for loop in loops)

    def _shared(self, fill: Fill, text: str, paths: str, item: str, key: str) -> str:
        """Return the body that opens each path once, and stores what it opens under all of its keys."""
        if self.handle.position:
            where = self.facts.line(fill.statement)
            raise Refusal(f"several items of the container share one position ({where})")
        kept, opened = f"{self.mover.me}.{paths}", "opened"
        while opened in {*names_in([fill.opened]), item, key}:
            opened += "_"
        keyed = self._is_keyed(fill)
        once = f"{kept}.values()" if keyed else kept
        first = f"{opened} = {{{item}: {text} for {item} in dict.fromkeys({once})}}"
        if keyed:
            each = f"{{{key}: {opened}[{item}] for {key}, {item} in {kept}.items()}}"
        else:
            each = f"[{opened}[{item}] for {item} in {kept}]"
        return f"{first}\nreturn {each}"

    def _body_with(self, fill: Fill, around: ast.withitem, call: ast.Call, paths: str) -> str:
        name = around.optional_vars
        assert isinstance(name, ast.Name)
        parts = [around.context_expr, fill.opened]
        self._refuse_what_changes(parts, call, name.id)
        attribute, me = self.handle.attribute, self.mover.me
        item, key = self._items_named(parts, call)
        self.mover.bound_around = {name.id}
        context = self.mover.rendered(attribute, around.context_expr, {call.args[0]: item})
        opened = self.mover.rendered(attribute, fill.opened, {})
        local = attribute.lstrip("_")
        if local in {*names_in(parts), item, key}:
            local = "opened"
        keyed = self._is_keyed(fill)
        loop = f"{key}, {item} in {me}.{paths}.items()" if keyed else f"{item} in {me}.{paths}"
        put = f"{local}[{key}] = {opened}" if keyed else f"{local}.append({opened})"
        return (
            f"{local} = {'{}' if keyed else '[]'}\nfor {loop}:\n"
            f"    with {context} as {name.id}:\n        {put}\nreturn {local}"
        )

    def _is_keyed(self, fill: Fill) -> bool:
        return fill.key is not None and not isinstance(getattr(self.start, "value", None), ast.List)

    def _items_named(self, parts: list[ast.expr], call: ast.Call) -> tuple[str, str]:
        """Return names for what each is opened from, and for its key."""
        taken = names_in(parts) - names_in([call.args[0]])
        return "each" if "path" in taken else "path", "name" if "key" in taken else "key"

    def _refuse_what_changes(self, parts: list[ast.expr], call: ast.Call, local: str = "") -> None:
        """Refuse where more than the first argument differs from one handle to the next."""
        first = set(ast.walk(call.args[0]))
        for node in (each for part in parts for each in ast.walk(part)):
            if isinstance(node, ast.Name) and node.id == local:
                continue
            if isinstance(node, ast.Name) and node not in first and node.id in self.changed:
                raise Refusal(
                    f"`{node.id}` is different each time the resource is opened ({self.facts.line(node)})"
                )
            if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)):
                raise Refusal(f"the resource is opened in a loop ({self.facts.line(node)})")

    # -- what stays in the loop

    def _leave(self, fill: Fill, call: ast.Call, paths: str, leading: str, moved: Moved) -> None:
        module, me = self.module, self.mover.me
        site = self.handle.site
        value = getattr(self.start, "value", None)
        empty = module.segment(value) if value is not None else "[]"
        before = [*self.mover.saves.get(self.handle.attribute, [])]
        before += [leading] if leading else []
        if _is_tuple(self.start):
            target = module.span(site.target)
            moved.exchanges.append(Exchange(target, f"{me}.{paths}", "expression"))
            if before:
                start = module.span(self.start)
                moved.inserts.append(Insert(start, "\n".join(before), before=True))
        else:
            start_text = "\n".join([*before, f"{me}.{paths} = {empty}"])
            moved.exchanges.append(Exchange(module.span(self.start), start_text))
        if self.local is not None:
            moved.exchanges.append(Exchange(module.span(site.statement)))
            moved.exchanges += self._local_reads_changed(fill)
        if not _is_tuple(self.start):
            moved.gone |= {self.start, site.statement}
        EachTime(self, fill, call, paths).leave(moved)

    def _local_reads_changed(self, fill: Fill) -> Iterator[Exchange]:
        """Read the attribute where the local name was read, once all is open."""
        loop = [each for each in self.module.ancestors(fill.statement) if isinstance(each, LOOPS)]
        last = loop[-1] if loop else fill.statement
        within = set(ast.walk(fill.statement))
        for node in self.local_reads():
            if node in within or not comes_before(last, node):
                continue
            read = f"{self.mover.me}.{self.handle.attribute}"
            yield Exchange(self.module.span(node), read, "expression")

    def _free_attribute(self) -> str:
        taken = self.facts.names | self.mover.kept_by_bases
        private = self.handle.attribute.startswith("_")
        wanted = "_paths" if private else "paths"
        if wanted in taken:
            wanted = f"{self.handle.attribute.removesuffix('s')}_paths"
        while wanted in taken:
            wanted = "_" + wanted
        return wanted


def _is_tuple(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(
        statement.targets[0], (ast.Tuple, ast.List)
    )


def _innermost_call(value: ast.expr) -> ast.Call | None:
    """Return the call that an expression begins with: `h5py.File(p)` of `h5py.File(p)["x"]`."""
    found: ast.Call | None = None
    node: ast.expr = value
    while True:
        match node:
            case ast.Call():
                found, node = node, node.func
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case _:
                return found
