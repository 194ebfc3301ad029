"""DLF209: an exception raised in a worker cannot be unpickled in the parent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.trees import walk
from dlfix.reach.values import Class, External, Instance
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.rules.reading import exceptions, lost_exceptions, reached

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

_HIDDEN = frozenset({"DataLoader", "dataset", "Queue"})


@dataclass(frozen=True)
class Lost:
    """What the planner reads: an exception class that torch cannot make of one text."""

    name: str
    place: Place


class UnpicklableException(Rule):
    """An exception raised in a worker cannot be unpickled in the parent.

    ## What it does

    Checks the exceptions raised by functions that run in a pool, and reports classes whose
    `__init__` cannot be called with the arguments that it passes to `super().__init__`. Pickle
    recreates the exception from `args`, which holds the arguments of `Exception.__init__`: one
    message instead of two arguments. Classes whose arguments match or have defaults, or that define
    `__reduce__`, are not reported. A loader does not pickle exceptions: it calls the class with one
    string, and raises a `RuntimeError` if the call fails. Exceptions that only a dataset raises are
    reported if `__init__` cannot take one argument and the loop over the loader has an `except` for them.

    ## The error you see

    Python 3.11, `concurrent.futures`:

        TypeError: DecodeError.__init__() missing 1 required positional argument: 'code'
        concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.

    `multiprocessing.Pool` never returns.

    ## Example

        from concurrent.futures import ProcessPoolExecutor


        class DecodeError(Exception):
            def __init__(self, path, code):
                super().__init__(f"{path}: {code}")
                self.path = path
                self.code = code


        def decode(path):
            raise DecodeError(path, 7)


        def main():
            with ProcessPoolExecutor(1) as pool:
                try:
                    pool.submit(decode, "clip.mp4").result()
                except DecodeError as error:
                    print(error)


        if __name__ == "__main__":
            main()

    ## Use instead

        from concurrent.futures import ProcessPoolExecutor


        class DecodeError(Exception):
            def __init__(self, path, code):
                super().__init__(f"{path}: {code}")
                self.path = path
                self.code = code

            def __reduce__(self):
                return type(self), (self.path, self.code), self.__dict__


        def decode(path):
            raise DecodeError(path, 7)


        def main():
            with ProcessPoolExecutor(1) as pool:
                try:
                    pool.submit(decode, "clip.mp4").result()
                except DecodeError as error:
                    print(error)


        if __name__ == "__main__":
            main()

    ## Fix safety

    The fix is safe: the exception could not be unpickled before. Arguments that were not stored are
    stored in `__init__`. There is no fix if an argument is reassigned there, or for an exception that a
    loader cannot recreate; give all arguments except the first a default value.

    ## How to turn it off

    `# dlfix: ignore[DLF209]` on the line of the `raise`, or `ignore = ["DLF209"]` in the configuration.
    """

    code = "DLF209"
    name = "unpicklable-exception"
    codemods = ("pickle_state",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each `raise` in a pool's worker whose exception cannot come back."""
        seen: set[ast.Raise] = set()
        towards = reached.Towards(
            analysis,
            lambda module, node: any(_may_be_culprit(analysis, module, r) for r in _raises(node)),
        )
        for crossing in analysis.crossings:
            if crossing.boundary.kind in _HIDDEN or crossing.edge.kind != "argument":
                continue
            start = reached.started(analysis, crossing.value)
            for code in reached.runs(analysis, start, towards):
                for statement in _raises(code.node):
                    if statement not in seen:
                        seen.add(statement)
                        yield from self._raise(analysis, code, statement, crossing)
        yield from self._lost_by_loaders(analysis, towards)

    def _lost_by_loaders(self, analysis: Analysis, towards: reached.Towards) -> Iterator[Finding]:
        """Yield each `raise` in a loader's workers that the parent means to catch, and does not."""
        seen: set[ast.Raise] = set()
        for start, crossing in _of_loaders(analysis):
            running = list(reached.runs(analysis, start, towards))
            for code, statement in ((one, each) for one in running for each in _raises(one.node)):
                if statement in seen:
                    continue
                lost = _lost(analysis, code, statement, crossing)
                if lost is not None and not lost_exceptions.caught_by_workers(
                    list(reached.runs(analysis, start)), code, statement
                ):
                    seen.add(statement)
                    yield self._lost_finding(code, statement, crossing, *lost)

    def _lost_finding(
        self,
        code: reached.Code,
        statement: ast.Raise,
        crossing: Crossing,
        cls: Class,
        handler: lost_exceptions.Handler,
    ) -> Finding:
        assert statement.exc is not None
        place, (module, node) = code.module.place(statement.exc), handler
        caught = Step(module.place(node), f"`except {cls.name}`", "does not catch it")
        return Finding(
            type(self),
            f"`{cls.name}` raised in a worker becomes a `RuntimeError`, which the handler "
            f"({module.path.name}:{node.lineno}) does not catch",
            place,
            (*crossing.path, Step(place, f"raise {cls.name}(...)"), caught),
            f"RuntimeError: Caught {cls.name} in DataLoader worker process",
            Lost(cls.name, place),
        )

    def _raise(
        self, analysis: Analysis, code: reached.Code, statement: ast.Raise, crossing: Crossing
    ) -> Iterator[Finding]:
        raised = statement.exc
        assert raised is not None
        for value in reached.values(analysis, raised, code.frame):
            if not isinstance(value, Instance):
                continue
            culprit = _culprit(analysis, value)
            if culprit is not None:
                place = code.module.place(raised)
                yield Finding(
                    type(self),
                    f"`{value.cls.name}` cannot be unpickled in the parent: `{culprit.name}.__init__` "
                    "does not pass all its arguments to the base class",
                    place,
                    (*crossing.path, Step(place, f"raise {value.cls.name}(...)")),
                    f"{culprit.name}.__init__() missing",
                    culprit,
                )
                return


