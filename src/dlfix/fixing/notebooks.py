"""What notebooks need: a worker process cannot import a kernel's `__main__`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Refused
from dlfix.source.notebook import is_notebook

if TYPE_CHECKING:
    from dlfix.fixing.plans import Edit
    from dlfix.rules.base import Finding

STRANDED = "DLF106"
MOVING = "notebook_modules"
NOT_MOVED = "a worker cannot import names defined in a notebook"
# What these put at module level has to be imported by the workers.
DEFINING = frozenset({"module_level_callables", "module_level_classes", "worker_globals"})


def module_path(notebook: Path) -> Path:
    """Return the module next to a notebook that takes what the workers import."""
    name = re.sub(r"\W+", "_", notebook.stem, flags=re.ASCII).strip("_")
    if not name[:1].isalpha():
        name = f"notebook_{name}".rstrip("_")
    return notebook.with_name(f"{name}_workers.py")


def codemods(finding: Finding) -> tuple[str, ...]:
    """Return the codemods that may fix a finding, the usual one first."""
    usual = finding.rule.codemods
    if finding.rule.needs_evidence and finding.evidence is None:
        return ()
    if not is_notebook(finding.place.path):
        return usual
    value = getattr(finding.evidence, "value", None)
    if finding.code == STRANDED:
        return (MOVING,)
    if not hasattr(value, "node"):
        return usual
    return tuple(dict.fromkeys(MOVING if each in DEFINING else each for each in usual))


def cannot_help(edit: Edit) -> bool:
    """Return whether an edit puts into a notebook what a worker has to import."""
    return is_notebook(edit.path) and edit.codemod in DEFINING


def stranded(findings: Sequence[Finding]) -> Refused:
    """Refuse to leave in a notebook, or to put there, what is sent to the workers."""
    return Refused(
        f"a worker cannot import names defined in a notebook; move {_named(findings[0])} "
        "and the names that it uses to a module"
    )


def _named(finding: Finding) -> str:
    from dlfix.rules.reading.callables import definition

    found = definition(getattr(finding.evidence, "value", None))
    if found is None:
        return "it"
    return f"`{found.node.name}`" if hasattr(found.node, "name") else "the lambda"
