"""What programs do when they run must be allowed by what the graphs say."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dlfix.facts.build import facts_of_text
from dlfix.facts.flow import Flow
from dlfix.facts.model import NOTHING, Kind, Role
from dlfix.facts.names import Names
from tests.facts.programs import LONGEST, Failure, Run, V, programs, run

slow = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
_STEPS = frozenset({"c", "x", "log", "p", "r"})


class Joined:
    """A program's nodes, by the numbers that its run writes down."""

    def __init__(self, text: str) -> None:
        self.facts = facts_of_text(text)
        self.names = Names(self.facts)
        self.flow = Flow(self.names)
        self.calls: dict[tuple[str, int], int] = {}
        self.made: dict[int, int] = {}  # the call that makes a value, by its number
        for node in self.facts.nodes(Kind.CALL):
            arguments = self.facts.parts(node, Role.ARGUMENT)
            if arguments and self.facts.kinds[arguments[0]] == Kind.CONSTANT:
                number = self.facts.literal(arguments[0])
                assert isinstance(number, int)
                name = self.facts.symbol(node + 1)
                self.calls[name, number] = node
                if name not in _STEPS:
                    self.made[number] = node
        self.steps = {node for (name, _), node in self.calls.items() if name in _STEPS}
        self.root = next(self.facts.nodes(Kind.FUNCTION), 0) if "main" in text else 0

    def own(self, done: Run) -> list[tuple[str, int, object, int]]:
        """Return the steps of the outermost code, with their nodes."""
        steps = ((what, k, detail, self.calls[what, k]) for what, k, detail in done.events)
        return [step for step in steps if self.names.activation(step[3]) == self.root]

    def bound_by(self, value: object, name: str) -> set[int]:
        """Return the binding nodes of a name that give a value."""
        if isinstance(value, Failure):
            return {b.node for b in self.names.bindings if b.kind == "except" and b.name == name}
        assert isinstance(value, V)
        if value.number == 0:
            return {b.node for b in self.names.bindings if b.kind == "parameter"}
        made = self.made[value.number]
        return {
            b.node
            for b in self.names.bindings
            if b.name == name and b.value != NOTHING and self.facts.contains(b.value, made)
        }


def joined(text: str, seed: int) -> tuple[Joined, Run]:
    done = run(text, seed)
    assume(done is not None)
    assert done is not None
    return Joined(text), done


@slow
@given(programs, st.integers(0, 20))
def test_reads_see_what_reaches_them(text: str, seed: int) -> None:
    program, done = joined(text, seed)
    events = done.events
    for index, (what, k, _) in enumerate(events):
        if what != "p":
            continue
        use = program.facts.parts(program.calls["r", k], Role.ARGUMENT)[2]
        following = events[index + 1] if index + 1 < len(events) else None
        if program.facts.kinds[use] == Kind.ATTRIBUTE:
            continue
        reaching = program.flow.reaching(use)
        if following is not None and following[:2] == ("r", k):
            value = following[2]
            possible = {binding.node for binding in reaching.bindings}
            if isinstance(value, (V, Failure)):
                assert possible & program.bound_by(value, program.facts.symbol(use)), (text, k)
        elif len(events) <= LONGEST:
            assert reaching.unbound, (text, k)


@slow
@given(programs, st.integers(0, 20))
def test_steps_come_in_an_order_that_is_allowed(text: str, seed: int) -> None:
    program, done = joined(text, seed)
    graph = program.flow.graph(program.root)
    nodes = [step[3] for step in program.own(done)]
    for index, node in enumerate(nodes):
        assert not graph.is_dead(node), node
        for before in program.steps - {*nodes[:index]}:
            assert not graph.dominates(before, node), (before, node)
    for first, second in pairwise(nodes):
        assert graph.may_follow(first, second), (first, second)


@slow
@given(programs, st.integers(0, 20))
def test_what_comes_after_a_step_is_allowed(text: str, seed: int) -> None:
    program, done = joined(text, seed)
    graph = program.flow.graph(program.root)
    nodes = [step[3] for step in program.own(done)]
    for before in {*nodes}:
        last = len(nodes) - 1 - nodes[::-1].index(before)
        after = nodes[last + 1 :]
        assert all(graph.may_follow(before, node) for node in after), before
        for middle in after[:-1]:
            assert graph.may_lie_between(before, middle, after[-1]), (before, middle)


@slow
@given(programs, st.integers(0, 20))
def test_guards_have_the_outcome_they_say(text: str, seed: int) -> None:
    program, done = joined(text, seed)
    graph = program.flow.graph(program.root)
    latest: dict[int, object] = {}
    for what, _, detail, node in program.own(done):
        for test, outcome in graph.guards(node):
            if test in latest:
                assert latest[test] is outcome, (text, node, test)
            else:
                assert program.facts.symbol(test + 1) != "c", (text, node, test)
        if what == "c":
            latest[node] = detail


@slow
@given(programs, st.integers(0, 20))
def test_a_value_that_is_read_later_is_live(text: str, seed: int) -> None:
    program, done = joined(text, seed)
    steps = program.own(done)
    for index, (what, _, value, node) in enumerate(steps):
        name = _read_name(program, node) if what == "r" else "."
        if "." in name or not isinstance(value, V):
            continue
        use = program.facts.parts(node, Role.ARGUMENT)[2]
        variable = program.names.variable(use)
        assert variable is not None
        for earlier, _, same, before in steps[:index]:
            # The name held the very object before, so nothing has been bound since.
            if earlier == "r" and same is value and _read_name(program, before) == name:
                assert program.flow.is_live(variable, before), (before, use)


def _read_name(program: Joined, node: int) -> str:
    return program.facts.dotted(program.facts.parts(node, Role.ARGUMENT)[2]) or ""
