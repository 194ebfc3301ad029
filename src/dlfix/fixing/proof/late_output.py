"""What the constructor prints, logs or warns of, and what now does so later: on first use."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.order import reached
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import Function, calls_in
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.syntax import LOG_METHODS

_SHOWING = frozenset({"print", "warnings.warn", "sys.stdout.write", "sys.stderr.write"})
_MOST = 60  # functions that construction is followed through


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what construction no longer shows, where a property does on first use."""
    if not change.made_lazy:
        return
    gone = _shown(change.old, change.constructed_before)
    late = set(_shown(change.new, _lazily(change)))
    kept = [(c, f) for c, f in change.constructed_after if f.name not in change.lazy]
    gone.subtract(_shown(change.new, kept))
    for text, count in sorted(gone.items()):
        if count > 0 and text in late:
            getter = next(iter(change.made_lazy.values()))
            yield change.regression(
                getter,
                f"`{text}` now runs when the resource is first used, not in the constructor "
                f"(line {getter.lineno})",
            )
            return


def _lazily(change: ClassChange) -> list[tuple[Class, Function]]:
    return reached(change.new, change.after, tuple(change.made_lazy))


def _shown(program: Program, functions: Iterable[tuple[Class, Function]]) -> Counter[str]:
    """Count the calls that show something, in methods and in the functions of the program that they call."""
    found: Counter[str] = Counter()
    waiting: list[tuple[Module, Function]] = [(cls.module, each) for cls, each in functions]
    for module, function in waiting:
        for call in calls_in(function.body):
            if _shows(module, call):
                found[ast.unparse(call)] += 1
            known = program.function_of(module, call.func)
            if known is not None and known not in waiting and len(waiting) < _MOST:
                waiting.append(known)
    return found


def _shows(module: Module, call: ast.Call) -> bool:
    name = ImportTime(module.tree).full_name(call.func)
    if name in _SHOWING:
        return True
    owner, _, method = name.rpartition(".")
    return method in LOG_METHODS and "log" in owner.rpartition(".")[2].lower()


__all__ = ["check"]
