"""Settings that an import fills and the parent sets again, and their look-alikes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

HEAD = """\
import argparse
from torch.utils.data import DataLoader, Dataset
class Node(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    def merge_from_list(self, pairs):
        for key, value in pairs:
            self[key] = value
cfg = Node(size=3, data=Node(scale=1), rate=2)
def use(node): return node
"""
ROWS = """\
class Rows(Dataset):
    def __init__(self):
        self.size = cfg.size
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return {read}
"""
LOADER = "    return list(DataLoader(Rows(), num_workers=args.workers))\n"
END = 'if __name__ == "__main__":\n    {start}\n'
MARK = "  # !DLF303"


def main(title, *lines, read="index * cfg.data.scale", more="", mark=MARK):
    """Return a program whose last line calls what sets, or whose `main` does."""
    body = "".join(f"    {line}\n" for line in lines)
    made = f"def main(args):\n{body}{LOADER}"
    return program(
        title,
        HEAD + ROWS.format(read=read) + more + made + END.format(start=f"main(parsed()){mark}"),
    )


def silent(title, *lines, **more):
    return main(title, *lines, mark="", **more)


FILL = "def fill(config, given):\n    config.data.scale = given.scale\n"
PROGRAMS = [
    main("merged", "cfg.merge_from_list(args.pairs)"),
    main("one part", "cfg.data.scale = args.scale"),
    main("all of it", "cfg.data = Node(scale=args.scale)"),
    main("all of it is read", "cfg.rate = args.rate", read="sum(len(k) for k in sorted(cfg))"),
    main("all of it is passed", "cfg.rate = args.rate", read="dict(index=index, **cfg)"),
    main("by a function", "fill(cfg, args)", more=FILL),
    silent(
        "another part by a function", "fill(cfg, args)", more=FILL.replace("data.scale", "rate")
    ),
    main("by a local name", "node = cfg['data']; node['scale'] = args.scale"),
    silent("another part", "cfg.rate = args.rate"),
    silent("read when it is made", "cfg.size = args.size"),
    silent("handed on whole", "cfg.rate = args.rate", read="use(cfg)"),
    silent("not read in workers", "cfg.data.scale = args.scale", read="index"),
    silent("in workers, too", "cfg.data.scale = args.scale", read="setattr(cfg, 'data', index)"),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)


STORE = """\
class Store:
    def __init__(self):
        self.table = {"a": 1}
        self.paths = {}
        self.scale = 1
    def path(self, key):
        if key not in self.paths:
            self.paths[key] = key
        return self.paths[key]
    def rescale(self, scale):
        self.scale = scale
    @property
    def scaled(self):
        return self.row("a") * self.scale
    def row(self, key):
        return self.table[key]
    def all(self):
        return use(self).scale
store = Store()
"""
PARTS_OF_METHODS = [
    main("by a property", "store.rescale(args.scale)", read="store.scaled", more=STORE),
    main("as it is", "store.rescale(args.scale)", read="store.scale", more=STORE),
    main("the object is passed on", "store.rescale(args.scale)", read="store.all()", more=STORE),
    main("handed on", "store.rescale(args.scale)", read="use(store).scale", more=STORE),
    silent("only remembered", "store.path('a')", read="store.row('a')", more=STORE),
    silent("of another property", "store.path('a')", read="store.scaled", more=STORE),
    silent("another attribute", "store.path('a')", read="store.scale", more=STORE),
]


@pytest.mark.parametrize("text", PARTS_OF_METHODS)
def test_a_method_sets_and_reads_its_own_parts(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
