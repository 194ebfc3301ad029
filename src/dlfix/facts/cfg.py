"""The control-flow graph of code that runs in one activation: a module, def, lambda or generator.

Class bodies and list, set and dict comprehensions run where they stand, so they are part of the graph
around them; the bodies of nested defs, lambdas and generator expressions are not.

A node is placed in the block in which it completes: a name when it is read, a call when it returns, a
target when it is set, a simple statement at its end. A compound statement (`if`, `for`, `while`, `with`, `try`,
`match`) and an `assert` are placed where they begin. Within a block the order is
`FileFacts.completes_before`. Code in a `finally` is there once for each way of leaving it, so a node may be
placed in several blocks.

Every branch leads through a block of its own, whose `guard` is the test and its outcome; `and`, `or`, `not`,
if-expressions, chained comparisons and the conditions of comprehensions branch like an `if`.

Exceptions: inside a `try` (and a `with` that may swallow them) a block ends after every call, binding,
deletion, attribute or item write, await and yield, and each block may go to the handlers.
Outside, only `raise` and `assert` leave by `raised`: that any line may raise, which ends the
function, is not an edge. A test that is a constant has one outcome.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from dlfix.facts.model import (
    COMPREHENSIONS,
    EAGER_COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    NOTHING,
    OMITTED,
    FileFacts,
    Kind,
    Role,
)

# A test and how it came out; also a CASE (whether it fits), and a loop or CLAUSE (whether there is
# one more item).
Guard = tuple[int, bool]

_DEEPEST = 60  # nested expressions whose branches are told apart
_MOST_COPIES = 3  # nested `finally` blocks, one in the other, that are copied
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex", "ExitStack"})


def _any_of(kinds: Iterable[int]) -> re.Pattern[bytes]:
    return re.compile(b"[%s]" % b"".join(b"\\x%02x" % kind for kind in sorted(kinds)))


_BRANCHING = _any_of(
    {Kind.AND, Kind.OR, Kind.IF_EXPRESSION, Kind.LAMBDA, Kind.COMPARE} | COMPREHENSIONS
)
_EVENTS = frozenset(
    {
        Kind.CALL, Kind.AWAIT, Kind.YIELD, Kind.YIELD_FROM, Kind.NAME_STORE, Kind.NAME_DELETE,
        Kind.ATTRIBUTE_STORE, Kind.ATTRIBUTE_DELETE, Kind.SUBSCRIPT_STORE, Kind.SUBSCRIPT_DELETE,
        Kind.FUNCTION, Kind.ASYNC_FUNCTION, Kind.CLASS, Kind.ALIAS, Kind.HANDLER, Kind.MATCH_AS,
        Kind.MATCH_STAR, Kind.MATCH_REST,
    }
)  # fmt: skip
# What is placed where it begins.
_ENTERED = frozenset(
    {Kind.WITH, Kind.ASYNC_WITH, Kind.IF, Kind.MATCH, Kind.TRY, Kind.TRY_STAR, Kind.ASSERT}
    | {Kind.CASE, Kind.HANDLER, Kind.CLAUSE, Kind.ASYNC_CLAUSE}
    | LOOPS
)
_CAPTURES = frozenset({Kind.MATCH_AS, Kind.MATCH_STAR, Kind.MATCH_REST})


class Graph:
    """The blocks of one activation, and what is before, after and sure to run.

    `root` is the node whose code it is (0 for the module). Blocks are numbers; `entry`, `exit` (a return, or
    the end of the code) and `raised` are blocks without nodes.
    """

    def __init__(self, facts: FileFacts, root: int, successors: list[list[int]]) -> None:
        self.facts = facts
        self.root = root
        self.entry, self.exit, self.raised = 0, 1, 2
        self.successors: Sequence[Sequence[int]] = successors
        self.guard: dict[int, Guard] = {}
        self.unbinds: dict[int, int] = {}  # blocks that only unbind the name of a HANDLER
        self._block = array("i")
        self._base = root
        self._copies: dict[int, tuple[int, ...]] = {}

    # Blocks

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """For each block those that it may come from."""
        found: list[list[int]] = [[] for _ in self.successors]
        for block, following in enumerate(self.successors):
            for other in following:
                found[other].append(block)
        return found

    def blocks(self, node: int) -> tuple[int, ...]:
        """Return the blocks a node is placed in; none, if it is not part of this code."""
        copies = self._copies.get(node)
        if copies is not None:
            return copies
        index = node - self._base
        if not 0 <= index < len(self._block) or self._block[index] == NOTHING:
            return ()
        return (self._block[index],)

    def holds(self, node: int) -> bool:
        """Return whether a node is part of this code."""
        return bool(self.blocks(node))

    @cached_property
    def _order(self) -> list[int]:
        """The blocks that can be reached, in reverse postorder."""
        return _reverse_postorder(self.successors, self.entry)

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The blocks that code may come to."""
        return frozenset(self._order)

    @cached_property
    def immediate_dominators(self) -> list[int]:
        """For each block the nearest that is sure to run before it; NOTHING for dead ones."""
        return _immediate_dominators(self._order, self.predecessors, len(self.successors))

    @cached_property
    def _depths(self) -> list[int]:
        depths = [0] * len(self.successors)
        for block in self._order[1:]:
            depths[block] = depths[self.immediate_dominators[block]] + 1
        return depths

    def reached_from(
        self, starts: Iterable[int], avoiding: Collection[int] = (), backwards: bool = False
    ) -> set[int]:
        """Return the blocks that paths from the ends of some blocks come to.

        A path may come to a block of `avoiding`, but does not go on from there.
        """
        edges = self.predecessors if backwards else self.successors
        found: set[int] = set()
        pending = [other for block in starts for other in edges[block]]
        while pending:
            block = pending.pop()
            if block not in found:
                found.add(block)
                if block not in avoiding:
                    pending += edges[block]
        return found

    # Nodes: before, after, sure

    def precedes(self, first: int, second: int) -> bool:
        """Return which of two nodes of one block comes first."""
        facts = self.facts
        if first == second:
            return False
        if facts.kinds[first] in _ENTERED and facts.contains(first, second):
            return True
        if facts.kinds[second] in _ENTERED and facts.contains(second, first):
            return False
        return facts.completes_before(first, second)

    def is_dead(self, node: int) -> bool:
        """Return whether code never comes to a node."""
        return self.reachable.isdisjoint(self.blocks(node))

    def dominates(self, first: int, second: int) -> bool:
        """Return whether one node is sure to have been evaluated when another is; False for dead code."""
        if first == second or self.is_dead(second):
            return False
        return not self.reaches(NOTHING, second, avoiding=(first,))

    def may_follow(self, first: int, second: int) -> bool:
        """Return whether `second` may be evaluated after `first` has been."""
        return self.reaches(first, second)

    def may_lie_between(self, first: int, middle: int, last: int) -> bool:
        """Return whether a node may be evaluated after the last time that `first` is before `last`."""
        around = (first,)
        return self.reaches(first, middle, around) and self.reaches(middle, last, around)

    def reaches(self, first: int, second: int, avoiding: Collection[int] = ()) -> bool:
        """Return whether a path leads from one node to another around some nodes.

        With `first` NOTHING, from the entry. The ends of the path are not asked to be avoided.
        """
        avoided = self._by_block(avoiding)
        goals = [block for block in self.blocks(second) if block in self.reachable]
        starts = (self.entry,) if first == NOTHING else self.blocks(first)
        leaving: list[int] = []
        for block in starts:
            if block not in self.reachable:
                continue
            stops = avoided.get(block, ())
            after = [each for each in stops if first == NOTHING or self.precedes(first, each)]
            if not after:
                leaving.append(block)
            goes_there = first != NOTHING and block in goals and self.precedes(first, second)
            if goes_there and not any(self.precedes(each, second) for each in after):
                return True
        found = self.reached_from(leaving, avoided)
        return any(
            goal in found and not any(self.precedes(each, second) for each in avoided.get(goal, ()))
            for goal in goals
        )

    def _ends_after(self, first: int, avoiding: Collection[int] = ()) -> set[int]:
        """Return the ends that paths from a node around some nodes lead to."""
        avoided = self._by_block(avoiding)
        leaving = [
            block
            for block in self.blocks(first)
            if block in self.reachable
            and not any(self.precedes(first, each) for each in avoided.get(block, ()))
        ]
        return self.reached_from(leaving, avoided) & {self.exit, self.raised}

    def _by_block(self, nodes: Collection[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for node in nodes:
            for block in self.blocks(node):
                found.setdefault(block, []).append(node)
        return found

    # Tests

    def guards(self, node: int) -> tuple[Guard, ...]:
        """Return the tests that are sure to have come out one way before a node, nearest first.

        What they tell of may have been set since: `may_lie_between(test, binding, node)`.
        """
        chains = [self._guards(block) for block in self.blocks(node) if block in self.reachable]
        if not chains:
            return ()
        common = set(chains[0]).intersection(*chains[1:])
        return tuple(guard for guard in chains[0] if guard in common)

    def _guards(self, block: int) -> list[Guard]:
        found: list[Guard] = []
        while True:
            guard = self.guard.get(block)
            if guard is not None:
                found.append(guard)
            if block == self.entry:
                return found
            block = self.immediate_dominators[block]

    @cached_property
    def immediate_postdominators(self) -> list[int]:
        """For each block the nearest that is sure to run after it; NOTHING where there is none.

        An end of the code has the number after the last block.
        """
        end = len(self.successors)
        edges = [list(before) for before in self.predecessors]
        edges.append([self.exit, self.raised])
        order = _reverse_postorder(edges, end)
        back: list[list[int]] = [list(following) for following in self.successors]
        back[self.exit].append(end)
        back[self.raised].append(end)
        return _immediate_dominators(order, [*back, []], end + 1)

    def decided_by(self, node: int) -> frozenset[Guard]:
        """Return the tests that a node is control dependent on, directly, with the outcome needed."""
        wanted = set(self.blocks(node)) & self.reachable
        return frozenset(
            guard for guard, decided in self._decided if not wanted.isdisjoint(decided)
        )

    @cached_property
    def _decided(self) -> list[tuple[Guard, set[int]]]:
        """For each outcome of a test the blocks that run because of it."""
        after = self.immediate_postdominators
        found: list[tuple[Guard, set[int]]] = []
        for block, guard in self.guard.items():
            if block not in self.reachable:
                continue
            stops = {after[before] for before in self.predecessors[block]}
            decided: set[int] = set()
            at = block
            while at not in stops and at != NOTHING and at < len(self.successors):
                decided.add(at)
                at = after[at]
            found.append((guard, decided))
        return found


def _reverse_postorder(successors: Sequence[Sequence[int]], entry: int) -> list[int]:
    order: list[int] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        block, following = stack[-1]
        for other in following:
            if other not in seen:
                seen.add(other)
                stack.append((other, iter(successors[other])))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]


def _immediate_dominators(
    order: list[int], predecessors: Sequence[Sequence[int]], size: int
) -> list[int]:
    """Return immediate dominators by the algorithm of Cooper, Harvey and Kennedy."""
    rank = {block: index for index, block in enumerate(order)}
    above = [NOTHING] * size
    above[order[0]] = order[0]
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            nearest = NOTHING
            for before in predecessors[block]:
                if above[before] == NOTHING:
                    continue
                if nearest == NOTHING:
                    nearest = before
                    continue
                other = before
                while nearest != other:
                    while rank[nearest] > rank[other]:
                        nearest = above[nearest]
                    while rank[other] > rank[nearest]:
                        other = above[other]
            if above[block] != nearest:
                above[block] = nearest
                changed = True
    return above


def may_swallow(facts: FileFacts, context: int) -> bool:
    """Return whether a context manager may end exceptions of its block, by how it is written."""
    return facts.last_name(context) in _SWALLOWING


def graph_of(
    facts: FileFacts,
    root: int,
    swallows: Callable[[FileFacts, int], bool] = may_swallow,
) -> Graph:
    """Return the graph of a module (0), def, lambda or generator expression.

    `swallows` says which expressions of `with` items may end exceptions of their block.
    """
    return _Lowering(facts, root, swallows).graph()


class _Loop:
    """A loop that is being entered, and where its jumps lead."""

    def __init__(self, out: int, again: int) -> None:
        self.out = out
        self.again = again


class _Finally:
    """Code that runs however a block is left, with its copies by where they go on.

    Where `shared` is a block, there is one copy, which begins there and goes on everywhere.
    """

    def __init__(self, emit: Callable[[], None], raise_to: int | None, shared: int | None) -> None:
        self.emit = emit
        self.raise_to = raise_to  # outside of it
        self.shared = shared
        self.copies: dict[int, int] = {}
        self.onward: list[int] = []  # where the shared copy goes on


class _Lowering:
    """Turns code into blocks. `at` is the block that what comes next is placed in."""

    def __init__(
        self, facts: FileFacts, root: int, swallows: Callable[[FileFacts, int], bool]
    ) -> None:
        self.facts = facts
        self.root = root
        self.swallows = swallows
        self.edges: list[list[int]] = [[], [], []]
        self.built = Graph(facts, root, self.edges)
        self.block = array("i", [NOTHING]) * (facts.ends[root] - root)
        self.copies: dict[int, list[int]] = {}
        self.frames: list[_Loop | _Finally] = []
        self.raise_to: int | None = None  # where exceptions go; None: out of the function
        self.copying = 0
        self.depth = 0
        self.at = 0

    def graph(self) -> Graph:
        facts, root = self.facts, self.root
        kind = facts.kinds[root]
        self.at = self.new(self.built.entry)
        if kind == Kind.MODULE or kind in FUNCTIONS or kind == Kind.LAMBDA:
            for child in facts.children(root):
                if facts.kinds[child] == Kind.PARAMETER:
                    self.put(child)
        if kind == Kind.LAMBDA:
            self.expression(facts.child(root, Role.BODY))
        elif kind == Kind.GENERATOR:
            self.clauses(root)
        else:
            self.body(root, Role.BODY)
        self.edge(self.at, self.built.exit)
        self.built._block = self.block
        self.built._copies = {
            node: (self.block[node - root], *blocks) for node, blocks in self.copies.items()
        }
        return self.built

    # Blocks and edges

    def new(self, *before: int, guard: Guard | None = None) -> int:
        """Make a block that comes after some; in a `try`, exceptions may leave it."""
        block = len(self.edges)
        self.edges.append([])
        for each in before:
            self.edge(each, block)
        if self.raise_to is not None:
            self.edge(block, self.raise_to)
        if guard is not None:
            self.built.guard[block] = guard
        return block

    def edge(self, before: int, after: int) -> None:
        if after not in self.edges[before]:
            self.edges[before].append(after)

    def put(self, node: int) -> None:
        """Place a node."""
        index = node - self.root
        if self.block[index] == NOTHING:
            self.block[index] = self.at
        elif self.block[index] != self.at and self.at not in self.copies.setdefault(node, []):
            self.copies[node].append(self.at)

    def put_all(self, node: int) -> None:
        """Place a node and all that is in it."""
        start, stop = node - self.root, self.facts.ends[node] - self.root
        if self.copying:
            for each in range(node, self.facts.ends[node]):
                self.put(each)
        else:
            self.block[start:stop] = array("i", [self.at]) * (stop - start)

    def event(self, node: int) -> None:
        """Place a node that does something: in a `try`, what it does may be followed by handlers."""
        self.put(node)
        if self.raise_to is not None:
            self.at = self.new(self.at)

    def protect(self, raise_to: int | None, *before: int) -> None:
        """Go on after some blocks, with exceptions going elsewhere than before.

        The block where that begins is empty: what comes first may raise before it is done.
        """
        self.raise_to = raise_to
        self.at = self.new(*before)
        if raise_to is not None:
            self.at = self.new(self.at)

    def raise_here(self) -> None:
        self.edge(self.at, self.built.raised if self.raise_to is None else self.raise_to)
        self.at = self.new()

    def leave(self, stop: int, destination: int) -> None:
        """Jump out of the frames above `stop`, through their `finally` code."""
        self.edge(self.at, self.route(len(self.frames), stop, destination))
        self.at = self.new()

    def route(self, start: int, stop: int, destination: int) -> int:
        """Return the block to jump to, to come to a destination out of some frames."""
        for index in range(start - 1, stop - 1, -1):
            frame = self.frames[index]
            if isinstance(frame, _Finally):
                if destination not in frame.copies:
                    self.copy(frame, index, stop, destination)
                return frame.copies[destination]
        return destination

    def copy(self, frame: _Finally, index: int, stop: int, destination: int) -> None:
        """Run the code of a `finally` once more, on the way to a destination."""
        onward = self.route(index, stop, destination)
        if frame.shared is not None:
            frame.copies[destination] = frame.shared
            frame.onward.append(onward)
            return
        outer = self.at, self.frames, self.raise_to
        self.frames, self.raise_to = self.frames[:index], frame.raise_to
        self.copying += 1
        frame.copies[destination] = begin = self.new()
        self.protect(self.raise_to, begin)
        frame.emit()
        self.edge(self.at, onward)
        self.copying -= 1
        self.at, self.frames, self.raise_to = outer

    def join(self, *ends: int) -> None:
        """Go on after several blocks."""
        self.at = self.new(*ends)

    # Expressions

    def expression(self, node: int) -> None:
        """Place an expression, or a target, and all that is evaluated with it."""
        facts = self.facts
        kind = facts.kinds[node]
        if self.raise_to is None and not _BRANCHING.search(facts.kinds, node, facts.ends[node]):
            self.put_all(node)
            return
        if self.depth >= _DEEPEST:
            before = self.at
            self.at = self.new(before)
            self.put_all(node)
            self.join(before, self.at)
            return
        self.depth += 1
        if kind in (Kind.AND, Kind.OR):
            self.logic(node)
        elif kind == Kind.IF_EXPRESSION:
            self.if_expression(node)
        elif kind == Kind.COMPARE:
            self.comparison(node)
        elif kind in COMPREHENSIONS:
            self.comprehension(node)
        elif kind == Kind.LAMBDA:
            self.parameters(node)
            self.put(node)
        else:
            for child in facts.children(node):
                self.expression(child)
            (self.event if kind in _EVENTS else self.put)(node)
        self.depth -= 1

    def logic(self, node: int) -> None:
        """Place `a and b`, `a or b` whose value is used."""
        *parts, last = self.facts.children(node)
        is_and = self.facts.kinds[node] == Kind.AND
        ends: list[int] = []
        for part in parts:
            true, false = self.condition(part)
            self.at = true if is_and else false
            ends.append(false if is_and else true)
        self.expression(last)
        self.join(*ends, self.at)
        self.put(node)

    def if_expression(self, node: int) -> None:
        test, body, orelse = self.facts.children(node)
        true, false = self.condition(test)
        self.at = true
        self.expression(body)
        end = self.at
        self.at = false
        self.expression(orelse)
        self.join(end, self.at)
        self.put(node)

    def comparison(self, node: int) -> None:
        """Place `a < b < c`, which stops at the first part that is false."""
        first, second, *others = self.facts.children(node)
        self.expression(first)
        self.expression(second)
        ends: list[int] = []
        for other in others:
            ends.append(self.at)
            self.at = self.new(self.at)
            self.expression(other)
        if ends:
            self.join(*ends, self.at)
        self.put(node)

    def comprehension(self, node: int) -> None:
        first = self.facts.child(node + 1, Role.ITER)
        self.expression(first)
        if self.facts.kinds[node] in EAGER_COMPREHENSIONS:
            self.clauses(node)
        self.put(node)

    def clauses(self, node: int) -> None:
        """Place the loops of a comprehension; the first iterable has been evaluated."""
        facts = self.facts
        clauses = facts.parts(node, Role.CLAUSE)
        heads: list[int] = []
        for clause in clauses:
            if heads:
                self.expression(facts.child(clause, Role.ITER))
            head = self.new(self.at)
            heads.append(head)
            self.at = self.new(head, guard=(clause, True))
            self.put(clause)
            self.expression(facts.child(clause, Role.TARGET))
            for condition in facts.parts(clause, Role.CONDITION):
                self.at, false = self.condition(condition)
                self.edge(false, head)
        for child in facts.children(node):
            if facts.roles[child] != Role.CLAUSE:
                self.expression(child)
        self.edge(self.at, heads[-1])
        for outer, inner in pairwise(heads):
            self.edge(inner, outer)
        self.at = self.new(heads[0])

    def condition(self, node: int) -> tuple[int, int]:
        """Place a test; return the blocks that follow where it is true and where it is false."""
        facts = self.facts
        kind = facts.kinds[node]
        if self.depth < _DEEPEST:
            self.depth += 1
            try:
                if kind == Kind.UNARY and facts.symbol(node) == "not":
                    false, true = self.condition(node + 1)
                    self.put_in(node, true, false)
                    return true, false
                if kind in (Kind.AND, Kind.OR):
                    return self.conditions(node)
            finally:
                self.depth -= 1
        self.expression(node)
        outcome = self.constant(node)
        before = self.at
        true = self.new(*([before] if outcome is not False else []), guard=(node, True))
        false = self.new(*([before] if outcome is not True else []), guard=(node, False))
        return true, false

    def conditions(self, node: int) -> tuple[int, int]:
        """Place a test that is `a and b` or `a or b`."""
        is_and = self.facts.kinds[node] == Kind.AND
        decided: list[int] = []
        open_end = self.at
        for part in self.facts.children(node):
            self.at = open_end
            true, false = self.condition(part)
            open_end = true if is_and else false
            decided.append(false if is_and else true)
        ended = self.new(*decided, guard=(node, not is_and))
        true, false = (open_end, ended) if is_and else (ended, open_end)
        self.put_in(node, true, false)
        return true, false

    def put_in(self, node: int, *blocks: int) -> None:
        for block in blocks:
            self.at = block
            self.put(node)

    def constant(self, node: int) -> bool | None:
        """Return the outcome of a test that is a literal."""
        if self.facts.kinds[node] != Kind.CONSTANT:
            return None
        value = self.facts.literal(node)
        return None if value is OMITTED else bool(value)

    def parameters(self, node: int) -> None:
        """Place what a signature evaluates where the def stands."""
        for child in self.facts.children(node):
            role = self.facts.roles[child]
            if self.facts.kinds[child] == Kind.PARAMETER:
                for part in self.facts.children(child):
                    self.expression(part)
            elif role in (Role.DECORATOR, Role.RETURNS):
                self.expression(child)

    # Statements

    def body(self, node: int, role: int) -> None:
        for child in self.facts.children(node):
            if self.facts.roles[child] == role:
                self.statement(child)

    def statement(self, node: int) -> None:
        handler = _STATEMENTS.get(self.facts.kinds[node])
        if handler is not None:
            handler(self, node)
            return
        self.simple(node)

    def simple(self, node: int) -> None:
        facts = self.facts
        if self.raise_to is None and not _BRANCHING.search(facts.kinds, node, facts.ends[node]):
            self.put_all(node)
            return
        for child in facts.children(node):
            self.expression(child)
        self.put(node)

    def function(self, node: int) -> None:
        self.parameters(node)
        self.event(node)

    def class_(self, node: int) -> None:
        facts = self.facts
        for child in facts.children(node):
            if facts.roles[child] == Role.BODY:
                self.statement(child)
            else:
                self.expression(child)
        self.event(node)

    def if_(self, node: int) -> None:
        facts = self.facts
        ends: list[int] = []
        while True:
            self.put(node)
            true, false = self.condition(facts.child(node, Role.TEST))
            self.at = true
            self.body(node, Role.BODY)
            ends.append(self.at)
            self.at = false
            orelse = facts.parts(node, Role.ORELSE)
            if len(orelse) != 1 or facts.kinds[orelse[0]] != Kind.IF:
                break
            node = orelse[0]  # a long chain of `elif` is no deep nesting
        for each in orelse:
            self.statement(each)
        self.join(*ends, self.at)

    def while_(self, node: int) -> None:
        self.put(node)
        head = self.new(self.at)
        self.at = head
        true, false = self.condition(self.facts.child(node, Role.TEST))
        self.loop(node, head, true, false)

    def for_(self, node: int) -> None:
        facts = self.facts
        self.put(node)
        self.expression(facts.child(node, Role.ITER))
        head = self.new(self.at)
        again = self.new(head, guard=(node, True))
        done = self.new(head, guard=(node, False))
        self.at = again
        self.expression(facts.child(node, Role.TARGET))
        self.loop(node, head, self.at, done)

    def loop(self, node: int, head: int, begin: int, done: int) -> None:
        out = self.new()
        self.frames.append(_Loop(out, head))
        self.at = begin
        self.body(node, Role.BODY)
        self.edge(self.at, head)
        self.frames.pop()
        self.at = done
        self.body(node, Role.ORELSE)
        self.edge(self.at, out)
        self.at = out

    def break_(self, node: int) -> None:
        self.put(node)
        self.jump(is_break=True)

    def continue_(self, node: int) -> None:
        self.put(node)
        self.jump(is_break=False)

    def jump(self, is_break: bool) -> None:
        for index in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[index]
            if isinstance(frame, _Loop):
                self.leave(index, frame.out if is_break else frame.again)
                return

    def return_(self, node: int) -> None:
        self.simple(node)
        self.leave(0, self.built.exit)

    def raise_(self, node: int) -> None:
        self.simple(node)
        self.raise_here()

    def assert_(self, node: int) -> None:
        self.put(node)
        true, false = self.condition(self.facts.child(node, Role.TEST))
        message = self.facts.child(node, Role.MESSAGE)
        self.at = false
        if message != NOTHING:
            self.expression(message)
        self.raise_here()
        self.at = true

    def with_(self, node: int) -> None:
        facts = self.facts
        self.put(node)
        outer = self.raise_to
        swallowed: list[int] = []
        for item in facts.parts(node, Role.ITEM):
            context = facts.child(item, Role.CONTEXT)
            self.expression(context)
            if self.swallows(facts, context):
                caught = self.new()
                if self.raise_to is None:
                    self.edge(caught, self.built.raised)
                swallowed.append(caught)
                self.protect(caught, self.at)
            target = facts.child(item, Role.TARGET)
            if target != NOTHING:
                self.expression(target)
            self.put(item)
        self.body(node, Role.BODY)
        self.raise_to = outer
        if swallowed:
            self.protect(outer, self.at, *swallowed)

    def match(self, node: int) -> None:
        facts = self.facts
        self.put(node)
        self.expression(facts.child(node, Role.SUBJECT))
        ends: list[int] = []
        for case in facts.parts(node, Role.CASES):
            pattern = facts.child(case, Role.PATTERN)
            guard = facts.child(case, Role.GUARD)
            self.pattern(pattern)
            before = self.at
            fits_all = _fits_all(facts, pattern)
            failed = self.new(*([] if fits_all else [before]), guard=(case, False))
            self.at = self.new(before, guard=(case, True))
            self.put(case)
            self.captures(pattern)
            if guard != NOTHING:
                self.at, false = self.condition(guard)
                self.edge(false, failed)
            self.body(case, Role.BODY)
            ends.append(self.at)
            self.at = failed
        self.join(*ends, self.at)

    def pattern(self, node: int) -> None:
        """Place what a pattern evaluates while it is tried: values and classes."""
        facts = self.facts
        for child in facts.children(node):
            if facts.roles[child] in (Role.VALUE, Role.KEY, Role.CLASS):
                self.expression(child)
            else:
                self.pattern(child)

    def captures(self, node: int) -> None:
        """Place a pattern that fits, and what it captures; of alternatives one."""
        facts = self.facts
        if facts.kinds[node] == Kind.MATCH_OR:
            before, ends = self.at, []
            for child in facts.children(node):
                self.at = self.new(before)
                self.captures(child)
                ends.append(self.at)
            self.join(*ends)
        else:
            for child in facts.children(node):
                if facts.roles[child] not in (Role.VALUE, Role.KEY, Role.CLASS):
                    self.captures(child)
        if facts.kinds[node] in _CAPTURES and facts.data[node]:
            self.event(node)
        else:
            self.put(node)

    # Exceptions

    def try_(self, node: int) -> None:
        self.put(node)
        final = self.facts.child(node, Role.FINALBODY) != NOTHING
        if final:
            self.protected(lambda: self.handled(node), lambda: self.body(node, Role.FINALBODY))
        else:
            self.handled(node)

    def protected(self, run: Callable[[], None], emit: Callable[[], None]) -> None:
        """Run code, and after it, however it is left, other code."""
        outer = self.raise_to
        failed = self.new()
        shared = self.copying >= _MOST_COPIES
        frame = _Finally(emit, outer, failed if shared else None)
        self.frames.append(frame)
        self.protect(failed, self.at)
        run()
        self.frames.pop()
        end = self.at
        self.copying += 1
        self.protect(outer, failed, *([end] if shared else []))
        emit()
        self.edge(self.at, self.built.raised if outer is None else outer)
        for onward in frame.onward:
            self.edge(self.at, onward)
        if not shared:
            self.protect(outer, end)
            emit()
        self.copying -= 1

    def handled(self, node: int) -> None:
        facts = self.facts
        handlers = facts.parts(node, Role.HANDLERS)
        if not handlers:
            self.body(node, Role.BODY)
            return
        outer = self.raise_to
        caught = self.new()
        self.protect(caught, self.at)
        self.body(node, Role.BODY)
        self.protect(outer, self.at)
        self.body(node, Role.ORELSE)
        ends = [self.at]
        self.protect(outer, caught)
        is_group = facts.kinds[node] == Kind.TRY_STAR
        for handler in handlers:
            ends.append(self.handler(handler, is_group))
        if not is_group and _catches_all(facts, handlers[-1]):
            self.at = self.new()
        if is_group:
            ends.append(self.at)
        self.edge(self.at, self.built.raised if outer is None else outer)
        self.join(*ends)

    def handler(self, handler: int, is_group: bool) -> int:
        """Place a handler; return where it ends. What comes next is placed where it does not fit."""
        facts = self.facts
        kind = facts.child(handler, Role.TYPE)
        if kind != NOTHING:
            self.expression(kind)
        before = self.at
        self.at = self.new(before)
        if facts.data[handler]:
            self.event(handler)
            self.protected(lambda: self.body(handler, Role.BODY), lambda: self.unbind(handler))
        else:
            self.put(handler)
            self.body(handler, Role.BODY)
        end = self.at
        self.at = self.new(before, end) if is_group else self.new(before)
        return end

    def unbind(self, handler: int) -> None:
        """`except ... as name` deletes the name at the end of the handler."""
        self.at = self.new(self.at)
        self.built.unbinds[self.at] = handler
        self.at = self.new(self.at)


def _fits_all(facts: FileFacts, pattern: int) -> bool:
    """Return whether a pattern fits everything."""
    if facts.kinds[pattern] == Kind.MATCH_AS:
        inner = facts.child(pattern, Role.PATTERN)
        return inner == NOTHING or _fits_all(facts, inner)
    if facts.kinds[pattern] == Kind.MATCH_OR:
        return any(_fits_all(facts, each) for each in facts.children(pattern))
    return False


def _catches_all(facts: FileFacts, handler: int) -> bool:
    kind = facts.child(handler, Role.TYPE)
    return kind == NOTHING or facts.last_name(kind) == "BaseException"


_STATEMENTS: dict[int, Callable[[_Lowering, int], None]] = {
    Kind.FUNCTION: _Lowering.function, Kind.ASYNC_FUNCTION: _Lowering.function,
    Kind.CLASS: _Lowering.class_, Kind.IF: _Lowering.if_, Kind.WHILE: _Lowering.while_,
    Kind.FOR: _Lowering.for_, Kind.ASYNC_FOR: _Lowering.for_, Kind.WITH: _Lowering.with_,
    Kind.ASYNC_WITH: _Lowering.with_, Kind.MATCH: _Lowering.match, Kind.TRY: _Lowering.try_,
    Kind.TRY_STAR: _Lowering.try_, Kind.BREAK: _Lowering.break_,
    Kind.CONTINUE: _Lowering.continue_, Kind.RETURN: _Lowering.return_,
    Kind.RAISE: _Lowering.raise_, Kind.ASSERT: _Lowering.assert_,
}  # fmt: skip
