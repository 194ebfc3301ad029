"""DLF900: an ignore comment does not suppress a finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from dlfix.rules.base import Finding, Rule, Severity

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class UnusedSuppression(Rule):
    """An ignore comment does not suppress a finding.

    ## What it does

    Finds `# dlfix: ignore[...]` and `# dlfix: ignore-file[...]` comments, and `# noqa` comments
    with a dlfix code, that do not suppress a finding.

    ## The error you see

    None, but a new finding on that line would be suppressed silently.

    ## Example

        from torch.utils.data import DataLoader


        def collate(batch):
            return batch


        if __name__ == "__main__":
            for batch in DataLoader(range(8), collate_fn=collate, num_workers=2):  # dlfix: ignore[DLF101]
                print(batch)

    ## Use instead

        from torch.utils.data import DataLoader


        def collate(batch):
            return batch


        if __name__ == "__main__":
            for batch in DataLoader(range(8), collate_fn=collate, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is safe: it removes the comment, or only the unused codes of a comment with several codes.

    ## How to turn it off

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
