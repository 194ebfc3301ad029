"""The table of loader checks against the torch that is installed."""

from __future__ import annotations

import ast
import multiprocessing
import re
from pathlib import Path

import pytest

from dlfix.rules.loader_checks import CHECKS, DEFAULTS, FIXED, FURTHER, Thing

torch_data = pytest.importorskip("torch.utils.data")


class Stream(torch_data.IterableDataset):
    def __iter__(self):
        return iter(range(4))


FIXED_SAMPLER = [0, 1]
NO_INTEGER = "'float' object cannot be interpreted as an integer"
EXAMPLES = [
    {"num_workers": -1},
    {"timeout": -1},
    {"prefetch_factor": 2},
    {"prefetch_factor": -1, "num_workers": 1},
    {"persistent_workers": True},
    {"shuffle": True, "dataset": Stream()},
    {"sampler": FIXED_SAMPLER, "dataset": Stream()},
    {"batch_sampler": FIXED_SAMPLER, "dataset": Stream()},
    {"sampler": FIXED_SAMPLER, "shuffle": True},
    {"batch_sampler": FIXED_SAMPLER, "batch_size": 2},
    {"batch_sampler": FIXED_SAMPLER, "drop_last": True},
    {"batch_sampler": FIXED_SAMPLER, "shuffle": True},
    {"batch_sampler": FIXED_SAMPLER, "sampler": FIXED_SAMPLER},
    {"batch_size": None, "drop_last": True},
    {"multiprocessing_context": "thread", "num_workers": 1},
    {"multiprocessing_context": 1, "num_workers": 1},
    {"multiprocessing_context": "spawn"},
    {"batch_size": 0},
    {"batch_size": 1.5},
    {"drop_last": 1},
    {"drop_last": "yes"},
    {"drop_last": None, "batch_size": 2},
    {"num_workers": "2"},
    {"num_workers": None},
    {"timeout": "1"},
    {"timeout": None},
    {"prefetch_factor": "2", "num_workers": 1},
]
FINE = [
    {},
    {"num_workers": 1, "prefetch_factor": 4, "persistent_workers": True},
    {"num_workers": 1, "multiprocessing_context": "spawn"},
    {"num_workers": 1, "multiprocessing_context": multiprocessing.get_context("spawn")},
    {"shuffle": False, "dataset": Stream()},
    {"shuffle": False, "sampler": FIXED_SAMPLER},
    {"batch_sampler": FIXED_SAMPLER},
    {"batch_size": None},
    {"batch_sampler": FIXED_SAMPLER, "drop_last": 0},
    {"persistent_workers": False},
    {"num_workers": True},
    {"num_workers": 0.0},
    {"num_workers": 1, "timeout": 1.5},
]


def dataloader_class() -> ast.ClassDef:
    source = Path(torch_data.dataloader.__file__).read_text(encoding="utf-8")
    classes = [n for n in ast.parse(source).body if isinstance(n, ast.ClassDef)]
    return next(c for c in classes if c.name == "DataLoader")


def spelled(node: ast.expr) -> str:
    """The text of a message, each value that it prints as a hole."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(spelled(part) for part in node.values)
    return "{}"


def batch_sampler_class() -> ast.ClassDef:
    source = Path(torch_data.sampler.__file__).read_text(encoding="utf-8")
    classes = [n for n in ast.parse(source).body if isinstance(n, ast.ClassDef)]
    return next(c for c in classes if c.name == "BatchSampler")


def branches(cls: ast.ClassDef) -> list[str]:
    found = []
    for node in ast.walk(cls):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            assert isinstance(node.exc.func, ast.Name)
            if node.exc.func.id in ("ValueError", "TypeError"):
                found.append(spelled(node.exc.args[0]))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn":
            found.append("This DataLoader will create {} worker processes in total.")
    return found


def holes(sentence: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", sentence)


def test_every_branch_of_the_constructor_and_its_setters_has_one_row() -> None:
    rows = [holes(check.sentence).replace("after DataLoader is", "after {} is") for check in CHECKS]
    assert sorted(rows) == sorted(branches(dataloader_class()))


def test_every_branch_of_the_batches_that_the_constructor_makes_has_one_row() -> None:
    rows = {holes(check.sentence) for check in FURTHER}
    said_there = branches(batch_sampler_class())
    assert said_there
    assert set(said_there) <= rows


def test_a_row_that_cannot_be_read_off_a_program_says_why() -> None:
    assert all(bool(check.rule) != bool(check.why) for check in (*CHECKS, *FURTHER))


def options_of(given: dict[str, object]) -> dict[str, object]:
    dataset = given.get("dataset")
    kind = "iterable" if isinstance(dataset, Stream) else ""
    context = given.get("multiprocessing_context")
    options = {**DEFAULTS, **given, "dataset": Thing("dataset", kind), "attribute": None}
    options["valid_start_methods"] = multiprocessing.get_all_start_methods()
    if context is not None and not isinstance(context, (str, int)):
        options["multiprocessing_context"] = Thing("context", "context")
    return options


def said(given: dict[str, object]) -> list[str]:
    options = options_of(given)
    failing = [c for c in (*CHECKS, *FURTHER) if c.fails(*(options[name] for name in c.reads))]
    return [check.error(options) for check in failing]


def written(given: dict[str, object]) -> str:
    """Name a case the same in each process, as tests that run side by side need it."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(given))


@pytest.mark.parametrize("given", EXAMPLES, ids=written)
def test_says_what_torch_says(given: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        torch_data.DataLoader(**{"dataset": [1, 2], **given})
    assert said(given)[0] == f"{caught.type.__name__}: {caught.value}"


@pytest.mark.parametrize("given", FINE, ids=written)
def test_says_nothing_of_what_torch_takes(given: dict[str, object]) -> None:
    torch_data.DataLoader(**{"dataset": [1, 2], **given})
    assert said(given) == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"timeout": 5}, "AssertionError: _SingleProcessDataLoaderIter requires timeout == 0"),
        (
            {"prefetch_factor": 0, "num_workers": 1},
            "AssertionError: prefetch_factor must be greater than 0 for"
            " MultiProcessingDataLoaderIter",
        ),
        ({"num_workers": 2.0}, f"TypeError: {NO_INTEGER}"),
        ({"prefetch_factor": 1.5, "num_workers": 1}, f"TypeError: {NO_INTEGER}"),
    ],
)
def test_says_what_the_first_iteration_says(given: dict[str, object], error: str) -> None:
    loader = torch_data.DataLoader([1, 2], **given)
    with pytest.raises((AssertionError, TypeError)) as caught:
        iter(loader)
    assert said(given) == [error] == [f"{caught.type.__name__}: {caught.value}"]


def test_every_row_that_raises_has_an_example() -> None:
    shown = {sentence for given in EXAMPLES for sentence in said(given)[:1]}
    rows = [c for c in CHECKS if c.rule and c.reads != ("attribute",)]
    patterns = [re.escape(f"{c.kind}: {holes(c.sentence)}").replace(r"\{\}", ".*") for c in rows]
    assert all(any(re.fullmatch(p, s) for s in shown) for p in patterns)


@pytest.mark.parametrize("attribute", FIXED)
def test_torch_forbids_to_set_a_fixed_attribute_later(attribute: str) -> None:
    check = next(c for c in CHECKS if c.reads == ("attribute",))
    loader = torch_data.DataLoader([1, 2])
    with pytest.raises(ValueError, match="should not be set") as caught:
        setattr(loader, attribute, None)
    assert check.error({"attribute": attribute}) == f"ValueError: {caught.value}"
