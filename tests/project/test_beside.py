"""Which modules may be imported beside one: what scripts import is known, what others import is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.project.importing import beside
from dlfix.project.project import Project

GUARD = "if __name__ == '__main__': pass\n"
RUN = {"train.py": f"import rows\n{GUARD}", "rows.py": "import tools\n", "tools.py": ""}


def names(folder: Path, files: dict[str, str], of: str = "rows.py") -> set[str] | None:
    for name, text in files.items():
        (folder / name).write_text(text)
    project = Project([folder / name for name in files])
    found = beside(project, project.module(folder / of))
    return None if found is None else {each.name for each in found}


def test_what_a_script_imports_is_beside_its_modules_and_no_other_file(tmp_path):
    assert names(tmp_path, {**RUN, "other.py": GUARD}) == {"train", "rows", "tools"}


def test_a_script_has_what_it_imports(tmp_path):
    assert names(tmp_path, {**RUN, "other.py": ""}, "train.py") == {"train", "rows", "tools"}


def test_two_scripts_are_both_beside_what_they_import(tmp_path):
    found = names(tmp_path, {**RUN, "test.py": f"import rows, probe\n{GUARD}", "probe.py": ""})
    assert found == {"train", "rows", "tools", "test", "probe"}


@pytest.mark.parametrize(
    "files",
    [
        {"rows.py": "import tools\n", "tools.py": ""},
        {**RUN, "library.py": "import rows\n"},
        {
            **RUN,
            "train.py": f"import rows, importlib, sys\nimportlib.import_module(sys.argv[1])\n{GUARD}",
        },
    ],
    ids=["nobody imports it", "a module that nobody runs imports it", "a name that is computed"],
)
def test_any_module_may_be_beside_what_others_may_import(tmp_path, files):
    assert names(tmp_path, files) is None


def test_pytest_loads_its_configuration_beside_tests(tmp_path):
    assert "conftest" in (names(tmp_path, {**RUN, "conftest.py": "import pytest\n"}) or ())
