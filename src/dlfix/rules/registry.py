"""Every rule there is: found by walking the package, so that no list is kept."""

from __future__ import annotations

import inspect
import pkgutil
from functools import lru_cache
from importlib import import_module

from dlfix import rules
from dlfix.rules.base import Rule


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


def _is_rule(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Rule) and not inspect.isabstract(value)
