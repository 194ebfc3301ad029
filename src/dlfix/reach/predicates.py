"""What a test asks of a value, and the answer where the value tells."""

from __future__ import annotations

import ast
import collections
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlfix.reach.enums import plain
from dlfix.reach.surely_objects import is_builtin, is_object
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Constant,
    Container,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Member,
    ModuleValue,
    Partial,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

COMPARING: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SAME = (ast.Is, ast.Eq)
_OTHER = (ast.IsNot, ast.NotEq)
_TYPES = {"list": list, "tuple": tuple, "set": set, "dict": dict}
_EMPTY_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})


@dataclass(frozen=True)
class Question:
    """An expression that a test asks of, and what the test gives for each value of it."""

    subject: ast.expr
    answer: Callable[[Value], bool | None]


def question(test: ast.expr, frame: Frame, interpreter: Evaluator) -> Question | None:
    """Return what a test asks of one expression; None where it asks of none, or of several."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, asked]):
            return Question(subject, lambda value: _is_one(value, asked, frame, interpreter))
        case ast.Call(func=ast.Name(id="callable"), args=[subject]):
            return Question(subject, lambda value: _is_callable(value, interpreter))
        case ast.Call(func=ast.Name(id="hasattr"), args=[subject, ast.Constant(value=str(name))]):
            return Question(subject, lambda value: _has(value, name, interpreter))
        case ast.Call(
            func=ast.Attribute(value=subject, attr="startswith" | "endswith" as end),
            args=[part],
            keywords=[],
        ):
            return Question(subject, lambda value: _has_end(value, end, part, frame, interpreter))
        case ast.Compare(
            left=ast.Constant() as part,
            ops=[asking],
            comparators=[ast.Attribute(value=subject, attr="__name__" | "__qualname__" as kind)],
        ) if isinstance(asking, (ast.In, ast.NotIn)):
            return Question(subject, lambda value: _in_name(part, asking, value, kind, interpreter))
        case ast.Compare(
            left=ast.Attribute(value=subject, attr="__name__" | "__qualname__" as kind),
            ops=[asking],
            comparators=[right],
        ):
            inner = _comparison(subject, asking, right, frame, interpreter)
            return Question(subject, lambda value: inner.answer(_name(value, kind, interpreter)))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(left, op, right, frame, interpreter)
        case ast.BoolOp(op=op, values=values):
            return _joined([question(each, frame, interpreter) for each in values], op)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _opposite(question(operand, frame, interpreter))
        case (
            ast.Name()
            | ast.Attribute()
            | ast.NamedExpr()
            | ast.Call(func=ast.Attribute(attr="get"))
        ):
            return Question(test, lambda value: truth(value, interpreter))
    return None


def _joined(parts: list[Question | None], op: ast.boolop) -> Question | None:
    """Return what several questions of one expression ask together."""
    asked = [each for each in parts if each is not None]
    if len(asked) < len(parts) or len({ast.unparse(each.subject) for each in asked}) != 1:
        return None
    return Question(asked[0].subject, lambda v: joined([each.answer(v) for each in asked], op))


def joined(answers: list[bool | None], op: ast.boolop) -> bool | None:
    """Return what `and` or `or` gives for some answers, in logic of three values."""
    deciding = isinstance(op, ast.Or)
    if deciding in answers:
        return deciding
    return None if None in answers else not deciding


def _opposite(asked: Question | None) -> Question | None:
    if asked is None:
        return None
    return Question(asked.subject, lambda value: opposite(asked.answer(value)))


def opposite(answer: bool | None) -> bool | None:
    """Return what `not` gives."""
    return None if answer is None else not answer


def agreed(found: list[bool | None]) -> bool | None:
    """Return the answer that all give."""
    return found[0] if found and all(each is found[0] for each in found) else None


def truth(value: Value, interpreter: Evaluator) -> bool | None:
    """Return whether a value counts as true; None where that is not known."""
    if isinstance(value, Constant):
        known = plain(value.value, interpreter)
        return None if isinstance(known, Member) else bool(known)
    if isinstance(value, Instance):
        return None if _may_have(value.cls, ("__len__", "__bool__"), interpreter) else True
    return True if isinstance(value, (Function, Class, BoundMethod, Partial)) else None


# isinstance, callable, hasattr


def _classes(node: ast.expr, frame: Frame, interpreter: Evaluator) -> list[Value]:
    """Return the classes asked for; none where one of them is not known."""
    found: list[Value] = []
    for value in interpreter.values_at(node, frame):
        if isinstance(value, Container):
            for _, item in value.items:
                found += interpreter.values(item)
        else:
            found.append(value)
    return found if all(isinstance(each, (Class, External)) for each in found) else []


def _is_one(value: Value, asked: ast.expr, frame: Frame, interpreter: Evaluator) -> bool | None:
    if not isinstance(value, (Function, BoundMethod, Constant, Container, Instance, ExternalCall)):
        return None
    classes = _classes(asked, frame, interpreter)
    if not classes:
        return None
    if isinstance(value, ExternalCall) and value.name not in _BUILTINS:
        return True if any(value.name == getattr(each, "name", "") for each in classes) else None
    if not isinstance(value, Instance):
        return _is_one_of_builtins(value, classes)
    line = interpreter.instances.mro(value.cls)
    if any(base is each or base == each for base in line for each in classes):
        return True
    unsure = any(isinstance(base, Unknown) for base in line)
    outside = any(isinstance(base, External) and base.name not in _EMPTY_BASES for base in line)
    return None if unsure or (outside and any(isinstance(c, External) for c in classes)) else False


def _is_one_of_builtins(value: Value, classes: list[Value]) -> bool | None:
    """Return whether a function, constant, container or object of Python's own is of one of some classes."""
    kind: type | None = None
    if isinstance(value, Constant):
        kind = None if isinstance(value.value, Member) else type(value.value)
    elif isinstance(value, Container):
        kind = _TYPES[value.kind]
    elif isinstance(value, ExternalCall):
        kind = _BUILTINS[value.name]
    else:
        kind = types.FunctionType if isinstance(value, Function) else types.MethodType
    if kind is None:
        return None
    answers = [_is_kind(kind, each) for each in classes]
    return True if True in answers else (False if set(answers) == {False} else None)


