"""Carrying fixes out on texts: one LibCST parse a file, and one rewrite for all its fixes together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing import joined_plans, registry
from dlfix.fixing.indentation import indented_as_usual
from dlfix.fixing.lines import LineMap, Moved, moved, spans_of
from dlfix.fixing.rendering import code_of

if TYPE_CHECKING:
    import libcst as cst

    from dlfix.fixing.plans import Edit, Fix, Plan


class Failed(Exception):
    """A fix could not be carried out; the message is the reason to report."""


class Sheet:
    """One file under rewriting; plans made for its first text are carried along."""

    def __init__(self, text: str) -> None:
        import libcst as cst

        from dlfix.fixing.untouched import rested

        self.first = text
        try:
            self.parsed: cst.Module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise Failed(f"LibCST cannot parse line {error.raw_line}") from error
        if self.parsed.default_indent.strip(" \t"):
            raise Failed("the file is indented with characters other than spaces and tabs")
        if code_of(self.parsed) != text:
            raise Failed("LibCST does not reproduce the file exactly")
        self.parsed = rested(indented_as_usual(self.parsed, text))
        self.reset()

    def reset(self) -> None:
        """Go back to the first text."""
        self.module, self.text = self.parsed, self.first

    def carry_out(self, rewrite: Callable[[cst.Module, Plan], cst.Module], plan: Plan) -> None:
        """Carry one plan out; raise Moved where an earlier one changed its place."""
        from dlfix.fixing.untouched import awake_at, rested

        if self.text != self.first:
            plan = moved(plan, LineMap(self.first, self.text))
        with awake_at(self.module, spans_of(plan)):
            self.module = rested(rewrite(self.module, plan))  # LibCST makes what it visits anew
        self.text = code_of(self.module)


@dataclass(frozen=True)
class Carried:
    """What came of some fixes: their numbers, and the texts that those that are `done` make."""

    texts: Mapping[Path, str]
    done: tuple[int, ...]
    waiting: tuple[int, ...]  # those that others get in the way of
    failed: Mapping[int, str]


class Sheets:
    """Files under rewriting, each parsed once for each text it has."""

    def __init__(self, read: Callable[[Path], str]) -> None:
        self._read = read
        self._sheets: dict[Path, Sheet] = {}
        self._unusable: dict[Path, str] = {}
        self._made: dict[Path, list[_Made]] = {}
        self.parses = 0
        self.renders = 0

    def forget(self, paths: Mapping[Path, str]) -> None:
        """Let go of files that have other texts now."""
        for path in paths:
            self._sheets.pop(path, None)
            self._unusable.pop(path, None)
            self._made.pop(path, None)

    def carry_out(self, fixes: Sequence[Fix]) -> Carried:
        """Carry out all of these fixes that can be carried out together, each wholly or not at all."""
        return _Batch(self, fixes).carried()

    def rewritten(self, path: Path, plans: Sequence[tuple[str, Plan]]) -> _Made:
        """Carry plans out in turn on a file's first text; once, however often a batch is repeated."""
        for made in self._made.get(path, ()):
            if made.plans == plans:
                return made
        sheet = self.of(path)
        sheet.reset()
        late = set()
        for index, (codemod, plan) in enumerate(plans):
            self.renders += 1
            again = sheet.text != sheet.first
            try:
                sheet.carry_out(registry.codemod(codemod).rewrite, plan)
            except Failed:
                raise
            except Exception:
                # A place that only looks the same after another fix is no bug: a later round plans again.
                if not again:
                    raise
                late.add(index)
        text = sheet.text if sheet.text != sheet.first else None
        made = _Made(tuple(plans), text, frozenset(late))
        self._made.setdefault(path, []).append(made)
        return made

    def of(self, path: Path) -> Sheet:
        """Return a file's sheet with its first text; raise Failed where LibCST cannot have it."""
        if path in self._unusable:
            raise Failed(self._unusable[path])
        if path not in self._sheets:
            self.parses += 1
            try:
                self._sheets[path] = Sheet(self._read(path))
            except Failed as failure:
                self._unusable[path] = str(failure)
                raise
        return self._sheets[path]


