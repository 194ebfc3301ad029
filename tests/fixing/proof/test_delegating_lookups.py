"""No object that asks another for every name is given the state method of what it holds."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

DIRECT = "return getattr(self.dataset, name)"
SHAPES = {
    "by its attribute": DIRECT,
    "by its dict": 'return getattr(self.__dict__["dataset"], name)',
    "by a variable": 'inner = vars(self).get("dataset")\nreturn getattr(inner, name)',
    "past the hook": 'return getattr(object.__getattribute__(self, "dataset"), name)',
    "by the method of it": "return self.dataset.__getattribute__(name)",
    "where it is set": 'if "dataset" not in self.__dict__:\n    raise AttributeError(name)\n'
    + DIRECT,
    "where it has it": "if hasattr(self.dataset, name):\n    " + DIRECT,
    "but private names": 'if name.startswith("_") and not name.startswith("__"):\n'
    "    raise AttributeError(name)\n" + DIRECT,
    "by a base": DIRECT,
}
WRAPPED = """
class Base(Dataset):
    def __getattr__(self, name):
{hook}

class Subset({base}):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

{own}

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

def main(path):
    return Subset(Rows(path), [1, 2])
"""


def wrapped(hook, *, base="Base", own="", **others):
    program = WRAPPED.format(hook=textwrap.indent(hook, " " * 8), base=base, own=own)
    reasons = opened(bases="Dataset", program=program, **others)
    return any("would return `__getstate__`" in reason for reason in reasons)


@pytest.mark.parametrize("hook", SHAPES.values(), ids=SHAPES)
def test_an_object_that_asks_what_it_holds_for_every_name_keeps_its_own_state(hook):
    assert wrapped(hook)


GUARDED = {
    "special names": 'if name.startswith("__"):\n    raise AttributeError(name)\n' + DIRECT,
    "their first letters": 'if name[:2] == "__":\n    raise AttributeError(name)\n' + DIRECT,
    "only public names": 'if not name.startswith("_"):\n    '
    + DIRECT
    + "\nraise AttributeError(name)",
    "the state methods": 'if name in ("__getstate__", "__setstate__"):\n'
    "    raise AttributeError(name)\n" + DIRECT,
    "asked of its own": 'if name.startswith("__"):\n'
    "    return object.__getattribute__(self, name)\n" + DIRECT,
    "something else": "return getattr(np, name)",
    "what its base has": "return getattr(super(), name)",
}


@pytest.mark.parametrize("hook", GUARDED.values(), ids=GUARDED)
def test_one_that_does_not_hand_on_the_names_of_state_methods_may_hold_it(hook):
    assert not wrapped(hook)


def test_one_with_a_state_method_of_its_own_may_hold_it():
    own = "    def __getstate__(self):\n        return self.__dict__.copy()\n"
    assert not wrapped(DIRECT, own=own)


def test_what_holds_something_else_does_not_count():
    assert not wrapped("return getattr(self.network, name)", base="Dataset")


def test_the_wrapper_may_be_in_another_module():
    wrapper = """
    class Subset:
        def __init__(self, dataset):
            self.dataset = dataset

        def __getattr__(self, name):
            return getattr(self.dataset, name)
    """
    program = "from wrappers import Subset\n\ndef main(path):\n    return Subset(Rows(path))\n"
    reasons = opened(bases="Dataset", program=program, wrappers=wrapper)
    assert any("would return `__getstate__`" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("program", "refused"),
    [("", False), ("rows = Subset(Rows('a'))", True), ("TABLE = {'kind': 'Subset'}", True)],
)
def test_a_class_that_nothing_names_has_no_objects(program, refused):
    wrapper = """
    class Subset:
        def __getattr__(self, name):
            return getattr(self.datasets[0], name)
    """
    program = f"import wrappers\ndef main(path):\n    datasets = [Rows(path)]\n    {program}\n"
    reasons = opened(bases="Dataset", program=program, wrappers=wrapper)
    assert refused == any("would return `__getstate__`" in reason for reason in reasons)


LOADERS = """
class Loaders:
    def __init__(self, dataset, sizes):
        self.data = {value}

    @property
    def data_loader(self):
        return self.data[0]

    def __getattr__(self, name):
        return getattr(self.data_loader, name)

class Others(Loaders):
    {more}

def main(rows):
    return Loaders(rows, [1, 2]), Others(rows, [1])
"""
HELD = {
    "loaders": ("[DataLoader(dataset, size) for size in sizes]", "pass", False),
    "a loader": ("[DataLoader(dataset)]", "pass", False),
    "the dataset": ("[dataset]", "pass", True),
    "the dataset, in an heir": (
        "[DataLoader(dataset)]",
        "def only(self, rows): self.data = [rows]",
        True,
    ),
}


@pytest.mark.parametrize(("value", "more", "refused"), HELD.values(), ids=HELD)
def test_a_loader_does_not_answer_for_its_dataset(value, more, refused):
    reasons = opened(bases="Dataset", program=LOADERS.format(value=value, more=more))
    assert refused == any("would return `__getstate__`" in reason for reason in reasons)
