"""What a constructor put into a list or dict that is opened late now: what opens it has to put it in again."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import held_by
from dlfix.fixing.proof.late_code import used_on_self
from dlfix.fixing.proof.order import CONSTRUCTORS, ends_use
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import (
    ADDING,
    Function,
    dotted,
    executed,
    last_part,
    own_attributes,
    self_name,
)
from dlfix.project.module import Module

_MOST = 100  # functions that opening may run


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the containers whose items the constructor made, and nothing makes when they are opened."""
    for name, opener in _opened(change):
        made = set(_put_in(change, name))
        made -= _put_when_asked(change, name, opener) if made else set()
        if _is_cache(change, name):
            continue
        for cls, function, put in _still_put_in(change, name, opener):
            if put not in _put_when_asked(change, name, opener):
                yield change.regression(
                    opener,
                    f"`{cls.name}.{function.name}` ({cls.module.path.name}:{function.lineno}) adds "
                    f"the result of `{put}` to `{name}`, but the code that reopens it does not",
                )
        if not made and _left_empty(change, name, opener):
            yield change.regression(
                opener,
                f"only the parent adds items to `{name}`, so each worker would find it empty "
                f"(line {opener.lineno})",
            )
        missing = sorted(made - _called_by(change, opener)) if made else []
        if missing:
            yield change.regression(
                opener,
                f"the constructor adds the result of `{missing[0]}` to `{name}`, but the "
                f"code that reopens it does not (line {opener.lineno})",
            )


def _opened(change: ClassChange) -> Iterator[tuple[str, Function]]:
    """Yield the attributes that are opened late now, each with the function that opens it."""
    yield from change.made_lazy.items()
    getstate, restoring = (change.after.methods.get(n) for n in ("__getstate__", "__setstate__"))
    if getstate is None or restoring is None:
        return
    for node in executed(change.fresh(getstate)):
        name = node.value if isinstance(node, ast.Constant) else None
        if isinstance(name, str) and name.isidentifier() and name not in change.made_lazy:
            yield name, restoring


def _put_in(change: ClassChange, name: str) -> Iterator[str]:
    """Yield the names of the calls whose results the constructor put into an attribute, at any depth."""
    for _, function in change.constructed_before:
        yield from _put_by(change, function, name)


def _still_put_in(
    change: ClassChange, name: str, opener: Function
) -> Iterator[tuple[Class, Function, str]]:
    """Yield what constructors of derived classes add to the container and its opener does not."""
    own = change.new.lineage(change.after)
    for heir in change.new.heirs(change.after):
        found = change.new.method(heir, opener.name)
        run = _run_by(change, found[1] if found is not None else opener, heir)
        opening = {id(function) for _, function in run}
        for cls, function in order.construction(change.new, heir):
            if cls not in own and id(function) not in opening:
                for put in sorted({*_put_by(change, function, name)}):
                    yield cls, function, put


def _put_by(change: ClassChange, function: Function, name: str) -> Iterator[str]:
    origins = Origins(function.body)
    for value in _adds(function, name):
        yield from (last_part(call.func) for call in _calls(value))
        if isinstance(value, ast.Name):
            opened = {last_part(func) for func in origins.called(value.id)}
            yield from opened & _openers(change)


def _left_empty(change: ClassChange, name: str, opener: Function) -> bool:
    """Return whether an opener makes an empty container, and no code that workers run adds items to it."""
    if not _is_empty_in(opener, name):
        return False
    classes = change.old.family(change.before)
    in_workers = [
        function
        for each in classes
        for _, function in order.reached(change.old, each, order.IN_WORKERS)
    ]
    if any(True for function in (opener, *in_workers) for _ in _adds(function, name)):
        return False
    return any(
        True for each in classes for function in each.functions for _ in _adds(function, name)
    )


def _is_cache(change: ClassChange, name: str) -> bool:
    """Return whether all code that reads a container first adds what it does not hold yet, or is there to close what it holds."""
    functions = {id(each) for cls in change.old.family(change.before) for each in cls.functions}
    for module in change.old.project.mentions(name):
        for node in module.nodes_by_name.get(name, ()):
            if not isinstance(node, ast.Attribute) or _empties(module, node):
                continue
            around = change.old.enclosing(module, node)
            if around is None or id(around) not in functions:
                return False
            if ends_use(around.name):
                continue
            if not any(_adds_what_is_missing(each, name) for each in executed(around.body)):
                return False
    return True


def _empties(module: Module, node: ast.Attribute) -> bool:
    """Return whether an attribute is set to an empty container here."""
    match module.parent(node):
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value is not node and _is_empty(value)
    return False


def _adds_what_is_missing(node: ast.AST, name: str) -> bool:
    """Return whether a statement is `if key not in self.cache: self.cache[key] = ...`."""
    match node:
        case ast.If(test=ast.Compare(ops=[ast.NotIn()], comparators=[held]), body=body):
            return name == last_part(_without_keys(held)) and any(
                last_part(holder) == name
                for statement in body
                for holder, _ in additions(statement)
            )
    return False


