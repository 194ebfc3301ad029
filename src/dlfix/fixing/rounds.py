"""Rounds: all fixes that go together are carried out, and proved by one reading of the result.

What fails in a round is attributed to the fixes it belongs to; these are dropped, and the round is
repeated without them. Each round applies a fix, drops one or narrows a suspicion, and each applied
fix leaves fewer findings: rounds end, without a limit of their number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dlfix.fixing import conflicts, diagnosis, rewriting, whole_or_nothing
from dlfix.fixing.blame import Attribution, Complaint, Matched, complaints, lines_before
from dlfix.fixing.derived_findings import merged
from dlfix.fixing.lines import LineMap, spans_of
from dlfix.fixing.outcomes import Choice, Choose, Diagnosis, Edited, Proposal, Rewritten
from dlfix.fixing.plans import Applicability, Fix, Planned, Refused, in_file
from dlfix.reach import analysis as reach
from dlfix.reach.progress import Tell, silent
from dlfix.rules.base import Finding, Rule
from dlfix.source.text import Place, Span

if TYPE_CHECKING:
    from dlfix.catalog.catalog import Catalog
    from dlfix.fixing.plans import Edit
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.extent import Extent

# Whether unsafe fixes are taken: all, none, or those of some findings.
Unsafe: TypeAlias = bool | Callable[[Finding], bool]
MOVES = frozenset({"module_level_callables", "module_level_classes"})
MOST_STEPS = 4  # fixes one after another for what one finding leads to
Batch: TypeAlias = Sequence[tuple[Planned, Fix]]
# Which form a file's fixes are to have, if there are several: "lazy" or "state".
Prefer: TypeAlias = Callable[[Path], str]


def lazy(_: Path) -> str:
    """Prefer what opens a resource when it is first used."""
    return "lazy"


@dataclass(frozen=True)
class Ask:
    """What is asked of every reading."""

    catalog: Catalog
    rules: tuple[type[Rule], ...]
    keep: diagnosis.Keep | None = None
    within: Collection[Path] | None = None  # the files that may change; None: all
    tell: Tell = silent
    unfixable: Callable[[Finding], bool] = lambda finding: False  # what is not to be fixed
    prefer: Prefer = lazy
    creates: bool = True  # whether files may be made next to these

    def analysis(self, project: Project, tell: Tell = silent) -> Analysis:
        """Read a project."""
        return reach.analyze(project, self.catalog, tell)

    def named(self, path: Path) -> bool:
        """Return whether a file may change and its findings count."""
        return self.within is None or path in self.within


@dataclass(frozen=True, eq=False)
class State:
    """The project after some fixes, and what is found there."""

    analysis: Analysis
    findings: Sequence[Finding]
    first: Mapping[int, Finding]  # each finding as it was before the first fix, by id
    applied: tuple[tuple[int, Planned], ...] = ()  # with the stage; the findings as they were first
    texts: Mapping[Path, str] = field(default_factory=dict)
    unfixable: Callable[[Finding], bool] = lambda finding: False
    maps: Mapping[Path, LineMap] = field(
        default_factory=dict
    )  # from the texts before the first fix

    @property
    def project(self) -> Project:
        """The project with its texts as they are now."""
        return self.analysis.project

    @cached_property
    def planned(self) -> list[Planned]:
        """What the planners say."""
        planned = diagnosis.plan(self.findings, self.analysis)
        return [self._placed(self._allowed(one)) for one in planned]

    def _placed(self, planned: Planned) -> Planned:
        """Return a refusal with the lines of the texts before the first fix."""
        outcome = planned.outcome
        if not self.maps or not isinstance(outcome, Refused):
            return planned
        reason = lines_before(outcome.reason, planned.findings[0].place.path, self.maps)
        return Planned(planned.findings, replace(outcome, reason=reason))

    def _allowed(self, planned: Planned) -> Planned:
        """Return a refusal in the place of a fix that the settings leave out."""
        left_out = next((one for one in planned.findings if self.unfixable(one)), None)
        if left_out is None or isinstance(planned.outcome, Refused):
            return planned
        reason = f"{left_out.code} is excluded by the settings `fixable` and `unfixable`"
        return Planned(planned.findings, Refused(reason))

    @cached_property
    def outcomes(self) -> Mapping[int, Fix | Refused]:
        """What the planners say of each finding, by id."""
        return {id(f): planned.outcome for planned in self.planned for f in planned.findings}

    @cached_property
    def left(self) -> set[int]:
        """The ids of the first findings that are there still."""
        return {id(first) for first in self.first.values()}

    def text(self, path: Path) -> str:
        """Return a file's text as it is now."""
        return self.project.module(path).text if self.project.knows(path) else ""


