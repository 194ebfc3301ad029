"""The control-flow graph: what is before, after, sure and dead."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlfix.facts.build import facts_of_text
from dlfix.facts.cfg import Graph
from dlfix.facts.flow import Flow
from dlfix.facts.model import NOTHING, Kind
from dlfix.facts.names import Names


class Code:
    """A text whose calls `a()`, `b()` ... are asked about."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.facts = facts_of_text(text)
        self.flow = Flow(Names(self.facts))

    def call(self, name: str) -> int:
        return next(n for n in self.facts.nodes(Kind.CALL) if self.facts.last_name(n) == name)

    def graph_at(self, node: int) -> Graph:
        return self.flow.graph(self.flow.names.activation(node))

    def graph(self, name: str) -> Graph:
        return self.graph_at(self.call(name))

    def dominates(self, first: str, second: str) -> bool:
        return self.graph(first).dominates(self.call(first), self.call(second))

    def may_follow(self, first: str, second: str) -> bool:
        return self.graph(first).may_follow(self.call(first), self.call(second))

    def dead(self) -> str:
        calls = self.facts.nodes(Kind.CALL)
        return "".join(self.facts.last_name(n) for n in calls if self.graph_at(n).is_dead(n))

    def guards(self, name: str) -> list[tuple[str, bool]]:
        found = self.graph(name).guards(self.call(name))
        return [(self.facts.segment(test, self.text), outcome) for test, outcome in found]


def test_statements_on_one_line_are_in_order() -> None:
    code = Code("a(); b()")
    assert code.dominates("a", "b")
    assert not code.dominates("b", "a")
    assert not code.may_follow("b", "a")


def test_a_branch_is_not_sure_and_excludes_the_other() -> None:
    code = Code("a()\nif x:\n    b()\nelse:\n    c()\nd()\n")
    assert code.dominates("a", "c")
    assert not code.dominates("b", "d")
    assert not code.may_follow("b", "c")


def test_a_loop_comes_round() -> None:
    code = Code("for x in y:\n    a()\n    b()\nc()\n")
    assert code.may_follow("b", "a")
    assert not code.dominates("a", "c")


def test_what_comes_after_a_jump_is_dead() -> None:
    assert Code("def f():\n    return a()\n    b()\n").dead() == "b"
    assert Code("while x:\n    if y: break\n    else: continue\n    a()\nb()\n").dead() == "a"
    assert Code("def f():\n    if x: raise E\n    else: return\n    a()\n").dead() == "a"


def test_a_constant_test_has_one_outcome() -> None:
    assert Code("while True:\n    a()\nb()\n").dead() == "b"
    assert Code("if 0:\n    a()\nelse:\n    b()\n").dead() == "a"
    assert Code("while 1:\n    if x: break\na()\n").dead() == ""


def test_the_else_of_a_loop_is_left_out_by_break() -> None:
    code = Code("for x in y:\n    if z:\n        a()\n        break\nelse:\n    b()\nc()\n")
    assert not code.may_follow("a", "b")
    assert code.may_follow("a", "c")


def test_a_call_that_fails_goes_to_the_handler() -> None:
    code = Code("try:\n    a()\n    b()\nexcept E:\n    c()\nd()\n")
    assert code.may_follow("a", "c")
    assert code.may_follow("b", "c")
    assert not code.dominates("a", "c")


def test_a_finally_runs_however_it_is_left() -> None:
    code = Code(
        "def f():\n    try:\n        a()\n        return b()\n    finally:\n        c()\n    d()\n"
    )
    assert code.dead() == "d"


def test_a_return_does_not_go_on_after_a_finally() -> None:
    code = Code(
        "def f():\n    try:\n        if x: return\n        a()\n    finally:\n        b()\n    c()\n"
    )
    assert code.dominates("a", "c")
    assert not code.dominates("a", "b")


def test_a_with_does_not_end_exceptions_but_suppress_does() -> None:
    assert Code("with x:\n    a()\nb()\n").dominates("a", "b")
    assert not Code("with suppress(E):\n    a()\nb()\n").dominates("a", "b")


def test_a_handler_for_everything_lets_nothing_through() -> None:
    code = "try:\n    try:\n        a()\n    except{}:\n        b()\nexcept E:\n    c()\n"
    assert Code(code.format("")).may_follow("a", "c")  # through b
    assert Code(code.format("").replace("b()", "pass")).dead() == ""


def test_guards_are_the_tests_that_came_out_one_way() -> None:
    assert Code("if x and not y:\n    a()\n").guards("a") == [("y", False), ("x", True)]
    assert Code("if x or y:\n    pass\nelse:\n    a()\n").guards("a") == [
        ("y", False),
        ("x", False),
    ]
    assert Code("if x or y:\n    a()\n").guards("a") == [("x or y", True)]
    assert Code("while x: pass\na()\n").guards("a") == [("x", False)]
    assert Code("x and a()").guards("a") == [("x", True)]
    assert Code("y if x else a()").guards("a") == [("x", False)]
    assert Code("[a() for y in z if y]").guards("a")[0] == ("y", True)
    assert Code("assert x\na()\n").guards("a") == [("x", True)]


