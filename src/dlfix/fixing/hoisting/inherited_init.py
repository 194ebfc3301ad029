"""What a local class without an `__init__` passes on to the one that it inherits, once it has its own."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from dlfix.fixing.classes.facts import self_names_used
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.private_methods import TAKEN
from dlfix.project.syntax import positional
from dlfix.reach.evaluator import Base
from dlfix.reach.values import Class, External

# Libraries whose classes take their arguments in `__init__`, and not in `__new__`.
_IN_INIT = ("torch.utils.data.", "torch.nn.modules.", "torchvision.datasets.")
# Bases that have no attributes of their own, and no constructor that calls methods.
_EMPTY = frozenset("Dataset IterableDataset Sampler object ABC Generic Protocol".split())
# Bases whose constructors call no method of a derived class, and whose attributes are known.
_PROCESSES = frozenset(
    f"{library}.{name}"
    for library in ("multiprocessing", "multiprocessing.context", "torch.multiprocessing")
    for name in ("Process", "SpawnProcess", "ForkProcess", "ForkServerProcess")
) | {"multiprocessing.process.BaseProcess", "threading.Thread"}
_OF_PROCESSES = TAKEN | frozenset(
    "authkey close daemon exitcode getName ident isDaemon is_alive join kill name native_id pid run sentinel setDaemon"
    " setName start terminate".split()
)
# Methods that no constructor calls.
_LATER = frozenset("__getitem__ __getitems__ __iter__ __next__ __call__ forward".split())


def forwarded(
    node: ast.ClassDef, line: Sequence[Base], calls: Sequence[ast.Call], names: Sequence[str]
) -> tuple[str, ...]:
    """Return the parameters that a new `__init__` passes on: `names` are those that it keeps.

    They are those of the inherited one, where all calls pass just these by position; else `*args` and `**kwargs`.
    """
    if not any(call.args or call.keywords for call in calls):
        return ()
    first = calls[0]
    if names and any(keyword.arg in (None, *names) for call in calls for keyword in call.keywords):
        raise CannotHoist(
            f"the class `{node.name}` has no `__init__` that could take `{names[0]}` in addition to the "
            f"arguments of the call (line {first.lineno})"
        )
    init = _inherited(node, line)
    taken = positional(init)[1:] if init is not None else []
    passed = {len(call.args) for call in calls}
    by_position = not any(_is_open(call) for call in calls)
    if by_position and passed == {len(taken)} and not {*taken} & {*names}:
        return tuple(taken)
    star = ("*args",) if any(call.args for call in calls) else ()
    keywords = ("**kwargs",) if any(call.keywords for call in calls) else ()
    if {"args", "kwargs"} & {*names}:
        raise CannotHoist(
            f"the class `{node.name}` reads `args` or `kwargs` of the enclosing function "
            f"(line {node.lineno})"
        )
    return (*star, *keywords)


def _is_open(call: ast.Call) -> bool:
    """Return whether a call passes arguments by name, or as many as a list has."""
    return bool(call.keywords) or any(isinstance(each, ast.Starred) for each in call.args)


def _inherited(node: ast.ClassDef, line: Sequence[Base]) -> ast.FunctionDef | None:
    """Return the `__init__` that a class inherits; None for that of a library, and raise CannotHoist if unknown."""
    for base in line[1:]:
        if isinstance(base, Class):
            methods = {e.name: e for e in base.node.body if isinstance(e, ast.FunctionDef)}
            if "__new__" in methods or base.node.keywords:
                break
            if "__init__" in methods:
                return methods["__init__"]
            if base.node.decorator_list:
                break
        elif _is_process(base):
            return None
        elif not isinstance(base, External) or not base.name.startswith(_IN_INIT):
            break
        elif not _is_empty(base):
            return None
    raise CannotHoist(
        f"the class `{node.name}` inherits an `__init__` of unknown parameters (line {node.lineno})"
    )


def refuse_read_early(node: ast.ClassDef, line: Sequence[Base], reading: Collection[str]) -> None:
    """Refuse methods that read what an object keeps, and that the constructor of a base may call before."""
    called = called_by_constructors(line[1:])
    outside = has_state_unseen(line)
    for name in reading:
        if name in called or (outside and name not in _LATER):
            raise CannotHoist(
                f"the constructor of a base class may call `{node.name}.{name}`, which reads names of the "
                f"enclosing function (line {node.lineno})"
            )


def called_by_constructors(line: Iterable[object]) -> set[str]:
    """Return the names that constructors of classes read of their object, and so do the methods that these name."""
    nodes = [each.node for each in line if isinstance(each, Class)]
    methods = [each for node in nodes for each in node.body if isinstance(each, ast.FunctionDef)]
    found: set[str] = set()
    todo = ["__init__", "__new__", "__post_init__", "__init_subclass__"]
    while todo:
        name = todo.pop()
        for method in methods:
            names = {*self_names_used(method)} - found if method.name == name else set()
            found |= names
            todo += names
    return found


def has_state_unseen(line: Sequence[Base]) -> bool:
    """Return whether a base out of sight may have attributes of its own."""
    return any(
        not (isinstance(base, Class) or _is_empty(base) or _is_process(base)) for base in line
    )


def _is_process(base: Base) -> bool:
    return isinstance(base, External) and base.name in _PROCESSES


def _is_empty(base: Base) -> bool:
    if not isinstance(base, External):
        return False
    library, _, name = base.name.rpartition(".")
    return name in _EMPTY and library.startswith(("torch.utils.data", "typing", "abc", "builtins"))


def attributes_of_bases(line: Sequence[Base]) -> set[str]:
    """Return the attributes that the bases of a class set or read of their objects."""
    found = {
        each.attr
        for base in line[1:]
        if isinstance(base, Class)
        for each in ast.walk(base.node)
        if isinstance(each, ast.Attribute)
    }
    return found | (_OF_PROCESSES if any(map(_is_process, line)) else frozenset())


__all__ = ["attributes_of_bases", "forwarded", "has_state_unseen", "refuse_read_early"]
