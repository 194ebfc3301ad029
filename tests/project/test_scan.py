"""What the bytes say of a name before they are parsed: a no must be certain."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from dlfix.project import scan
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.reach.process_roles import _calls_on_others, _given_names
from dlfix.source.text import SourceText


def module_of(text: str) -> Module:
    return Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")


def test_a_module_is_parsed_when_its_text_may_have_what_is_asked_for() -> None:
    module = module_of("def load(path):\n    return open(path)\n")
    assert module.calls_by_name.get("load", []) == []
    assert "load" not in module.nodes_by_name
    assert module.stores_by_name.get("path", []) == []
    assert module.aliases_of("load") == frozenset()
    assert module.deriving("Base") == []
    assert not module.says("__main__")
    assert not module.is_parsed
    assert len(module.calls_by_name.get("open", [])) == 1
    assert module.is_parsed


@pytest.mark.parametrize(
    "text",
    [
        "f(1)", "a.f(1)", "f (1)", "(f)(1)", "(a.f)(1)", "(f  # why\n)(1)", "a.\\\nf(1)", "f\\\n(1)",
        "x = [f(y) for y in z]", "f'{f(1)}'", "def f(): f()",
    ],
)  # fmt: skip
def test_calls_are_seen_however_they_are_written(text: str) -> None:
    assert scan.may_call(text.encode(), b"f")
    assert module_of(text).calls_by_name.get("f")


@pytest.mark.parametrize(
    "text", ["def f(x): pass", "class f(B): pass", "g(f)", "ff(1)", "f_(1)", "xf(1)"]
)
def test_what_is_no_call_is_not_taken_for_one(text: str) -> None:
    assert not scan.may_call(text.encode(), b"f")


@pytest.mark.parametrize(
    "text",
    [
        "a.f = 1", "a.f: int = 1", "a.f, b = 1, 2", "b, a.f = 1, 2", "(b, a.f) = c", "[a.f, b] = c",
        "(\n    a.f,\n    b,\n) = c", "(\n    b,\n    a.f,\n) = c", "for a.f in b: pass", "for a.f, c in b: pass",
        "for (c, a.f) in b: pass", "with b as a.f: pass", "with b as (a.f, c): pass", "a.f += 1", "a.f //= 2",
        "a.f **= 2", "del a.f", "del b, a.f", "x = a.f = 1", "g(1).f = 2", "a[g(0)].f, c = b", "a.\\\nf = 1",
        "(a.f) = 1", "[x for a.f in b]", "a.f: int", "*a.f, b = c", "d[0], a.f = b", "a['('].f, b = c",
        "a.f \\\n    = 1", "if x: a.f = 1", "else_ = a.f = 1", "x = a.f, b = c", "while x: a.f, b = c", "async def g():\n    async for a.f in b: pass",
    ],
)  # fmt: skip
def test_stores_are_seen_however_they_are_written(text: str) -> None:
    assert scan.may_store(text.encode(), b"f")
    assert module_of(text).stores_by_name.get("f") or text == "a.f: int"


@pytest.mark.parametrize(
    "text",
    [
        "g(a.f, dtype=1)",
        "x = a.f",
        "d[a.f] = 1",
        "a.f()",
        "a.f == 1",
        "return_(a.f)",
        "g(x=a.f)",
        "f = 1",
    ],
)
def test_what_is_read_is_not_taken_for_a_store(text: str) -> None:
    assert not scan.may_store(text.encode(), b"f")


@pytest.mark.parametrize(
    "text",
    [
        "class A(f): pass", "class A(b.f): pass", "class A(B, f): pass", "class A(\n    B,  # (\n    f,\n): pass",
        "class A(g(f)): pass", "class A[T](f): pass", "class A(B['('], f): pass", "class A(f[int]): pass",
        "class A(metaclass=M, *[f]): pass", "class A(B): pass\nclass C(\n    f\n):\n    pass",
    ],
)  # fmt: skip
def test_bases_are_seen_however_they_are_written(text: str) -> None:
    assert scan.derives(text.encode(), b"f")


@pytest.mark.parametrize(
    "text", ["class f: pass", "class A: x = (f)", "class A(B): x = f(1)", "x = f  # class A(B):"]
)
def test_what_is_in_a_class_is_no_base(text: str) -> None:
    assert not scan.derives(text.encode(), b"f")


def test_an_alias_of_an_import_is_seen() -> None:
    text = "from a import (\n    f\n    as g,\n)"
    assert scan.renames(text.encode(), b"f")
    assert module_of(text).aliases_of("f") == {"g"}


@pytest.mark.parametrize(
    ("text", "is_loose"),
    [
        ("class A:\n    def f(self): pass", False),
        ("class A:\n    if x:\n        def f(self): pass", False),
        ("class A:\n    x = 1\n\n    @g\n    async def f(self): pass", False),
        ("def f(self): pass", True),
        ("def g():\n    def f(self): pass", True),
        ("class A:\n    pass\n\nclasses = 1\ndef f(\n    self): pass", True),
    ],
)
def test_a_method_outside_a_class_is_seen(text: str, is_loose: bool) -> None:
    assert scan.has_loose_methods(text.encode()) is is_loose


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (scan.may_call, lambda m: m.calls_by_name),
        (scan.may_name, lambda m: m.nodes_by_name),
        (scan.may_read, lambda m: m.attributes_by_name),
        (scan.may_store, lambda m: m.stores_by_name),
        (scan.may_give, lambda m: m.table(_given_names)),
        (scan.may_call_on, lambda m: m.table(_calls_on_others)),
        (scan.derives, lambda m: dict.fromkeys(m._classes_by_base, 1)),
        (scan.renames, lambda m: m.aliases),
    ],
)
def test_the_bytes_never_rule_out_what_is_in_a_tree(
    question: Callable[[bytes, bytes], bool], rows: Callable[[Module], dict[str, object]]
) -> None:
    """Files of dlfix and of the standard library; of each, some of the names."""
    for path in [
        *sorted(Path(scan.__file__).parent.parent.glob("*/*.py"))[::15],
        *sorted(Path(ast.__file__).parent.glob("*.py"))[::15],
    ]:
        data = path.read_bytes()
        module = module_of(data.decode())
        names = sorted(name for name in rows(module) if name and name.isascii())[::3]
        assert not [name for name in names if not question(data, name.encode())], path


def test_a_star_import_is_followed_only_to_what_may_bring_a_name(tmp_path: Path) -> None:
    texts = {
        "top/__init__.py": "from .a import *\nfrom .b import *\nfrom .c import *\nfrom .d import *\n",
        "top/a/__init__.py": "from .inner import *\nfrom ..a import *\n",
        "top/a/inner.py": "__all__ = ['Shown']\nShown = Hidden = 1\n",
        "top/b.py": "Hidden = 1\n",
        "top/c.py": "from elsewhere import *\n",
        "top/d.py": "from .a.inner import *\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    project = Project([tmp_path / name for name in texts])
    top = project.module(tmp_path / "top/__init__.py")
    starred = ("top.a", "top.b", "top.c", "top.d")
    assert [*project.bringing(top, starred, "Shown")] == ["top.a", "top.c", "top.d"]
    assert [*project.bringing(top, starred, "Hidden")] == ["top.b", "top.c"]
    assert project.parsed == 1
