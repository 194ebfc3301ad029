"""The ground floor stands on nothing but `source`."""

from __future__ import annotations

from pathlib import Path

import dlfix.facts
from dlfix.facts.build import facts_of
from dlfix.facts.model import Mark
from dlfix.facts.sites import imports
from dlfix.source.text import read

FILES = sorted(Path(dlfix.facts.__file__).parent.glob("*.py"))


def test_facts_import_facts_and_source_only() -> None:
    for path in FILES:
        found = {site.imported.module for site in imports(facts_of(read(path)))}
        own = {module for module in found if module.partition(".")[0] == "dlfix"}
        assert all(
            module == "dlfix" or module.split(".")[1] in ("facts", "source") for module in own
        )


def test_only_the_builder_reads_syntax_trees() -> None:
    readers = [
        path.name for path in FILES if "ast" in facts_of(read(path)).summary.marked(Mark.IMPORTED)
    ]
    assert readers == ["build.py"]
