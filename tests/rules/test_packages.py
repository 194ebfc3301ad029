"""Rules of other packages, as docs/writing-a-rule.md describes them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "rule_package"
MODULE = Path("dlfix_example_rules") / "__init__.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    if not all(map(importlib.util.find_spec, ("pip", "hatchling"))):
        pytest.skip("pip and hatchling build the example")
    source = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("source") / "example")
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--no-index", "--target", str(target), str(source)],
        check=True,
    )  # fmt: skip
    return target


def dlfix(installed: Path, *args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(installed), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "dlfix", *args],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.parametrize("name", ["dlfix_example_rules", "dlfix-example-rules"])
def test_the_programs_of_a_package_are_run(installed, name):
    done = dlfix(installed, "rules", "test", name)
    assert (done.stdout, done.returncode) == ("1 rule, 2 programs, 0 failed\n", 0), done.stderr


def test_a_program_that_fails_is_printed(installed, tmp_path):
    broken = shutil.copytree(installed, tmp_path / "broken")
    text = (broken / MODULE).read_text()
    (broken / MODULE).write_text(text.replace('"tempfile.TemporaryDirectory"', '"other"'))
    done = dlfix(broken, "rules", "test", "dlfix_example_rules")
    assert "EXA101: invalid program 1 has no finding" in done.stdout
    assert done.returncode == 1


def test_a_package_without_rules_is_an_error(installed):
    done = dlfix(installed, "rules", "test", "json")
    assert "`json` defines no rules" in done.stderr
    assert done.returncode == 2


def test_a_rule_of_a_package_is_selected_by_its_code(installed, tmp_path):
    program = tmp_path / "main.py"
    invalid = re.search(r"invalid = \(\n\s+\"\"\"(.*?)\"\"\"", (EXAMPLE / MODULE).read_text(), re.S)
    program.write_text("\n".join(line[8:] for line in invalid[1].splitlines()))
    plain = ("check", "--isolated", "--output-format", "concise", str(program))
    assert "EXA101" not in dlfix(installed, *plain).stdout
    assert "EXA101" in dlfix(installed, *plain, "--extend-select", "EXA").stdout


def test_the_tutorial_shows_the_package():
    page = (ROOT / "docs" / "writing-a-rule.md").read_text(encoding="utf-8")
    for path in (EXAMPLE / "pyproject.toml", EXAMPLE / MODULE):
        assert path.read_text(encoding="utf-8").strip() in page
