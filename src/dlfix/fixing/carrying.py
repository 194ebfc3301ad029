"""Carrying fixes out on texts: one LibCST parse a file, however many fixes touch it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing import registry
from dlfix.fixing.lines import LineMap, Moved, moved

if TYPE_CHECKING:
    import libcst as cst

    from dlfix.fixing.plans import Edit, Fix, Plan


class Failed(Exception):
    """A fix could not be carried out; the message is the reason to tell."""


class Sheet:
    """One file under rewriting; plans made for its first text are carried along."""

    def __init__(self, text: str) -> None:
        import libcst as cst

        self.first = text
        try:
            self.module: cst.Module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise Failed(f"LibCST cannot parse line {error.raw_line}") from error
        if self.module.default_indent.strip(" \t"):
            raise Failed("it is indented by other characters than spaces and tabs")
        if self.module.code != text:
            raise Failed("LibCST does not keep this file to the byte")

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self.module.code

    def carry_out(self, rewrite: Callable[[cst.Module, Plan], cst.Module], plan: Plan) -> None:
        """Carry one plan out; raise Moved where an earlier one changed its place."""
        text = self.text
        if text != self.first:
            plan = moved(plan, LineMap(self.first, text))
        self.module = rewrite(self.module, plan)


class Sheets:
    """The files of one round, each parsed once."""

    def __init__(self, read: Callable[[Path], str]) -> None:
        self._read = read
        self._sheets: dict[Path, Sheet] = {}

    def carry_out(self, fix: Fix) -> None:
        """Carry out all edits of a fix, or none; raise Moved or Failed."""
        kept = {path: sheet.module for path, sheet in self._sheets.items()}
        try:
            for edit in fix.edits:
                self._edit(edit)
        except BaseException:
            for path, module in kept.items():
                self._sheets[path].module = module
            for path in self._sheets.keys() - kept.keys():
                del self._sheets[path]
            raise

    def _edit(self, edit: Edit) -> None:
        if edit.path not in self._sheets:
            self._sheets[edit.path] = Sheet(self._read(edit.path))
        sheet = self._sheets[edit.path]
        again = sheet.text != sheet.first
        try:
            sheet.carry_out(registry.codemod(edit.codemod).rewrite, edit.plan)
        except (Moved, Failed):
            raise
        except Exception as error:
            # A place that only looks the same after another fix is no bug: the next round plans anew.
            if again:
                raise Moved from error
            raise Failed(bug(edit.codemod, error)) from error

    def texts(self) -> dict[Path, str]:
        """Return the texts that are no longer what they were."""
        now = {path: sheet.text for path, sheet in self._sheets.items()}
        return {path: text for path, text in now.items() if text != self._sheets[path].first}


def bug(where: str, error: Exception) -> str:
    """Tell of dlfix's own mistake in one line."""
    what = " ".join(str(error).split())[:200]
    return f"internal error in {where} ({type(error).__name__}: {what}); please report it"
