"""What a finding's crossing says of the class that keeps the culprit."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.classes.facts import ClassFacts, StoreSite
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.plans import Planned, Refused
from dlfix.reach.crossing import Crossing
from dlfix.reach.labels import node_of
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Instance,
    Value,
    origin_of,
)
from dlfix.rules.reading import handles

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding


CALLABLE = "callable"  # the container of a handle that a bound method or a partial takes along


@dataclass(frozen=True)
class Culprit:
    """An attribute of a class that holds what must not cross."""

    facts: ClassFacts
    site: StoreSite
    opener: str = ""  # the dotted name of what was called to make it
    row: ResourceRow | None = None
    container: str = ""
    holders: tuple[str, ...] = ()  # classes through which it reaches the worker
    is_passed_in: bool = False
    on_class: bool = False  # kept on the class, for all its instances
    hangs: bool = False  # from another handle of the class
    option: str = ""  # its name, where the attribute keeps options that hold it
    code: str = ""
    sender: str = ""  # the method of the object for which it crosses
    value: Any = None
    frame: Frame | None = None  # in which the store's value is to be read

    @property
    def attribute(self) -> str:
        """The attribute's name."""
        return self.site.attribute


def culprits(
    findings: Sequence[Finding], analysis: Analysis
) -> tuple[list[tuple[Finding, Culprit]], list[Planned]]:
    """Return what each finding is about, and refusals where that is no attribute of a class."""
    read: list[tuple[Finding, Culprit]] = []
    refused: list[Planned] = []
    classes: dict[ast.ClassDef, ClassFacts] = {}
    for finding in findings:
        try:
            first = culprit_of(finding, finding.evidence, analysis, classes)
            read.append((finding, first))
            if not first.is_passed_in and not first.on_class:  # those are planned one by one
                for crossing in _made_alike(finding.evidence):
                    read.append((finding, culprit_of(finding, crossing, analysis, classes)))
        except Refusal as refusal:
            refused.append(Planned((finding,), Refused(str(refusal))))
    return read, refused


def _made_alike(crossing: Crossing) -> list[Crossing]:
    """Return the crossings of other attributes of the object that the same code makes."""
    made, parent = node_of(crossing.value), crossing.parent
    if made is None or parent is None or crossing.edge.kind != "attribute":
        return []
    found: dict[str, Crossing] = {}
    for each in parent.children:
        other = node_of(each.value) if each.edge.kind == "attribute" else None
        if other is not None and other[0] is made[0] and each.edge.name != crossing.edge.name:
            found.setdefault(each.edge.name, each)
    return list(found.values())


def by_class(
    read: Iterable[tuple[Finding, Culprit]],
) -> list[list[tuple[Finding, Culprit]]]:
    """Group by class; what is handed to a class is planned attribute by attribute."""
    groups: dict[object, list[tuple[Finding, Culprit]]] = {}
    for finding, culprit in read:
        passed = culprit.attribute if culprit.is_passed_in or culprit.on_class else ""
        groups.setdefault((id(culprit.facts.node), passed), []).append((finding, culprit))
    return list(groups.values())


def culprit_of(
    finding: Finding,
    crossing: Crossing,
    analysis: Analysis,
    classes: dict[ast.ClassDef, ClassFacts],
) -> Culprit:
    """Return what a finding is about; raise Refusal where that is no attribute of a class."""
    if isinstance(crossing.value, Instance):
        own = handles.kind_row(crossing.value, analysis)
        if own is not None:
            raise Refusal(own.note)
    kept, container = _kept_on_instance(crossing)
    store = kept.edge.store
    if store is None:
        raise Refusal("the assignment that stores the resource is unknown")
    holder = kept.parent.value if kept.parent is not None else None
    if isinstance(holder, Instance) and any(map(_is_model, analysis.mro(holder.cls))):
        raise Refusal(
            "the class is a pydantic model, and pydantic defines how its models are pickled"
        )
    module = store.frame.module
    node = next((n for n in module.ancestors(store.statement) if isinstance(n, ast.ClassDef)), None)
    if node is None:
        raise Refusal(
            "the attribute is set from outside the class "
            f"({module.path.name}:{store.statement.lineno})"
        )
    facts = classes.setdefault(node, ClassFacts(module, node))
    if store.on_class:
        from dlfix.fixing.classes.shared import class_site

        site = class_site(facts, store.attribute, store.statement)
    else:
        site = site_at(facts, store.attribute, store.statement)
    opener, row = row_of(crossing.value, analysis)
    return Culprit(
        facts=facts,
        site=site,
        opener=opener,
        row=row,
        container=container,
        holders=tuple(_class_names(crossing)),
        is_passed_in=handles.is_passed_in(crossing),
        on_class=store.on_class,
        code=finding.code,
        sender=_sender(kept.parent),
        value=crossing.value,
        frame=store.frame,
    )


def _sender(holder: Crossing | None) -> str:
    """Return the method that takes an object along, where it crosses as the `self` of one."""
    above = holder.parent if holder is not None else None
    if holder is None or above is None or not isinstance(above.value, BoundMethod):
        return ""
    node = above.value.function.node
    return node.name if isinstance(node, ast.FunctionDef) else ""


