"""Scopes, bindings and uses, by Python's rules."""

from __future__ import annotations

import ast
import re
import symtable
import sys
from pathlib import Path

import pytest

from dlfix.facts.build import facts_of_text
from dlfix.facts.model import NOTHING, Kind
from dlfix.facts.names import CLASS, EACH, FUNCTION, Names
from dlfix.source.text import read

ROOT = Path(__file__).parents[2]


def names_of(text: str) -> Names:
    return Names(facts_of_text(text))


def owner(names: Names, row: int, name: str) -> str | None:
    """Return the qualified name of the scope that owns a name read in a row; None if unknown."""
    facts = names.facts
    use = next(n for n in names.reads(name) if facts.row(n) == row)
    found = names.lookup(names.scope_of(use), name)
    return None if found == NOTHING else names.qualname(found)


@pytest.mark.parametrize(
    "path",
    [
        *sorted((ROOT / "golden").glob("*/*/before/*.py"))[::5],
        *sorted((ROOT / "src").rglob("*.py"))[::5],
    ],
    ids=lambda path: "/".join(path.parts[-3:]),
)
def test_names_belong_to_the_scopes_that_python_says(path: Path) -> None:
    text = read(path).text
    names = names_of(text)
    facts = names.facts
    tables = list(_tables(symtable.symtable(text, str(path), "exec")))
    inlined = _comprehended(text) if sys.version_info >= (3, 12) else set()
    for scope in names.scopes:
        if scope.kind not in (FUNCTION, CLASS) or "__" in facts.symbol(scope.node):
            continue
        name = facts.symbol(scope.node)
        same = [t for t in tables if t.get_name() == name and t.get_type() == scope.kind]
        rows = [
            t for t in same if _row(names, scope.node) <= t.get_lineno() <= facts.row(scope.first)
        ]
        for symbol in rows[0].get_symbols() if len(rows) == 1 else ():
            if re.match(r"__|_[A-Za-z]\w*?__", symbol.get_name()):
                continue  # mangled
            if symbol.get_name() in inlined:
                continue  # Python may show a variable of a comprehension as the function's
            found = names.lookup(scope.id, symbol.get_name())
            if symbol.is_free():
                assert 0 < found < scope.id, symbol
            elif symbol.is_local():
                assert found == scope.id, symbol
            elif symbol.is_global():
                assert found in (0, NOTHING), symbol


def _comprehended(text: str) -> set[str]:
    targets = [n.target for n in ast.walk(ast.parse(text)) if isinstance(n, ast.comprehension)]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [table, *(each for child in table.get_children() for each in _tables(child))]


def _row(names: Names, node: int) -> int:
    return names.facts.row(node)


def test_a_default_belongs_to_the_enclosing_scope() -> None:
    names = names_of("x = 1\ndef f(a=x):\n    x = 2\n    return x\n")
    assert owner(names, 2, "x") == ""
    assert owner(names, 4, "x") == "f"


def test_methods_do_not_see_names_of_the_class() -> None:
    names = names_of("class C:\n    x = 1\n    y = x\n    def m(self):\n        return x\n")
    assert owner(names, 3, "x") == "C"
    assert owner(names, 5, "x") is None


def test_the_first_iterable_of_a_comprehension_belongs_to_the_enclosing_scope() -> None:
    names = names_of("class C:\n    x = 1\n    y = [\n x\n for x in\n x\n]\n")
    assert owner(names, 4, "x") == "C.<comprehension>"
    assert owner(names, 6, "x") == "C"


def test_a_walrus_in_a_comprehension_binds_outside() -> None:
    names = names_of("def f():\n    [(y := i) for i in z]\n    return y\n")
    (binding,) = names.variables[names.opened_by(next(names.facts.nodes(Kind.FUNCTION))), "y"]
    assert binding.kind == "walrus"
    assert owner(names, 3, "y") == "f"


