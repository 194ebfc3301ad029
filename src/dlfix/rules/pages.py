"""A rule's page, made from its docstring."""

from __future__ import annotations

import inspect

from dlfix.rules.base import Rule


def summary(rule: type[Rule]) -> str:
    """Return the line that lists show."""
    return _text(rule).partition("\n")[0]


def fixable(rule: type[Rule]) -> bool:
    """Tell whether dlfix can mend what the rule finds, at least at times."""
    return bool(rule.codemods) or getattr(rule, "fixed_without_codemod", False)


def markdown(rule: type[Rule]) -> str:
    """Return the whole page."""
    first, _, rest = _text(rule).partition("\n")
    fixed = ", ".join(f"`{name}`" for name in rule.codemods)
    if not fixed:
        fixed = "none needed" if fixable(rule) else "none, reported only"
    head = (
        f"# {rule.code}: {rule.name}\n\n{first}\n\nSeverity: {rule.severity}. Codemod: {fixed}.\n"
    )
    return f"{head}\n{rest.strip()}\n" if rest.strip() else head


def _text(rule: type[Rule]) -> str:
    return inspect.cleandoc(rule.__doc__ or rule.name)
