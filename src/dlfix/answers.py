"""What there is to say of a project that is checked by itself, and the same as plain data to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix.source.text import Place, Position, SourceError, Span

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Diagnosis
    from dlfix.fixing.plans import Fix, Refused
    from dlfix.rules.base import Finding, Rule


@dataclass(frozen=True)
class Answer:
    """What there is to say of one project."""

    diagnoses: Sequence[Diagnosis]
    unreadable: Sequence[SourceError]
    serious: Sequence[SourceError]
    bugs: Sequence[str] = ()
    cut_short: bool = False
    extent: tuple[int, int, int] = (0, 0, 0)  # as `Extent` has it
    cut_at: Sequence[Place] = ()  # the boundaries that were not followed to their ends
    hidden: int = 0  # findings that only a `noqa` without codes leaves out


def written(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain data."""
    return {
        "diagnoses": [_diagnosis_as_data(each) for each in answer.diagnoses],
        "unreadable": [[str(e.path), e.row, e.reason] for e in answer.unreadable],
        "serious": [[str(e.path), e.row, e.reason] for e in answer.serious],
        "cut_short": answer.cut_short,
        "extent": answer.extent,
        "cut_at": [_place_as_data(place) for place in answer.cut_at],
        "hidden": answer.hidden,
    }


def _diagnosis_as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        **_finding_as_data(diagnosis.finding),
        "outcome": _outcome_as_data(diagnosis.outcome),
        "declined": diagnosis.declined,
        "also": [_finding_as_data(each) for each in diagnosis.also],
    }


def _finding_as_data(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.code,
        "message": finding.message,
        "place": _place_as_data(finding.place),
        "trace": [[_place_as_data(s.place), s.label, s.note] for s in finding.trace],
        "error": finding.error,
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


def read(data: Any) -> Answer | None:
    """Return the answer that plain data is of; None where it is damaged."""
    try:
        loaders, others, unknown = map(int, data["extent"])
        return Answer(
            _diagnoses(data["diagnoses"]),
            [_error(each) for each in data["unreadable"]],
            [_error(each) for each in data["serious"]],
            cut_short=bool(data["cut_short"]),
            extent=(loaders, others, unknown),
            cut_at=[_place_of(each) for each in data["cut_at"]],
            hidden=int(data["hidden"]),
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

    also = tuple(_finding(each, rules) for each in row["also"])
    outcome = _outcome(*row["outcome"])
    return Diagnosis(_finding(row, rules), outcome, row["declined"], also=also)


def _finding(row: dict[str, Any], rules: dict[str, type[Rule]]) -> Finding:
    from dlfix.rules.base import Finding, Step

    trace = tuple(Step(_place_of(place), label, note) for place, label, note in row["trace"])
    return Finding(rules[row["rule"]], row["message"], _place_of(row["place"]), trace, row["error"])


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
