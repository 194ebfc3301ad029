"""One object, one finding: what is derived from a handle is a further place of the handle's finding."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.fixing.outcomes import Diagnosis
from dlfix.fixing.plans import Fix
from dlfix.reach.crossing import Crossing
from dlfix.reach.values import Derived, Instance

if TYPE_CHECKING:
    from dlfix.rules.base import Finding


def merged(diagnoses: Iterable[Diagnosis]) -> list[Diagnosis]:
    """Fold the findings of derived resources into that of what they are derived from; order stays.

    They are one if one rule speaks of both, one object keeps both in one file, and one fix, or none,
    is there for both.
    """
    every = list(diagnoses)
    keys = {id(one): _key(one) for one in every}
    heads: dict[object, Diagnosis] = {}
    for one in every:
        heads.setdefault(keys[id(one)], one)
    places: dict[int, list[Finding]] = {}
    folded = set()
    for one in every:
        head = next((heads[key] for key in _origins(one) if key in heads), None)
        if head is not None and head is not one and _alike(head, one):
            places.setdefault(id(head), []).append(one.finding)
            folded.add(id(one))
    return [
        replace(one, also=tuple(places.get(id(one), ()))) for one in every if id(one) not in folded
    ]


def _key(diagnosis: Diagnosis) -> object:
    """Return what names the value that a finding is about, among those of one holder."""
    crossing = diagnosis.finding.evidence
    if not isinstance(crossing, Crossing):
        return id(diagnosis)
    return diagnosis.finding.code, _holder(crossing), _made(crossing.value)


def _origins(diagnosis: Diagnosis) -> Iterator[object]:
    """Yield the keys of what a derived value comes from, the root first."""
    crossing = diagnosis.finding.evidence
    if not isinstance(crossing, Crossing):
        return
    chain = []
    value = crossing.value
    while isinstance(value, Derived):
        value = value.origin
        chain.append((diagnosis.finding.code, _holder(crossing), _made(value)))
    yield from reversed(chain)


def origin_rows(finding: Finding) -> Iterator[int]:
    """Yield the rows, in a finding's own file, of what its value is derived from."""
    crossing = finding.evidence
    value = crossing.value if isinstance(crossing, Crossing) else None
    while isinstance(value, Derived):
        value = value.origin
        node = getattr(value, "node", None)
        frame = getattr(value, "frame", None)
        module = getattr(frame, "module", None)
        if isinstance(node, ast.expr) and module is not None and module.path == finding.place.path:
            yield node.lineno


def _holder(crossing: Crossing) -> object:
    above = crossing.parent
    while above is not None and not isinstance(above.value, Instance):
        above = above.parent
    value = above.value if above is not None else None
    return value.cls if isinstance(value, Instance) else None


def _made(value: object) -> object:
    return getattr(value, "node", None) or id(value)


def _alike(head: Diagnosis, other: Diagnosis) -> bool:
    one, two = head.outcome, other.outcome
    if head.finding.place.path != other.finding.place.path or head.declined != other.declined:
        return False
    if isinstance(one, Fix) and isinstance(two, Fix):
        return one.message == two.message
    return not isinstance(one, Fix) and not isinstance(two, Fix)
