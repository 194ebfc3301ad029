"""Rules are asked what they find, planners what can be done about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing import notebooks, registry, rewriting, whole_or_nothing
from dlfix.fixing.classes.plans import ClassPlan
from dlfix.fixing.lines import spans_of
from dlfix.fixing.plans import Fix, Planned, Refused
from dlfix.reach.progress import Tell, silent, told
from dlfix.rules.base import Finding, Rule
from dlfix.source.text import Position, Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis

# A finding, and the project whose texts its places are in.
Keep = Callable[[Finding, "Project"], bool]


def find(
    analysis: Analysis,
    rules: Iterable[type[Rule]],
    *,
    keep: Keep | None,
    errors: list[str],
    tell: Tell = silent,
    within: Collection[Path] | None = None,
) -> list[Finding]:
    """Ask all rules; one culprit is one finding, with its shortest path and all it is sent in.

    `keep` leaves findings out before anything is planned (suppressed ones); `errors` takes up what
    dlfix itself did wrong; `tell` hears how far it has come. Of the paths to a culprit outside `within`, one
    from a boundary within is the one to show.
    """
    shortest: dict[tuple[str, Path, Span], Finding] = {}
    ways: dict[tuple[str, Path, Span], set[whole_or_nothing.Way]] = defaultdict(set)
    for rule in told("running the rules", list(rules), tell):
        try:
            for finding in rule().check(analysis):
                key = (finding.code, finding.place.path, finding.place.span)
                ways[key] |= whole_or_nothing.ways_of(finding, analysis)
                if key not in shortest or _rank(finding, within) < _rank(shortest[key], within):
                    shortest[key] = finding
        except Exception as error:
            errors.append(rewriting.bug(rule.code, error))
    project = analysis.project
    return sorted(
        (
            replace(finding, ways=frozenset(ways[key]))
            for key, finding in shortest.items()
            if keep is None or keep(finding, project)
        ),
        key=_order,
    )


def touches(finding: Finding, within: Collection[Path] | None) -> bool:
    """Return whether the culprit, or the boundary that it is sent from, lies in some files."""
    places = (finding.place, *(step.place for step in finding.trace[:1]))
    return within is None or any(place.path in within for place in places)


def _rank(finding: Finding, within: Collection[Path] | None) -> tuple[bool, int]:
    return not touches(finding, within), len(finding.trace)


def _order(finding: Finding) -> tuple[Path, Position, Position, str]:
    span = finding.place.span
    return finding.place.path, span.start, span.end, finding.code


def plan(findings: Sequence[Finding], analysis: Analysis) -> list[Planned]:
    """Ask each finding's planners, the usual one first, until one has a fix."""
    settled: list[Planned] = []
    spare: list[Planned] = []  # fixes of what holds a culprit, for where no other codemod has one
    refused: dict[int, Planned] = {}
    waiting = [(finding, 0) for finding in findings if notebooks.codemods(finding)]
    while waiting:
        groups: dict[tuple[int, str], list[Finding]] = defaultdict(list)
        for finding, choice in waiting:
            groups[choice, notebooks.codemods(finding)[choice]].append(finding)
        waiting = []
        for (choice, codemod), group in groups.items():
            for planned in _ask(codemod, group, analysis):
                if isinstance(planned.outcome, Fix):
                    others = [each for each in planned.findings if _has_more(each, choice)]
                    is_spare = planned.outcome.form == "holder" and len(others) == len(
                        planned.findings
                    )
                    (spare if is_spare else settled).append(planned)
                    waiting += [(each, choice + 1) for each in others if is_spare]
                    continue
                for finding in planned.findings:
                    # The usual codemod's reason says more than its stand-in's.
                    refused.setdefault(id(finding), Planned((finding,), planned.outcome))
                    if _has_more(finding, choice):
                        waiting.append((finding, choice + 1))
    fixed = _fixed(settled)
    for planned in spare:
        left = tuple(each for each in planned.findings if id(each) not in fixed)
        settled += [Planned(left, planned.outcome)] if left else []
    fixed = _fixed(settled)
    settled += [planned for key, planned in refused.items() if key not in fixed]
    settled = [_writable(planned, analysis.project) for planned in settled]
    return sorted(settled, key=lambda planned: min(_order(finding) for finding in planned.findings))


def _has_more(finding: Finding, choice: int) -> bool:
    return choice + 1 < len(notebooks.codemods(finding))


def _fixed(settled: Iterable[Planned]) -> set[int]:
    return {id(finding) for planned in settled for finding in planned.findings}


def _writable(planned: Planned, project: Project) -> Planned:
    """Return a refusal in the place of a fix of a file that must stay as it is."""
    for edit in planned.outcome.edits if isinstance(planned.outcome, Fix) else ():
        if not project.knows(edit.path):
            continue  # the fix creates it
        module = project.module(edit.path)
        reason = module.unwritable or _crowded(module, edit.plan)
        if notebooks.cannot_help(edit):
            return Planned(planned.findings, notebooks.stranded(planned.findings))
        if reason is not None:
            return Planned(planned.findings, Refused(f"{edit.path.name}: {reason}"))
    return planned


def _crowded(module: Module, plan: object) -> str | None:
    crowded = module.crowded
    if crowded and isinstance(plan, ClassPlan):  # its codemod begins a new line for them
        crowded -= module.one_liners
    row = min((span.start.row for span in spans_of(plan) if span in crowded), default=None)
    return None if row is None else f"the line contains more than one statement (line {row})"


def _ask(codemod: str, findings: list[Finding], analysis: Analysis) -> list[Planned]:
    try:
        planner = registry.planner(codemod)
        if planner is None:
            return []
        answers = [planned for planned in planner(findings, analysis) if planned.findings]
    except Exception as error:
        return _ask_singly(codemod, findings, analysis, error)
    return answers


def _ask_singly(
    codemod: str, findings: list[Finding], analysis: Analysis, error: Exception
) -> list[Planned]:
    """One finding that a planner stumbles over must not cost the others their fixes."""
    if len(findings) == 1:
        return [Planned(tuple(findings), Refused(rewriting.bug(f"{codemod}'s planner", error)))]
    return [answer for one in findings for answer in _ask(codemod, [one], analysis)]
