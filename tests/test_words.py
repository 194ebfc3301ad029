"""Texts for users have the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlfix.rules import pages
from dlfix.rules.registry import all_rules

ROOT = Path(__file__).parents[1]

# Words that were used in early texts of this project; docs/glossary.md has those to use.
BANNED = re.compile(
    r"""\b(?:
        mend(?:s|ed|ing)? | told | anew | heeds? | hangs?\ from | the\ trip | for\ ever | in\ view
        | what\ came\ of | culprits? | hand(?:s|ed)?\ (?:over|on|out|back) | worked\ out
        | surviv(?:e|es|ed|ing) | what\ crosses | all\ that\ crosses | reaches\ the\ workers
        | goes?\ on\ (?:calling|holding|reading) | needs\ a\ person
        | (?:assigned|created|opened|set)\ again | opens?\ (?:it|them)\ again | (?:is|are)\ asked\ for
        | for\ itself | what\ opens | name\ is\ free | out\ of\ view
        | what\ hangs | differs?\ from\ call\ to\ call | does\ not\ know\ how
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    *sorted((ROOT / "docs").glob("*.md")),
]
MODULES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "codemods").rglob("*.py")])


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module that are sentences, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_says_nothing_in_a_banned_word(path):
    assert [(row, text) for row, text in texts(path) if BANNED.search(text)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_has_no_banned_word(path):
    assert BANNED.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_page_of_a_rule_has_no_banned_word(rule):
    assert BANNED.findall(pages.markdown(rule)) == []


def test_the_messages_of_explain_have_no_banned_word():
    catalog = ROOT / "src" / "dlfix" / "catalog"
    shown = re.compile(r'^(?:happened|why|help|noun) = "(.*)"$|\bnote = "([^"]*)"', re.MULTILINE)
    for name in ("messages.toml", "resources.toml"):
        text = (catalog / name).read_text(encoding="utf-8")
        assert [m[0] for m in shown.finditer(text) if BANNED.search(m[0])] == []


def test_the_help_has_no_banned_word():
    import typer

    from dlfix.cli import app

    group = typer.main.get_command(app)
    helps = [group.help or ""]
    for command in group.commands.values():
        helps += [command.help or "", *(getattr(one, "help", "") or "" for one in command.params)]
    assert [text for text in helps if BANNED.search(text)] == []
