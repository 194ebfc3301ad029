"""Classes by way of their bases, registries and choices: who they are, and what is kept on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

KINDS = """
class A(Base):
    def __init__(self): self.f = lambda x: x
class B(Base):
    def __init__(self): self.g = lambda x: x
"""
BOTH = ("dataset.f lambda", "dataset.g lambda")

ROWS = [
    row(
        "a transform that a dataset hands to the dataset of torchvision above it, by position",
        """
        from torchvision import datasets
        class Digits(datasets.FashionMNIST):
            def __init__(self, root, train=True, transform=None):
                super().__init__(root, train, transform)
        class Cells(datasets.SVHN): pass
        class Scenes(datasets.VOCSegmentation):
            def __init__(self, root, f):
                super().__init__(root, "2012", "train", False, f)
        DataLoader(Digits("a", transform=lambda x: x), num_workers=2)
        DataLoader(Cells("a", "train", lambda x: x), num_workers=2)
        DataLoader(Scenes("a", lambda x: x), num_workers=2)
        """,
        "dataset.transform lambda",
        "dataset.transform lambda",
        "dataset.transform lambda",
    ),
    row(
        "a mixin after a base of a library",
        """
        class Seedable:
            def setup(self): self.rng = lambda: 0
        class Data(Dataset, Seedable):
            def __init__(self):
                super().__init__()
                self.setup()
        """,
        "self.rng lambda",
    ),
    row(
        "a mixin before a base of a library",
        """
        class Seedable:
            def __init__(self): self.rng = lambda: 0
        class Data(Seedable, Dataset): pass
        """,
        "self.rng lambda",
    ),
    row(
        "a generic base",
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Base(Dataset, Generic[T]):
            def __init__(self, f): self.f = f
        class Data(Base[int]):
            def __init__(self): super().__init__(lambda x: x)
        """,
        "self.f lambda",
    ),
    row(
        "a class chosen among the subclasses of another",
        "class Base: pass" + KINDS + """
def pick(name):
    known = {cls.__name__: cls for cls in Base.__subclasses__()}
    return known[name]()
DataLoader(pick("A"), num_workers=2)
""",
        BOTH[0],
    ),
    row(
        "a class chosen in a loop over subclasses",
        "class Base: pass" + KINDS + """
def pick(name):
    for cls in Base.__subclasses__():
        if cls.__name__ == name:
            return cls()
DataLoader(pick(input()), num_workers=2)
""",
        *BOTH,
    ),
    row(
        "a class chosen by its name in a loop over subclasses",
        "class Base: pass" + KINDS + """
def pick(name):
    for cls in Base.__subclasses__():
        if cls.__name__ == name:
            return cls()
DataLoader(pick("A"), num_workers=2)
""",
        "dataset.f lambda",
    ),
    row(
        "a registry filled by `__init_subclass__`",
        """
class Base:
    known = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Base.known[cls.__name__] = cls
""" + KINDS + "DataLoader(Base.known[input()](), num_workers=2)",
        *BOTH,
    ),
    row(
        "a registry filled by `__init_subclass__`, on the class it is for",
        """
class Base:
    known = {}
    def __init_subclass__(cls, name=None, **kw):
        cls.known[name or cls.__name__] = cls
""" + KINDS + "DataLoader(Base.known[input()](), num_workers=2)",
        *BOTH,
    ),
    row(
        "a registry that a metaclass fills",
        """
class Registering(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        if not hasattr(cls, "known"):
            cls.known = dict()
        cls.known[name] = cls
class Base(metaclass=Registering): pass
""" + KINDS + "DataLoader(Base.known[input()](), num_workers=2)",
        *BOTH,
    ),
    row(
        "a registry of a base that its metaclass fills",
        """
class Registering(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        cls.known[name] = cls
class Base(metaclass=Registering):
    known = {}
""" + KINDS + "DataLoader(Base.known[input()](), num_workers=2)",
        *BOTH,
    ),
    row(
        "a registry that a decorator fills",
        """
KNOWN = {}
def register(name):
    def wrap(cls):
        KNOWN[name] = cls
        return cls
    return wrap
@register("a")
class A:
    def __init__(self): self.f = lambda x: x
@register("b")
class B:
    def __init__(self): self.g = lambda x: x
def build(name, **kw): return KNOWN[name](**kw)
DataLoader(build(input()), num_workers=2)
""",
        *BOTH,
    ),
    row(
        "a registry object that a decorator fills",
        """
class Registry:
    def __init__(self, name): self._known = {}
    def register(self, cls):
        self._known[cls.__name__] = cls
        return cls
    def get(self, name): return self._known[name]
    def build(self, name): return self.get(name)()
DATA = Registry("data")
@DATA.register
class A:
    def __init__(self): self.f = lambda x: x
@DATA.register
class B:
    def __init__(self): self.g = lambda x: x
DataLoader(DATA.build(input()), num_workers=2)
""",
        *BOTH,
    ),
    row(
        "a loader of the tree that has a row of the catalogue, and runs no base's constructor",
        """# file: torchdata/__init__.py
# file: torchdata/stateful_dataloader/__init__.py
from .stateful_dataloader import StatefulDataLoader
# file: torchdata/stateful_dataloader/stateful_dataloader.py
from torch.utils.data import DataLoader
class StatefulDataLoader(DataLoader):
    def __init__(self, dataset, num_workers=0, worker_init_fn=None):
        self.dataset, self.num_workers, self.worker_init_fn = dataset, num_workers, worker_init_fn
# file: main.py
from torchdata.stateful_dataloader import StatefulDataLoader
StatefulDataLoader([], num_workers=2, worker_init_fn=lambda i: None)
""",
        "worker_init_fn lambda",
    ),
    # silent
    row(
        "a mixin whose method a base of the tree replaces",
        """
        class Seedable:
            def setup(self): self.rng = lambda: 0
        class Plain(Dataset):
            def setup(self): self.rng = 0
        class Data(Plain, Seedable):
            def __init__(self): self.setup()
        """,
    ),
    row(
        "a class of the tree that has a library's name and starts nothing",
        """# file: torchdata/__init__.py
# file: torchdata/stateful_dataloader.py
class StatefulDataLoader:
    def __init__(self, dataset, worker_init_fn=None, num_workers=0): pass
# file: main.py
from torchdata.stateful_dataloader import StatefulDataLoader
StatefulDataLoader([], num_workers=2, worker_init_fn=lambda i: None)
""",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_the_paths_of_what_crosses(case: Case, tmp_path: Path) -> None:
    """Each program ships exactly the culprits of its row."""
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
