"""Texts that are known choose what is made: by a method, by the scheme of a URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

STORES = """
from urllib.parse import urlparse

class Sql:
    def __init__(self, path): self.f = lambda b: b
class Plain:
    def __init__(self, path): self.path = path

TABLE = {"sqlite": Sql, "file": Plain}

def by_table(url):
    parts = urlparse(url)
    return TABLE[parts.scheme](parts.path)

def by_scheme(url):
    if urlparse(url).scheme == "sqlite":
        return Sql(url)
    return Plain(url)

def by_name(url):
    parts = urlparse(url)
    return Sql(url) if parts.scheme == "sqlite" else Plain(url)

def by_parts(url):
    scheme, _, path = url.partition("://")
    if scheme.lower() == "sqlite":
        return Sql(path)
    return Plain(path)

"""
MAKERS = ("by_table", "by_scheme", "by_name", "by_parts")

ROWS = [
    row(
        f"{maker} of {url}",
        STORES + f"DataLoader({maker}({url}), num_workers=2)",
        *(["dataset.f lambda"] if found else []),
    )
    for maker in MAKERS
    for url, found in (("'file:///a'", False), ("'sqlite:///a'", True), ("input()", True))
]


@pytest.mark.parametrize("case", ROWS)
def test_a_known_text_leads_to_what_it_chooses(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
