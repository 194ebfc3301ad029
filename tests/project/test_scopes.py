"""Which names a scope binds and reads, and which scope a name belongs to."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.project.bindings import EACH
from dlfix.project.module import Module
from dlfix.source.text import SourceText


def module_of(text: str) -> Module:
    return Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")


def scope_named(module: Module, qualname: str):
    return next(scope for scope in module.scope.walk() if scope.qualname == qualname)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("x = 1", ["assign"]),
        ("x: int = 1", ["annotated"]),
        ("x: int", []),
        ("x += 1", ["augmented"]),
        ("(x := 1)", ["walrus"]),
        ("for x in y: pass", ["for"]),
        ("with y as x: pass", ["with"]),
        ("import x", ["import"]),
        ("import x.y", ["import"]),
        ("import y.x", []),
        ("from y import x", ["import"]),
        ("from y import z as x", ["import"]),
        ("def x(): pass", ["def"]),
        ("class x: pass", ["class"]),
        ("x = 1\ndel x", ["assign", "delete"]),
        ("try: pass\nexcept E as x: pass", ["except"]),
        ("match y:\n    case [1, *x]: pass", ["match"]),
        ("match y:\n    case {'a': 1, **x}: pass", ["match"]),
        ("match y:\n    case A(b=x): pass", ["match"]),
        ("[x for x in y]", []),
        ("[x := z for z in y]", ["walrus"]),
        ("y.x = 1", []),
        ("y[x] = 1", []),
        ("lambda x: x", []),
        ("def f(x): pass", []),
    ],
)
def test_a_statement_binds_a_name(text: str, kinds: list[str]) -> None:
    bindings = module_of(text).scope.bindings.get("x", [])
    assert [binding.kind for binding in bindings] == kinds


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a, x = v", (1,)),
        ("[a, (b, x)] = v", (1, 1)),
        ("for a, x in v: pass", (EACH, 1)),
        ("*a, x = v", (-1,)),
        ("x, *a = v", (0,)),
        ("a, *x = v", (slice(1, None),)),
        ("a, *x, b = v", (slice(1, -1),)),
    ],
)
def test_unpacking_keeps_the_steps(text: str, path: tuple[object, ...]) -> None:
    (binding,) = module_of(text).scope.bindings["x"]
    assert binding.path == path


@pytest.mark.parametrize(
    ("text", "reader", "binder"),
    [
        ("x = 1\ndef f():\n    return x", "f", ""),
        ("x = 1\ndef f():\n    x = 2\n    return x", "f", "f"),
        ("def f():\n    x = 1\n    def g(): return x", "f.<locals>.g", "f"),
        ("def f():\n    global x\n    x = 1", "f", ""),
        ("x = 1\nclass C:\n    x = 2\n    def f(self): return x", "C.f", ""),
        ("class C:\n    x = 2\n    y = x", "C", "C"),
        ("def f(x):\n    class C:\n        def g(self): return x", "f.<locals>.C.g", "f"),
    ],
)
def test_a_name_is_bound_by(text: str, reader: str, binder: str) -> None:
    found = scope_named(module_of(text), reader).lookup("x")
    assert found is not None
    assert found.qualname == binder


def test_a_builtin_is_bound_by_no_scope() -> None:
    assert module_of("def f(): return len").scope.lookup("len") is None


def test_a_function_is_free_in_what_it_reads_of_the_functions_around_it() -> None:
    module = module_of("a = 1\ndef f(b):\n    c = 2\n    return lambda d: (a, b, c, d)")
    inner = scope_named(module, "f.<locals>.<lambda>")
    assert set(inner.free_variables()) == {"b", "c"}


def test_defaults_decorators_and_annotations_are_read_outside() -> None:
    module = module_of("@d\ndef f(x: a = b) -> c:\n    return e")
    assert set(module.scope.reads) == {"d", "a", "b", "c"}
    assert set(scope_named(module, "f").reads) == {"e"}


def test_the_first_iterable_of_a_comprehension_is_read_outside() -> None:
    module = module_of("[x for y in a for x in b if c]")
    (inner,) = module.scope.children
    assert set(module.scope.reads) == {"a"}
    assert set(inner.reads) == {"b", "c", "x"}


@pytest.mark.parametrize(
    ("text", "segment", "column"),
    [
        ("é = 'ü'; name = 1", "name", 9),
        ("\tif 1: pass", "", 0),
        ("x = 1\r\nname = 2\r\n", "name", 0),
        ("\x0cname = 1", "name", 1),
        ("if 1:\n\tname = 1", "name", 1),
        ("'''\n\x0c日本''' ; name = 1", "name", 9),
    ],
)
def test_a_span_counts_characters(text: str, segment: str, column: int) -> None:
    if not segment:
        broken = module_of(text)
        assert broken.tree.body == []
        assert "does not parse" in str(broken.failure)
        return
    module = module_of(text)
    (binding,) = module.scope.bindings["name"]
    assert module.span(binding.node).start.column == column
    assert module.segment(binding.node) == segment


def test_calls_are_in_source_order_however_deep() -> None:
    module = module_of("a(b(1))\nc()\nif d(): e()")
    assert [ast.unparse(call.func) for call in module.calls] == ["a", "b", "c", "d", "e"]


def test_a_star_import_takes_what_all_lists() -> None:
    module = module_of("__all__ = ['a', '_b']\na = _b = c = 1")
    assert [name for name in ("a", "_b", "c") if module.exports(name)] == ["a", "_b"]


def test_a_star_import_leaves_private_names() -> None:
    module = module_of("a = _b = 1")
    assert module.exports("a")
    assert not module.exports("_b")


def test_scopes_of_a_long_chain_cost_one_step_for_each_link(monkeypatch):
    from dlfix.project import module as modules

    steps = []
    opens = modules._opens_for
    monkeypatch.setattr(modules, "_opens_for", lambda *nodes: steps.append(1) or opens(*nodes))

    def counted(links):
        steps.clear()
        text = "def f(a):\n    if a: a()\n" + "    elif a: a()\n" * links
        module = module_of(text)
        for node in list(module.parents):
            module.scope_of(node)
        return len(steps)

    assert counted(200) < 2.2 * counted(100)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("[x for x in rows if x]", 3),
        ("{x: y for x in rows for y in x if y}", 6),
        ("[x for x in [x for x in rows]]", 4),
    ],
)
def test_only_the_first_source_of_a_comprehension_stands_outside_it(text, inside):
    module = module_of(f"def f(rows):\n    return {text}\n")
    names = [each for each in ast.walk(module.tree) if isinstance(each, ast.Name)]
    scopes = {each: module.scope_of(each).name for each in names}
    assert [each.id for each in names if scopes[each] == "f"] == ["rows"]
    assert sum(name == "<comprehension>" for name in scopes.values()) == inside
