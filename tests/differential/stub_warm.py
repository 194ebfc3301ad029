"""Warm processes for generated programs: those of the goldens, with this folder's guard."""

import guard
import warm

warm.guard_openers = guard.install

for _library in ("zipfile", "tarfile", "gzip", "csv", "shelve", "dbm.dumb", "mmap", "contextlib",
                 "copy", "dataclasses", "inspect", "logging", "queue", "concurrent.futures",
                 "concurrent.futures.thread", "multiprocessing.pool", "concurrent.futures.process",
                 "argparse", "tempfile", "subprocess", "itertools"):  # fmt: skip
    warm.importlib.import_module(_library)
