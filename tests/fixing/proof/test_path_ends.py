"""Files whose names surely end in other texts are other files, wherever their folders come from."""

from __future__ import annotations

import textwrap

import pytest

from tests.fixing.proof.pairs import opened, worse

PROGRAM = """
import glob, os, pathlib, shutil, sys, torch

def main(root, name):
    {path}
    rows = Rows(path)
    {after}
    return DataLoader(rows, num_workers=2)

{more}
"""
TRAIN = "path = os.path.join(root, 'rows.h5')"
ELSEWHERE = {
    "a log": (TRAIN, "open(os.path.join(root, 'run.log'), 'w')"),
    "a text": (TRAIN, "pathlib.Path(root, 'notes.txt').write_text('1')"),
    "a checkpoint": (TRAIN, "torch.save([], f'{root}/step_{len(rows)}.pt')"),
    "one by format": (TRAIN, "torch.save([], '{}/{}.pt'.format(root, name))"),
    "one by percent": (TRAIN, "torch.save([], '%s/%d.pt' % (root, 3))"),
    "one renamed": (
        TRAIN,
        "spare = root + '/last.tmp'\n    os.replace(spare, os.path.join(root, 'last.pt'))",
    ),
    "one removed": (TRAIN, "for old in glob.glob(root + '/*.ckpt'): os.remove(old)"),
    "beside a path object": ("path = root / 'rows.h5'", "(root / 'run.csv').unlink()"),
    "beside what a function names": ("path = where(root)", "os.remove(root + '/old.json')"),
    "one whose name ends so": (TRAIN, "os.remove(os.path.join(root, 'old_rows.h5'))"),
    "one that begins otherwise": (TRAIN, "os.remove(f'{root}/old_{name}.h5')"),
    "one of several that a function names": (TRAIN, "_, old = both(root)\n    os.remove(old)"),
}
MAYBE = {
    "one that begins in the same way": (TRAIN, "os.remove(f'{root}/r{name}.h5')"),
    "one whose beginning is put in front": (TRAIN, "os.remove(root + 'rows.h5')"),
    "one that goes on": (TRAIN, "old = root\n    old += 'rows.h5'\n    os.remove(old)"),
    "the other of several": (TRAIN, "old, _ = both(root)\n    os.remove(old)"),
    "the same name": (TRAIN, "os.remove(os.path.join(name, 'rows.h5'))"),
    "a part of the name": (TRAIN, "os.remove(root + '.h5')"),
    "any name": (TRAIN, "os.remove(os.path.join(root, name))"),
    "all of a kind": (TRAIN, "for old in glob.glob(root + '/*.h5'): os.remove(old)"),
    "the folder": (TRAIN, "shutil.rmtree(root)"),
    "the folder, renamed": (TRAIN, "os.rename(root, 'data.v2')"),
    "a path by the caller": ("path = root", "open(root + '.log', 'w'); os.remove(root)"),
    "an unknown path": ("path = name or root", "os.remove(os.path.join(root, 'x.log') or name)"),
    "one of a function around": (
        "path = name = os.path.join(root, 'rows.h5')",
        "def old():\n        os.remove(name)\n    old()",
    ),
    "an address": ("path = f'file:{root}?mode=ro'", "os.remove(root)"),
}
MORE = """
name = 'x.log'

def where(folder):
    return os.path.join(folder, 'rows.h5')

def both(folder):
    return os.path.join(folder, 'rows.h5'), os.path.join(folder, 'rows.idx')
"""


def reasons(path, after):
    program = PROGRAM.format(path=path, after=after, more=MORE)
    return [
        r for r in opened(program=textwrap.dedent(program)) if "removed, renamed or modified" in r
    ]


@pytest.mark.parametrize("parts", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_file_that_ends_otherwise_is_another(parts):
    assert not reasons(*parts)


@pytest.mark.parametrize("parts", MAYBE.values(), ids=MAYBE)
def test_a_file_that_may_end_so_may_be_the_same(parts):
    assert reasons(*parts)


def test_what_a_base_opens_ends_as_its_heir_is_given():
    heir = "class Heir(Rows):\n    def __init__(self, *args):\n        super().__init__(*args)\n"
    program = "path = root + '/rows.h5'"
    after = "rows = Heir(path)\n    open(root + '/run.log', 'w')"
    text = PROGRAM.format(path=program, after=after, more=heir)
    assert not [r for r in opened(program=text) if "removed, renamed or modified" in r]
    text = text.replace("run.log", "rows.h5")
    assert [r for r in opened(program=text) if "removed, renamed or modified" in r]


REMOVES = """
import json, pathlib
import numpy as np

class Rows(Dataset):
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.prepare()
    {property}
    def paths(self, key):
        return key, self.path / f"{name}_{{key}}.npy"

    def prepare(self):
        json.load(open(self.path / "new.json"))
        (self.path / "rows.npy").unlink()
        {first}
        key, old = self.paths(id(self))
        old.unlink()
        self.release(self.path / ".lock")

    @staticmethod
    def release(lock):
        lock.unlink()

    def __getitem__(self, i):
        return self.rows[i]

rows = Rows(root)
"""
OPENS = "np.load(self.path / 'rows.npy', mmap_mode='r')"
PROPERTY = f"""
    @functools.cached_property
    def rows(self):
        return {OPENS}

    def __getstate__(self):
        return {{k: v for k, v in self.__dict__.items() if k != "rows"}}
"""


@pytest.mark.parametrize(("name", "removes"), [("old", False), ("{key}", True)])
def test_the_constructor_may_remove_another_file(name, removes):
    before = REMOVES.format(first=f"self.rows = {OPENS}", property="", name=name)
    after = REMOVES.format(first="pass", property=PROPERTY, name=name)
    assert bool([r for r in worse(before, after) if "removes the file" in r]) is removes
