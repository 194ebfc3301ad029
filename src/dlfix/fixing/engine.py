"""Rules asked, plans made, fixes carried out and proved until nothing more can be mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing import carrying, conflicts, proof, registry
from dlfix.fixing.lines import LineMap, Moved, spans_of
from dlfix.fixing.plans import Applicability, Fix, Planned, Refused
from dlfix.reach import analysis as reach
from dlfix.reach.progress import Tell, silent, told
from dlfix.rules.base import Finding, Rule
from dlfix.source.text import Position, Span

if TYPE_CHECKING:
    from dlfix.catalog.catalog import Catalog
    from dlfix.project.module import Module
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis

ROUNDS = 100

# A finding, and the project whose texts its places are in.
Keep = Callable[[Finding, "Project"], bool]


@dataclass(frozen=True)
class Diagnosis:
    """A finding, and what can be done about it: a fix, a reason against one, or nothing known."""

    finding: Finding
    outcome: Fix | Refused | None


@dataclass(frozen=True)
class Proposal:
    """A proved fix that waits for a yes: what it mends, and the texts it makes of which."""

    findings: tuple[Finding, ...]
    fix: Fix
    before: Mapping[Path, str]
    after: Mapping[Path, str]


@dataclass(frozen=True)
class Rewritten:
    """What came of a rewrite: new texts of the files that change, and what is left."""

    project: Project
    texts: Mapping[Path, str]
    applied: tuple[Planned, ...]
    left: tuple[Diagnosis, ...]
    errors: tuple[str, ...] = ()  # dlfix's own mistakes, one line each
    cut_short: bool = False  # whether a reading ended before everything was followed


def inspect(
    analysis: Analysis,
    rules: Iterable[type[Rule]],
    *,
    keep: Keep | None = None,
    errors: list[str] | None = None,
    tell: Tell = silent,
) -> list[Diagnosis]:
    """Ask all rules, then the planners; in order of place.

    `keep` leaves findings out before anything is planned (suppressed ones); `errors` takes up what
    dlfix itself did wrong; `tell` hears how far it has come.
    """
    bugs: list[str] = [] if errors is None else errors
    findings = find(analysis, rules, keep=keep, errors=bugs, tell=tell)
    outcomes = {
        id(finding): planned.outcome
        for planned in plan(findings, analysis)
        for finding in planned.findings
    }
    return [Diagnosis(finding, outcomes.get(id(finding))) for finding in findings]


def find(
    analysis: Analysis,
    rules: Iterable[type[Rule]],
    *,
    keep: Keep | None,
    errors: list[str],
    tell: Tell = silent,
) -> list[Finding]:
    """Ask all rules; one culprit is one finding, with its shortest path."""
    shortest: dict[tuple[str, Path, Span], Finding] = {}
    for rule in told("asking the rules", list(rules), tell):
        try:
            for finding in rule().check(analysis):
                key = (finding.code, finding.place.path, finding.place.span)
                if key not in shortest or len(finding.trace) < len(shortest[key].trace):
                    shortest[key] = finding
        except Exception as error:
            errors.append(carrying.bug(rule.code, error))
    project = analysis.project
    kept = [finding for finding in shortest.values() if keep is None or keep(finding, project)]
    return sorted(kept, key=_order)


def _order(finding: Finding) -> tuple[Path, Position, Position, str]:
    span = finding.place.span
    return finding.place.path, span.start, span.end, finding.code


def plan(findings: Sequence[Finding], analysis: Analysis) -> list[Planned]:
    """Ask each finding's planners, the usual one first, until one has a fix."""
    settled: list[Planned] = []
    refused: dict[int, Planned] = {}
    waiting = [(finding, 0) for finding in findings if finding.rule.codemods]
    while waiting:
        groups: dict[tuple[int, str], list[Finding]] = defaultdict(list)
        for finding, choice in waiting:
            groups[choice, finding.rule.codemods[choice]].append(finding)
        waiting = []
        for (choice, codemod), group in groups.items():
            for planned in _ask(codemod, group, analysis):
                if isinstance(planned.outcome, Fix):
                    settled.append(planned)
                    continue
                for finding in planned.findings:
                    # The usual codemod's reason says more than its stand-in's.
                    refused.setdefault(id(finding), Planned((finding,), planned.outcome))
                    if choice + 1 < len(finding.rule.codemods):
                        waiting.append((finding, choice + 1))
    mended = {id(finding) for planned in settled for finding in planned.findings}
    settled += [planned for key, planned in refused.items() if key not in mended]
    settled = [_writable(planned, analysis.project) for planned in settled]
    return sorted(settled, key=lambda planned: min(_order(finding) for finding in planned.findings))


