"""Going through fixes one at a time, like `git add -p`."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from dlfix.fixing.outcomes import Choice, Edited
from dlfix.report import diff
from dlfix.report.text import headline, path_tree
from dlfix.report.view import View
from dlfix.source.notebook import is_notebook
from dlfix.source.text import SourceError, contents, decode

if TYPE_CHECKING:
    from dlfix.fixing.outcomes import Proposal

HELP = """\
y - apply this fix
n - leave it
e - edit the result in $EDITOR, and apply that
i - leave it, and suppress it with a comment
s - leave this and all others of this rule
a - apply this and all that follow
d - leave this and all others in this file
b - go back to the fix before
q - leave this and all that follow; the accepted fixes are written
Ctrl-C - stop; nothing is written
? - this help"""


class Back(Exception):
    """The answer to the fix before is to be given again."""


@dataclass
class Chooser:
    """Shows each proved fix and asks; remembers the answers, so that the last can be taken back."""

    view: View
    console: Console
    ask: Callable[[str], str]
    wide: bool = False
    before: Callable[[], None] = lambda: None  # called before something is shown
    yes_to_all: bool = False
    quit: bool = False
    left: set[Path | str] = field(default_factory=set)  # files, and codes of rules
    answers: list[str] = field(default_factory=list)  # to the fixes that were shown
    edited: dict[int, Mapping[Path, str]] = field(default_factory=dict)  # by number of the fix
    shown: int = 0
    _place: str = ""  # of the finding at hand

    @property
    def accepted(self) -> int:
        """How many fixes were accepted."""
        return sum(answer in ("y", "a", "e") for answer in self.answers)

    def rewind(self) -> None:
        """Forget the last answer; those before are given by themselves when it is gone through again."""
        self.answers.pop()
        self.shown = 0
        self.yes_to_all = self.quit = False
        self.left = set()

    def __call__(self, proposal: Proposal) -> Choice | Edited:
        """Return what is to become of the fix."""
        first = proposal.findings[0]
        path, code = first.place.path, first.code
        if self.quit or path in self.left or code in self.left:
            return Choice.LEAVE
        if self.yes_to_all:
            return Choice.APPLY
        if proposal.problem:  # with the text that was edited: the question is asked again
            self.console.print(
                f"The edited text was rejected: {proposal.problem}", style="bold red"
            )
            self.answers.pop()
            self.shown -= 1
        self.shown += 1
        if self.shown > len(self.answers):
            self.before()
            if not proposal.problem:
                self._show(proposal)
            # Where the diff is long, this is all of the finding that is still in view.
            self._place = f"{code} at {self.view.spot(first.place).shown}"
            self.answers.append(self._answer(proposal, self.shown + proposal.waiting - 1))
        if self.answers[self.shown - 1] == "e":
            return Edited(self.edited[self.shown])
        return self._takes(self.answers[self.shown - 1], path, code)

    def _show(self, proposal: Proposal) -> None:
        from dlfix.fixing.engine import Diagnosis

        view = View(self.view.session, [Diagnosis(one, proposal.fix) for one in proposal.findings])
        for entry in view.entries:
            self.console.print(
                "",
                headline(entry),
                path_tree(entry.trace, self.console.width),
                sep="\n",
                soft_wrap=True,
            )
        note = f" (unsafe: {proposal.fix.why_unsafe})" if proposal.fix.why_unsafe else ""
        self.console.print(Text(f"\n{proposal.fix.message}{note}\n", style="bold green"))
        for path, after in proposal.after.items():
            for sheet in view.sheets(path, proposal.before[path], after):
                diff.show(self.console, *sheet, wide=self.wide)

    def _answer(self, proposal: Proposal, last: int) -> str:
        while True:
            question = (
                f"Fix {self.shown} of {last}, {self._place}: apply it [y,n,e,i,s,a,d,b,q,?]? "
            )
            answer = self.ask(question).strip().lower()[:1]
            if answer == "b" and self.answers:
                raise Back
            if answer == "e":
                texts = self._edited(proposal)
                if texts is not None:
                    self.edited[self.shown] = texts
                    return answer
                continue
            if answer and answer in "ynisadq":
                return answer
            self.console.print("This is the first fix." if answer == "b" else HELP)

    def _edited(self, proposal: Proposal) -> Mapping[Path, str] | None:
        """Return what a person makes of the result in their editor; None where that fails."""
        editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        problem = "" if editor else "set $EDITOR to edit a result"
        if any(map(is_notebook, proposal.after)):
            problem = "the result is a notebook and cannot be edited"
        with tempfile.TemporaryDirectory(prefix="dlfix-") as folder:
            copies = {
                path: Path(folder, f"{n}_{path.name}") for n, path in enumerate(proposal.after)
            }
            for path, copy in copies.items():
                copy.write_bytes(proposal.after[path].encode(errors="surrogatepass"))
            try:
                if not problem and subprocess.call([*editor, *map(str, copies.values())]):
                    problem = f"{editor[0]} failed"
                if not problem:
                    return {
                        path: decode(copy, contents(copy)).text for path, copy in copies.items()
                    }
            except (OSError, SourceError) as error:
                problem = str(error)
        self.console.print(f"Not edited: {problem}.", style="bold red")
        return None

    def _takes(self, answer: str, path: Path, code: str) -> Choice:
        """Remember what an answer says of later fixes; return what it says of this one."""
        self.yes_to_all = answer == "a"
        self.quit = answer == "q"
        if answer == "d":
            self.left.add(path)
        if answer == "s":
            self.left.add(code)
        if answer == "i":
            return Choice.IGNORE
        return Choice.APPLY if answer in ("y", "a") else Choice.LEAVE
