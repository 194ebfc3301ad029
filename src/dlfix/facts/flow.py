"""Reaching definitions, liveness and what is surely bound, for variables and for paths like `self.x`.

Answers are worked out when asked, by a search from the place of the question, and kept as long as the
`Flow` of the file is. All are about one activation; code of other ones counts like this: a binding in
another function (`global`, `nonlocal`, `:=` in a generator expression) may run any time after the
function has been made, and a read in another function may see each binding that holds when the
function is made, or comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, cmp_to_key
from typing import NamedTuple

from dlfix.facts.cfg import Graph, graph_of, may_swallow
from dlfix.facts.model import NOTHING, FileFacts, Kind
from dlfix.facts.names import CLASS, Binding, Names, Variable
from dlfix.facts.sites import AttributeWrite, attribute_writes

# A variable, and the attributes from it. The scope of a builtin or unknown variable is NOTHING.
AccessPath = tuple[Variable, tuple[str, ...]]


class Reaching(NamedTuple):
    """What a read may see. With `unbound`, also that nothing is bound, or what is bound elsewhere."""

    bindings: tuple[Binding, ...]
    unbound: bool


class PathReaching(NamedTuple):
    """What a read of an access path may see.

    `writes` are writes of this path, and `rebound` bindings of what it starts with (`self = other`),
    or the writes of a shorter path (`self.a = ...` for `self.a.b`). With `entry`, also what the
    attribute was before this code ran. `aliases` are earlier writes of an attribute of the same name
    on something else, which may be the same object. What calls do is not part of the answer: `Flow.between`.
    """

    writes: tuple[AttributeWrite, ...]
    rebound: tuple[int, ...]
    entry: bool
    aliases: tuple[AttributeWrite, ...]


class Flow:
    """Graphs of one file, and the questions about them."""

    def __init__(
        self, names: Names, swallows: Callable[[FileFacts, int], bool] = may_swallow
    ) -> None:
        self.names = names
        self.facts = names.facts
        self._swallows = swallows
        self._graphs: dict[int, Graph] = {}
        self._events: dict[tuple[int, Variable], dict[int, list[int]]] = {}

    def graph(self, root: int) -> Graph:
        """Return the graph of a module (0), def, lambda or generator expression."""
        if root not in self._graphs:
            self._graphs[root] = graph_of(self.facts, root, self._swallows)
        return self._graphs[root]

    def graph_at(self, node: int) -> Graph:
        """Return the graph of the code that a node is part of."""
        return self.graph(self.names.activation(node))

    # Variables

    def reaching(self, use: int) -> Reaching:
        """Return the bindings that a NAME (or the target of `x += 1`) may read."""
        name = self.facts.symbol(use)
        scope = self.names.lookup(self.names.scope_of(use), name)
        return self.holding((scope, name), use) if scope != NOTHING else Reaching((), True)

    def holding(self, variable: Variable, at: int) -> Reaching:
        """Return the bindings of a variable that may hold when a node is evaluated."""
        names = self.names
        home = names.activation_of(variable[0])
        here = names.activation(at)
        if home == here:
            found = self._local(variable, home, at)
        else:
            found = self._captured(variable, home, at)
        if found.unbound and names.scopes[variable[0]].kind == CLASS:
            outer = self.holding((0, variable[1]), at)
            return Reaching((*found.bindings, *outer.bindings), outer.unbound)
        return found

    def at_end(self, variable: Variable) -> Reaching:
        """Return the bindings of a variable that may hold when its code has run to its end."""
        home = self.names.activation_of(variable[0])
        graph = self.graph(home)
        bound, unbound = self._search(graph, self._bound(home, variable), [graph.exit], set())
        return self._joined(bound, unbound, self._foreign(variable, home))

    def surely_bound(self, name: str, at: int) -> bool:
        """Return whether a name, as the code around a node sees it, is bound when the node is evaluated."""
        scope = self.names.lookup(self.names.scope_of(at), name)
        return scope != NOTHING and not self.holding((scope, name), at).unbound

    def is_live(self, variable: Variable, at: int) -> bool:
        """Return whether a value that a variable holds after a node may still be read."""
        names = self.names
        home = names.activation_of(variable[0])
        graph = self.graph(home)
        bound = {b.node for b in names.variables.get(variable, ()) if graph.holds(b.node)}
        for use in names.uses(variable):
            if names.activation(use) == home:
                if graph.reaches(at, use, avoiding=bound - {use}):
                    return True
            else:
                made = self.made_in(home, use)
                if graph.may_follow(made, at) or graph.may_follow(at, made):
                    return True
        return False

    def made_in(self, root: int, node: int) -> int:
        """Return what makes, in some code, the outermost function that a node is in."""
        at = node
        while True:
            above = self.names.activation(at)
            if above == root:
                return at
            if above == 0:
                return NOTHING
            at = above

    def _local(self, variable: Variable, home: int, at: int) -> Reaching:
        graph = self.graph(home)
        found, unbound = self._before(graph, self._bound(home, variable), at)
        foreign = [
            binding
            for binding in self._foreign(variable, home)
            if graph.may_follow(self.made_in(home, binding.node), at)
        ]
        return self._joined(found, unbound, foreign)

    def _captured(self, variable: Variable, home: int, at: int) -> Reaching:
        graph = self.graph(home)
        made = self.made_in(home, at)
        foreign = self._foreign(variable, home)
        if made == NOTHING:
            return self._joined((), True, self.names.variables.get(variable, []))
        found, unbound = self._before(graph, self._bound(home, variable), made)
        for binding in self.names.variables.get(variable, ()):
            if graph.holds(binding.node) and graph.may_follow(made, binding.node):
                if binding.kind not in ("delete", "declared"):
                    found.add(binding.node)
                unbound = unbound or binding.kind == "delete"
        return self._joined(found, unbound, foreign)

    def _joined(self, nodes: Iterable[int], unbound: bool, foreign: list[Binding]) -> Reaching:
        """Return what own code binds, and what other code may bind or delete."""
        deleted = any(binding.kind == "delete" for binding in foreign)
        others = (b for b in foreign if b.kind not in ("delete", "declared"))
        return Reaching((*self._bindings(nodes), *others), unbound or deleted)

    def _foreign(self, variable: Variable, home: int) -> list[Binding]:
        """Return the bindings and deletions of a variable in other activations than its own."""
        names = self.names
        return [
            binding
            for binding in names.variables.get(variable, ())
            if (binding.kind != "declared" and names.activation_of(binding.site) != home)
            or (binding.kind == "walrus" and names.activation(binding.node) != home)
        ]

    def _bindings(self, nodes: Iterable[int]) -> Iterator[Binding]:
        by_node = self.names.by_node
        return (by_node[node] for node in sorted(nodes))

    def _bound(self, home: int, variable: Variable) -> dict[int, list[int]]:
        """Return for each block of a graph the bindings of a variable in it, in order."""
        key = (home, variable)
        if key not in self._events:
            graph = self.graph(home)
            bindings = self.names.variables.get(variable, ())
            nodes = [binding.node for binding in bindings if binding.kind != "declared"]
            handlers = {node for node in nodes if self.facts.kinds[node] == Kind.HANDLER}
            events = _by_block(graph, nodes)
            for block, handler in graph.unbinds.items():
                if handler in handlers:
                    events[block] = [NOTHING]
            self._events[key] = events
        return self._events[key]

    def _before(
        self, graph: Graph, events: Mapping[int, Sequence[int]], at: int
    ) -> tuple[set[int], bool]:
        """Return the last events before a node, on each path, and whether a path has none."""
        found: set[int] = set()
        starts: list[int] = []
        missing = False
        for block in graph.blocks(at):
            earlier = [each for each in events.get(block, ()) if graph.precedes(each, at)]
            if not earlier:
                starts.append(block)
            elif self._takes_away(earlier[-1]):
                missing = True
            else:
                found.add(earlier[-1])
        bound, unbound = self._search(graph, events, starts, found)
        return bound, unbound or missing

    def _search(
        self,
        graph: Graph,
        events: Mapping[int, Sequence[int]],
        starts: Iterable[int],
        found: set[int],
    ) -> tuple[set[int], bool]:
        """Go back from the beginnings of some blocks to the last event of each path."""
        missing = False
        seen: set[int] = set()
        pending = list(starts)
        missing = graph.entry in pending
        while pending:
            for block in graph.predecessors[pending.pop()]:
                if block in seen or block not in graph.reachable:
                    continue
                seen.add(block)
                last = events.get(block)
                if last is None:
                    missing = missing or block == graph.entry
                    pending.append(block)
                elif self._takes_away(last[-1]):
                    missing = True
                else:
                    found.add(last[-1])
        return found, missing

    def _takes_away(self, node: int) -> bool:
        return node == NOTHING or self.facts.kinds[node] == Kind.NAME_DELETE

    # Access paths

    def access_path(self, node: int) -> AccessPath | None:
        """Return the path that a chain of attributes is; None for anything else."""
        facts = self.facts
        parts: list[str] = []
        while Kind.ATTRIBUTE <= facts.kinds[node] <= Kind.ATTRIBUTE_DELETE:
            parts.append(facts.symbol(node))
            node += 1
        if not Kind.NAME <= facts.kinds[node] <= Kind.NAME_DELETE:
            return None
        name = facts.symbol(node)
        owner = self.names.lookup(self.names.scope_of(node), name)
        return (owner, name), tuple(reversed(parts))

    @cached_property
    def _writes(self) -> dict[str, list[AttributeWrite]]:
        found: dict[str, list[AttributeWrite]] = {}
        for write in attribute_writes(self.facts):
            found.setdefault(write.name, []).append(write)
        return found

    def writes_of(self, path: AccessPath) -> list[AttributeWrite]:
        """Return the writes in the file of an access path of at least one attribute."""
        variable, parts = path
        owner = (variable, parts[:-1])
        return [
            write
            for write in self._writes.get(parts[-1], ())
            if self.access_path(write.object) == owner
        ]

    def reaching_path(self, use: int) -> PathReaching | None:
        """Return what a read of `a.b.c` may see; None where it is no access path."""
        path = self.access_path(use)
        return None if path is None or not path[1] else self.holding_path(path, use)

    def holding_path(self, path: AccessPath, at: int) -> PathReaching:
        """Return what an access path may be when a node is evaluated."""
        variable, parts = path
        here = self.names.activation(at)
        graph = self.graph(here)
        writes = {write.node: write for write in self.writes_of(path)}
        nodes = [node for node in writes if graph.holds(node)]
        for length in range(1, len(parts)):
            nodes += [write.node for write in self.writes_of((variable, parts[:length]))]
        if variable[0] != NOTHING and self.names.activation_of(variable[0]) == here:
            bindings = self.names.variables.get(variable, ())
            nodes += [each.node for each in bindings if each.kind not in ("parameter", "declared")]
        found, entry = self._before(graph, _by_block(graph, nodes), at)
        aliases = [
            write
            for write in self._writes.get(parts[-1], ())
            if write.node not in writes and graph.holds(write.node)
            if graph.may_follow(write.node, at)
        ]
        strong = [writes[node] for node in sorted(found) if node in writes]
        rebound = [node for node in sorted(found) if node not in writes]
        return PathReaching(tuple(strong), tuple(rebound), entry, tuple(aliases))

    def surely_set(self, path: AccessPath, at: int) -> bool:
        """Return whether this activation has set an access path on all paths to a node."""
        found = self.holding_path(path, at)
        kinds = [write.kind for write in found.writes]
        return not found.entry and not found.rebound and "delete" not in kinds

    def between(self, first: int, last: int, kind: int = Kind.CALL) -> list[int]:
        """Return the nodes of a kind that may be evaluated between two nodes of one activation."""
        root = self.names.activation(first)
        graph = self.graph(root)
        return [
            node
            for node in self.names.own_nodes(root, kind)
            if node not in (first, last) and graph.may_lie_between(first, node, last)
        ]

    def unchanged(self, variable: Variable, first: int, last: int) -> bool:
        """Return whether a variable is sure to hold at `last` what it held at `first`, before it.

        Both are in the activation that owns the variable. Only bindings are looked at, not what is done
        to the object; those in other functions count if the function is made before `last`.
        """
        home = self.names.activation_of(variable[0])
        graph = self.graph(home)
        for binding in self.names.variables.get(variable, ()):
            if graph.holds(binding.node):
                if graph.may_lie_between(first, binding.node, last):
                    return False
            elif graph.may_follow(self.made_in(home, binding.node), last):
                return False
        return not any(
            graph.facts.symbol(handler) == variable[1]
            and graph.facts.kinds[handler] == Kind.HANDLER
            and graph.may_follow(first, handler)
            for handler in graph.unbinds.values()
        )


def _by_block(graph: Graph, nodes: Iterable[int]) -> dict[int, list[int]]:
    """Return nodes by the blocks they are in, in order."""

    def compare(first: int, second: int) -> int:
        return -1 if graph.precedes(first, second) else 1

    found: dict[int, list[int]] = {}
    for node in nodes:
        for block in graph.blocks(node):
            found.setdefault(block, []).append(node)
    for each in found.values():
        each.sort(key=cmp_to_key(compare))
    return found