def _writable(planned: Planned, project: Project) -> Planned:
    """Return a refusal in the place of a fix of a file that must stay as it is."""
    for edit in planned.outcome.edits if isinstance(planned.outcome, Fix) else ():
        module = project.module(edit.path)
        reason = module.unwritable or _crowded(module, edit.plan)
        if reason is not None:
            return Planned(planned.findings, Refused(f"{edit.path.name}: {reason}"))
    return planned


def _crowded(module: Module, plan: object) -> str | None:
    row = min((span.start.row for span in spans_of(plan) if span in module.crowded), default=None)
    return None if row is None else f"line {row} holds several statements"


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
        return [Planned(tuple(findings), Refused(carrying.bug(f"{codemod}'s planner", error)))]
    return [answer for one in findings for answer in _ask(codemod, [one], analysis)]


def rewrite(
    project: Project,
    catalog: Catalog,
    rules: Iterable[type[Rule]],
    *,
    unsafe: bool | Callable[[Finding], bool] = False,
    choose: Callable[[Proposal], bool] | None = None,
    keep: Keep | None = None,
    tell: Tell = silent,
) -> Rewritten:
    """Apply fixes until nothing more can be mended; nothing is written to disk.

    Only safe fixes, unless `unsafe`, of all findings or of one. With `choose`, each proved fix is shown to it first. `tell`
    hears how far it has come.
    """
    run = _Run(project, catalog, list(rules), unsafe, choose, keep, tell)
    for _ in range(ROUNDS):
        if not run.round():
            break
    return run.result()


