"""Which files of a project use a name, and what for."""

from __future__ import annotations

from pathlib import Path

from dlfix.facts.build import facts_of_text
from dlfix.facts.index import Index

A, B, C = (Path(name) for name in ("a.py", "b.py", "c.py"))
TEXTS = {
    A: "class Base: pass\ndef make(x): x.size = 1\n",
    B: "from a import Base as Root, make\nclass D(Root): pass\nmake(D().size)\n",
    C: "@decorate\ndef other(make=1): setattr(other, 'size', 2)\n",
}


def index() -> Index:
    return Index({path: facts_of_text(text).summary for path, text in TEXTS.items()})


def test_files_are_found_by_what_they_use_a_name_for() -> None:
    found = index()
    assert found.mentions("make") == [A, B, C]
    assert found.defining("make") == [A, B, C]
    assert found.calling("make") == [B]
    assert found.setting("size") == [A, C]
    assert found.reading("size") == [B, C]
    assert found.decorating("decorate") == [C]
    assert found.importing("pkg.a") == [B]
    assert found.mentions("nowhere") == []


def test_a_name_that_is_imported_under_another_may_be_used_under_that() -> None:
    assert index().deriving("Base") == [B]
    assert index().calling("Base") == [B]


def test_a_changed_file_is_looked_up_again() -> None:
    changed = index().changed({B: facts_of_text("make").summary, C: None})
    assert changed.calling("make") == []
    assert changed.mentions("make") == [A, B]
    assert index().calling("make") == [B]
