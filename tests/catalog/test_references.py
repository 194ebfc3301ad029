"""The callables that the installed torch cannot pickle by name are those of the table."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dlfix.catalog import CallableRow, load

MODULES = ["torch", "torch.nn.functional", "torch.nn.init", "operator", "math", "random"]

# In a process of its own: plugins of pytest put functions of theirs in the place of torch's.
FAILING = """
import importlib, io, json, sys, warnings
from multiprocessing.reduction import ForkingPickler

def fails(value):
    try:
        ForkingPickler(io.BytesIO()).dump(value)
    except Exception:
        return True

warnings.simplefilter("ignore")
found = {}
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    public = [n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))]
    found[name] = sorted(n for n in public if fails(getattr(module, n)))
print(json.dumps(found))
"""


def test_what_cannot_be_pickled_by_name_is_in_the_table() -> None:
    pytest.importorskip("torch")
    run = subprocess.run(
        [sys.executable, "-c", FAILING, *MODULES], capture_output=True, text=True, check=True
    )
    for module, names in json.loads(run.stdout).items():
        assert in_table(module, "reference") == {f"{module}.{name}" for name in names}


def in_table(module: str, problem: str) -> set[str]:
    rows = [row for row in load().rows("callable") if isinstance(row, CallableRow)]
    names = {row.name for row in rows if row.problem == problem}
    return {name for name in names if name.rpartition(".")[0] == module}


@pytest.mark.parametrize("module", ["random", "numpy.random"])
def test_functions_of_a_hidden_generator_are_in_the_table(module: str) -> None:
    found = pytest.importorskip(module)
    bound = {
        f"{module}.{name}"
        for name in dir(found)
        if not name.startswith("_") and is_bound(getattr(found, name))
    }
    named = in_table(module, "hidden-random")
    assert bound == {name for name in named if hasattr(found, name.rpartition(".")[2])}


def is_bound(value: object) -> bool:
    """Say whether a callable is a method of an object, not of a module or class."""
    owner = getattr(value, "__self__", None)
    return callable(value) and type(owner).__name__ in ("Random", "RandomState")
