"""The projects in a folder of projects: each is checked, and rewritten, by itself; an answer of `check` is kept.

So memory holds one project at a time, and a change in one asks for no other again. An answer that is kept is
plain data, as `results` keeps it, with all that was looked at for it. After an edit it counts if nothing would
notice the edit that was asked of the project (`reuse`).
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix import results, reuse
from dlfix.answers import Answer, read
from dlfix.project.surroundings import apart
from dlfix.session import Outcome, Session, by_place
from dlfix.source import seen

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Choose, Diagnosis

FEW = 50  # files: a project's own cost is no matter then


def diagnoses(session: Session, *, plain: bool, kept: bool = True) -> list[Diagnosis]:
    """Return what the rules in force find, of a folder of projects each by itself; without `kept` nothing is kept of it.

    Plain ones say what there is, but neither how it is fixed nor what a planner would need.
    """
    session.answers = _answers(session, plain=plain, kept=kept)
    if not session.answers:
        return session.diagnoses()
    session.bugs += [bug for one in session.answers for bug in one.bugs]
    return sorted((d for one in session.answers for d in one.diagnoses), key=by_place)


def rewrite(session: Session, choose: Choose | None = None) -> Outcome:
    """Apply fixes as `Session.rewrite` does, in a folder of projects to each by itself: nothing of another is in the way."""
    groups = _groups(session)
    if len(groups) < 2:
        return session.rewrite(choose=choose)
    session.by_parts = True
    session.answers = []
    outcomes = []
    for part in map(session.part, groups):
        outcomes.append(part.rewrite(choose=choose))
        session.answers.append(_answer_of(part, ()))
    return _joined(session, outcomes)


def _joined(session: Session, outcomes: Sequence[Outcome]) -> Outcome:
    """Return what came of the projects of a folder as one."""
    after = {path: text for one in outcomes for path, text in one.after.items()}
    return Outcome(
        tuple(each for one in outcomes for each in one.changes),
        {path: text for one in outcomes for path, text in one.before.items()},
        after,
        tuple(each for one in outcomes for each in one.applied),
        tuple(each for one in outcomes for each in one.left),
        session.project.with_texts(after),
        tuple(dict.fromkeys(each for one in outcomes for each in one.errors)),
        tuple(each for one in outcomes for each in one.left_before),
    )


def _groups(session: Session) -> list[tuple[Path, ...]]:
    """Return the files of each project; none where they are few, or a text is not on disk."""
    if len(session.files) <= FEW or session.texts or session.loose:
        return []
    if not {*session.around} <= {*session.files}:
        return []
    return apart(session.files, session.bytes_of)


def _answers(session: Session, *, plain: bool, kept: bool) -> list[Answer]:
    """Return the answer about each project; none where nothing is kept, and the files are not those of several."""
    groups = _groups(session)
    several = len(groups) > 1
    outer = seen.watched() if kept else None
    parts = map(session.part, groups)
    found = [_answer(part, outer, plain=plain, several=several) for part in parts]
    answers = [one for one in found if one is not None]
    session.by_parts = bool(answers)
    return answers


def _answer(part: Session, outer: seen.Seen | None, *, plain: bool, several: bool) -> Answer | None:
    """Return the answer about a project; None where it is the only one, and its answer is not kept."""
    path = _place(part) if outer is not None else None
    if path is None or outer is None:
        found = _worked_out(part, plain=plain) if several else None
    else:
        found = _kept(part, path, outer, plain=plain) or _made(part, path, outer, plain=plain)
    if several:  # memory holds one project at a time
        part.__dict__.clear()
        gc.collect()
    return found


def _made(part: Session, path: Path, outer: seen.Seen, *, plain: bool) -> Answer:
    """Work an answer out, and keep it without the edits of fixes."""
    part.noting = True
    with seen.apart() as noted:
        found = _worked_out(part, plain=plain)
    data = noted.as_data()
    outer.take(data, noted.steady)
    if noted.steady and not found.bugs:
        reuse.keep(path, part, found, data)
    return found


def _kept(part: Session, path: Path, outer: seen.Seen, *, plain: bool) -> Answer | None:
    """Return the answer that is kept, if it still counts; none with fixes where their edits are wanted."""
    loaded = results.load_edited(path)
    if loaded is None:
        return None
    entry, edited = loaded
    found, noted = read(entry.get("answer")), entry["seen"]
    if found is None or not (plain or _is_whole(found)):
        return None
    if edited:
        again = reuse.unseen(path, part, entry, found, [*map(Path, edited)])
        found, noted = (found, again) if again is not None else (None, noted)
    if found is not None:
        outer.take(noted)
    return found


def _is_whole(answer: Answer) -> bool:
    """Return whether nothing of an answer is left out where it is kept: it has no fixes, whose edits would be."""
    from dlfix.fixing.plans import Fix

    return not any(isinstance(each.outcome, Fix) for each in answer.diagnoses)


def _place(part: Session) -> Path | None:
    files = [str(path) for path in part.files]
    scopes = [repr(settings) for settings in part.scopes.values()]
    return results.place(part.settings, "part", files, sorted(map(str, part.named)), scopes)


def _worked_out(part: Session, *, plain: bool) -> Answer:
    """Ask what there is to say."""
    return _answer_of(part, [_bare(each, plain=plain) for each in part.diagnoses()])


def _answer_of(part: Session, diagnoses: Sequence[Diagnosis]) -> Answer:
    """Return what there is to say of a project that has been read."""
    extent = (part.extent.loaders, part.extent.others, part.extent.unknown)
    troubles = part.unreadable(), part.serious(), part.bugs, part.cut_short
    return Answer(diagnoses, *troubles, extent, part.cut_at, part.hidden)


def _bare(diagnosis: Diagnosis, *, plain: bool) -> Diagnosis:
    """Return a diagnosis without what a planner would need, and plainly without the fix's edits."""
    from dlfix.fixing.plans import Fix

    outcome = diagnosis.outcome
    if plain and isinstance(outcome, Fix):
        outcome = replace(outcome, edits=())
    finding = replace(diagnosis.finding, evidence=None, ways=frozenset(), brings=frozenset())
    return replace(diagnosis, finding=finding, outcome=outcome)
