"""The order in which the methods of a class can run: construction, the parent, pickling, a worker."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from dlfix.fixing.proof.implied_calls import implied
from dlfix.fixing.proof.program import Class, Program, is_getter
from dlfix.fixing.proof.syntax import (
    Function,
    executed,
    is_attribute,
    own_nodes,
    self_name,
    statements,
    within,
)
from dlfix.project.syntax import is_super
from dlfix.project.trees import kept

_ENDS = ("exit", "aexit", "close", "shutdown", "stop", "release", "reset", "del")
CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__attrs_post_init__", "model_post_init")
STATE = (
    "__getstate__",
    "__setstate__",
    "__reduce__",
    "__reduce_ex__",
    "__getnewargs__",
    "__getnewargs_ex__",
    "__copy__",
    "__deepcopy__",
)
# What a process calls when it is done with an object, or to set it up: not a worker's work.
_PARENTS = frozenset(
    "__enter__ __exit__ __aenter__ __aexit__ close shutdown stop release reset".split()
)
# What workers run of a dataset, a sampler or a collate function.
IN_WORKERS = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")
# What workers call on an object that is sent for itself.
_CALLED_BY_WORKERS = frozenset({*IN_WORKERS, "__getattr__", "__del__"})
_ASK_WHAT_IT_IS = frozenset({"type", "id", "isinstance", "super"})


def called_on_self(cls: Class, function: Function) -> Sequence[str]:
    """Return the names of the methods and properties that a method's body uses of its object."""
    return _called_on_self(function)


@kept
def _called_on_self(function: Function) -> tuple[str, ...]:
    owner = self_name(function)
    return tuple(name for node in executed(function.body) for name in used_at(node, owner))


def used_at(node: ast.AST, owner: str) -> Iterator[str]:
    """Yield the method or property of its object that a single node uses."""
    if is_attribute(node, owner):
        if isinstance(node.ctx, ast.Load):
            yield node.attr
    elif isinstance(node, ast.Attribute) and is_super(node.value):
        yield f"super {node.attr}"
    else:
        for method, operand in implied(node):
            if isinstance(operand, ast.Name) and operand.id == owner:
                yield method


def reached(program: Program, cls: Class, names: tuple[str, ...]) -> list[tuple[Class, Function]]:
    """Return the methods that run when those of these names do, these included."""
    waiting = [found for name in names if (found := program.method(cls, name)) is not None]
    done: list[tuple[Class, Function]] = []
    while waiting:
        owner, function = waiting.pop(0)
        if any(function is each for _, each in done):
            continue
        done.append((owner, function))
        for name in called_on_self(owner, function):
            found = meant(program, cls, owner, name)
            if found is not None:
                waiting.append(found)
    return done


def meant(program: Program, cls: Class, owner: Class, name: str) -> tuple[Class, Function] | None:
    """Return the method that `self.name` stands for in a method of `owner`, or `super name`."""
    if not name.startswith("super "):
        return program.method(cls, name)
    later = program.lineage(cls)
    if owner in later:
        later = later[later.index(owner) + 1 :]
    name = name.removeprefix("super ")
    return next(((each, each.methods[name]) for each in later if name in each.methods), None)


def construction(program: Program, cls: Class) -> list[tuple[Class, Function]]:
    """Return the methods that run while an object of a class is made."""
    return reached(program, cls, CONSTRUCTORS)


Site = tuple[Function, ast.stmt]


def steps(program: Program, cls: Class) -> Iterator[tuple[Site, ...]]:
    """Yield the statements that run while an object of a class is made, in their order, each below what calls it."""
    for name in CONSTRUCTORS:
        found = program.method(cls, name)
        if found is not None:
            yield from _steps(program, cls, found, ())


def _steps(
    program: Program, cls: Class, method: tuple[Class, Function], above: tuple[Site, ...]
) -> Iterator[tuple[Site, ...]]:
    owner, function = method
    if any(function is each for each, _ in above):
        return
    for statement in statements(function.body):
        here = (*above, (function, statement))
        for node in own_nodes(statement):
            for name in used_at(node, self_name(function)):
                called = meant(program, cls, owner, name)
                if called is not None:
                    yield from _steps(program, cls, called, here)
        yield here