def test_a_test_that_left_is_a_guard_of_what_follows() -> None:
    assert Code("def f():\n    if x:\n        return\n    a()\n").guards("a") == [("x", False)]
    assert Code("for i in j:\n    if x:\n        continue\n    a()\n").guards("a")[0] == (
        "x",
        False,
    )


def test_a_case_is_a_guard() -> None:
    code = Code("match x:\n    case 1:\n        a()\n    case _:\n        b()\nc()\n")
    assert [outcome for _, outcome in code.guards("b")] == [True, False]
    assert code.guards("c") == []
    assert not code.may_follow("a", "b")


def test_what_a_node_is_control_dependent_on() -> None:
    code = Code("if x:\n    a()\n    if y: b()\nc()\n")
    graph = code.graph("a")

    def decided(name: str) -> set[tuple[str, bool]]:
        found = graph.decided_by(code.call(name))
        return {(code.facts.segment(test, code.text), outcome) for test, outcome in found}

    assert decided("a") == {("x", True)}
    assert decided("b") == {("y", True)}
    assert decided("c") == set()


def test_all_paths_between_two_nodes() -> None:
    code = Code("a()\nif x:\n    b()\nc()\nd()\n")
    graph = code.graph("a")
    a, b, c, d = map(code.call, "abcd")
    assert graph.may_lie_between(a, b, d)
    assert not graph.may_lie_between(c, b, d)


def test_class_bodies_and_comprehensions_run_where_they_stand() -> None:
    code = Code("a()\nclass C:\n    b()\n    x = [c() for y in z]\nd()\n")
    assert code.dominates("b", "d")
    assert not code.dominates("c", "d")
    assert code.may_follow("a", "c")


def test_the_bodies_of_functions_lambdas_and_generators_are_other_code() -> None:
    code = Code("def f(x=a()):\n    b()\ny = lambda: c()\nz = (d() for e in g())\n")
    graph = code.flow.graph(0)
    assert [graph.holds(code.call(name)) for name in "abcdg"] == [True, False, False, False, True]


def test_nested_finally_blocks_stay_small() -> None:
    text = "def f():\n"
    for depth in range(1, 18):
        text += "    " * depth + "try:\n" + "    " * (depth + 1) + "if x: return\n"
        text += "    " * depth + "finally:\n"
    text += "    " * 18 + "a()\n"
    code = Code(text)
    assert len(code.graph("a").successors) < 5_000
    assert not code.dead()


@pytest.mark.parametrize(
    "text", ["x if y else " * 200 + "a()", "(x and not " * 90 + "a()" + ")" * 90]
)
def test_deep_expressions_are_not_too_deep(text: str) -> None:
    code = Code(f"b()\n{text}\nc()\n")
    assert code.may_follow("b", "a")
    assert not code.dominates("a", "c")


def test_a_long_chain_of_elif_is_not_deep() -> None:
    code = Code("if x: pass\n" + "elif y: a()\n" * 400 + "b()\n")
    assert code.may_follow("a", "b")


edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


def graph_with(pairs: Iterable[tuple[int, int]]) -> Graph:
    successors: list[list[int]] = [[] for _ in range(10)]
    for before, after in pairs:
        if after not in successors[before]:
            successors[before].append(after)
    return Graph(facts_of_text(""), 0, successors)


def paths_lead(graph: Graph, start: int, goals: set[int], around: int = NOTHING) -> bool:
    """Tell by plain search whether a path leads from a block to others around one."""
    seen, pending = set(), [start]
    while pending:
        block = pending.pop()
        if block not in seen and block != around:
            seen.add(block)
            pending += graph.successors[block]
    return not seen.isdisjoint(goals)


def dominators_of(graph: Graph, block: int) -> set[int]:
    """Return a block and those that dominate it, by the chain of immediate dominators."""
    found = {block}
    while block != graph.entry:
        block = graph.immediate_dominators[block]
        found.add(block)
    return found


@settings(deadline=None)
@given(edges)
def test_dominators_are_what_all_paths_go_through(pairs: list[tuple[int, int]]) -> None:
    graph = graph_with(pairs)
    for first in graph.reachable:
        for second in graph.reachable:
            by_definition = first == second or not paths_lead(graph, 0, {second}, around=first)
            assert (first in dominators_of(graph, second)) == by_definition


@settings(deadline=None)
@given(edges)
def test_postdominators_are_what_all_ways_out_go_through(pairs: list[tuple[int, int]]) -> None:
    graph = graph_with(pairs)
    above, ends = graph.immediate_postdominators, {graph.exit, graph.raised}
    for block in range(10):
        if not paths_lead(graph, block, ends):
            assert above[block] == NOTHING
            continue
        chain = {block}
        at = above[block]
        while at not in (NOTHING, 10):
            chain.add(at)
            at = above[at]
        by_definition = {o for o in range(10) if not paths_lead(graph, block, ends, around=o)}
        assert chain == by_definition | {block}
