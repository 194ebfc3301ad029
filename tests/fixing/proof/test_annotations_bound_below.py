"""Annotations are evaluated where a definition stands: what they name is bound above it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlfix.fixing.proof import regressions
from dlfix.project.project import Project
from tests.fixing.proof.pairs import worse

MADE = "def made():\n{0}    return DataLoader([], collate_fn={1})\n\n"
BATCH = "class Batch:\n    pass\n\n"
DEFINED = {
    "what it returns": "def collate(b) -> Batch:\n    return b\n",
    "a parameter": "def collate(b: 'list', kind: Batch = None):\n    return b\n",
    "a part of it": "def collate(b) -> list[Batch]:\n    return b\n",
    "a field": "class collate:\n    batch: Batch = None\n    def __call__(self, b):\n        return b\n",
    "a method": "class collate:\n    def __call__(self, b) -> Batch:\n        return b\n",
}
FINE = {
    "a text": "def collate(b) -> 'Batch':\n    return b\n",
    "a name in the body": "def collate(b):\n    kind: Batch = Batch()\n    return kind\n",
    "a builtin": "def collate(b) -> list:\n    return b\n",
    "its own parameter": "def collate(Batch, b: int = 1):\n    return Batch\n",
}


def reasons(defined, head="", batch_above=False):
    inner = textwrap.indent(defined, "    ")
    above, below = (BATCH, "") if batch_above else ("", BATCH)
    use = "collate()" if defined.startswith("class") else "collate"
    before = head + above + MADE.format(inner, use) + below
    after = head + above + defined + "\n" + MADE.format("", use) + below
    return before, after


def refused(before, after):
    return any("is bound further down" in each for each in worse(before, after))


@pytest.mark.parametrize("defined", DEFINED.values(), ids=DEFINED)
def test_what_annotations_name_is_bound_above(defined):
    assert refused(*reasons(defined))
    assert not refused(*reasons(defined, batch_above=True))


@pytest.mark.parametrize("defined", FINE.values(), ids=FINE)
def test_what_is_not_evaluated_may_be_bound_below(defined):
    assert not refused(*reasons(defined))


def test_lazy_annotations_may_name_what_is_below():
    before, after = reasons(DEFINED["what it returns"])
    main = Path("/program/main.py")
    head = "from __future__ import annotations\nfrom torch.utils.data import DataLoader\n"
    old = Project([main], {main: head + before})
    new = old.with_texts({main: head + after})
    assert regressions(old, new, [main]) == []
