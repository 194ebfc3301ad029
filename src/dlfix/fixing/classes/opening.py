"""Plan a class whose handles are opened too early: each process is to open its own."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from dlfix.fixing.classes.closing import is_closer, questions_and_guards
from dlfix.fixing.classes.counting import COUNT, Count, find_count
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.filling import Filling, is_filled
from dlfix.fixing.classes.moving import (
    SQL_READS,
    SQL_SETTINGS,
    Handle,
    Moved,
    Mover,
    Refusal,
    sql_of,
)
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy, State
from dlfix.fixing.classes.releasing import Released, Releasing, start_method
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings, is_slotted, state_for
from dlfix.source.text import Span

INDENT = "    "
REPOSITIONS = (
    "seek", "set", "setpos", "seek_to_start", "rewind", "execute", "executemany",
    "set_key", "set_key_dup", "set_range", "set_range_dup", "first", "last",
)  # fmt: skip


MOST_APART = 2  # so many that hang together are kept by process one by one


@dataclass
class _Work:
    moved: dict[Method, Moved] = field(default_factory=dict)
    gone: set[ast.stmt] = field(default_factory=set)


class LazyClass:
    """Plans one class."""

    def __init__(
        self, facts: ClassFacts, handles: Mapping[str, Handle], around: Surroundings
    ) -> None:
        self.facts = facts
        self.module = facts.module
        self.handles = dict(sorted(handles.items(), key=lambda item: item[1].site.statement.lineno))
        self.around = around
        self.work = _Work()
        self.touching = self._touching()
        self.unpacked = self._unpacked()
        self.together = self.unpacked or self._together()

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        self._refuse_writes()
        self._refuse_positions()
        shared = all(handle.inherited for handle in self.handles.values())
        by_process = (self.is_touched_later() and not shared) or is_slotted(self.facts)
        count = self._count() if by_process else None
        by_process = by_process and count is None
        if self.facts.slots is not None and not is_slotted(self.facts):
            raise Refusal(
                f"the class has `__slots__` beside a `__dict__` ({self.facts.line(self.facts.node)})"
            )
        opener = self._kept_opener()
        if opener is not None:
            return self._opened_by_method(opener)
        if by_process and not self.together and not is_slotted(self.facts):
            self.together = self._one_with_its_parts()
        self._move(by_process)
        self._refuse_second_openings()
        exchanges, inserts = self._edits()
        released = Released() if shared else self._released(count, by_process)
        exchanges += count.exchanges if count is not None else ()
        for name in self.handles:
            place = self._place(name)
            exchanges += questions_and_guards(
                self.facts, name, self._kept_in(name, by_process), place
            )
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(_without_inner(exchanges)),
            inserts=(*inserts, *released.inserts),
            withins=tuple(released.withins),
            lazies=tuple(self._lazies(by_process)),
            state=self._state(by_process),
            after=self._after(),
        )

    # -- handles that share a reading position

    def _together(self) -> list[str]:
        """Return the handles that must be opened in one go: a reader reads on where its file stands."""
        names = set()
        for name, handle in self.handles.items():
            value = handle.site.value
            if not isinstance(value, ast.Call) or not handle.reads_on:
                continue
            me = self_name(handle.site.method)
            for each in [*value.args, *(keyword.value for keyword in value.keywords)]:
                if is_self_attribute(each, me) and self._has_position(each.attr):
                    names |= {name, each.attr}
        return [name for name in self.handles if name in names]

    def _one_with_its_parts(self) -> list[str]:
        """Return a handle with two or more that hang from it, all made by statements of one method."""
        names = list(self.handles)
        if len(names) <= MOST_APART or any(not self._is_made_once(name) for name in names):
            return []
        root, *parts = self.handles.values()
        me = self_name(root.site.method)
        for part in parts:
            reads = {n.attr for n in ast.walk(part.site.statement) if is_self_attribute(n, me)}
            if part.site.method is not root.site.method or not reads & (
                set(names) - {part.attribute}
            ):
                return []
        return names

    def _is_made_once(self, name: str) -> bool:
        handle = self.handles[name]
        return (
            not handle.container
            and not handle.closed_by_parent
            and isinstance(handle.site.statement, (ast.Assign, ast.AnnAssign))
            and handle.site.statement in handle.site.method.body
            and len(self.facts.stores[name]) == 1
        )

    def _unpacked(self) -> list[str]:
        """Return the handles that one call opens and gives as a tuple."""
        for handle in self.handles.values():
            match handle.site.statement:
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                    me = self_name(handle.site.method)
                    names = [each.attr for each in targets if is_self_attribute(each, me)]
                    if len(names) == len(targets) and self.handles.keys() >= set(names):
                        return names
        return []

    def _move_unpacked(self, by_process: bool) -> None:
        first = self.handles[self.unpacked[0]]
        site, method = first.site, first.site.method
        value = getattr(site.statement, "value", None)
        whole = replace(first, site=replace(site, value=value))
        mover = self._mover(method, {first.attribute: whole})
        mover.unpacked.add(site.statement)
        for name in self.unpacked:
            settings = mover.settings_of(self.handles[name])
            if settings:
                raise Refusal(f"`{name}` is set up at {self.facts.line(settings[0])}")
        moved = mover.run(self._leading({first.attribute: first}) if by_process else {})
        moved.bodies.update(dict.fromkeys(self.unpacked, moved.bodies[first.attribute]))
        self._add(method, moved)

    def _has_position(self, name: str) -> bool:
        handle = self.handles.get(name)
        return handle is not None and (bool(handle.position) or handle.iterates)

    def _place(self, name: str) -> str:
        """Return the attribute under which a process keeps a handle."""
        return self._group_name() if name in self.together else name

    def _group_name(self) -> str:
        wanted = "_opened"
        while wanted in self.facts.names:
            wanted += "_"
        return wanted

    def _opened_together(self) -> str:
        """Return statements that open a group in order and return it as a tuple."""
        if self.unpacked:
            return self._body(self.unpacked[0])
        lines = []
        locals_ = self._local_names()
        for name in self.together:
            *before, last = split_return(self._body(name))
            value = last.removeprefix("return ")
            local = locals_[name]
            lines += [line for line in before if line]
            if value != local:
                lines.append(f"{local} = {value}")
            if self._forces_names(name):
                lines.append(f"{local}.fieldnames  # read now, from the first line")
        text = "\n".join([*lines, "return " + ", ".join(locals_.values())])
        me = self_name(self.handles[self.together[0]].site.method)
        for name, local in locals_.items():
            text = re.sub(rf"\b{me}\.{name}\b", local, text)
        return text

    def _local_names(self) -> dict[str, str]:
        """Return a local name for each handle of a group, that nothing else goes by."""
        used = {*self.module.scope.bindings, *dir(builtins)}
        names: dict[str, str] = {}
        for attribute in self.together:
            name = attribute.lstrip("_") or "opened"
            while name in used:
                name += "_"
            used.add(name)
            names[attribute] = name
        return names

    def _forces_names(self, name: str) -> bool:
        """Tell whether making the instance reads a `DictReader`'s column names."""
        return any(
            isinstance(parent := self.module.parent(node), ast.Attribute)
            and parent.attr == "fieldnames"
            and method.name in self.facts.started
            for method, node in self.facts.reads.get(name, [])
        )

    # -- who touches them

    def _touching(self) -> set[str]:
        """Return the methods that read a handle, directly or through others; closers left out."""
        methods = {m.name: m for m in self.facts.all_methods if not is_closer(m)}
        used = {name: set(self_names_used(method)) for name, method in methods.items()}
        openers = {handle.site.method.name for handle in self.handles.values()} - set(STARTS)
        touching = set(self.around.start_methods) | (self.handles.keys() & methods.keys())
        direct = {
            method.name
            for name in self.handles
            for method, _ in self.facts.reads.get(name, [])
            if method.name in methods and method.name not in openers
        }
        touching |= direct
        size = -1
        while size != len(touching):
            size = len(touching)
            touching |= {name for name, names in used.items() if names & touching}
        return touching

    def is_touched_later(self, but_for: str = "") -> bool:
        """Tell whether the parent goes on using the handles once an instance is made."""
        if self.around.touched_in_parent & self.handles.keys():
            return True
        if self.around.started_elsewhere & self.handles.keys():
            return True
        methods = self.around.parent_methods - {but_for}
        later = self.facts.reached(sorted(methods)) | methods
        return bool(later & self.touching - self.facts.started) or bool(methods & self.touching)

    def _count(self) -> Count | None:
        """Return how the length is computed once, if nothing else touches them in the parent."""
        if is_slotted(self.facts) or self.is_touched_later(but_for=COUNT):
            return None
        start = start_method(self.facts)
        return find_count(self.facts, start, set(self.handles), self.around)

    # -- refusals

    def _refuse_writes(self) -> None:
        for name, handle in self.handles.items():
            reads = [
                read for each in self._also_read_as(name) for read in self.facts.reads.get(each, [])
            ]
            for method, node in reads:
                call = self._call_on(node)
                if call is None or is_closer(method):
                    continue
                written = _called(call) in handle.write or _asks_to_write(call)
                if written or self._writes_sql(call):
                    raise Refusal(f"it is written to at {self.facts.line(call)}")

    def _call_on(self, node: ast.AST) -> ast.Call | None:
        """Return the call of a method of what a node stands for."""
        attribute = self.module.parent(node)
        call = self.module.parent(attribute) if attribute is not None else None
        if isinstance(attribute, ast.Attribute) and isinstance(call, ast.Call):
            return call if call.func is attribute else None
        return None

    def _also_read_as(self, name: str) -> list[str]:
        """Return the attribute, and properties that give just what it holds."""
        names = [name]
        for method in self.facts.all_methods:
            for each in method.body:
                value = each.value if isinstance(each, ast.Return) else None
                if is_self_attribute(value, self_name(method)) and value.attr == name:
                    names.append(method.name)
        return names

    def _writes_sql(self, call: ast.Call) -> bool:
        if _called(call) not in ("execute", "executemany", "executescript"):
            return False
        sql = sql_of(self.module, call)
        return bool(sql) and not sql.startswith((*SQL_READS, *SQL_SETTINGS))

    def _refuse_positions(self) -> None:
        """Refuse where a worker reads on from wherever a handle happens to stand."""
        if not any(self._has_position(name) for name in self.handles):
            return
        for start in ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__"):
            found = self._scan(start, set())
            if isinstance(found, ast.AST):
                raise Refusal(
                    f"its reading position counts at {self.facts.line(found)}, "
                    "and each process would have its own"
                )

    def _scan(self, method_name: str, seen: set[str]) -> ast.AST | str | None:
        """Return the first read that depends on the position, "sought" if a seek comes first."""
        if method_name in seen or method_name not in self.facts.methods:
            return None
        seen.add(method_name)
        method = self.facts.methods[method_name]
        me = self_name(method)
        aliases = {name: _aliases(method, me, name) for name in self.handles}
        nodes = [n for n in ast.walk(method) if hasattr(n, "lineno")]
        for node in sorted(nodes, key=_end):
            if is_self_attribute(node, me) and node.attr in self.facts.methods:
                inner = self._scan(node.attr, seen)
                if inner is not None:
                    return inner
            for name, handle in self.handles.items():
                if self._is_handle(node, me, name, aliases[name]):
                    kind = self._position_use(node, handle)
                    if kind is not None:
                        return kind
        return None

    def _is_handle(self, node: ast.AST, me: str, name: str, aliases: set[str]) -> bool:
        if is_self_attribute(node, me):
            return bool(node.attr == name)
        return isinstance(node, ast.Name) and node.id in aliases and isinstance(node.ctx, ast.Load)

    def _position_use(self, node: ast.AST, handle: Handle) -> ast.AST | str | None:
        call = self._call_on(node)
        if call is not None:
            called = _called(call)
            if called in REPOSITIONS and not _is_relative(call):
                return "sought"
            if called in handle.position and called not in ("tell", "seek", "set"):
                return call
            return None
        parent = self.module.parent(node)
        match parent:
            case ast.Call(func=ast.Name(id="next" | "iter" | "list" | "enumerate")):
                return parent if handle.iterates else None
            case ast.For(iter=it) | ast.comprehension(iter=it):
                return node if it is node and handle.iterates else None
        return None

    def _refuse_second_openings(self) -> None:
        for name, handle in self.handles.items():
            for site in self.facts.stores[name]:
                if (
                    site.statement in self.work.gone
                    or site.resets
                    or isinstance(site.target, ast.Call)
                ):
                    continue
                if isinstance(getattr(site.target, "ctx", None), ast.Del):
                    continue
                if site.method.name in self.facts.started and site is not handle.site:
                    first, second = (self.facts.line(s.statement) for s in (handle.site, site))
                    raise Refusal(f"it is opened at {first} and again at {second}")

    # -- moving

    def _move(self, by_process: bool) -> None:
        groups: dict[Method, dict[str, Handle]] = {}
        if self.unpacked:
            self._move_unpacked(by_process)
        for name, handle in self.handles.items():
            if name in self.unpacked:
                continue
            groups.setdefault(handle.site.method, {})[name] = handle
        for method, handles in groups.items():
            leading = self._leading(handles) if by_process else {}
            filled = [each for each in handles.values() if is_filled(self.facts, each)]
            handles = {n: each for n, each in handles.items() if each not in filled}
            for handle in filled:
                self._fill(method, handle, leading.get(handle.attribute, ""), handles)
            if not handles:
                continue
            mover = self._mover(method, handles)
            mover.moved.gone |= self.work.gone
            moved = mover.run(leading)
            self._add(method, moved)

    def _mover(self, method: Method, handles: Mapping[str, Handle]) -> Mover:
        around = self.around
        return Mover(self.facts, method, handles, around.kept_by_bases, around.set_elsewhere)

    def _fill(
        self, method: Method, handle: Handle, leading: str, others: Mapping[str, Handle]
    ) -> None:
        if handle.attribute in self.together:
            raise Refusal(f"it is opened in a loop at {self.facts.line(handle.site.statement)}")
        mover = self._mover(method, {handle.attribute: handle})
        mover.also(others)
        self._add(method, Filling(self.facts, method, handle, mover).run(leading))

    def _add(self, method: Method, moved: Moved) -> None:
        self.work.gone |= moved.gone
        known = self.work.moved.get(method)
        if known is None:
            self.work.moved[method] = moved
            return
        known.bodies.update(moved.bodies)
        known.branching |= moved.branching
        known.exchanges += moved.exchanges
        known.inserts += moved.inserts
        known.gone |= moved.gone
        known.kept.update(moved.kept)

    def _leading(self, handles: Mapping[str, Handle]) -> dict[str, str]:
        """Return what sets up, where each was opened, what holds it for each process."""
        first = self.together[:1]
        return {
            name: self._storage(name)
            for name in handles
            if name not in self.together or name in first
        }

    def _storage(self, name: str) -> str:
        handle = self.handles[name]
        me = self_name(handle.site.method)
        annotation = "" if name in self.together else self._annotation(handle)
        typed = f": dict[int, {annotation}]" if annotation else ""
        return f"{me}.{self._kept_in(name, True)}{typed} = {{}}"

    def _edits(self) -> tuple[list[Exchange], list[Insert]]:
        exchanges: list[Exchange] = []
        inserts: list[Insert] = []
        for moved in self.work.moved.values():
            exchanges += moved.exchanges
            inserts += moved.inserts
        exchanges += self._resets_gone()
        exchanges += self._fields_gone()
        exchanges += self._slots_changed()
        return self._emptied(exchanges), inserts

    def _resets_gone(self) -> Iterator[Exchange]:
        """Take out what set the attributes to None before they were opened."""
        for name, handle in self.handles.items():
            for site in self.facts.stores[name]:
                if site is handle.site or site.statement in self.work.gone:
                    continue
                if site.resets and site.method.name in self.facts.started:
                    self.work.gone.add(site.statement)
                    yield Exchange(self.module.span(site.statement))

    def _fields_gone(self) -> Iterator[Exchange]:
        """Take out the fields of a dataclass that declared the attributes."""
        for name in self.handles:
            field_ = self.facts.fields.get(name)
            if field_ is None:
                continue
            value = field_.value
            by_init = value is not None and "init=False" not in ast.unparse(value)
            resets = isinstance(value, ast.Constant) and value.value is None
            if self._is_dataclass() and (value is None or by_init):
                raise Refusal(f"it is a field that `__init__` takes ({self.facts.line(field_)})")
            if value is not None and by_init and not resets:
                raise Refusal(f"the class has another value for it at {self.facts.line(field_)}")
            yield Exchange(self.module.span(field_))

    def _is_dataclass(self) -> bool:
        return any("dataclass" in ast.unparse(each) for each in self.facts.node.decorator_list)

    def _slots_changed(self) -> Iterator[Exchange]:
        slots = self.facts.slots
        if slots is None:
            return
        kept = [name for moved in self.work.moved.values() for name in moved.kept.values() if name]
        names = [name for name in slots if name not in self.handles]
        names += [*kept, *(self._kept_in(name, True) for name in self.handles)]
        value = self.facts.fields["__slots__"].value
        assert value is not None
        text = (
            "(" + ", ".join(f'"{name}"' for name in names) + ("," if len(names) == 1 else "") + ")"
        )
        yield Exchange(self.module.span(value), text, "expression")

    def _emptied(self, exchanges: list[Exchange]) -> list[Exchange]:
        """Take out whole blocks and helper methods that have nothing left to do."""
        removed = {each.span for each in exchanges if not each.becomes}
        for method in list(self.work.moved):
            for statement in method.body:
                self._empty_compound(statement, removed, exchanges)
            if method.name != "__init__" and self._is_empty(method.body, removed):
                exchanges = self._without_method(method, exchanges)
        return exchanges

    def _empty_compound(
        self, statement: ast.stmt, removed: set[Span], exchanges: list[Exchange]
    ) -> None:
        if not isinstance(statement, (ast.If, ast.With, ast.Try)):
            return
        blocks = [statement.body, getattr(statement, "orelse", [])]
        for block in blocks:
            for each in block:
                self._empty_compound(each, removed, exchanges)
        if all(self.module.span(each) in removed for block in blocks for each in block):
            span = self.module.span(statement)
            exchanges.append(Exchange(span, takes_comments=False))
            removed.add(span)

    def _is_empty(self, body: list[ast.stmt], removed: set[Span]) -> bool:
        rest = body[1:] if ast.get_docstring(_function(body)) is not None else body
        return all(
            isinstance(each, (ast.Import, ast.ImportFrom, ast.Pass))
            or self.module.span(each) in removed
            for each in rest
        )

    def _without_method(self, method: Method, exchanges: list[Exchange]) -> list[Exchange]:
        calls = self._calls_of(method)
        if calls is None:
            return exchanges
        span = self.module.span(method)
        kept = [each for each in exchanges if not span.contains(each.span)]
        kept.append(Exchange(span, takes_comments=False))
        self.work.gone.add(method)
        return kept + [Exchange(self.module.span(each)) for each in calls]

    def _calls_of(self, method: Method) -> list[ast.stmt] | None:
        """Return the statements that only call a method; None if it is used otherwise."""
        uses = self.facts.reads.get(method.name, [])
        statements = []
        for user, node in uses:
            statement = self.module.statement(node)
            is_call = (
                isinstance(statement, ast.Expr) and self.module.parent(node) is statement.value
            )
            if not is_call or user.name not in self.facts.started:
                return None
            statements.append(statement)
        if ast.get_docstring(method) is not None:
            return None
        return statements

    # -- a method that opens, and that others call too

    def _kept_opener(self) -> Method | None:
        """Return the method that opens them all, if it must stay: it is public, or called elsewhere."""
        methods = {handle.site.method for handle in self.handles.values()}
        if len(methods) != 1:
            return None
        method = methods.pop()
        if method.name in STARTS:
            return None
        if method.name in self.around.only_started and _takes_arguments(method):
            return None
        public = not method.name.startswith("_")
        stays = public or any(
            user.name not in self.facts.started for user, _ in self.facts.reads.get(method.name, [])
        )
        return method if stays else None

    def _opened_by_method(self, method: Method) -> ClassPlan:
        """Plan properties that call the method in a process that has not called it yet."""
        if _takes_arguments(method):
            raise Refusal(
                f"`{method.name}` opens it, and takes arguments ({self.facts.line(method)})"
            )
        if any(handle.closed_by_parent for handle in self.handles.values()):
            raise Refusal(f"`{method.name}` opens it, and the parent holds it open")
        me = self_name(method)
        exchanges: list[Exchange] = []
        storage: list[str] = []
        for name in self.handles:
            declared = self._started_resets(name)
            line = self._storage(name)
            if declared:
                exchanges.append(Exchange(self.module.span(declared[0].statement), line))
            else:
                storage.append(line)
        inserts = [storage_insert(self.facts, "\n".join(storage))] if storage else []
        exchanges += self._calls_dropped(method)
        self.work.moved[method] = Moved(dict.fromkeys(self.handles, f"{me}.{method.name}()"))
        released = self._released(None, by_process=True)
        lazies = [
            Lazy(
                name=name,
                body=f"return {me}.{method.name}()",
                annotation=self._annotation(handle),
                kept_in=self._kept_in(name, True),
                settable=True,
                calls=f"{me}.{method.name}()",
                self_name=me,
            )
            for name, handle in self.handles.items()
        ]
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            inserts=(*inserts, *released.inserts),
            withins=tuple(released.withins),
            lazies=tuple(lazies),
            state=self._state(True),
            after=self._start_name(),
        )

    def _calls_dropped(self, method: Method) -> Iterator[Exchange]:
        """Leave out of `__init__` the calls of a method that does nothing but open."""
        imports = (ast.Import, ast.ImportFrom)
        stores = [site for sites in self.facts.stores.values() for site in sites]
        opens = {each.statement for each in stores if each.attribute in self.handles}
        body = method.body[1:] if ast.get_docstring(method) is not None else method.body
        if not all(each in opens or isinstance(each, imports) for each in body):
            return
        for user, node in self.facts.reads.get(method.name, []):
            statement = self.module.statement(node)
            call = self.module.parent(node)
            alone = isinstance(statement, ast.Expr) and statement.value is call
            if user is start_method(self.facts) and alone and statement in user.body:
                self.work.gone.add(statement)
                yield Exchange(self.module.span(statement))

    def _started_resets(self, name: str) -> list[StoreSite]:
        return [
            site
            for site in self.facts.stores[name]
            if site.resets and site.method.name in self.facts.started
        ]

    def _start_name(self) -> str:
        method = start_method(self.facts)
        return method.name if method is not None else "__init__"

    # -- closing in the parent

    def _released(self, count: Count | None, by_process: bool) -> Released:
        """Close what is opened in `__init__`; what is kept by process may stay open if need be."""
        try:
            return self.released(count, by_process)
        except Refusal:
            if not by_process:
                raise
            return Released()

    def released(self, count: Count | None = None, by_process: bool = False) -> Released:
        """Close in the parent what it opened while it made the instance."""
        bodies = {
            name: self.work.moved[handle.site.method].bodies[name]
            for name, handle in self.handles.items()
        }
        releasing = Releasing(
            self.facts,
            self.handles,
            bodies,
            self.work.gone,
            self.touching,
            self.around.start_methods,
        )
        releasing.together, releasing.place = self.together, self._group_name()
        releasing.at_once = self._kept_opener() is not None
        if by_process:
            releasing.kept_in = {self._place(name): self._kept_in(name, True) for name in bodies}
        return releasing.release(count)

    def _body(self, name: str) -> str:
        return self.work.moved[self.handles[name].site.method].bodies[name]

    # -- what comes of it

    def _lazies(self, by_process: bool) -> Iterator[Lazy]:
        if self.together:
            yield from self._lazies_together(by_process)
        for name, handle in self.handles.items():
            if name in self.together:
                continue
            moved = self.work.moved[handle.site.method]
            kept_in = self._kept_in(name, by_process)
            yield Lazy(
                name=name,
                body=moved.bodies[name],
                annotation=self._annotation(handle),
                kept_in=kept_in,
                settable=by_process and self._is_stored_elsewhere(name, ast.Store),
                deletable=by_process and self._is_stored_elsewhere(name, ast.Del),
                opener=self._opener(name) if by_process and name in moved.branching else "",
                close_inherited=self._close_inherited(handle) if by_process else "",
                self_name=self_name(handle.site.method),
            )

    def _lazies_together(self, by_process: bool) -> Iterator[Lazy]:
        first = self.handles[self.together[0]]
        me = self_name(first.site.method)
        place = self._group_name()
        if any(self._is_stored_elsewhere(name, ast.Store) for name in self.together):
            raise Refusal(f"`{self.together[0]}` is opened in more places than one")
        branching = self.work.moved[first.site.method].branching & set(self.together)
        if branching:
            raise Refusal("it is opened within branches, together with what reads from it")
        yield Lazy(
            name=place,
            body=self._opened_together(),
            kept_in=self._kept_in(self.together[0], by_process),
            self_name=me,
        )
        for index, name in enumerate(self.together):
            body = f"return {me}.{place}[{index}]"
            annotation = self._annotation(self.handles[name])
            yield Lazy(name=name, body=body, annotation=annotation, item=True, self_name=me)

    def _close_inherited(self, handle: Handle) -> str:
        return "{}." + handle.close + "()" if handle.closed_by_parent and handle.close else ""

    def _opener(self, name: str) -> str:
        wanted = "_open_" + name.lstrip("_")
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _is_stored_elsewhere(self, name: str, context: type[ast.expr_context]) -> bool:
        return any(
            isinstance(getattr(site.target, "ctx", None), context)
            for site in self.facts.stores[name]
            if site.statement not in self.work.gone
        )

    def _kept_in(self, name: str, by_process: bool) -> str:
        if not by_process:
            return ""
        wanted = "_" + self._place(name).lstrip("_") + "_by_pid"
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _annotation(self, handle: Handle) -> str:
        site = handle.site
        if site.annotation is not None:
            text = self.module.segment(site.annotation)
            return text if _is_none_sometimes(site.value) else not_optional(site.annotation, text)
        field_ = self.facts.fields.get(handle.attribute)
        if isinstance(field_, ast.AnnAssign):
            return not_optional(field_.annotation, self.module.segment(field_.annotation))
        if not self.facts.is_typed:
            return ""
        return self._annotation_of_value(handle)

    def _annotation_of_value(self, handle: Handle) -> str:
        value = handle.site.value
        if not isinstance(value, ast.Call):
            return ""
        written = ast.unparse(value.func)
        if written.startswith("self.") and written[5:] in self.facts.methods:
            returns = self.facts.methods[written[5:]].returns
            return self.module.segment(returns) if returns is not None else ""
        if written.rpartition(".")[2][:1].isupper():
            return written
        package = written.rpartition(".")[0]
        if (
            package
            and handle.type.startswith(package + ".")
            and handle.type.count(".") == package.count(".") + 1
        ):
            return handle.type
        return ""

    def _state(self, by_process: bool) -> State | None:
        drops: list[Drop] = []
        rest = [name for name in self.handles if name not in self.together]
        for name in [*self.together[:1], *rest]:
            why = EACH_ITS_OWN if not drops else ""
            if by_process:
                drops.append(Drop(self._kept_in(name, True), "{}", why))
            else:
                drops.append(Drop(self._place(name), why=why))
        kept = tuple(
            name for moved in self.work.moved.values() for name in moved.kept.values() if name
        )
        return state_for(self.facts, tuple(drops), (), self.around, kept)

    def _after(self) -> str:
        site = next(iter(self.handles.values())).site
        if site.method not in self.work.gone:
            return site.method.name
        return "__init__" if "__init__" in self.facts.methods else "__post_init__"


