"""What code puts into a module-level object: which entries, when a module is imported and in the parent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import first_parameter, is_name, last_name, parameters
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import GlobalName, Use, changes, method_called
from dlfix.reach.values import Class, Constant, External, ExternalCall, Function, Instance, Value

if TYPE_CHECKING:
    from dlfix.project.module import Module

Added = tuple[str, ...]  # what tells an entry from others, as text
_GROWING = frozenset({"append", "extend", "insert", "appendleft", "extendleft"})
_SHIFTED = ("self", "cls")


@dataclass(frozen=True)
class AddedByParent:
    """An entry that only the parent adds to what an import has filled."""

    write: Use
    entry: Entry
    added: Added


def added_by_parent(name: GlobalName, writes: list[tuple[Use, Entry]]) -> AddedByParent | None:
    """Return an entry that only the parent adds; None where any may be there after an import."""
    imported: set[Added] = set()
    by_parent: list[AddedByParent] = []
    for write, entry in writes:
        added = _added(name, write, entry)
        if entry.kind == "import" and added is None:
            return None
        if entry.kind == "import" and added is not None:
            imported.add(added)
        elif added is not None or _telling(write):
            by_parent.append(
                AddedByParent(write, entry, added or ())
            )  # under a key that is not known
    found = (each for each in by_parent if each.added not in imported)
    return next((each for each in found if _may_be_read(name, each.added)), None)


def changed_by_methods(name: GlobalName) -> Iterator[Use]:
    """Yield the calls of methods of the tree that change the object: `READERS.register("npy", f)`."""
    for use in name.reads():
        call = method_called(use.module, use.node)
        if call is None:
            continue
        for value in _values(name, use.module, use.node):
            method = call.func.attr  # type: ignore[attr-defined]
            if _sets_variable(value, method) or (
                isinstance(value, Instance) and _changes_itself(name, value.cls, method)
            ):
                yield use
                break


def dispatched(name: GlobalName) -> list[Use]:
    """Return where code registers a function for a type with a generic function: `encode.register(int, f)`."""
    decorated = (
        last_name(each)
        for binding in name.module.scope.bindings.get(name.name, ())
        for each in getattr(binding.node, "decorator_list", ())
    )
    if "singledispatch" not in decorated:
        return []
    return [use for use, _ in name.uses if _is_registering(use)]


def _is_registering(use: Use) -> bool:
    above = use.module.parent(use.node)
    return isinstance(above, ast.Attribute) and above.attr == "register"


def _sets_variable(value: Value, method: str) -> bool:
    """Return whether a method sets a context variable: `LEVEL.set(3)`."""
    is_variable = isinstance(value, ExternalCall) and value.name == "contextvars.ContextVar"
    return is_variable and method == "set"


def _changes_itself(name: GlobalName, cls: Class, method: str) -> bool:
    function = name.analysis.method(cls, method)
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return False
    module, me = function.module, first_parameter(function.node)
    return any(is_name(node, me) and changes(module, node) for node in walk(function.node))


def _added(name: GlobalName, write: Use, entry: Entry) -> Added | None:
    """Return what tells the entry that a write adds from others; None where that is not known."""
    decorated = _decorated_without(write)
    if decorated:
        return (repr(decorated),)
    told = [_text(name, write, entry, each) for each in _telling(write)]
    known = tuple(text for text in told if text is not None)
    return known if known and len(known) == len(told) else None


def _telling(write: Use) -> list[ast.expr]:
    """Return the expressions that tell an entry from others: its key, or what is appended."""
    parent = write.module.parent(write.node)
    if isinstance(parent, ast.Subscript) and parent.value is write.node:
        return [] if isinstance(parent.ctx, ast.Load) else [parent.slice]
    call = method_called(write.module, write.node)
    if call is None:
        return _annotation_of_decorated(write.module, parent)
    if any(isinstance(each, ast.Starred) for each in call.args):
        return []
    return call.args[:1] if call.args else [keyword.value for keyword in call.keywords]


def _decorated_without(write: Use) -> str:
    """Return the name of what is entered by a decorator without arguments: `@READERS.register()`."""
    call = method_called(write.module, write.node)
    above = write.module.parent(call) if call is not None else None
    if call is None or call.args or call.keywords:
        return ""
    is_decorator = call in getattr(above, "decorator_list", ())
    return getattr(above, "name", "") if is_decorator else ""


def _annotation_of_decorated(module: Module, decorator: ast.AST | None) -> list[ast.expr]:
    """Return the type that a function is registered for by its annotation: `@encode.register`."""
    above = module.parent(decorator) if decorator is not None else None
    if not isinstance(above, ast.FunctionDef) or decorator not in above.decorator_list:
        return []
    return [each.annotation for each in above.args.args[:1] if each.annotation is not None]


def _text(name: GlobalName, write: Use, entry: Entry, node: ast.expr) -> str | None:
    """Return the constant or definition that an expression stands for at an entry, as text."""
    module, function = write.module, enclosing_function(write.module, write.node)
    own = set(parameters(function)) if function is not None else set()
    own &= {n.id for n in walk(node) if isinstance(n, ast.Name)}
    is_name = isinstance(node, ast.Attribute) and node.attr == "__name__"  # `TABLE[f.__name__] = f`
    if own and entry.decorated and (is_name or isinstance(node, ast.Name)):
        return repr(entry.decorated) if is_name else entry.decorated
    if own and entry.calls and function is not None:
        caller, call = entry.calls[-1]
        given = [_given(function, call, each) for each in sorted(own)]
        texts = [_of_constant(name, caller, each) if each else "" for each in given]
        if any(text is None for text in texts):
            return None
        text = ", ".join(filter(None, texts))
        return repr(text) if is_name else text
    return _of_constant(name, module, node)


def _given(function: ast.AST, call: ast.Call, parameter: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    arguments = function.args  # type: ignore[attr-defined]
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    names = names[1:] if names[:1] and names[0] in _SHIFTED else names
    return call.args[names.index(parameter)] if parameter in names[: len(call.args)] else None


def _of_constant(name: GlobalName, module: Module, node: ast.expr) -> str | None:
    values = _values(name, module, node)
    match values:
        case [Constant(value=value)]:
            return repr(value)
        case [Function(node=ast.FunctionDef(name=text)) | Class(node=ast.ClassDef(name=text))]:
            return text
        case [External(name=text)]:
            return text
    return None


def _values(name: GlobalName, module: Module, node: ast.expr) -> list[Value]:
    frame = name.analysis.frame(module.scope_of(node))
    return [reached.value for reached in name.analysis.evaluate(node, frame)]


def _may_be_read(name: GlobalName, added: Added) -> bool:
    """Return whether a worker may ask for an entry: not if it only asks for others, by constant keys."""
    for use in name.reads():
        if name.worker_writer(use) is None:
            continue
        key = _asked_for(use)
        if not (isinstance(key, ast.Constant) and repr(key.value) not in added):
            return True
    return False


def _asked_for(use: Use) -> ast.expr | None:
    match use.module.parent(use.node):
        case ast.Subscript(slice=key):
            return key
        case ast.Attribute(attr="get") as above:
            call = use.module.parent(above)
            return call.args[0] if isinstance(call, ast.Call) and call.args else None
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()]):
            return key
    return None


def adds_once_more(use: Use, name: str) -> str:
    """Return why a function that adds an entry may not run a second time in one process, "" if it may."""
    function = enclosing_function(use.module, use.node)
    where = f"({use.module.path.name}:{use.node.lineno})"
    parent = use.module.parent(use.node)
    if isinstance(parent, ast.Attribute) and parent.attr in _GROWING:
        return f"`{name}` would contain the value twice in a forked worker {where}"
    for node in walk(function) if function is not None else ():
        if isinstance(node, ast.If | ast.Assert) and name in {
            each.id for each in walk(node.test) if isinstance(each, ast.Name)
        }:
            raises = any(isinstance(each, ast.Raise) for each in walk(node))
            if raises or isinstance(node, ast.Assert):
                return (
                    "a forked worker already has the value, so adding it again raises "
                    f"an error {where}"
                )
    return ""
