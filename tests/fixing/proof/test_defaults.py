"""What is None where a constructor opens nothing stays None once a property opens it."""

import pytest

from tests.fixing.proof.pairs import opened

BRANCH = "self.path = path\nif path:\n    self.file = h5py.File(path)"
GUARDED = "if not self.path:\n    return None\nreturn h5py.File(self.path)"
BEFORE = {
    "a class says None": (BRANCH, "Base", "class Base(Dataset):\n    file = None\n"),
    "the constructor says None first": (f"self.file = None\n{BRANCH}", "Dataset", ""),
    "a base says None": (
        f"super().__init__()\n{BRANCH}",
        "Base",
        "class Base(Dataset):\n    def __init__(self):\n        self.file = None\n",
    ),
    "the constructor returns first": (
        "self.path = path\nself.file = None\nif not path:\n    return\nself.file = h5py.File(path)",
        "Dataset",
        "",
    ),
}


@pytest.mark.parametrize(("init", "bases", "above"), BEFORE.values(), ids=BEFORE)
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "always"])
def test_a_property_gives_none_where_nothing_was_opened(init, bases, above, guarded):
    reasons = opened(
        init=init,
        bases=bases,
        decorator=above,
        opener=GUARDED if guarded else "return h5py.File(self.path)",
    )
    assert guarded != any("the property always opens it" in each for each in reasons)


def test_a_base_that_sets_none_hides_a_cached_property():
    base = "class Base(Dataset):\n    def __init__(self):\n        self.file = None\n"
    init = "super().__init__()\nself.path = path\nself.file = h5py.File(path)"
    later = "super().__init__()\nself.path = path"
    reasons = opened(init=init, later=later, bases="Base", decorator=base)
    assert any("`Base.__init__` sets `file` to None" in each for each in reasons)
