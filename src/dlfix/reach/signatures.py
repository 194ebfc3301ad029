"""Whether a value can be called with what a call passes to it, and be what a loader takes it for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlfix.project.syntax import defaults, positional
from dlfix.reach.values import BoundMethod, Class, External, Function, Instance

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator
    from dlfix.reach.values import Reached, Value

GUESSED = "chosen by its name"  # the note of what a name may stand for that is worked out
_CALLED_WITH_ONE = frozenset({"collate_fn", "worker_init_fn"})
_DATASETS = frozenset({"dataset", "train_dataset", "eval_dataset"})
_ITEMS = frozenset({"__getitem__", "__iter__", "__getattr__", "__getattribute__"})
_MAKING = ("__new__", "__init_subclass__")


class Given(NamedTuple):
    """What a call passes: how many values by position, which by name."""

    by_position: int
    names: frozenset[str] = frozenset()


def given_by(call: ast.Call) -> Given | None:
    """Return what a call passes; None where stars hide it."""
    names = frozenset(each.arg for each in call.keywords if each.arg is not None)
    if len(names) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    return Given(len(call.args), names)


def accepts(value: Value, given: Given, interpreter: Evaluator) -> bool:
    """Return whether a value can be called so, as far as its parameters are known."""
    instances = interpreter.instances
    match value:
        case Function():
            return _takes(value, given, 0)
        case BoundMethod():
            return _takes(value.function, given, 1)
        case Class():
            init = instances.method(value, "__init__")
            is_plain = _is_plain(value, interpreter) and not any(
                instances.method(value, name) for name in _MAKING
            )
            return init is None or not is_plain or _takes(init, given, 1)
        case Instance():
            call = instances.method(value.cls, "__call__")
            if call is not None:
                return _takes(call, given, 1)
            return not _lacks(value.cls, frozenset({"__call__", "__getattr__"}), interpreter)
    return True


def can_be(argument: str, reached: Reached, interpreter: Evaluator) -> bool:
    """Return whether what is found for an argument of a loader is no wrong guess of a name that is worked out.

    Of a dataset items are taken, and a function gets one value.
    """
    value = reached.value
    if argument in _CALLED_WITH_ONE and _is_guess(reached, interpreter):
        return accepts(value, Given(1), interpreter)
    if argument in _DATASETS and isinstance(value, Instance):
        return not _lacks(value.cls, _ITEMS, interpreter) or not _is_guess(reached, interpreter)
    return True


def _is_guess(reached: Reached, interpreter: Evaluator) -> bool:
    """Return whether a value, or what has made it, was chosen by its name among all of a module."""
    value = reached.value
    steps = list(reached.steps)
    at = value.frame if isinstance(value, Instance) else None
    call = value.call if isinstance(value, Instance) else None
    while at is not None and isinstance(call, ast.Call):  # it may be what a function returns
        steps += (step for one in interpreter.evaluate(call.func, at) for step in one.steps)
        call, at = at.call, at.caller
    return any(step.note == GUESSED for step in steps)


def _lacks(cls: Class, names: frozenset[str], interpreter: Evaluator) -> bool:
    """Return whether a class has none of some methods, and gets none from elsewhere."""
    instances = interpreter.instances
    return (
        _is_plain(cls, interpreter)
        and not any(instances.method(cls, name) for name in names)
        and not instances.given(cls, names)
    )


def _is_plain(cls: Class, interpreter: Evaluator) -> bool:
    """Return whether all that makes a class what it is, is in view."""
    instances = interpreter.instances
    line = [base for base in instances.mro(cls) if not isinstance(base, Class)]
    if any(not isinstance(base, External) or base.name != "object" for base in line):
        return False
    own = [base for base in instances.mro(cls) if isinstance(base, Class)]
    return not any(each.node.decorator_list or each.node.keywords for each in own)


def _takes(function: Function, given: Given, own: int) -> bool:
    """Return whether a function takes what is given; `own` parameters are the object's."""
    node = function.node
    if getattr(node, "decorator_list", ()):
        return True  # it may be another function by then
    signature = node.args
    names = positional(node)[own:]
    others = [each.arg for each in signature.kwonlyargs]
    left, optional = names[given.by_position :], defaults(signature)
    if given.by_position > len(names) and signature.vararg is None:
        return False
    if signature.kwarg is None and not given.names <= {*left, *others}:
        return False
    return all(name in given.names or name in optional for name in (*left, *others))
