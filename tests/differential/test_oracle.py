"""The oracle can fail: it finds each bug that is planted in what codemods write."""

from __future__ import annotations

import random

import pytest

from tests.differential import grammar
from tests.differential.oracle import Judge
from tests.differential.plants import PLANTS, Plant

for library in ("numpy", "h5py", "lmdb"):
    pytest.importorskip(library)

AT_MOST = 60  # programs drawn for one bug


@pytest.fixture(scope="module")
def judge():
    made = Judge()
    yield made
    made.close()


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_planted_bug_is_found(plant: Plant, judge: Judge) -> None:
    seeds = (plant.shown_by, *range(AT_MOST))
    assert any(is_found(plant, judge, seed) for seed in seeds)


def is_found(plant: Plant, judge: Judge, seed: int) -> bool:
    """Return whether a program is right without the bug, and wrong with it."""
    family = grammar.families()[plant.family]
    files = family.render(family.draw(random.Random(seed), plant.features))
    sound = judge.tool.apply(files, unsafe=False)
    judge.tool.plant = plant.change
    try:
        planted = judge.tool.apply(files, unsafe=False)
        if planted.files == sound.files or not is_wrong(judge, files):
            return False
    finally:
        judge.tool.plant = None
    return judge.judge(files, unsafe=False).safe == "fixed"


def is_wrong(judge: Judge, files) -> bool:
    status = judge.judge(files, unsafe=False).safe
    return status.startswith("WRONG") and status != "WRONG second apply"


def test_torch_itself_gives_the_same_verdicts(judge: Judge) -> None:
    pytest.importorskip("torch")
    with_torch = Judge(torch=True)
    try:
        for family in grammar.families().values():
            for seed in range(2):
                files = family.render(family.draw(random.Random(seed)))
                verdicts = [one.judge(files, unsafe=False) for one in (judge, with_torch)]
                assert verdicts[0].safe == verdicts[1].safe, f"{family.name} {seed}: {verdicts}"
    finally:
        with_torch.close()
