"""What reading a rewritten attribute costs, beside the attribute as it was.

    python benchmarks/attribute_access.py

Compares an attribute set in `__init__` with the forms that `lazy_resources` writes: alone, and
within a whole `__getitem__` that reads 1 kB of an HDF5 file.

From Python 3.11 on, reading an attribute of an object whose `__dict__` nobody asked for yet is
cheaper than any other read. Unpickling asks for it, so that in a spawned worker an eager attribute
and a cached property cost the same; what a forked worker inherits is "as made".
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import timeit
from pathlib import Path

import h5py
import numpy as np


class Eager:
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __getitem__(self, index):
        return self.file["x"][index]


class Cached:
    """The parent never touches it."""

    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __getitem__(self, index):
        return self.file["x"][index]


class ByProcess:
    """The parent touches it."""

    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path, "r")
        return self._file_by_pid[pid]

    def __getitem__(self, index):
        return self.file["x"][index]


def seconds(statement, dataset, number, repeats):
    """Return the best time of one run: what disturbs can only add."""
    runs = timeit.repeat(statement, globals={"dataset": dataset}, number=number, repeat=repeats)
    return min(runs) / number


def measured(datasets, statement, number, rounds=60, repeats=10):
    """Return the best time for each form, taken in turns, so that a busy machine is busy for all."""
    best = dict.fromkeys(datasets, float("inf"))
    for _ in range(rounds):
        for name, dataset in datasets.items():
            best[name] = min(best[name], seconds(statement, dataset, number, repeats))
    return best


def share_handle(datasets):
    """Let all read through one handle: reads through several differ more than what is measured."""
    first, *others = datasets
    for dataset in others:
        dataset.file.close()
        if isinstance(dataset, ByProcess):
            dataset._file_by_pid[os.getpid()] = first.file
        else:
            dataset.file = first.file


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.h5"
        with h5py.File(path, "w") as file:
            file["x"] = np.zeros((256, 256), dtype="float32")  # a row is 1 kB
        datasets = {
            "eager, in a spawned worker": Eager(path),
            "eager, as made": Eager(path),
            "cached property": Cached(path),
            "by process": ByProcess(path),
        }
        vars(datasets["eager, in a spawned worker"])
        share_handle(datasets.values())
        access = measured(datasets, "dataset.file", 2_000)
        reads = measured(datasets, "dataset[7]", 10)
    eager = next(iter(datasets))
    print(f"Python {sys.version.split()[0]}, h5py {h5py.__version__}; best of 600 short runs each")
    print(f"{'form':<28}{'access':>10}{'ratio':>8}{'1 kB read':>12}{'ratio':>8}")
    for name in datasets:
        one, whole = access[name], reads[name]
        print(
            f"{name:<28}{one * 1e9:>8.0f}ns{one / access[eager]:>8.2f}"
            f"{whole * 1e6:>10.1f}us{whole / reads[eager]:>8.2f}"
        )


if __name__ == "__main__":
    main()
