"""The callers of a function, or the objects of its class, one by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.calls import ANYTHING
from dlfix.reach.evaluator import Context
from dlfix.reach.methods import calls_base, methods_of
from dlfix.reach.values import Class, Frame, Function, Instance

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator


_MOST_NESTED = 24  # calls of a function whose own callers are told apart


class Contexts:
    """Parts a frame whose callers are all read as one."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._nested = False

    def of(self, frame: Frame) -> Context:
        """Return the contexts that a frame with unknown callers stands for; none for others."""
        node = frame.scope.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Context()
        if frame.arguments is not None or frame.enclosing is None:
            return Context()
        if isinstance(frame.owner, Instance):
            is_method = frame.enclosing.scope.is_class
            return self._of_objects(frame, frame.owner) if is_method else Context()
        return self._of_calls(frame, Function(node, frame.enclosing))

    def inherited(self, frame: Frame) -> Iterator[Frame]:
        """Yield a frame of a method for its class, and for each one in view that inherits it.

        A class of which code makes no objects, but of its subclasses, is there to be derived from.
        """
        body, owner = frame.enclosing, frame.owner
        if body is None or not body.scope.is_class or not isinstance(owner, Instance):
            yield frame
            return
        instances = self.interpreter.instances
        heirs = [cls for cls in instances.subclasses(owner.cls) if self._runs(cls, frame)]
        for is_made in (instances.is_made, instances.may_be_made):
            made = [cls for cls in heirs if is_made(cls)]
            if made:
                yield from [frame] if is_made(owner.cls) else []
                break
        else:
            yield frame
        for cls in made or heirs:
            yield self._owned(frame, instances.anyone(cls))

    def _runs(self, cls: Class, frame: Frame) -> bool:
        """Return whether a class inherits the method of a frame, or its own, up to there, call that of the base."""
        name = frame.scope.name
        if name == "__init__":  # a call of it by an heir's own is one of its callers
            init = self.interpreter.instances.method(cls, name)
            return init is not None and init.node is frame.scope.node
        for base in self.interpreter.instances.mro(cls):
            own = methods_of(base.node).get(name) if isinstance(base, Class) else None
            if own is frame.scope.node:
                return True
            if own is not None and not calls_base(Function(own, frame), name):
                return False
        return False

    def _calls(self, frame: Frame) -> Iterator[tuple[ast.Call, Frame]]:
        """Yield the calls of a function; one in a function of its own, once for each caller of that."""
        found = self.interpreter.callers.of(frame)
        for call, caller in found:
            above = Context()
            if not self._nested and len(found) < _MOST_NESTED:
                self._nested = True
                try:
                    above = self.of(caller)
                finally:
                    self._nested = False
            others = [above.other] if above.other is not None else []
            for each in [*above.frames, *others] or [caller]:
                yield call, each

    def _of_calls(self, frame: Frame, function: Function) -> Context:
        calls, callers = self.interpreter.calls, self.interpreter.callers
        frames = [
            calls.frame_of(function, calls.arguments(call, caller), call, caller, None)
            for call, caller in self._calls(frame)
        ]
        if not frames or None in frames:
            return Context()
        is_all = callers.all_of(frame) is not None
        other = None if is_all else calls.of_anything(function, None)
        return Context(tuple(at for at in frames if at is not None), other)

    def _of_objects(self, frame: Frame, anyone: Instance) -> Context:
        """Return a frame of a method for each object of its class that is made in view."""
        interpreter = self.interpreter
        init = interpreter.instances.method(anyone.cls, "__init__")
        if init is None or anyone.call is not None:
            return Context()
        if init.node is frame.scope.node:
            return self._of_makings(frame, init)
        at = self._owned(interpreter.frame(init.module.inner_scope(init.node)), anyone)
        made = [
            (value, call, caller)
            for call, caller in interpreter.callers.of(at)
            for value in interpreter.values_at(call, caller)
            if isinstance(value, Instance)
        ]
        frames = tuple(self._owned(frame, value) for value, _, _ in made)
        if not made or interpreter.callers.all_of(at) is not None:
            return Context(frames)
        _, call, caller = made[0]
        return Context(frames, self._owned(frame, Instance(anyone.cls, call, caller, ANYTHING)))

    def _of_makings(self, frame: Frame, init: Function) -> Context:
        """Return a frame of a constructor for each call in view that runs it."""
        interpreter = self.interpreter
        frames: list[Frame | None] = []
        for call, caller in self._calls(frame):
            by_heir = isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
            made = [caller.owner] if by_heir else interpreter.values_at(call, caller)
            given = interpreter.calls.arguments(call, caller)
            frames += [
                interpreter.calls.frame_of(init, given, call, caller, value)
                for value in made
                if isinstance(value, Instance)
            ]
        if not frames or None in frames:
            return Context()
        is_all = interpreter.callers.all_of(frame) is not None
        other = None if is_all else interpreter.calls.of_anything(init, frame.owner)
        return Context(tuple(at for at in frames if at is not None), other)

    def _owned(self, frame: Frame, owner: Instance) -> Frame:
        assert frame.enclosing is not None
        body, scope = frame.enclosing, frame.scope
        return self.interpreter.calls.made(
            scope.node, body, lambda: Frame(scope, body, None, owner), "frame", owner
        )
