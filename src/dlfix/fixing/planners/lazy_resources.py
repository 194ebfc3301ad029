"""Plan handles that are opened too early: DLF201, 202, 205 and 601."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dlfix.fixing.classes.at_position import refuse_without_position
from dlfix.fixing.classes.batches import OtherForm, PlanClass, fixes
from dlfix.fixing.classes.derived import with_hanging
from dlfix.fixing.classes.evidence import (
    CALLABLE,
    Culprit,
    OpenedIn,
    by_class,
    culprits,
    row_of,
)
from dlfix.fixing.classes.facts import STARTS, ClassFacts, StoreSite, started_sites
from dlfix.fixing.classes.handles import Handle, NotLazily, Refusal
from dlfix.fixing.classes.hierarchy import surroundings
from dlfix.fixing.classes.holders import without_holders
from dlfix.fixing.classes.observed import declared_at, seen_whole_at
from dlfix.fixing.classes.opening import LazyClass
from dlfix.fixing.classes.options import with_options
from dlfix.fixing.classes.parent_only import plan_for_parent
from dlfix.fixing.classes.passed_in import REOPENED, plan_field, plan_passed_in
from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.classes.protocol import Protocol
from dlfix.fixing.classes.recorded import Recorded
from dlfix.fixing.classes.reopening import Held, plan_by_state
from dlfix.fixing.classes.restoring import (
    asks_first,
    opened_lazily,
    opened_with_what_is_left_out,
)
from dlfix.fixing.classes.scoped import only_started, plan_local, with_local
from dlfix.fixing.classes.shared import SharedHandle
from dlfix.fixing.classes.sliced import Sliced, SlicedState
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.plans import Planned, Refused
from dlfix.reach.labels import node_of
from dlfix.reach.values import Bound, Class, Constant, Derived, ExternalCall, Instance, origin_of

if TYPE_CHECKING:
    from dlfix.catalog.rows import ResourceRow, Variant
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value
    from dlfix.rules.base import Finding

NAME = "lazy_resources"
Form = Literal["lazy", "held", "sliced", "state", "where_open", "at_position"]
_FOR_WRITING = "opened for writing"  # how the catalogue ends the note of a mode
STACKS = ("contextlib.ExitStack",)


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for each finding: one fix for each class that opens."""
    yield from without_holders(_planned(findings, analysis), analysis, NAME)


