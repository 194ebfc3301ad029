"""What is refused in notebooks: a worker process cannot import a kernel's `__main__`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Refused
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.fixing.plans import Edit
    from dlfix.rules.base import Finding

STRANDED = "DLF106"
# What these put at module level has to be imported by the workers.
DEFINING = frozenset({"module_level_callables", "module_level_classes", "worker_globals"})


def refusal(finding: Finding) -> Refused | None:
    """Return why a definition that is sent stays where it is; None for other findings."""
    return stranded((finding,)) if finding.code == STRANDED else None


def cannot_help(edit: Edit) -> bool:
    """Tell whether an edit puts into a notebook what a worker has to import."""
    return is_notebook(edit.path) and edit.codemod in DEFINING


def stranded(findings: Sequence[Finding]) -> Refused:
    """Refuse to leave in a notebook, or to put there, what is sent to the workers."""
    return Refused(
        f"a worker cannot import names defined in a notebook; move {_named(findings[0])} and "
        "the names it uses into a module next to the notebook"
    )


def _named(finding: Finding) -> str:
    from dlfix.rules.reading.callables import definition

    found = definition(getattr(finding.evidence, "value", None))
    if found is None:
        return "it"
    return f"`{found.node.name}`" if hasattr(found.node, "name") else "the lambda"
