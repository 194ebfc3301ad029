"""All rules: those of this package, found by walking it, and those of entry points."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from dlfix import rules
from dlfix.rules.base import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from dlfix.project.project import Project

GROUP = "dlfix.rules"  # the entry points of other packages; each names a rule


@lru_cache(maxsize=1)
def all_rules() -> tuple[type[Rule], ...]:
    """Return all rules, in order of their codes; a rule of this package keeps its code."""
    from importlib.metadata import entry_points  # loads a mail parser, which clean code needs not

    own = _own_rules()
    codes = {rule.code for rule in own}
    others = {rule for rule in map(_loaded, entry_points(group=GROUP)) if rule.code not in codes}
    return tuple(sorted(own | others, key=lambda rule: rule.code))


def _loaded(entry: EntryPoint) -> type[Rule]:
    rule = entry.load()
    if not _is_rule(rule):
        raise TypeError(f"the entry point `{entry.name}` of {GROUP} is not a rule")
    return cast("type[Rule]", rule)


def modules_of(distribution: str) -> set[str]:
    """Return the modules in which an installed distribution says its rules are."""
    from importlib.metadata import entry_points

    return {
        entry.module
        for entry in entry_points(group=GROUP)
        if entry.dist is not None and _normalized(entry.dist.name) == _normalized(distribution)
    }


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _own_rules() -> set[type[Rule]]:
    return {
        value
        for module in pkgutil.iter_modules(rules.__path__)
        if module.name.startswith("dlf")
        for value in vars(import_module(f"{rules.__name__}.{module.name}")).values()
        if _is_rule(value)
    }


def may_find(project: Project, words: Iterable[bytes]) -> bool:
    """Return whether any rule may find something: they start at what these words name, loaders and comments."""
    return next(project.holding(words), None) is not None


def _is_rule(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Rule) and not inspect.isabstract(value)
