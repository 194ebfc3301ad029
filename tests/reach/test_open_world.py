"""Who speaks for a class or function: a library's are used by others, too, with workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

PACKAGED = """# file: setup.py
from setuptools import setup
setup(name="lib")
# file: lib/__init__.py
"""
LOADER = """# file: lib/loaders.py
from torch.utils.data import DataLoader
class Loader(DataLoader):
    def __init__(self, dataset, num_workers=0, collate_fn=None):
        if collate_fn is None:
            collate_fn = lambda b: b
        super().__init__(dataset, num_workers=num_workers, collate_fn=collate_fn)
"""
DATA = """# file: lib/data.py
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __init__(self, transform=None):
        self.transform = transform or (lambda x: x)
"""
USE = """
from torch.utils.data import DataLoader
from lib.data import Data
for batch in DataLoader(Data(), batch_size=2): pass
"""
CALL = """
from lib.loaders import Loader
loader = Loader([], num_workers=0)
"""

FOUND_PACKAGES = """# file: setup.py
from setuptools import find_packages, setup
setup(name="lib", packages=find_packages())
# file: lib/__init__.py
# file: runs/train.py
from data import Data
print(len(Data()))
# file: runs/data.py
from torch.utils.data import Dataset
class Data(Dataset):
    def __init__(self): self.transform = lambda x: x
"""
ELSEWHERE = """
from somewhere import fit
from torch.utils.data import DataLoader
from lib.data import Data
fit(Data())
"""

ADDED = """# file: adding.py
from torch.utils.data import Dataset
def add():
    class More(Dataset):
        def __init__(self): self.transform = lambda x: x
    return More
# file: making.py
import adding
def make(more=False, less=False):
    if {test}:
        return adding.add()()
# file: main.py
from making import make
make()
make(less=True)
"""

ROWS = [
    row("a loader's default count of workers", PACKAGED + LOADER, "collate_fn lambda"),
    row(
        "a loader of a library that only a test calls without workers",
        PACKAGED + LOADER + "# file: tests/run.py" + CALL,
        "collate_fn lambda",
    ),
    row(
        "a loader of a library that only an example calls without workers",
        PACKAGED + LOADER + "# file: examples/small/run.py" + CALL,
        "collate_fn lambda",
    ),
    row(
        "a dataset of a library that only an example reads without workers",
        PACKAGED + DATA + "# file: examples/show.py" + USE,
        "self.transform lambda",
    ),
    row(
        "a dataset that only a file named an example reads without workers",
        DATA + "# file: reading_example.py" + USE,
        "self.transform lambda",
    ),
    row(
        "a dataset that a program reads without workers",
        DATA + "# file: reading.py" + USE,
    ),
    row("a class that no caller lets a function define", ADDED.format(test="more")),
    row(
        "a class that one caller lets a function define",
        ADDED.format(test="less"),
        "self.transform lambda",
    ),
    row("a dataset of scripts beside a package", FOUND_PACKAGES),
    row(
        "a dataset of a package that is found",
        FOUND_PACKAGES + "# file: runs/__init__.py\n",
        "self.transform lambda",
    ),
    row(
        "a dataset of a program whose loaders have no workers",
        DATA + "# file: fitting.py" + ELSEWHERE + "for batch in DataLoader([1]): pass\n",
    ),
    row(
        "a dataset of a program, one of whose loaders has workers",
        DATA
        + "# file: fitting.py"
        + ELSEWHERE
        + "for batch in DataLoader([1]): pass\nfor batch in DataLoader([2], num_workers=2): pass\n",
        "self.transform lambda",
    ),
    row(
        "a dataset of a program without loaders",
        DATA + "# file: fitting.py" + ELSEWHERE,
        "self.transform lambda",
    ),
    row(
        "a dataset of a library whose own loader has no workers",
        PACKAGED + DATA + "# file: lib/fitting.py" + ELSEWHERE + "DataLoader([1])\n",
        "self.transform lambda",
    ),
    row(
        "a dataset of a library that returns a loader without workers itself",
        PACKAGED + DATA + "    def loader(self): return DataLoader(self, num_workers=0)\n",
    ),
    row(
        "a dataset of a library that goes through itself without workers",
        PACKAGED + DATA + "    def show(self): print(list(DataLoader(self, num_workers=0)))\n",
        "self.transform lambda",
    ),
    row(
        "a function that a test gives to what a library makes of its dataset",
        PACKAGED
        + """# file: lib/data.py
