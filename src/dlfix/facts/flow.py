"""Reaching definitions and liveness of variables.

Answers are worked out when asked, by a search from the place of the question, and kept as long as the
`Flow` of the file is. All are about one activation; code of other ones counts like this: a binding in
another function (`global`, `nonlocal`, `:=` in a generator expression) may run any time after the
function has been made, and a read in another function may see each binding that holds when the
function is made, or comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from typing import NamedTuple

from dlfix.facts.cfg import Graph, graph_of, may_swallow
from dlfix.facts.model import NOTHING, FileFacts, Kind
from dlfix.facts.names import CLASS, Binding, Names, Variable


class Reaching(NamedTuple):
    """What a read may see. With `unbound`, also that nothing is bound, or what is bound elsewhere."""

    bindings: tuple[Binding, ...]
    unbound: bool


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
