"""What stands where: calls, attributes, items, imports, signatures and classes, as plain tuples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dlfix.facts.model import FUNCTIONS, NOTHING, FileFacts, Import, Kind, Role
from dlfix.facts.names import Step, target_origin


class Call(NamedTuple):
    """A call. A keyword without a name is `**value`; an argument may be STARRED."""

    node: int
    func: int
    arguments: tuple[int, ...]
    keywords: tuple[tuple[str, int], ...]


class AttributeWrite(NamedTuple):
    """One place that sets or deletes `object.name`.

    `kind` is that of a binding, or `setattr` (with `object.__setattr__` and `delattr`), or `dict`
    (`object.__dict__["name"] = ...`). `node` is the target or the call, `object` the expression to the
    left of the dot, `value` and `path` as in `names.Binding`.
    """

    node: int
    object: int
    name: str
    kind: str
    statement: int
    value: int
    path: tuple[Step, ...]


class ItemWrite(NamedTuple):
    """One place that sets or deletes `object[key]`."""

    node: int
    object: int
    key: int
    kind: str
    statement: int
    value: int
    path: tuple[Step, ...]


class Parameter(NamedTuple):
    """A parameter; `kind` is its role: POSITIONAL_ONLY, PARAMETER, REST, KEYWORD_ONLY, KEYWORD_REST."""

    node: int
    name: str
    kind: Role
    default: int
    annotation: int


class Signature(NamedTuple):
    """A def or lambda."""

    node: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: int
    decorators: tuple[int, ...]
    is_async: bool

    @property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that may be given by position, `*args` left out."""
        kinds = (Role.POSITIONAL_ONLY, Role.PARAMETER)
        return tuple(each for each in self.parameters if each.kind in kinds)


class ImportSite(NamedTuple):
    """One name of an import statement."""

    node: int
    statement: int
    imported: Import


def call(facts: FileFacts, node: int) -> Call:
    """Return the parts of a call."""
    arguments: list[int] = []
    keywords: list[tuple[str, int]] = []
    for child in facts.children(node):
        role = facts.roles[child]
        if role == Role.ARGUMENT:
            arguments.append(child)
        elif role == Role.KEYWORD:
            keywords.append((facts.symbol(child), child + 1))
    return Call(node, node + 1, tuple(arguments), tuple(keywords))


def calls(facts: FileFacts, within: int = 0) -> Iterator[Call]:
    """Yield all calls in a node."""
    for node in facts.nodes(Kind.CALL, within=within):
        yield call(facts, node)


def calls_of(facts: FileFacts, name: str, within: int = 0) -> Iterator[Call]:
    """Yield the calls of what is written as a name, or ends in one: `f(x)`, `a.f(x)`."""
    for node in facts.nodes(Kind.CALL, within=within):
        func = node + 1
        if facts.kinds[func] in (Kind.NAME, Kind.ATTRIBUTE) and facts.symbol(func) == name:
            yield call(facts, node)


def attribute_writes(facts: FileFacts, within: int = 0) -> Iterator[AttributeWrite]:
    """Yield the places in a node that set or delete an attribute, in order."""
    kinds = (Kind.ATTRIBUTE_STORE, Kind.ATTRIBUTE_DELETE, Kind.SUBSCRIPT_STORE)
    for node in facts.nodes(*kinds, Kind.SUBSCRIPT_DELETE, Kind.CALL, within=within):
        kind = facts.kinds[node]
        if kind in (Kind.ATTRIBUTE_STORE, Kind.ATTRIBUTE_DELETE):
            how, statement, value, path = target_origin(facts, node)
            yield AttributeWrite(node, node + 1, facts.symbol(node), how, statement, value, path)
        elif kind == Kind.CALL:
            yield from _set_by_call(facts, node)
        else:
            yield from _set_in_dict(facts, node)


def _set_by_call(facts: FileFacts, node: int) -> Iterator[AttributeWrite]:
    """Yield what `setattr(x, "name", v)`, `object.__setattr__(x, "name", v)`, `delattr` set."""
    func = node + 1
    if facts.last_name(func) not in ("setattr", "delattr", "__setattr__", "__delattr__"):
        return
    given = list(facts.parts(node, Role.ARGUMENT))
    name = next((each for each in given[:2] if facts.kinds[each] == Kind.CONSTANT), NOTHING)
    if name == NOTHING or not isinstance(facts.literal(name), str):
        return
    index = given.index(name)
    owner = (
        given[0] if index else func + 1
    )  # `x.__setattr__("name", v)`, `super().__setattr__(...)`
    value = given[index + 1] if index + 1 < len(given) else NOTHING
    statement = facts.statement(node)
    yield AttributeWrite(node, owner, str(facts.literal(name)), "setattr", statement, value, ())


def _set_in_dict(facts: FileFacts, node: int) -> Iterator[AttributeWrite]:
    """Yield what `x.__dict__["name"] = v` and `vars(x)["name"] = v` set."""
    index = facts.child(node, Role.INDEX)
    if facts.kinds[index] != Kind.CONSTANT or not isinstance(facts.literal(index), str):
        return
    of = node + 1
    if facts.kinds[of] == Kind.ATTRIBUTE and facts.symbol(of) == "__dict__":
        owner = of + 1
    elif facts.kinds[of] == Kind.CALL and facts.last_name(of) == "vars":
        owner = facts.child(of, Role.ARGUMENT)
    else:
        return
    _, statement, value, path = target_origin(facts, node)
    yield AttributeWrite(node, owner, str(facts.literal(index)), "dict", statement, value, path)


def item_writes(facts: FileFacts, within: int = 0) -> Iterator[ItemWrite]:
    """Yield the places in a node that set or delete an item, in order."""
    for node in facts.nodes(Kind.SUBSCRIPT_STORE, Kind.SUBSCRIPT_DELETE, within=within):
        key = facts.child(node, Role.INDEX)
        how, statement, value, path = target_origin(facts, node)
        yield ItemWrite(node, node + 1, key, how, statement, value, path)


def imports(facts: FileFacts) -> Iterator[ImportSite]:
    """Yield all imported names."""
    for node in facts.nodes(Kind.ALIAS):
        yield ImportSite(node, facts.parents[node], facts.imported(node))


def signature(facts: FileFacts, node: int) -> Signature:
    """Return the signature of a def or lambda."""
    parameters: list[Parameter] = []
    decorators: list[int] = []
    returns = NOTHING
    for child in facts.children(node):
        role = facts.roles[child]
        if facts.kinds[child] == Kind.PARAMETER:
            default = facts.child(child, Role.DEFAULT)
            annotation = facts.child(child, Role.ANNOTATION)
            name = facts.symbol(child)
            parameters.append(Parameter(child, name, Role(role), default, annotation))
        elif role == Role.DECORATOR:
            decorators.append(child)
        elif role == Role.RETURNS:
            returns = child
        elif role == Role.BODY:
            break
    is_async = facts.kinds[node] == Kind.ASYNC_FUNCTION
    name = facts.symbol(node) if facts.kinds[node] in FUNCTIONS else "<lambda>"
    return Signature(node, name, tuple(parameters), returns, tuple(decorators), is_async)
