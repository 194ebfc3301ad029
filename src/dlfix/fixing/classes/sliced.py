"""Handles that one method opens: the constructor calls it first, and each other process for itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from dlfix.fixing.classes.closing import is_closer, questions_and_guards
from dlfix.fixing.classes.derived import is_method_of
from dlfix.fixing.classes.facts import (
    STARTS,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
    started_sites,
)
from dlfix.fixing.classes.forms import Forms, storage_insert
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.observed import declared_at, seen_whole_at
from dlfix.fixing.classes.parent_close import ITERATORS
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy, State
from dlfix.fixing.classes.reopening import AGAIN, AT_FORK
from dlfix.fixing.classes.slicing import Slice, attributes_read, contiguous
from dlfix.fixing.classes.state import EACH_ITS_OWN, is_slotted, state_for
from dlfix.fixing.classes.statements import is_plain
from dlfix.fixing.classes.text import comments_of, stored_in
from dlfix.fixing.classes.unsafe_uses import LEAVE_POSITION, READERS, asks_to_write
from dlfix.project.order import begins_before, comes_before, lies_in
from dlfix.project.syntax import last_name


class Sliced(Forms):
    """Plans properties over a method with the statements that open, taken out of the constructor."""

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        start, cut, body = self._cut()
        exchanges, inserts = self._edits(start, cut, body)
        exchanges += self._slots_changed(cut.moved.kept.values())
        for name in self.handles:
            exchanges += questions_and_guards(self.facts, name, self._kept_in(name, True), name)
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            inserts=tuple(inserts),
            lazies=tuple(self._properties(cut.me, body)),
            state=self._dropped(tuple(cut.moved.kept.values())),
            after=start.name,
        )

    def _cut(self) -> tuple[Method, Slice, str]:
        """Return the method that opens, its slice, and the text of that."""
        self.together = []  # one method opens all
        self.handles = {  # local ones stay local
            name: each
            for name, each in self.handles.items()
            if not isinstance(each.site.target, ast.Name)
        }
        if not self.handles:
            raise Refusal("no attribute holds the resource")
        start = self._start()
        unsent = self._writing_block(start)
        if not unsent:
            self._refuse_writes()
        self._refuse_positions(self._readers())
        self._refuse_fields()
        self._add_what_reads_on(start)
        cut = Slice(
            self.facts,
            start,
            self.handles,
            self.around,
            moves_count=self._goes_on_reading(),
            unsent=unsent,
        )
        body = cut.body()
        self._refuse_changing(body, cut)
        return start, cut, body

    def _refuse_fields(self) -> None:
        if self.facts.slots is not None and not is_slotted(self.facts):
            raise Refusal(f"the class has `__slots__` ({self.facts.line(self.facts.node)})")
        if seen_whole_at(self.around.inputs):
            raise Refusal("code reads all attributes of the object")
        for name in self.handles:
            where = declared_at(self.facts, name)
            if where or name in self.facts.fields:
                raise Refusal(f"the resource is a field of the class ({where or name})")
            if name in self.around.set_elsewhere:
                raise Refusal(f"other code sets `{name}` as well")
        if "__setattr__" in self.facts.methods or "__setattr__" in self.around.taken:
            raise Refusal("`__setattr__` handles every attribute")

    def _start(self) -> Method:
        """Return the method that alone sets the handles while an instance is made."""
        sites = [site for name in self.handles for site in started_sites(self.facts, name)]
        methods = {site.method for site in sites}
        if len(methods) != 1:
            first = next(iter(self.handles.values())).site
            raise Refusal(f"several methods open the resource ({self.facts.line(first.statement)})")
        start = methods.pop()
        if start.name == "__new__":
            raise Refusal(f"`__new__` opens the resource ({self.facts.line(start)})")
        return start

    def _writing_block(self, start: Method) -> Sequence[ast.stmt]:
        """Return the branch that opens for writing, where what is sent went the other way, which only reads.

        What reads cannot write when it is opened again: the attempt is an error.
        """
        for statement in start.body:
            for writing, reading in _ways(statement):
                writes = not all(map(_only_reads, self._opened_in(writing)))
                sent = [
                    any(_lies_in(each, way) for each in self.around.sent)
                    for way in (writing, reading)
                ]
                calls = [n for each in reading for n in ast.walk(each) if isinstance(n, ast.Call)]
                reads = all(map(_only_reads, self._opened_in(reading)))
                if (
                    writes
                    and reads
                    and sent == [False, True]
                    and not any(map(asks_to_write, calls))
                ):
                    return writing
        return ()

    def _opened_in(self, block: Sequence[ast.stmt]) -> Iterator[ast.Call]:
        """Yield the calls of a block that open the handles."""
        for name, handle in self.handles.items():
            for site in self.facts.stores.get(name, ()):
                made = site.value if isinstance(site.value, ast.Call) else None
                if made is None or not handle.name.endswith(f".{last_name(made.func)}"):
                    continue
                if _lies_in(made, block):
                    yield made

    def _add_what_reads_on(self, start: Method) -> None:
        """Open again, with the handles, what goes on reading from one: its methods, iterators over it."""
        size = -1
        while size != len(self.handles):
            size = len(self.handles)
            for name, sites in self.facts.stores.items():
                made = [each for each in sites if each.method is start and not each.resets]
                if name not in self.handles and any(map(self._reads_on, made)):
                    self.handles[name] = Handle(name, made[0], opens=False)

    def _reads_on(self, site: StoreSite) -> bool:
        if any(is_method_of(self.facts, site, name) for name in self.handles):
            return True
        match site.value:
            case ast.Call(func=ast.Name(id=name), args=parts) if name in ITERATORS:
                read = [each for each in parts if not is_plain(each)]
            case ast.GeneratorExp(generators=generators):
                read = [each.iter for each in generators if not is_plain(each.iter)]
            case _:
                return False
        nodes = (node for each in read for node in ast.walk(each))
        return any(
            is_self_attribute(n, self_name(site.method)) and n.attr in self.handles for n in nodes
        )

    def _goes_on_reading(self) -> bool:
        """Return whether a later method reads on from where the constructor left a handle."""
        starts = [name for name in READERS if name in self.facts.methods]
        later = self.facts.reached(starts)
        later |= {m.name for m in self.facts.all_methods if not is_closer(m)} - self.facts.started
        reads = (
            node
            for name in self.handles
            for method, node in self.facts.reads.get(name, [])
            if method.name in later and self._may_read_on(name, node)
        )
        return any(reads) and any(
            start in self.touching and self._scan(start, set()) != "sought" for start in READERS
        )

    def _may_read_on(self, name: str, node: ast.AST) -> bool:
        """Return whether a use of a handle may depend on where it stands: not an item or a slice of it."""
        parent = self.module.parent(node)
        if isinstance(parent, ast.Subscript):
            return parent.value is not node
        if isinstance(parent, ast.Attribute):
            return parent.attr in self.handles[name].position
        called = parent.func if isinstance(parent, ast.Call) else None
        return last_name(called) not in LEAVE_POSITION

    def _refuse_changing(self, body: str, cut: Slice) -> None:
        inputs = self.around.inputs
        if inputs is not None:
            known = {*self.handles, *cut.moved.kept.values()}
            inputs.refuse_changing(self.facts, body, cut.me, known)

    def _opener_name(self) -> str:
        name = self._opener(next(iter(self.handles)))
        while name in self.around.taken:
            name = f"_{name}"
        return name

    def _edits(self, start: Method, cut: Slice, body: str) -> tuple[list[Exchange], list[Insert]]:
        """Return the changes of the constructor: it makes the tables, keeps values, and calls the method."""
        tables = "\n".join([*map(self._storage, self.handles), *self._not_yet(start, cut)])
        storage = storage_insert(self.facts, tables, self._first_to_set(start))
        if not self._moves(start, cut, body):
            return list(cut.read_instead()), [storage, *cut.inserts]
        first, *others = cut.statements
        kept = [each.text for each in cut.inserts]
        call = f"{cut.me}.{self._opener_name()}()"
        whole = Exchange(self.module.span(first), "\n".join([*kept, call]), takes_comments=True)
        gone = [*others, *self._imports_taken(start, cut)]
        changed = [
            whole,
            *(Exchange(self.module.span(each), takes_comments=True) for each in gone),
        ]
        at = next((each for each in changed if each.span == storage.span), None)
        if at is None or not storage.before:
            return changed, [storage]
        changed[changed.index(at)] = replace(
            at, becomes="\n".join(filter(None, [tables, at.becomes]))
        )
        return changed, []

    def _imports_taken(self, start: Method, cut: Slice) -> Iterator[ast.stmt]:
        """Yield the imports of a constructor that only the statements read that leave it."""
        for statement in start.body:
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                continue
            if comments_of(self.module, statement)[0]:
                continue
            names = {(each.asname or each.name).partition(".")[0] for each in statement.names}
            reads = [n for n in ast.walk(start) if isinstance(n, ast.Name) and n.id in names]
            if reads and all(any(lies_in(n, each) for each in cut.statements) for n in reads):
                yield statement

    def _first_to_set(self, start: Method) -> Method | None:
        """Return the method that makes the tables; None for the constructor."""
        return None if start.name in STARTS else start

    def _not_yet(self, start: Method, cut: Slice) -> Iterator[str]:
        """Yield what the constructor sets beside the tables: values that a later method keeps."""
        if self._first_to_set(start) is None and start.name not in STARTS:
            yield from (f"{cut.me}.{kept} = None" for kept in cut.moved.kept.values())

    def _moves(self, start: Method, cut: Slice, body: str) -> bool:
        """Return whether the statements that open can leave the constructor: in one piece, and whole."""
        if not cut.whole or not contiguous(start.body, cut.statements):
            return False
        bound = stored_in(cut.statements)
        after = [each for each in start.body if comes_before(cut.statements[-1], each)]
        if any(isinstance(n, ast.Name) and n.id in bound for one in after for n in ast.walk(one)):
            return False
        read = set(attributes_read(body, cut.me)) - {*self.handles, *cut.moved.kept.values()}
        return not any(
            site.method is start and not begins_before(site.statement, cut.statements[0])
            for name in read
            for site in self.facts.stores.get(name, [])
        )

    def _properties(self, me: str, body: str) -> list[Lazy]:
        opener = self._opener_name()
        calls = self._calls(me, opener)
        return [
            Lazy(
                name=name,
                body=body if not index else "",
                annotation=self._annotation(handle),
                kept_in=self._kept_in(name, True),
                settable=True,
                deletable=self._is_stored_elsewhere(name, ast.Del),
                opener=opener if not index else "",
                calls=calls,
                self_name=me,
            )
            for index, (name, handle) in enumerate(self.handles.items())
        ]

    def _dropped(self, kept: tuple[str, ...]) -> State | None:
        drops = tuple(
            Drop(self._kept_in(name, True), "{}", EACH_ITS_OWN if not index else "")
            for index, name in enumerate(self.handles)
        )
        return state_for(self.facts, drops, (), self.around, kept)


class SlicedLater(Sliced):
    """Plans properties over what opens in a method that only the parent calls, once the object is made."""

    def _start(self) -> Method:
        stores = [site for name in self.handles for site in self.facts.stores.get(name, ())]
        methods = {site.method for site in stores if not site.resets}
        where = self.facts.line(next(iter(self.handles.values())).site.statement)
        if len(methods) != 1:
            raise Refusal(f"several methods set the resource ({where})")
        start = methods.pop()
        if any(site.resets and site.method.name not in STARTS for site in stores):
            raise Refusal(f"other methods set the resource to None ({where})")
        run = self.facts.reached([n for n in READERS if n in self.facts.methods])
        if start.name in run:
            raise Refusal(f"workers call `{start.name}` themselves ({self.facts.line(start)})")
        self._refuse_asking(run)
        return start

    def _refuse_asking(self, run: Collection[str]) -> None:
        """Refuse what asks in a worker whether the parent has opened it: there it opens."""
        for name in self.handles:
            for method, node in self.facts.reads.get(name, ()):
                parent = self.module.parent(node)
                asks = isinstance(parent, (ast.Compare, ast.UnaryOp, ast.BoolOp, ast.If, ast.IfExp))
                if asks and method.name in run:
                    raise Refusal(
                        f"`{method.name}` asks whether the resource is open ({self.facts.line(node)})"
                    )

    def _first_to_set(self, start: Method) -> Method | None:
        stores = (site for name in self.handles for site in self.facts.stores.get(name, ()))
        return None if any(site.resets for site in stores) else start


class SlicedState(Sliced):
    """Plans attributes that leave the state; when it is set, the statements that open them run again."""

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        start, cut, body = self._cut()
        if cut.me != "self":
            raise Refusal(f"`{cut.me}` stands for the object ({self.facts.line(start)})")
        drops = tuple(
            Drop(name, why=AGAIN if not index else "") for index, name in enumerate(self.handles)
        )
        opens_alone = start.name not in STARTS and cut.is_all_of(start)
        restores = (f"self.{start.name}()",) if opens_alone else (body,)
        exchanges = [] if opens_alone else cut.read_instead()
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            inserts=tuple(cut.inserts),
            state=state_for(self.facts, drops, restores, self.around),
            after=next((name for name in STARTS if name in self.facts.methods), start.name),
            remains=AT_FORK if any(each.reads_on for each in self.handles.values()) else "",
        )

    def _refuse_fields(self) -> None:
        if self.facts.slots is not None:
            raise Refusal(f"the class has `__slots__` ({self.facts.line(self.facts.node)})")
        if self.facts.is_frozen:
            raise Refusal(f"the class is frozen ({self.facts.line(self.facts.node)})")
        for name in self.handles:
            if declared_at(self.facts, name) or name in self.around.set_elsewhere:
                raise Refusal(f"other code sets `{name}` as well")


def _ways(statement: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], Sequence[ast.stmt]]]:
    """Yield the two branches of a statement, each with the other."""
    if isinstance(statement, ast.If) and statement.orelse:
        yield statement.body, statement.orelse
        yield statement.orelse, statement.body


def _lies_in(node: ast.AST, block: Sequence[ast.stmt]) -> bool:
    return any(lies_in(node, each) for each in block)


def _only_reads(call: ast.Call) -> bool:
    """Return whether a call asks for a handle that cannot write: `readonly=True`, or the mode `"r"`."""
    given = dict(zip(("", "mode"), call.args, strict=False))
    given |= {each.arg or "": each.value for each in call.keywords}
    asked = given.get("readonly", given.get("mode"))
    return isinstance(asked, ast.Constant) and asked.value in (True, "r", "rb")
