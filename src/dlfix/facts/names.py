"""Scopes, bindings and uses: which variable a name stands for, by Python's rules.

A variable is a pair `(scope, name)`: the number of the scope that owns it, and its name. The code of a
scope is one range of nodes: of a function its body; of a comprehension all but the first iterable;
defaults, annotations, decorators and bases are part of the enclosing scope. Names with two leading
underscores are not mangled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from dlfix.facts.model import COMPREHENSIONS, FUNCTIONS, NOTHING, FileFacts, Kind, Role

Variable = tuple[int, str]
Step = int | tuple[object, ...]

# Steps of a path that are no index:
EACH = ("each",)  # an item of an iterable, which one is not known
# ("slice", start, stop), ("key", value) and ("attribute", name)

MODULE, CLASS, FUNCTION, LAMBDA = "module", "class", "function", "lambda"
COMPREHENSION, GENERATOR, TYPE_PARAMETERS = "comprehension", "generator", "type parameters"
_SCOPE_KINDS = {
    Kind.CLASS: CLASS, Kind.FUNCTION: FUNCTION, Kind.ASYNC_FUNCTION: FUNCTION,
    Kind.LAMBDA: LAMBDA, Kind.LIST_COMPREHENSION: COMPREHENSION,
    Kind.SET_COMPREHENSION: COMPREHENSION, Kind.DICT_COMPREHENSION: COMPREHENSION,
    Kind.GENERATOR: GENERATOR, Kind.TYPE_ALIAS: TYPE_PARAMETERS,
}  # fmt: skip
_INNER = frozenset({COMPREHENSION, GENERATOR})
_INLINE = frozenset({CLASS, COMPREHENSION, TYPE_PARAMETERS})
_WHOLE = frozenset({"str", "int", "float", "bool", "bytes", "dict", "list", "tuple", "set"})


class Scope(NamedTuple):
    """A scope: its code is `range(first, end)`. `node` opens it; `parent` is NOTHING for the module."""

    id: int
    kind: str
    node: int
    parent: int
    first: int
    end: int


class Binding(NamedTuple):
    """One place where a variable gets a value, or loses it (`delete`).

    `scope` owns the variable, `site` is the scope whose code binds it (another one for `global`,
    `nonlocal`, and `:=` in a comprehension). `value` is the expression that the value comes from
    (NOTHING for a def, class, import or parameter), and `path` the steps from there: `a, b = x` binds
    `b` to `x` by `(1,)`, a loop binds its target by `(EACH,)`. `statement` is the statement, or the
    def, lambda or comprehension, that binds.

    Kinds: assign, annotated, declared (an annotation without a value: it makes a name local, but binds
    nothing), augmented, walrus, for, with, except, match, import, def, class, parameter, type
    parameter, type alias, delete.
    """

    node: int
    name: str
    kind: str
    scope: int
    site: int
    statement: int
    value: int = NOTHING
    path: tuple[Step, ...] = ()


class Names:
    """What the names of one file stand for."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts

    # Scopes

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """All scopes, each before those within it; the module's is number 0."""
        return tuple(_scopes(self.facts))

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        """Where the innermost scope changes, and to which."""
        places: list[int] = []
        inner: list[int] = []
        opened: list[Scope] = []

        def close(before: int) -> None:
            while opened and opened[-1].end <= before:
                closed = opened.pop()
                places.append(closed.end)
                inner.append(opened[-1].id if opened else 0)

        for scope in sorted(self.scopes, key=lambda scope: (scope.first, -scope.end, scope.id)):
            close(scope.first)
            opened.append(scope)
            places.append(scope.first)
            inner.append(scope.id)
        close(len(self.facts))
        return places, inner

    def scope_of(self, node: int) -> int:
        """Return the scope that a node is evaluated in."""
        places, inner = self._bounds
        return inner[bisect_right(places, node) - 1]

    @cached_property
    def _opened(self) -> dict[int, int]:
        return {scope.node: scope.id for scope in self.scopes if scope.kind != TYPE_PARAMETERS}

    def opened_by(self, node: int) -> int:
        """Return the scope that a def, lambda, class or comprehension opens."""
        return self._opened[node]

    def activation(self, node: int) -> int:
        """Return the module (0), def, lambda or generator expression whose code a node is part of."""
        return self.activation_of(self.scope_of(node))

    def activation_of(self, scope: int) -> int:
        """Return the node whose code a scope's code runs with: class bodies run where they stand."""
        while self.scopes[scope].kind in _INLINE:
            scope = self.scopes[scope].parent
        return self.scopes[scope].node

    def own_nodes(self, function: int, *kinds: int) -> Iterator[int]:
        """Yield the nodes of some kinds in a function's own code, nested functions left out."""
        for node in self.facts.nodes(*kinds, within=function):
            if self.activation(node) == function:
                yield node

    def returns(self, function: int) -> list[int]:
        """Return the return statements of a def."""
        return list(self.own_nodes(function, Kind.RETURN))

    def yields(self, function: int) -> list[int]:
        """Return the yields of a def: with some, it is a generator function."""
        return list(self.own_nodes(function, Kind.YIELD, Kind.YIELD_FROM))

    def within(self, scope: int) -> Iterator[Scope]:
        """Yield a scope and those within it."""
        node = self.scopes[scope].node
        end = self.facts.ends[node]
        for other in self.scopes[scope:]:
            if other.node >= end:
                return
            yield other

    def qualname(self, scope: int) -> str:
        """Return what `__qualname__` is; empty for the module."""
        names: list[str] = []
        while scope > 0:
            found = self.scopes[scope]
            if found.kind != TYPE_PARAMETERS:
                plain = found.kind in (CLASS, FUNCTION)
                name = self.facts.symbol(found.node) if plain else _ANONYMOUS[found.kind]
                names.append(name)
                if self._enclosing(found.parent) > 0 and not self._is_class(found.parent):
                    names.append("<locals>")
            scope = found.parent
        return ".".join(reversed(names))

    def _is_class(self, scope: int) -> bool:
        return self.scopes[self._enclosing(scope)].kind == CLASS

    def _enclosing(self, scope: int) -> int:
        """Return a scope, or the one around it where it only holds type parameters."""
        while scope > 0 and self.scopes[scope].kind == TYPE_PARAMETERS:
            scope = self.scopes[scope].parent
        return scope

    # Variables

    @cached_property
    def declared(self) -> dict[Variable, int]:
        """The names that scopes declare `global` or `nonlocal`, with the declaring statements."""
        facts = self.facts
        return {
            (self.scope_of(node), facts.symbol(node)): facts.parents[node]
            for node in facts.nodes(Kind.DECLARED)
        }

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """All bindings, in order."""
        return tuple(_Bindings(self).all())

    @cached_property
    def variables(self) -> dict[Variable, list[Binding]]:
        """The bindings of each variable, in order."""
        found: dict[Variable, list[Binding]] = {}
        for binding in self.bindings:
            found.setdefault((binding.scope, binding.name), []).append(binding)
        return found

    @cached_property
    def by_node(self) -> dict[int, Binding]:
        """The binding that each binding node makes."""
        return {binding.node: binding for binding in self.bindings}

    @cached_property
    def _owned(self) -> set[Variable]:
        return {(binding.scope, binding.name) for binding in self.bindings}

    @cached_property
    def _memo(self) -> dict[Variable, int]:
        return {}

    def lookup(self, scope: int, name: str) -> int:
        """Return the scope that owns a name used in a scope; NOTHING for a builtin or unknown one."""
        key = (scope, name)
        if key not in self._memo:
            self._memo[key] = self._lookup(scope, name)
        return self._memo[key]

    def _lookup(self, scope: int, name: str) -> int:
        at, sees_class = scope, True
        while at > 0:
            found = self.scopes[at]
            declaration = self.declared.get((at, name))
            if declaration is not None and (found.kind != CLASS or sees_class):
                if self.facts.kinds[declaration] == Kind.GLOBAL:
                    return 0 if (0, name) in self._owned else NOTHING
            elif (at, name) in self._owned and (found.kind != CLASS or sees_class):
                return at
            sees_class = found.kind == TYPE_PARAMETERS
            at = found.parent
        return 0 if (0, name) in self._owned else NOTHING

    def variable(self, node: int) -> Variable | None:
        """Return the variable that a name, parameter or other binding node is; None if unknown."""
        binding = self.by_node.get(node)
        if binding is not None:
            return binding.scope, binding.name
        name = self.facts.symbol(node)
        owner = self.lookup(self.scope_of(node), name)
        return None if owner == NOTHING else (owner, name)

    @cached_property
    def _reads(self) -> dict[str, list[int]]:
        facts = self.facts
        found: dict[str, list[int]] = {}
        for node in facts.nodes(Kind.NAME, Kind.NAME_STORE):
            if facts.kinds[node] == Kind.NAME or _is_augmented(facts, node):
                found.setdefault(facts.symbol(node), []).append(node)
        return found

    def reads(self, name: str) -> list[int]:
        """Return where a name is read, in any scope; `x += 1` reads x."""
        return self._reads.get(name, [])

    def uses(self, variable: Variable) -> Iterator[int]:
        """Yield where a variable is read, in its own scope and those within."""
        scope, name = variable
        for node in self.reads(name):
            if self.lookup(self.scope_of(node), name) == scope:
                yield node

    def free_variables(self, scope: int) -> dict[str, int]:
        """Return the names that a scope and those within use of enclosing functions, with these."""
        inside = {found.id for found in self.within(scope)}
        opened = self.scopes[scope]
        found: dict[str, int] = {}
        facts = self.facts
        for node in facts.nodes(Kind.NAME, Kind.NAME_STORE, Kind.NAME_DELETE, within=opened.node):
            site = self.scope_of(node)
            if site in inside:
                owner = self.lookup(site, facts.symbol(node))
                if owner > 0 and owner not in inside and self.scopes[owner].kind != CLASS:
                    found.setdefault(facts.symbol(node), owner)
        return found


