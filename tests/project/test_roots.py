"""Imports start from the folders that Python, the code and the packaging make import roots."""

from pathlib import Path

import pytest

from dlfix.project import roots
from dlfix.project.project import Project
from tests.cli.test_check import write


def resolved(folder, importer, dotted, *names, text=""):
    for name in names:
        write(folder, name, "x = 1\n")
    write(folder, importer, text)
    project = Project(sorted(folder.rglob("*.py")))
    module = project.find(dotted, project.get(folder / importer))
    return module.path.relative_to(folder).as_posix() if module is not None else None


def test_an_init_beside_a_script_does_not_hide_its_siblings(tmp_path):
    found = resolved(tmp_path, "app/train.py", "data", "app/__init__.py", "app/data.py")
    assert found == "app/data.py"


def test_an_init_in_the_checked_root_does_not_hide_its_packages(tmp_path):
    names = ["__init__.py", "models/__init__.py", "models/net.py"]
    assert resolved(tmp_path, "examples/a.py", "models.net", *names) == "models/net.py"


def test_the_root_of_a_project_is_no_package_though_it_has_an_init(tmp_path):
    write(tmp_path, "setup.py", "")
    write(tmp_path, "__init__.py", "")
    write(tmp_path, "pkg/__init__.py", "")
    write(tmp_path, "pkg/a.py", "")
    assert Project([tmp_path / "pkg/a.py"]).name_of(tmp_path / "pkg/a.py") == "pkg.a"


@pytest.mark.parametrize("name", ["random", "json", "datasets", "torch"])
def test_inside_a_package_a_library_is_not_taken_for_a_sibling(tmp_path, name):
    assert resolved(tmp_path, "app/a.py", name, "app/__init__.py", f"app/{name}.py") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [("", None), ("if __name__ == '__main__':\n    pass", "app/queue.py")],
    ids=["a folder of modules", "a folder of a script"],
)
def test_a_module_hides_that_of_python_only_where_programs_start(tmp_path, text, found):
    names = ["main.py", "app/queue.py"]
    assert resolved(tmp_path, "app/a.py", "queue", *names, text=text) == found


def test_a_module_does_not_import_itself_by_the_name_of_one_of_python(tmp_path):
    assert resolved(tmp_path, "logging.py", "logging") is None
    assert resolved(tmp_path, "a.py", "logging", "logging.py") == "logging.py"


def test_a_folder_beyond_the_files_is_no_root(tmp_path):
    write(tmp_path, "outer.py", "x = 1")
    write(tmp_path, "app/__init__.py", "")
    write(tmp_path, "app/a.py", "")
    write(tmp_path, "__init__.py", "")
    project = Project([tmp_path / "app/__init__.py", tmp_path / "app/a.py"])
    assert project.find("outer", project.get(tmp_path / "app/a.py")) is None


@pytest.mark.parametrize(
    "line",
    [
        "sys.path.append('../lib')",
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))",
        "sys.path += [str(Path(__file__).resolve().parent.parent / 'lib')]",
        "sys.path.extend(['../nowhere', '../lib'])",
        "ROOT = os.path.abspath(os.path.dirname(__file__))\nsys.path.append(ROOT + '/../lib')",
        "sys.path.append(str(Path(__file__).parents[1].joinpath('lib')))",
        "sys.path.insert(1, os.path.join(sys.path[0], '../lib'))",
        "sys.path.append(sys.path[0] + '/../lib')",
        "sys.path.insert(0, os.path.join(sys.path[0], '..', 'lib'))",
        "HERE = sys.path[0]\nsys.path.append(str(Path(HERE).parent / 'lib'))",
        "def add(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\nadd('../lib')",
    ],
)
def test_what_code_adds_to_the_path_is_a_root(tmp_path, line):
    found = resolved(tmp_path, "tools/run.py", "extra", "lib/extra.py", text=line + "\n")
    assert found == "lib/extra.py"


@pytest.mark.parametrize(
    "line",
    [
        "sys.path.append(where)",
        "def add(path):\n    sys.path.append(path)\nadd(find())",
        "where = '../lib'\ndef add(where):\n    sys.path.append(where)",
        "sys.path.append(find())",
        "a = a\nsys.path.append(a)",
        "sys.path.append(sys.path[1] + '/lib')",
        "sys.path.insert(0, find())\nsys.path.append(sys.path[0] + '/lib')",
        "sys.path[:0] = [find()]\nsys.path.append(sys.path[0] + '/lib')",
        "del sys.path[0]\nsys.path.append(sys.path[0] + '/lib')",
        "sys.path.pop(0)\nsys.path.append(sys.path[0] + '/lib')",
    ],
)
def test_an_unknown_addition_to_the_path_is_none(line):
    module = Project([Path("/p/a.py")], {Path("/p/a.py"): line}).get(Path("/p/a.py"))
    assert list(roots.added(module)) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("setup.py", "setup(package_dir={'': 'python'}, packages=find_packages('python'))"),
        ("setup.py", "setup(packages=find_packages('python'))"),
        (
            "pyproject.toml",
            "[tool.setuptools.package-dir]\n[tool.setuptools.packages.find]\nwhere = ['python']",
        ),
        ("setup.cfg", "[options]\npackage_dir =\n    = python\n"),
    ],
)
def test_the_folder_that_packaging_declares_is_a_root(tmp_path, file, text):
    write(tmp_path, file, text)
    assert (
        resolved(tmp_path, "tests/t.py", "pkg", "python/pkg/__init__.py")
        == "python/pkg/__init__.py"
    )
