"""What the tables say of parameters is what the installed callables say."""

from __future__ import annotations

import importlib
import inspect
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from dlfix.catalog import BoundaryRow, DatasetRow, HolderRow, load


def found(dotted: str) -> Any:
    """Import what a dotted name means, or skip the test."""
    parts = dotted.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        try:
            for part in parts[end:]:
                value = getattr(value, part)
        except AttributeError:
            continue
        return value
    pytest.skip(f"{dotted} is not installed")


def positional(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters that may be passed by position, without `self`."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in kinds and p.name not in ("self", "_self")]


def gathering(function: Callable[..., Any], kind: Any) -> str:
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is kind]
    return names[0] if names else ""


def passes_all_on(function: Callable[..., Any]) -> bool:
    """Return whether a function takes what comes, by place and by name."""
    var = inspect.Parameter.VAR_POSITIONAL
    return not positional(function) and gathering(function, var) == "args"


CHECKED = ("multiprocessing.", "concurrent.", "torch.")
BOUNDARIES = [r for r in load().rows("boundary") if r.name.startswith(CHECKED)]


@pytest.mark.parametrize("row", BOUNDARIES, ids=lambda row: row.name)
def test_a_boundary_has_the_parameters_of_its_row(row: BoundaryRow) -> None:
    function = found(row.name)
    if row.name.startswith("multiprocessing.managers.") and passes_all_on(function):
        assert (
            row.type or row.parameters
        )  # what a manager's object is passed, that of its process gets
        return
    assert positional(function) == list(row.parameters)
    if row.star:
        assert gathering(function, inspect.Parameter.VAR_POSITIONAL) == row.star
    if row.keywords:
        assert gathering(function, inspect.Parameter.VAR_KEYWORD) == row.keywords


@pytest.mark.parametrize("row", list(load().rows("dataset")), ids=lambda row: row.name)
def test_a_dataset_base_has_the_parameters_of_its_row(row: DatasetRow) -> None:
    if not row.parameters:
        pytest.skip("says nothing of parameters")
    assert positional(found(row.name))[: len(row.parameters)] == list(row.parameters)


@pytest.mark.parametrize("row", list(load().rows("boundary")), ids=lambda row: row.name)
def test_an_alias_of_a_boundary_is_the_same_thing(row: BoundaryRow) -> None:
    if row.name.partition(".")[0] not in (*sys.stdlib_module_names, "torch"):
        pytest.skip("not installed")
    assert all(callable(found(alias)) for alias in row.aliases)


class Keep:
    """Cannot be pickled, so that a pickle of what keeps it fails."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        return index

    def __call__(self, *args: object) -> Any:
        return args[0]

    def __reduce__(self) -> Any:
        raise RuntimeError("kept")


KEPT = {
    "torch.utils.data.Subset": lambda make: make(Keep(), [0]),
    "torch.utils.data.random_split": lambda make: make(Keep(), [1, 1]),
    "torch.utils.data.ConcatDataset": lambda make: make([Keep()]),
    "torch.utils.data.StackDataset": lambda make: make(Keep()),
    "torch.utils.data.ChainDataset": lambda make: make([Keep()]),
    "collections.defaultdict": lambda make: make(Keep()),
    "collections.OrderedDict": lambda make: make([(1, Keep())]),
    "collections.deque": lambda make: make([Keep()]),
    "collections.ChainMap": lambda make: make({1: Keep()}),
    "collections.UserDict": lambda make: make({1: Keep()}),
    "collections.UserList": lambda make: make([Keep()]),
    "types.SimpleNamespace": lambda make: make(x=Keep()),
    "argparse.Namespace": lambda make: make(x=Keep()),
    "functools.partialmethod": lambda make: make(Keep()),
    "numpy.vectorize": lambda make: make(Keep()),
    "itertools.chain": lambda make: make([Keep()]),
    "itertools.cycle": lambda make: make([Keep()]),
    "itertools.repeat": lambda make: make(Keep()),
    "operator.methodcaller": lambda make: make("x", Keep()),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_holder_keeps_what_it_is_given(name: str) -> None:
    row = load().holder(name)
    assert isinstance(row, HolderRow)
    made = KEPT[name](found(name))
    with pytest.raises(RuntimeError, match="kept"):
        pickle.dumps(made)
    for attribute in set(row.keeps.values()) - {"[]", ""}:
        for one in made if row.gives == "list" else [made]:
            assert hasattr(one, attribute)


def test_a_module_container_keeps_its_modules() -> None:
    nn = pytest.importorskip("torch.nn")
    module = nn.Module()
    module.kept = Keep()
    for name, made in (
        ("torch.nn.Sequential", nn.Sequential(module)),
        ("torch.nn.ModuleList", nn.ModuleList([module])),
        ("torch.nn.ModuleDict", nn.ModuleDict({"a": module})),
    ):
        assert load().holder(name) is not None
        with pytest.raises(RuntimeError, match="kept"):
            pickle.dumps(made)
