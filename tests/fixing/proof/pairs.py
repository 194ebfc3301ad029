"""Programs before and after a fix, by hand, and what the proof says to them."""

from __future__ import annotations

import textwrap
from pathlib import Path

from dlfix.fixing.proof import regressions
from dlfix.project.project import Project

ROOT = Path("/program")

LAZY = """
    @functools.cached_property
    def file(self):
        {opener}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)
        return state
"""
HEAD = """
import contextlib
import functools
import os
import random
import sqlite3
import tempfile
import threading
import time
import zipfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset, IterableDataset

"""


def worse(before, after, **others):
    """Return the reasons against a rewrite of `main.py`; the other files stay as they are."""
    files = {ROOT / f"{name}.py": textwrap.dedent(text) for name, text in others.items()}
    main = ROOT / "main.py"
    old = Project([main, *files], {main: HEAD + textwrap.dedent(before), **files})
    new = old.with_texts({main: HEAD + textwrap.dedent(after)})
    assert old.get(main) is not None
    assert new.get(main) is not None
    return [regression.reason for regression in regressions(old, new, [main])]


def opened(
    *,
    init="self.path = path\nself.file = h5py.File(path, 'r')",
    later="self.path = path",
    opener="return h5py.File(self.path, 'r')",
    parameters="path",
    body="",
    bases="Dataset",
    program="",
    getter=LAZY,
    decorator="",
    **others,
):
    """Compare a class that opens in its constructor with one that opens when it is first used."""
    before = _class(decorator, bases, parameters, init, "", body, program)
    after = _class(
        decorator, bases, parameters, later, getter.format(opener=_in(opener, 8)), body, program
    )
    return worse(before, after, **others)


def _class(decorator, bases, parameters, init, members, body, program):
    read = "    def __getitem__(self, index):\n        return self.file['x'][index]\n"
    if "__getitem__" in body or "__iter__" in body:
        read = ""
    return (
        f"{decorator}\nclass Rows({bases}):\n    def __init__(self, {parameters}):\n        "
        + _in(init or "pass", 8)
        + "\n"
        + members
        + "\n"
        + read
        + textwrap.indent(textwrap.dedent(body), "    ")
        + "\n"
        + textwrap.dedent(program)
    )


def _in(text, width):
    return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * width).strip()
