"""DLF105: a callable reaches the workers whose name does not lead back to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class CallableNotFoundByName(Rule):
    """A callable reaches the workers whose name does not lead back to it.

    ## What it does

    Pickle writes down a name and looks it up again. It fails for `f = lambda ...` at module level (its
    name is `<lambda>`), for a function whose decorator returns another one without `functools.wraps`,
    and for a function or class whose name was bound to something else.

    ## The error you see

    With torch 2.13 on Python 3.11:

        PicklingError: Can't pickle <function <lambda> at 0x...>: attribute lookup <lambda> on __main__ failed

    ## Example

        identity = lambda x: x

    ## Use instead

        def identity(x):
            return x

    ## Fix safety

    Safe for a lambda that becomes a `def` of the same name, and for a decorator that gets
    `functools.wraps`. A name that is bound twice is refused.

    ## How to switch it off

    `# dlfix: ignore[DLF105]` on the line of the culprit or of the boundary, or `ignore = ["DLF105"]`.
    """

    code = "DLF105"
    name = "callable-not-found-by-name"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each callable that crosses and is not found by its name."""
        for crossing in analysis.pickled:
            problem = callables.problem(crossing, analysis)
            if problem in ("named", "decorated", "shadowed"):
                yield callables.finding(type(self), crossing, callables.said(problem, crossing))