def _without_keys(held: ast.expr) -> ast.expr:
    """Return the dict of which an expression gives the keys."""
    match held:
        case ast.Call(func=ast.Attribute(value=value, attr="keys"), args=[]):
            return value
    return held


def _is_empty_in(opener: Function, name: str) -> bool:
    """Return whether a method sets an attribute to an empty list or dict, or returns one."""
    kept = {name} if opener.name != name else {node.attr for node in own_attributes(opener)}
    for node in executed(opener.body):
        match node:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ) if last_part(root_of(target)) in kept:
                return _is_empty(value)
            case ast.Return(value=ast.expr() as value):
                return _is_empty(value)
    return False


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.Call(func=ast.Name(id="list" | "dict" | "set"), args=[], keywords=[]):
            return True
    return False


def _adds(function: Function, name: str) -> Iterator[ast.expr]:
    """Yield what a method adds to an attribute, at any depth."""
    roots = _names_of(function, name)
    for node in executed(function.body):
        for holder, value in additions(node):
            if dotted(root_of(holder)) in roots:
                yield value


def _openers(change: ClassChange) -> set[str]:
    """Return the last names of what opened the handles that the constructor kept."""
    rows = held_by(change.old, change.constructed_before).rows.values()
    return {name.rpartition(".")[2] for row in rows for name in (row.name, *row.aliases)}


def _put_when_asked(change: ClassChange, name: str, opener: Function) -> set[str]:
    """Return the callees whose results are added to the container by methods that may run after construction."""
    opening = {id(function) for _, function in _run_by(change, opener)}
    functions = {n: f for each in change.new.lineage(change.after) for n, f in each.methods.items()}
    making = [f for n, f in functions.items() if n in CONSTRUCTORS]
    others = [f for n, f in functions.items() if n not in CONSTRUCTORS]
    used_while_made = {used for function in making for used in used_on_self(function)}
    used_later = {used for function in others for used in used_on_self(function)}
    return {
        made
        for n, function in functions.items()
        if n not in CONSTRUCTORS and (n in used_later or n not in used_while_made)
        if id(function) not in opening
        for made in _put_by(change, function, name)
    }


def _names_of(function: Function, name: str) -> set[str]:
    """Return what an attribute, or a part of it, goes by in a method: `part = self.files[key]`."""
    found = {f"{self_name(function)}.{name}"}
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in executed(function.body):
        if isinstance(node, ast.Assign):
            pairs += itertools.permutations([*node.targets, node.value], 2)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            pairs.append((node.target, node.value))
    while more := {
        dotted(one)
        for target, value in pairs
        for one, other in ((target, value), (value, target))
        if isinstance(one, ast.Name) and one.id not in found and dotted(root_of(other)) in found
    }:
        found |= more
    return found


def additions(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement or call adds to a container, with the container."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                yield target.value, node.value
    elif isinstance(node, ast.AugAssign):
        yield node.target, node.value
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ADDING
    ):
        for given in [*node.args, *(keyword.value for keyword in node.keywords)]:
            yield node.func.value, given


def _calls(value: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls that make a value, or an item of the list, tuple or dict that it is."""
    if isinstance(value, ast.Call):
        yield value
    elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        yield from (call for each in value.elts for call in _calls(each))
    elif isinstance(value, ast.Dict):
        yield from (call for each in value.values for call in _calls(each))
    elif isinstance(value, ast.IfExp):
        yield from (call for each in (value.body, value.orelse) for call in _calls(each))


def root_of(holder: ast.expr) -> ast.expr:
    """Return the container that an expression is a part of: `self.files` of `self.files[a].get(b)`."""
    while True:
        match holder:
            case ast.Subscript(value=value):
                holder = value
            case ast.Call(func=ast.Attribute(value=value, attr="get" | "setdefault")):
                holder = value
            case _:
                return holder


def _called_by(change: ClassChange, opener: Function) -> set[str]:
    """Return the last names of all that a method calls, and of what these functions of the project call."""
    return {
        last_part(node.func)
        for _, function in _run_by(change, opener)
        for node in executed(function.body)
        if isinstance(node, ast.Call)
    }


def _run_by(
    change: ClassChange, opener: Function, cls: Class | None = None
) -> list[tuple[Module, Function]]:
    """Return a method and the functions of the project that it runs, of an object of the class or of a derived one."""
    waiting: list[tuple[Module, Function]] = [(change.after.module, opener)]
    for module, function in waiting:  # grows while it is read
        for node in executed(function.body):
            if isinstance(node, ast.Attribute):
                method = change.new.method(cls or change.after, node.attr)
                _add(waiting, (method[0].module, method[1]) if method is not None else None)
            if isinstance(node, ast.Call):
                _add(waiting, change.new.function_of(module, node.func))
    return waiting


def _add(waiting: list[tuple[Module, Function]], found: tuple[Module, Function] | None) -> None:
    if found is not None and found not in waiting and len(waiting) < _MOST:
        waiting.append(found)
