import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """\
    from torch.utils.data import DataLoader


    def load(rows):
        first = DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])
        last = DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[-1])
        return first, last
    """
)


def run_alone(path, codemod):
    return subprocess.run(
        [sys.executable, "-m", "libcst.tool", "codemod", "-x", "--no-format", codemod, str(path)],
        capture_output=True,
        text=True,
        cwd=path.parent,
        timeout=120,
        check=False,
    )


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
