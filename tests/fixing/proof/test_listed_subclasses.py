"""A local class exists when its function ran; at module level `__subclasses__` gives it from the import on."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BASES = (
    "class Metric:\n    @classmethod\n    def all(cls):\n        return {0}\n\n"
    "class Batched(Metric):\n    pass\n\nclass Other:\n    pass\n\n"
)
CLASS = "class Peak({0}):\n    def __call__(self, b):\n        return max(b)\n\n"
MADE = "def made():\n{0}    return DataLoader([], collate_fn=Peak())\n\n"


def refused(base: str, rest: str, of_class: str = "[]") -> bool:
    code = CLASS.format(base)
    inner = "".join(f"    {line}\n" if line else "\n" for line in code.splitlines())
    head = BASES.format(of_class)
    before = head + MADE.format(inner) + rest
    after = head + code + MADE.format("") + rest
    return any("classes that derive" in each for each in worse(before, after))


ASKED = {
    "the base": ("Metric", "names = Metric.__subclasses__()\n"),
    "one further up": ("Batched", "names = Metric.__subclasses__()\n"),
    "by a parameter": ("Metric", "def of(base):\n    return base.__subclasses__()\n\nof(Metric)\n"),
    "again and again": (
        "Batched",
        "def of(base):\n    return [c for s in base.__subclasses__() for c in of(s)]\n\nof(Metric)\n",
    ),
    "by type": ("Metric", "names = type.__subclasses__(Metric)\n"),
    "a base of a library": ("Dataset", "names = Dataset.__subclasses__()\n"),
}
NOT_ASKED = {
    "another class": ("Metric", "names = Other.__subclasses__()\n"),
    "another parameter": (
        "Metric",
        "def of(base):\n    return base.__subclasses__()\n\nof(Other)\n",
    ),
    "of no base": ("", "names = Other.__subclasses__()\n"),
    "another of a library": ("Dataset", "names = IterableDataset.__subclasses__()\n"),
    "nothing": ("Metric", ""),
}


@pytest.mark.parametrize(("base", "rest"), ASKED.values(), ids=ASKED)
def test_a_class_stays_that_is_listed_with_others_of_its_base(base, rest):
    assert refused(base, rest)


@pytest.mark.parametrize(("base", "rest"), NOT_ASKED.values(), ids=NOT_ASKED)
def test_a_class_moves_that_nobody_lists(base, rest):
    assert not refused(base, rest)


@pytest.mark.parametrize(("base", "is_refused"), [("Batched", True), ("Other", False)])
def test_a_method_lists_what_derives_from_its_class(base, is_refused):
    assert refused(base, "", "cls.__subclasses__()") is is_refused
