"""Keep a module-level name on the object that reads it in workers: part of `worker_globals`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, Union

from dlfix.fixing import naming
from dlfix.fixing.classes.facts import STARTS, ClassFacts, Method, self_name
from dlfix.fixing.classes.forms import storage_insert
from dlfix.fixing.classes.hierarchy import Family, constructions, family_of
from dlfix.fixing.classes.plans import ClassPlan, Exchange
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.project.syntax import base_name
from dlfix.reach.entry_points import Entries, is_before
from dlfix.reach.values import BoundMethod, Instance
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.dlf303_global_set_in_main import SetInEachProcess, SetInParent
from dlfix.rules.reading.class_settings import SetOnClass
from dlfix.rules.reading.library_settings import SetInLibrary

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.entry_points import Entry
    from dlfix.reach.global_state import Use
    from dlfix.rules.base import Finding

_OWN_DEFAULT = "workers that used the default value now use the value set by the parent"
_NO_DEFAULT = "workers, which have no such name, get the value that the parent has"
_STATE_METHODS = frozenset("__getstate__ __setstate__ __reduce__ __reduce_ex__".split())
Evidence: TypeAlias = Union[SetInParent, SetInEachProcess]  # noqa: UP007 - Python 3.10


@dataclass(frozen=True)
class Kept:
    """A name that the objects of a class keep, and the places that read it there."""

    name: str
    facts: ClassFacts
    attribute: str
    reads: tuple[Read, ...]  # the class's own first, then those of its subclasses

    @property
    def written(self) -> str:
        """How the class's module writes the name."""
        return ast.unparse(self.reads[0].node)


@dataclass(frozen=True)
class Read:
    """A place that reads a name in a method of a class; `me` is what the method calls its object."""

    facts: ClassFacts
    node: ast.expr
    me: str


def why_unsafe(evidences: Sequence[Evidence | SetOnClass | SetInLibrary]) -> str:
    """Return what carrying names to workers may change there."""
    found = any(isinstance(each, SetInEachProcess) or each.has_default for each in evidences)
    return _OWN_DEFAULT if found else _NO_DEFAULT


