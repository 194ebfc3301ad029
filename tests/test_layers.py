"""Imports point downwards, and never in a circle: those within functions and for typing too."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import dlfix
import dlfix_codemods

PACKAGES = [Path(package.__path__[0]) for package in (dlfix, dlfix_codemods)]

# From the bottom to the top; what stands on one line knows nothing of its neighbours but itself.
LAYERS = (
    {"signals", "safe_path", "caches", "validation"},
    {"source", "processes"},
    {"arguments", "watching"},
    {"facts", "catalog", "project", "config", "suppression", "journal"},
    {"reach", "undo", "results", "ending"},
    {"rules"},
    {"fixing", "selection"},
    {"codemods"},
    {"previews", "answers"},
    {"session"},
    {"rule_programs", "reuse"},
    {"parts"},
    {"report"},
    {"api", "editor", "interactive", "runtime", "undo_commands"},
    {"commands", "fleet"},
    {"checking"},
    {"cli"},
    {"start"},
    {"__main__"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def name_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of(path, package): path for package in PACKAGES for path in sorted(package.rglob("*.py"))
}


def imported(node: ast.AST) -> Iterator[str]:
    """Yield the modules of dlfix that an import statement names."""
    if isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        named = [one if one in MODULES else node.module for one in inner]
    else:
        named = []
    yield from (name for name in named if name in MODULES)


@functools.cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_bytes()) for name, path in MODULES.items()}


@functools.cache
def graph() -> dict[str, set[str]]:
    return {
        name: {one for node in ast.walk(tree) for one in imported(node)} - {name}
        for name, tree in trees().items()
    }


def part(name: str) -> str:
    package, _, rest = name.partition(".")
    return "codemods" if package == "dlfix_codemods" else rest.partition(".")[0]


def test_every_part_has_its_level() -> None:
    assert {part(name) for name in MODULES} - {""} == set(LEVEL)


def edges() -> Iterator[tuple[str, str]]:
    """Yield the imports between parts; `dlfix` itself has the version, and offers the API."""
    for name, others in graph().items():
        for other in others:
            if part(name) and part(other) and part(name) != part(other):
                yield name, other


def test_imports_point_downwards() -> None:
    assert [(a, b) for a, b in edges() if LEVEL[part(a)] <= LEVEL[part(b)]] == []


def test_no_module_imports_itself_by_others() -> None:
    without = {name: others for name, others in graph().items() if name != "dlfix"}
    assert circle_in(without) is None


def circle_in(imports: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_a_circle_is_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None


@pytest.mark.parametrize(
    "text",
    [
        "from dlfix.session import Session",
        "def f():\n    from dlfix import session",
        "if TYPE_CHECKING:\n    import dlfix.session",
    ],
)
def test_an_import_counts_wherever_it_stands(text: str) -> None:
    found = {one for node in ast.walk(ast.parse(text)) for one in imported(node)}
    assert found == {"dlfix.session"}
