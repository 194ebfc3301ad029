"""Reading the catalogue's files, and looking names up in them.

The own files are indexed by their text and a row is parsed when it is first asked for: a run needs a
handful of some hundreds. Files of users are read and validated whole, so that a mistake is reported at once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from dlfix.catalog.rows import (
    TABLES,
    BoundaryRow,
    CallableRow,
    CatalogError,
    DatasetRow,
    FunctionRow,
    HolderRow,
    MethodRow,
    NamingRow,
    ResourceRow,
    Row,
    checked_row,
    row_from,
)
from dlfix.source.text import SourceError, contents

FILES: Final = ("boundaries", "holders", "resources", "callables", "functions", "settings")
_OF_FILES = "function"
_NO_VALUES = (_OF_FILES, "setting", "naming")  # tables that say nothing of what their names give
_HEADER = re.compile(r"^\[\[(\w+)\]\]$", re.MULTILINE)
_NAME = re.compile(r'^name = "([^"]+)"$', re.MULTILINE)
_ALIASES = re.compile(r"^aliases = \[([^\]]*)\]", re.MULTILINE)
_STRING = re.compile(r'"([^"]*)"')

R = TypeVar("R", bound=Row)


class Catalog:
    """The rows of all catalogue files, found by a dotted name or one of its aliases.

    What a later file says of a name replaces what an earlier one said. A row whose name ends with
    `.*` is of a family: it holds for all classes of that module which have no row of their own.
    """

    def __init__(self, texts: Sequence[str], extra: Sequence[Path] = ()) -> None:
        self._sources: dict[str, dict[str, str | Row]] = {table: {} for table in TABLES}
        self._canonical: dict[str, dict[str, str]] = {table: {} for table in TABLES}
        for text in texts:
            self._index(text)
        for path in extra:
            self._add(path)

    def boundary(self, name: str) -> BoundaryRow | None:
        """Return the boundary of this dotted name."""
        return self._row("boundary", name, BoundaryRow)

    def dataset(self, name: str) -> DatasetRow | None:
        """Return the dataset base class of this dotted name."""
        return self._row("dataset", name, DatasetRow)

    def holder(self, name: str) -> HolderRow | None:
        """Return the holder of this dotted name."""
        return self._row("holder", name, HolderRow)

    @cached_property
    def methods(self) -> dict[str, list[MethodRow]]:
        """The rows of methods that keep arguments, by the method's bare name."""
        found: dict[str, list[MethodRow]] = {}
        for row in self.rows("method"):
            assert isinstance(row, MethodRow)
            for name in () if row.makes else (row.name, *row.aliases):
                found.setdefault(name.rpartition(".")[2], []).append(row)
        return found

    @cached_property
    def makers(self) -> dict[str, str]:
        """The resources that methods make which are known by their bare names."""
        rows = [row for row in self.rows("method") if isinstance(row, MethodRow) and row.makes]
        return {row.name.rpartition(".")[2]: row.makes for row in rows}

    def resource(self, name: str) -> ResourceRow | None:
        """Return the row of the constructor of this dotted name."""
        return self._row("resource", name, ResourceRow)

    def hanging(self, name: str) -> ResourceRow | None:
        """Return the row of what hangs from a resource, by the type that its row's `derived` gives."""
        return self._row("type", name, ResourceRow)

    def callable(self, name: str) -> CallableRow | None:
        """Return the row of a callable that cannot cross by its name."""
        return self._row("callable", name, CallableRow)

    def function(self, name: str) -> FunctionRow | None:
        """Return what is known of what a function does with files: its own row, or that of the nearest module."""
        names = self._canonical[_OF_FILES]
        known = names.get(name)
        owner = name
        while known is None and "." in owner:
            owner = owner.rpartition(".")[0]
            known = names.get(f"{owner}.*")
        return None if known is None else cast("FunctionRow", self._parsed(_OF_FILES, known))

    @cached_property
    def methods_of_files(self) -> dict[str, FunctionRow]:
        """The rows of methods that change files, by the method's bare name."""
        rows = [row for row in self.rows(_OF_FILES) if isinstance(row, FunctionRow)]
        return {
            name.rpartition(".")[2]: row
            for row in rows
            if row.of_object and row.does == "writes"
            for name in (row.name, *row.aliases)
        }

    @cached_property
    def replacing_later(self) -> dict[str, FunctionRow]:
        """The rows of what goes on to replace its files once it is made, by each full name."""
        rows = [row for row in self.rows(_OF_FILES) if isinstance(row, FunctionRow) and row.later]
        return {name: row for row in rows for name in (row.name, *row.aliases)}

    @cached_property
    def asking_for_files(self) -> dict[str, FunctionRow]:
        """The rows of what asks which files there are: functions by their full names, methods by their bare ones."""
        rows = [row for row in self.rows(_OF_FILES) if isinstance(row, FunctionRow) and row.asks]
        return {
            name.rpartition(".")[2] if row.of_object else name: row
            for row in rows
            for name in (row.name, *row.aliases)
        }

    def naming(self, name: str) -> NamingRow | None:
        """Return the row of a function that names what it makes after functions."""
        return self._row("naming", name, NamingRow)

    @cached_property
    def naming_methods(self) -> dict[str, list[NamingRow]]:
        """The rows of methods that name what they make after functions, by the method's bare name."""
        found: dict[str, list[NamingRow]] = {}
        for row in self.rows("naming"):
            assert isinstance(row, NamingRow)
            names = (row.name, *row.aliases) if row.of else ()
            for name in dict.fromkeys(each.rpartition(".")[2] for each in names):
                found.setdefault(name, []).append(row)
        return found

    def rows(self, table: str) -> Iterator[Row]:
        """Yield all rows of a table, in the order of the files."""
        for name in self._sources[table]:
            yield self._parsed(table, name)

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Words of which a file must hold one to be worth parsing, as bytes."""
        names = (name for table in ("boundary", "dataset") for name in self._canonical[table])
        # hydra makes what YAML files name
        return frozenset({b"hydra", *(_word(name).encode() for name in names)})

    def knows(self, name: str) -> bool:
        """Return whether any table has a row of this dotted name, or of something in it."""
        return name in self._owners or any(name in names for names in self._naming)

    @property
    def _naming(self) -> list[dict[str, str]]:
        return [names for table, names in self._canonical.items() if table not in _NO_VALUES]

    @cached_property
    def _owners(self) -> frozenset[str]:
        tables = self._naming
        return frozenset(name.rpartition(".")[0] for names in tables for name in names)

    @cached_property
    def libraries(self) -> frozenset[str]:
        """The packages of which any table has a row."""
        return frozenset(owner.partition(".")[0] for owner in self._owners)

    def keeps(self, attribute: str) -> bool:
        """Return whether any library's class keeps what its constructor gets under this name."""
        return attribute in self._kept

    @cached_property
    def _kept(self) -> frozenset[str]:
        rows = [*self.rows("dataset"), *self.rows("holder")]
        kept = (row.keeps.values() for row in rows if isinstance(row, (DatasetRow, HolderRow)))
        return frozenset(name for names in kept for name in names)

    def _row(self, table: str, name: str, cls: type[R]) -> R | None:
        names = self._canonical[table]
        canonical = names.get(name) or names.get(f"{name.rpartition('.')[0]}.*")
        return None if canonical is None else cast("R", self._parsed(table, canonical))

    def _parsed(self, table: str, name: str) -> Row:
        source = self._sources[table][name]
        if isinstance(source, str):
            source = row_from(table, _loads(source)[table][0])
            self._sources[table][name] = source
        return source

    def _index(self, text: str) -> None:
        headers = list(_HEADER.finditer(text))
        ends = [*(header.start() for header in headers), len(text)][1:]
        for header, end in zip(headers, ends, strict=True):
            chunk = text[header.start() : end]
            aliases = _ALIASES.search(chunk)
            self._put(
                header[1],
                cast("re.Match[str]", _NAME.search(chunk))[1],
                _STRING.findall(aliases[1]) if aliases else (),
                chunk,
            )

    def _add(self, path: Path) -> None:
        for table, number, data in _read(path):
            try:
                row = checked_row(table, data)
            except CatalogError as error:
                where = f"[[{table}]] row {number}" + (
                    f" ({data['name']})" if data.get("name") else ""
                )
                raise CatalogError(f"{path}: {where}: {error}") from None
            self._put(table, row.name, row.aliases, row)

    def _put(self, table: str, name: str, aliases: Sequence[str], source: str | Row) -> None:
        self._sources[table][name] = source
        for alias in (name, *aliases):
            self._canonical[table][alias] = name


