"""DLF105: a callable that pickle cannot find by its name is sent to the workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import Derived
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class CallableNotFoundByName(Rule):
    """A callable that pickle cannot find by its name is sent to the workers.

    ## What it does

    Pickle stores the name of a function and looks it up when unpickling. This fails for `f = lambda ...` at
    module level (its name is `<lambda>`), for a function whose decorator does not use
    `functools.wraps`, for a wrapper that a call makes of another function and `functools.wraps`
    names after it, for a function or class whose name was assigned to another object, for a method with
    a class-private name (`__run` of `Job` is kept as `_Job__run`), for a method that is a lambda, and for a function of a file that
    was loaded by `importlib.util.module_from_spec` under a name that no import finds.

    ## The error you see

    With torch 2.13 on Python 3.11:

        PicklingError: Can't pickle <function <lambda> at 0x...>: attribute lookup <lambda> on __main__ failed

    ## Example

        from torch.utils.data import DataLoader


        identity = lambda batch: batch


        def train(rows):
            for batch in DataLoader(rows, collate_fn=identity, num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Use instead

        from torch.utils.data import DataLoader


        def identity(batch):
            return batch


        def train(rows):
            for batch in DataLoader(rows, collate_fn=identity, num_workers=2):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Fix safety

    The fix is safe for a lambda that becomes a `def` with the same name, for a decorator that
    gets `functools.wraps`, for a wrapper that a call makes: it becomes a partial, which
    `functools.update_wrapper` gives the name, and for a class-private method that gets a name with one
    underscore, where no code asks for it in another way. There is no fix for a wrapper that also decorates
    functions, for a name that is assigned twice, or for a function of
    a file that no import finds; put the file on the path and import it.

    ## How to turn it off

    `# dlfix: ignore[DLF105]` on the line of the object or of the boundary, or `ignore = ["DLF105"]`.
    """

    code = "DLF105"
    name = "callable-not-found-by-name"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each callable that crosses and is not found by its name."""
        for crossing in analysis.pickled:
            problem = callables.problem(crossing, analysis)
            if problem in ("named", "decorated", "shadowed", "private"):
                error = callables.not_the_same(crossing) if problem == "shadowed" else ""
                yield callables.finding(
                    type(self), crossing, callables.said(problem, crossing), error
                )
            elif problem == "unimportable" and isinstance(crossing.value, Derived):
                module = callables.module_of_file(crossing.value, analysis)
                error = f"Can't pickle <function ...>: import of module '{module}' failed"
                said = callables.said(problem, crossing)
                yield callables.finding(type(self), crossing, said, error)
