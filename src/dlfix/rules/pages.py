"""A rule's page, made from its docstring."""

from __future__ import annotations

import inspect
import re
import textwrap

from dlfix.rules.base import Rule

_CODE = re.compile(r"^ {4}.*(?:\n+ {4}.*)*", re.MULTILINE)
_EXAMPLES = ("## Example", "## Use instead")


def summary(rule: type[Rule]) -> str:
    """Return the line that lists show."""
    return _text(rule).partition("\n")[0]


def fixable(rule: type[Rule]) -> bool:
    """Return whether dlfix can mend what the rule finds, at least at times."""
    return bool(rule.codemods) or getattr(rule, "fixed_without_codemod", False)


def markdown(rule: type[Rule]) -> str:
    """Return the whole page."""
    first, _, rest = _text(rule).partition("\n")
    fixed = ", ".join(f"`{name}`" for name in rule.codemods)
    if not fixed:
        fixed = "none needed" if fixable(rule) else "none (reported only)"
    head = (
        f"# {rule.code}: {rule.name}\n\n{first}\n\nSeverity: {rule.severity}. Codemod: {fixed}.\n"
    )
    return f"{head}\n{_fenced(rest.strip())}\n" if rest.strip() else head


def _fenced(text: str) -> str:
    """Return a page with its code between fences that name the language."""
    parts = []
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        language = "python" if section.startswith(_EXAMPLES) else "text"
        own = "```" in section  # which then says what is code
        fenced = _CODE.sub(lambda code, of=language: _fence(code[0], of), section)
        parts.append(section if own else fenced)
    return "".join(parts)


def _fence(code: str, language: str) -> str:
    return f"```{language}\n{textwrap.dedent(code)}\n```"


def _text(rule: type[Rule]) -> str:
    return inspect.cleandoc(rule.__doc__ or rule.name)
