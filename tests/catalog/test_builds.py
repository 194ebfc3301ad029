"""No row is passed over in silence: it is built, or builds.toml says why not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dlfix.catalog import ResourceRow, load
from dlfix.catalog.rows import Row
from tests.catalog.builds import OTHER_NAMES, QUICK, RESOURCES, UNBUILT, table
from tests.catalog.names import MISSING, object_of

ROWS = [row for row in load().rows("resource") if isinstance(row, ResourceRow)]
NAMED: list[Row] = [row for name in ("resource", "callable") for row in load().rows(name)]
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_every_resource_is_built_or_it_is_said_why_not() -> None:
    names = [row.name for row in ROWS]
    assert sorted([*RESOURCES, *UNBUILT]) == sorted(names)


def test_what_was_never_measured_is_not_built_and_said_to_be_so() -> None:
    never = {row for row, why in UNBUILT.items() if "never measured" in why}
    assert {row.name for row in ROWS if not row.measured} == never


def test_every_library_that_is_built_is_installed_for_the_full_check() -> None:
    project = table(str(PYPROJECT))
    listed = [
        *project["dependency-groups"]["catalog"],
        *project["project"]["optional-dependencies"]["torch"],
    ]
    named = [re.split(r"[<=>\[;]", entry)[0] for entry in listed]
    installed = {"stdlib", *named, *(name.removesuffix("-cpu") for name in named)}
    assert {row.library for row in ROWS if row.name in RESOURCES} <= installed


@pytest.mark.parametrize("row", NAMED, ids=lambda row: row.name)
def test_the_names_of_a_row_exist(row: ResourceRow, request: pytest.FixtureRequest) -> None:
    full = request.config.getoption("--full-catalog", default=False)
    if row.library not in QUICK and not full:
        pytest.skip(f"{row.library}: only with --full-catalog")
    for name in {row.name, *row.aliases} - OTHER_NAMES:
        if object_of(name.partition(".")[0]) is MISSING:
            continue
        assert object_of(name) is not MISSING, name


def variants() -> list[ResourceRow]:
    """Return all rows of resources, and what their modes make of them."""
    plain = [replace(row, modes=()) for row in ROWS]
    return plain + [replace(row, modes=(), **mode.changes) for row in ROWS for mode in row.modes]


@pytest.mark.parametrize("row", variants(), ids=lambda row: row.name)
def test_what_is_only_reported_has_a_note_that_says_why(row: ResourceRow) -> None:
    found = row.kind in ("resource", "state") and (row.fails or row.fork_unsafe)
    if found and row.action == "report":
        assert row.note


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_handle_closes_by_a_method_or_a_function(row: ResourceRow) -> None:
    assert not row.close or all(part.isidentifier() for part in row.close.split("."))
    if "." in row.close and object_of(row.close.partition(".")[0]) is not MISSING:
        assert callable(object_of(row.close))
