"""Going through fixes one at a time, like `git add -p`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from dlfix.report import diff
from dlfix.report.text import headline, path_tree
from dlfix.report.view import View

if TYPE_CHECKING:
    from dlfix.fixing.engine import Proposal

HELP = """\
y - apply this fix
n - leave it
a - apply this and all that follow
d - leave this and all others in this file
q - leave this and all that follow; what was said yes to is written
? - this help"""


@dataclass
class Chooser:
    """Shows each proved fix and asks; remembers what a, d and q said."""

    view: View
    console: Console
    ask: Callable[[str], str]
    wide: bool = False
    before: Callable[[], None] = lambda: None  # called before something is shown
    yes_to_all: bool = False
    quit: bool = False
    left: set[Path] = field(default_factory=set)

    def __call__(self, proposal: Proposal) -> bool:
        """Tell whether the fix is to be applied."""
        path = proposal.findings[0].place.path
        if self.quit or path in self.left:
            return False
        if self.yes_to_all:
            return True
        self.before()
        self._show(proposal)
        return self._answer(path)

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

    def _answer(self, path: Path) -> bool:
        while True:
            answer = self.ask("Apply this fix [y,n,a,d,q,?]? ").strip().lower()[:1]
            if answer == "a":
                self.yes_to_all = True
            if answer in ("y", "a"):
                return True
            if answer == "d":
                self.left.add(path)
            if answer == "q":
                self.quit = True
            if answer in ("n", "d", "q"):
                return False
            self.console.print(HELP)
