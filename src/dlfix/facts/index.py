"""The index of a project: which files use a name, and what for, from the summaries of its files.

Asking costs a look-up; only then are the facts of the files that may matter loaded. The sites in one of
them are found by `FileFacts.nodes` and the functions of `sites`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from dlfix.facts.model import Import, Mark, Summary


class Index:
    """Symbols to files; immutable, in the order in which the files were given."""

    def __init__(self, summaries: Mapping[Path, Summary]) -> None:
        self.summaries = dict(summaries)
        self._files = tuple(self.summaries)
        self._uses: dict[str, list[int]] = {}  # file << 16 | marks
        for number, summary in enumerate(self.summaries.values()):
            for symbol, marks in zip(summary.symbols, summary.marks, strict=True):
                if marks:
                    self._uses.setdefault(symbol, []).append(number << 16 | marks)

    def changed(self, summaries: Mapping[Path, Summary | None]) -> Index:
        """Return the index with some files replaced, added, or removed (None)."""
        merged: dict[Path, Summary | None] = {**self.summaries, **summaries}
        return Index({path: found for path, found in merged.items() if found is not None})

    def files(self, symbol: str, marks: int = 0xFFFF) -> list[Path]:
        """Return the files that use a symbol in one of these ways (bits of `Mark`)."""
        return [
            self._files[use >> 16] for use in self._uses.get(symbol, ()) if use & 0xFFFF & marks
        ]

    def mentions(self, symbol: str) -> list[Path]:
        """Return the files that have a name, in whatever way."""
        return self.files(symbol)

    def defining(self, name: str) -> list[Path]:
        """Return the files that define a function or class, or bind a name."""
        return self.files(name, Mark.DEFINED | Mark.BOUND)

    def calling(self, name: str) -> list[Path]:
        """Return the files that call `name(...)` or `x.name(...)`, or may under another name."""
        renamed = (path for path, found in self._renaming(name) if found)
        return list(dict.fromkeys([*self.files(name, Mark.CALLED), *renamed]))

    def _renaming(self, name: str) -> Iterable[tuple[Path, bool]]:
        for path in self.files(name, Mark.IMPORTED):
            imports = self.summaries[path].imports
            yield path, any(_is_renamed(each, name) for each in imports)

    def setting(self, attribute: str) -> list[Path]:
        """Return the files that set or delete an attribute of this name, by `setattr` too."""
        return self.files(attribute, Mark.ATTRIBUTE_SET | Mark.TEXT)

    def reading(self, attribute: str) -> list[Path]:
        """Return the files that read an attribute of this name, by `getattr` too."""
        return self.files(attribute, Mark.ATTRIBUTE | Mark.TEXT)

    def deriving(self, name: str) -> list[Path]:
        """Return the files that have a class with a base of this name, or may under another name."""
        renamed = (path for path, found in self._renaming(name) if found)
        return list(dict.fromkeys([*self.files(name, Mark.BASE), *renamed]))

    def decorating(self, name: str) -> list[Path]:
        """Return the files that decorate something with a name."""
        return self.files(name, Mark.DECORATES)

    def importing(self, module: str) -> list[Path]:
        """Return the files that import something of a module, by the last part of its name."""
        return self.files(module.rpartition(".")[2], Mark.IMPORTED)


def _is_renamed(found: Import, name: str) -> bool:
    last = found.name or found.module.rpartition(".")[2]
    return last == name and found.local != name