def on_their_objects(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Yield the fixes of names that only methods of the objects sent read; the other findings are left."""
    groups: dict[ast.ClassDef, list[tuple[Finding, list[Kept]]]] = {}
    told: dict[Finding, tuple[Evidence, ...]] = {}
    for finding in findings:
        found = finding.evidence
        names = found.all if isinstance(found, SetInParent) else (found,)
        kept = [each for name in names if (each := _kept(name, analysis)) is not None]
        if len(kept) == len(names) and len({each.facts.node for each in kept}) == 1:
            groups.setdefault(kept[0].facts.node, []).append((finding, kept))
            told[finding] = names
    for group in groups.values():
        why = why_unsafe([name for one, _ in group for name in told[one]])
        fix = _fix([each for _, kept in group for each in kept], why)
        yield Planned(tuple(one for one, _ in group), fix)


def _kept(found: object, analysis: Analysis) -> Kept | None:
    """Return what keeps a name; None where an object would not always have it as the parent does."""
    if not isinstance(found, (SetInParent, SetInEachProcess)):
        return None
    family = _readers(found, analysis)
    if family is None or not _is_sent(found, family) or not _always_has(family):
        return None
    reads = _reads(found, family)
    init = family.facts.module.inner_scope(family.facts.methods["__init__"])
    if not reads or init.lookup(base_name(reads[0].node) or "") is not family.facts.module.scope:
        return None
    if isinstance(found, SetInParent) and not _is_set_before(found, family, analysis):
        return None
    taken = {name for each in family.all for name in each.names}
    name = found.name.name
    attribute = naming.free_name(naming.private(naming.snake(name)), taken)
    return Kept(name, family.facts, attribute, tuple(reads))


def _readers(found: Evidence, analysis: Analysis) -> Family | None:
    """Return the family of the class whose methods, with those of its subclasses, are all that reads a name in workers."""
    code = WorkerCode.of(analysis)
    classes = {
        _class_of(each.function.module, each.function.node): each.function.module
        for each in code.global_reads()
        if (each.module, each.name) == (found.name.module, found.name.name)
    }
    for node, module in classes.items():
        if node is None:
            return None
        family = family_of(analysis, ClassFacts(module, node))
        if classes.keys() <= {node, *(heir.node for heir in family.heirs)}:
            starts = [a.methods[name] for a in family.all for name in STARTS if name in a.methods]
            return None if any(start in code.functions for start in starts) else family
    return None


def _class_of(module: Module, node: ast.AST) -> ast.ClassDef | None:
    """Return the module-level class of a method that has a `self`."""
    cls = module.parent(node)
    if not isinstance(node, Method) or not isinstance(cls, ast.ClassDef):
        return None
    named = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
    is_bound = not named & {"staticmethod", "classmethod"} and bool(self_name(node))
    return cls if is_bound and cls in module.tree.body else None


def _is_sent(found: Evidence, family: Family) -> bool:
    value = found.read.function.crossing.value
    value = value.owner if isinstance(value, BoundMethod) else value
    return isinstance(value, Instance) and value.cls.node in {each.node for each in family.all}


def _always_has(family: Family) -> bool:
    """Return whether each object of a class has what its constructor sets, in each process."""
    facts = family.facts
    if "__init__" not in facts.methods or facts.slots is not None or family.is_large:
        return False
    if any(_STATE_METHODS & each.methods.keys() for each in family.all):
        return False
    own = [each.methods["__init__"] for each in family.heirs if "__init__" in each.methods]
    return all(map(_calls_base, own))


def _calls_base(start: Method) -> bool:
    """Return whether a constructor surely calls that of its base."""
    return any(
        isinstance(each, ast.Expr) and ".__init__(" in ast.unparse(each.value)
        for each in start.body
    )


def _reads(found: Evidence, family: Family) -> list[Read]:
    """Return the places in a class and its subclasses that read a name; none where one has no `self`."""
    reads: list[Read] = []
    for facts in (family.facts, *family.heirs):
        module = facts.module
        for use in (use for use, _ in found.name.uses if use.module is module):
            method = _method_around(facts, use.node)
            if method is None or method.name in family.started:
                continue
            me, own = self_name(method), module.inner_scope(method)
            if _class_of(module, method) is None or module.scope_of(use.node).lookup(me) is not own:
                return []
            if isinstance(getattr(use.node, "ctx", None), ast.Load):
                reads.append(Read(facts, use.node, me))
    return reads if reads and reads[0].facts is family.facts else []


def _method_around(facts: ClassFacts, node: ast.AST) -> Method | None:
    above = facts.module.ancestors(node)
    return next(
        (each for each in above if isinstance(each, Method) and each in facts.all_methods), None
    )


def _is_set_before(found: SetInParent, family: Family, analysis: Analysis) -> bool:
    """Return whether a name has its last object before one is made; what changes in place is the same object."""
    made_by = [
        (entry, module, call)
        for module, call in constructions(analysis.project, family.names)
        for entry in Entries.of(analysis).entries(module, call)
    ]
    return bool(made_by) and next(set_later(found, made_by), None) is None


def set_later(
    found: SetInParent, made_by: Sequence[tuple[Entry, Module, ast.AST]]
) -> Iterator[Use]:
    """Yield what may give a name another object, in the same script, once calls run that their entries lead to."""
    for write in found.name.writes():
        for one in found.name.entries(write) if write.rebinds else ():
            if one.kind != "import" and not all(
                is_before(one, write.node, other, module, call)
                for other, module, call in made_by
                if one.module is other.module
            ):
                yield write


def _fix(kept: Sequence[Kept], why: str) -> Fix:
    """Return the fix that keeps names on the objects of a class."""
    facts = kept[0].facts
    settings = [facts.setting(each.attribute, each.written) for each in kept]
    exchanges: dict[ClassFacts, list[Exchange]] = {facts: []}
    for each in kept:
        for read in each.reads:
            owner = next((one for one in exchanges if one.node is read.facts.node), read.facts)
            text = f"{read.me}.{each.attribute}"
            exchange = Exchange(owner.module.span(read.node), text, "expression")
            exchanges.setdefault(owner, []).append(exchange)
    edits = [
        Edit(
            owner.module.path,
            "worker_globals",
            ClassPlan(
                cls=owner.module.span(owner.node),
                exchanges=tuple(made),
                inserts=(storage_insert(facts, "\n".join(settings)),) if owner is facts else (),
            ),
        )
        for owner, made in exchanges.items()
    ]
    names = ", ".join(f"`{each.name}`" for each in kept)
    message = f"Keep {names} on each `{facts.node.name}`"
    return Fix(message, Applicability.UNSAFE, tuple(edits), why)