@dataclass
class _Run:
    project: Project
    catalog: Catalog
    rules: list[type[Rule]]
    unsafe: bool | Callable[[Finding], bool]
    choose: Callable[[Proposal], bool] | None
    keep: Keep | None
    tell: Tell = silent
    texts: dict[Path, str] = field(default_factory=dict)
    applied: list[Planned] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    cut_short: bool = False
    dropped: dict[tuple[str, Path, Position], Refused | Fix] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.first: dict[Path, str] = {}
        self.planned: list[Planned] | None = None
        self.analysis, self.findings = self._read(self.project, self.tell)

    def _plan(self) -> list[Planned]:
        if self.planned is None:
            self.planned = plan(self.findings, self.analysis)
        return self.planned

    def _read(self, project: Project, tell: Tell = silent) -> tuple[Analysis, list[Finding]]:
        analysis = reach.analyze(project, self.catalog, tell)
        errors: list[str] = []
        findings = find(analysis, self.rules, keep=self.keep, errors=errors, tell=tell)
        self.errors.extend(error for error in errors if error not in self.errors)
        self.cut_short = self.cut_short or analysis.exhausted
        return analysis, findings

    def round(self) -> bool:
        """Carry out what can be carried out together; tell whether another round may do more."""
        wanted = [
            (planned, planned.outcome)
            for planned in self._plan()
            if isinstance(planned.outcome, Fix) and self._wants(planned.findings, planned.outcome)
        ]
        if not wanted:
            return False
        settled = len(self.applied) + len(self.dropped)
        self.tell("proving fixes", settled, settled + len(wanted))
        if self.choose is not None:
            self._attempt(wanted[:1])
            return True
        batch = conflicts.compatible(wanted)
        if not self._attempt(batch) and len(batch) > 1:
            # Each alone, from the same reading: the first that holds ends the round.
            next((True for one in batch if self._attempt([one])), False)
        return True

    def _wants(self, findings: Sequence[Finding], fix: Fix) -> bool:
        if fix.applicability is not Applicability.SAFE and not all(map(self._allows, findings)):
            return False
        return not any(_name(finding) in self.dropped for finding in findings)

    def _allows(self, finding: Finding) -> bool:
        return self.unsafe(finding) if callable(self.unsafe) else self.unsafe

    def _attempt(self, batch: list[tuple[Planned, Fix]]) -> bool:
        sheets = carrying.Sheets(lambda path: self.project.module(path).text)
        done: list[tuple[Planned, Fix]] = []
        for planned, fix in batch:
            try:
                sheets.carry_out(fix)
            except Moved:
                if len(batch) == 1:
                    self._drop(planned, Refused("its edits get in each other's way"))
                continue
            except carrying.Failed as failure:
                self._drop(planned, Refused(str(failure)))
                continue
            done.append((planned, fix))
        return bool(done) and self._prove(done, sheets.texts())

    def _prove(self, done: list[tuple[Planned, Fix]], texts: dict[Path, str]) -> bool:
        project = self.project.with_texts(texts)
        reason = self._broken(done, texts)
        if reason is None:
            analysis, findings = self._read(project)
            mended = [finding for planned, _ in done for finding in planned.findings]
            reason = proof.unproved(self.findings, mended, findings)
        if reason is not None:
            if len(done) == 1:
                self._drop(done[0][0], Refused(f"the fix was dropped: {reason}"))
            return False
        if self.choose is not None and not self._chosen(done[0], texts):
            self._drop(done[0][0], done[0][1])
            return True
        self._accept(done, texts)
        self.project, self.analysis, self.findings = project, analysis, findings
        self.planned = None
        return True

    def _broken(self, done: list[tuple[Planned, Fix]], texts: dict[Path, str]) -> str | None:
        spans: dict[Path, list[Span]] = defaultdict(list)
        for planned, fix in done:
            for edit in fix.edits:
                spans[edit.path].extend(spans_of(edit.plan))
            for finding in planned.findings:
                spans[finding.place.path].append(finding.place.span)
        if not texts:
            return "it would change nothing"
        for path, text in texts.items():
            reason = proof.broken(path, self.project.module(path).text, text, spans[path])
            if reason is not None:
                return reason if len(texts) == 1 else f"{path.name}: {reason}"
        return None

    def _chosen(self, one: tuple[Planned, Fix], texts: dict[Path, str]) -> bool:
        assert self.choose is not None
        before = {path: self.project.module(path).text for path in texts}
        return self.choose(Proposal(one[0].findings, one[1], before, texts))

    def _accept(self, done: list[tuple[Planned, Fix]], texts: dict[Path, str]) -> None:
        for path, text in texts.items():
            before = self.project.module(path).text
            self.first.setdefault(path, before)
            self._carry_along(path, LineMap(before, text))
        self.texts.update(texts)
        self.applied.extend(planned for planned, _ in done)

    def _carry_along(self, path: Path, lines: LineMap) -> None:
        for key in [key for key in self.dropped if key[1] == path]:
            outcome = self.dropped.pop(key)
            place = lines.position(key[2])
            if place is not None:
                self.dropped[key[0], path, place] = outcome

    def _drop(self, planned: Planned, outcome: Refused | Fix) -> None:
        for finding in planned.findings:
            self.dropped[_name(finding)] = outcome

    def result(self) -> Rewritten:
        outcomes = {
            id(finding): planned.outcome for planned in self._plan() for finding in planned.findings
        }
        left = tuple(
            Diagnosis(finding, self.dropped.get(_name(finding), outcomes.get(id(finding))))
            for finding in self.findings
        )
        changed = {path: text for path, text in self.texts.items() if text != self.first[path]}
        return Rewritten(
            self.project, changed, tuple(self.applied), left, tuple(self.errors), self.cut_short
        )


def _name(finding: Finding) -> tuple[str, Path, Position]:
    return finding.code, finding.place.path, finding.place.span.start
