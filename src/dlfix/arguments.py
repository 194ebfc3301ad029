"""The arguments of `dlfix check` in their plain forms, read without Typer.

Loading Typer takes longer than checking a file. What is not plain (help, abbreviations, joined short
options, mistakes) is left to Typer, which reads the rest in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FLAGS: Mapping[str, str] = {
    "--exit-zero": "exit_zero", "--isolated": "isolated", "--no-cache": "no_cache",
    "--quiet": "quiet", "-q": "quiet", "--show-files": "show_files", "--statistics": "statistics",
    "--strict": "strict",
}  # fmt: skip
TEXTS: Mapping[str, str] = {"--cache-dir": "cache_dir"}
LISTS: Mapping[str, str] = {
    "--extend-exclude": "extend_exclude", "--extend-select": "extend_select", "--ignore": "ignore",
    "--select": "select",
}  # fmt: skip
FILES: Mapping[str, str] = {"--config": "config_file", "--stdin-filename": "stdin_filename"}
CHOICES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "--color": ("color", ("auto", "always", "never")),
    "--output-format": (
        "output_format",
        ("text", "concise", "json", "sarif", "github", "gitlab", "junit"),
    ),
}


def of_check(words: Sequence[str]) -> dict[str, Any] | None:
    """Return what `dlfix check ...` is called with; None where Typer has to read it."""
    if words[:1] != ["check"] or "_DLFIX_COMPLETE" in os.environ or _needs_expansion(words):
        return None
    found: dict[str, Any] = {}
    paths: list[Path] = []
    rest = iter(words[1:])
    for word in rest:
        if word in FLAGS:
            found[FLAGS[word]] = True
        elif word == "-" or word[:1] not in ("-", ""):
            paths.append(Path(word))
        elif not _take(found, *_split(word, rest)):
            return None
    return {**found, "paths": paths or None}


def _needs_expansion(words: Sequence[str]) -> bool:
    """Return whether Typer would expand patterns, as no shell does on Windows."""
    return os.name == "nt" and any(set(word) & set("*?[~$%") for word in words)


def _split(word: str, rest: Any) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    return name, value if equals else next(rest, "")


def _take(found: dict[str, Any], name: str, value: str) -> bool:
    """Note an option's value; tell whether it is one that is surely meant as that."""
    if not value or value.startswith("-"):
        return False
    if name in TEXTS:
        found[TEXTS[name]] = value
    elif name in FILES:
        found[FILES[name]] = Path(value)
    elif name in LISTS:
        found.setdefault(LISTS[name], []).append(value)
    elif name in CHOICES and value in CHOICES[name][1]:
        found[CHOICES[name][0]] = value
    else:
        return False
    return True