_ANONYMOUS = {
    LAMBDA: "<lambda>", COMPREHENSION: "<comprehension>", GENERATOR: "<genexpr>"
}  # fmt: skip


def _is_augmented(facts: FileFacts, node: int) -> bool:
    return facts.kinds[facts.parents[node]] == Kind.AUG_ASSIGN


def _scopes(facts: FileFacts) -> Iterator[Scope]:
    yield Scope(0, MODULE, 0, NOTHING, 0, len(facts))
    number = 1
    opened: list[tuple[int, int, int]] = [(0, len(facts), 0)]  # first, end, scope
    for node in facts.nodes(*_SCOPE_KINDS):
        kind, end = facts.kinds[node], facts.ends[node]
        while opened[-1][1] <= node:
            opened.pop()
        # A node in the header of a def is within the def's node, but not in its scope's code.
        parent = next(scope for first, stop, scope in reversed(opened) if first <= node < stop)
        generic = facts.child(node, Role.TYPE_PARAMETER)
        if generic != NOTHING:
            yield Scope(number, TYPE_PARAMETERS, node, parent, generic, end)
            opened.append((generic, end, number))
            parent = number
            number += 1
        if kind == Kind.TYPE_ALIAS:
            continue
        if kind in COMPREHENSIONS:
            first = facts.child(node + 1, Role.TARGET)
        else:
            first = facts.child(node, Role.BODY)
        yield Scope(number, _SCOPE_KINDS[Kind(kind)], node, parent, first, end)
        opened.append((first, end, number))
        number += 1


