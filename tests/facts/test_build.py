"""From text to facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.facts.build import LONGEST_TEXT, facts_of, facts_of_text
from dlfix.facts.model import NOTHING, OMITTED, FileFacts, Import, Kind, Mark, Role
from dlfix.facts.sites import (
    attribute_writes,
    call,
    calls_of,
    imports,
    item_writes,
    signature,
)
from dlfix.source.text import SourceError, read

ROOT = Path(__file__).parents[2]


def only(facts: FileFacts, kind: Kind) -> int:
    (node,) = facts.nodes(kind)
    return node


def outline(text: str) -> list[str]:
    facts = facts_of_text(text)
    return [f"{facts.role(n).name}:{facts.kind(n).name}" for n in range(1, len(facts))]


def test_children_come_in_the_order_of_evaluation() -> None:
    assert outline("x = f()") == [
        "BODY:ASSIGN", "VALUE:CALL", "FUNC:NAME", "TARGET:NAME_STORE"
    ]  # fmt: skip


def test_a_default_comes_before_the_body_and_a_decorator_before_both() -> None:
    facts = facts_of_text("@d\ndef f(a=g()):\n    h()\n")
    symbols = [facts.symbol(n) for n in facts.nodes(Kind.NAME)]
    assert symbols == ["d", "g", "h"]


def test_two_statements_on_one_line_are_in_order() -> None:
    facts = facts_of_text("a = 1; f()")
    assert facts.completes_before(only(facts, Kind.NAME_STORE), only(facts, Kind.CALL))
    assert facts.row(only(facts, Kind.ASSIGN)) == facts.row(only(facts, Kind.EXPR)) == 1


def test_an_argument_is_evaluated_before_its_call() -> None:
    facts = facts_of_text("f(g())")
    outer, inner = facts.nodes(Kind.CALL)
    assert facts.completes_before(inner, outer)
    assert not facts.completes_before(outer, inner)
    assert not facts.completes_before(outer, outer)


def test_navigation_goes_up_and_down() -> None:
    facts = facts_of_text("if a:\n    b(c)\nelse:\n    d\n")
    branch, inner = only(facts, Kind.IF), only(facts, Kind.CALL)
    assert facts.segment(facts.child(branch, Role.TEST), "if a") == "a"
    assert len(facts.parts(branch, Role.ORELSE)) == 1
    assert facts.child(branch, Role.FINALBODY) == NOTHING
    assert facts.statement(inner) == facts.parent(inner) == only_first(facts, Kind.EXPR)
    assert list(facts.ancestors(inner)) == [facts.parent(inner), branch, 0]
    assert facts.contains(branch, inner)
    assert inner in facts.within(branch)
    assert facts.parent(0) == NOTHING


def only_first(facts: FileFacts, kind: Kind) -> int:
    return next(iter(facts.nodes(kind)))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "golden").glob("*/*/before/*.py"))[::7], ids=lambda path: path.parts[-3]
)
def test_names_stand_where_the_text_has_them(path: Path) -> None:
    source = read(path)
    facts = facts_of(source)
    for node in facts.nodes(Kind.NAME, Kind.NAME_STORE):
        in_text = any(facts.kinds[above] == Kind.JOINED for above in facts.ancestors(node))
        assert in_text or facts.segment(node, source.text) == facts.symbol(node)


def test_places_are_counted_in_characters() -> None:
    text = "x = 'äöü', y\r\nz = 'ä'; é = z\rw\n"
    facts = facts_of_text(text)
    assert [facts.segment(n, text) for n in facts.nodes(Kind.NAME)] == ["y", "z", "w"]
    assert facts.span(next(facts.nodes(Kind.NAME))) == (1, 11, 1, 12)
    assert [facts.row(n) for n in facts.nodes(Kind.NAME)] == [1, 2, 3]


def test_an_operator_and_its_operands() -> None:
    facts = facts_of_text("a < b is not c; -d; e @ f; g += 1")
    assert facts.symbol(only(facts, Kind.COMPARE)) == "< is-not"
    assert facts.symbol(only(facts, Kind.UNARY)) == "-"
    assert facts.symbol(only(facts, Kind.BINARY)) == "@"
    assert facts.symbol(only(facts, Kind.AUG_ASSIGN)) == "+"


def test_literals_keep_their_type() -> None:
    facts = facts_of_text("f(1, True, 1.0, -0.0, 0.0, b'x', 2j, None, ..., '')")
    values = [facts.literal(node) for node in facts.nodes(Kind.CONSTANT)]
    assert list(map(repr, values)) == [
        "1", "True", "1.0", "0.0", "0.0", "b'x'", "2j", "None", "Ellipsis", "''"
    ]  # fmt: skip


def test_docstrings_and_long_texts_are_not_kept() -> None:
    facts = facts_of_text(f"'doc'\nx = '{'y' * (LONGEST_TEXT + 1)}'\n")
    assert [facts.literal(node) for node in facts.nodes(Kind.CONSTANT)] == [OMITTED, OMITTED]


def test_imports_say_what_they_bind() -> None:
    facts = facts_of_text("import a.b, c as d\nfrom ..e import f as g, h\nfrom . import *\n")
    assert [site.imported for site in imports(facts)] == [
        Import("a.b", 0, "", "a"), Import("c", 0, "", "d"), Import("e", 2, "f", "g"),
        Import("e", 2, "h", "h"), Import("", 1, "*", ""),
    ]  # fmt: skip


def test_a_call_has_its_parts() -> None:
    text = "a.f(x, *y, k=z, **w)"
    facts = facts_of_text(text)
    (found,) = calls_of(facts, "f")
    assert found == call(facts, found.node)
    assert facts.dotted(found.func) == "a.f"
    assert [facts.segment(each, text) for each in found.arguments] == ["x", "*y"]
    assert [(name, facts.segment(v, text)) for name, v in found.keywords] == [("k", "z"), ("", "w")]


def test_a_signature_has_all_kinds_of_parameters() -> None:
    facts = facts_of_text("async def f(a, /, b: int = 1, *c, d=2, **e) -> T: pass")
    found = signature(facts, only(facts, Kind.ASYNC_FUNCTION))
    assert [(each.name, each.kind.name) for each in found.parameters] == [
        ("a", "POSITIONAL_ONLY"), ("b", "PARAMETER"), ("c", "REST"), ("d", "KEYWORD_ONLY"),
        ("e", "KEYWORD_REST"),
    ]  # fmt: skip
    assert [each.default != NOTHING for each in found.parameters] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert [each.name for each in found.positional] == ["a", "b"]
    assert found.is_async
    assert facts.symbol(found.returns) == "T"


def test_attribute_writes_are_found_however_they_are_written() -> None:
    text = (
        "self.a = 1\nself.b, (self.c, *self.d) = v\nself.e += 1\nfor self.f in x: pass\n"
        "with y as self.g: pass\ndel self.h\nsetattr(self, 'i', 2)\nself.j: int = 3\n"
        "object.__setattr__(self, 'k', 4)\nself.__dict__['l'] = 5\nvars(self)['m'] = 6\n"
        "self.__setattr__('n', 7)\nself.o: int\n"
    )
    facts = facts_of_text(text)
    found = list(attribute_writes(facts))
    assert "".join(write.name for write in found) == "abcdefghijklmno"
    assert all(facts.segment(write.object, text) == "self" for write in found)
    assert [write.kind for write in found] == [
        "assign", "assign", "assign", "assign", "augmented", "for", "with", "delete", "setattr",
        "annotated", "setattr", "dict", "dict", "setattr", "declared",
    ]  # fmt: skip
    assert [write.path for write in found[:4]] == [(), (0,), (1, 0), (1, ("slice", 1, None))]
    assert [facts.segment(write.value, text) for write in found if write.kind == "dict"] == [
        "5",
        "6",
    ]


def test_item_writes_are_found() -> None:
    text = "x['k'] = 1\ndel x[0]\n"
    facts = facts_of_text(text)
    assert [(w.kind, facts.segment(w.key, text)) for w in item_writes(facts)] == [
        ("assign", "'k'"), ("delete", "0")
    ]  # fmt: skip


def test_symbols_are_marked_with_what_they_are_used_for() -> None:
    facts = facts_of_text(
        "from m import n as o\n@deco(1)\ndef f(p): p.q; p.r = s(t=1); p.u()\nclass C(B[int]): pass\n"
        "getattr(f, 'by_name')\ndef g():\n    global h\n"
    )
    marks = dict(zip(facts.symbols, facts.summary.marks, strict=True))
    assert marks["m"] == marks["n"] == Mark.IMPORTED
    assert marks["o"] == Mark.IMPORTED | Mark.BOUND
    assert marks["deco"] == Mark.READ | Mark.CALLED | Mark.DECORATES
    assert marks["f"] == Mark.DEFINED | Mark.READ
    assert marks["p"] == Mark.BOUND | Mark.READ
    assert marks["q"] == Mark.ATTRIBUTE
    assert marks["r"] == Mark.ATTRIBUTE_SET
    assert marks["s"] == Mark.READ | Mark.CALLED
    assert marks["t"] == Mark.KEYWORD
    assert marks["u"] == Mark.ATTRIBUTE | Mark.CALLED
    assert marks["B"] == Mark.READ | Mark.BASE
    assert marks["by_name"] == Mark.TEXT
    assert marks["h"] == Mark.DECLARED
    assert marks[""] == 0


@pytest.mark.parametrize("text", ["(" * 300 + ")" * 300, "not " * 10_000 + "a", "x = (", "x\0"])
def test_what_python_cannot_parse_is_a_source_error(text: str) -> None:
    with pytest.raises(SourceError, match="does not parse"):
        facts_of_text(text)


def test_ten_thousand_attributes_are_facts_or_a_source_error() -> None:
    try:
        facts = facts_of_text("a" + ".b" * 10_000)
    except SourceError:
        return  # Python gives up, from 3.11 on
    assert len(facts) == 10_003


def test_long_chains_need_no_stack() -> None:
    facts = facts_of_text("x = " + " + ".join(["'a'"] * 900) + "\n" + "if a: pass\n")
    assert sum(1 for _ in facts.nodes(Kind.BINARY)) == 899


def test_an_empty_file_is_a_module() -> None:
    facts = facts_of_text("")
    assert list(facts.kinds) == [Kind.MODULE]
    assert facts.row(0) == 1
