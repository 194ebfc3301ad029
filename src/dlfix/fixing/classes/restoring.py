"""Plan the pickled state of a class: what is left behind, and what is made anew in the worker."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.forms import storage_insert
from dlfix.fixing.classes.handles import Handle, Moved, Refusal
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.observed import declared_at
from dlfix.fixing.classes.opening import LazyClass
from dlfix.fixing.classes.parent_close import Released
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy
from dlfix.fixing.classes.protocol import Protocol, is_set_where_absent, set_up
from dlfix.fixing.classes.reopening import AT_FORK, MARKED
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings, state_for
from dlfix.fixing.classes.text import dedented, indented
from dlfix.project.order import start
from dlfix.project.syntax import callee_name
from dlfix.reach.labels import short

INDENT = "    "


@dataclass(frozen=True)
class Remade:
    """An attribute that cannot be pickled and can be made again from its expression."""

    attribute: str
    site: StoreSite
    why: str = "recreated by __setstate__"


def plan_remade(facts: ClassFacts, remade: Mapping[str, Remade], around: Surroundings) -> ClassPlan:
    """Plan attributes that leave the state and are made anew when it is set."""
    drops: list[Drop] = []
    restores: list[str] = []
    inserts: list[Insert] = []
    ordered = sorted(remade.values(), key=lambda each: start(each.site.statement))
    for method in dict.fromkeys(each.site.method for each in ordered):
        group = [each for each in ordered if each.site.method is method]
        handles = {each.attribute: Handle(each.attribute, each.site) for each in group}
        mover = Mover(facts, method, handles, around)
        for each in group:
            lines, saves = mover.expression(each.attribute)
            if mover.evaluated:
                part = next(iter(mover.evaluated))
                raise Refusal(
                    f"each worker would evaluate `{short(facts.module, part)}` again, which may give "
                    f"another value ({facts.line(part)})"
                )
            if _is_conditional(facts, each.site):
                itself = _reads(lines, each.attribute)
                take = f'pop("{each.attribute}", None)' if itself else f'get("{each.attribute}")'
                asked = f"if self.__dict__.{take}:"
                lines = ["\n".join([asked, *(indented(line, INDENT) for line in lines)])]
            restores += lines
            if saves:
                span = facts.module.span(each.site.statement)
                inserts.append(Insert(span, "\n".join(saves), before=True))
    for each in ordered:
        why = each.why if not drops else ""
        code = MARKED.format(name=each.attribute) if _is_conditional(facts, each.site) else ""
        drops.append(Drop(each.attribute, why=why, code=code))
    return ClassPlan(
        cls=facts.module.span(facts.node),
        inserts=tuple(inserts),
        state=state_for(facts, tuple(drops), tuple(restores), around),
        after=ordered[-1].site.method.name,
    )


def _reads(lines: Sequence[str], attribute: str) -> bool:
    """Return whether statements read an attribute of `self`."""
    nodes = ast.walk(ast.parse("\n".join(lines)))
    return any(
        is_self_attribute(node, "self")
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
        for node in nodes
    )


def plan_left(facts: ClassFacts, names: Sequence[str], around: Surroundings) -> ClassPlan:
    """Plan what only the process that started it has: elsewhere it is not started."""
    why = "it belongs to the process that started it"
    starts = {
        name for name in names for site in facts.stores.get(name, ()) if site.method.name in STARTS
    }
    drops = _told_once(Drop(name, "None" if name in starts else "", why=why) for name in names)
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, drops, (), around),
        after=after_constructor(facts),
    )


def plan_computed(facts: ClassFacts, names: Sequence[str], around: Surroundings) -> ClassPlan:
    """Plan what a `cached_property` computes: each process computes it when it first reads it."""
    drops = _told_once(Drop(name, why="each process computes its own") for name in names)
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, drops, (), around),
        after=after_constructor(facts),
    )


def plan_fields(facts: ClassFacts, fields: Mapping[str, str], around: Surroundings) -> ClassPlan:
    """Plan dataclass fields whose default factory makes what cannot be pickled."""
    why = "recreated by __setstate__"
    drops = _told_once(Drop(name, why=why) for name in fields)
    restores = tuple(facts.setting(name, f"{factory}()") for name, factory in fields.items())
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, drops, restores, around),
        after=after_constructor(facts),
    )


def opened_lazily(
    group: Sequence[Culprit], around: Surroundings, *, by_process: bool = True
) -> ClassPlan:
    """Plan the handles of one class that are opened when they are first needed.

    They are held by process, or only leave the state: a forked worker may have to end what the parent started.
    """
    names = list(dict.fromkeys(each.attribute for each in group))
    rows = {each.attribute: each.row for each in group if each.row is not None}
    closes = {name: row.close for name, row in rows.items()}
    alone = frozenset(name for name, row in rows.items() if row.closed_by_parent)
    opened = OpenedByOthers(group[0].facts, names, around, closes, alone)
    if all(_asks_for_process(group[0].facts, name) for name in names):
        return replace(opened.left_closed(), remains="")
    by_process = by_process and not any(row.ends_by_number for row in rows.values())
    return opened.plan() if by_process else opened.left_closed()


def _asks_for_process(facts: ClassFacts, name: str) -> bool:
    """Return whether the class opens an attribute again itself in another process: `if self.pid != os.getpid()`.

    Each method that reads the attribute opens it so first, or closes it.
    """
    openers = {
        site.method.name
        for site in facts.stores.get(name, ())
        for above in facts.module.ancestors(site.statement)
        if isinstance(above, ast.If) and _is_of_another_process(above.test)
        if site.statement in (n for each in above.body for n in ast.walk(each))
    }
    readers = [method for method, _ in facts.reads.get(name, ()) if not is_closer(method)]
    return bool(openers) and all(
        method.name in openers or openers & _surely_called(method) for method in readers
    )


def _is_of_another_process(test: ast.expr) -> bool:
    """Return whether a test surely holds in another process: `self.file is None or self.pid != os.getpid()`."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=tests):
            return any(map(_is_of_another_process, tests))
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return "getpid" in {callee_name(left), callee_name(right)}
    return False


