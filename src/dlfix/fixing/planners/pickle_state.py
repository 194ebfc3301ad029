"""Plan what must leave the pickled state: DLF203, 204 and 206; and what DLF208 and 209 lack."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.fixing.classes.batches import OtherForm, PlanClass, fixes
from dlfix.fixing.classes.copied import plan_copied
from dlfix.fixing.classes.derived import with_hanging
from dlfix.fixing.classes.evidence import Culprit, by_class, culprits
from dlfix.fixing.classes.facts import STARTS, ClassFacts
from dlfix.fixing.classes.handles import Handle, Refusal
from dlfix.fixing.classes.holders import joined_with_holders, without_holders
from dlfix.fixing.classes.modules_kept import plan_modules
from dlfix.fixing.classes.opening import LazyClass
from dlfix.fixing.classes.options import with_options
from dlfix.fixing.classes.parent_only import plan_for_parent, plan_unopened
from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.classes.protocol import Protocol
from dlfix.fixing.classes.reopening import AT_FORK, Held, OnFirstUse, plan_by_state
from dlfix.fixing.classes.restoring import (
    Remade,
    asks_first,
    merged,
    opened_lazily,
    opens_in_each_reader,
    plan_computed,
    plan_fields,
    plan_left,
    plan_remade,
    plan_scripted,
)
from dlfix.fixing.classes.scoped import gone_through, plan_local
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings
from dlfix.fixing.classes.streams import refuse_where_taken_from
from dlfix.fixing.classes.uses import Uses
from dlfix.fixing.classes.views import View, plan_lists, plan_views_again
from dlfix.fixing.planners.lazy_resources import (
    around_of,
    handle_at,
    handle_of,
    opens_what_it_reads,
)
from dlfix.fixing.planners.pickle_state_listings import is_listing, plan_listings
from dlfix.fixing.planners.pickle_state_new_arguments import made_of, plan_new_arguments
from dlfix.fixing.plans import Planned
from dlfix.project.import_time import ImportTime
from dlfix.project.repeatable import once_in
from dlfix.project.syntax import parameters
from dlfix.reach.values import Derived, ExternalCall, Generator, ModuleValue, origin_of
from dlfix.rules.dlf503_duplicated_random_state import DuplicatedRandomState
from dlfix.rules.reading.contexts import OfAnotherContext
from dlfix.rules.reading.handles import SCRIPTED_FUNCTION
from dlfix.rules.reading.randomness import Kept
from dlfix.rules.reading.unpickling import EndlessLookup

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

NAME = "pickle_state"
THREADS = (
    "concurrent.futures.ThreadPoolExecutor",
    "multiprocessing.pool.ThreadPool",
    "multiprocessing.dummy.Pool",
)
LOADER_ITERATOR = "torch.utils.data.dataloader._BaseDataLoaderIter"
VIEWS = {"keys", "values", "items"}

_LOCAL = "Make {names} of `{cls}` a local variable of the constructor"
_UNKNOWN = "the code that recreates the object is unknown"


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for each finding: one fix for each class that keeps what cannot be pickled."""
    yield from without_holders(_planned(findings, analysis), analysis, NAME)


