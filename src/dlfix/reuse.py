"""Answers that outlive an edit, because nothing that was asked of the project has another answer after it.

It is the comparison of the language server (`Project.still`), with what was asked taken from disk. Beside each answer is
kept what was asked and the texts as they were. What cannot be compared is worked out again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix import results
from dlfix.answers import Answer, written
from dlfix.project import record
from dlfix.project.lazily import Each
from dlfix.project.roots import PACKAGING
from dlfix.session import SYNTAX_BUDGET, Session, after_edits
from dlfix.source import seen

if TYPE_CHECKING:
    from dlfix.project.project import Project

Data = dict[str, Any]


def keep(path: Path, part: Session, answer: Answer, noted: Data) -> None:
    """Keep an answer, with what was asked for it."""
    project, number = part.project, secrets.token_hex(8)
    asked = {
        "number": number,
        "asked": record.taken(project),
        "texts": Each(filter(_has_text(project), project.read), lambda file: _text(project, file)),
        "sizes": [(str(file), length) for file, length in part.sizes(project)],
    }  # fmt: skip
    _save(path, {"seen": noted, "answer": written(answer), "number": number}, asked)


def _save(path: Path, entry: Data, asked: Data) -> None:
    results.save(_beside(path), {"seen": _NOTHING, **asked})
    results.save(path, entry)


_NOTHING: Data = {"files": {}, "folders": {}, "answers": []}  # the answer says what was looked at


def _beside(path: Path) -> Path:
    """Return where what was asked is kept."""
    return path.with_name(results.name("asked", path.name))


def _has_text(project: Project) -> Callable[[Path], bool]:
    """Return whether a file's text can be had again from its text."""

    def has_text(file: Path) -> bool:
        source = project.unnoted(file)
        return source is not None and source.encoding == "utf-8" and file.suffix != ".ipynb"

    return has_text


def _text(project: Project, file: Path) -> str | None:
    """Return the text of a file that can be had again from its text; of most nobody else asked for it, so it is not kept."""
    source = project.unnoted(file)
    return source.data.decode() if source is not None and _has_text(project)(file) else None


def unseen(
    path: Path, part: Session, entry: Data, answer: Answer, edited: Sequence[Path]
) -> Data | None:
    """Return what was looked at for an answer, the edited files as they are now; None if it may be another now."""
    asked = results.load(_beside(path))
    if asked is None or asked["number"] != entry["number"]:
        return None
    if not all(str(file) in asked["texts"] and file.name not in PACKAGING for file in edited):
        return None
    with seen.apart() as noted:
        again = _compared(part, asked, answer, edited)
    if again is None or not noted.steady:
        return None
    looked = entry["seen"] = seen.with_changes(entry["seen"], noted.as_data())
    asked["number"] = entry["number"] = secrets.token_hex(8)
    for file in edited:
        asked["asked"]["files"][str(file)] = record.of_file(again, file)
        asked["texts"][str(file)] = _text(again, file)
    _save(path, entry, asked)
    return looked


def _compared(
    part: Session, asked: Data, answer: Answer, edited: Collection[Path]
) -> Project | None:
    """Return a project of which was asked what was asked of the edited one, if the answers are the same."""
    texts = {file: asked["texts"][str(file)] for file in edited}
    before = record.restored(asked["asked"], part.files, texts, edited)
    if before is None:
        return None
    found = after_edits(before, {}, edited, answer.diagnoses)
    if found is None:
        return None
    after, _ = found
    return after if _parses_the_same(asked, after, edited) else None


def _parses_the_same(asked: Data, after: Project, edited: Collection[Path]) -> bool:
    """Return whether the same files are parsed for the sake of syntax errors; note how long the edited ones are."""
    before = dict(asked["sizes"])
    sources = ((str(file), after.unnoted(file)) for file in edited)
    now = {name: len(source.data) for name, source in sources if source is not None}
    asked["sizes"] = [(name, now.get(name, length)) for name, length in asked["sizes"]]
    return _parsed(before) == _parsed(dict(asked["sizes"]))


def _parsed(sizes: Mapping[str, int]) -> tuple[int, bool]:
    """Return how many of some files are parsed, and whether those after them are not."""
    ends = [*accumulate(sizes.values())]
    return sum(end < SYNTAX_BUDGET for end in ends), bool(ends) and ends[-1] >= SYNTAX_BUDGET