@dataclass(frozen=True)
class Tried:
    """The texts that some fixes make: what is wrong with them, or else what is found in them."""

    texts: Mapping[Path, str]
    attribution: Attribution
    wrong: Sequence[Complaint]
    analysis: Analysis | None = None
    findings: Sequence[Finding] = ()
    matched: Matched | None = None


@dataclass(frozen=True)
class Bar:
    """A fix that was applied, though what it belongs to stays broken: it is not, up to a stage."""

    stage: int


class Run:
    """Applies fixes stage by stage: the safe ones first, so that they do not depend on the others."""

    def __init__(
        self,
        ask: Ask,
        analysis: Analysis,
        choose: Choose | None = None,
    ) -> None:
        self.ask = ask
        self.choose = choose
        self.waiting = 0  # fixes of this round
        self.errors: list[str] = []
        self.cut_short = False
        self.cut_at: dict[Place, None] = {}
        self.extent: Extent | None = None
        findings = self._findings(analysis, ask.tell)
        own = {id(finding): finding for finding in findings}
        self.first = State(analysis, findings, own, unfixable=ask.unfixable)
        self.ends: list[State] = []  # of each stage
        self.bars: dict[int, Bar] = {}
        self.useless: set[int] = set()  # what is barred as long as another fix is dropped
        self._blocked: dict[State, whole_or_nothing.Ways] = {}
        self._applied: dict[int, tuple[int, Fix]] = {}  # by id of the first finding, with the stage
        self.dropped: dict[int, Refused | Fix] = {}  # by id of the first finding
        # Why forms of a fix were not accepted, likewise: all reasons of each form.
        self.fallen: dict[int, list[list[Refused]]] = {}
        self.rejected: dict[int, str] = {}  # the plans of what was dropped, likewise
        self._formed: dict[tuple[int, str, int], tuple[Fix, Fix]] = {}
        self.ignored: set[int] = set()  # ids of first findings that are to get a comment
        self._begin()

    def _begin(self) -> None:
        self.state = self.first
        self.suspects: list[set[int]] = []  # ids of first findings whose fixes fail together
        self.sheets = rewriting.Sheets(lambda path: self.state.text(path))

    def _findings(self, analysis: Analysis, tell: Tell = silent) -> list[Finding]:
        errors: list[str] = []
        ask = self.ask
        findings = diagnosis.find(
            analysis, ask.rules, keep=ask.keep, errors=errors, tell=tell, within=ask.within
        )
        self.errors.extend(error for error in errors if error not in self.errors)
        self.cut_short = self.cut_short or analysis.exhausted
        self.cut_at.update(dict.fromkeys(analysis.cut_at))
        self.extent = self.extent or analysis.extent
        return findings

    # Stages

    def work(self, stages: Sequence[Unsafe]) -> None:
        """Go through stages, each with the unsafe fixes it takes."""
        while True:
            self._begin()
            self.ends = []
            for number, unsafe in enumerate(stages):
                while self._round(number, unsafe):
                    pass
                self.ends.append(self.state)
            bars = dict(self._halves()) if self.choose is None else {}
            if not bars:
                break
            self.bars.update(bars)
        self._applied = {
            id(finding): (stage, planned.outcome)
            for stage, planned in self.state.applied
            for finding in planned.findings
            if isinstance(planned.outcome, Fix)
        }

    def _halves(self) -> Iterator[tuple[int, Bar]]:
        """Yield what was fixed in a stage after which something else still is in its way."""
        for number, state in enumerate(self.ends):
            ways = self._ways(state)
            for _, planned in state.applied:
                blockers = [ways.blocker(finding) for finding in planned.findings]
                for finding, blocker in zip(planned.findings, blockers, strict=True):
                    half = blocker is not None and all(blockers)
                    if half or id(finding) in state.left:
                        yield id(finding), Bar(number)

    def _bar_halves(self, done: Batch) -> None:
        """Bar, before the round is repeated, what is of no use without a fix that was dropped."""
        if self.choose is not None:
            return
        ways = whole_or_nothing.Ways(
            self.first.findings, lambda finding: id(finding) not in self.dropped
        )
        for planned, _ in done:
            firsts = [self.state.first[id(finding)] for finding in planned.findings]
            if all(map(ways.blocker, firsts)):
                self.useless |= {id(first) for first in firsts}

    def _is_fixed(self, finding: Finding, state: State) -> bool:
        """Return whether a first finding is no more, or will not be once other files are named.

        What the settings leave as it is counts as fixed, as if its rule had not been selected.
        """
        if self.ask.unfixable(finding):
            return True
        if not self.ask.named(finding.place.path):
            return isinstance(self.first.outcomes.get(id(finding)), Fix)
        return id(finding) not in state.left

    # One round

    def _round(self, stage: int, unsafe: Unsafe) -> bool:
        """Carry out what can be carried out together; tell whether another round may do more."""
        wanted = self._wanted(stage, unsafe)
        if not wanted:
            return False
        settled = len(self.state.applied) + len(self.dropped)
        self.waiting = len(wanted)
        self.ask.tell("verifying fixes", settled, settled + len(wanted))
        batch = conflicts.compatible(self._in_turn(wanted))
        self._attempt(batch if self.choose is None else batch[:1], stage)
        return True

    def _wanted(self, stage: int, unsafe: Unsafe) -> list[tuple[Planned, Fix]]:
        formed = [
            replace(planned, outcome=self._form(planned.outcome, planned.findings[0], self.state))
            for planned in _each_finding_once(self.state.planned)
        ]
        return [
            (planned, planned.outcome)
            for planned in formed
            if isinstance(planned.outcome, Fix)
            and self._takes(planned.findings, planned.outcome, stage, unsafe)
        ]

    def _form(self, outcome: Fix | Refused, finding: Finding, state: State) -> Fix | Refused:
        """Return a fix in the form that is preferred, or in the next that is not refused yet."""
        if isinstance(outcome, Refused) or outcome.instead is None:
            return outcome
        prefer = self.ask.prefer(finding.place.path)
        forms = sorted(outcome.forms, key=lambda each: _rank(each, prefer))
        fallen = len(self.fallen.get(id(state.first[id(finding)]), ()))
        key = (id(outcome), prefer, fallen)
        if key in self._formed:
            return self._formed[key][1]  # one fix of several findings stays one object
        rest: Fix | None = None
        for each in reversed(forms[min(fallen, len(forms) - 1) :]):
            rest = replace(each, instead=rest)
        assert rest is not None
        self._formed[key] = outcome, rest
        return rest

    def _outcome(self, finding: Finding, state: State) -> Fix | Refused | None:
        """Return what the planners say of a finding, in the form that counts."""
        outcome = state.outcomes.get(id(finding))
        return outcome and self._form(outcome, finding, state)

    def _takes(self, findings: Sequence[Finding], fix: Fix, stage: int, unsafe: Unsafe) -> bool:
        if fix.applicability is not Applicability.SAFE and not all(
            unsafe(finding) if callable(unsafe) else unsafe for finding in findings
        ):
            return False
        if not all(map(self._allows, fix.edits)):
            return False
        ids = self._ids(findings)
        barred = any(one in self.bars and stage <= self.bars[one].stage for one in ids)
        return not barred and not ids & (self.dropped.keys() | self.useless)

    def _allows(self, edit: Edit) -> bool:
        """Return whether a file may change: one that is named, a new one next to it, or one that a fix has made."""
        if self.ask.named(edit.path):
            return True
        if not self.ask.creates or self.first.project.knows(edit.path):
            return False
        beside = edit.beside is not None and self.ask.named(edit.beside)
        return beside or edit.path in self.state.texts

    def _ids(self, findings: Iterable[Finding]) -> set[int]:
        return {id(self.state.first[id(finding)]) for finding in findings}

    def _in_turn(self, wanted: Batch) -> Batch:
        """Return what is free of suspicion; else the next that are under suspicion together."""
        waiting = set().union(*self.suspects)
        free = [one for one in wanted if not self._ids(one[0].findings) & waiting]
        while not free and self.suspects:
            group = self.suspects.pop()
            free = [one for one in wanted if self._ids(one[0].findings) & group]
        return free

    def _attempt(self, batch: Batch, stage: int) -> None:
        carried = self.sheets.carry_out([fix for _, fix in batch])
        for number, reason in carried.failed.items():
            self._drop(batch[number][0], Refused(reason))
        done = [batch[number] for number in carried.done]
        if not done:
            if not carried.failed:
                self._drop(batch[0][0], Refused("the edits overlap"))
            return
        self._prove(done, carried.texts, stage)

    def _prove(self, done: Batch, texts: Mapping[Path, str], stage: int) -> None:
        """Accept a batch, or drop what is at fault that it cannot be accepted."""
        tried = self._tried(done, texts)
        if tried.wrong:
            self._blame(done, tried.wrong)
            return
        wanted = tried if self.choose is None else self._wished(done[0], tried)
        if wanted is None:
            self._drop(done[0][0], done[0][1])
            return
        assert wanted.analysis is not None
        assert wanted.matched is not None
        done = self._with_gone(done, wanted.matched, wanted.attribution)
        origins = self._origins(wanted.matched)
        state = State(wanted.analysis, wanted.findings, origins, unfixable=self.ask.unfixable)
        self._accept(done, wanted.texts, state, stage)

    def _tried(self, done: Batch, texts: Mapping[Path, str], *, by_hand: bool = False) -> Tried:
        """Return what is wrong with the texts that a batch makes, and what is found in them.

        What a person wrote may do something else than before; it has to compile and to fix the finding.
        """
        maps = {path: LineMap(self.state.text(path), text) for path, text in texts.items()}
        attribution = Attribution(done, maps)
        if by_hand:
            wrong = list(self._not_compiled(texts, attribution))
        else:
            wrong = list(self._broken(done, texts, attribution))
        if wrong:
            return Tried(texts, attribution, wrong)
        project = self.state.project.with_texts(texts)
        wrong = [] if by_hand else list(self._worse(project, texts, attribution))
        if wrong:
            return Tried(texts, attribution, wrong)
        analysis = self.ask.analysis(project)
        findings = self._findings(analysis)
        fixed = [finding for planned, _ in done for finding in planned.findings]
        homes = {e.path: e.beside for _, fix in done for e in fix.edits if e.beside is not None}
        matched = Matched(self.state.findings, fixed, findings, maps, homes)
        self._go_on(done, matched, attribution, analysis)
        wrong = list(complaints(matched, attribution))
        return Tried(texts, attribution, wrong, analysis, findings, matched)

    def _go_on(
        self, done: Batch, matched: Matched, attribution: Attribution, analysis: Analysis
    ) -> None:
        """Take what a closure captured, and has a fix of its own, as the finding that it comes from.

        A closure that becomes a partial, or a local class whose objects keep what it captured, sends that:
        a lambda that moves in the next round.
        """
        for new in list(matched.fresh):
            suspects = attribution.of_new(new)
            if len(suspects) > 1:
                continue
            planned, fix = done[next(iter(suspects))]
            old = planned.findings[0]
            if not _moves(fix) or self._steps(old) >= MOST_STEPS:
                continue
            outcomes = [one.outcome for one in diagnosis.plan([new], analysis)]
            if outcomes and all(map(_moves, outcomes)):
                matched.go_on(new, old)

    def _steps(self, finding: Finding) -> int:
        """Return how many fixes were applied for what a finding was first."""
        first = self.state.first[id(finding)]
        return sum(
            any(each is first for each in planned.findings) for _, planned in self.state.applied
        )

    @staticmethod
    def _not_compiled(texts: Mapping[Path, str], attribution: Attribution) -> Iterator[Complaint]:
        from dlfix.fixing import proof

        for path, text in texts.items():
            reason = proof.not_compiled(path, text)
            if reason is not None:
                yield Complaint(f"{path.name}: {reason}", attribution.of_file(path))

    def _broken(
        self, done: Batch, texts: Mapping[Path, str], attribution: Attribution
    ) -> Iterator[Complaint]:
        from dlfix.fixing import proof  # heavy, and not needed where nothing is to be fixed

        for number, (_, fix) in enumerate(done):
            if not any(edit.path in texts for edit in fix.edits):
                yield Complaint("the fix would change nothing", frozenset((number,)))
        spans: dict[Path, list[Span]] = defaultdict(list)
        for planned, fix in done:
            for edit in fix.edits:
                spans[edit.path].extend(spans_of(edit.plan))
            for finding in planned.findings:
                spans[finding.place.path].append(finding.place.span)
        together = proof.Rewritten((self.state.text(path), text) for path, text in texts.items())
        for path, text in texts.items():
            reason = proof.broken(path, self.state.text(path), text, spans[path], together)
            if reason is not None:
                named = lines_before(attribution.as_before(reason, path), path, self.state.maps)
                yield Complaint(named, attribution.of_file(path))

    def _worse(
        self, after: Project, texts: Mapping[Path, str], attribution: Attribution
    ) -> Iterator[Complaint]:
        """Yield what the program would no longer do as it did."""
        from dlfix.fixing import proof

        before = self.state.project
        try:
            found = proof.regressions(before, after, texts)
        except Exception as error:  # what cannot be compared is not proved
            yield Complaint(rewriting.bug("the proof", error), attribution.everything)
            return
        for one in found:
            changed = attribution.of_row(one.path, one.line)
            is_new = not before.knows(one.path)
            rows = None if is_new else before.module(one.path).rows_of(one.qualname)
            suspects = changed or (attribution.of_lines(one.path, *rows) if rows else frozenset())
            reason = attribution.as_before(one.reason, one.path)
            reason = lines_before(reason, one.path, self.state.maps)
            yield Complaint(reason, suspects or attribution.of_file(one.path))

    def _blame(self, done: Batch, found: Sequence[Complaint]) -> None:
        """Drop the fixes that are certainly at fault; else put those under suspicion apart.

        Suspects wait until the others are settled; then half of them is tried, and the other half.
        """
        certain: dict[int, list[Refused]] = defaultdict(list)
        for one in found:
            if len(one.suspects) == 1:
                refused = Refused(f"the fix was rejected: {one.reason}")
                certain[next(iter(one.suspects))].append(refused)
        for number, reasons in certain.items():
            self._drop(done[number][0], *reasons)
        if certain:
            self._bar_halves(done)
            return
        suspects = sorted(found[0].suspects)
        for half in (suspects[len(suspects) // 2 :], suspects[: len(suspects) // 2]):
            self.suspects.append({
                one for number in half for one in self._ids(done[number][0].findings)
            })  # fmt: skip

    def _wished(self, one: tuple[Planned, Fix], tried: Tried) -> Tried | None:
        """Ask a person about a fix; return it, or what they made of it, unless they decline."""
        assert self.choose is not None
        before = {path: self.state.text(path) for path in tried.texts}
        proposal = Proposal(one[0].findings, one[1], before, tried.texts, self.waiting)
        while True:
            choice = self.choose(proposal)
            if choice is Choice.IGNORE:
                self.ignored |= self._ids(one[0].findings)
            if not isinstance(choice, Edited):
                return tried if choice is Choice.APPLY else None
            edited = self._tried([one], choice.texts, by_hand=True)
            if not edited.wrong:
                return edited
            proposal = replace(proposal, problem=edited.wrong[0].reason)

    def _origins(self, matched: Matched) -> dict[int, Finding]:
        return {new: self.state.first[id(old)] for new, old in matched.old.items()}

    def _with_gone(self, done: Batch, matched: Matched, attribution: Attribution) -> Batch:
        """Return the fixes with what they fixed besides: what hangs on a culprit may be gone with it."""
        more: dict[int, list[Finding]] = defaultdict(list)
        for old in matched.gone:
            more[attribution.of_gone(old)].append(old)
        return [
            (replace(planned, findings=(*planned.findings, *more[number])), fix)
            for number, (planned, fix) in enumerate(done)
        ]

    def _accept(self, done: Batch, texts: Mapping[Path, str], state: State, stage: int) -> None:
        first = self.state.first
        applied = tuple(
            (stage, Planned(tuple(first[id(f)] for f in planned.findings), fix))
            for planned, fix in done
        )
        self.state = replace(
            state,
            applied=(*self.state.applied, *applied),
            texts=(now := {**self.state.texts, **texts}),
            maps={path: LineMap(self.first.text(path), text) for path, text in now.items()},
        )
        self.sheets.forget(texts)
        self._plan_again()

    def _plan_again(self) -> None:
        """Take up again what was rejected, where the fixes that were accepted led to another plan."""
        for planned in self.state.planned if self.rejected else ():
            for key in self._ids(planned.findings) & self.rejected.keys():
                if (
                    isinstance(planned.outcome, Fix)
                    and _shape(planned.outcome) != self.rejected[key]
                ):
                    for kept in (self.rejected, self.dropped, self.fallen):
                        kept.pop(key, None)
                    self.useless.clear()

    def _drop(self, planned: Planned, outcome: Refused | Fix, *more: Refused) -> None:
        """Drop a fix for a reason, or because it is declined; another form of it may be tried next."""
        for key in self._ids(planned.findings):
            if isinstance(outcome, Fix):
                self.dropped[key] = outcome
                continue
            fallen = self.fallen.setdefault(key, [])
            home = planned.findings[0].place.path
            fallen.append([Refused(in_file(each.reason, home)) for each in (outcome, *more)])
            if not isinstance(planned.outcome, Fix) or planned.outcome.instead is None:
                self.dropped[key] = _of_all_forms(fallen)
                if isinstance(planned.outcome, Fix):
                    self.rejected[key] = _shape(planned.outcome)

    # What came of it

    def announced(self) -> list[Diagnosis]:
        """Return the first findings, and what the stages did about each."""
        last = self.ends[-1]
        left = {id(last.first[id(finding)]): finding for finding in last.findings}
        return merged(
            self._diagnosis(finding, self.first, left.get(id(finding)))
            for finding in self.first.findings
            if self._concerns(finding, self.first)
        )

    def _concerns(self, finding: Finding, state: State) -> bool:
        """Return whether a finding is one of the files that were named: it, its boundary or its fix is in one."""
        if diagnosis.touches(finding, self.ask.within):
            return True
        outcome = self._outcome(finding, state)
        return isinstance(outcome, Fix) and any(self.ask.named(e.path) for e in outcome.edits)

    def rewritten(self, unsafe: Unsafe) -> Rewritten:
        """Take the safe fixes and those unsafe ones; say of what is left what all of them would do."""
        self.work((False, unsafe, True) if self.choose is None else (False, unsafe))
        state, last = self.ends[1], self.ends[-1]
        still = {id(last.first[id(finding)]): finding for finding in last.findings}
        left = merged(
            self._diagnosis(finding, state, still.get(id(state.first[id(finding)])))
            for finding in state.findings
            if self._concerns(finding, state)
        )
        texts = {p: text for p, text in state.texts.items() if text != self.first.text(p)}
        applied = tuple(_one_each(planned for _, planned in state.applied))
        return Rewritten(
            state.project,
            texts,
            applied,
            tuple(left),
            tuple(self.errors),
            self.cut_short,
            tuple(self.cut_at),
            self.extent,
            state.first,
        )

    def _diagnosis(self, finding: Finding, state: State, last: Finding | None) -> Diagnosis:
        """Say of a finding of a state what becomes of it; `last` is what it is at the end, if it is."""
        first = state.first[id(finding)]
        planned = self._outcome(finding, state)
        outcome: Fix | Refused | None
        if last is not None:
            outcome = self._why_left(first, last)
            if isinstance(outcome, Refused) and isinstance(planned, Refused):
                outcome = planned  # its line numbers are those of the text that is shown
            declined = isinstance(self.dropped.get(id(first)), Fix)
            return Diagnosis(finding, outcome, declined, id(first) in self.ignored)
        applied = self._applied.get(id(first))
        outcome = planned if applied is None else self._taken(first, planned, *applied)
        return Diagnosis(finding, outcome)

    def _taken(
        self, first: Finding, planned: Fix | Refused | None, stage: int, applied: Fix
    ) -> Fix:
        """Return a fix of a state's texts as what it is in the stage in which it was applied."""
        alike = isinstance(planned, Fix) and (stage or planned.applicability is Applicability.SAFE)
        # A fix that only others make possible has no edits of the texts as they are.
        fix = planned if alike and isinstance(planned, Fix) else replace(applied, edits=())
        if stage == 0 or fix.applicability is Applicability.UNSAFE:
            return fix
        other = self._ways_of_unsafe.blocker(first)
        beside = whole_or_nothing.what(other) if other is not None else "another finding"
        why = f"the fix is only useful together with the unsafe fix of {beside}"
        return replace(fix, applicability=Applicability.UNSAFE, why_unsafe=why)

    @cached_property
    def _ways_of_unsafe(self) -> whole_or_nothing.Ways:
        """What is in the way after the safe fixes; first what has a fix that is unsafe by itself, not for another's sake."""
        state = self.ends[0]
        return whole_or_nothing.Ways(
            self.first.findings, lambda finding: self._is_fixed(finding, state), self._is_unsafe
        )

    def _is_unsafe(self, finding: Finding) -> bool:
        _, fix = self._applied.get(id(finding), (0, None))
        return fix is not None and fix.applicability is Applicability.UNSAFE

    def _why_left(self, first: Finding, last: Finding) -> Fix | Refused | None:
        """Return why a finding is there in the end."""
        if id(first) in self.dropped:
            return self.dropped[id(first)]
        outcome = self._outcome(last, self.ends[-1])
        if not isinstance(outcome, Fix):
            return outcome
        beyond = [edit.path for edit in outcome.edits if not self._allows(edit)]
        if beyond and not self.ask.creates:
            return Refused(f"the fix also creates {beyond[0].name}, next to a file on disk")
        if beyond:
            also = "also " if len(beyond) < len(outcome.edits) else ""
            return Refused(
                f"the fix {also}changes {beyond[0].name}, which is not among the given "
                "paths (add it or check the whole project)"
            )
        other = self._ways(self.ends[-1]).blocker(first)
        if other is not None:
            return Refused(whole_or_nothing.in_the_way(other, first))
        return outcome

    def _ways(self, state: State) -> whole_or_nothing.Ways:
        if state not in self._blocked:
            refused = {
                id(state.first[id(each)])
                for each in state.findings
                if isinstance(self._outcome(each, state), Refused)
            }
            self._blocked[state] = whole_or_nothing.Ways(
                self.first.findings,
                lambda finding: self._is_fixed(finding, state),
                lambda finding: id(finding) in refused or id(finding) in self.dropped,
            )
        return self._blocked[state]


def _of_all_forms(fallen: Sequence[Sequence[Refused]]) -> Refused:
    """Return the reason that no form of a fix gets around; the first form's where each has its own."""
    of_each = [{_numberless(one.reason) for one in form} for form in fallen]
    shared = set.intersection(*of_each)
    return next((one for one in fallen[0] if _numberless(one.reason) in shared), fallen[0][0])


def _numberless(reason: str) -> str:
    return re.sub(r"\d+", "", reason)


def _shape(fix: Fix) -> str:
    """Return what the last form of a fix does, wherever the text stands."""
    return _numberless(repr(fix.forms[-1].edits))


def _rank(fix: Fix, prefer: str) -> tuple[bool, bool]:
    """Put the form that is preferred first; a form that leaves something shared is a pair of state methods."""
    return ("state" if fix.remains else fix.form) != prefer, bool(fix.remains)


def _moves(outcome: Fix | Refused) -> bool:
    return isinstance(outcome, Fix) and all(each.codemod in MOVES for each in outcome.edits)


def _one_each(applied: Iterable[Planned]) -> Iterator[Planned]:
    """Join the fixes that one finding took, one after another, into one that says what each does."""
    joined: list[Planned] = []
    for planned in applied:
        ids = {id(finding) for finding in planned.findings}
        index = next((i for i, one in enumerate(joined) if ids & {*map(id, one.findings)}), None)
        if index is None:
            joined.append(planned)
            continue
        before = joined[index]
        assert isinstance(before.outcome, Fix)
        assert isinstance(planned.outcome, Fix)
        more = planned.outcome.message
        message = f"{before.outcome.message}; {more[:1].lower()}{more[1:]}"
        findings = {id(each): each for each in (*before.findings, *planned.findings)}
        outcome = replace(before.outcome, message=message)
        joined[index] = Planned(tuple(findings.values()), outcome)
    yield from joined


def _each_finding_once(plans: Iterable[Planned]) -> Iterator[Planned]:
    """Leave out a plan for a finding that another plan is for: neither alone fixes it, in no number of rounds."""
    seen: set[int] = set()
    for planned in plans:
        ids = {id(finding) for finding in planned.findings}
        if not ids & seen:
            seen |= ids
            yield planned
