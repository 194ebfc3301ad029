"""Names that are free."""

from __future__ import annotations

import ast

from dlfix.fixing import naming


def test_a_free_name_is_kept() -> None:
    assert naming.free_name("collate", {"x"}) == "collate"


def test_a_taken_name_gives_way_to_the_next_wanted_one() -> None:
    assert naming.free_name(["identity", "_identity"], {"identity"}) == "_identity"


def test_a_number_comes_last() -> None:
    assert naming.free_name(["a", "_a"], {"a", "_a", "a_2"}) == "a_3"


def test_what_is_no_identifier_gives_way_to_what_is() -> None:
    assert naming.free_name(["2d", "step"], {"step"}) == "step_2"
    assert naming.free_name("2d", ()) == "name_2"


def test_builtins_and_keywords_are_not_free() -> None:
    assert naming.free_name(["filter", "class", "_filter"], ()) == "_filter"


def test_all_ways_to_bind_a_name_are_seen() -> None:
    tree = ast.parse(
        "import a.b, c as d\n"
        "def e(f, *g, h=1): global i\n"
        "class j: pass\n"
        "try: pass\nexcept E as k: pass\n"
        "match x:\n case [l, *m]: pass\n case {'y': 1, **n}: pass\n"
        "(o := 1)\nfor p in q: pass\n"
    )
    assert naming.names_in(tree) >= set("adefghijklmnopq")


def test_attributes_and_keywords_of_calls_take_no_name() -> None:
    assert naming.names_in(ast.parse("a.b(c=1)")) == {"a"}


def test_snake_case() -> None:
    assert naming.snake("ToTensor") == "to_tensor"
    assert naming.snake("RGBImage") == "rgb_image"
