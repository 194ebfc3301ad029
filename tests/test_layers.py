"""Imports point downwards, and never in a circle: in the whole package, those within functions too."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import dlfix

PACKAGE = Path(dlfix.__file__).parent

# From the bottom to the top; what stands on one line knows nothing of its neighbours but itself.
LAYERS = (
    {"signals", "safe_path", "caches", "validation"},
    {"source", "processes"},
    {"arguments", "watching"},
    {"facts", "catalog", "project", "config", "suppression", "journal"},
    {"reach", "undo", "results", "ending"},
    {"rules"},
    {"fixing", "selection"},
    {"previews", "parts"},
    {"session"},
    {"rule_programs"},
    {"report"},
    {"api", "editor", "interactive", "runtime", "undo_commands"},
    {"commands", "fleet"},
    {"checking"},
    {"cli"},
    {"start"},
    {"__main__"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# Known and to be resolved. These lists may only become shorter.
UPWARDS: set[tuple[str, str]] = set()
SIDEWAYS: set[tuple[str, str]] = set()
CIRCLES: set[tuple[str, str]] = set()


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


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


def statements(tree: ast.AST, *, within_functions: bool) -> Iterator[ast.AST]:
    """Yield the nodes that run, without what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not within_functions:
            continue
        yield node
        yield from statements(node, within_functions=within_functions)


@functools.cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_bytes()) for name, path in MODULES.items()}


@functools.cache
def graph(*, within_functions: bool = True) -> dict[str, set[str]]:
    return {
        name: {
            one
            for node in statements(tree, within_functions=within_functions)
            for one in imported(node)
        }
        - {name}
        for name, tree in trees().items()
    }


def part(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_every_part_has_its_level() -> None:
    assert {part(name) for name in MODULES} - {""} == set(LEVEL)


def edges() -> Iterator[tuple[str, str]]:
    """Yield the imports between parts; `dlfix` itself has the version, and offers the API."""
    for name, others in graph().items():
        for other in others:
            if part(name) and part(other) and part(name) != part(other):
                yield name, other


def test_imports_point_downwards() -> None:
    assert {(a, b) for a, b in edges() if LEVEL[part(a)] < LEVEL[part(b)]} == UPWARDS


def test_parts_on_one_level_do_not_know_each_other() -> None:
    assert {(a, b) for a, b in edges() if LEVEL[part(a)] == LEVEL[part(b)]} == SIDEWAYS


def test_no_module_imports_itself_by_others() -> None:
    known = {frozenset(circle) for circle in CIRCLES}
    without = {
        name: {one for one in others if frozenset((name, one)) not in known}
        for name, others in graph().items()
        if name != "dlfix"
    }
    assert circle_in(without) is None


@pytest.mark.parametrize("circle", sorted(CIRCLES))
def test_a_known_circle_is_still_there(circle: tuple[str, str]) -> None:
    first, second = circle
    assert second in graph()[first]
    assert first in graph()[second]


def test_no_circle_is_closed_while_modules_are_imported() -> None:
    assert circle_in(graph(within_functions=False)) is None


def circle_in(imports: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_a_circle_is_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None
