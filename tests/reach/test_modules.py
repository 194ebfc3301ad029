"""Values followed from module to module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

LOADER = "from torch.utils.data import DataLoader"
LOAD = "DataLoader([], collate_fn=f, num_workers=2)"

ROWS = [
    row(
        "what a module is asked for that it has",
        """
# file: tools.py
def f(b): return b
# file: main.py
import tools
from torch.utils.data import DataLoader
DataLoader([], collate_fn=tools.f if hasattr(tools, "f") else lambda b: b, num_workers=2)
        """,
        "collate_fn def f",
    ),
    row(
        "what a module is asked for that it lacks",
        """
# file: tools.py
def f(b): return b
# file: main.py
import tools
from torch.utils.data import DataLoader
DataLoader([], collate_fn=tools.f if hasattr(tools, "g") else lambda b: b, num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "a module imported by a name that is put together",
        """
# file: plugins/alpha.py
make = lambda b: b
def good(b): return b
# file: main.py
import importlib
from torch.utils.data import DataLoader
def load(name): return importlib.import_module("plugins." + name)
kind = "alpha"
DataLoader([], collate_fn=load("alpha").make, num_workers=2)
DataLoader([], collate_fn=importlib.import_module(f"plugins.{kind}").good, num_workers=2)
        """,
        "collate_fn def good",
        "collate_fn lambda",
    ),
    row(
        "what a package looks up by itself",
        """
# file: pkg/__init__.py
import importlib
WHERE = {"make": "pkg.inner"}
def __getattr__(name):
    if name in WHERE:
        return getattr(importlib.import_module(WHERE[name]), name)
    raise AttributeError(name)
# file: pkg/inner.py
def make():
    return lambda b: b
# file: main.py
import pkg
from torch.utils.data import DataLoader
DataLoader([], collate_fn=pkg.make(), num_workers=2)
        """,
        "collate_fn lambda",
    ),
    row(
        "what a package does not look up",
        """
# file: pkg/__init__.py
def __getattr__(name):
    raise AttributeError(name)
# file: main.py
import pkg
from torch.utils.data import DataLoader
DataLoader([], collate_fn=pkg.make, num_workers=2)
        """,
    ),
    row(
        "what stands in for a library that is missing",
        """
        import importlib
        def optional_import(name):
            try:
                return importlib.import_module(name), True
            except ImportError as error:
                class Missing:
                    def __init__(self): self.lock = threading.Lock()
                    def __getattr__(self, name): raise error
                return Missing(), False
        h5py, found = optional_import("h5py")
        DataLoader(Keep(h5py.something), collate_fn=h5py, num_workers=2)
        """,
        "collate_fn module h5py",
    ),
    row(
        "an object that looks up some attributes elsewhere",
        """
        class Proxy:
            def __init__(self): self.lock = threading.Lock()
            def __getattr__(self, name):
                if name == "size":
                    return 3
                raise AttributeError(name)
        DataLoader(Proxy(), num_workers=2)
        """,
        "dataset.lock threading.Lock()",
    ),
    row(
        "a sibling module of a script",
        f"""
# file: main.py
{LOADER}
from tools import f
{LOAD}
# file: tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a name of a sibling that another name is like",
        f"""
# file: main.py
{LOADER}
from tools import g as f
{LOAD}
# file: tools.py
f = lambda b: b
g = len
""",
    ),
    row(
        "an absolute import in a package",
        f"""
# file: pkg/__init__.py
# file: pkg/train.py
{LOADER}
from pkg.tools import f
{LOAD}
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a relative import",
        f"""
# file: pkg/__init__.py
# file: pkg/sub/__init__.py
# file: pkg/sub/train.py
{LOADER}
from ..tools import f
{LOAD}
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a relative import of a module",
        f"""
# file: pkg/__init__.py
# file: pkg/train.py
{LOADER}
from . import tools
DataLoader([], collate_fn=tools.f, num_workers=2)
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a star import",
        f"""
# file: main.py
from torch.utils.data import *
from tools import *
{LOAD}
# file: tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a star import that leaves a name out",
        f"""
# file: main.py
{LOADER}
from tools import *
DataLoader([], collate_fn=_f, num_workers=2)
# file: tools.py
__all__ = ["g"]
f = _f = lambda b: b
""",
    ),
    row(
        "an aliased module",
        """
# file: main.py
import torch.utils.data as td
import pkg.tools as t
td.DataLoader([], collate_fn=t.f, num_workers=2)
# file: pkg/__init__.py
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a dotted import",
        """
# file: main.py
import torch.utils.data
import pkg.tools
torch.utils.data.DataLoader([], collate_fn=pkg.tools.f, num_workers=2)
# file: pkg/__init__.py
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a conditional import",
        f"""
# file: main.py
import sys
{LOADER}
if sys.platform == "linux":
    from fast import f
else:
    from slow import f
{LOAD}
# file: fast.py
def f(b): return b
# file: slow.py
f = lambda b: b
""",
        "collate_fn def f",
        "collate_fn lambda",
    ),
    row(
        "an import in a function",
        f"""
# file: main.py
{LOADER}
def make():
    from tools import f
    {LOAD}
# file: tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "an import in another function",
        f"""
# file: main.py
{LOADER}
def other():
    from tools import f
def make(f):
    {LOAD}
# file: tools.py
f = lambda b: b
""",
    ),
    row(
        "a re-export",
        f"""
# file: main.py
{LOADER}
from pkg import f
{LOAD}
# file: pkg/__init__.py
from .tools import f
# file: pkg/tools.py
from .deep import g as f
# file: pkg/deep.py
g = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a star re-export",
        f"""
# file: main.py
{LOADER}
import pkg
DataLoader([], collate_fn=pkg.f, num_workers=2)
# file: pkg/__init__.py
from .tools import *
# file: pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a src layout",
        f"""
# file: pyproject.toml
# file: scripts/train.py
{LOADER}
from pkg.tools import f
{LOAD}
# file: src/pkg/__init__.py
# file: src/pkg/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a namespace package",
        f"""
# file: main.py
{LOADER}
from space.inner.tools import f
import space.inner.tools
{LOAD}
# file: space/inner/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a namespace package's module as a name",
        f"""
# file: main.py
{LOADER}
from space.inner import tools
DataLoader([], collate_fn=tools.f, num_workers=2)
# file: space/inner/tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "modules that import each other",
        f"""
# file: main.py
{LOADER}
import tools
f = tools.make()
{LOAD}
def key(x): return x
# file: tools.py
import main
def make(): return lambda b: main.key(b)
""",
        "collate_fn lambda",
    ),
    row(
        "names that import each other end",
        f"""
# file: main.py
{LOADER}
from tools import f
{LOAD}
# file: tools.py
from main import f
""",
    ),
    row(
        "a caller in another module",
        f"""
# file: pkg/__init__.py
# file: pkg/load.py
{LOADER}
def make(f): return {LOAD}
# file: main.py
from pkg.load import make
make(lambda b: b)
""",
        "collate_fn lambda",
    ),
    row(
        "a caller of something of the same name",
        f"""
# file: pkg/__init__.py
# file: pkg/load.py
{LOADER}
def make(f): return {LOAD}
# file: main.py
def make(f): return f
make(lambda b: b)
""",
    ),
    row(
        "a caller through an aliased import",
        f"""
# file: load.py
{LOADER}
def make(f): return {LOAD}
# file: main.py
from load import make as build
build(lambda b: b)
""",
        "collate_fn lambda",
    ),
    row(
        "a base class of another module",
        f"""
# file: main.py
{LOADER}
from base import Base
class Data(Base):
    def __init__(self): super().__init__(lambda x: x)
DataLoader(Data(), num_workers=2)
# file: base.py
class Base:
    def __init__(self, f): self.f = f
""",
        "dataset.f lambda",
    ),
    row(
        "bases over several modules and a mixin",
        f"""
# file: main.py
{LOADER}
from top import Top
from mixin import Locking
class Data(Locking, Top): pass
DataLoader(Data(), num_workers=2)
# file: top.py
class Top:
    def __init__(self): self.f = self.make()
    def make(self): return None
# file: mixin.py
class Locking:
    def make(self): return lambda x: x
""",
        "dataset.f lambda",
    ),
    row(
        "a store from another module",
        f"""
# file: main.py
{LOADER}
from data import Data
ds = Data()
ds.transform = lambda x: x
DataLoader(ds, num_workers=2)
# file: data.py
class Data: pass
""",
        "dataset.transform lambda",
    ),
    row(
        "a module named like a library's part",
        f"""
# file: main.py
{LOADER}
from torch.tools import f
{LOAD}
# file: tools.py
f = lambda b: b
""",
    ),
    row(
        "importlib with a literal",
        f"""
# file: main.py
import importlib
{LOADER}
f = importlib.import_module("tools").f
{LOAD}
# file: tools.py
f = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "a global of another module of that name",
        f"""
# file: main.py
{LOADER}
import config
import other
other.f = lambda b: b
DataLoader([], collate_fn=config.f, num_workers=2)
# file: config.py
f = None
# file: other.py
f = None
""",
    ),
    row(
        "a global set from another module",
        f"""
# file: main.py
{LOADER}
import config
config.f = lambda b: b
DataLoader([], collate_fn=config.f, num_workers=2)
# file: config.py
f = None
""",
        "collate_fn lambda",
    ),
    row(
        "an attribute that a third module sets on an object of another",
        f"""
# file: main.py
{LOADER}
import shared
DataLoader([], collate_fn=shared.options.collate, num_workers=2)
# file: shared.py
from options import Options
options = Options()
# file: options.py
class Options:
    collate = None
# file: setup.py
import shared
def start(task):
    task.collate = shared.options.collate = lambda b: b
""",
        "collate_fn lambda",
    ),
    row(
        "an attribute that a third module sets on an object of its own",
        f"""
# file: main.py
{LOADER}
import shared
DataLoader([], collate_fn=shared.options.collate, num_workers=2)
# file: shared.py
from options import Options
options = Options()
# file: options.py
class Options:
    collate = None
# file: setup.py
from options import Options
options = Options()
options.collate = lambda b: b
""",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_crosses_between_modules(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
