"""Attributes that hang from a handle: they leave with it, and are opened again with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.fixing.classes.evidence import Culprit, row_of
from dlfix.fixing.classes.facts import ClassFacts, Method, StoreSite, is_self_attribute, self_name
from dlfix.reach.values import (
    BoundMethod,
    Container,
    Derived,
    ExternalCall,
    Instance,
    Partial,
    origin_of,
)

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

STREAMS = ("seek", "read", "readline", "readinto", "recv", "execute", "fetchone", "fetchall")
OVER_A_BUFFER = ("frombuffer", "memoryview", "ndarray")  # what they give shows another's memory


def with_hanging(group: Sequence[Culprit], analysis: Analysis) -> list[Culprit]:
    """Return the handles of a class and what hangs from them, also where no finding names it."""
    found = list({each.attribute: each for each in group}.values())
    found += _siblings(found, analysis)
    found += _local_origins(found, analysis)
    size = 0
    while size != len(found):
        size = len(found)
        for culprit in found[:size]:
            found += _hanging_from(culprit, found, analysis)
    return found


def _local_origins(group: Sequence[Culprit], analysis: Analysis) -> Iterator[Culprit]:
    """Yield the local handles that attributes hang from: they become attributes themselves."""
    kept = {getattr(each.value, "node", None) for each in group}
    for culprit in group:
        origin = origin_of(culprit.value)
        facts = culprit.facts
        if not isinstance(origin, ExternalCall) or origin.node in kept:
            continue
        if origin.node not in facts.module.parents:
            continue  # another module opens it
        statement = facts.module.statement(origin.node)
        match statement:
            case ast.Assign(targets=[ast.Name() as target], value=value) if value is origin.node:
                pass
            case _:
                continue
        method = next((m for m in facts.all_methods if statement in ast.walk(m)), None)
        if method is None or method is not culprit.site.method:
            continue
        if len(facts.module.inner_scope(method).bindings.get(target.id, [])) != 1:
            continue
        kept.add(origin.node)
        opener, row = row_of(origin, analysis)
        if row is None or row.kind == "plain" or row.action == "report":
            continue
        if not row.close and _is_for_one(facts, method, target.id, culprit.site.statement):
            continue
        site = StoreSite(_free_name(facts, target.id), method, statement, target, value)
        facts.stores.setdefault(site.attribute, []).append(site)
        yield Culprit(facts, site, opener, row, frame=culprit.frame, value=origin)


def _is_for_one(facts: ClassFacts, method: Method, local: str, statement: ast.stmt) -> bool:
    """Return whether one statement alone reads a local variable of a method: what opens with it may make it there."""
    reads = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Name) and node.id == local and isinstance(node.ctx, ast.Load)
    ]
    inside = set(ast.walk(statement))
    return bool(reads) and all(node in inside for node in reads)


def _siblings(group: Sequence[Culprit], analysis: Analysis) -> Iterator[Culprit]:
    """Yield what the same call opens for other attributes: one finding tells of all."""
    names = {each.attribute for each in group}
    for culprit in group:
        if not isinstance(culprit.value, ExternalCall) or culprit.frame is None:
            continue
        facts = culprit.facts
        for attribute, sites in facts.stores.items():
            if attribute in names or sites[0].method is not culprit.site.method:
                continue
            for value, container in _given(facts, sites[0]):
                values = [each.value for each in analysis.evaluate(value, culprit.frame)]
                if any(
                    isinstance(each, ExternalCall) and each.node is culprit.value.node
                    for each in values
                ):
                    names.add(attribute)
                    yield replace(culprit, site=sites[0], container=container)
                    break


def _given(facts: ClassFacts, site: StoreSite) -> Iterator[tuple[ast.expr, str]]:
    """Yield what an attribute is set to, or its list is filled with."""
    if site.value is not None:
        yield site.value, ""
    for method, node in facts.reads.get(site.attribute, []):
        above = facts.module.parent(node)
        call = facts.module.parent(above) if above is not None else None
        match above, call:
            case ast.Attribute(attr="append"), ast.Call(args=[value]) if method is site.method:
                yield value, "list"


def _free_name(facts: ClassFacts, local: str) -> str:
    wanted = "_file" if local in ("f", "fp", "fh") else f"_{local.lstrip('_')}"
    while wanted in facts.names or wanted in facts.stores:
        wanted += "_"
    return wanted


def _hanging_from(
    culprit: Culprit, known: Sequence[Culprit], analysis: Analysis
) -> Iterator[Culprit]:
    facts, frame = culprit.facts, culprit.frame
    if frame is None:
        return
    names = {each.attribute for each in known}
    for attribute, sites in facts.stores.items():
        for site in sites:
            if attribute in names or site.value is None or site.method is not culprit.site.method:
                continue
            if not _mentions(facts, site, culprit) or _is_set_again(facts, site, sites):
                continue
            if len(sites) == 1 and is_method_of(facts, site, culprit.attribute):
                names.add(attribute)
                yield Culprit(facts, site, hangs=True, frame=frame)
                break
            for reached in analysis.evaluate(site.value, frame):
                if _hangs(reached.value, site, analysis):
                    names.add(attribute)
                    opener, row = row_of(reached.value, analysis)
                    if row is not None and isinstance(reached.value, Container):
                        row = replace(row, close="")  # a list or dict has no such method
                    yield Culprit(
                        facts, site, opener, row, hangs=True, frame=frame, value=reached.value
                    )
                    break
            else:
                if _is_live(facts, site, culprit):
                    names.add(attribute)
                    yield Culprit(facts, site, hangs=True, frame=frame)


def shows_memory(site: StoreSite) -> bool:
    """Return whether a value shows the memory of another object, which then cannot be closed."""
    value = site.value
    return (
        isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in OVER_A_BUFFER
    )


def _is_stream(facts: ClassFacts, attribute: str) -> bool:
    """Return whether the class reads what an attribute holds like a file."""
    parents = (facts.module.parent(node) for _, node in facts.reads.get(attribute, []))
    return any(isinstance(each, ast.Attribute) and each.attr in STREAMS for each in parents)


def _is_live(facts: ClassFacts, site: StoreSite, culprit: Culprit) -> bool:
    """Return whether a value is plain, and of use only while the handle is open."""
    me, aliases = self_name(site.method), _aliases(facts, culprit.site)
    match site.value:
        case ast.Call(func=ast.Attribute(value=owner, attr="fileno"), args=[]):
            parts: list[ast.expr] = [owner]
        case ast.Attribute(value=owner, attr=name):
            plain = culprit.row is not None and name in culprit.row.plain
            parts = [owner] if not plain and _is_stream(facts, site.attribute) else []
        case ast.Call(func=func, args=parts, keywords=keywords):
            if ast.unparse(func).rpartition(".")[2] not in OVER_A_BUFFER:
                return False
            parts = [*parts, *(each.value for each in keywords)]
        case _:
            return False
    return any(
        (is_self_attribute(each, me) and each.attr == culprit.attribute)
        or (isinstance(each, ast.Name) and each.id in aliases)
        for each in parts
    )


def is_method_of(facts: ClassFacts, site: StoreSite, handle: str) -> bool:
    """Return whether an attribute is set to a method of a handle, or of a part of one: the class calls it."""
    if not isinstance(site.value, ast.Attribute):
        return False
    owner = site.value.value
    while isinstance(owner, ast.Subscript):
        owner = owner.value
    if isinstance(owner, ast.Name):
        names = {name for each in facts.stores.get(handle, []) for name in _aliases(facts, each)}
        if owner.id not in names:
            return False
    elif not is_self_attribute(owner, self_name(site.method)) or owner.attr != handle:
        return False
    return any(
        isinstance(call := facts.module.parent(node), ast.Call) and call.func is node
        for _, node in facts.reads.get(site.attribute, [])
    )


def _is_set_again(facts: ClassFacts, site: StoreSite, sites: Sequence[StoreSite]) -> bool:
    """Return whether a later statement of the same block puts something else in the attribute's place."""
    below = facts.module.below(site.statement)
    return any(each.statement in below for each in sites)


