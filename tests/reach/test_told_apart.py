"""What an object keeps, and what a registry looks up, is told apart by who calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

LOADERS = """
LOADERS = {{}}
def register(kind):
    def decorate(build):
        LOADERS[kind] = build
        return build
    return decorate
@register("fast")
def fast(rows, config, workers):
    return DataLoader(rows, num_workers=workers)
@register("slow")
def slow(rows, config, workers):
    return DataLoader(rows, num_workers=0)
CONFIG = {{"train": {{"kind": "fast"}}, "test": {{"kind": "slow"}}}}
def build(rows, config, workers):
    return LOADERS[config["kind"]](rows, config, workers)
build(Keep(1), CONFIG["train"], 2)
build(Keep(lambda x: x), CONFIG[{}], 2)
"""
TRAINER = """
import multiprocessing
class Trainer:
    def __init__(self, job, mapping):
        self.job = job
        self.mapping = mapping
    def attach(self, log):
        self.job.log = log
        return self
    def run(self):
        return list(self.mapping(self.job, [1]))
class Job:
    def __init__(self):
        self.log = None
    def __call__(self, x):
        return x
pool = multiprocessing.Pool(2)
trainer = Trainer(Job(), {}).attach(Keep(lambda x: x))
trainer.run()
"""


@pytest.mark.parametrize(
    "case",
    [
        row("a registry finds the loader without workers", LOADERS.format('"test"')),
        row(
            "a registry finds the loader with workers",
            LOADERS.format('"train"'),
            "dataset.kept lambda",
        ),
        row("a registry finds one of both", LOADERS.format("input()"), "dataset.kept lambda"),
        row(
            "the method of a pool that an object keeps",
            TRAINER.format("pool.map"),
            "func.log.kept lambda",
        ),
        row(
            "the method of a pool, or another function",
            TRAINER.format("pool.map if pool else map"),
            "func.log.kept lambda",
        ),
        row("another function that an object keeps", TRAINER.format("map")),
    ],
)
def test_what_crosses_for_one_caller(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
