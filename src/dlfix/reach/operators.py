"""What operators give: containers and texts joined, tensors, paths, and what a class of the tree defines for one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dlfix.reach.copied_entries import rounds
from dlfix.reach.values import (
    Arguments,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Partial,
    Reached,
    Unknown,
    Value,
    origin_of,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

_UNKNOWN = Unknown()
_NOT_IMPLEMENTED = External("NotImplemented")
_TENSORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**",
}  # fmt: skip
_METHODS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and", ast.BitXor: "xor", ast.BitOr: "or",
    ast.UAdd: "pos", ast.USub: "neg", ast.Invert: "invert",
}  # fmt: skip
# What has no method of its own for an operator, so that the right side's is asked.
_PLAIN = (Function, BoundMethod, Partial, Class, Constant, Container, Instance)


class Operators:
    """Evaluates operations; the operands are evaluated by the interpreter."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter

    def unary(self, node: ast.UnaryOp, frame: Frame) -> Iterator[Reached]:
        """Yield what `-a`, `not a`, `~a` may be."""
        for operand in self.interpreter.evaluate(node.operand, frame):
            value = operand.value
            number = value.value if isinstance(value, Constant) else None
            if isinstance(number, (int, float)) and isinstance(node.op, ast.USub):
                yield Reached(Constant(-number))
            elif isinstance(number, (int, float)) and isinstance(node.op, ast.Not):
                yield Reached(Constant(not number))
            else:
                made = self._by_method(operand, [_METHODS.get(type(node.op))], (), node, frame)
                yield from made or [Reached(_UNKNOWN)]

    def binary(self, node: ast.BinOp, frame: Frame) -> Iterator[Reached]:
        """Yield what `a + b`, `a | b` ... may be."""
        own = self._by_methods(node.op, node.left, node.right, node, frame)
        yield from own or self._of_library(node, frame)

    def in_place(self, target: ast.expr, statement: ast.AugAssign, frame: Frame) -> list[Reached]:
        """Return what `a += b` leaves in `a`, where a class of the tree says so."""
        return self._by_methods(statement.op, target, statement.value, statement, frame, "i")

    def _by_methods(
        self,
        op: ast.operator,
        left: ast.expr,
        right: ast.expr,
        node: ast.AST,
        frame: Frame,
        first: str = "",
    ) -> list[Reached]:
        """Return what the methods that classes define for an operator make of two operands."""
        name = _METHODS[type(op)]
        before = self.interpreter.evaluate(left, frame)
        passed = (Bound(right, frame),)
        names = dict.fromkeys((first + name, name))
        made = [self._by_method(one, names, passed, node, frame) for one in before]
        found = [each for one in made for each in one]
        if found:
            return found if all(made) else [*found, Reached(_UNKNOWN)]
        if not all(isinstance(one.value, _PLAIN) for one in before):
            return []
        passed = (Bound(left, frame),)
        after = self.interpreter.evaluate(right, frame)
        return [
            each
            for one in after
            for each in self._by_method(one, [f"r{name}"], passed, node, frame)
        ]

    def _by_method(
        self,
        operand: Reached,
        names: Iterable[str | None],
        passed: tuple[Bound, ...],
        node: ast.AST,
        frame: Frame,
    ) -> list[Reached]:
        """Return what the first of some methods that an operand's class has makes of it."""
        value, instances = operand.value, self.interpreter.instances
        if not isinstance(value, Instance):
            return []
        methods = (instances.method(value.cls, f"__{name}__") for name in names)
        method = next((one for one in methods if one is not None), None)
        if method is None:
            return []
        run = self.interpreter.calls.run(method, Arguments(passed), node, frame, owner=value)
        return [
            Reached(one.value, (*one.steps, *operand.steps))
            for one in run
            if one.value != _NOT_IMPLEMENTED
        ]

    def _of_library(self, node: ast.BinOp, frame: Frame) -> Iterator[Reached]:
        evaluator = self.interpreter
        left = evaluator.containers(Bound(node.left, frame))
        right = evaluator.containers(Bound(node.right, frame))
        if isinstance(node.op, (ast.Add, ast.BitOr)) and (left or right):
            first, *others = left or right
            more: list[Container | None] = [*(right if left else others)]
            for other in more or [None]:
                yield Reached(evaluator.displays.joined(first, other, node, frame))
        elif isinstance(node.op, ast.Mult) and (left or right):
            for container in left or right:
                yield Reached(evaluator.displays.loosened(container, node, frame))
        elif isinstance(node.op, ast.Add) and (
            texts := joined((node.left, node.right), frame, evaluator)
        ):
            yield from texts
        elif isinstance(node.op, ast.Add) and any(
            evaluator.instances.is_dataset(value)
            for value in evaluator.values(Bound(node.left, frame))
        ):
            yield Reached(evaluator.displays.datasets(node, frame))
        elif isinstance(node.op, ast.Div):
            yield from self._below(node, frame)
        else:
            yield Reached(self._computed(node, frame) or _UNKNOWN)

    def _below(self, node: ast.BinOp, frame: Frame) -> Iterator[Reached]:
        """Yield `path / name` and `name / path` as paths again; any other quotient is unknown."""
        for value in self.interpreter.values_at(node.left, frame) or [_UNKNOWN]:
            right = [] if self._is_path(value) else self.interpreter.values_at(node.right, frame)
            paths = [each for each in (value, *right) if self._is_path(each)]
            for path in paths:
                make = partial(Derived, path, "/", node, frame)
                yield Reached(self.interpreter.calls.made(node, frame, make, path))
            if not paths:
                yield Reached(self._computed(node, frame) or _UNKNOWN)

    def _computed(self, node: ast.BinOp, frame: Frame) -> Value | None:
        """Return what is computed with a tensor that torch made."""
        operator = _TENSORS.get(type(node.op))
        for operand in (node.left, node.right):
            found = self.interpreter.values_at(operand, frame)
            if operator is not None and len(found) == 1 and _is_of_torch(found[0]):
                make = partial(Derived, found[0], operator, node, frame)
                return self.interpreter.calls.made(node, frame, make, found[0])
        return None

    def _is_path(self, value: Value) -> bool:
        value = origin_of(value)
        if not isinstance(value, ExternalCall):
            return False
        row = self.interpreter.catalog.resource(value.name)
        return row is not None and "/" in row.derived


def joined(nodes: Sequence[ast.expr], frame: Frame, evaluator: Evaluator) -> list[Reached]:
    """Return the texts that expressions make one after the other, where one of them at most may be several."""
    found = [Reached(Constant(""))]
    for node in nodes:
        parts = evaluator.evaluate(node, frame)
        texts = [(_text(part), rounds(part)) for part in parts]
        if not texts or (len(texts) > 1 and len(found) > 1):
            return []
        if any(text is None for text, _ in texts):
            return []
        found = [
            Reached(Constant(f"{_text(before)}{text}"), (*before.steps, *of))
            for before in found
            for text, of in texts
        ]
    return found


def _text(one: Reached) -> str | None:
    value = one.value.value if isinstance(one.value, Constant) else None
    return value if isinstance(value, str) else None


def _is_of_torch(value: Value) -> bool:
    value = origin_of(value)
    return isinstance(value, ExternalCall) and value.name.startswith("torch.")
