"""Handles that the constructor goes on opening: another process opens them again from kept values."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from dlfix.fixing import naming
from dlfix.fixing.classes.closing import questions_and_guards
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    StoreSite,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.forms import Forms
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.local_origins import with_local_origins
from dlfix.fixing.classes.moving import Mover
from dlfix.fixing.classes.observed import declared_at
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy, State
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings, is_slotted, state_for
from dlfix.fixing.classes.text import indented, render, shifted
from dlfix.project.order import start
from dlfix.project.syntax import is_none

INDENT = "    "
# The mark by which `__setstate__` knows that the handle was open.
MARKED = """if state.get("{name}") is not None:
    state["{name}"] = True"""
AGAIN = "__setstate__ reopens it"
AT_POSITION = "__setstate__ reopens it where it stands"
AT_FORK = (
    "a forked worker still uses the parent's resource; start the workers with spawn or forkserver"
)


class Held(Forms):
    """Plans attributes that hold, for each process, what it opened: the constructor opens the first.

    What is not `eager` is opened by the first use in each process.
    """

    eager = True

    def plan(self) -> ClassPlan:
        """Return the plan; raise Refusal where there is none."""
        self.refuse_what_counts()
        if self.facts.slots is not None:
            raise Refusal(f"the class has `__slots__` ({self.facts.line(self.facts.node)})")
        for name in self.handles:
            where = declared_at(self.facts, name)
            if where or name in self.facts.fields:
                raise Refusal(f"the resource is a field of the class ({where or name})")
        kept = [self._kept_in(name, True) for name in self.handles]
        if len(set(kept)) < len(kept):
            raise Refusal("several resources would be stored under the same name")
        movers: dict[Method, Mover] = {}
        lazies, exchanges, inserts = [], [], []
        for name, handle in self.handles.items():
            site = _only_start(self.facts, handle)
            mover = movers.setdefault(
                site.method, Mover(self.facts, site.method, self.handles, self.around)
            )
            body, saves = mover.again(name)
            lazies.append(self._held(handle, body))
            at_once = _is_opened_alike(site, body) and _is_read_next(self.facts, site)
            exchanges.append(self._kept_first(handle, mover.evaluated, at_once))
            if saves:
                span = self.module.span(site.statement)
                inserts.append(Insert(span, "\n".join(saves), before=True))
            exchanges += questions_and_guards(self.facts, name, self._kept_in(name, True), name)
        _refuse_changing(self.facts, self.around, lazies, movers)
        drops = [
            Drop(self._kept_in(name, True), "{}", EACH_ITS_OWN if not index else "")
            for index, name in enumerate(self.handles)
        ]
        plan = ClassPlan(
            cls=self.module.span(self.facts.node),
            exchanges=tuple(exchanges),
            inserts=tuple(inserts),
            lazies=tuple(lazies),
            state=state_for(self.facts, tuple(drops), (), self.around),
            after=next(iter(self.handles.values())).site.method.name,
        )
        return with_local_origins(plan, self.facts, self.handles, self.around)

    def _held(self, handle: Handle, body: str) -> Lazy:
        name = handle.attribute
        return Lazy(
            name=name,
            body=body,
            annotation=self._annotation(handle),
            kept_in=self._kept_in(name, True),
            settable=self._is_set_again(name, ast.Store),
            deletable=self._is_set_again(name, ast.Del),
            alone=self._is_alone(handle),
            self_name=self_name(handle.site.method),
        )

    def _is_set_again(self, name: str, context: type[ast.expr_context]) -> bool:
        first = self.handles[name].site
        own = any(
            isinstance(getattr(site.target, "ctx", None), context)
            for site in self.facts.stores[name]
            if site is not first
        )
        return own or (name in self.around.set_outside)

    def _kept_first(
        self, handle: Handle, evaluated: Mapping[ast.expr, str], at_once: bool
    ) -> Exchange:
        """Return what stands for the opening: nothing is opened yet where the attribute is read `at_once`."""
        site = handle.site
        assert site.value is not None
        _refuse_other_targets(self.facts, site)
        me, annotation = self_name(site.method), self._annotation(handle)
        typed = f": dict[int, {annotation}]" if annotation else ""
        if not self.eager or at_once:
            text = f"{me}.{self._kept_in(handle.attribute, True)}{typed} = {{}}"
            return Exchange(self.module.span(site.statement), text)
        head = f"{me}.{self._kept_in(handle.attribute, True)}{typed} = {{os.getpid(): "
        parts = {*ast.walk(site.value)}
        inside: dict[ast.AST, str] = {e: read for e, read in evaluated.items() if e in parts}
        text = render(self.module, site.value, inside)
        value = self.module.span(site.value).start.column
        statement = self.module.span(site.statement).start.column
        text = shifted(text, len(head) - (value - statement), value - statement)
        return Exchange(self.module.span(site.statement), f"{head}{text}}}")


def _is_opened_alike(site: StoreSite, body: str) -> bool:
    """Return whether a body does what an opening does, and no more or less: one call of the same function."""
    if not isinstance(site.value, ast.Call) or not body.startswith("return "):
        return False
    try:  # a comment may end the line; further statements are no part of one expression
        made = ast.parse(f"({body.removeprefix('return ')}\n)", mode="eval").body
    except SyntaxError:
        return False
    return isinstance(made, ast.Call) and ast.dump(made.func) == ast.dump(site.value.func)


def _is_read_next(facts: ClassFacts, site: StoreSite) -> bool:
    """Return whether the statement below an opening begins with a read of the attribute, which opens it just as well."""
    above = facts.module.parent(site.statement)
    block = next(
        (
            block
            for block in (getattr(above, part, None) for part in ("body", "orelse", "finalbody"))
            if isinstance(block, list) and site.statement in block
        ),
        [],
    )
    below = block[block.index(site.statement) + 1 :][:1] if block else []
    match below:
        case [ast.With(items=[ast.withitem(context_expr=node), *_])]:
            pass
        case [ast.Expr(value=node) | ast.Assign(value=node) | ast.Return(value=ast.expr() as node)]:
            pass
        case [ast.AnnAssign(value=ast.expr() as node) | ast.For(iter=node)]:
            pass
        case _:
            return False
    first = _evaluated_first(node)
    return is_self_attribute(first, self_name(site.method)) and first.attr == site.attribute


def _evaluated_first(node: ast.expr) -> ast.expr:
    """Return the part of an expression that is evaluated first, besides the name of a function that it calls."""
    match node:
        case ast.Call(func=ast.Name(), args=[first, *_]):
            return _evaluated_first(first)
        case ast.Attribute(value=ast.Name()):
            return node
        case ast.Call(func=first) | ast.Attribute(value=first) | ast.Subscript(value=first):
            return _evaluated_first(first)
        case ast.BinOp(left=first) | ast.Compare(left=first):
            return _evaluated_first(first)
    return node


class OnFirstUse(Held):
    """Plans attributes that each process makes when it first uses them."""

    eager = False


def _refuse_other_targets(facts: ClassFacts, site: StoreSite) -> None:
    """Refuse a statement that sets more than the attribute, since it is replaced as a whole."""
    if isinstance(site.statement, ast.Assign) and site.statement.targets != [site.target]:
        raise Refusal(f"the statement also sets other attributes ({facts.line(site.statement)})")


def plan_by_state(
    facts: ClassFacts,
    handles: Mapping[str, Handle],
    around: Surroundings,
    *,
    where_open: bool = False,
    at_position: bool = False,
) -> ClassPlan:
    """Plan handles that leave the pickled state, and are opened again when it is set.

    `where_open`: a method or a branch opens them, so that only those are opened again that were open.
    `at_position`: the state has where each stands, and they stand there again.
    """
    forms = Forms(facts, handles, around)
    forms.work.gone |= {each.site.statement for each in handles.values()}
    forms.refuse_what_counts()
    ordered = sorted(handles.values(), key=lambda each: start(each.site.statement))
    movers: dict[Method, Mover] = {}
    leads = _leads(facts, ordered) if where_open else {}
    restores: dict[str, list[str]] = {}  # by the attribute whose mark is asked for
    inserts: list[Insert] = []
    exchanges: list[Exchange] = []
    opened: dict[ast.expr | None, str] = {}
    for handle in ordered:
        lead = leads.get(handle.attribute, "")
        site = handle.site if where_open else _only_start(facts, handle)
        first = opened.setdefault(site.value, handle.attribute)
        if first != handle.attribute:  # `self.array = self.second = ...`: one object
            restores.setdefault(lead, []).append(facts.setting(handle.attribute, f"self.{first}"))
            continue
        mover = movers.setdefault(site.method, Mover(facts, site.method, handles, around))
        body, saves = mover.again(handle.attribute, in_branches=where_open)
        restoring = _restoring(facts, handle.attribute, body)
        if at_position:
            restoring = _at_position(facts, handle.attribute, restoring)
        restores.setdefault(lead, []).extend(restoring)
        if saves and (facts.is_frozen or is_slotted(facts)):
            raise Refusal(
                f"the arguments that open the resource are not stored ({facts.line(site.statement)})"
            )
        if saves:
            inserts.append(Insert(facts.module.span(site.statement), "\n".join(saves), before=True))
    for mover in movers.values():
        exchanges += (
            Exchange(facts.module.span(part), read) for part, read in mover.evaluated.items()
        )
    texts = tuple(
        text
        for lead, lines in restores.items()
        for text in (_if_marked(lead, lines) if lead else lines)
    )
    inputs = around.inputs
    if inputs is not None:
        known = set(handles) | {n for m in movers.values() for n in m.moved.kept.values()}
        inputs.refuse_changing(facts, "\n".join(texts), "self", known)
    drops = tuple(
        Drop(
            each.attribute,
            becomes=f"self.{each.attribute}.tell()" if at_position else "",
            why=("" if index else AT_POSITION if at_position else AGAIN),
            code=MARKED.format(name=each.attribute) if each.attribute in leads.values() else "",
        )
        for index, each in enumerate(ordered)
    )
    return ClassPlan(
        cls=facts.module.span(facts.node),
        exchanges=tuple(exchanges),
        inserts=tuple(inserts),
        state=_state(facts, drops, texts, around),
        after=ordered[-1].site.method.name if "__init__" in facts.methods else "__post_init__",
        remains=AT_FORK if any(each.reads_on for each in ordered) else "",
    )


def _state(
    facts: ClassFacts, drops: tuple[Drop, ...], restores: tuple[str, ...], around: Surroundings
) -> State:
    if facts.slots is not None:
        raise Refusal(f"the class has `__slots__` ({facts.line(facts.node)})")
    state = state_for(facts, drops, restores, around)
    if state is None:
        raise Refusal(f"the class defines how it is pickled ({facts.line(facts.node)})")
    return state


def _restoring(facts: ClassFacts, attribute: str, body: str) -> list[str]:
    """Return the statements that set an attribute to what a body returns."""
    *before, last = body.split("\nreturn ") if "\nreturn " in body else [body]
    value = last.removeprefix("return ")
    lines = [line for part in before for line in part.split("\n")]
    return [*lines, facts.setting(attribute, value)]


def _at_position(facts: ClassFacts, attribute: str, restoring: list[str]) -> list[str]:
    """Return the statements that open a handle again, and move it to the position that the state holds."""
    position = naming.free_name("position", " ".join(restoring).split())
    return [
        f"{position} = self.{attribute}",
        *restoring,
        f"self.{attribute}.seek({position})",
    ]


def _if_marked(attribute: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join([f"if self.{attribute}:", *(indented(line, INDENT) for line in lines)])]


def _leads(facts: ClassFacts, handles: Sequence[Handle]) -> dict[str, str]:
    """Return for each handle the one whose mark says that it was open: itself, or one opened above it in its block."""
    found: dict[str, str] = {}
    lead: Handle | None = None
    for each in handles:
        statement = each.site.statement
        above = lead.site.statement if lead is not None else None
        beside = above is not None and facts.module.parent(above) is facts.module.parent(statement)
        stores = [site for site in facts.stores.get(each.attribute, ()) if not site.resets]
        if lead is None or not (beside and stores == [each.site] and not each.container):
            _only_opening(facts, each)
            lead = each
        found[each.attribute] = lead.attribute
    return found


def _only_opening(facts: ClassFacts, handle: Handle) -> None:
    """Refuse what is not opened by one statement, in a branch or a method, and None without it."""
    site, stores = handle.site, facts.stores.get(handle.attribute, [])
    where = facts.line(site.statement)
    if handle.container or site.value is None:
        raise Refusal(f"several resources are opened in one statement ({where})")
    if [each for each in stores if not each.resets] != [site]:
        raise Refusal(f"the resource is opened more than once ({where})")
    field = facts.fields.get(handle.attribute)
    starts_as_none = any(
        each.resets and each.method.name in STARTS and each.statement in each.method.body
        for each in stores
    )
    if not starts_as_none and not (field is not None and is_none(field.value)):
        raise Refusal(f"the attribute is not set where the resource is not opened ({where})")


def _only_start(facts: ClassFacts, handle: Handle) -> StoreSite:
    """Return the one statement that opens a handle, while an instance is made."""
    site = handle.site
    if site.method.name not in STARTS:
        raise Refusal(
            f"the constructor calls `{site.method.name}`, which opens the resource "
            f"({facts.line(site.statement)})"
        )
    if site.statement not in site.method.body:
        raise Refusal(
            f"the resource is opened inside a compound statement ({facts.line(site.statement)})"
        )
    if handle.container or site.value is None:
        raise Refusal(
            f"several resources are opened in one statement ({facts.line(site.statement)})"
        )
    if len([s for s in facts.stores[handle.attribute] if s.method.name in facts.started]) > 1:
        raise Refusal(f"the resource is opened more than once ({facts.line(site.statement)})")
    return site


def _refuse_changing(
    facts: ClassFacts,
    around: Surroundings,
    lazies: list[Lazy],
    movers: Mapping[Method, Mover],
) -> None:
    if around.inputs is None:
        return
    known = {each.name for each in lazies} | {each.kept_in for each in lazies}
    known |= {name for mover in movers.values() for name in mover.moved.kept.values()}
    for each in lazies:
        around.inputs.refuse_changing(facts, each.body, each.self_name, known)