def _surely_called(method: Method) -> set[str]:
    """Return the methods of `self` that a method calls by statements of its own, whatever it is given."""
    me = self_name(method)
    return {
        called.func.attr
        for each in method.body
        if isinstance(each, (ast.Expr, ast.Assign, ast.Return))
        for called in [each.value]
        if isinstance(called, ast.Call) and is_self_attribute(called.func, me)
    }


def opens_in_each_reader(facts: ClassFacts, name: str) -> bool:
    """Return whether each method that reads an attribute opens it first where it is None, so that None may be sent.

    Those that close it are not asked: they close what is open.
    """
    openers = {
        site.method.name
        for site in facts.stores.get(name, ())
        if not site.resets and site.method.name not in STARTS
    }
    readers = [
        (method, node) for method, node in facts.reads.get(name, ()) if not is_closer(method)
    ]
    return bool(openers) and all(
        method.name in openers or _opens_before(method, (name, node), openers)
        for method, node in readers
    )


def _opens_before(method: Method, read: tuple[str, ast.AST], openers: set[str]) -> bool:
    """Return whether a method's own statements open an attribute, `if self.x is None: self.open()`, before it is read."""
    for statement in method.body:
        match statement:
            case ast.If(
                test=ast.Compare(
                    left=ast.Attribute(attr=asked),
                    ops=[ast.Is()],
                    comparators=[ast.Constant(value=None)],
                ),
                body=[ast.Expr(value=ast.Call(func=ast.Attribute(attr=called) as func))],
                orelse=[],
            ) if asked == read[0] and called in openers:
                return is_self_attribute(func, self_name(method))
        if any(each is read[1] for each in ast.walk(statement)):
            return False
    return False


def asks_first(facts: ClassFacts, site: StoreSite) -> bool:
    """Return whether the method that opens an attribute looks first whether it is open."""
    if site.method.name in STARTS or site.resets:
        return False
    if flag_test(facts, site) is not None or is_set_where_absent(facts, site):
        return True
    return any(
        method is site.method and _is_none_test(facts.module.parent(node))
        for method, node in facts.reads.get(site.attribute, [])
    )


def flag_test(facts: ClassFacts, site: StoreSite) -> ast.expr | None:
    """Return the test of a flag that tells, for this opening alone, whether it is done already."""
    guard = facts.module.parent(site.statement)
    match guard:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Attribute(attr=flag)) as test):
            stores = facts.stores.get(flag, [])
        case _:
            return None
    alone = [node for _, node in facts.reads.get(flag, [])] == [test.operand]
    done = [each for each in stores if each.method.name not in STARTS]
    ok = alone and len(done) == 1 and _is_constant(done[0].value, True)
    starts = [each for each in stores if each.method.name in STARTS]
    ok = ok and all(_is_constant(each.value, False) for each in starts)
    within = ok and site.statement in guard.body and done[0].statement in guard.body
    return test if within else None