def _is_kind(kind: type, asked: Value) -> bool | None:
    if isinstance(asked, Class):
        return False
    name = getattr(asked, "name", "").removeprefix("builtins.")
    known = _BUILTINS.get(name)
    return None if known is None else issubclass(kind, known)


_BUILTINS: dict[str, type] = {
    **{each.__name__: each for each in (str, int, float, bool, bytes, list, tuple, dict, set)},
    **{
        f"collections.{each.__name__}": each
        for each in (
            collections.Counter,
            collections.OrderedDict,
            collections.defaultdict,
            collections.deque,
        )
    },
    "types.FunctionType": types.FunctionType,
    "types.LambdaType": types.LambdaType,
    "types.MethodType": types.MethodType,
}


def _is_callable(value: Value, interpreter: Evaluator) -> bool | None:
    if isinstance(value, (Function, Class, BoundMethod, Partial)):
        return True
    if isinstance(value, Container):
        return False
    if isinstance(value, Constant):
        return None if isinstance(value.value, Member) else False
    if not isinstance(value, Instance):
        return None
    if interpreter.instances.method(value.cls, "__call__") is not None:
        return True
    return None if _may_have(value.cls, ("__call__",), interpreter) else False


def _has_end(
    value: Value, end: str, part: ast.expr, frame: Frame, interpreter: Evaluator
) -> bool | None:
    """Return whether a text begins, or ends, with another."""
    text, parts = _text(value), [_text(each) for each in interpreter.must.values(part, frame)]
    if text is None or None in parts:
        return None
    return agreed([getattr(text, end)(each) for each in parts])


def _text(value: Value) -> str | None:
    known = value.value if isinstance(value, Constant) else None
    return known if isinstance(known, str) else None


def _has(value: Value, name: str, interpreter: Evaluator) -> bool | None:
    if isinstance(value, Container):
        return hasattr(_TYPES[value.kind], name)
    if isinstance(value, Constant):
        return None if isinstance(value.value, Member) else hasattr(value.value, name)
    if isinstance(value, ModuleValue):
        return _module_has(value, name)
    if isinstance(value, Function):
        return None if name.startswith("__") or interpreter.instances.is_set(name) else False
    if not isinstance(value, Instance):
        return None
    line = interpreter.instances.mro(value.cls)
    if any(isinstance(base, Class) and name in base.body_names() for base in line):
        return True
    unsure = _may_have(value.cls, ("__getattr__", "__getattribute__"), interpreter)
    return None if unsure or interpreter.instances.is_set(name) else False


