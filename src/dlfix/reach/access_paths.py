"""What code puts into containers, found by access paths: a name or attribute, and keys from there.

`options["data"]["f"] = f` adds to `options` along the path `["data"]`; so does `data["f"] = f` where `data` is a
name of that part. Tables of a module; what the names hold is worked out by `reach.containers`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from dlfix.project.bodies import FUNCTIONS, Named
from dlfix.project.module import Module

ALL_OF = object()  # stands for a key where all that a value holds is put in: `update(options)`
ITSELF = object()  # the key of a step that leads to another name of the same container
ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1, "put": 0}
_MERGING = frozenset({"extend", "update", "extendleft"})
Holder = tuple[str, str]  # `("", name)`, or `(name, attribute)`
_Local = tuple["ast.AST | None", str]  # a function, and a name in it
HandedOver = tuple[ast.Call, "int | str", "tuple[Step, ...]"]  # with the place of the argument
_Part = tuple[ast.expr, "tuple[Step, ...]"]  # a container, and the path from it to what a name is


@dataclass(frozen=True)
class Step:
    """A step of an access path, from a container to one that it holds: `options["data"]`.

    `node` is the expression of what is held; `name` the local name that it is reached by, where that
    is bound to it before: `data = options["data"]`, `for data in options.values()`.
    """

    key: object
    node: ast.expr
    name: str = ""


class Addition(NamedTuple):
    """What a statement or call puts into a container, or along a path into one that it holds.

    It begins with its node, as the rows of all tables of a module do.
    """

    node: ast.AST
    key: object
    value: ast.expr
    path: tuple[Step, ...] = ()


def additions(module: Module) -> Named[Holder, Addition]:
    """Return what a module's code adds to containers, by what the path to them begins with."""
    return module.table(_additions_by_holder)


def added_to(holder: Holder, module: Module) -> Iterator[Addition]:
    """Yield what a module's code adds to a container, by names that stand for one thing alone."""
    for added in additions(module).get(holder, ()):
        names = [step.name for step in added.path if step.name]
        bindings = module.scope_of(added.node).bindings if names else {}
        if all(len(bindings.get(name, ())) == 1 for name in names):
            yield added


def _additions_by_holder(module: Module) -> dict[Holder, list[Addition]]:
    found: dict[Holder, list[Addition]] = {}
    for holder, addition in _additions(module):
        found.setdefault(holder, []).append(addition)
    return found


def _additions(module: Module) -> Iterator[tuple[Holder, Addition]]:
    names = module.table(_names_of_parts)
    for node in module.nodes(ast.Call, ast.AugAssign, ast.Assign):
        for target, added in put_in(node, module):
            paths = [*_paths(target, node, names, module)]
            for key, value in added:
                for holder, path in paths:
                    yield holder, Addition(node, key, value, path)


def _paths(
    target: ast.expr, node: ast.AST, names: Named[_Local, _Part], module: Module
) -> Iterator[tuple[Holder, tuple[Step, ...]]]:
    """Yield what the access path of a container may begin with, and the path from there."""
    holder = holder_of(target)
    if holder is None:
        return
    path = path_of(target)
    yield holder, path
    if holder[0]:
        return
    for part, of_name in names.get((_activation(node, module), holder[1]), ()):
        whole = holder_of(part)
        if whole is not None and whole != holder:
            yield whole, (*path_of(part), *of_name, *path)


def _names_of_parts(module: Module) -> dict[_Local, list[_Part]]:
    """Return the names that are bound to parts of containers: `a = x[k]`, `for a in x.values()`."""
    found: dict[_Local, list[_Part]] = {}
    for node in module.nodes(ast.Assign, ast.For):
        for name, part in _named_parts(node):
            found.setdefault((_activation(node, module), name), []).append(part)
    return found


def _named_parts(node: ast.AST) -> Iterator[tuple[str, _Part]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as part):
            *above, last = path_of(part)
            yield name, (outermost(part), (*above, replace(last, name=name)))
        case ast.For(
            target=ast.Name(id=name) as target, iter=ast.Tuple(elts=each) | ast.List(elts=each)
        ):
            for element in each:
                yield name, (element, (Step(ITSELF, target, name),))
        case (
            ast.For(
                target=ast.Name() as target,
                iter=ast.Name() | ast.Attribute() | ast.Subscript() as whole,
            )
            | ast.For(
                target=ast.Name() as target,
                iter=ast.Call(func=ast.Attribute(value=whole, attr="values"), args=[]),
            )
            | ast.For(
                target=ast.Tuple(elts=[_, ast.Name() as target]),
                iter=ast.Call(func=ast.Attribute(value=whole, attr="items"), args=[]),
            )
            | ast.For(
                target=ast.Tuple(elts=[_, ast.Name() as target]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[whole]),
            )
        ):
            yield target.id, (whole, (Step(None, target, target.id),))