def opened_with_what_is_left_out(
    facts: ClassFacts, names: Sequence[str], around: Surroundings
) -> ClassPlan | None:
    """Plan attributes that are opened along with one that `__getstate__` resets already.

    None where there is no such attribute: it is what the opening method asks for.
    """
    own = facts.state_method("__getstate__")
    reset = _reset_in(own) - set(names) if own is not None else set()
    sites = [s for name in names for s in facts.stores.get(name, []) if not s.resets]
    if not sites or not all(reset & _asked_around(facts, site) for site in sites):
        return None
    followers = OpenedByOthers(facts, list(names), around)
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, tuple(followers.follower(name) for name in names), (), around),
        after=after_constructor(facts),
        remains=AT_FORK,
    )


def _reset_in(method: Method) -> set[str]:
    """Return the attributes that a method puts None in the place of: `state["file"] = None`."""
    found = set()
    for node in ast.walk(method):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=str() as name))],
                value=ast.Constant(value=None),
            ):
                found.add(name)
    return found


def _asked_around(facts: ClassFacts, site: StoreSite) -> set[str]:
    """Return the attributes that must be None where a statement runs."""
    me, found = self_name(site.method), set()
    guard = facts.module.parent(site.statement)
    if isinstance(guard, ast.If) and site.statement in guard.body:
        match guard.test:
            case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                found.add(left.attr if is_self_attribute(left, me) else "")
    return found - {""}


