"""Code that goes through the members of a class sees those that a fix adds."""

import pytest

from tests.fixing.proof.pairs import opened

BASE = "class Base(Dataset):\n    def __init_subclass__(cls, **options):\n        {code}\n\n"
BY_BASE = {
    "vars": ("cls.names = list(vars(cls))", True),
    "dir": ("cls.names = dir(cls)", True),
    "a loop over __dict__": (
        "for key, value in cls.__dict__.items():\n            print(key)",
        True,
    ),
    "names with one prefix": ("cls.tests = [n for n in vars(cls) if n.startswith('test_')]", False),
    "marked members": (
        "cls.hooks = [v for v in vars(cls).values() if hasattr(v, 'is_hook')]",
        False,
    ),
    "members of another kind": (
        "cls.parts = [v for v in vars(cls).values() if isinstance(v, Field)]",
        False,
    ),
    "all but some kinds": (
        "cls.parts = [v for v in vars(cls).values() if not isinstance(v, staticmethod)]",
        True,
    ),
    "descriptors": (
        "cls.parts = [v for v in vars(cls).values() if hasattr(v, '__get__')]",
        True,
    ),
    "all bases": (
        "cls.parts = [n for base in cls.__mro__ for n in vars(base)]",
        True,
    ),
    "one member": ("cls.kind = vars(cls).get('kind')", False),
    "a question": ("assert 'kind' in cls.__dict__", False),
    "its name": ("print(cls.__name__)", False),
}


@pytest.mark.parametrize(("code", "refused"), BY_BASE.values(), ids=BY_BASE)
def test_what_a_base_does_with_its_subclasses(code, refused):
    reasons = opened(bases="Base", decorator=BASE.format(code=code))
    assert refused == any("through the members" in reason for reason in reasons)


META = "class Meta(type):\n    def __new__(mcls, name, bases, space):\n        {code}\n        return super().__new__(mcls, name, bases, space)\n\n"
BY_META = {
    "a loop": ("for key in space:\n            print(key)", True),
    "a copy": ("space['old'] = dict(space)", True),
    "one name": ("space['kind'] = space.get('kind', 1)", False),
    "nothing": ("print(name)", False),
}


@pytest.mark.parametrize(("code", "refused"), BY_META.values(), ids=BY_META)
def test_what_a_metaclass_does_with_the_members(code, refused):
    reasons = opened(bases="Dataset, metaclass=Meta", decorator=META.format(code=code))
    assert refused == any("through the members" in reason for reason in reasons)


OUTSIDE = {
    "the members of the class": ("print(vars(Rows))\n", True),
    "the names of an object": ("rows = Rows('a')\nprint(dir(rows))\n", True),
    "the members of its type": ("rows = Rows('a')\nprint(type(rows).__dict__)\n", True),
    "the classes of a module": (
        "import inspect\nprint(inspect.getmembers(h5py, inspect.isclass))\n",
        False,
    ),
    "another class": ("class Log:\n    pass\n\nprint(vars(Log))\n", False),
}


@pytest.mark.parametrize(("program", "refused"), OUTSIDE.values(), ids=OUTSIDE)
def test_what_other_code_does_with_the_members(program, refused):
    reasons = opened(program=program)
    assert refused == any("through the members" in reason for reason in reasons)


DECORATOR = "def traced(cls):\n    {code}\n    return cls\n\n@traced"
BY_DECORATOR = {
    "a loop": ("for name in list(vars(cls)):\n        print(name)", True),
    "a mark": ("cls.is_traced = True", False),
}


@pytest.mark.parametrize(("code", "refused"), BY_DECORATOR.values(), ids=BY_DECORATOR)
def test_what_a_decorator_does_with_the_members(code, refused):
    reasons = opened(decorator=DECORATOR.format(code=code))
    assert refused == any("through the members" in reason for reason in reasons)


DESCRIBED = "class Kept:\n    def __{kind}__(self, obj, value=None):\n        return obj\n\n"


@pytest.mark.parametrize(("kind", "refused"), [("set", True), ("get", True), ("call", False)])
def test_an_attribute_that_a_descriptor_keeps(kind, refused):
    reasons = opened(decorator=DESCRIBED.format(kind=kind), body="file = Kept()\n")
    assert refused == any("is a descriptor of" in reason for reason in reasons)
