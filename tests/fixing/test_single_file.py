import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = textwrap.dedent(
    """\
    from torch.utils.data import DataLoader


    def load(rows):
        first = DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])
        last = DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[-1])
        return first, last
    """
)


def run_tool(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "libcst.tool", "codemod", *map(str, arguments)],
        capture_output=True, text=True, cwd=folder, timeout=120, check=False,
    )  # fmt: skip


def run_alone(path, codemod):
    return run_tool(path.parent, "-x", "--no-format", codemod, path)


def test_a_codemod_runs_under_libcsts_own_runner(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = run_alone(path, "dlfix_codemods.module_level_callables.ModuleLevelCallables")
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    assert "lambda" not in text
    assert text.count("\ndef ") == 3


def test_a_codemod_that_is_not_wanted_there_changes_nothing(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = run_alone(path, "dlfix_codemods.module_level_classes.ModuleLevelClasses")
    assert done.returncode == 0, done.stderr
    assert path.read_text() == PROGRAM


@pytest.mark.skipif(shutil.which("cat") is None, reason="the clone's configuration needs `cat`")
def test_a_codemod_runs_by_its_full_name_from_the_root_of_a_clone(tmp_path):
    path = tmp_path / "datasets.py"
    shutil.copy(ROOT / "examples/birds/birds/datasets.py", path)
    done = run_tool(ROOT, "dlfix_codemods.lazy_resources.LazyResources", path)
    assert done.returncode == 0, done.stderr
    assert "Transformed 1 files successfully" in done.stderr
    assert "    def connection(self):\n" in path.read_text()


def test_a_repository_of_ones_own_is_set_up_as_the_documentation_says(tmp_path):
    usage = (ROOT / "docs/usage.md").read_text(encoding="utf-8")
    _, _, rest = usage.partition("```yaml\n# .libcst.codemod.yaml\n")
    setup = rest.partition("```")[0]
    assert "modules: [dlfix_codemods]" in setup
    (tmp_path / ".libcst.codemod.yaml").write_text(setup.replace("[black, -]", "[cat]"))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = run_tool(tmp_path, "module_level_callables.ModuleLevelCallables", path)
    assert done.returncode == 0, done.stderr
    assert "lambda" not in path.read_text()