def _is_constant(node: ast.AST | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _told_once(drops: Iterable[Drop]) -> tuple[Drop, ...]:
    told: set[str] = set()
    once = []
    for drop in drops:
        once.append(replace(drop, why="") if drop.why in told else drop)
        told.add(drop.why)
    return tuple(once)


class OpenedByOthers:
    """Plans handles that are opened on first use, by code that looks whether they are open yet."""

    def __init__(
        self,
        facts: ClassFacts,
        names: list[str],
        around: Surroundings,
        closes: Mapping[str, str] | None = None,
        alone: frozenset[str] = frozenset(),
    ) -> None:
        self.closes = closes or {}
        self.alone = alone  # what no process may open while it holds its parent's
        self.facts = facts
        self.module = facts.module
        self.names = names
        self.around = around
        self._on_demand = Protocol(facts, names, around.only_started).opens_on_demand()

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        asked = [name for name in self.names if self._is_asked(name)]
        checked = [name for name in asked or self.names if name not in self.facts.methods]
        followers = [
            name for name in self.names if name not in checked and name not in self.facts.methods
        ]
        cached = [name for name in self.names if self.facts.is_property(name)]
        exchanges: list[Exchange] = []
        lazies: list[Lazy] = []
        drops: list[Drop] = []
        inserts: list[Insert] = []
        left = Protocol(self.facts, self.names, self.around.only_started)
        for name in checked:
            self._refuse_unopened(name, left)
        if left.parent_only:
            return self._opened_by_calling(left)
        for name in checked:
            exchanges += [*self._declared(name, inserts), *self._by_the_class(name)]
            if left.is_absent(name):
                exchanges += left.exchanges(name)
            elif not self._starts_as_none(name):
                exchanges += self._asks(name)
            test = self._flag(name)
            if test is not None:
                exchanges.append(self._expression(test, f"self.{name} is None"))
            lazy = self._lazy(name)
            lazies.append(replace(lazy, default="") if left.is_absent(name) else lazy)
            drops.append(self._drop(name, first=not drops))
        for flag, site in left.flags(checked).items():
            if any(self._flag(name) is not None for name in checked):
                continue
            exchanges.append(
                Exchange(self.module.span(site.statement), self._storage(flag, "self", None))
            )
            default = self.module.segment(site.value) if site.value is not None else "None"
            lazies.append(
                Lazy(name=flag, kept_in=self._kept_in(flag), settable=True, default=default)
            )
            drops.append(self._drop(flag, first=False))
        closing = self._closed_again(cached)
        inserts += closing.inserts if closing is not None else []
        drops += [Drop(name, why=EACH_ITS_OWN) for name in cached if closing is not None]
        for name in cached if closing is None else []:
            exchanges.append(Exchange(self.module.span(self.facts.methods[name])))
            inserts += self._storage_of_cached(name)
            lazies.append(self._cached(name))
            drops.append(self._drop(name, first=not drops))
        drops += [self.follower(name) for name in followers]
        releases = tuple(map(self._release, followers))
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            inserts=tuple(inserts),
            withins=tuple(closing.withins) if closing is not None else (),
            lazies=tuple(replace(each, releases=releases) for each in lazies),
            state=state_for(self.facts, tuple(drops), (), self.around),
            after=self._after(),
        )

    def left_closed(self) -> ClassPlan:
        """Plan that each leaves the state: a worker finds it as it was before it was opened."""
        left = Protocol(self.facts, self.names, self.around.only_started)
        if left.parent_only:
            raise Refusal(
                f"no method that workers run opens it ({self.facts.line(self.facts.node)})"
            )
        for name in left.names:
            self._refuse_unopened(name, left)
        starts = {name: self._start_of(name) for name in self.names}
        for flag, site in left.flags(left.names).items():
            starts[flag] = self.module.segment(site.value) if site.value is not None else "None"
        drops = _told_once(Drop(name, value, EACH_ITS_OWN) for name, value in starts.items())
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            state=state_for(self.facts, drops, (), self.around),
            after=self._after(),
            remains=AT_FORK,
        )

    def _after(self) -> str:
        """Return the method below which new ones are written: the constructor, or the hook of a base's that sets up."""
        sites = self._starts(self.names[0]) if self._on_demand and not self._is_made_here() else []
        return sites[0].method.name if sites else after_constructor(self.facts)

    def _is_made_here(self) -> bool:
        return any(name in self.facts.methods for name in STARTS)

    def _start_of(self, name: str) -> str:
        """Return the text of what an attribute is before it is opened; empty where it is not there."""
        sites = self._starts(name)
        if not sites:
            return ""
        value = sites[0].value
        if len(sites) > 1 or value is None or not (sites[0].resets or _is_empty(value)):
            raise Refusal(
                f"the resource is already opened ({self.facts.line(sites[-1].statement)})"
            )
        return self.module.segment(value)

    def _starts(self, name: str) -> list[StoreSite]:
        """Return what sets an attribute up while an instance is made; closing it again sets it like later code."""
        sites = [
            site
            for site in self.facts.stores.get(name, [])
            if site.method.name in self.facts.started
            and not isinstance(site.target, ast.Call)
            and not asks_first(self.facts, site)
        ]
        if self._on_demand:
            first, *more = set_up(sites, self.around.only_started)
            return [first, *(site for site in more if not site.resets)]
        own = [site for site in sites if site.method.name in STARTS]
        if not own or not own[0].resets:
            return sites
        return [own[0], *(site for site in sites if not site.resets)]

    def _refuse_unopened(self, name: str, left: Protocol) -> None:
        """Refuse what no method of the class opens: somebody hands it over."""
        where = declared_at(self.facts, name)
        if where:
            raise Refusal(f"`{name}` is a field of the class ({where})")
        if not self.facts.stores.get(name) and name not in self.facts.methods:
            raise Refusal(f"no method opens the resource ({self.facts.line(self.facts.node)})")

    def _opened_by_calling(self, left: Protocol) -> ClassPlan:
        """Plan handles that only the parent's call of a method opens: the state is set so, too."""
        opener = left.parent_only
        assert opener is not None
        arguments = opener.args
        required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        if required > 1 or any(each is None for each in arguments.kw_defaults):
            raise Refusal(
                f"`{opener.name}`, which opens the resource, requires arguments but is not "
                f"called by workers ({self.facts.line(opener)})"
            )
        first = self.names[0]
        mark = MARKED.format(name=first)
        drops = [Drop(first, why=f"__setstate__ calls {opener.name}()", code=mark)]
        for name in (*self.names[1:], *left.flags(self.names)):
            sites = [s for s in self.facts.stores[name] if s.method.name in STARTS]
            value = sites[0].value if sites else None
            drops.append(Drop(name, self.module.segment(value) if value is not None else ""))
        if self._starts_as_none(first) or self._is_none_by_the_class(first):
            lines = [f"if self.{first}:", f"{INDENT}self.{first} = None"]
        else:
            lines = [f'if self.__dict__.pop("{first}", None):']
        restores = ("\n".join([*lines, f"{INDENT}self.{opener.name}()"]),)
        return ClassPlan(
            cls=self.module.span(self.facts.node),
            state=state_for(self.facts, tuple(drops), restores, self.around),
            after=after_constructor(self.facts),
            remains=AT_FORK,
        )

    def _is_none_by_the_class(self, name: str) -> bool:
        return any(True for _ in self._by_the_class(name))

    def _closed_again(self, cached: list[str]) -> Released | None:
        """Close what `__init__` opened by reading a cached property; None if that does not do."""
        handles = {}
        for name in cached:
            method = self.facts.methods[name]
            last = method.body[-1]
            if not isinstance(last, ast.Return) or last.value is None:
                return None
            site = StoreSite(name, method, last, last, last.value)
            handles[name] = Handle(name, site, close=self.closes.get(name, ""))
        lazy = LazyClass(self.facts, handles, self.around)
        if lazy.is_touched_later():
            return None
        for name, handle in handles.items():
            moved = lazy.work.moved.setdefault(handle.site.method, Moved())
            moved.bodies[name] = _body_text(self.facts, handle.site.method)
        return lazy.released()

    def _is_asked(self, name: str) -> bool:
        """Return whether some code looks if an attribute is set."""
        return (
            any(
                _is_none_test(self.module.parent(node))
                for _, node in self.facts.reads.get(name, [])
            )
            or bool(self._hasattrs(name))
            or self._is_cache(name)
            or self._flag(name) is not None
        )

    def _flag(self, name: str) -> ast.expr | None:
        """Return the test of a flag that stands for "is `name` open?": of several, the first's."""
        for site in self.facts.stores.get(name, []):
            test = flag_test(self.facts, site)
            if test is not None and self._is_first(site):
                return test
        return None

    def _is_first(self, site: StoreSite) -> bool:
        together = [
            each
            for name in self.names
            for each in self.facts.stores.get(name, [])
            if self.module.parent(each.statement) is self.module.parent(site.statement)
        ]
        return site is min(together, key=lambda each: start(each.statement), default=site)

    def _is_cache(self, name: str) -> bool:
        sites = [s for s in self.facts.stores.get(name, []) if s.method.name in self.facts.started]
        return any(
            isinstance(site.value, (ast.Dict, ast.List, ast.Call))
            and not asks_first(self.facts, site)
            for site in sites
        )

    def _starts_as_none(self, name: str) -> bool:
        sites = self.facts.stores.get(name, [])
        return any(site.resets and site.method.name in self.facts.started for site in sites)

    def _hasattrs(self, name: str) -> list[ast.Call]:
        found = []
        for method in self.facts.all_methods:
            for node in ast.walk(method):
                match node:
                    case ast.Call(
                        func=ast.Name(id="hasattr"),
                        args=[ast.Name(), ast.Constant(value=value)],
                    ) if value == name:
                        found.append(node)
        return found

    def _asks(self, name: str) -> list[Exchange]:
        """Ask for None instead of for the attribute."""
        exchanges = []
        for call in self._hasattrs(name):
            me = ast.unparse(call.args[0])
            parent = self.module.parent(call)
            if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                exchanges.append(self._expression(parent, f"{me}.{name} is None"))
            else:
                exchanges.append(self._expression(call, f"{me}.{name} is not None"))
        return exchanges

    def _expression(self, node: ast.AST, text: str) -> Exchange:
        return Exchange(self.module.span(node), text, "expression")

    def _declared(self, name: str, inserts: list[Insert]) -> list[Exchange]:
        """Set up, where the attribute was first set to None, what holds it for each process."""
        sites = self._starts(name)
        if not sites:
            inserts += self._storage_of_cached(name)
            return []
        site = sites[0]
        if len(sites) > 1 or not (site.resets or self._is_cache(name)):
            raise Refusal(
                f"the resource is already opened ({self.facts.line(sites[-1].statement)})"
            )
        targets = getattr(site.statement, "targets", [None])
        if len(targets) != 1 or isinstance(targets[0], ast.Tuple):
            raise Refusal(
                f"the statement also sets other attributes ({self.facts.line(site.statement)})"
            )
        text = self._storage(name, self_name(site.method), site.annotation)
        return [Exchange(self.module.span(site.statement), text)]

    def _by_the_class(self, name: str) -> Iterator[Exchange]:
        """Take out the None of the class, which the property would replace without a word."""
        field_ = self.facts.fields.get(name)
        match field_:
            case (
                ast.Assign(targets=[_], value=ast.Constant(value=None))
                | ast.AnnAssign(value=ast.Constant(value=None))
            ):
                yield Exchange(self.module.span(field_))

    def _storage(self, name: str, me: str, annotation: ast.expr | None) -> str:
        typed = f": dict[int, {self.module.segment(annotation)}]" if annotation is not None else ""
        return f"{me}.{self._kept_in(name)}{typed} = {{}}"

    def _storage_of_cached(self, name: str) -> list[Insert]:
        method = next((self.facts.methods[n] for n in STARTS if n in self.facts.methods), None)
        if method is None:
            return []
        storage = self._storage(name, self_name(method), self._annotation_by_the_class(name))
        return [storage_insert(self.facts, storage)]

    def _annotation_by_the_class(self, name: str) -> ast.expr | None:
        return getattr(self.facts.fields.get(name), "annotation", None)

    def _kept_in(self, name: str) -> str:
        wanted = "_" + name.lstrip("_") + "_by_pid"
        while wanted in self.facts.names:
            wanted = "_" + wanted
        return wanted

    def _lazy(self, name: str) -> Lazy:
        site = next(iter(self.facts.stores.get(name, [])), None)
        own = site.annotation if site is not None else None
        annotation = own or self._annotation_by_the_class(name)
        body = ""
        if self._is_cache(name) and site is not None and site.value is not None:
            body = f"return {self.module.segment(site.value)}"
        return Lazy(
            name=name,
            body=body,
            annotation=self.facts.written(annotation) if annotation is not None else "",
            kept_in=self._kept_in(name),
            settable=not body or self._is_stored_later(name),
            deletable=self._is_deleted(name),
            undeclared=not self._has_start(),
            alone=self._is_alone(name),
        )

    def _is_alone(self, name: str) -> bool:
        """Return whether asking for an attribute comes before what a process may have open only once is opened."""
        if name in self.facts.methods:
            return name in self.alone
        return any(
            name in self._asked_before(site) or (name == root and not self._is_made_of(site))
            for root in self.alone
            for site in self.facts.stores.get(root, ())
            if not site.resets
        )

    def _asked_before(self, site: StoreSite) -> set[str]:
        """Return the attributes that code asks for before it opens another one."""
        above = list(self.module.ancestors(site.statement))
        tests = [
            each.test for each in above[: above.index(site.method)] if isinstance(each, ast.If)
        ]
        return {n for test in tests for n in attributes_in(test, self_name(site.method))}

    def _is_made_of(self, site: StoreSite) -> bool:
        """Return whether an attribute is made of another one that its process has open once."""
        read = (
            attributes_in(site.value, self_name(site.method)) if site.value is not None else set()
        )
        return bool(read & self.alone)

    def _is_stored_later(self, name: str) -> bool:
        sites = self.facts.stores[name]
        early = [site for site in sites if site.method.name in self.facts.started]
        if self._on_demand:  # an opener that the constructor calls sets it again
            early = [site for site in early if site in set_up(sites, self.around.only_started)]
        return len(early) < len(sites) or sum(site.resets for site in early) > 1

    def _is_deleted(self, name: str) -> bool:
        return any(
            isinstance(getattr(site.target, "ctx", None), ast.Del)
            for site in self.facts.stores.get(name, [])
        )

    def _has_start(self) -> bool:
        return self._on_demand or self._is_made_here()

    def _cached(self, name: str) -> Lazy:
        method = self.facts.methods[name]
        body = _body_text(self.facts, method)
        simple = isinstance(method.body[-1], ast.Return) and _returns(method) == 1
        returns = method.returns
        opener = "" if simple else f"_open_{name.lstrip('_')}"
        return Lazy(
            name=name,
            body=body,
            annotation=self.module.segment(returns) if returns is not None else "",
            kept_in=self._kept_in(name),
            opener=opener,
            docstring=_docstring(self.facts, method),
            settable=bool(self.facts.stores.get(name)),
            deletable=self._is_deleted(name),
            undeclared=not self._has_start(),
            alone=self._is_alone(name),
            self_name=self_name(method),
        )

    def _drop(self, name: str, first: bool) -> Drop:
        becomes = "{}" if self._has_start() else ""
        return Drop(self._kept_in(name), becomes, EACH_ITS_OWN if first else "")

    def _release(self, name: str) -> str:
        """Return the statement that takes an attribute back to what it is before it is opened."""
        becomes = self.follower(name).becomes
        return f"self.{name} = {becomes}" if becomes else f'self.__dict__.pop("{name}", None)'

    def follower(self, name: str) -> Drop:
        """Return how an attribute that is opened with others leaves the state."""
        sites = self.facts.stores.get(name, [])
        return Drop(name, "None" if sites and self._starts_as_none(name) else "")


