"""The projects in a folder of projects: each is checked by itself, and its answer is kept.

So memory holds one project at a time, and a change in one asks for no other again. An answer that is kept is
plain data, as `results` keeps it, with all that was looked at for it.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix import results
from dlfix.project.surroundings import apart
from dlfix.source import seen
from dlfix.source.text import Place, Position, SourceError, Span

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Diagnosis
    from dlfix.fixing.plans import Fix, Refused
    from dlfix.rules.base import Rule
    from dlfix.session import Session

FEW = 50  # files: a project's own cost is no matter then


@dataclass(frozen=True)
class Answer:
    """What there is to say of one project."""

    diagnoses: Sequence[Diagnosis]
    unreadable: Sequence[SourceError]
    serious: Sequence[SourceError]
    bugs: Sequence[str] = ()
    cut_short: bool = False
    extent: tuple[int, int, int] = (0, 0, 0)  # as `Extent` has it


def answers(session: Session, *, plain: bool) -> list[Answer]:
    """Return the answer about each project; none where the files are not those of several."""
    if len(session.files) <= FEW or session.texts or session.around or session.loose:
        return []
    groups = apart(session.files, session.bytes_of)
    if len(groups) < 2:
        return []
    session.by_parts = True
    return [_answer(session.part(group), plain=plain) for group in groups]


def _answer(part: Session, *, plain: bool) -> Answer:
    outer = seen.watched()
    path = _place(part) if plain and outer is not None else None
    entry = results.load(path) if path is not None else None
    found = None if entry is None else _read(entry.get("answer"))
    if entry is not None and found is not None and outer is not None:
        outer.take(entry["seen"])
        return found
    with seen.apart() as noted:
        found = _worked_out(part, plain=plain)
    data = noted.as_data()
    if outer is not None:
        outer.take(data, noted.steady)
    if path is not None and noted.steady and not found.bugs:
        results.save(path, {"seen": data, "answer": _written(found)})
    return found


def _place(part: Session) -> Path | None:
    files = [str(path) for path in part.files]
    scopes = [repr(settings) for settings in part.scopes.values()]
    return results.place(part.settings, "part", files, sorted(map(str, part.named)), scopes)


def _worked_out(part: Session, *, plain: bool) -> Answer:
    """Ask, and keep nothing of the trees."""
    diagnoses = [_bare(each, plain=plain) for each in part.diagnoses()]
    extent = (part.extent.loaders, part.extent.others, part.extent.unknown)
    troubles = part.unreadable(), part.serious(), part.bugs, part.cut_short
    found = Answer(diagnoses, *troubles, extent)
    part.__dict__.clear()
    gc.collect()
    return found


def _bare(diagnosis: Diagnosis, *, plain: bool) -> Diagnosis:
    """Return a diagnosis without what a planner would need, and plainly without the fix's edits."""
    from dlfix.fixing.plans import Fix

    outcome = diagnosis.outcome
    if plain and isinstance(outcome, Fix):
        outcome = replace(outcome, edits=())
    finding = replace(diagnosis.finding, evidence=None, objects=frozenset())
    return replace(diagnosis, finding=finding, outcome=outcome)


# As data


def _written(answer: Answer) -> dict[str, Any]:
    return {
        "diagnoses": [_diagnosis_as_data(each) for each in answer.diagnoses],
        "unreadable": [[str(e.path), e.row, e.reason] for e in answer.unreadable],
        "serious": [[str(e.path), e.row, e.reason] for e in answer.serious],
        "cut_short": answer.cut_short,
        "extent": answer.extent,
    }


def _diagnosis_as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    finding, outcome = diagnosis.finding, diagnosis.outcome
    return {
        "rule": finding.rule.code,
        "message": finding.message,
        "place": _place_as_data(finding.place),
        "trace": [[_place_as_data(s.place), s.label, s.note] for s in finding.trace],
        "error": finding.error,
        "outcome": _outcome_as_data(outcome),
        "declined": diagnosis.declined,
    }


def _outcome_as_data(outcome: Fix | Refused | None) -> list[str]:
    from dlfix.fixing.plans import Fix

    if outcome is None:
        return ["nothing"]
    if isinstance(outcome, Fix):
        return ["fix", outcome.message, outcome.applicability.value, outcome.why_unsafe]
    return ["refused", outcome.reason]


def _place_as_data(place: Place) -> list[Any]:
    start, end = place.span.start, place.span.end
    return [str(place.path), start.row, start.column, end.row, end.column]


def _read(data: Any) -> Answer | None:
    try:
        loaders, others, unknown = map(int, data["extent"])
        return Answer(
            _diagnoses(data["diagnoses"]),
            [_error(each) for each in data["unreadable"]],
            [_error(each) for each in data["serious"]],
            cut_short=bool(data["cut_short"]),
            extent=(loaders, others, unknown),
        )
    except (ValueError, TypeError, LookupError):
        return None


def _diagnoses(rows: list[dict[str, Any]]) -> list[Diagnosis]:
    if not rows:
        return []
    from dlfix.rules.registry import all_rules

    rules = {rule.code: rule for rule in all_rules()}
    return [_diagnosis(row, rules) for row in rows]


def _diagnosis(row: dict[str, Any], rules: dict[str, type[Rule]]) -> Diagnosis:
    from dlfix.fixing.outcomes import Diagnosis
    from dlfix.rules.base import Finding, Step

    trace = tuple(Step(_place_of(place), label, note) for place, label, note in row["trace"])
    finding = Finding(
        rules[row["rule"]], row["message"], _place_of(row["place"]), trace, row["error"]
    )
    return Diagnosis(finding, _outcome(*row["outcome"]), row["declined"])


def _outcome(kind: str, *said: str) -> Fix | Refused | None:
    from dlfix.fixing.plans import Applicability, Fix, Refused

    if kind == "refused":
        return Refused(said[0])
    if kind == "fix":
        return Fix(said[0], Applicability(said[1]), (), said[2])
    return None


def _place_of(data: list[Any]) -> Place:
    path, row, column, end_row, end_column = data
    return Place(Path(path), Span(Position(row, column), Position(end_row, end_column)))


def _error(data: list[Any]) -> SourceError:
    path, row, reason = data
    return SourceError(Path(path), row, reason)
