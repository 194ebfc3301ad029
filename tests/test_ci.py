"""The shell steps of action.yml and of the GitLab recipe do in a repository what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

ROOT = Path(__file__).parents[1]
LOADER = (
    "from torch.utils.data import DataLoader\n\n\n"
    "def make(rows):\n    return DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])\n"
)
# Stands in for an interpreter that makes environments and installs packages, without a look at the working directory.
PYTHON = """#!/bin/sh
[ "$1" = -I ] || exit 8
case "$3" in
venv) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$(dirname "$0")/dlfix" "$4/bin/dlfix" ;;
pip) echo "$@" >> "$RUNNER_TEMP/installed" ;;
*) exit 9 ;;
esac
"""


class Machine:
    """A checked out repository, and a shell that runs steps in it."""

    def __init__(self, folder: Path) -> None:
        self.repository = folder / "the repository"
        self.temp = folder / "temp"
        self.bin = folder / "bin"
        for one in (self.repository, self.temp, self.bin):
            one.mkdir()
        self._program("python", PYTHON)
        self._program("pip", '#!/bin/sh\necho pip "$@" >> "$RUNNER_TEMP/installed"\n')
        self._program("dlfix", f'#!/bin/sh\nexec "{sys.executable}" -m dlfix "$@"\n')

    def _program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    @property
    def installed(self) -> str:
        return (self.temp / "installed").read_text()

    def run(self, script: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(self.bin), os.environ["PATH"]))
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
            cwd=self.repository, capture_output=True, text=True,
            env={**os.environ, "PATH": path, "RUNNER_TEMP": str(self.temp), **env},
        )  # fmt: skip

    def act(self, **inputs: str) -> list[subprocess.CompletedProcess[str]]:
        """Run the steps of action.yml up to the first that fails."""
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        known = {name: one["default"] for name, one in action["inputs"].items()} | inputs
        context = {f"inputs.{name}": value for name, value in known.items()} | {
            "runner.temp": str(self.temp),
            "github.action_path": "/the/action",
            "steps.python.outputs.python-path": str(self.bin / "python"),
        }
        done = []
        for step in action["runs"]["steps"]:
            if "run" not in step:
                continue
            env = {name: expanded(value, context) for name, value in step["env"].items()}
            done.append(self.run(step["run"], env))
            if done[-1].returncode:
                break
        return done


def expanded(text: str, context: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: context[match[1]], text)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_action_annotates_findings_writes_sarif_and_fails(machine: Machine) -> None:
    (machine.repository / "a.py").write_text(LOADER)
    install, report, annotate = machine.act()
    assert machine.installed == "-I -m pip install --quiet /the/action\n"
    assert (install.returncode, report.returncode, annotate.returncode) == (0, 0, 1)
    (run,) = json.loads((machine.repository / "dlfix.sarif").read_text())["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["DLF101"]
    assert annotate.stdout.startswith("::error title=dlfix (DLF101),file=a.py,line=5,col=55,")


def test_the_action_passes_a_repository_without_findings(machine: Machine) -> None:
    (machine.repository / "a.py").write_text("x = 1\n")
    assert [step.returncode for step in machine.act()] == [0, 0, 0]


def test_the_action_takes_paths_and_options(machine: Machine) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (machine.repository / name).write_text(LOADER)
    *_, annotate = machine.act(
        paths="a.py b.py", args="--ignore DLF102", **{"sarif-file": "x.sarif"}
    )
    assert re.findall(r"file=(\w)\.py", annotate.stdout) == ["a", "b"]
    assert (machine.repository / "x.sarif").exists()


def test_the_action_fails_where_a_path_does_not_exist(machine: Machine) -> None:
    *_, last = machine.act(paths="gone")
    assert last.returncode == 2
    assert "gone: no such file or directory" in last.stderr


def gitlab() -> dict[str, object]:
    """Return the job of the recipe in docs/ci.md."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    _, _, below = page.partition("## GitLab")
    job: dict[str, object] = yaml.safe_load(re.search(r"```yaml\n(.*?)```", below, re.S)[1])[
        "dlfix"
    ]  # type: ignore[index]
    return job


def test_the_gitlab_recipe_writes_the_report_that_it_uploads_and_fails(machine: Machine) -> None:
    (machine.repository / "a.py").write_text(LOADER)
    job = gitlab()
    done = machine.run("\n".join(job["script"]), {})  # type: ignore[arg-type]
    assert machine.installed.startswith("pip install --quiet git+")
    assert done.returncode == 1
    uploaded = job["artifacts"]["reports"]["codequality"]  # type: ignore[index]
    (row,) = json.loads((machine.repository / uploaded).read_text())
    assert (row["check_name"], row["location"]["path"]) == ("DLF101", "a.py")


def test_every_hook_checks_the_project_whatever_files_are_committed() -> None:
    from dlfix.editor.external import EDITORS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    local = yaml.safe_load(EDITORS["pre-commit"][1])["repos"][0]["hooks"]
    assert [hook["pass_filenames"] for hook in (*hooks, *local)] == [False] * 3


def test_the_pre_commit_recipe_names_hooks_that_exist() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    recipe = yaml.safe_load(re.search(r"```yaml\n(repos:.*?)```", page, re.S)[1])  # type: ignore[index]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    named = [hook["id"] for hook in recipe["repos"][0]["hooks"]]
    assert named == [hook["id"] for hook in hooks]
