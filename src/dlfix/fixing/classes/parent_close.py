"""What the parent opened while it made an instance, it closes again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard

from dlfix.fixing.classes.derived import is_method_of
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    operators,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.lengths import Count
from dlfix.fixing.classes.plans import Insert, Within
from dlfix.fixing.classes.residue import (
    INDENT,
    Group,
    Residue,
    Unclear,
    Writer,
    runs_later,
)
from dlfix.fixing.classes.statements import (
    always_run,
    close_lines,
    close_one,
    hanging_names,
    is_plain,
    left_of,
)
from dlfix.fixing.classes.text import indented, names_in
from dlfix.project.order import begins_before, in_order
from dlfix.project.trees import COMPREHENSIONS

ITERATORS = ("iter", "zip", "map", "filter", "enumerate", "reversed")
CLOSED = "# each worker process opens its own"
REGISTERS = re.compile(r"add|append|attach|register|subscribe|enter_context|insert|push|set[A-Z_]")


@dataclass
class Released:
    """Where the parent closes what it opened."""

    inserts: list[Insert] = field(default_factory=list)
    withins: list[Within] = field(default_factory=list)
    surely: set[str] = field(default_factory=set)  # what making an instance opens in any case
    maybe: set[str] = field(default_factory=set)  # what it may open
    residue: Residue | None = None  # local handles that take the place of the attributes


class Releasing:
    """Plans the closing for one class, whose handles have moved out of `__init__`."""

    def __init__(
        self,
        facts: ClassFacts,
        handles: Mapping[str, Handle],
        bodies: Mapping[str, str],
        gone: set[ast.AST],
        touching: set[str],
        overridden: frozenset[str] = frozenset(),
    ) -> None:
        self.facts = facts
        self.module = facts.module
        self.handles = handles
        self.bodies = bodies
        self.gone = gone
        self.touching = touching  # methods that read a handle
        self.overridden = overridden  # methods that heirs make read one
        self.together: list[str] = []
        self.opener_names: Mapping[str, str] = {}  # attribute -> a free name for what opens it
        self.place = ""  # the attribute that holds those opened together
        self.may_be_none: set[str] = set()  # handles that are opened on some paths only
        self.at_once = False  # whether what opens one opens all
        self._entered: list[str] = []  # methods that are being looked through
        self._hanging: dict[str, set[str]] = {}  # local names of `__init__`, and what they may need

    def release(self, count: Count | None = None) -> Released:
        """Close, below the last statement of `__init__` that uses them, what was opened there."""
        method = start_method(self.facts)
        if method is None:
            return Released()
        block, used = method.body, self._used_in(method.body)
        if not used and count is None:
            return Released()
        self._refuse_numbers()
        self._refuse_early(method, used)
        self._refuse_captured(method, used)
        self._refuse_registered(used)
        released = self._as_locals(method, used, count)
        if released is not None:
            return released
        self._refuse_leaving(method, used)
        if count is None:
            block, used = self._innermost(block, used)
        counting = list(count.method.body) if count is not None else []
        last = block[-1] if count is not None else used[-1]
        surely = self._surely_touched([*used, *counting], self_name(method))
        maybe = self._maybe_touched([*used, *counting], self_name(method))
        released = self._closing(count, last, surely, maybe)
        released.surely, released.maybe = surely, maybe | surely
        return released

    def _refuse_numbers(self) -> None:
        """Refuse what no method closes: a descriptor would stay open, and nothing would know its number."""
        for name, handle in self.handles.items():
            if "." in handle.close:
                where = self.facts.line(handle.site.statement)
                raise Refusal(
                    f"`{handle.close}` closes `{name}`, which the constructor uses ({where})"
                )

    # -- local handles

    def _as_locals(
        self, method: Method, used: list[ast.stmt], count: Count | None
    ) -> Released | None:
        """Open what `__init__` needs under local names; None where the attributes are read elsewhere."""
        me = self_name(method)
        counted = list(count.method.body) if count is not None else []
        if self.overridden or not all(self._is_direct(each, me) for each in (*used, *counted)):
            return None
        groups = list(self._groups(method, used))
        if count is not None:
            self._with_count(groups, method, count)
        for group in groups:
            self._look_up(group, method, count)
            if not group.text:
                group.block, group.used = self._innermost(group.block, group.used)
            if not self._is_opened_before(group, method):
                return None
        surely = {name for each in groups if each.block is method.body for name in each.needed}
        maybe = {name for each in groups for name in each.needed}
        try:
            residue = self._writer(method, me).write(groups)
        except Unclear:
            return None
        return Released(residue.inserts, residue.withins, surely, maybe, residue)

    def _writer(self, method: Method, me: str) -> Writer:
        scope = self.module.inner_scope(method)
        aliases: dict[str, set[str]] = {}
        for alias in self._aliases_left():
            if len(scope.bindings.get(alias, [])) != 1:
                raise Unclear
            for name in self._alias_of(alias):
                aliases.setdefault(name, set()).add(alias)
        return Writer(
            self.module,
            method,
            me,
            self.handles,
            self.bodies,
            aliases,
            self.gone,
            self.opener_names,
        )

    def _is_direct(self, statement: ast.stmt, me: str) -> bool:
        """Return whether a statement reads handles itself, and runs nothing that does."""
        for node in left_of(statement, self.gone):
            if self._is_whole(node, me) or set(operators(node, me)) & self.touching:
                return False
            if is_self_attribute(node, me) and node.attr not in self.handles:
                hidden = node.attr in self.touching or node.attr in self._carriers
                if hidden or node.attr == "__dict__":
                    return False
        return True

    def _groups(self, method: Method, used: list[ast.stmt]) -> Iterator[Group]:
        found: list[Group] = []
        for statement in used:
            new = Group(
                method.body, [statement], self._maybe_touched([statement], self_name(method))
            )
            while found and any(each.needed & new.needed for each in found):
                last = found.pop()
                new = Group(method.body, [*last.used, *new.used], last.needed | new.needed)
            found.append(new)
        yield from found

    def _with_count(self, groups: list[Group], method: Method, count: Count) -> None:
        """Compute the length with the last group that opens what it needs, or on its own."""
        needed = self._maybe_touched(list(count.method.body), self_name(count.method))
        sharing = [each for each in groups if each.needed & needed]
        alone = Group(method.body, [], needed, count.text, method.body[-1])
        if not sharing or sharing != groups[-1:]:
            groups.append(alone)
            return
        (group,) = sharing
        group.needed |= needed
        group.text = count.text
        ready = self._ready_below(method, count)
        group.at = max(group.last, ready, key=method.body.index)

    def _look_up(self, group: Group, method: Method, count: Count | None) -> None:
        """Look up in a handle what the constructor looked up there: an error is to be raised where it was raised."""
        sites = [
            site
            for name in self.handles
            if (self._with_origins({name}) - {name}) & group.needed
            for site in self.facts.stores[name]
            if site.method is method and site.value is not None
        ]
        found = {site: list(self._lookups(site.value, site)) for site in sites}
        placed = [
            (each, self._in_block(each.statement, group.block)) for each in sites if found[each]
        ]
        placed = [(each, at) for each, at in placed if at in (each.statement, *group.used)]
        for site, _ in placed:
            group.needed |= self._with_origins({site.attribute}) - {site.attribute}
        placed = [(each, at) for each, at in placed if each.attribute not in group.needed]
        group.looked_up = [(each.statement, found[each]) for each, _ in placed]
        group.used = in_order({*group.used, *(at for _, at in placed if at is not None)})
        if count is not None and group.text and group.looked_up:
            group.at = max(group.used[-1], self._ready_below(method, count), key=method.body.index)

    def _lookups(self, node: ast.AST | None, site: StoreSite) -> Iterator[ast.expr]:
        """Yield the expressions in a value by which it asks a handle for a part: `self.file["x"]`."""
        if isinstance(node, COMPREHENSIONS):  # what it looks up depends on names of its own
            parts = (
                found for each in ast.iter_child_nodes(node) for found in self._lookups(each, site)
            )
            yield from [node] if any(parts) else []
        elif isinstance(node, ast.expr) and self._asks_handle(node, self_name(site.method)):
            left = (
                ast.unparse(each)
                for each in left_of(site.method, self.gone)
                if type(each) is type(node)
            )
            yield from [] if ast.unparse(node) in left else [node]
        else:
            for each in ast.iter_child_nodes(node) if node is not None else ():
                yield from self._lookups(each, site)

    def _asks_handle(self, node: ast.expr, me: str) -> bool:
        """Return whether an expression asks a handle for a part, which may be missing, by a key or a call."""
        asks = False
        while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
            if is_self_attribute(node, me):
                return asks and node.attr in self.handles
            if isinstance(node, ast.Call):
                method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                asks = asks or (bool(node.args) and method not in ("", "get"))
                node = node.func
            else:
                asks = asks or isinstance(node, ast.Subscript)
                node = node.value
        return asks and isinstance(node, ast.Name) and node.id in self._aliases_left()

    def _in_block(self, statement: ast.stmt, block: list[ast.stmt]) -> ast.stmt | None:
        """Return the statement of a block that a statement is, or is in."""
        around = (statement, *self.module.ancestors(statement))
        return next((each for each in block if each in around), None)

    def _ready_below(self, method: Method, count: Count) -> ast.stmt:
        """Return the statement below which all is set that the length is computed from."""
        names = set(self_names_used(count.method))
        if names & self.facts.methods.keys() - {count.method.name}:
            return method.body[-1]
        set_at = [
            site.statement
            for name in names - self.handles.keys()
            for site in self.facts.stores.get(name, [])
        ]
        return max(
            (e for e in method.body if any(not begins_before(at, e) for at in set_at)),
            key=method.body.index,
            default=method.body[0],
        )

    def _is_opened_before(self, group: Group, method: Method) -> bool:
        """Return whether all that the handles are opened from is set above what needs them."""
        if not group.used:
            return True
        return all(
            not begins_before(group.used[0], self._made_in(site))
            for name in group.needed
            if (site := self.handles[name].site).method is method and self._has_inputs(name)
        )

    def _has_inputs(self, name: str) -> bool:
        """Return whether a handle is opened from attributes that are no handles."""
        me = self_name(self.handles[name].site.method)
        body = ast.parse("def f():\n" + indented(self.bodies[name], INDENT))
        read = {each.attr for each in ast.walk(body) if is_self_attribute(each, me)}
        return bool(read - self.handles.keys())

    def _made_in(self, site: StoreSite) -> ast.stmt:
        """Return the statement that opens a handle, under a local name perhaps."""
        if isinstance(site.value, ast.Name):
            for binding in self.module.inner_scope(site.method).bindings.get(site.value.id, []):
                if isinstance(binding.statement, ast.stmt) and binding.kind != "parameter":
                    return binding.statement
        return site.statement

    def _closing(
        self,
        count: Count | None,
        last: ast.stmt,
        surely: set[str],
        maybe: set[str],
    ) -> Released:
        """Close the attributes that other methods have read, and forget them."""
        method = self._method_of(last)
        text = count.text if count is not None else ""
        after = self.module.span(last)
        lines = self._closing_lines(self_name(method), surely, maybe)
        whole = [text] * bool(text) + [CLOSED] * bool(lines) + lines
        return Released([Insert(after, "\n".join(whole))] if whole else [])

    def _innermost(
        self, block: list[ast.stmt], used: list[ast.stmt]
    ) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Return the branch in which alone handles are used, or the block itself."""
        match used:
            case [ast.If(test=test, body=body, orelse=orelse) as only]:
                if any(self._touches(each, only) for each in ast.walk(test)):
                    return block, used
                branches = [(each, self._used_in(each)) for each in (body, orelse)]
                found = [(each, inside) for each, inside in branches if inside]
                if len(found) == 1:
                    inner = self._innermost(*found[0])
                    if inner[0] is not orelse or not _is_elif(only):
                        return inner
        return block, used

    def _used_in(self, block: list[ast.stmt]) -> list[ast.stmt]:
        self._hanging = {}
        return [each for each in block if self._uses(each)]

    # -- what is refused

    def _refuse_leaving(self, method: Method, used: list[ast.stmt]) -> None:
        """Refuse where `__init__` may be left before what it opened is closed."""
        if not used:
            return
        block = method.body[method.body.index(used[0]) : method.body.index(used[-1]) + 1]
        for each in block:
            if any(isinstance(node, ast.Return) for node in ast.walk(each)):
                raise Refusal(
                    f"`__init__` may return while the resource is open ({self.facts.line(each)})"
                )

    def _refuse_early(self, method: Method, used: list[ast.stmt]) -> None:
        """Refuse what asks for a handle above the statement that opens it: it was not there yet."""
        for name in self.handles:
            sites = [e for e in self.facts.stores.get(name, []) if e.method is method]
            if not sites:
                continue
            opened = in_order(map(self._made_in, sites))[0]
            for statement in used:
                asks = any(
                    isinstance(each, ast.Constant) and each.value == name
                    for each in left_of(statement, self.gone)
                )
                if asks and begins_before(statement, opened):
                    where = self.facts.line(statement)
                    raise Refusal(f"`{name}` is used before it is opened ({where})")

    def _refuse_captured(self, method: Method, used: list[ast.stmt]) -> None:
        """Refuse to close what a function that is kept reads under a local name."""
        aliases = self._aliases_left()
        for node in (each for statement in used for each in left_of(statement, self.gone)):
            named = isinstance(node, ast.Name) and node.id in aliases
            if isinstance(node, ast.Name) and named and runs_later(self.module, node, method):
                raise Refusal(
                    f"`{node.id}` is captured by a function that may be called later ({self.facts.line(node)})"
                )

    def _refuse_registered(self, used: list[ast.stmt]) -> None:
        """Refuse to close what something else goes on holding."""
        for attribute, sites in self.facts.stores.items():
            for site in sites:
                called = any(is_method_of(self.facts, site, name) for name in self.handles)
                if called and attribute not in self.handles and not self._is_gone(site.statement):
                    where = self.facts.line(site.statement)
                    raise Refusal(f"`{attribute}` stores a method of the resource ({where})")
        for node in (each for statement in used for each in ast.walk(statement)):
            if self._is_kept(node) and self._reads_on(node.value):
                raise Refusal(
                    f"the stored value reads from the resource later ({self.facts.line(node)})"
                )
            if not isinstance(node, ast.Call) or self._is_gone(node):
                continue
            handed = any(
                isinstance(each, ast.Attribute) and each.attr in self.handles for each in node.args
            )
            if handed and isinstance(node.func, ast.Attribute) and REGISTERS.match(node.func.attr):
                where = self.facts.line(node)
                raise Refusal(
                    f"`{ast.unparse(node.func)}` keeps a reference to the resource ({where})"
                )

    def _is_kept(self, node: ast.AST) -> TypeGuard[ast.Assign]:
        return isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Attribute) for each in node.targets
        )

    def _reads_on(self, value: ast.expr) -> bool:
        """Return whether a value is an iterator over a handle: it reads when it is asked."""
        match value:
            case ast.Call(func=ast.Name(id=name), args=parts) if name in ITERATORS:
                pass
            case ast.GeneratorExp(generators=generators):
                parts = [each.iter for each in generators]
            case _:
                return False
        return any(
            isinstance(node, ast.Attribute) and node.attr in self.handles
            for part in parts
            if not is_plain(part)
            for node in ast.walk(part)
        )

    # -- what `__init__` touches

    def _uses(self, statement: ast.stmt) -> bool:
        used = any(self._touches(each, statement) for each in ast.walk(statement))
        used = used or bool(names_in([statement]) & self._hanging.keys())
        if used:
            needed = self._maybe_touched([statement], self_name(self._method_of(statement)))
            for name in hanging_names(statement):
                self._hanging.setdefault(name, set()).update(needed)
        return used

    def _touches(self, node: ast.AST, within: ast.stmt) -> bool:
        if self._is_gone(node):
            return False
        me = self_name(self._method_of(within))
        if is_self_attribute(node, me):
            if node.attr in self.handles:
                return isinstance(node.ctx, ast.Load)
            return node.attr in self.touching or node.attr in self._carriers
        if isinstance(node, ast.NamedExpr):
            return ast.unparse(node.target) in self._aliases_left()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in self._aliases_left()
        return any(name in self.touching for name in operators(node, me))

    def _method_of(self, node: ast.AST) -> Method:
        for each in self.module.ancestors(node):
            if isinstance(each, Method):
                return each
        raise Refusal("the resource is not opened in a method")

    def _is_gone(self, node: ast.AST) -> bool:
        return any(each in self.gone for each in (node, *self.module.ancestors(node)))

    def _aliases_left(self) -> set[str]:
        names: set[str] = set()
        for handle in self.handles.values():
            site = handle.site
            if isinstance(site.statement, ast.Assign):
                names |= {t.id for t in site.statement.targets if isinstance(t, ast.Name)}
            if isinstance(site.value, ast.Name):
                scope = self.module.inner_scope(site.method)
                kinds = {each.kind for each in scope.bindings.get(site.value.id, [])}
                if "parameter" not in kinds:
                    names.add(site.value.id)
        return names

    # -- closing one by one

    def _closing_lines(self, me: str, surely: set[str], maybe: set[str]) -> list[str]:
        lines: list[str] = []
        for name, handle in reversed(list(self.handles.items())):
            if name not in self.together and name in maybe | surely:
                may_be_none = name in self.may_be_none
                lines += close_one(me, name, handle, name in surely, may_be_none)
        if self.together:
            lines += self._close_together(me, surely)
        return lines

    def _close_together(self, me: str, surely: set[str]) -> list[str]:
        lines = [
            line
            for name in reversed(self.together)
            for line in close_lines(f"{me}.{name}", self.handles[name])
        ]
        lines.append(f"del {me}.{self.place}")
        if surely & set(self.together):
            return lines
        return [f'if "{self.place}" in {me}.__dict__:', *(INDENT + line for line in lines)]

    def _maybe_touched(self, used: list[ast.stmt], me: str) -> set[str]:
        """Return the handles that some statements, or the methods they run, may open."""
        nodes = [each for statement in used for each in left_of(statement, self.gone)]
        names = {each.id for each in nodes if isinstance(each, ast.Name)} - {me}
        carried = any(is_self_attribute(n, me) and n.attr in self._carriers for n in nodes)
        if self.overridden or carried or any(self._is_whole(each, me) for each in nodes):
            return set(self.handles)
        hanging = [self._hanging[name] for name in names & self._hanging.keys()]
        run = {each.attr for each in nodes if is_self_attribute(each, me)}
        run |= {name for each in nodes for name in operators(each, me)}
        for name in self.facts.reached(sorted(run)):
            run |= set(self_names_used(self.facts.methods[name]))
        touched = (run & self.handles.keys()).union(*hanging)
        for name in names:
            touched |= self._alias_of(name)
        return self._with_origins(touched)

    @cached_property
    def _carriers(self) -> set[str]:
        """The attributes that hold what was handed the instance itself."""
        return {
            name
            for name, sites in self.facts.stores.items()
            for site in sites
            if site.value is not None and self._is_whole(site.value, self_name(site.method))
        }

    def _is_whole(self, node: ast.AST, me: str) -> bool:
        """Return whether a call is handed the instance itself, and may open what it likes."""
        return (
            isinstance(node, ast.Call)
            and not operators(node, me)
            and any(isinstance(each, ast.Name) and each.id == me for each in node.args)
        )

    def _surely_touched(self, used: list[ast.stmt], me: str) -> set[str]:
        touched: set[str] = set()
        for node in self._surely_run(used):
            if is_self_attribute(node, me) and node.attr in self.handles:
                touched.add(node.attr)
            elif isinstance(node, ast.Name):
                touched |= self._alias_of(node.id)
            elif isinstance(node, ast.Call) and is_self_attribute(node.func, me):
                touched |= self._surely_opened_by(node.func.attr)
        return self._with_origins(touched)

    def _surely_run(self, statements: list[ast.stmt]) -> Iterator[ast.AST]:
        for statement in statements:
            for part in always_run(statement):
                yield from left_of(part, self.gone)

    def _surely_opened_by(self, name: str) -> set[str]:
        """Return the handles that calling a method opens: what it reads before it may end."""
        method = self.facts.methods.get(name)
        if method is None or name in self.handles or name in self._entered:
            return set()
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(method)):
            return set()
        ends = (each for each in method.body if any(_is_end(node) for node in ast.walk(each)))
        end = next(ends, method.body[-1])
        self._entered.append(name)
        found = self._surely_touched(method.body[: method.body.index(end) + 1], self_name(method))
        self._entered.pop()
        return found

    def _alias_of(self, name: str) -> set[str]:
        found = set()
        for attribute, handle in self.handles.items():
            site = handle.site
            targets = getattr(site.statement, "targets", [])
            if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                found.add(attribute)
            if isinstance(site.value, ast.Name) and site.value.id == name:
                found.add(attribute)
        return found

    def _with_origins(self, touched: set[str]) -> set[str]:
        """Add what was opened in order to open those that were touched."""
        if touched and self.at_once:
            return set(self.handles)
        todo = list(touched)
        while todo:
            body = self.bodies[todo.pop()]
            for name in self.handles.keys() - touched:
                if f".{name}" in body and _reads(body, name):
                    touched.add(name)
                    todo.append(name)
        return touched


def _is_end(node: ast.AST) -> bool:
    return isinstance(node, (ast.Return, ast.Raise))


def _is_elif(statement: ast.If) -> bool:
    rest = statement.orelse
    return len(rest) == 1 and rest[0].col_offset == statement.col_offset


def start_method(facts: ClassFacts) -> Method | None:
    """Return the method that makes an instance."""
    return next((facts.methods[name] for name in STARTS if name in facts.methods), None)


def _reads(body: str, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name
        for node in ast.walk(ast.parse("def f():\n" + indented(body, INDENT)))
    )
