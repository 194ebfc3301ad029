"""DLF900: a suppression comment that suppresses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from dlfix.rules.base import Finding, Rule, Severity

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class UnusedSuppression(Rule):
    """A comment that leaves out a finding which is not there.

    ## What it does

    Finds `# dlfix: ignore[...]` and `# dlfix: ignore-file[...]` comments, and `# noqa` comments that name a code of dlfix, on lines
    where dlfix finds nothing of the kind (any more).

    ## The error you see

    None. But the next finding on that line, a new one that matters, would be left out in silence.

    ## Example

    ```python
    loader = DataLoader(clips, collate_fn=collate)  # dlfix: ignore[DLF101]
    ```

    ## Use instead

    ```python
    loader = DataLoader(clips, collate_fn=collate)
    ```

    ## Fix safety

    Safe: only the comment goes, and of a comment that names several codes only the idle ones.

    ## How to switch it off

    `ignore = ["DLF900"]` under `[tool.dlfix]`, or `--ignore DLF900`.
    """

    code: ClassVar[str] = "DLF900"
    name: ClassVar[str] = "unused-suppression"
    severity: ClassVar[Severity] = "warning"
    codemods: ClassVar[tuple[str, ...]] = ()  # its fix is a piece of text that goes
    fixed_without_codemod: ClassVar[bool] = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield nothing: what is unused is known only once all other rules were asked."""
        return iter(())
