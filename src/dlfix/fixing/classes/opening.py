"""Plan a class whose handles are opened too early: each process is to open its own."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from dlfix.fixing.classes.clearing import Clearing
from dlfix.fixing.classes.closing import questions_and_guards
from dlfix.fixing.classes.derived import shows_memory
from dlfix.fixing.classes.facts import (
    STARTS,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.filling import Filling, is_filled
from dlfix.fixing.classes.forms import storage_insert
from dlfix.fixing.classes.handles import Handle, Moved, NotLazily, Refusal
from dlfix.fixing.classes.lengths import COUNT, Count, find_count
from dlfix.fixing.classes.local_origins import with_local_inputs, with_local_origins
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.observed import declared_at, fields_seen_at, seen_whole_at, tried_at
from dlfix.fixing.classes.opened_together import split_return
from dlfix.fixing.classes.parent_close import Released, Releasing, start_method
from dlfix.fixing.classes.plans import ClassPlan, Exchange, Lazy, Within
from dlfix.fixing.classes.scoped import is_needed_later
from dlfix.fixing.classes.state import is_slotted, slotted_by_decorator
from dlfix.fixing.classes.text import names_in
from dlfix.project.order import comes_before, in_order
from dlfix.project.targets import has_cached_property


class LazyClass(Clearing):
    """Plans one class."""

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        self._refuse_writes()
        self._refuse_positions(self._readers())
        self._refuse_declared()
        shared = all(handle.inherited for handle in self.handles.values())
        by_process = (self.is_touched_later() and not shared) or is_slotted(self.facts)
        count = self._count() if by_process else None
        by_process = by_process and count is None
        if not has_cached_property(self.module.path) and not shared:
            by_process, count = True, None
        if not is_slotted(self.facts) and self.handles.keys() & {*(self.facts.slots or ())}:
            raise Refusal(
                f"the class has both `__slots__` and `__dict__` ({self.facts.line(self.facts.node)})"
            )
        opener = self._kept_opener()
        if opener is not None:
            return self._opened_by_method(opener)
        if by_process and not self.together and not is_slotted(self.facts):
            self.together = self._one_with_its_parts()
        self._move(by_process)
        self.read_again = [] if by_process else list(self._read_again())
        if not self.read_again:
            self._refuse_consumed()
        self._refuse_second_openings()
        exchanges, inserts = self._edits()
        released = Released() if shared else self._released(count, by_process)
        exchanges = self._as_residue(exchanges, released)
        exchanges += count.exchanges if count is not None else ()
        for name in self.handles:
            if _opens_nothing(self.work.moved[self.handles[name].site.method].bodies[name]):
                continue
            place = self._place(name)
            together = [each for each in self.handles if self._place(each) == place]
            exchanges += questions_and_guards(
                self.facts, name, self._kept_in(name, by_process), place, together
            )
        openers = released.residue.openers if released.residue is not None else set()
        self._read_in_bodies(released)
        self.unneeded = set() if by_process else self._unneeded(released)
        lazies = tuple(self._lazies(by_process, openers))
        self._refuse_changing(lazies)
        self._refuse_observed(released, shared)
        plan = ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(_without_inner(exchanges)),
            inserts=(*inserts, *released.inserts),
            withins=(*self._withins(), *released.withins),
            lazies=lazies,
            state=self._state(by_process),
            after=self._after(),
        )
        if self.unneeded:
            kept = {method: moved.kept for method, moved in self.work.moved.items()}
            return with_local_inputs(plan, self.facts, kept)
        if not by_process or self.together or is_slotted(self.facts):
            return plan
        return with_local_origins(plan, self.facts, self.handles, self.around)

    def _read_again(self) -> Iterator[tuple[str, str]]:
        """Yield what the constructor reads of its streams once all are open; nothing where that is not all."""
        found = list(self._moves_that_count())
        last = in_order(handle.site.statement for handle in self.handles.values())[-1]
        texts = [self._read_alone(method, node, last) for method, node in found]
        if all(texts):
            names = [node.attr for _, node in found if isinstance(node, ast.Attribute)]
            yield from zip(names, texts, strict=True)

    def _read_alone(self, method: Method, node: ast.expr, last: ast.stmt) -> str:
        """Return the call that reads of a handle, where it runs once, and gives the same again; else nothing."""
        statement, parent = self.module.statement(node), self.module.parent(node)
        call = self.module.parent(parent) if isinstance(parent, ast.Attribute) else parent
        if not isinstance(call, ast.Call) or not is_self_attribute(node, self_name(method)):
            return ""
        given = [*call.args, *call.keywords]
        same = all(each is node or isinstance(each, ast.Constant) for each in given)
        once = statement in method.body and comes_before(last, statement)
        inner = (ast.comprehension, ast.Lambda, ast.IfExp, ast.BoolOp)
        reads = isinstance(parent, ast.Attribute) or ast.unparse(call.func) == "next"
        simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr))
        alone = not any(isinstance(each, inner) for each in ast.walk(statement))
        return self.module.segment(call) if same and once and reads and simple and alone else ""

    def _read_in_bodies(self, released: Released) -> None:
        """Let what opens a stream read what the constructor read, from a local one of its own."""
        residue = released.residue
        for name, text in self.read_again:
            if residue is None or name not in residue.locals or name in residue.openers:
                self._refuse_consumed()
            elif name not in self.together:
                self._read_in_body(name, text)

    def _read_in_body(self, name: str, text: str) -> None:
        site = self.handles[name].site
        moved = self.work.moved[site.method]
        *before, last = split_return(moved.bodies[name])
        local = name.lstrip("_") or "opened"
        if not last.startswith("return ") or name in moved.branching:
            self._refuse_consumed()
        taken = {*self.module.scope.bindings, *dir(builtins), *names_in([site.method])}
        local = f"{local}_" if local in taken else local
        value = last.removeprefix("return ")
        read = text.replace(f"{self_name(site.method)}.{name}", local)
        opens = [] if value == local else [f"{local} = {value}"]
        moved.bodies[name] = "\n".join([*filter(None, before), *opens, read, f"return {local}"])

    def _withins(self) -> list[Within]:
        return [each for moved in self.work.moved.values() for each in moved.withins]

    def _unneeded(self, released: Released) -> set[str]:
        """Return the handles that nothing reads once the constructor has used them."""
        residue, inputs = released.residue, self.around.inputs
        if residue is None or inputs is None:
            return set()
        local = residue.locals.keys() - residue.openers - set(self.together)
        gone = {name for name in local if not is_needed_later(inputs, self.facts, name)}
        todo = list(self.handles.keys() - gone)
        while todo:
            body = self._body(todo.pop())
            read = {name for name in gone if re.search(rf"\.{re.escape(name)}\b", body)}
            gone -= read
            todo += read
        return gone

    def _as_residue(self, exchanges: list[Exchange], released: Released) -> list[Exchange]:
        """Leave out what stood for the attributes where local handles do."""
        residue = released.residue
        if residue is None:
            return exchanges
        start = start_method(self.facts)
        assert start is not None
        me = self_name(start)
        around = self.module.span(start)
        kept = []
        for each in exchanges:
            becomes = each.becomes
            if around.contains(each.span):
                becomes = residue.lookups.get(each.span, becomes)
                for name, local in residue.locals.items():
                    becomes = without_alias(becomes, f"{me}.{name}", local)
            kept.append(replace(each, becomes=becomes))
        return kept + residue.exchanges

    def _refuse_declared(self) -> None:
        """Refuse a property in the place of a field that the constructor takes, or of a slot."""
        slotted = slotted_by_decorator(self.facts)
        if slotted is not None:
            raise NotLazily(
                f"the class stores its attributes in slots ({self.facts.line(slotted)})"
            )
        for name in self.handles:
            where = declared_at(self.facts, name)
            if where:
                raise NotLazily(f"`{name}` is a field of the class ({where})")
            if name in self.around.set_by_bases:
                raise NotLazily(f"the constructor of a base class also sets `{name}`")

    def _refuse_observed(self, released: Released, shared: bool) -> None:
        """Refuse to open later what callers see: errors of the constructor, all attributes."""
        for name, handle in self.handles.items():
            site = handle.site
            # What it shows would keep it from being closed.
            if name in released.maybe and shows_memory(site):
                raise NotLazily(
                    f"`{name}` exposes its memory as an array ({self.facts.line(site.statement)})"
                )
        tried = tried_at(self.around.inputs)
        roots = {name for name, each in self.handles.items() if each.opens}
        if tried and not (roots <= released.surely):
            raise NotLazily(f"a caller catches exceptions raised by the constructor ({tried})")
        seen = seen_whole_at(self.around.inputs)
        if not seen and self.handles.keys() & self.facts.fields.keys():
            seen = fields_seen_at(self.around.inputs) if self._is_dataclass() else ""
        if seen:
            raise NotLazily(f"code reads all attributes of the object ({seen})")

    def _refuse_changing(self, lazies: tuple[Lazy, ...]) -> None:
        """Refuse to open later from what may be another value by then."""
        inputs = self.around.inputs
        if inputs is None:
            return
        known = {each.name for each in lazies} | {each.kept_in for each in lazies}
        known |= {name for moved in self.work.moved.values() for name in moved.kept.values()}
        for each in lazies:
            inputs.refuse_changing(self.facts, each.body, each.self_name, known)

    def _count(self) -> Count | None:
        """Return how the length is computed once, if nothing else touches them in the parent."""
        if is_slotted(self.facts) or self.is_touched_later(but_for=COUNT):
            return None
        start = start_method(self.facts)
        return find_count(self.facts, start, set(self.handles), self.around)

    def _move(self, by_process: bool) -> None:
        groups: dict[Method, dict[str, Handle]] = {}
        for name, handle in self.handles.items():
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
        self.touching = self._touching()  # without the reads that are replaced

    def _mover(self, method: Method, handles: Mapping[str, Handle]) -> Mover:
        around = self.around
        return Mover(self.facts, method, handles, around)

    def _fill(
        self, method: Method, handle: Handle, leading: str, others: Mapping[str, Handle]
    ) -> None:
        if handle.attribute in self.together:
            raise Refusal(
                f"the resource is opened in a loop ({self.facts.line(handle.site.statement)})"
            )
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
        known.withins += moved.withins
        known.gone |= moved.gone
        known.kept.update(moved.kept)

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
                f"`{method.name}`, which opens the resource, requires arguments "
                f"({self.facts.line(method)})"
            )
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
        calls = self._calls(me, method.name)
        lazies = [
            Lazy(
                name=name,
                body=f"return {me}.{method.name}()",
                annotation=self._annotation(handle),
                kept_in=self._kept_in(name, True),
                settable=True,
                calls=calls,
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

    def _released(self, count: Count | None, by_process: bool) -> Released:
        """Close what is opened in `__init__`; what is kept by process stays open, unless a local one takes its place."""
        try:
            released = self.released(count)
        except Refusal:
            if not by_process:
                raise
            return Released()
        if by_process and released.residue is None:
            return replace(released, inserts=[], withins=[])
        return released

    def released(self, count: Count | None = None) -> Released:
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
        releasing.opener_names = {name: self._opener(name) for name in self.handles}
        releasing.together, releasing.place = self.together, self._group_name()
        releasing.at_once = self._kept_opener() is not None
        releasing.may_be_none = {name for name in self.handles if self._may_be_none(name)}
        return releasing.release(count)


def without_alias(text: str, attribute: str, local: str) -> str:
    """Return what a statement becomes where a local handle takes the place of an attribute."""
    if text in (attribute, f"({local} := {attribute})"):
        return local
    lines = [each for each in text.split("\n") if each != f"{local} = {attribute}"]
    return "\n".join(lines)


def _takes_arguments(method: Method) -> bool:
    arguments = method.args
    return len(arguments.args) + len(arguments.kwonlyargs) - len(arguments.defaults) > 1


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


def _opens_nothing(body: str) -> bool:
    """Return whether a body gives an empty list or dict, which closing leaves as it is."""
    return body in ("return {}", "return []", "return dict()", "return list()")