class _Bindings:
    """Finds the bindings of a file."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.facts = names.facts

    def all(self) -> Iterator[Binding]:
        facts = self.facts
        for node in facts.nodes(*_BINDING):
            name = (
                facts.symbol(node) if facts.kinds[node] != Kind.ALIAS else facts.imported(node)[3]
            )
            if name:
                yield self._binding(node, name)

    def _binding(self, node: int, name: str) -> Binding:
        facts = self.facts
        kind, statement, value, path = self._origin(node)
        if facts.kinds[node] == Kind.PARAMETER:
            site = self.names.opened_by(facts.parents[node])
        elif facts.kinds[node] == Kind.TYPE_PARAMETER:
            site = self.names.scope_of(node)
        else:
            site = self.names.scope_of(node)
            while kind == "walrus" and self.names.scopes[site].kind in _INNER:
                site = self.names.scopes[site].parent
        return Binding(node, name, kind, self._owner(site, name), site, statement, value, path)

    def _owner(self, site: int, name: str) -> int:
        names = self.names
        declaration = names.declared.get((site, name))
        if declaration is None:
            return site
        if self.facts.kinds[declaration] == Kind.GLOBAL:
            return 0
        above = names.scopes[site].parent
        while above > 0:
            if names.scopes[above].kind in (FUNCTION, LAMBDA) and (above, name) in self._local:
                return above
            above = names.scopes[above].parent
        return site  # not Python

    @cached_property
    def _local(self) -> set[Variable]:
        """The names that each scope binds without a declaration."""
        facts, names = self.facts, self.names
        found: set[Variable] = set()
        for node in facts.nodes(*_BINDING):
            if facts.kinds[node] == Kind.PARAMETER:
                site = names.opened_by(facts.parents[node])
            else:
                site = names.scope_of(node)
                walrus = facts.kinds[facts.parents[node]] == Kind.NAMED
                while walrus and names.scopes[site].kind in _INNER:
                    site = names.scopes[site].parent
            is_alias = facts.kinds[node] == Kind.ALIAS
            name = facts.imported(node).local if is_alias else facts.symbol(node)
            if (site, name) not in names.declared:
                found.add((site, name))
        return found

    def _origin(self, node: int) -> tuple[str, int, int, tuple[Step, ...]]:
        """Return a binding's kind, its statement, the expression it comes from, and the path."""
        facts = self.facts
        kind = facts.kinds[node]
        if kind == Kind.NAME_STORE:
            return target_origin(facts, node)
        if kind in _PATTERNS:
            return ("match", facts.statement(node), *_pattern_origin(facts, node))
        if kind == Kind.PARAMETER:
            return "parameter", facts.parents[node], NOTHING, ()
        if kind in FUNCTIONS or kind == Kind.CLASS:
            return _DEFINING[Kind(kind)], node, NOTHING, ()
        return _DEFINING[Kind(kind)], facts.statement(node), NOTHING, ()


