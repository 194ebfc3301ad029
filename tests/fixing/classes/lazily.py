"""Rewrite a class as `lazy_resources` does, with the handles named by the test."""

from __future__ import annotations

import textwrap
from pathlib import Path

import libcst as cst

from dlfix.catalog import load
from dlfix.fixing.classes.facts import ClassFacts, started_sites
from dlfix.fixing.classes.handles import Handle
from dlfix.fixing.classes.opening import LazyClass
from dlfix.fixing.classes.sliced import Sliced
from dlfix.fixing.classes.state import Surroundings
from dlfix.project.module import Module
from dlfix.source.text import decode
from dlfix_codemods.lazy_resources import LazyResources


def facts_of(source: str) -> ClassFacts:
    """Return the facts of the first class of a source."""
    text = textwrap.dedent(source).lstrip("\n")
    module = Module(decode(Path("data.py"), text.encode()), "data")
    return ClassFacts(module, module.classes[0])


def lazily(source: str, around: Surroundings | None = None, **openers: str) -> str:
    """Return a source with attributes of its first class made lazy."""
    return _rewritten(LazyClass, source, around, openers)


def sliced(source: str, around: Surroundings | None = None, **openers: str) -> str:
    """Return a source with what opens some attributes in a method that each process calls."""
    return _rewritten(Sliced, source, around, openers)


def _rewritten(
    form: type[LazyClass | Sliced],
    source: str,
    around: Surroundings | None,
    openers: dict[str, str],
) -> str:
    facts = facts_of(source)
    handles = {name: _handle(facts, name, opener) for name, opener in openers.items()}
    plan = form(facts, handles, around or Surroundings()).plan()
    return LazyResources.rewrite(cst.parse_module(facts.module.text), plan).code


def _handle(facts: ClassFacts, name: str, opener: str) -> Handle:
    row = load().resource(opener)
    site = started_sites(facts, name)[0]
    if row is None:
        return Handle(name, site)
    return Handle(
        name,
        site,
        close=row.close,
        enters=row.enters,
        configure=row.configure,
        position=row.position,
        write=row.write,
        derived=tuple(row.derived),
        iterates=row.iterates,
        closed_by_parent=row.closed_by_parent,
        name=opener,
    )