from torch.utils.data import Dataset
class Data(Dataset):
    def __init__(self, options): self.options = options
def make(options): return Data(options)
# file: tests/test_data.py
from lib.data import make
class Options:
    def __init__(self, handler): self.handler = handler
def test_handler():
    def handler(error): raise error
    assert next(iter(make(Options(handler))))
""",
    ),
    row(
        "a loader subclass of a loader subclass that passes its own function",
        PACKAGED
        + LOADER
        + """
class Special(Loader):
    def __init__(self, dataset, fields, num_workers=0):
        def collate(batch): return [batch[f] for f in fields]
        super().__init__(dataset, num_workers=num_workers, collate_fn=collate)
""",
        "collate_fn lambda",
        "collate_fn def collate",
    ),
    row(
        "an argument that a subclass passes to its base's constructor",
        """
        class Base(Dataset):
            def __init__(self, transform): self.transform = transform
        class Data(Base):
            def __init__(self):
                super().__init__(lambda x: x)
        """,
        "self.transform lambda",
    ),
    row(
        "what a property's setter stores in place of nothing",
        """
        class Data(Dataset):
            def __init__(self, f=None):
                self._f = f
            @property
            def f(self): return self._f
            @f.setter
            def f(self, value): self._f = value if value else lambda x: x
        """,
        "self._f lambda",
    ),
    row(
        "a dataset where torch may be missing: a class stands in",
        """# file: main.py
try:
    import torch
    from torch.utils.data import Dataset
except ImportError:
    class Dataset:
        pass
class Data(Dataset):
    def __init__(self): self.f = lambda x: x
""",
        "self.f lambda",
    ),
    row(
        "a dataset where torch may be missing: object stands in, first",
        """# file: main.py
Dataset = object
try:
    import torch.utils.data
    Dataset = torch.utils.data.Dataset
except ImportError:
    pass
class Data(Dataset):
    def __init__(self): self.f = lambda x: x
""",
        "self.f lambda",
    ),
    row(
        "a dataset where torch may be missing: a name is set before",
        """# file: main.py
try:
    from torch.utils.data import Dataset as Base
    have_torch = True
except ImportError:
    Base, have_torch = object, False
class Data(Base):
    def __init__(self): self.f = lambda x: x
""",
        "self.f lambda",
    ),
    row(
        "a dataset where torch may be missing: chosen by a test",
        """# file: main.py
try:
    import torch.utils.data as data
except ImportError:
    data = None
Base = data.Dataset if data is not None else object
class Data(Base):
    def __init__(self): self.f = lambda x: x
""",
        "self.f lambda",
    ),
    # silent
    row(
        "what a loader subclass is given where it has no workers",
        """
        class Loader(DataLoader):
            def __init__(self, dataset, num_workers=0, collate_fn=None):
                super().__init__(dataset, num_workers=num_workers, collate_fn=collate_fn)
        def good(b): return b
        Loader([], 2, good)
        Loader([], 0, lambda b: b)
        """,
        "collate_fn def good",
    ),
    row(
        "what a function is given for a loader that has no workers then",
        """
        def make(dataset, **kw):
            return wrap(dataset, **kw)
        def wrap(dataset, num_workers=0, collate_fn=None):
            return DataLoader(dataset, num_workers=num_workers, collate_fn=collate_fn)
        def good(b): return b
        make([], num_workers=2, collate_fn=good)
        make([], collate_fn=lambda b: b)
        """,
        "collate_fn def good",
    ),
    row(
        "a loader that the program calls without workers",
        PACKAGED + LOADER + "# file: train.py" + CALL,
    ),
    row(
        "a dataset that the program reads without workers",
        PACKAGED + DATA + "# file: train.py" + USE,
    ),
    row(
        "what a test passes to a dataset that it does not load",
        PACKAGED
        + "# file: lib/data.py\nfrom torch.utils.data import Dataset\n"
        + "class Data(Dataset):\n    def __init__(self, f=None): self.f = f\n"
        + "# file: tests/test_data.py\nfrom lib.data import Data\nassert Data(lambda x: x)[0]\n",
    ),
    row(
        "a folder of examples in a project that nothing installs is the program",
        "# file: lib/__init__.py\n" + LOADER + "# file: examples/run.py" + CALL,
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_the_paths_of_what_crosses(case: Case, tmp_path: Path) -> None:
    """Each program ships exactly the culprits of its row."""
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
