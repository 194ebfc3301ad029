"""Rules asked, plans made, fixes carried out and proved until nothing more can be fixed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.diagnosis import Keep, find, plan
from dlfix.fixing.outcomes import Choose, Diagnosis, Proposal, Rewritten
from dlfix.fixing.rounds import Ask, Prefer, Run, Unsafe, lazy
from dlfix.reach.progress import Tell, silent
from dlfix.rules.base import Finding, Rule

if TYPE_CHECKING:
    from dlfix.catalog.catalog import Catalog
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis


def inspect(
    analysis: Analysis,
    rules: Iterable[type[Rule]],
    *,
    unsafe: Unsafe = False,
    keep: Keep | None = None,
    within: Collection[Path] | None = None,
    errors: list[str] | None = None,
    tell: Tell = silent,
    unfixable: Callable[[Finding], bool] = lambda finding: False,
    prefer: Prefer = lazy,
    creates: bool = True,
) -> list[Diagnosis]:
    """Ask all rules, and say of each finding what `rewrite` does about it; in order of place.

    A fix that is announced has been carried out and proved. `errors` takes up what dlfix itself
    did wrong; the other arguments are those of `rewrite`.
    """
    ask = Ask(analysis.catalog, tuple(rules), keep, within, tell, unfixable, prefer, creates)
    run = Run(ask, analysis)
    run.work((False, unsafe, True))
    if errors is not None:
        errors.extend(run.errors)
    return run.announced()


def rewrite(
    project: Project,
    catalog: Catalog,
    rules: Iterable[type[Rule]],
    *,
    unsafe: Unsafe = False,
    choose: Choose | None = None,
    keep: Keep | None = None,
    within: Collection[Path] | None = None,
    tell: Tell = silent,
    unfixable: Callable[[Finding], bool] = lambda finding: False,
    prefer: Prefer = lazy,
    creates: bool = True,
) -> Rewritten:
    """Apply fixes until nothing more can be fixed; nothing is written to disk.

    Only safe fixes, unless `unsafe`, of all findings or of one. With `choose`, each proved fix is
    shown to it first. `keep` leaves findings out (suppressed ones); `within` are the files that may
    change, all where it is None: a finding counts if it, its boundary or its fix is in one of them; `tell` hears how far it has come; nothing
    is done about what is `unfixable`. `prefer` chooses the form of a file's fixes where there are
    several.
    """
    ask = Ask(catalog, tuple(rules), keep, within, tell, unfixable, prefer, creates)
    run = Run(ask, ask.analysis(project, tell), choose)
    return run.rewritten(unsafe)


__all__ = [
    "Diagnosis", "Keep", "Proposal", "Rewritten", "Unsafe", "find", "inspect", "plan", "rewrite",
]  # fmt: skip
