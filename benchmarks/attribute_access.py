"""What reading a rewritten attribute costs, beside the attribute as it was.

    python benchmarks/attribute_access.py

Compares an attribute set in `__init__` with the forms that `lazy_resources` writes: alone, and
within a whole `__getitem__` that reads 1 kB of an HDF5 file.
"""

from __future__ import annotations

import functools
import os
import statistics
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


def seconds(work, number, repeats=15):
    """Return the best time of one call: what disturbs can only add."""
    return min(timeit.repeat(work, number=number, repeat=repeats)) / number


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.h5"
        with h5py.File(path, "w") as file:
            file["x"] = np.zeros((256, 256), dtype="float32")  # a row is 1 kB
        forms = {cls.__name__: cls(path) for cls in (Eager, Cached, ByProcess)}
        for dataset in forms.values():
            dataset[0]
        rounds = 5
        access = {name: [] for name in forms}
        reads = {name: [] for name in forms}
        for _ in range(rounds):  # interleaved, so that a busy machine is busy for all
            for name, dataset in forms.items():
                access[name].append(seconds(lambda d=dataset: d.file, 20_000))
                reads[name].append(seconds(lambda d=dataset: d[7], 500, 5))
        print(f"{'form':<12}{'access':>10}{'ratio':>8}{'1 kB read':>12}{'ratio':>8}")
        for name in forms:
            one, whole = min(access[name]), min(reads[name])
            base, all_of = min(access["Eager"]), min(reads["Eager"])
            spread = statistics.median(reads[name]) / statistics.median(reads["Eager"])
            print(
                f"{name:<12}{one * 1e9:>8.0f}ns{one / base:>8.2f}{whole * 1e6:>10.1f}us"
                f"{whole / all_of:>8.2f}  (median of rounds {spread:.2f})"
            )


if __name__ == "__main__":
    main()
