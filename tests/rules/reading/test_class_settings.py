"""Containers of a class that only the parent fills, and of which a worker takes an item."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_PROGRAM = """
        from torch.utils.data import DataLoader, Dataset
        class Tables(Dataset):
            rows = {empty}
            def __init__(self, path):
                self.path = path
                {fill}
            {other}
            def __getitem__(self, i):
                {read}
        {after}
        if __name__ == "__main__":
            for batch in DataLoader(Tables("a"), num_workers=2):
                print(batch)
"""
_FILL = "Tables.rows[path] = [1, 2]"
_READ = "return self.rows[self.path][i]"


def _tables(what, empty="{}", fill=_FILL, other="kind = 1", read=_READ, after=""):
    return program(
        what, _PROGRAM.format(empty=empty, fill=fill, other=other, read=read, after=after)
    )


FOUND = [
    _tables("filled through the class", fill=_FILL + "  # !DLF303"),
    _tables("filled through the object", fill="self.rows[path] = [1, 2]  # !DLF303"),
    _tables(
        "a list is filled",
        empty="[]",
        fill="self.rows.append(path)  # !DLF303",
        read="return self.rows[i]",
    ),
    _tables(
        "the parent alone asks what is there",
        fill="if path not in self.rows: self.rows[path] = [1, 2]  # !DLF303",
    ),
]
SILENT = [
    _tables("the class has items already", empty='{"a": [3, 4]}'),
    _tables("the worker fills it too", read="self.rows[self.path] = [3]; " + _READ),
    _tables("the worker asks what is there", read="return self.path in self.rows and self.rows[self.path]"),
    _tables("the worker takes what is there", read="return self.rows.get(self.path, i)"),
    _tables(
        "a method that the worker calls fills it",
        other="def load(self): self.rows[self.path] = [3]",
        read="self.load(); " + _READ,
    ),
    _tables("the import fills it", after='Tables.rows["a"] = [3, 4]'),
    _tables("it is given to a function", after="def known(): return dict(Tables.rows)"),
    _tables("the object has its own", fill="self.rows = {path: [1, 2]}"),
]  # fmt: skip


_METHODS = """
        from torch.utils.data import DataLoader, Dataset
        class Tiles(Dataset):
            scale = 1
            shift = 0
            def pick(self, i):
                return i
            def __getitem__(self, i):
                return self.pick(i) * self.scale + self.shift
        class Land(Tiles):
            scale = 2
        class Sea(Tiles):
            pass
        def first(self, i):
            return 0
        {before}
        def main(args):
            {set}
            loader = DataLoader(Land(), num_workers=2)
            {after}
            return list(loader)
        if __name__ == "__main__":
            main(parsed())
"""


def _set(what, set_="x = 1", before="", after=""):
    return program(what, _METHODS.format(set=set_, before=before, after=after))


REPLACED = [
    _set("a method", "Tiles.pick = first  # !DLF303"),
    _set("an attribute of the class sent", "Land.scale = args.scale  # !DLF303"),
    _set("one of either class", "cls = Land if args else Sea; cls.shift = args.shift  # !DLF303"),
    _set("two at once", "Land.scale, Land.shift = args  # !DLF303 # !DLF303"),
    _set("a method, on import", before="Tiles.pick = first"),
    _set("a method of another class", "Sea.pick = first"),
    _set("an attribute of another class", "Sea.shift = args.shift"),
]


@pytest.mark.parametrize("text", [*FOUND, *SILENT, *REPLACED])
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