def attributes_in(node: ast.AST, me: str) -> set[str]:
    """Return the attributes of an object that a piece of code names."""
    return {n.attr for n in ast.walk(node) if is_self_attribute(n, me)}


def _is_empty(value: ast.expr) -> bool:
    """Return whether a value is a new container that holds nothing."""
    if isinstance(value, ast.Call):
        return not value.args and not value.keywords and isinstance(value.func, ast.Name)
    return isinstance(value, (ast.Dict, ast.List)) and not any(ast.iter_child_nodes(value))


def plan_scripted(facts: ClassFacts, names: Iterable[str], around: Surroundings) -> ClassPlan:
    """Plan TorchScript modules: they cross as the bytes that `torch.jit.save` writes."""
    names = list(names)
    drops = tuple(Drop(name, code=_SAVED.format(name=name)) for name in names)
    restores = tuple(_LOADED.format(name=name) for name in names)
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, drops, restores, around),
        after=after_constructor(facts),
        imports=("io", "torch"),
    )


_SAVED = """if isinstance(self.{name}, torch.jit.ScriptModule):
    buffer = io.BytesIO()
    torch.jit.save(self.{name}, buffer)
    state["{name}"] = buffer.getvalue()"""
_LOADED = """if isinstance(self.{name}, bytes):
    self.{name} = torch.jit.load(io.BytesIO(self.{name}))"""


