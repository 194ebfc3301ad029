"""Settings of libraries that only the parent makes, and that code in workers depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_PROGRAM = """
        import functools
        import json
        import os
        import numpy as np
        import torch
        from absl import app, flags
        from PIL import Image, ImageFile
        from torch.utils.data import DataLoader, Dataset
        FLAGS = flags.FLAGS
        {above}
        class Photos(Dataset):
            def __getitem__(self, i):
                return {read}
        def main(args=None):
            {sets}
            for batch in DataLoader(Photos(), num_workers=2{options}):
                print(batch)
        if __name__ == "__main__":
            {start}
"""
_TRUNCATED = "ImageFile.LOAD_TRUNCATED_IMAGES = True"
_OPEN = "Image.open(self.paths[i]).size"


def _photos(what, *, above="kind = 1", read=_OPEN, sets="pass", options="", start="main()"):
    text = _PROGRAM.format(above=above, read=read, sets=sets, options=options, start=start)
    return program(what, text)


FOUND = [
    _photos("an attribute that other code of the library reads", sets=f"{_TRUNCATED}  # !DLF303"),
    _photos("in a function", above=f"def setup(): {_TRUNCATED}  # !DLF303", sets="setup()"),
    _photos(
        "a call",
        read="torch.zeros(3)",
        sets="torch.set_default_dtype(torch.float64)  # !DLF303",
    ),
    _photos("flags are parsed", read="FLAGS.size", start="app.run(main)  # !DLF303"),
    _photos(
        "a function of a library gets another in its place",
        read="np.load(self.paths[i])",
        sets="np.load = functools.partial(np.load, allow_pickle=True)  # !DLF303",
    ),
]
_DOUBLE = "torch.set_default_dtype(torch.float64)"
_SAFE = "torch.serialization.add_safe_globals([set])"
FOUND += [
    _photos("a tensor of floats", read="torch.tensor([i, 0.5])", sets=f"{_DOUBLE}  # !DLF303"),
    _photos(
        "of what is made a float",
        read="torch.tensor([float(x) for x in self.rows[i]])",
        sets=f"{_DOUBLE}  # !DLF303",
    ),
    _photos(
        "of data of a file that must be floats",
        read="torch.tensor(json.loads(self.lines[i])['x']).mean()",
        sets=f"{_DOUBLE}  # !DLF303",
    ),
    _photos(
        "of two types that the user may choose",
        read="torch.zeros(3)",
        above="TYPES = {1: torch.float32, 2: torch.float64}",
        sets="torch.set_default_dtype(TYPES[args])  # !DLF303",
    ),
    _photos(
        "a keyword that asks for what it needs",
        read="torch.load(self.paths[i], weights_only=True)",
        sets=f"{_SAFE}  # !DLF303",
    ),
]
SILENT = [
    _photos("tensors of whole numbers", read="torch.tensor(i)", sets=_DOUBLE),
    _photos("tensors of arrays, that have a type", read="torch.tensor(np.array([0.5]) * 2.0)", sets=_DOUBLE),
    _photos("tensors of what is not known", read="torch.tensor(self.rows[i]).mean()", sets=_DOUBLE),
    _photos("tensors that are cast", read="torch.tensor([0.5]).float()", sets=_DOUBLE),
    _photos("tensors of data that are cast before", read="torch.tensor(json.loads(self.lines[i])).float().mean()",
            sets=_DOUBLE),
    _photos("the type that is there", read="torch.zeros(3)", sets="torch.set_default_dtype(torch.float32)"),
    _photos("the type that was there", read="torch.zeros(3)",
            sets=f"old = torch.get_default_dtype(); {_DOUBLE}; torch.set_default_dtype(old)"),
    _photos("a keyword that does without", read="torch.load(self.paths[i], weights_only=False)", sets=_SAFE),
    _photos("the parent loads something else", read="torch.load(self.paths[i])", sets=f"{_SAFE}; torch.load('model.pt')"),
    _photos("at import", above=_TRUNCATED),
    _photos("in the worker, too", above="def seed(i): " + _TRUNCATED, sets=_TRUNCATED,
            options=", worker_init_fn=seed"),
    _photos("workers do not use it", read="i", sets=_TRUNCATED),
    _photos("an argument takes its place", read="torch.zeros(3, dtype=torch.int64)",
            sets="torch.set_default_dtype(torch.float64)"),
    _photos("a variable of the same name", above="class Own: pass\n        ImageFile = Own()",
            sets=_TRUNCATED),
    _photos("flags are read in the parent", read="i", start="app.run(main)", sets="print(FLAGS.size)"),
    _photos("output", read="print(i, file=sys.stdout)", above="import sys",
            sets="sys.stdout = open(os.devnull)"),
    _photos("workers that are copies", sets=_TRUNCATED,
            options=', multiprocessing_context="fork"'),
]  # fmt: skip


@pytest.mark.parametrize("case", FOUND + SILENT)
def test_settings_of_libraries(tmp_path: Path, case: str) -> None:
    check(tmp_path, case)
