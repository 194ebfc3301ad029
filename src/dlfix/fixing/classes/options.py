"""Options that an object keeps whole, `self.opt = opt`, and that hold what only the parent uses: the state has all others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.fixing.classes.batches import fixes
from dlfix.fixing.classes.evidence import Culprit, OpenedIn, site_at
from dlfix.fixing.classes.facts import STARTS, ClassFacts
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.hierarchy import surroundings
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.fixing.classes.text import indented
from dlfix.fixing.plans import Planned
from dlfix.reach.crossing import Crossing
from dlfix.reach.values import Derived, ExternalCall
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

_MADE_BY = frozenset({"argparse.Namespace", "types.SimpleNamespace"})


def _kept_options(finding: Finding) -> Culprit | None:
    """Return the attribute that keeps the options which hold what a finding is about; None where that is nothing such."""
    crossing = finding.evidence if isinstance(finding.evidence, Crossing) else None
    holder = crossing.parent if crossing is not None else None
    if crossing is None or holder is None or crossing.edge.kind not in ("attribute", "kept"):
        return None
    store = holder.edge.store
    if not _are_options(holder) or store is None or holder.edge.kind != "attribute":
        return None
    module = store.frame.module
    node = next((n for n in module.ancestors(store.statement) if isinstance(n, ast.ClassDef)), None)
    if node is None or not crossing.edge.name.isidentifier():
        return None
    facts = ClassFacts(module, node)
    return Culprit(
        facts=facts,
        site=site_at(facts, store.attribute, store.statement),
        option=crossing.edge.name,
        code=finding.code,
        value=holder.value,
        frame=store.frame,
    )


def with_options(refused: Iterable[Planned], analysis: Analysis, codemod: str) -> Iterator[Planned]:
    """Answer for what options hold; pass on the refusals of all else."""
    groups: dict[tuple[ast.ClassDef, str], list[tuple[Finding, Culprit]]] = {}
    for planned in refused:
        finding = planned.findings[0]
        culprit = _kept_options(finding) if len(planned.findings) == 1 else None
        if culprit is None:
            yield planned
        else:
            key = culprit.facts.node, culprit.attribute
            groups.setdefault(key, []).append((finding, culprit))

    def plan_one(group: Sequence[Culprit], inherited: frozenset[str]) -> ClassPlan:
        opened = OpenedIn(analysis, group[0].frame)
        names = {each.attribute for each in group}
        around = surroundings(analysis, group[0].facts, names, set(), opened)
        return _plan_options(
            group, replace(around, inherited=around.inherited | inherited), analysis
        )

    yield from fixes(list(groups.values()), analysis, codemod, "", plan_one)


def _are_options(holder: Crossing) -> bool:
    match holder.value:
        case Derived(how="parse_args" | "parse_known_args", node=ast.Call() as call):
            return len(call.args) < 2 and all(each.arg != "namespace" for each in call.keywords)
        case ExternalCall(name=name):
            return name in _MADE_BY
    return False


def _plan_options(group: Sequence[Culprit], around: Surroundings, analysis: Analysis) -> ClassPlan:
    """Plan a state that has a copy of the options, without some of them."""
    facts, kept = group[0].facts, group[0].attribute
    names = list(dict.fromkeys(each.option for each in group))
    if len({each.attribute for each in group}) > 1:
        raise Refusal(f"several attributes keep the options ({facts.line(facts.node)})")
    for name in names:
        for where in _read_in_workers(name, kept, analysis):
            raise Refusal(f"a worker may read `{name}` of the options ({where})")
    asked = f'!= "{names[0]}"' if len(names) == 1 else f"not in {tuple(names)}".replace("'", '"')
    without, made_by = ", ".join(f"`{name}`" for name in names), _made_by(group[0])
    lines = [
        f"# only the parent process uses {without}",
        f"options = {{k: v for k, v in vars(self.{kept}).items() if k {asked}}}",
        f'state["{kept}"] = {made_by}(**options)',
    ]
    if group[0].site.method.name not in STARTS:
        lines = [f'if "{kept}" in state:', *(indented(line, "    ") for line in lines)]
    state = state_for(facts, (Drop(kept, code="\n".join(lines)),), (), around)
    if state is None:
        raise Refusal(f"the class defines how it is pickled ({facts.line(facts.node)})")
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state,
        after=group[0].site.method.name,
        imports=(made_by.partition(".")[0],),
        verb=f"Send {{names}} of `{{cls}}` without {without}",
    )


def _made_by(culprit: Culprit) -> str:
    """Return the dotted name of the class of the options."""
    value = culprit.value
    return value.name if isinstance(value, ExternalCall) else "argparse.Namespace"


def _read_in_workers(name: str, kept: str, analysis: Analysis) -> Iterator[str]:
    """Yield where code of a worker may read one of the options, or hands all of them on."""
    code = WorkerCode.of(analysis)
    for module in analysis.project.mentions(name):
        nodes: list[ast.expr] = [
            *module.attributes_by_name.get(name, ()),
            *(each for each in module.nodes(ast.Constant) if each.value == name),
        ]
        for node in nodes:
            if code.runs(module, node) is not None:
                yield f"{module.path.name}:{node.lineno}"
    for module in analysis.project.mentions(kept):
        for node in module.nodes_by_name.get(kept, ()):
            above = module.parent(node)
            is_read = isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load)
            if not is_read and code.runs(module, node) is not None:
                yield f"{module.path.name}:{node.lineno}"


__all__ = ["with_options"]