def _mentions(facts: ClassFacts, site: StoreSite, culprit: Culprit) -> bool:
    me = self_name(site.method)
    aliases = _aliases(facts, culprit.site)
    assert site.value is not None
    return any(
        (is_self_attribute(node, me) and node.attr == culprit.attribute)
        or (isinstance(node, ast.Name) and node.id in aliases)
        for node in ast.walk(site.value)
    )


def _aliases(facts: ClassFacts, site: StoreSite) -> set[str]:
    names = {
        each.id for each in getattr(site.statement, "targets", []) if isinstance(each, ast.Name)
    }
    if isinstance(site.value, ast.Name):
        names.add(site.value.id)
    return names


def _hangs(value: Value, site: StoreSite, analysis: Analysis) -> bool:
    if isinstance(value, Container):
        items = [v for _, item in value.items for v in analysis.values(item)]
        return any(_hangs(each, site, analysis) for each in items)
    if isinstance(value, (Instance, BoundMethod, Partial)):
        return _is_direct_argument(site) or _keeps_a_part(value, analysis)
    if isinstance(value, ExternalCall):
        row = row_of(value, analysis)[1]
        return row is not None and row.kind != "plain" and _is_direct_argument(site)
    row = row_of(value, analysis)[1] if isinstance(value, Derived) else None
    return row is not None and row.fails


def _keeps_a_part(value: Value, analysis: Analysis) -> bool:
    """Return whether an object keeps what was read from a handle and hangs from it."""
    if not isinstance(value, Instance):
        return False
    kept = (
        each
        for stores in analysis.stores(value).values()
        for store in stores
        for each in analysis.stored(store)
    )
    rows = [row_of(each, analysis)[1] for each in kept if isinstance(each, Derived)]
    return any(row is not None and row.fails for row in rows)


def _is_direct_argument(site: StoreSite) -> bool:
    """Return whether a call is handed the handle itself, not something read from it."""
    call = site.value
    if not isinstance(call, ast.Call):
        return True
    arguments = [*call.args, *(each.value for each in call.keywords)]
    return any(isinstance(each, (ast.Name, ast.Attribute)) for each in arguments)