def construction_with_heirs(program: Program, cls: Class) -> list[tuple[Class, Function]]:
    """Return the methods of a class that run while an object of it, or of one derived from it, is made."""
    found = construction(program, cls)
    lineage = program.lineage(cls)
    for heir in program.heirs(cls):
        found += [
            each for each in construction(program, heir) if each[0] in lineage and each not in found
        ]
    return found


@kept
def texts_of(node: ast.AST) -> frozenset[str]:
    """Return the texts that some code has which may be an attribute's name."""
    texts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return frozenset(each for each in texts if isinstance(each, str) and each.isidentifier())


@kept
def words_of(node: ast.AST) -> frozenset[str]:
    """Return the attributes that some code names, also in a text."""
    named = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return texts_of(node) | named


def set_by(cls: Class) -> frozenset[str]:
    """Return the attributes that a class may set or delete, those of its body included."""
    return _set_by(cls.node) | texts_of(cls.node) | {*cls.values, *cls.annotated, *cls.methods}


@kept
def _set_by(node: ast.ClassDef) -> frozenset[str]:
    attributes = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return frozenset(each.attr for each in attributes if not isinstance(each.ctx, ast.Load))


def leading_to(names: AbstractSet[str], classes: Iterable[Class]) -> frozenset[str]:
    """Return some attributes' names, and those of the methods by which others of the classes come to them."""
    words = [(f.name, words_of(f)) for each in classes for f in each.functions]
    found = set(names)
    while fresh := {
        name for name, used in words if name not in found and not used.isdisjoint(found)
    }:
        found |= fresh
    return frozenset(found)


def entries(program: Program, cls: Class) -> list[tuple[Class, Function]]:
    """Return the methods that a worker may call first, on an object that was just unpickled."""
    inner = {
        name
        for each in program.lineage(cls)
        for function in each.functions
        for name in called_on_self(each, function)
        if name != function.name and not name.startswith("__")
    }
    found: dict[str, tuple[Class, Function]] = {}
    for each in program.lineage(cls):
        for name, function in each.methods.items():
            if name in (*CONSTRUCTORS, *STATE) or name in _PARENTS or _is_static(function):
                continue
            if name in inner and (name.startswith("_") or is_getter(function)):
                continue
            found.setdefault(name, (each, function))
    return list(found.values())


def entered_by_workers(program: Program, cls: Class) -> list[tuple[Class, Function]]:
    """Return the methods that a worker may call first: those handed on, where nothing else sends an object."""
    found = entries(program, cls)
    names = {f.name for each in program.family(cls) for f in each.functions}
    if "run" in names and any(each.node.bases for each in program.family(cls)):
        return found  # it may be a process
    if names & _CALLED_BY_WORKERS or any(map(_hands_itself_on, program.family(cls))):
        return found
    handed = {name for name in names if _is_handed_on(program, name)}
    return [(owner, f) for owner, f in found if f.name in handed] if handed else found


def _hands_itself_on(cls: Class) -> bool:
    """Return whether a method uses its object otherwise than for an attribute of it."""
    for function in cls.functions:
        owner = self_name(function)
        nodes = list(within(function.body))
        asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ASK_WHAT_IT_IS:
                asked |= {id(argument) for argument in node.args}
        if any(isinstance(n, ast.Name) and n.id == owner and id(n) not in asked for n in nodes):
            return True
    return False


def _is_handed_on(program: Program, name: str) -> bool:
    """Return whether some code names a method without calling it."""
    for module in program.project.mentions(name):
        called = {id(call.func) for call in module.calls}
        for node in module.nodes_by_name.get(name, ()):
            if isinstance(node, ast.Attribute) and id(node) not in called:
                return True
    return False


def _is_static(function: Function) -> bool:
    kinds = {"staticmethod", "classmethod"}
    return any(isinstance(d, ast.Name) and d.id in kinds for d in function.decorator_list)


def ends_use(name: str) -> bool:
    """Return whether a method of this name ends the use of an object, in the process that began it."""
    return name.strip("_").startswith(_ENDS)