@dataclass(frozen=True)
class _Made:
    """What plans make of a file: its text, None where it stays, and which of them must wait."""

    plans: Sequence[tuple[str, Plan]]
    text: str | None
    late: frozenset[int]


@dataclass
class _Batch:
    """Some fixes by number, and how each fared."""

    sheets: Sheets
    fixes: Sequence[Fix]
    waiting: set[int] = field(default_factory=set)
    failed: dict[int, str] = field(default_factory=dict)

    def carried(self) -> Carried:
        done, texts = self._most(range(len(self.fixes)))
        return Carried(texts, tuple(done), tuple(sorted(self.waiting)), self.failed)

    def _most(self, numbers: Sequence[int]) -> tuple[list[int], dict[Path, str]]:
        """Return those of some fixes that can be carried out together, and what they make.

        All at once; where that fails, each half by itself, so that one that fails is found in
        a few steps.
        """
        if not numbers:
            return [], {}
        try:
            return self._together(numbers)
        except Exception as error:
            if len(numbers) == 1:
                self._give_up(numbers[0], error)
                return [], {}
        half = len(numbers) // 2
        first, texts = self._most(numbers[:half])
        rest, others = self._most(numbers[half:])
        if not first or not rest:
            return (first, texts) if first else (rest, others)
        try:
            return self._together([*first, *rest])
        except Exception:
            self.waiting.update(rest)
            return first, texts

    def _give_up(self, number: int, error: Exception) -> None:
        if isinstance(error, Moved):
            self.waiting.add(number)
        elif isinstance(error, Failed):
            self.failed[number] = str(error)
        else:
            self.failed[number] = bug(self.fixes[number].edits[0].codemod, error)

    def _together(self, numbers: Sequence[int]) -> tuple[list[int], dict[Path, str]]:
        """Carry fixes out file by file; those in whose way others get wait. Raise where one fails."""
        wanted = list(numbers)
        while True:
            late: set[int] = set()
            texts: dict[Path, str] = {}
            for path, edits in self._by_file(wanted).items():
                text = self._rewritten(path, edits, late)
                if text is not None:
                    texts[path] = text
            if not late:
                return wanted, texts
            self.waiting |= late
            wanted = [number for number in wanted if number not in late]
            if not wanted:
                return [], {}

    def _by_file(self, numbers: Sequence[int]) -> dict[Path, list[tuple[int, Edit]]]:
        files: dict[Path, list[tuple[int, Edit]]] = {}
        for number in numbers:
            for edit in self.fixes[number].edits:
                files.setdefault(edit.path, []).append((number, edit))
        return files

    def _rewritten(
        self, path: Path, edits: Sequence[tuple[int, Edit]], late: set[int]
    ) -> str | None:
        """Return what a file becomes, None where it stays; note in `late` who must wait."""
        joined = _joined(edits)
        made = self.sheets.rewritten(path, tuple((codemod, plan) for codemod, plan, _ in joined))
        for index in made.late:
            late |= joined[index][2]
        return made.text


def _joined(edits: Sequence[tuple[int, Edit]]) -> list[tuple[str, Plan, set[int]]]:
    """Return plans to carry out in turn, with the numbers of their fixes; few where they can be joined."""
    by_codemod: dict[str, list[tuple[int, Plan]]] = {}
    for number, edit in edits:
        by_codemod.setdefault(edit.codemod, []).append((number, edit.plan))
    found: list[tuple[str, Plan, set[int]]] = []
    for codemod, numbered in by_codemod.items():
        for plan, members in joined_plans.joined([plan for _, plan in numbered]):
            found.append((codemod, plan, {numbered[member][0] for member in members}))
    return found


def bug(where: str, error: Exception) -> str:
    """Describe dlfix's own mistake in one line."""
    what = " ".join(str(error).split())[:200]
    return f"internal error in {where} ({type(error).__name__}: {what}); please report it"
