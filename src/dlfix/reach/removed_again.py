"""What code registers and takes out again before any worker starts: `register("a", f)`, then `OPS.clear()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.trees import walk
from dlfix.reach.access_paths import constant_key
from dlfix.reach.labels import node_of
from dlfix.reach.removals import ALL, LAST, taken
from dlfix.reach.set_back import run_below
from dlfix.reach.values import Argument, Bound, BoundMethod, Container, Frame, Function, Reached

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.interpreter import Interpreter

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEPEST = 1  # what a statement calls is read, no further
_Taken = tuple[ast.expr, Frame, object]  # what names a container, where, and the key


class RemovedAgain:
    """Tells which items of containers are no longer there when workers are started."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def __call__(self, container: Container, item: Reached, key: object, at: Boundary) -> bool:
        """Return whether code below the call that put an item in surely takes it out, and starts no worker before."""
        made = node_of(item.value)
        if made is None or made[1] is not at.frame.module:
            return False
        put = _statement_passing(*made)
        if put is None:
            return False
        statement, call = put
        module, told = made[1], [constant_key(each) for each in _given(call)]
        for later in run_below(module, statement):
            here = self.interpreter.frame_at(module, later)
            if self._may_send(later, here, at, _DEEPEST):
                return False
            for holder, frame, gone in self._taken(later, here, _DEEPEST):
                if gone in (ALL, key) or (gone is not LAST and gone in told):
                    held = self.interpreter.values_at(holder, frame)
                    if any(
                        isinstance(each, Container) and _is_of(container, each) for each in held
                    ):
                        return True
            if not isinstance(later, (ast.Expr, ast.Delete, *_DEFINITIONS)):
                return False  # what it makes may keep a copy
        return False

    def _may_send(self, code: ast.AST, frame: Frame, boundary: Boundary, depth: int) -> bool:
        """Return whether a statement, or a function that it calls, may start workers."""
        return any(
            node is boundary.node
            or (
                self.interpreter.roles.may_start_workers(node, frame.module)
                and not (
                    isinstance(node, ast.Call) and self._only_fills(node, frame, boundary, depth)
                )
            )
            for node in walk(code)
        )

    def _only_fills(self, call: ast.Call, frame: Frame, boundary: Boundary, depth: int) -> bool:
        """Return whether a call is of a container's method, or of a function that does nothing else."""
        if isinstance(call.func, ast.Attribute):
            held = self.interpreter.values_at(call.func.value, frame)
            if held and all(isinstance(each, Container) for each in held):
                return True
        return depth > 0 and any(
            not self._may_send(function.node, inside, boundary, depth - 1)
            for function, inside in self._called(call, frame)
        )

    def _taken(self, statement: ast.stmt, frame: Frame, depth: int) -> Iterator[_Taken]:
        """Yield what a statement surely takes out of containers, itself or by the function that it calls."""
        if isinstance(statement, (ast.Expr, ast.Assign, ast.Delete)):
            for node in walk(statement):
                if isinstance(node, (ast.Name, ast.Attribute)):
                    yield from ((node, frame, key) for key in taken(statement, {ast.unparse(node)}))
        call = getattr(statement, "value", None)
        if not depth or not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
            return
        for function, inside in self._called(call, frame):
            for inner in function.node.body if isinstance(function.node, _DEFINITIONS) else ():
                if any(isinstance(part, ast.Return) for part in walk(inner)):
                    break
                yield from self._taken(inner, inside, depth - 1)

    def _called(self, call: ast.Call, frame: Frame) -> Iterator[tuple[Function, Frame]]:
        """Yield the one function of the tree that a call surely runs, with its frame."""
        callees = self.interpreter.values_at(call.func, frame)
        callee = callees[0] if len(callees) == 1 else None
        owner = callee.owner if isinstance(callee, BoundMethod) else None
        function = callee.function if isinstance(callee, BoundMethod) else callee
        if isinstance(function, Function):
            calls = self.interpreter.calls
            given = calls.arguments(call, frame)
            inside = calls.frame_of(function, given, call, frame, owner)
            yield from [(function, inside)] if inside is not None else []


def _statement_passing(node: ast.AST, module: Module) -> tuple[ast.stmt, ast.Call] | None:
    """Return the one statement, a call, that passes what a node makes: a lambda, or a function by its name."""
    use: ast.AST = node
    if isinstance(node, _DEFINITIONS):
        match node.decorator_list:
            case [ast.Call() as decorator]:
                return node, decorator
        around = enclosing_function(module, node)
        reads = module.inner_scope(around).reads.get(node.name, ()) if around is not None else ()
        if len(reads) != 1:
            return None
        use = reads[0]
    call, statement = module.parent(use), module.statement(use)
    is_passed = isinstance(call, ast.Call) and use in _given(call)
    is_keyword = isinstance(call, ast.keyword)
    call = module.parent(call) if is_keyword and call is not None else call
    if not isinstance(call, ast.Call) or not (is_passed or is_keyword):
        return None
    return (
        (statement, call) if isinstance(statement, ast.Expr) and statement.value is call else None
    )


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_of(container: Container, other: Container) -> bool:
    """Return whether a container is another one, as it is elsewhere, or a copy of it."""
    if container.node is other.node and container.frame is other.frame:
        return True
    own = {_place(item) for _, item in container.items}
    return any(_place(item) in own for _, item in other.items if isinstance(item, Bound))


def _place(item: Argument) -> object:
    return (item.node, item.frame) if isinstance(item, Bound) else None


__all__ = ["RemovedAgain"]