def _word(name: str) -> str:
    """Return what a file must hold that uses this name: for a method, its class; of a family, its module."""
    *_, owner, last = ["", *name.removesuffix(".*").split(".")]
    is_method = owner[:1].isupper() and not last[:1].isupper()
    return owner if is_method else last


def load(extra: Sequence[Path] = ()) -> Catalog:
    """Return the catalogue, with the rows of further files of the same shape."""
    return _load(tuple(extra)) if extra else _own()


@lru_cache(maxsize=1)
def _own() -> Catalog:
    return _load(())


def _load(extra: tuple[Path, ...]) -> Catalog:
    here = Path(__file__).parent
    texts = [(here / f"{name}.toml").read_text(encoding="utf-8") for name in FILES]
    return Catalog(texts, extra)


def _read(path: Path) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    try:
        data = _loads(contents(path).decode("utf-8"))
    except SourceError as error:
        raise CatalogError(str(error)) from None
    except (ValueError, RecursionError) as error:  # undecodable, or not TOML
        raise CatalogError(f"{path}: {error}") from None
    for table, rows in data.items():
        if table not in TABLES:
            known = ", ".join(TABLES)
            raise CatalogError(f"{path}: unknown table `{table}` (known: {known})")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise CatalogError(f"{path}: `{table}` must be an array of tables (`[[{table}]]`)")
        yield from ((table, number, row) for number, row in enumerate(rows, 1))


def _loads(text: str) -> dict[str, Any]:
    reader = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return cast("dict[str, Any]", reader.loads(text))