def storage_insert(facts: ClassFacts, text: str) -> Insert:
    """Return where `__init__` sets up what holds handles: first, or below the call of its base's."""
    method = next((facts.methods[n] for n in STARTS if n in facts.methods), None)
    if method is None:
        raise Refusal("the class has no `__init__`")
    body = method.body
    first = 1 if ast.get_docstring(method) is not None else 0
    if len(body) > first and _is_super_call(body[first]):
        return Insert(facts.module.span(body[first]), text)
    if len(body) == first:
        return Insert(facts.module.span(body[-1]), text)
    return Insert(facts.module.span(body[first]), text, before=True)


def _is_super_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and "super(" in ast.unparse(statement.value)


def split_return(body: str) -> list[str]:
    """Part a body into its statements before the last, and the last: a `return`."""
    before, found, last = body.rpartition("\nreturn ")
    return [before, "return " + last] if found else [body]


def _takes_arguments(method: Method) -> bool:
    arguments = method.args
    return len(arguments.args) + len(arguments.kwonlyargs) - len(arguments.defaults) > 1


def _aliases(method: Method, me: str, name: str) -> set[str]:
    return {
        target.id
        for each in ast.walk(method)
        if isinstance(each, ast.Assign)
        and is_self_attribute(each.value, me)
        and each.value.attr == name
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _asks_to_write(call: ast.Call) -> bool:
    return any(
        each.arg == "write" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in call.keywords
    )


def _called(call: ast.Call) -> str:
    """Return the bare name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _is_relative(call: ast.Call) -> bool:
    """Tell whether a seek counts from where the handle stands."""
    if len(call.args) < 2 or _called(call) != "seek":
        return False
    text = ast.unparse(call.args[1])
    return text not in ("0", "os.SEEK_SET", "io.SEEK_SET", "SEEK_SET")


def _is_none_sometimes(value: ast.expr | None) -> bool:
    return isinstance(value, ast.IfExp) and any(
        isinstance(each, ast.Constant) and each.value is None for each in (value.body, value.orelse)
    )


def not_optional(annotation: ast.expr, text: str) -> str:
    """Return what an annotation says besides `None`."""
    match annotation:
        case ast.Subscript(value=value, slice=inner) if ast.unparse(value).endswith("Optional"):
            return ast.unparse(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return ast.unparse(left)
        case ast.Name(id="Any" | "object"):
            return ""
    return text


def _function(body: list[ast.stmt]) -> ast.FunctionDef:
    function = ast.parse("def f(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return function


def _without_inner(exchanges: list[Exchange]) -> list[Exchange]:
    """Leave out what lies within a statement that is exchanged whole."""
    whole = [each for each in exchanges if each.kind == "statement"]
    return [
        each
        for each in exchanges
        if not any(
            other is not each and other.span != each.span and other.span.contains(each.span)
            for other in whole
        )
    ]


def started_sites(facts: ClassFacts, attribute: str) -> list[StoreSite]:
    """Return the stores that give an attribute a value while the instance is made."""
    return [
        site
        for site in facts.stores.get(attribute, [])
        if site.method.name in facts.started and not site.resets
    ]
