"""A file of another format than what an object opens counts as its file only under the same name."""

import textwrap

import pytest

from tests.fixing.proof.pairs import opened

SHAPE = """
import json
import torch
import numpy as np
import matplotlib.pyplot as plt

def save_text(data, filename):
    with open(filename, "w") as out:
        json.dump(data, out)

def save_weights(data, filename):
    torch.save(data, filename)

def save_arrays(data, filename):
    np.savez(filename, data)

def save_rows(data, filename):
    with h5py.File(filename, "w") as out:
        out["x"] = data

def save_bytes(data, filename):
    with open(filename, "wb") as out:
        out.write(data)

def evaluate(rows, options, filename):
    result = os.path.join(options.results, filename)
    {save}([len(rows)], result)
    return [result]

def main(options):
    rows = Rows(options.path)
    for epoch in range(2):
        written = evaluate(rows, options, {name})
        {after}
    return DataLoader(rows, num_workers=2)
"""
MADE_OF = "make(rows, options)"  # a name of which nothing is known, made of the object too
CASES = {
    "text": ("save_text", MADE_OF, "pass", False),
    "weights": ("save_weights", MADE_OF, "pass", False),
    "arrays": ("save_arrays", MADE_OF, "pass", False),
    "the same format": ("save_rows", MADE_OF, "pass", True),
    "bytes": ("save_bytes", MADE_OF, "pass", True),
    "text under its name": ("save_text", MADE_OF, "save_text([], options.path)", True),
    "weights under its name": ("save_weights", MADE_OF, "save_weights([], options.path)", True),
    "text by its attribute": ("save_text", MADE_OF, "save_text([], rows.path)", True),
    "an image under its name": ("save_text", MADE_OF, "plt.savefig(options.path)", True),
}


@pytest.mark.parametrize(("save", "name", "after", "counts"), CASES.values(), ids=CASES)
def test_what_writes_another_format(save, name, after, counts):
    program = textwrap.dedent(SHAPE.format(save=save, name=name, after=after))
    found = [each for each in opened(program=program) if "removed, renamed or modified" in each]
    assert bool(found) is counts
