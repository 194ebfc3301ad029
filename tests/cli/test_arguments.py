"""The plain forms of arguments are read as Typer reads them, and the rest is left to Typer."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dlfix import arguments, checking
from dlfix.cli import app

PLAIN = [
    "check",
    "check .",
    "check a.py b -q",
    "check - --stdin-filename x.py",
    "check --select DLF1 --select=DLF2,DLF301 --ignore DLF101 src",
    "check --output-format json --color=never --exit-zero",
    "check --config dlfix.toml --isolated --no-cache --strict",
    "check --cache-dir c --extend-exclude *.py --extend-select DLF900 --statistics --show-files",
    "check --color auto --color always",
]
LEFT = [
    "", "apply", "--version", "check --help", "check -h", "check --", "check -qh", "check --selec DLF1",
    "check --select", "check --select -q", "check --output-format yaml", "check --quiet=1",
    "check --jobs 2", "check --no-such", "check -o out", "check --color=",
]  # fmt: skip


def of_typer(words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    with monkeypatch.context() as patch:
        patch.setattr(checking, "check", lambda **said: asked.update(said) or 0)
        result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return {**checking.check.__kwdefaults__, **asked}


def of_ours(words: list[str]) -> dict[str, Any] | None:
    found = arguments.of_check(words)
    return None if found is None else {**checking.check.__kwdefaults__, **found}


@pytest.mark.parametrize("line", PLAIN)
def test_plain_arguments_mean_what_they_mean_to_typer(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = of_ours(line.split())
    assert found is not None
    assert found == of_typer(line.split(), monkeypatch)


@pytest.mark.parametrize("line", LEFT)
def test_everything_else_is_left_to_typer(line: str) -> None:
    assert arguments.of_check(line.split()) is None


def test_what_is_read_here_is_read_by_typer_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [
        ["-q"],
        ["a.py"],
        ["b"],
        ["--select", "DLF1"],
        ["--ignore=DLF2"],
        ["--color", "never"],
    ]
    generator = random.Random(7)
    for _ in range(20):
        chosen = generator.sample(pieces, generator.randint(0, len(pieces)))
        words = ["check", *(word for piece in chosen for word in piece)]
        assert of_ours(words) == of_typer(words, monkeypatch), words


def test_a_check_of_a_file_without_loaders_loads_no_rules_and_no_typer(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    code = (
        "import sys\nfrom dlfix import start\nsys.argv[1:] = ['check', '-q', '--no-cache', 'clean.py']\n"
        "try: start.main()\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "heavy = {'typer', 'rich', 'pathspec', 'libcst', 'dlfix.fixing.engine', 'dlfix.reach.analysis'}\n"
        "heavy |= {'dlfix.reach.values', 'importlib.metadata'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_an_unknown_code_is_an_error_though_nothing_can_be_found(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    result = CliRunner().invoke(app, ["check", "--select", "DLF999", str(tmp_path)])
    assert (result.exit_code, "unknown rule `DLF999`" in result.output) == (2, True)