def test_global_and_nonlocal_name_variables_of_outer_scopes() -> None:
    names = names_of(
        "g = 1\ndef f():\n    n = 1\n    def h():\n        global g\n        nonlocal n\n"
        "        g = n = 2\n        return n, g\n    return h\n"
    )
    assert owner(names, 8, "n") == "f"
    assert owner(names, 8, "g") == ""
    assert [b.site != b.scope for b in names.variables[0, "g"]] == [False, True]


def test_a_global_that_only_functions_set_belongs_to_the_module() -> None:
    names = names_of("def f():\n    global g\n    g = 1\ndef h():\n    return g\n")
    assert owner(names, 5, "g") == ""


def test_bindings_say_what_they_take_of_which_value() -> None:
    text = "a, (b, *c) = v\nfor d, e in w: pass\nwith m as f: pass\n"
    names = names_of(text)
    found = {b.name: (b.kind, names.facts.segment(b.value, text), b.path) for b in names.bindings}
    assert found == {
        "a": ("assign", "v", (0,)),
        "b": ("assign", "v", (1, 0)),
        "c": ("assign", "v", (1, ("slice", 1, None))),
        "d": ("for", "w", (EACH, 0)),
        "e": ("for", "w", (EACH, 1)),
        "f": ("with", "m", ()),
    }


def test_patterns_say_what_they_take_of_the_subject() -> None:
    text = (
        "match s:\n    case {'k': a, **b}: pass\n    case [C(x=c), *d]: pass\n    case str(e) as f: pass\n"
        "    case D(g): pass\n"
    )
    names = names_of(text)
    found = {b.name: (b.value != NOTHING, b.path) for b in names.bindings}
    assert found == {
        "a": (True, (("key", "k"),)),
        "b": (False, ()),
        "c": (True, (0, ("attribute", "x"))),
        "d": (True, (("slice", 1, None),)),
        "e": (True, ()),
        "f": (True, ()),
        "g": (False, ()),
    }


def test_every_way_to_bind_has_its_kind() -> None:
    names = names_of(
        "import a\nfrom b import c\ndef d(e): pass\nclass f: pass\ng: int = 1\nh: int\ni += 1\n(j := 1)\n"
        "try: pass\nexcept E as k: pass\ndel l\nlambda m: 0\n"
    )
    assert {b.name: b.kind for b in names.bindings} == {
        "a": "import", "c": "import", "d": "def", "e": "parameter", "f": "class", "g": "annotated",
        "h": "declared", "i": "augmented", "j": "walrus", "k": "except", "l": "delete",
        "m": "parameter",
    }  # fmt: skip


def test_free_variables_are_those_of_enclosing_functions() -> None:
    names = names_of("g = 1\ndef f(a):\n    b = 2\n    return lambda c: (a, b, c, g)\n")
    inner = names.opened_by(next(names.facts.nodes(Kind.LAMBDA)))
    outer = names.opened_by(next(names.facts.nodes(Kind.FUNCTION)))
    assert names.free_variables(inner) == {"a": outer, "b": outer}


def test_returns_and_yields_are_those_of_the_function_itself() -> None:
    names = names_of("def f():\n    def g():\n        yield 1\n    return [g, lambda: 0]\n")
    outer, inner = names.facts.nodes(Kind.FUNCTION)
    assert names.yields(outer) == []
    assert len(names.yields(inner)) == 1
    assert len(names.returns(outer)) == 1
    assert names.returns(inner) == []


def test_qualified_names_are_those_of_python() -> None:
    names = names_of("class C:\n    def m(self):\n        def f():\n            class D: pass\n")
    assert names.qualname(names.scopes[-1].id) == "C.m.<locals>.f.<locals>.D"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_have_a_scope_that_sees_the_class() -> None:
    names = names_of("class C:\n    A = int\n    def m[T](self, x: A) -> T:\n        return T\n")
    assert owner(names, 3, "A") == "C"
    assert owner(names, 3, "T") == owner(names, 4, "T")
    assert names.qualname(names.scopes[-1].id) == "C.m"
