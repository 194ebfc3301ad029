"""Pages made from what is in the repository: one a rule, and the list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlfix.rules import pages
from dlfix.rules.registry import all_rules

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from dlfix.rules.base import Rule


def row(rule: type[Rule], link: str) -> str:
    """Return a rule's line in a table."""
    fix = ", ".join(f"`{name}`" for name in rule.codemods) or "reported"
    return f"| {link} | {rule.name} | {pages.summary(rule)} | {fix} |"


def table(prefix: str) -> str:
    """Return the table of all rules, their codes linked to the pages below `prefix`."""
    head = "| code | name | what | codemod |\n|---|---|---|---|\n"
    rules = sorted(all_rules(), key=lambda rule: rule.code)
    return head + "\n".join(row(rule, f"[{rule.code}]({prefix}{rule.code}.md)") for rule in rules)


def plain_table() -> str:
    """Return the table without links, as the README has it."""
    head = "| code | name | what | codemod |\n|---|---|---|---|\n"
    rules = sorted(all_rules(), key=lambda rule: rule.code)
    return head + "\n".join(row(rule, rule.code) for rule in rules)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    index = f"# Rules\n\nCodes are permanent: the code of a removed rule is not used again.\n\n{table('')}\n"
    files.append(File.generated(config, "rules/index.md", content=index))
    for rule in all_rules():
        page = f"rules/{rule.code}.md"
        files.append(File.generated(config, page, content=pages.markdown(rule)))
    return files


if __name__ == "__main__":
    print(plain_table())
