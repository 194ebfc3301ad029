"""Handles that are only there to open another one: of what is kept by process, that one alone needs a place.

A transaction keeps its environment open, so that where nothing else reads the environment, it is a local name.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from dataclasses import replace

from dlfix.fixing import naming
from dlfix.fixing.classes.facts import ClassFacts, Method, self_name
from dlfix.fixing.classes.handles import Handle
from dlfix.fixing.classes.opened_together import split_return
from dlfix.fixing.classes.plans import ClassPlan, Exchange, Lazy, State
from dlfix.fixing.classes.scoped import is_needed_later
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.text import names_in, shifted


def with_local_origins(
    plan: ClassPlan, facts: ClassFacts, handles: Mapping[str, Handle], around: Surroundings
) -> ClassPlan:
    """Return a plan in which what only opens another handle is opened, under a local name, where that one is."""
    for name in handles:
        reader = _only_reader(plan, facts, handles, name)
        if reader is None or around.inputs is None:
            continue
        if not is_needed_later(around.inputs, facts, name):
            plan = _joined(plan, facts, handles, name, reader)
    return plan


def with_local_inputs(
    plan: ClassPlan, facts: ClassFacts, kept: Mapping[Method, Mapping[str, str]]
) -> ClassPlan:
    """Return a plan that keeps no argument for a handle which the constructor alone opens, where it has the argument."""
    bodies = "\n".join(each.body for each in plan.lazies)
    for method, names in kept.items():
        bindings = facts.module.inner_scope(method).bindings
        for local, attribute in names.items():
            once = [each.kind for each in bindings.get(local, ())] == ["parameter"]
            is_new = bool(attribute) and attribute not in facts.names
            as_it_is = f"{self_name(method)}.{attribute} = {local}" in _saves(plan)
            if (
                once
                and is_new
                and as_it_is
                and not re.search(rf"\b{re.escape(attribute)}\b", bodies)
            ):
                plan = _with_argument(plan, f"{self_name(method)}.{attribute}", local)
    return plan


def _saves(plan: ClassPlan) -> set[str]:
    """Return the lines that a plan adds to a constructor."""
    texts = [each.becomes for each in plan.exchanges] + [each.text for each in plan.inserts]
    return {line for text in texts for line in text.split("\n")}


def _with_argument(plan: ClassPlan, kept: str, local: str) -> ClassPlan:
    """Return a plan in which an argument itself is read in place of the attribute that keeps it."""

    def plain(text: str) -> str:
        lines = [line for line in text.split("\n") if line != f"{kept} = {local}"]
        return re.sub(rf"\b{re.escape(kept)}\b", local, "\n".join(lines))

    inserts = [replace(each, text=plain(each.text)) for each in plan.inserts]
    withins = [
        replace(e, heads=plain(e.heads), before=plain(e.before), inside=plain(e.inside))
        for e in plan.withins
    ]
    return replace(
        plan,
        exchanges=tuple(replace(each, becomes=plain(each.becomes)) for each in plan.exchanges),
        inserts=tuple(each for each in inserts if each.text),
        withins=tuple(withins),
    )


def _only_reader(
    plan: ClassPlan, facts: ClassFacts, handles: Mapping[str, Handle], name: str
) -> str | None:
    """Return the one handle that is opened from another, which nothing else in the class reads."""
    lazies = {each.name: each for each in plan.lazies}
    reading = [each for each, lazy in lazies.items() if each != name and _reads(lazy, name)]
    if name not in lazies or len(reading) != 1 or reading[0] not in handles:
        return None
    (reader,) = reading
    statement = handles[reader].site.statement
    once = all(len(facts.stores[each]) == 1 for each in (name, reader))
    plain = all(_is_plain(lazies[each]) for each in (name, reader))
    reads = facts.reads.get(name, [])
    inside = all(facts.module.statement(node) is statement for _, node in reads)
    return reader if once and plain and inside and _is_by_call(handles[name]) else None


def _is_by_call(handle: Handle) -> bool:
    return isinstance(handle.site.value, ast.Call) and not handle.container


def _is_plain(lazy: Lazy) -> bool:
    """Return whether the body of an attribute is all that opens it, of which a process has one, and nothing else sets it."""
    other = lazy.settable or lazy.deletable or lazy.opener or lazy.calls or lazy.item
    alone = bool(lazy.kept_in) and lazy.alone
    return alone and split_return(lazy.body)[-1].startswith("return ") and not other


def _reads(lazy: Lazy, name: str) -> bool:
    whole = rf"\b{re.escape(lazy.self_name)}\.{re.escape(name)}\b"
    return re.search(whole, lazy.body) is not None


def _joined(
    plan: ClassPlan, facts: ClassFacts, handles: Mapping[str, Handle], name: str, reader: str
) -> ClassPlan:
    lazies = {each.name: each for each in plan.lazies}
    first, second = lazies[name], lazies[reader]
    site = handles[reader].site
    taken = {*facts.module.scope.bindings, *dir(builtins), *names_in([site.method])}
    local = naming.free_name(name.strip("_") or "opened", taken)
    *before, opened = split_return(first.body)
    named = shifted(opened, len(local) + len(" = ") - len("return ")).removeprefix("return ")
    body = re.sub(rf"\b{second.self_name}\.{re.escape(name)}\b", local, second.body)
    joined = replace(second, body="\n".join([*before, f"{local} = {named}", body]))
    table = f"{self_name(site.method)}.{second.kept_in}"
    gone = facts.module.span(handles[name].site.statement)
    at = facts.module.span(site.statement)
    exchanges = [
        replace(each, becomes=_stored(each, table, joined.body) if each.span == at else "")
        if each.span in (at, gone)
        else each
        for each in plan.exchanges
        if each.span == at or not at.contains(each.span)
    ]
    return replace(
        plan,
        exchanges=tuple(exchanges),
        lazies=tuple(
            joined if each is second else each for each in plan.lazies if each is not first
        ),
        state=_without(plan, first, second),
    )


def _stored(exchange: Exchange, table: str, body: str) -> str:
    """Return what sets a table up: with what the constructor opens, where it opened it before."""
    if "{os.getpid(): " not in exchange.becomes:
        return exchange.becomes
    *before, last = split_return(body)
    place = f"{table} = {{os.getpid(): "
    value = shifted(last, len(place) - len("return ")).removeprefix("return ")
    return "\n".join([*before, f"{place}{value}}}"])


def _without(plan: ClassPlan, first: Lazy, second: Lazy) -> State | None:
    """Return the state without what was kept of a handle; the other says why it leaves the state."""
    if plan.state is None:
        return None
    drops = {each.name: each for each in plan.state.drops}
    left = drops.pop(first.kept_in)
    kept = drops[second.kept_in]
    drops[second.kept_in] = replace(kept, why=kept.why or left.why)
    return replace(plan.state, drops=tuple(drops.values()))