def _planned(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    read, refused = culprits(findings, analysis)
    yield from with_options(refused, analysis, NAME)

    joined = _joined_with_openers(read)
    whole = {id(group[0].facts.node): with_hanging(group, analysis) for group in _own(joined)}
    last = _joined_with_holders(joined, whole.values())
    left = dict(_left(refused, last))

    def plan_one(
        group: Sequence[Culprit], inherited: frozenset[str], form: Form = "lazy"
    ) -> ClassPlan:
        known = [] if _is_alone(group[0]) else whole[id(group[0].facts.node)]
        found, facts = known or group, group[0].facts
        local = only_started(analysis, found) if form == "lazy" else {}
        for culprit in group:
            why = left.get(_made_at(culprit))
            if why is not None and not culprit.is_passed_in and culprit.attribute not in local:
                raise Refusal(f"a derived resource cannot be reopened: {why}")
        rest = [each for each in found if each.attribute not in local]
        if not rest:
            return plan_local(facts, local)
        plan = plan_class(rest, analysis, inherited, form)
        return with_local(plan, facts, local) if local else plan

    def plan_held(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, "held")

    def plan_state(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, "state")

    def plan_sliced(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, "sliced")

    def plan_where_open(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, "where_open")

    def plan_at_position(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, "at_position")

    others: tuple[tuple[OtherForm, PlanClass], ...] = (
        ("held", plan_held),
        ("sliced", plan_sliced),
        ("state", plan_state),
        ("where_open", plan_where_open),
        ("at_position", plan_at_position),
    )

    verb = "Open {names} of `{cls}` separately in each process"
    yield from fixes(by_class(last), analysis, NAME, verb, plan_one, others)


def _left(
    refused: Iterable[Planned], read: Iterable[tuple[Finding, Culprit]]
) -> Iterator[tuple[object, str]]:
    """Yield the handles from which something hangs that no fix can open anew, and why."""
    for planned in refused:
        assert isinstance(planned.outcome, Refused)
        for finding in planned.findings:
            value = getattr(finding.evidence, "value", None)
            if isinstance(value, Derived):
                yield _root(value), planned.outcome.reason
    for _, culprit in read:
        if culprit.is_passed_in and isinstance(culprit.value, Derived):
            where = culprit.facts.line(culprit.site.statement)
            yield (
                _root(culprit.value),
                f"the resource is created elsewhere and passed in ({where})",
            )


def _root(value: Value) -> object:
    """Return the node that makes the handle from which a value hangs."""
    value = origin_of(value)
    made = node_of(value)
    return made[0] if made is not None else None


def _is_alone(culprit: Culprit) -> bool:
    return culprit.is_passed_in or culprit.on_class


def _own(read: Sequence[tuple[Finding, Culprit]]) -> Iterator[list[Culprit]]:
    """Yield, class by class, the handles that a class opens for an instance."""
    for group in by_class(read):
        if not _is_alone(group[0][1]):
            yield [culprit for _, culprit in group]


def _joined_with_holders(
    read: Sequence[tuple[Finding, Culprit]], groups: Iterable[Sequence[Culprit]]
) -> list[tuple[Finding, Culprit]]:
    """Let what hangs from the handle of a holder, in an object the holder makes anew, be mended there."""
    remade = {
        each.value.cls.node: group[0]
        for group in groups
        for each in group
        if isinstance(each.value, Instance) and isinstance(each.value.cls, Class)
    }
    return [
        (finding, remade.get(each.facts.node, each) if _comes_from_outside(each) else each)
        for finding, each in read
    ]


def _comes_from_outside(culprit: Culprit) -> bool:
    """Return whether an attribute hangs from a handle that another class opened."""
    origin = origin_of(culprit.value)
    made = node_of(origin)
    if origin is culprit.value or made is None:
        return False
    return all(each is not culprit.facts.node for each in made[1].ancestors(made[0]))


def _joined_with_openers(
    read: Sequence[tuple[Finding, Culprit]],
) -> list[tuple[Finding, Culprit]]:
    """Let a handle that its opener's class hands on be mended there, with the opener."""
    openers = {_made_at(each): each for _, each in read if not each.is_passed_in}
    return [
        (finding, openers.get(_made_at(culprit), culprit) if culprit.is_passed_in else culprit)
        for finding, culprit in read
    ]


def _made_at(culprit: Culprit) -> object:
    made = node_of(culprit.value)
    return made[0] if made is not None else id(culprit)


def plan_class(
    group: Sequence[Culprit],
    analysis: Analysis,
    inherited: frozenset[str] = frozenset(),
    form: Form = "lazy",
) -> ClassPlan:
    """Plan one class; raise Refusal where there is no plan.

    In the forms "held" (by process) and "state" the constructor goes on opening the handles.
    """
    facts, project = group[0].facts, analysis.project
    if form == "lazy":
        kept = plan_for_parent(group, around_of(group, analysis, inherited))
        if kept is not None:
            return kept
    for culprit in group:
        if _may_not_be_opened_twice(culprit) and not opens_what_it_reads(culprit, analysis):
            raise Refusal(_why_not(culprit))
        _refuse_view(culprit, analysis)
        if not culprit.on_class:
            _refuse_shared(culprit)
        if isinstance(culprit.value, Derived) and not culprit.is_passed_in:
            _refuse_hanging_from_outside(culprit, group, analysis)
    if form != "lazy" and (group[0].on_class or group[0].is_passed_in):
        raise Refusal("the resource is not opened by the constructor")
    if group[0].on_class:
        return SharedHandle(project, facts, handle_at(group[0], group[0].site)).plan()
    around = around_of(group, analysis, inherited)
    value = group[0].value
    field_at = declared_at(facts, group[0].attribute)
    alone = len({each.attribute for each in group}) == 1 and not facts.stores.get(
        group[0].attribute
    )
    if field_at and alone and isinstance(value, ExternalCall):
        return plan_field(group[0], around)
    if group[0].is_passed_in:
        return plan_passed_in(group[0], around)
    left = opened_with_what_is_left_out(
        facts, list(dict.fromkeys(each.attribute for each in group)), around
    )
    if left is not None:
        return left
    if form == "at_position":
        for each in group:
            refuse_without_position(each, project)
        found = {each.attribute: handle_of(each) for each in group}
        return _not_seen(plan_by_state(facts, found, around, at_position=True), around)
    if form == "where_open":
        found = {each.attribute: handle_at(each, each.site) for each in group}
        return _not_seen(plan_by_state(facts, found, around, where_open=True), around)
    if _is_opened_later(group, around):
        return opened_lazily(group, around, by_process=form != "state")
    handles = {
        each.attribute: replace(handle_of(each), only_read=_is_only_read(each, analysis))
        for each in group
    }
    if form == "sliced":
        return _sliced(facts, handles, around)
    reason = _why_only_by_state(facts, handles, around) if form != "lazy" else None
    if reason is not None:
        return _sliced_state_or(reason, facts, handles, around)
    if form == "state":
        return _by_state(facts, handles, around)
    if form == "held":
        if seen_whole_at(around.inputs):
            raise Refusal("code reads all attributes of the object")
        return Held(facts, handles, around).plan()
    return _first_that_holds(facts, handles, around)


def _is_opened_later(group: Sequence[Culprit], around: Surroundings) -> bool:
    """Return whether methods open what constructors leave closed, or all that they do not find open."""
    facts = group[0].facts
    names = list(dict.fromkeys(each.attribute for each in group))
    return (
        any(not started_sites(facts, name) for name in names)
        or all(asks_first(facts, each.site) for each in group)
        or Protocol(facts, names, around.only_started).opens_on_demand()
    )


def around_of(
    group: Sequence[Culprit], analysis: Analysis, inherited: frozenset[str]
) -> Surroundings:
    """Return what is known of the code around a class, for the handles of a group."""
    holders = {name for each in group for name in each.holders}
    attributes = {each.attribute for each in group}
    opened = OpenedIn(analysis, group[0].frame)
    around = surroundings(analysis, group[0].facts, attributes, holders, opened)
    sent = frozenset(each.site.statement for each in group)
    return replace(around, inherited=around.inherited | inherited, sent=sent)


def _by_state(facts: ClassFacts, handles: dict[str, Handle], around: Surroundings) -> ClassPlan:
    """Leave the handles out of the state, and open each again when it is set, or run the slice that does."""
    try:
        plan = plan_by_state(facts, handles, around)
    except Refusal as reason:
        return _sliced_state_or(reason, facts, handles, around)
    return _not_seen(plan, around)


def _sliced_state_or(
    reason: Refusal, facts: ClassFacts, handles: dict[str, Handle], around: Surroundings
) -> ClassPlan:
    """Run the slice that opens when the state is set; else refuse with another reason."""
    try:
        plan = SlicedState(facts, handles, around).plan()
    except Refusal:
        raise reason from None
    return _not_seen(plan, around)


def _not_seen(plan: ClassPlan, around: Surroundings) -> ClassPlan:
    """Return a plan, unless it keeps values where code sees all attributes of an object."""
    if plan.inserts and seen_whole_at(around.inputs):
        raise Refusal("the arguments that open the resource are not stored in attributes")
    return plan


def _first_that_holds(
    facts: ClassFacts, handles: dict[str, Handle], around: Surroundings
) -> ClassPlan:
    """Open lazily; else where the constructor does, held by process; else when the state is set."""
    try:
        return LazyClass(facts, handles, around).plan()
    except Refusal as reason:
        if not isinstance(reason, NotLazily):
            return _sliced_or(reason, facts, handles, around)
        seen = seen_whole_at(around.inputs)
        try:
            if not seen:
                return Held(facts, handles, around).plan()
        except Refusal:
            pass
        try:
            return _by_state(facts, handles, around)
        except Refusal as refusal:
            raise Refusal(f"{reason}; {refusal}") from None


def _why_only_by_state(
    facts: ClassFacts, handles: dict[str, Handle], around: Surroundings
) -> Refusal | None:
    """Return why no attribute may open the handles later; None where one may."""
    try:
        LazyClass(facts, handles, around).plan()
    except NotLazily:
        return None
    except Refusal as reason:
        try:
            _sliced(facts, handles, around)
        except Refusal:
            return reason
    return None


def _sliced_or(
    reason: Refusal, facts: ClassFacts, handles: dict[str, Handle], around: Surroundings
) -> ClassPlan:
    """Plan what opens as a slice of the constructor; else refuse with the first reason."""
    try:
        return _sliced(facts, handles, around)
    except Refusal:
        return _sliced_state_or(reason, facts, handles, around)


def _sliced(facts: ClassFacts, handles: dict[str, Handle], around: Surroundings) -> ClassPlan:
    """Plan the statements that open as a method; else a list or dict by what opened each of its items."""
    try:
        return Sliced(facts, handles, around).plan()
    except Refusal as reason:
        if not any(handle.container for handle in handles.values()):
            raise
        try:
            return Recorded(facts, handles, around).plan()
        except Refusal as second:
            raise reason from second


def handle_of(culprit: Culprit) -> Handle:
    """Return what is known of a handle."""
    sites = started_sites(culprit.facts, culprit.attribute)
    site = next((each for each in sites if each.statement is culprit.site.statement), sites[0])
    return handle_at(culprit, site)


def handle_at(culprit: Culprit, site: StoreSite) -> Handle:
    """Return what is known of a handle that is set at one place."""
    row = culprit.row
    if row is None:
        return Handle(culprit.attribute, site, opens=False, container=culprit.container)
    if culprit.container == CALLABLE:
        return _callable_over(culprit, site, row)
    return Handle(
        culprit.attribute,
        site,
        close="" if _is_entered(site) and row.name not in STACKS else row.close,
        enters=row.enters,
        configure=row.configure,
        position=row.position,
        write=row.write,
        derived=tuple(row.derived),
        iterates=row.iterates,
        closed_by_parent=row.closed_by_parent,
        inherited=row.kind == "memmap",
        reads_on=row.fork != "safe",
        type=row.type,
        name=culprit.opener,
        container=culprit.container,
    )


def _is_only_read(culprit: Culprit, analysis: Analysis) -> bool:
    """Return whether what crosses is opened with an argument that lets nobody write: `readonly=True`."""
    value = culprit.value
    row = analysis.catalog.resource(value.name) if isinstance(value, ExternalCall) else None
    if row is None or not isinstance(value, ExternalCall):
        return False
    writing = [m for m in row.modes if m.changes.get("note", "").endswith(_FOR_WRITING)]
    return bool(writing) and not any(_may_hold(each, value, analysis) for each in writing)


def _may_hold(mode: Variant, value: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a call may pass what makes it a variant of its row."""
    given = value.arguments.get(mode.position or 0, mode.parameter)
    must = analysis.interpreter.must
    known = must.values(given.node, given.frame) if isinstance(given, Bound) else []
    return not known or not all(
        isinstance(each, Constant) and not re.search(mode.matches, str(each.value))
        for each in known
    )


def _callable_over(culprit: Culprit, site: StoreSite, row: ResourceRow) -> Handle:
    """Return what is known of a callable that takes a handle along: what reads or closes the handle is out of view."""
    for method, node in culprit.facts.reads.get(culprit.attribute, ()):
        if row.position and method.name in STARTS:
            where = culprit.facts.line(node)
            raise Refusal(f"the constructor may move the position of the resource ({where})")
    return Handle(
        culprit.attribute,
        site,
        inherited=row.kind == "memmap",
        reads_on=row.fork != "safe",
        name=culprit.opener,
        container=CALLABLE,
    )


def _is_entered(site: StoreSite) -> bool:
    """Return whether an exit stack closes what an attribute is set to, or filled with."""
    for statement in ast.walk(site.method):
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)):
            called = {n.attr for n in ast.walk(statement) if isinstance(n, ast.Attribute)}
            if {"enter_context", site.attribute} <= called:
                return True
    return False


def _refuse_hanging_from_outside(
    culprit: Culprit, group: Sequence[Culprit], analysis: Analysis
) -> None:
    """Refuse what hangs from a handle that the caller opens, and that cannot be opened again."""
    origin = origin_of(culprit.value)
    own = {node_of(each.value) for each in group}
    if not isinstance(origin, ExternalCall) or origin.name in REOPENED or node_of(origin) in own:
        return
    row = analysis.catalog.resource(origin.name)
    if row is not None and row.kind == "plain":
        return  # a path is a value
    if _comes_from_outside(culprit):
        where = f"{origin.frame.module.path.name}:{origin.node.lineno}"
        raise Refusal(f"the caller opens the parent resource with `{origin.name}` ({where})")


def _refuse_shared(culprit: Culprit) -> None:
    """Refuse what a function hands to all who ask: none of them may close it."""
    value = culprit.value
    if not isinstance(value, ExternalCall):
        return
    module = value.frame.module
    statement = module.statement(value.node)
    for target in getattr(statement, "targets", []):
        root = target
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in module.scope.bindings:
            continue
        scope = module.scope_of(target)
        if root is not target or root.id in scope.globals:
            where = f"{module.path.name}:{statement.lineno}"
            raise Refusal(
                f"`{root.id}` stores the resource, which is shared by all callers ({where})"
            )


def _may_not_be_opened_twice(culprit: Culprit) -> bool:
    """Return whether a process may not open its own; what hangs from another comes with that."""
    hangs = culprit.hangs or isinstance(culprit.value, Derived)
    return culprit.row is not None and culprit.row.action == "report" and not hangs


def _refuse_view(culprit: Culprit, analysis: Analysis) -> None:
    """Refuse a view of what no process may open again, where that is no handle with a finding of its own."""
    origin = origin_of(culprit.value)
    row = row_of(origin, analysis)[1] if origin is not culprit.value else None
    if row is not None and row.kind == "memmap" and row.action == "report":
        where = culprit.facts.line(culprit.site.statement)
        raise Refusal(f"{row.note or 'a worker process cannot open the memory map'} ({where})")


def opens_what_it_reads(culprit: Culprit, analysis: Analysis) -> bool:
    """Return whether a reader is over a resource that the same method opens: `TextIOWrapper(open(p))`."""
    call, row = culprit.site.value, culprit.row
    if not isinstance(call, ast.Call) or not call.args or row is None or culprit.frame is None:
        return False
    if "opened elsewhere" not in row.note:
        return False
    values = [each.value for each in analysis.evaluate(call.args[0], culprit.frame)]
    rows = [row_of(each, analysis)[1] for each in values]
    return bool(values) and all(
        isinstance(value, ExternalCall)
        and value.node is not call
        and _stands_in(value.node, culprit.site.method)
        and made is not None
        and made.action == "lazy"
        for value, made in zip(values, rows, strict=True)
    )


def _stands_in(node: ast.AST, method: ast.AST) -> bool:
    return any(each is node for each in ast.walk(method))


def _why_not(culprit: Culprit) -> str:
    assert culprit.row is not None
    where = culprit.facts.line(culprit.site.statement)
    why = culprit.row.note or "a worker cannot open the resource"
    return f"{why} ({where})"
