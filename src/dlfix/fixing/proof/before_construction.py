"""Whether some code of a program runs before all objects of a class are made, and not again later."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, executed
from dlfix.project.module import Module
from dlfix.project.order import comes_before

_FAR = 4  # how many callers are followed
_LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_AT_ANY_TIME = (ast.Lambda, ast.withitem, ast.arguments)


class BeforeConstruction:
    """The places of a program from which objects of one class are made, or which lead there."""

    def __init__(self, change: ClassChange) -> None:
        self.program: Program = change.new
        self.leading: list[tuple[Module, ast.AST]] = [*change.new.constructions(change.after)]
        seen: set[Function] = set()
        for module, node in self.leading:  # grows while it is read
            function = self.program.enclosing(module, node)
            if function is not None and function not in seen:
                seen.add(function)
                self.leading += self._named(function)

    def has(self, module: Module, node: ast.AST, far: int = _FAR) -> bool:
        """Return whether a place surely runs before objects are made, and only then."""
        function = self.program.enclosing(module, node)
        around = list(_around(module, node))
        if far == 0 or any(isinstance(each, _AT_ANY_TIME) for each in around):
            return False
        if function is not None and _goes_on_later(function):
            return False
        loops = [each for each in around if isinstance(each, _LOOPS)]
        place = loops[-1] if loops else node
        near = [
            each
            for home, each in self.leading
            if home is module and self.program.enclosing(home, each) is function
        ]
        if any(not comes_before(place, each) for each in near):
            return False
        if function is None:
            return not self._is_imported_late(module)
        return self._runs_once(function, far) if near else self._is_called_before(function, far)

    def _is_imported_late(self, module: Module) -> bool:
        """Return whether a function imports a module, which may run it after objects are made."""
        name = module.path.stem
        return any(
            self.program.enclosing(other, alias) is not None
            for other in self.program.project.mentions(name)
            for alias in other.nodes(ast.alias)
            if alias.name.rpartition(".")[2] == name
            or getattr(other.parent(alias), "module", "") == module.name
        )

    def _named(self, function: Function) -> Iterator[tuple[Module, ast.AST]]:
        """Yield where code names a function: it may be called from there."""
        for module in self.program.project.mentions(function.name):
            for name in (function.name, *module.aliases_of(function.name)):
                for node in module.nodes_by_name.get(name, ()):
                    if isinstance(node.ctx, ast.Load):
                        yield module, node

    def _calls(self, function: Function) -> list[tuple[Module, ast.Call]] | None:
        """Return the calls of a function by its name; None where it may be called by other means."""
        named = list(self._named(function))
        above = [(module, module.parent(node), node) for module, node in named]
        calls = [(m, call) for m, call, n in above if isinstance(call, ast.Call) and call.func is n]
        is_hook = function.name.startswith("__")
        return None if is_hook or len(calls) < len(named) else calls

    def _runs_once(self, function: Function, far: int) -> bool:
        """Return whether a function that makes objects runs at most once."""
        calls = self._calls(function)
        if calls is None or len(calls) > 1 or far == 0:
            return False
        for module, call in calls:
            outer = self.program.enclosing(module, call)
            if any(isinstance(each, (*_LOOPS, ast.Lambda)) for each in module.ancestors(call)):
                return False
            return outer is None or self._runs_once(outer, far - 1)
        return True  # an entry point

    def _is_called_before(self, function: Function, far: int) -> bool:
        """Return whether a function is called, and only where that comes before objects are made."""
        calls = self._calls(function)
        return bool(calls) and all(self.has(module, call, far - 1) for module, call in calls or ())


def _around(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node stands in, up to its function; a decorator stands in the arguments of the function it decorates."""
    inner = node
    for each in module.ancestors(node):
        if isinstance(each, FUNCTIONS):
            yield from [each.args] if inner in each.decorator_list else []
            return
        yield each
        inner = each


def _goes_on_later(function: Function) -> bool:
    """Return whether a function stops on its way: a generator, a context manager."""
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in executed(function.body))


__all__ = ["BeforeConstruction"]
