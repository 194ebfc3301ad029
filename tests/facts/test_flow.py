"""Reaching definitions, liveness, access paths."""

from __future__ import annotations

from dlfix.facts.build import facts_of_text
from dlfix.facts.flow import Flow
from dlfix.facts.model import Kind
from dlfix.facts.names import Names


class Code:
    """A text with calls `use(x)`; each of these is a question about its argument."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.facts = facts_of_text(text)
        self.names = Names(self.facts)
        self.flow = Flow(self.names)

    def uses(self) -> list[int]:
        calls = (n for n in self.facts.nodes(Kind.CALL) if self.facts.last_name(n) == "use")
        return [next(c for c in self.facts.children(n) if c != n + 1) for n in calls]

    def rows(self, index: int = 0) -> list[int]:
        """Return the rows of the bindings that a use may see; 0 for none."""
        found = self.flow.reaching(self.uses()[index])
        return [0] * found.unbound + [self.facts.row(b.node) for b in found.bindings]


def test_the_last_binding_is_seen_on_one_line_too() -> None:
    assert Code("x = 1; x = 2; use(x)").flow is not None
    code = Code("x = 1; use(x); x = 2")
    (binding,) = code.flow.reaching(code.uses()[0]).bindings
    assert code.facts.segment(binding.value, code.text) == "1"


def test_branches_join() -> None:
    assert Code("if a:\n    x = 1\nelse:\n    x = 2\nuse(x)\n").rows() == [2, 4]
    assert Code("if a:\n    x = 1\nuse(x)\n").rows() == [0, 2]
    assert Code(
        "def f():\n    if a:\n        x = 1\n    else:\n        return\n    use(x)\n"
    ).rows() == [3]


def test_a_loop_may_not_run_and_may_run_again() -> None:
    assert Code("x = 1\nfor i in y:\n    use(x)\n    x = 2\n").rows() == [1, 4]
    assert Code("for i in y: pass\nuse(i)\n").rows() == [0, 1]


def test_a_handler_sees_what_was_bound_before_the_failure() -> None:
    code = Code("x = 1\ntry:\n    f()\n    x = 2\n    f()\nexcept E:\n    use(x)\nuse(x)\n")
    assert code.rows(0) == [1, 4]
    assert code.rows(1) == [1, 4]
    assert Code("try:\n    x = f()\nexcept E:\n    raise\nuse(x)\n").rows() == [2]


def test_the_name_of_a_handler_is_unbound_after_it() -> None:
    assert Code("e = 1\ntry: f()\nexcept E as e: pass\nuse(e)\n").rows() == [0, 1]


def test_del_unbinds() -> None:
    assert Code("x = 1\ndel x\nuse(x)\n").rows() == [0]
    assert Code("x: int\nuse(x)\n").rows() == [0]


def test_an_augmented_assignment_reads_and_binds() -> None:
    code = Code("x = 1\nx += 2\nuse(x)\n")
    assert code.rows() == [2]
    target = code.names.variables[0, "x"][1].node
    assert [b.kind for b in code.flow.reaching(target).bindings] == ["assign"]


def test_a_closure_sees_what_holds_when_it_is_made_and_what_comes_later() -> None:
    code = Code("def f():\n    x = 1\n    x = 2\n    def g(): use(x)\n    x = 3\n    return g\n")
    assert code.rows() == [3, 5]


def test_a_binding_in_another_function_counts_once_that_is_made() -> None:
    text = "def f():\n    x = 1\n    use(x)\n    def g():\n        nonlocal x\n        x = 2\n    use(x)\n"
    assert Code(text).rows(0) == [2]
    assert Code(text).rows(1) == [2, 6]


def test_a_name_of_a_class_body_falls_back_to_the_module() -> None:
    assert Code("x = 1\nclass C:\n    if a: x = 2\n    use(x)\n").rows() == [3, 1]


def test_what_is_live() -> None:
    code = Code("def f():\n    x = 1\n    use(x)\n    x = 2\n    g(x)\n")
    first, second = code.names.variables[code.names.opened_by(1), "x"]
    variable = (first.scope, "x")
    assert code.flow.is_live(variable, first.node)
    assert not code.flow.is_live(variable, code.uses()[0])
    assert code.flow.is_live(variable, second.node)


def test_a_deletion_in_another_function_may_have_run() -> None:
    assert Code("x = 1\ndef f():\n    global x\n    del x\nuse(x)\n").rows() == [0, 1]