_DEFINING = {
    Kind.FUNCTION: "def", Kind.ASYNC_FUNCTION: "def", Kind.CLASS: "class",
    Kind.NAME_DELETE: "delete", Kind.HANDLER: "except", Kind.ALIAS: "import",
    Kind.TYPE_PARAMETER: "type parameter",
}  # fmt: skip
_PATTERNS = frozenset({Kind.MATCH_AS, Kind.MATCH_STAR, Kind.MATCH_REST})
_BINDING = (Kind.NAME_STORE, Kind.PARAMETER, *_DEFINING, *_PATTERNS)
_TARGETS = {
    Kind.ASSIGN: ("assign", Role.VALUE), Kind.ANN_ASSIGN: ("annotated", Role.VALUE),
    Kind.AUG_ASSIGN: ("augmented", Role.VALUE), Kind.NAMED: ("walrus", Role.VALUE),
    Kind.FOR: ("for", Role.ITER), Kind.ASYNC_FOR: ("for", Role.ITER),
    Kind.CLAUSE: ("for", Role.ITER), Kind.ASYNC_CLAUSE: ("for", Role.ITER),
    Kind.WITH_ITEM: ("with", Role.CONTEXT), Kind.TYPE_ALIAS: ("type alias", Role.VALUE),
    Kind.DELETE: ("delete", Role.VALUE),
}  # fmt: skip


def target_origin(facts: FileFacts, node: int) -> tuple[str, int, int, tuple[Step, ...]]:
    """Return how a target is set: the kind of binding, its statement, its value and the path."""
    path: list[Step] = []
    at, above = node, facts.parents[node]
    while facts.kinds[above] not in _TARGETS:
        if facts.kinds[above] not in (Kind.STARRED_STORE, Kind.STARRED_DELETE):
            path.append(_step(facts, above, at))
        at, above = above, facts.parents[above]
    kind, role = _TARGETS[Kind(facts.kinds[above])]
    if kind == "for":
        path.append(EACH)
    value = facts.child(above, role)
    if kind == "annotated" and value == NOTHING:
        kind = "declared"
    if facts.kinds[above] in (Kind.CLAUSE, Kind.ASYNC_CLAUSE):
        return kind, facts.parents[above], value, tuple(reversed(path))
    return kind, facts.statement(above), value, tuple(reversed(path))


_STARS = frozenset({Kind.STARRED_STORE, Kind.MATCH_STAR})


def _step(facts: FileFacts, sequence: int, part: int) -> Step:
    """Return which item a part of an unpacking, or of a sequence pattern, takes."""
    parts = list(facts.children(sequence))
    index = parts.index(part)
    starred = next((i for i, p in enumerate(parts) if facts.kinds[p] in _STARS), len(parts))
    if index == starred:
        return ("slice", index, index + 1 - len(parts) or None)
    return index if index < starred else index - len(parts)


def _pattern_origin(facts: FileFacts, node: int) -> tuple[int, tuple[Step, ...]]:
    """Return the subject that a capture takes its value from, and the path; NOTHING if unknown."""
    if facts.kinds[node] == Kind.MATCH_REST:
        return NOTHING, ()
    path: list[Step] = []
    at, above = node, facts.parents[node]
    while facts.kinds[above] != Kind.CASE:
        kind = facts.kinds[above]
        if kind == Kind.MATCH_SEQUENCE:
            path.append(_step(facts, above, at))
        elif kind == Kind.MATCH_MAPPING:
            path.append(_key(facts, above, at))
        elif kind == Kind.KEYWORD:
            path.append(("attribute", facts.symbol(above)))
        elif kind == Kind.MATCH_CLASS and facts.roles[at] == Role.PATTERN:
            cls = facts.child(above, Role.CLASS)
            if facts.kinds[cls] != Kind.NAME or facts.symbol(cls) not in _WHOLE:
                return NOTHING, ()
        at, above = above, facts.parents[above]
    return facts.child(facts.parents[above], Role.SUBJECT), tuple(reversed(path))


def _key(facts: FileFacts, mapping: int, pattern: int) -> Step:
    """Return the key that stands before a pattern of a mapping."""
    parts = list(facts.children(mapping))
    key = parts[parts.index(pattern) - 1]
    return ("key", facts.literal(key)) if facts.kinds[key] == Kind.CONSTANT else EACH
