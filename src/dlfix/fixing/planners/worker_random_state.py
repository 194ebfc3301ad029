"""Plan a generator of random numbers of its own for each worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.reading import randomness
from dlfix.rules.reading.names import free_attribute
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.randomness import Drawn, Kept

CODEMOD = "worker_random_state"


@dataclass(frozen=True)
class WorkerGenerator:
    """Make a kept generator a property that gives each worker one from its own seed.

    `targets` are the `self.rng` that are stored to, `in_init` is the statement below which the seed
    is set; `make` is the expression of a new generator, of `worker.seed` and of what tells it from other generators.
    """

    cls: Span
    attribute: str
    kept_as: str
    seed_as: str
    targets: tuple[Span, ...]
    make: str
    dropped: bool = False  # leave it out of the pickled state: a torch.Generator cannot cross
    base_as: str = ""  # where its own seed is kept then, which tells it from others
    annotation: str = ""


@dataclass(frozen=True)
class CallByName:
    """Keep a function that looks the global generator up when called, above the class."""

    cls: Span
    value: Span
    name: str
    function: str  # `random.random`, as the file writes it
    takes_arguments: bool = True


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for findings of DLF503: one fix for each attribute of a class."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.evidence.place, []).append(finding)
    for group in groups.values():
        yield Planned(tuple(group), _outcome(group[0].evidence))


def _outcome(evidence: Kept | Drawn) -> Fix | Refused:
    if isinstance(evidence, randomness.Kept):
        return _generator(evidence)
    return _by_name(evidence)


def _generator(kept: Kept) -> Fix | Refused:
    reason = randomness.why_not(kept)
    if reason:
        return Refused(reason)
    taken = randomness.attributes(kept.cls).union(
        *(randomness.attributes(cls) for _, cls in kept.related)
    )
    prefix = "_own" if kept.attribute.startswith("_") else "_"
    hidden = free_attribute(f"{prefix}{kept.attribute}", taken | {kept.attribute})
    dropped = kept.kind == "torch.Generator"
    base = free_attribute(f"{hidden}_base", taken | {hidden})
    edit = WorkerGenerator(
        cls=kept.module.span(kept.cls),
        attribute=kept.attribute,
        kept_as=hidden,
        seed_as=free_attribute(f"{hidden}_seed", taken | {hidden}),
        targets=tuple(kept.module.span(target) for target in kept.targets),
        make=randomness.maker(kept, hidden, base),
        dropped=dropped,
        base_as=base if dropped else "",
        annotation=kept.annotation,
    )
    return Fix(
        f"Seed `{kept.attribute}` separately in each worker",
        Applicability.UNSAFE,
        (Edit(kept.module.path, CODEMOD, edit),),
        why_unsafe="workers draw different numbers than before because they use torch's seed",
    )


def _by_name(drawn: Drawn) -> Fix | Refused:
    if drawn.is_global:
        where = f"{drawn.place.path.name}:{drawn.place.span.start.row}"
        return Refused(
            f"`{drawn.function}` is a module-level name that other code may use ({where})"
        )
    if drawn.value is None or drawn.cls is None:
        return Refused(f"`{drawn.function}` is passed in from other code")
    name = free_attribute(f"_{drawn.function.rpartition('.')[2]}", randomness.names(drawn.module))
    edit = CallByName(
        cls=drawn.module.span(drawn.cls),
        value=drawn.module.span(drawn.value),
        name=name,
        function=ast.unparse(drawn.value),
        takes_arguments=drawn.function != "random.random",
    )
    return Fix(
        f"Wrap `{drawn.function}` in the module-level function `{name}`",
        Applicability.UNSAFE,
        (Edit(drawn.module.path, CODEMOD, edit),),
        why_unsafe="workers draw different numbers than before",
    )
