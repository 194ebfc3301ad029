"""Which code starts the workers of a loader: what takes an iterator of it, or of what goes through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dlfix.catalog import BoundaryRow, load
from dlfix.fixing.engine import inspect
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

HEAD = """
import collections
import functools
import itertools
import tqdm as bars
import webdataset as wds
from itertools import chain, cycle, islice
from torch.utils.data import DataLoader
from tqdm import tqdm
from library import train

loader = DataLoader([1], num_workers=2)
web = wds.WebLoader([1], num_workers=2)
"""
LIBRARY = "def train(batches):\n    for batch in batches:\n        print(batch)\n"


@pytest.mark.parametrize(
    "code",
    [
        "g = enumerate(loader)",
        "g = zip(loader, range(3))",
        "g = map(print, loader)",
        "g = filter(None, loader)",
        "g = cycle(loader)",
        "g = islice(loader, 3)",
        "g = itertools.islice(loader, 3)",
        "g = chain.from_iterable(loader)",
        "g = collections.deque(loader)",
        "g = (batch for batch in loader)",
        "g = itertools.chain(loader, [1])\nfor batch in g: print(batch)",
        "bar = tqdm(loader)\nfor batch in bar: print(batch)",
        "bar = bars.tqdm(loader)\nfor i, batch in enumerate(bar): print(batch)",
        "shown = functools.partial(tqdm, leave=False)\nfor batch in shown(loader): print(batch)",
        "held = []\nfor _ in range(2):\n    held.append(enumerate(DataLoader([1], num_workers=2)))",
        "loaders = [DataLoader([1], num_workers=n) for n in (1, 2)]\nfor both in zip(*loaders): print(both)",
        "for batch in web.slice(3): print(batch)",
        "web = web.unbatched().shuffle(9).batched(4)\nfor i, batch in enumerate(web): print(batch)",
        "g = iter(web.with_epoch(3))",
        "def made():\n    return wds.WebLoader([1], num_workers=2).slice(3)\nfor batch in made(): print(batch)",
        "train(tqdm(loader))",
        "train(batches=web.slice(3))",
    ],
)
def test_workers_are_started(tmp_path: Path, code: str) -> None:
    assert _codes(tmp_path, HEAD + code) == ["DLF301"]


@pytest.mark.parametrize(
    "code",
    [
        "g = enumerate([loader])\nfor i, each in g: print(each)",
        "g = enumerate(loader.dataset)\nfor row in g: print(row)",
        "g = map(len, [loader])",
        "g = chain(loader, [1])",
        "g = itertools.repeat(loader, 3)",
        "most = max(3, len(loader))",
        "bar = tqdm(loader)",
        "bar = tqdm(loader)\nif __name__ == '__main__':\n    for batch in bar: print(batch)",
        "def run():\n    g = enumerate(loader)",
        "web = web.slice(3)\nprint(len(web))",
        "for part in web.pipeline: print(part)",
        "frame = held.map(loader)",
        "if __name__ == '__main__':\n    for batch in web.slice(3): print(batch)",
    ],
)
def test_no_workers_are_started(tmp_path: Path, code: str) -> None:
    assert _codes(tmp_path, HEAD + code) == []


def _loaders() -> Iterator[tuple[str, str]]:
    """Yield the loaders of the catalogue, each with how one goes through what it gives."""
    for row in load().rows("boundary"):
        if isinstance(row, BoundaryRow) and row.kind == "DataLoader" and row.starts:
            for name in (row.name, *row.aliases):
                yield from ((name, how) for how in map(_written, row.loaders or ("*",)))


def _written(loader: str) -> str:
    if loader in ("*", "__getitem__"):
        return "" if loader == "*" else "[0]"
    return f".{loader}()" if loader.endswith("dataloader") else f".{loader}"


@pytest.mark.parametrize(("name", "how"), list(_loaders()))
def test_going_through_any_loader_of_the_catalogue_starts_its_workers(
    tmp_path: Path, name: str, how: str
) -> None:
    home, _, last = name.rpartition(".")
    package, _, owner = home.rpartition(".")
    of_class = owner[:1].isupper()
    head = f"from {package} import {owner}" if of_class else f"from {home} import {last}"
    maker = f"{owner}{'()' if last == 'dataloaders' else ''}.{last}" if of_class else last
    loader = f"{maker}([1], num_workers=2)"
    assert "DLF301" in _codes(tmp_path, f"{head}\nfor batch in {loader}{how}: print(batch)\n")


def _codes(folder: Path, main: str) -> list[str]:
    files = {"main": main, "library": LIBRARY}
    paths = [folder / f"{name}.py" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    findings = inspect(analyze(Project(paths), load()), all_rules())
    return [each.finding.code for each in findings]
