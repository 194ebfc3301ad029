"""The projects in a folder of projects: each is checked by itself, and its answer is kept.

So memory holds one project at a time, and a change in one asks for no other again. An answer that is kept is
plain data, as `results` keeps it, with all that was looked at for it.
"""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix import results
from dlfix.answers import Answer, read, written
from dlfix.project.surroundings import apart
from dlfix.session import Session, by_place
from dlfix.source import seen

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Diagnosis

FEW = 50  # files: a project's own cost is no matter then


def diagnoses(session: Session, *, plain: bool) -> list[Diagnosis]:
    """Return what the rules in force find, of a folder of projects each by itself.

    Plain ones say what there is, but neither how it is fixed nor what a planner would need.
    """
    session.answers = _answers(session, plain=plain)
    if not session.answers:
        return session.diagnoses()
    session.bugs += [bug for one in session.answers for bug in one.bugs]
    return sorted((d for one in session.answers for d in one.diagnoses), key=by_place)


def _answers(session: Session, *, plain: bool) -> list[Answer]:
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
    found = None if entry is None else read(entry.get("answer"))
    if entry is not None and found is not None and outer is not None:
        outer.take(entry["seen"])
        return found
    with seen.apart() as noted:
        found = _worked_out(part, plain=plain)
    data = noted.as_data()
    if outer is not None:
        outer.take(data, noted.steady)
    if path is not None and noted.steady and not found.bugs:
        results.save(path, {"seen": data, "answer": written(found)})
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