def merged(plans: Sequence[ClassPlan]) -> ClassPlan:
    """Return plans for one class as one."""
    first = plans[0]
    states = [each.state for each in plans if each.state is not None]
    state = None
    if states:
        state = replace(
            states[0],
            drops=_told_once(drop for each in states for drop in each.drops),
            restores=tuple(line for each in states for line in each.restores),
            slots=tuple(n for n in states[0].slots if all(n in each.slots for each in states)),
        )
    return replace(
        first,
        exchanges=tuple(each for plan in plans for each in plan.exchanges),
        inserts=tuple(each for plan in plans for each in plan.inserts),
        withins=tuple(each for plan in plans for each in plan.withins),
        lazies=tuple(each for plan in plans for each in plan.lazies),
        imports=tuple(dict.fromkeys(name for plan in plans for name in plan.imports)),
        remains=next((plan.remains for plan in plans if plan.remains), ""),
        state=state,
    )


def after_constructor(facts: ClassFacts) -> str:
    """Return the method below which state methods are written."""
    return next((name for name in STARTS if name in facts.methods), "__init__")


def _is_conditional(facts: ClassFacts, site: StoreSite) -> bool:
    """Return whether only some instances have it."""
    above = list(facts.module.ancestors(site.statement))
    return any(isinstance(each, ast.If) for each in above[: above.index(site.method)])


def _is_none_test(node: ast.AST | None) -> bool:
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
            return True
    return False


def _returns(method: Method) -> int:
    return sum(isinstance(each, ast.Return) for each in ast.walk(method))


def _docstring(facts: ClassFacts, method: Method) -> str:
    if ast.get_docstring(method) is None:
        return ""
    text = facts.module.segment(method.body[0])
    indent = " " * facts.module.span(method.body[0]).start.column
    return text.replace("\n" + indent, "\n")


def _body_text(facts: ClassFacts, method: Method) -> str:
    """Return the text of a method's body, comments included, dedented; the docstring left out."""
    module = facts.module
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    first = module.span(body[0]).start
    rows = module.lines[module.first_row(body[0]) - 1 : module.span(body[-1]).end.row]
    indent = module.lines[first.row - 1][: first.column]
    return dedented("\n".join([rows[0].removeprefix(indent), *rows[1:]]), indent)
