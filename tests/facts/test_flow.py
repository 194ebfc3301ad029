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

    def written(self, index: int = 0) -> tuple[list[int], list[int], bool, list[int]]:
        found = self.flow.reaching_path(self.uses()[index])
        assert found is not None
        row = self.facts.row
        writes, aliases = ([row(w.node) for w in ws] for ws in (found.writes, found.aliases))
        return writes, [row(n) for n in found.rebound], found.entry, aliases


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


def test_what_is_surely_bound() -> None:
    code = Code("x = 1\nif a: y = 2\nuse(0)\n")
    (at,) = code.uses()
    assert code.flow.surely_bound("x", at)
    assert not code.flow.surely_bound("y", at)
    assert not code.flow.surely_bound("z", at)


def test_what_is_live() -> None:
    code = Code("def f():\n    x = 1\n    use(x)\n    x = 2\n    g(x)\n")
    first, second = code.names.variables[code.names.opened_by(1), "x"]
    variable = (first.scope, "x")
    assert code.flow.is_live(variable, first.node)
    assert not code.flow.is_live(variable, code.uses()[0])
    assert code.flow.is_live(variable, second.node)


def test_a_path_sees_its_last_write() -> None:
    code = Code("def m(self):\n    self.x = 1\n    if a: self.x = 2\n    use(self.x)\n")
    assert code.written() == ([2, 3], [], False, [])


def test_a_path_that_nothing_set_holds_what_it_held_before() -> None:
    assert Code("def m(self):\n    use(self.x)\n    self.x = 1\n").written() == ([], [], True, [])


def test_setting_what_a_path_starts_with_makes_it_another() -> None:
    code = Code("def m(self):\n    self.a.b = 1\n    self.a = 2\n    use(self.a.b)\n")
    assert code.written() == ([], [3], False, [])
    assert Code("def m(self):\n    self.x = 1\n    self = 2\n    use(self.x)\n").written()[1] == [3]


def test_a_write_through_another_name_may_be_of_the_same_object() -> None:
    code = Code("def m(self, o):\n    self.x = 1\n    o.x = 2\n    use(self.x)\n    o.x = 3\n")
    assert code.written() == ([2], [], False, [3])


def test_setattr_and_dict_are_writes() -> None:
    code = Code(
        "def m(self):\n    setattr(self, 'x', 1)\n    use(self.x)\n    self.__dict__['x'] = 2\n"
    )
    assert code.written() == ([2], [], False, [])


def test_what_is_surely_set() -> None:
    code = Code("def m(self):\n    self.x = 1\n    use(0)\n    del self.x\n    use(0)\n")
    path = code.flow.access_path(next(code.facts.nodes(Kind.ATTRIBUTE_STORE)))
    assert path is not None
    assert [code.flow.surely_set(path, at) for at in code.uses()] == [True, False]


def test_calls_between_two_nodes() -> None:
    code = Code("def f(x):\n    use(x)\n    g()\n    if a: return h()\n    use(x)\n")
    first, last = code.uses()
    found = code.flow.between(first, last)
    assert [code.facts.last_name(node) for node in found] == ["use", "g"]


def test_a_variable_that_is_not_set_in_between_is_unchanged() -> None:
    code = Code("def f(x):\n    use(x)\n    x = 1\n    use(x)\n    use(x)\n")
    first, second, third = code.uses()
    variable = code.names.variable(first)
    assert variable is not None
    assert not code.flow.unchanged(variable, first, second)
    assert code.flow.unchanged(variable, second, third)


def test_what_holds_at_the_end() -> None:
    code = Code("x = 1\nif a:\n    x = 2\n")
    found = code.flow.at_end((0, "x"))
    assert [code.facts.row(b.node) for b in found.bindings] == [1, 3]
    assert not found.unbound


def test_a_deletion_in_another_function_may_have_run() -> None:
    assert Code("x = 1\ndef f():\n    global x\n    del x\nuse(x)\n").rows() == [0, 1]