def _planned(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    lookups = [each for each in findings if isinstance(each.evidence, EndlessLookup)]
    lacking = [each for each in findings if each.code in ("DLF208", "DLF209")]
    others = [each for each in findings if isinstance(each.evidence, OfAnotherContext)]
    made = [each for each in findings if made_of(each, analysis) is not None]
    own = [each for each in findings if each not in (*lacking, *lookups, *others, *made)]
    yield from _others(lacking, analysis)
    yield from plan_new_arguments(made, analysis)
    if lookups:
        from dlfix.fixing.planners.pickle_state_lookups import plan_lookups

        yield from plan_lookups(lookups, analysis)
    if others:
        from dlfix.fixing.planners.pickle_state_contexts import plan_contexts

        yield from plan_contexts(others, analysis)
    read, refused = culprits(own, analysis)
    read = joined_with_holders(read)
    yield from with_options(refused, analysis, NAME)

    def plan_one(
        group: Sequence[Culprit],
        inherited: frozenset[str],
        *,
        by_process: bool = True,
        of_parent: bool = True,
    ) -> ClassPlan:
        if of_parent:
            kept = plan_unopened(group, around_of(group, analysis, inherited))
            if kept is not None:
                return kept
        lazily = [each for each in group if each.code == "DLF203"]
        more = with_hanging(lazily, analysis)[len(lazily) :]
        # a local handle that an attribute hangs from stays local where the method still opens it
        more = [each for each in more if not isinstance(each.site.target, ast.Name)]
        found = [*group, *(replace(each, code="DLF203") for each in more)]
        return plan_class(found, analysis, inherited, by_process=by_process)

    def plan_held(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, of_parent=False)

    def plan_state(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        return plan_one(group, inherited, by_process=False, of_parent=False)

    def plan_closed(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        """Plan that all are sent closed: each method that reads one opens it itself."""
        if not all(
            each.code == "DLF203" and opens_in_each_reader(each.facts, each.attribute)
            for each in group
        ):
            raise Refusal("a method reads the resource without opening it")
        reads_on = any(handle_at(each, each.site).reads_on for each in group)
        return replace(plan_state(group, inherited), remains=AT_FORK if reads_on else "")

    def plan_where_open(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        if any(each.code != "DLF203" for each in group):
            raise Refusal("it is not a resource that is opened later")
        around = around_of(group, analysis, inherited)
        handles = {each.attribute: handle_at(each, each.site) for each in group}
        return plan_by_state(group[0].facts, handles, around, where_open=True)

    views = [one for one in read if _is_view(one[1])]
    listings = [one for one in read if is_listing(one[1])]
    streams = [one for one in read if isinstance(one[1].value, Generator)]
    copied = [one for one in read if one[1].row is not None and one[1].row.action == "copy"]
    readers = [one for one in read if opens_what_it_reads(one[1], analysis)]
    modules = [one for one in read if _is_module(one[1])]
    special = (*views, *listings, *streams, *copied, *readers, *modules)
    rest = [one for one in read if one not in special]
    yield from plan_listings(by_class(listings), analysis, NAME)
    for each, verb in (
        (views, "Store {names} of `{cls}` as lists"),
        (streams, "Create {names} of `{cls}` separately in each process"),
        (copied, "Send the state of {names} of `{cls}` in place of the object"),
        (modules, "Send {names} of `{cls}` by name"),
        (readers, "Open {names} of `{cls}` separately in each process"),
        (rest, "Remove {names} from the pickled state of `{cls}`"),
    ):
        instead: list[tuple[OtherForm, PlanClass]] = [
            ("held", plan_held),
            ("state", plan_closed),
            ("where_open", plan_where_open),
            ("state", plan_state),
        ]
        yield from fixes(by_class(each), analysis, NAME, verb, plan_one, instead)


def _is_view(culprit: Culprit) -> bool:
    """Return whether an attribute holds a view of a dict."""
    return isinstance(culprit.value, Derived) and culprit.value.how in VIEWS


def _inserts(value: object) -> bool:
    """Return whether a view is of a dict that inserts a missing key that is read."""
    origin = origin_of(value) if isinstance(value, Derived) else value
    return isinstance(origin, ExternalCall) and origin.name == "collections.defaultdict"


def _is_module(culprit: Culprit) -> bool:
    """Return whether an attribute holds a module that a method is passed."""
    given = culprit.site.value
    is_given = isinstance(given, ast.Name) and given.id in parameters(culprit.site.method)
    return is_given and isinstance(culprit.value, ModuleValue)


def _others(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for exceptions and context managers."""
    exceptions = [finding for finding in findings if finding.code == "DLF209"]
    managers = [finding for finding in findings if finding.code == "DLF208"]
    if exceptions or managers:
        from dlfix.fixing.planners import pickle_state_exceptions as others

        yield from others.plan_exceptions(exceptions, analysis)
        yield from others.plan_context_managers(managers, analysis)


def plan_class(
    group: Sequence[Culprit],
    analysis: Analysis,
    inherited: frozenset[str] = frozenset(),
    *,
    by_process: bool = True,
) -> ClassPlan:
    """Plan one class; raise Refusal where there is no plan."""
    around = around_of(group, analysis, inherited)
    lazily = [each for each in group if each.code == "DLF203" or _is_started_lazily(each)]
    rest = [each for each in group if each not in lazily]
    try:
        plans = [opened_lazily(lazily, around, by_process=by_process)] if lazily else []
        return merged([*plans, *_by_kind(rest, around, analysis)])
    except Refusal as reason:
        kept = plan_for_parent(group, around)
        if kept is not None:
            return kept
        if rest or not by_process:
            raise
        return _sliced_later(group, around, reason)


def _sliced_later(group: Sequence[Culprit], around: Surroundings, reason: Refusal) -> ClassPlan:
    """Plan the slice of a method that opens and that only the parent calls; else refuse with another reason."""
    from dlfix.fixing.classes.sliced import SlicedLater

    try:
        handles = {each.attribute: handle_at(each, each.site) for each in group}
        return SlicedLater(group[0].facts, handles, around).plan()
    except Refusal:
        raise reason from None


def _is_started_lazily(culprit: Culprit) -> bool:
    """Return whether threads, which no fork hands down, are started on first use."""
    facts, name = culprit.facts, culprit.attribute
    return culprit.opener in THREADS and (
        asks_first(facts, culprit.site) or Protocol(facts, [name]).is_absent(name)
    )


def _by_kind(group: Sequence[Culprit], around: Surroundings, analysis: Analysis) -> list[ClassPlan]:
    views: dict[str, View] = {}
    remade: dict[str, Remade] = {}
    fields: dict[str, str] = {}
    streams: dict[str, Handle] = {}
    readers: dict[str, Handle] = {}
    scripted: list[str] = []
    left: list[str] = []
    computed: list[str] = []
    copied: list[Culprit] = []
    modules: list[Culprit] = []
    started = group[0].facts.started if group else frozenset()
    for culprit in group:
        name = culprit.attribute
        if _is_view(culprit):
            inserts = _inserts(culprit.value) or (name in views and views[name].inserts)
            views[name] = View(culprit.site, _view_of(culprit), inserts)
        elif culprit.facts.is_property(name):
            _refuse_other_values(culprit)
            computed.append(name)
        elif _is_scripted(culprit):
            if culprit.row is SCRIPTED_FUNCTION:
                raise Refusal(culprit.row.note)
            _refuse_several(culprit)
            scripted.append(name)
        elif _is_module(culprit):
            modules.append(culprit)
        elif isinstance(culprit.value, Generator):
            streams[name] = _stream(culprit)
        elif _factory(culprit):
            fields[name] = _factory(culprit)
        elif _belongs_to_parent(culprit):
            left.append(name)
        elif culprit.row is not None and culprit.row.action == "copy":
            copied.append(culprit)
        elif culprit.site.method.name in started and opens_what_it_reads(culprit, analysis):
            readers[name] = handle_of(culprit)
        else:
            remade[name] = _remade(culprit)
    plans = []
    by_process = _kept_by_process(group, remade, around)
    if by_process:
        handles = {name: Handle(name, each.site) for name, each in by_process.items()}
        form = Held if _used_when_made(group[0].facts, handles) else OnFirstUse
        plans.append(form(group[0].facts, handles, around).plan())
        remade = {name: each for name, each in remade.items() if name not in by_process}
    if left:
        plans.append(plan_left(group[0].facts, left, around))
    if computed:
        plans.append(plan_computed(group[0].facts, computed, around))
    if copied:
        drawing = _drawn_alike(analysis, group[0].facts.node)
        plans.append(plan_copied(group[0].facts, copied, around, drawing))
    if modules:
        plans.append(plan_modules(modules, around, analysis))
    if views:
        plans.append(_plan_views(group, views, around))
    local = gone_through(analysis, [each for each in group if each.attribute in streams])
    if local:
        plans.append(replace(plan_local(group[0].facts, local), verb=_LOCAL))
        streams = {name: each for name, each in streams.items() if name not in local}
    if streams:
        plans.append(_plan_streams(group[0].facts, streams, around))
    if readers:
        plans.append(LazyClass(group[0].facts, readers, around).plan())
    if remade:
        plan = plan_remade(group[0].facts, remade, around)
        inherited = _inherited_in_use(group, remade, around)
        plans.append(replace(plan, remains=AT_FORK) if inherited else plan)
    if fields:
        plans.append(plan_fields(group[0].facts, fields, around))
    if scripted:
        plans.append(plan_scripted(group[0].facts, scripted, around))
    return plans


def _plan_views(
    group: Sequence[Culprit],
    views: Mapping[str, View],
    around: Surroundings,
) -> ClassPlan:
    """Keep views as lists; else make those of other attributes anew when the state is set."""
    facts = group[0].facts
    try:
        return plan_lists(facts, views, around.inputs)
    except Refusal as reason:
        return plan_views_again(facts, views, around, reason)


def _drawn_alike(analysis: Analysis, cls: ast.ClassDef) -> set[str]:
    """Return the generators of a class of which each worker would get a copy that gives the same numbers."""
    kept = analysis.once(_drawn_alike, lambda: [*DuplicatedRandomState().check(analysis)])
    found = (each.evidence for each in kept)
    return {each.attribute for each in found if isinstance(each, Kept) and each.cls is cls}


def _kept_by_process(
    group: Sequence[Culprit], remade: dict[str, Remade], around: Surroundings
) -> dict[str, Remade]:
    """Return what a forked worker would inherit in use, where each process can make its own."""
    inherited = _inherited_in_use(group, remade, around)
    threads = [e.attribute for e in group if e.attribute in inherited and not e.container]
    if not threads:
        return {}
    derived = [e.attribute for e in group if e.attribute in remade and e.attribute not in threads]
    made = {e.attribute for e in group if isinstance(e.value, Derived) or e.container}
    names = [*threads, *(name for name in derived if name in made)]
    sites = [remade[name].site for name in names]
    if not all(each.method.name in STARTS and each.statement in each.method.body for each in sites):
        return {}
    return {name: remade[name] for name in names}


def _inherited_in_use(
    group: Sequence[Culprit], remade: Mapping[str, Remade], around: Surroundings
) -> list[str]:
    """Return what a forked worker would inherit in use: threads, connections of a thread."""
    names = [
        each.attribute
        for each in group
        if each.attribute in remade and each.opener in (*THREADS, "threading.local")
    ]
    if not names:
        return []
    facts = group[0].facts
    handles = {name: Handle(name, remade[name].site) for name in names}
    used = _used_when_made(facts, handles) or Uses(facts, handles, around).is_touched_later()
    return names if used else []


def _used_when_made(facts: ClassFacts, names: Iterable[str]) -> bool:
    """Return whether the constructor uses some attributes."""
    return any(
        method.name in facts.started for name in names for method, _ in facts.reads.get(name, [])
    )


def _belongs_to_parent(culprit: Culprit) -> bool:
    """Return whether it is None, or not there, until the parent starts it, as it is to be in a worker."""
    row, stores = culprit.row, culprit.facts.stores.get(culprit.attribute, [])
    if row is None or row.action != "report":
        return False
    started = culprit.facts.started
    if row.name == LOADER_ITERATOR and not any(each.method.name in started for each in stores):
        return not culprit.container
    if row.kind != "sync":
        return False
    late = culprit.site.method.name not in started
    return (late or _is_optional(culprit)) and any(
        each.resets and each.method.name in STARTS for each in stores
    )


def _is_optional(culprit: Culprit) -> bool:
    """Return whether it is only started on a condition, so that the class copes with None."""
    return culprit.site.statement not in culprit.site.method.body


def _refuse_other_values(culprit: Culprit) -> None:
    """Refuse a cached property that a worker may compute to another value, or that does more than that."""
    if culprit.row is not None and culprit.row.kind == "sync":
        return
    module, method = culprit.facts.module, culprit.facts.methods[culprit.attribute]
    assert isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
    why = once_in(ImportTime(module.tree), method)
    if why:
        raise Refusal(
            f"each worker would compute `{culprit.attribute}` again, which {why} "
            f"({culprit.facts.line(method)})"
        )


def _remade(culprit: Culprit) -> Remade:
    where = culprit.facts.line(culprit.site.statement)
    if culprit.row is not None and culprit.row.action == "report":
        raise Refusal(f"{culprit.row.note or _UNKNOWN} ({where})")
    if culprit.site.value is None:
        raise Refusal(f"{_UNKNOWN} ({where})")
    return Remade(culprit.attribute, culprit.site)


def _stream(culprit: Culprit) -> Handle:
    """Return how a generator is made, which is as good as a new one until something is taken from it."""
    where = culprit.facts.line(culprit.site.statement)
    if culprit.container or culprit.site.method.name not in STARTS or culprit.is_passed_in:
        raise Refusal(f"the position of a generator cannot be restored ({where})")
    return Handle(culprit.attribute, culprit.site)


def _plan_streams(
    facts: ClassFacts, streams: Mapping[str, Handle], around: Surroundings
) -> ClassPlan:
    """Plan generators that the parent takes nothing from: each process makes its own."""
    refuse_where_taken_from(facts, streams, around.inputs)
    plan = LazyClass(facts, streams, around).plan()
    assert plan.state is not None
    why = {EACH_ITS_OWN: "each process creates its own"}
    drops = tuple(replace(each, why=why.get(each.why, each.why)) for each in plan.state.drops)
    return replace(plan, state=replace(plan.state, drops=drops))


def _is_scripted(culprit: Culprit) -> bool:
    value = culprit.value
    return isinstance(value, ExternalCall) and value.name.startswith("torch.jit.")


def _view_of(culprit: Culprit) -> ast.AST | None:
    """Return the expression that gives a view: what is stored, or a part of it where that holds several."""
    if not culprit.container:
        return culprit.site.value
    assert isinstance(culprit.value, Derived)
    node, value = culprit.value.node, culprit.site.value
    return node if value is not None and node in ast.walk(value) else None


def _refuse_several(culprit: Culprit) -> None:
    if culprit.container:
        where = culprit.facts.line(culprit.site.statement)
        raise Refusal(
            f"the objects are stored in a {culprit.container.partition(' ')[0]} ({where})"
        )


def _factory(culprit: Culprit) -> str:
    """Return the default factory of a dataclass field, empty if it has none."""
    field = culprit.facts.fields.get(culprit.attribute)
    if field is None or not isinstance(field.value, ast.Call):
        return ""
    for keyword in field.value.keywords:
        if keyword.arg in ("default_factory", "factory"):
            return culprit.facts.module.segment(keyword.value)
    return ""
