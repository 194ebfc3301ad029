"""What builds.toml says, for the tests: how objects are made, and which are not."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

# The quick run builds objects of these; `--full-catalog` takes all libraries that are installed.
QUICK = {"stdlib", "torch", "numpy", "h5py", "lmdb"}

_READER = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def table(name: str) -> dict[str, Any]:
    """Read a data file of this folder."""
    data: dict[str, Any] = _READER.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return data


class Use(NamedTuple):
    """Something done to an object: the row's name, the key of its table, and the expression."""

    make: str
    row: str
    how: str
    use: str


_DATA = table("builds.toml")
RESOURCES: dict[str, list[str]] = _DATA["resources"]
BUILDS = [(name, expression) for name, many in RESOURCES.items() for expression in many]
HANGS = [Use(*entry) for entry in _DATA["uses"]["hangs"]]
PLAIN = [Use(*entry) for entry in _DATA["uses"]["plain"]]
UNBUILT = {row: entry["why"] for entry in _DATA["unbuilt"] for row in entry["rows"]}
NEEDS: dict[str, str] = _DATA["needs"]
OTHER_NAMES = {name for names in _DATA["other_names"].values() for name in names}
