"""Names that only the parent sets, by calls that are passed the object, or by another name for it (DLF303)."""

from __future__ import annotations

import pytest

import dlfix

PROGRAM = """import argparse
from torch.utils.data import DataLoader, Dataset

FLAGS = argparse.Namespace()
TABLE = {{}}


class Rows(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return {read}


def change(parser, key):
    {change}


if __name__ == "__main__":
    change(argparse.ArgumentParser(), "key")
    for batch in DataLoader(Rows(3), num_workers=2):
        print(batch)
"""
CHANGES = {
    "parser.parse_args(namespace=FLAGS)": "FLAGS.scale",
    "parser.parse_known_args([], namespace=FLAGS)": "FLAGS.scale",
    "setattr(FLAGS, key, 2)": "FLAGS.scale",
    "vars(FLAGS).update(scale=2)": "FLAGS.scale",
    "table = TABLE; table[key] = 2": 'TABLE["key"]',
    "table = TABLE; table.update(key=2)": 'TABLE["key"]',
}
OTHERS = {
    "parser.parse_args(namespace=argparse.Namespace())": "FLAGS.scale",
    "setattr(parser, key, FLAGS)": "FLAGS.scale",
    "print(vars(FLAGS).items())": "FLAGS.scale",
    "table = dict(TABLE); table[key] = 2": 'TABLE["key"]',
    "table = TABLE; print(table)": 'TABLE["key"]',
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_object_of_the_data_set_keeps_it(change: str):
    read = CHANGES[change]
    name = read[:5]
    fixed = dlfix.fix_text(PROGRAM.format(read=read, change=change), isolated=True, unsafe=True)
    kept = f"self._{name.lower()}"
    assert f"        {kept} = {name}\n" in fixed.text
    assert f"return {read.replace(name, kept)}\n" in fixed.text
    assert not fixed.left


@pytest.mark.parametrize("change", OTHERS)
def test_what_is_not_changed_stays(change: str):
    text = PROGRAM.format(read=OTHERS[change], change=change)
    fixed = dlfix.fix_text(text, isolated=True, unsafe=True)
    assert fixed.text == text
    assert not fixed.left