def _activation(node: ast.AST, module: Module) -> ast.AST | None:
    """Return the function whose code a statement is, None for that of a class or module."""
    return next((each for each in module.ancestors(node) if isinstance(each, FUNCTIONS)), None)


def handed_over(module: Module) -> Named[Holder, HandedOver]:
    """Return the calls that a container, or a part of what it holds, is an argument of."""
    return module.table(_handed_over)


def _handed_over(module: Module) -> dict[Holder, list[HandedOver]]:
    found: dict[Holder, list[HandedOver]] = {}
    for call in module.calls:
        if isinstance(call.func, (ast.Name, ast.Attribute)):
            given: list[tuple[int | str, ast.expr]] = [*enumerate(call.args)]
            given += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
            for place, argument in given:
                holder = holder_of(argument)
                if holder is not None:
                    found.setdefault(holder, []).append((call, place, path_of(argument)))
    return found


def put_in(
    node: ast.AST, module: Module
) -> Iterator[tuple[ast.expr, Iterable[tuple[object, ast.expr]]]]:
    """Yield the containers that a call or assignment puts something into, with what it puts."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func.value, put_by(node, node.func.attr)
    elif isinstance(node, ast.AugAssign):
        yield node.target, _merged([node.value])
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and _is_slice(target.slice, module):
                yield target.value, _merged([node.value])
            elif isinstance(target, ast.Subscript):
                yield target.value, [(key_of(target.slice), node.value)]


def _is_slice(index: ast.expr, module: Module) -> bool:
    """Return whether an index is a slice: written as one, or by the test that it stands under."""
    if not isinstance(index, ast.Name):
        return isinstance(index, ast.Slice)
    below: ast.AST = index
    for above in module.ancestors(index):
        if isinstance(above, ast.If) and below in above.body:
            match above.test:
                case ast.Call(
                    func=ast.Name(id="isinstance"), args=[ast.Name(id=name), ast.Name(id="slice")]
                ):
                    if name == index.id:
                        return True
        below = above
    return False


def holders(module: Module, name: str) -> tuple[tuple[str, str], ...]:
    """Return the names, and attributes of this name, that a module adds to."""
    return tuple(each for each in additions(module) if not each[0] or each[1] == name)


def holder_of(node: ast.expr) -> Holder | None:
    """Return the name, or name and attribute, of a container; of one in it, `x[k]`, its own."""
    match outermost(node):
        case ast.Name(id=name):
            return "", name
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
            return owner, attribute
    return None


def outermost(node: ast.expr) -> ast.expr:
    """Return what names a container; of one in another, `x[k]`, the outer one's."""
    match node:
        case ast.Subscript(value=holder):
            return outermost(holder)
        case ast.Call(func=ast.Attribute(value=holder, attr="setdefault")):
            return outermost(holder)
    return node


def path_of(node: ast.expr) -> tuple[Step, ...]:
    """Return the access path from what names a container to the one in it: `x[k]`."""
    match node:
        case ast.Subscript(value=holder, slice=key):
            return (*path_of(holder), Step(key_of(key), node))
        case ast.Call(func=ast.Attribute(value=holder, attr="setdefault"), args=[key, *_]):
            return (*path_of(holder), Step(key_of(key), node))
    return ()


def put_by(call: ast.Call, method: str) -> Iterator[tuple[object, ast.expr]]:
    """Yield what a method of a container puts into it, with the key where it is known."""
    index = ADDING.get(method)
    if index is not None and len(call.args) > index:
        yield key_of(call.args[0]) if method == "setdefault" else None, call.args[index]
    elif method in _MERGING:
        yield from _merged(call.args)
        yield from ((ALL_OF if k.arg is None else k.arg, k.value) for k in call.keywords)


def _merged(arguments: list[ast.expr]) -> Iterator[tuple[object, ast.expr]]:
    for argument in arguments:
        if isinstance(argument, (ast.List, ast.Tuple, ast.Set)):
            yield from ((None, element) for element in argument.elts)
        elif isinstance(argument, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            yield None, argument.elt
        elif isinstance(argument, ast.Dict):
            for key, value in zip(argument.keys, argument.values, strict=True):
                yield ALL_OF if key is None else key_of(key), value
        elif not isinstance(argument, ast.Constant):
            yield ALL_OF, argument


def key_of(node: ast.expr) -> object:
    """Return the key under which something is put in, as an expression where it is no constant."""
    known = constant_key(node)
    return node if known is None and not isinstance(node, (ast.Constant, ast.Slice)) else known


def constant_key(node: ast.expr) -> object:
    """Return a constant key or index, a slice of constants; None where it is not known."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Slice):
        return _constant_slice(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = constant_key(node.operand)
        return -number if isinstance(number, int) else None
    return None


def _constant_slice(node: ast.Slice) -> slice | None:
    parts = [node.lower, node.upper, node.step]
    known = [None if part is None else constant_key(part) for part in parts]
    if any(
        part is not None and not isinstance(k, int) for part, k in zip(parts, known, strict=True)
    ):
        return None
    return slice(*known)