def _is_model(base: object) -> bool:
    return isinstance(base, External) and base.name in (
        "pydantic.BaseModel",
        "pydantic.main.BaseModel",
    )


def _kept_on_instance(crossing: Crossing) -> tuple[Crossing, str]:
    """Return the crossing whose edge is an attribute of an instance, and the containers between."""
    whole = handles.kept_with_whole(crossing)
    container = CALLABLE if whole is not None else ""
    current: Crossing | None = whole or crossing
    while current is not None and current.edge.kind != "attribute":
        parent = current.parent
        if current.edge.kind != "item" or parent is None:
            break
        if isinstance(parent.value, Instance):
            raise Refusal(_held_as_item(parent.value))
        if isinstance(parent.value, Container):
            container = f"{parent.value.kind} of {container}" if container else parent.value.kind
        current = parent
    if current is not None and current.edge.kind == "state":
        place = current.path[-1].place
        where = f"{place.path.name}:{place.span.start.row}"
        raise Refusal(f"the pickled state contains the resource ({where})")
    if current is None or current.edge.kind != "attribute":
        raise Refusal(_not_of_a_class(current))
    return current, container


def _not_of_a_class(crossing: Crossing | None) -> str:
    """Return why an object is not opened anew: no class stores it, or only within another object."""
    above = crossing.above() if crossing is not None else ()
    store = next((each.edge.store for each in above if each.edge.kind == "attribute"), None)
    if store is None:
        return "the resource is passed directly and is not stored by a class"
    at = f"{store.frame.module.path.name}:{store.statement.lineno}"
    return f"`{store.attribute}` stores another object, which holds the resource ({at})"


def _held_as_item(holder: Instance) -> str:
    """Return why what an object holds as its item stays: whoever makes the object does not open it."""
    place = holder.cls.module.place(holder.cls.node)
    where = f"{place.path.name}:{place.span.start.row}"
    return f"the resource is an item of a `{holder.cls.name}` object ({where})"


def site_at(facts: ClassFacts, attribute: str, statement: ast.stmt) -> StoreSite:
    """Return where a statement sets an attribute; raise Refusal where that is no plain assignment."""
    sites = facts.stores.get(attribute, [])
    found = next((each for each in sites if each.statement is statement), None)
    if found is not None:
        return found
    method = facts.methods.get(attribute)
    if method is not None:
        return StoreSite(attribute, method, method.body[-1], method, None)
    if attribute in facts.fields and facts.all_methods:
        return StoreSite(attribute, facts.all_methods[0], statement, statement, None)
    alike = [each for each in sites if _makes_the_same(each.statement, statement)]
    if alike:
        return alike[0]
    raise Refusal(f"the attribute is set in an unsupported way ({facts.line(statement)})")


def _makes_the_same(one: ast.stmt, other: ast.stmt) -> bool:
    """Return whether two statements set something to a new object that depends on nothing: `Lock()`."""
    made = [getattr(each, "value", None) for each in (one, other)]
    alone = all(isinstance(e, ast.Call) and not (e.args or e.keywords) for e in made)
    return alone and ast.dump(made[0]) == ast.dump(made[1])  # type: ignore[arg-type]


def row_of(value: object, analysis: Analysis) -> tuple[str, ResourceRow | None]:
    """Return the dotted name of what made a value, and its row in the catalogue."""
    if isinstance(value, Container) and value.items:
        return next(
            (row_of(each, analysis) for each in analysis.values(value.items[0][1])), ("", None)
        )
    name = value.name if isinstance(value, ExternalCall) else ""
    name = value.cls.name if isinstance(value, Instance) else name
    return name, handles.row_of(value, analysis)  # type: ignore[arg-type]


@dataclass(frozen=True)
class OpenedIn:
    """Tells of expressions in a method what they open, or hold open."""

    analysis: Analysis
    frame: Frame | None

    def opens(self, node: ast.expr) -> bool | None:
        """Return whether a call opens something; None where that is not known."""
        values = self._values(node)
        if any(_is_opened(each, self.analysis) for each in values):
            return True
        known = bool(values) and all(isinstance(each, Constant) for each in values)
        return False if known else None

    def holds(self, node: ast.expr) -> bool:
        """Return whether an expression reads what is open already: `self.reader.file`."""
        rows = [row_of(each, self.analysis)[1] for each in self._values(node)]
        return any(row is not None and row.kind == "resource" for row in rows)

    def _values(self, node: ast.expr) -> list[Value]:
        found = self.analysis.evaluate(node, self.frame) if self.frame is not None else []
        return [each.value for each in found]


def _is_opened(value: Value, analysis: Analysis) -> bool:
    origin = origin_of(value)
    row = row_of(origin, analysis)[1]
    return row.kind != "plain" if row is not None else isinstance(value, Derived)


def _class_names(crossing: Crossing) -> Iterable[str]:
    for above in crossing.above():
        value = above.value
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            yield value.cls.name