def _module_has(value: ModuleValue, name: str) -> bool | None:
    if value.module is None:
        return None
    scope = value.module.scope
    if name in scope.bindings:
        return True
    unsure = {"*", "__getattr__"} & scope.bindings.keys() or value.module.is_package
    return None if unsure or name in scope.module_globals else False


def _may_have(cls: Class, names: tuple[str, ...], interpreter: Evaluator) -> bool:
    """Return whether a class may have one of some methods, own or from a base out of view."""
    for base in interpreter.instances.mro(cls):
        if isinstance(base, Class):
            if any(name in base.body_names() for name in names):
                return True
        elif isinstance(base, Unknown) or not _adds_nothing(base, interpreter):
            return True
    return False


def _adds_nothing(base: External, interpreter: Evaluator) -> bool:
    """Return whether a base out of view brings no methods but those of datasets."""
    return base.name in _EMPTY_BASES or interpreter.catalog.dataset(base.name) is not None


# Comparisons


def _comparison(
    left: ast.expr, op: ast.cmpop, right: ast.expr, frame: Frame, interpreter: Evaluator
) -> Question:
    if isinstance(left, ast.Constant) and isinstance(op, (*_SAME, *_OTHER)):
        left, right = right, left

    def answer(value: Value) -> bool | None:
        others = interpreter.must.values(right, frame)
        if isinstance(op, (ast.In, ast.NotIn)):
            return _is_in(value, others, isinstance(op, ast.In), interpreter)
        return agreed([_compared(value, op, each, interpreter) for each in others])

    return Question(left, answer)


def _name(value: Value, kind: str, interpreter: Evaluator) -> Value:
    """Return the `__name__` or `__qualname__` of a function or class; unknown where code sets one."""
    if not isinstance(value, (Function, Class)) or interpreter.instances.is_set(kind):
        return Unknown()
    bearer = value.bearer if isinstance(value, Function) else value
    qualname = bearer.module.inner_scope(bearer.node).qualname
    return Constant(qualname if kind == "__qualname__" else qualname.rpartition(".")[2])


def _in_name(
    part: ast.Constant, op: ast.cmpop, value: Value, kind: str, interpreter: Evaluator
) -> bool | None:
    """Return whether a text is in the name of a function: `"<" in f.__qualname__`."""
    name = _name(value, kind, interpreter)
    return _is_in(Constant(part.value), [name], isinstance(op, ast.In), interpreter)


def _compared(value: Value, op: ast.cmpop, other: Value, interpreter: Evaluator) -> bool | None:
    if isinstance(value, Constant) and isinstance(other, Constant):
        return _of_constants(value.value, op, other.value, interpreter)
    if isinstance(value, Constant):
        value, other = other, value
    if not isinstance(other, Constant) or not isinstance(op, (*_SAME, *_OTHER)):
        return None
    is_plain = isinstance(value, (Function, Class, BoundMethod, Partial, Container))
    is_plain = is_plain or (isinstance(value, External) and is_builtin(value.name))
    if is_plain or (other.value is None and _is_object(value)):
        return isinstance(op, _OTHER)
    return None


def _is_object(value: Value) -> bool:
    """Return whether a value is surely not None."""
    if isinstance(value, External):
        return is_object(value.name)
    is_made = isinstance(value, (Instance, ExternalCall, ModuleValue))
    return is_made or (isinstance(value, Unknown) and value.is_object)


def _of_constants(one: object, op: ast.cmpop, other: object, interpreter: Evaluator) -> bool | None:
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (one is other or one == other) is isinstance(op, ast.Is)
    try:
        return bool(COMPARING[type(op)](plain(one, interpreter), plain(other, interpreter)))
    except (TypeError, KeyError):
        return None


def _is_in(value: Value, holders: list[Value], wanted: bool, interpreter: Evaluator) -> bool | None:
    if len(holders) != 1 or not isinstance(value, Constant):
        return None
    part, whole = _text(value), _text(holders[0])
    if part is not None and whole is not None:
        return (part in whole) is wanted
    held = interpreter.must.constants_in(holders[0])
    if held is None:
        return None
    mine = plain(value.value, interpreter)
    try:
        return (mine in [plain(each, interpreter) for each in held]) is wanted
    except TypeError:
        return None
