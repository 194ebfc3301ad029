"""Every rule there is: found by walking the package, so that no list is kept."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from dlfix import rules
from dlfix.rules.base import Rule

if TYPE_CHECKING:
    from dlfix.project.project import Project


@lru_cache(maxsize=1)
def all_rules() -> tuple[type[Rule], ...]:
    """Return all rules, in order of their codes."""
    found = {
        value
        for module in pkgutil.iter_modules(rules.__path__)
        if module.name.startswith("dlf")
        for value in vars(import_module(f"{rules.__name__}.{module.name}")).values()
        if _is_rule(value)
    }
    return tuple(sorted(found, key=lambda rule: rule.code))


def may_find(project: Project, words: Iterable[bytes]) -> bool:
    """Tell whether any rule may find something: they start at what these words name, loaders and comments."""
    return next(project.holding(words), None) is not None


def _is_rule(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Rule) and not inspect.isabstract(value)
