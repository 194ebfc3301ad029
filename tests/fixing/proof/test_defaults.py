"""What is None where a constructor opens nothing stays None once a property opens it."""

import pytest

from tests.fixing.proof.pairs import opened, worse

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


@pytest.mark.parametrize("decorator", ["", "@dataclasses.dataclass\n"], ids=["plain", "fields"])
def test_only_a_generated_constructor_sets_what_a_class_annotates(decorator):
    mixin = """
class Stored:
    file: h5py.File
    def open_file(self, path):
        self.path = path
        self.file = h5py.File(path)
"""
    lazy = mixin.replace("    file: h5py.File\n", "").replace(
        "        self.file = h5py.File(path)\n", ""
    )
    getter = "    @property\n    def file(self):\n        return h5py.File(self.path)\n"
    rows = """
class Rows(Stored, Dataset):
    def __init__(self, path):
        self.open_file(path)
    def __getitem__(self, index):
        return self.file["x"][index]
"""
    reasons = worse(
        mixin.replace("class Stored", f"{decorator}class Stored") + rows,
        lazy.replace("class Stored", f"{decorator}class Stored") + getter + rows,
    )
    always = any("the property always opens it" in each for each in reasons)
    assert always == bool(decorator)