def _of_loaders(analysis: Analysis) -> Iterator[tuple[list[reached.Code], Crossing]]:
    """Yield the code that a loader's workers start with: of its datasets, and of its functions."""
    for instance, crossing in analysis.datasets():
        if crossing.boundary.kind == "DataLoader":
            yield reached.methods(analysis, instance), crossing
    for crossing in analysis.crossings:
        is_function = crossing.edge.kind == "argument" and crossing.edge.name == "collate_fn"
        if crossing.boundary.kind == "DataLoader" and is_function:
            yield reached.started(analysis, crossing.value), crossing


def _lost(
    analysis: Analysis, code: reached.Code, statement: ast.Raise, crossing: Crossing
) -> tuple[Class, lost_exceptions.Handler] | None:
    """Return the class that is raised, and who means to catch it, where torch cannot make it again."""
    assert statement.exc is not None
    for value in reached.values(analysis, statement.exc, code.frame):
        if not isinstance(value, Instance) or lost_exceptions.is_made_of_a_text(
            analysis, value.cls
        ):
            continue
        handler = lost_exceptions.handler(analysis, value.cls, crossing.boundary)
        if handler is not None:
            return value.cls, handler
    return None


def _may_be_culprit(analysis: Analysis, module: Module, statement: ast.Raise) -> bool:
    """Tell, whoever runs it, whether a `raise` may be of an exception that has its own arguments."""
    raised = statement.exc
    assert raised is not None
    if isinstance(raised, ast.Call):
        found = WorkerCode.of(analysis).stands_for(module, raised.func)
        if found and all(isinstance(value, (Class, External)) for value in found):
            return any(isinstance(v, Class) and _has_arguments(analysis, v) for v in found)
    held = reached.values(analysis, raised, analysis.frame(module.scope_of(raised)))
    return any(isinstance(v, Instance) and _has_arguments(analysis, v.cls) for v in held)


def _has_arguments(analysis: Analysis, cls: Class) -> bool:
    inside, outside = reached.chain(analysis, cls)
    known = bool(outside) and all(_is_builtin(name) for name in outside)
    return known and exceptions.initializer(reached.nodes(inside)) is not None


def _raises(function: ast.AST) -> Iterator[ast.Raise]:
    for node in reached.own(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield node


def _culprit(analysis: Analysis, raised: Instance) -> exceptions.Constructor | None:
    inside, outside = reached.chain(analysis, raised.cls)
    if not outside or not all(_is_builtin(name) for name in outside):
        return None
    if exceptions.comes_back(reached.nodes(inside), raised.call):
        return None
    found = exceptions.initializer(reached.nodes(inside))
    assert found is not None
    cls = inside[found[0]]
    constructor = _read(analysis, cls)
    if constructor is None:
        return None
    return replace(constructor, heirs=tuple(_heirs(analysis, cls)))


def _is_builtin(name: str) -> bool:
    last = name.removeprefix("builtins.")
    return "." not in last and last != "?" and not exceptions.is_odd(last)


def _read(analysis: Analysis, cls: Class) -> exceptions.Constructor | None:
    inside, _ = reached.chain(analysis, cls)
    return exceptions.read(reached.nodes(inside), cls.module.place(cls.node))


def _heirs(analysis: Analysis, cls: Class) -> Iterator[exceptions.Constructor]:
    """Yield the classes that inherit from one and have arguments of their own."""
    for module in analysis.project.mentions(cls.name):
        for node in walk(module.tree):
            if not isinstance(node, ast.ClassDef) or exceptions.method(node, "__init__") is None:
                continue
            heir = analysis.interpreter.class_value(node, analysis.frame(module.scope_of(node)))
            inside, _ = reached.chain(analysis, heir)
            if cls.node in reached.nodes(inside[1:]) and not exceptions.has_own_pickling([node]):
                constructor = _read(analysis, heir)
                if constructor is not None:
                    yield constructor
