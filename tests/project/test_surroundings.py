from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.plans import Fix, Refused
from dlfix.project import surroundings
from dlfix.session import Session

LOADER = """\
from torch.utils.data import DataLoader

from pkg.data import make


def main():
    for batch in DataLoader(make(), num_workers=2):
        print(batch)
"""
DATA = """\
import sqlite3

from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.transform(index)


def make():
    return Rows(lambda row: row + 1)
"""
CLEAN = "def double(value):\n    return 2 * value\n"


@pytest.fixture
def project(tmp_path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "data.py").write_text(DATA)
    (package / "train.py").write_text(LOADER)
    (tmp_path / "unrelated.py").write_text(CLEAN)
    return tmp_path


def test_a_file_has_the_findings_that_its_project_has_there(project):
    data = project / "pkg" / "data.py"
    whole = Session.open([project], Settings()).diagnoses()
    assert [one.finding.code for one in whole] == ["DLF101"]
    assert Session.open([data], Settings()).diagnoses() == whole
    assert Session.open([project / "pkg"], Settings()).diagnoses() == whole
    (loader,) = Session.open([project / "pkg" / "train.py"], Settings()).diagnoses()
    assert loader.finding == whole[0].finding
    assert isinstance(loader.outcome, Refused)


def test_of_a_project_only_what_imports_connect_is_read(project):
    (project / "pkg" / "other").mkdir()
    (project / "pkg" / "other" / "data.py").write_text(DATA)
    (project / "pkg" / "relative.py").write_text("from . import data\n")
    (project / "pkg" / "computed.py").write_text("import importlib\n")
    session = Session.open([project / "pkg" / "data.py"], Settings())
    names = sorted(path.relative_to(project).as_posix() for path in session.project.files)
    assert names == ["pkg/__init__.py", "pkg/data.py", "pkg/relative.py", "pkg/train.py"]


@pytest.mark.parametrize(
    "text", ["m = importlib.import_module('pkg.data')", "import sys\n\nsys.path.append(name)"]
)
def test_what_imports_by_a_string_or_changes_the_path_is_read(project, text):
    (project / "unrelated.py").write_text(f"{text}\n")
    session = Session.open([project / "pkg" / "data.py"], Settings())
    assert project / "unrelated.py" in session.project.files


def test_of_a_clean_file_that_nothing_connects_with_a_worker_only_it_is_parsed(project):
    session = Session.open([project / "unrelated.py"], Settings())
    assert session.diagnoses() == []
    assert session.project.parsed == 1


def test_a_script_without_a_project_is_read_with_what_it_imports(project):
    (project / "pyproject.toml").unlink()
    session = Session.open([project / "pkg" / "data.py"], Settings())
    assert [one.finding.code for one in session.diagnoses()] == ["DLF101"]


HALF = DATA.replace(
    "        self.transform = transform\n",
    "        self.transform = transform\n        self.log = open('log.txt', 'w')\n",
).replace("return self.transform", "self.log.write('x')\n        return self.transform")


def test_no_half_is_applied_where_something_else_stays_in_the_way(project):
    (project / "pkg" / "data.py").write_text(HALF)
    outcome = Session.open([project], Settings()).rewrite(unsafe=False)
    assert outcome.changes == ()
    reasons = {one.finding.code: one.outcome for one in outcome.left}
    assert isinstance(reasons["DLF101"], Refused)
    assert "data.py:9 would still fail" in reasons["DLF101"].reason


def test_what_is_held_back_names_what_has_no_fix(project):
    lambdas = "        self.transform = [transform, lambda row: row * 2, lambda row: row]\n"
    (project / "pkg" / "data.py").write_text(
        HALF.replace("        self.transform = transform\n", lambdas)
    )
    left = Session.open([project], Settings()).rewrite(unsafe=False).left
    reasons = [one.outcome.reason for one in left if one.finding.code == "DLF101"]
    assert len(reasons) == 3
    assert all("data.py:9 would still fail" in reason for reason in reasons)


def test_the_arguments_of_a_loader_are_pickled_together(project):
    (project / "pkg" / "data.py").write_text(HALF.replace("lambda row: row + 1", "str"))
    train = LOADER.replace("num_workers=2", "num_workers=2, collate_fn=lambda batch: batch")
    (project / "pkg" / "train.py").write_text(train)
    found = {
        one.finding.code: one.outcome for one in Session.open([project], Settings()).diagnoses()
    }
    assert isinstance(found["DLF101"], Refused)
    assert "would still fail" in found["DLF101"].reason


@pytest.mark.parametrize("starts", ["for batch in DATA:", "if False:"])
def test_a_guard_is_of_no_use_while_an_imported_module_starts_workers(tmp_path, starts):
    (tmp_path / "data.py").write_text(
        "from torch.utils.data import DataLoader\n"
        "DATA = DataLoader(range(8), num_workers=2)\n"
        f"{starts}\n    print(len(batch))\n"
    )
    (tmp_path / "train.py").write_text(
        "from data import DATA\nfor batch in DATA:\n    print(batch)\n"
    )
    outcome = Session.open([tmp_path], Settings()).rewrite(unsafe=False)
    alone = starts == "if False:"
    assert [each.path.name for each in outcome.changes] == (["train.py"] if alone else [])
    reasons = [each.outcome.reason for each in outcome.left]
    assert alone or any("data.py:3, which runs on import of the script" in r for r in reasons)


def test_a_fix_is_made_for_the_callers_whose_other_arguments_can_be_sent(tmp_path):
    (tmp_path / "main.py").write_text(
        "from torch.utils.data import DataLoader, Dataset\n"
        "class Bad(Dataset):\n"
        "    def __init__(self, rows):\n"
        "        self.rows = (row for row in rows)\n"
        "    def __len__(self):\n"
        "        return 4\n"
        "    def __getitem__(self, i):\n"
        "        return next(self.rows)\n"
        "def make(dataset):\n"
        "    return DataLoader(dataset, collate_fn=lambda batch: batch, num_workers=2)\n"
        "def main():\n"
        "    print(list(make([1, 2])), list(make(Bad([1, 2]))))\n"
    )
    found = {
        one.finding.code: one.outcome for one in Session.open([tmp_path], Settings()).diagnoses()
    }
    assert isinstance(found["DLF206"], Refused)
    assert isinstance(found["DLF101"], Fix)


def apart_below(tmp_path, *names, **texts):
    """The projects in a folder with these files, by their files' names."""
    for name in (*names, *texts):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts.get(name, ""))
    files = [tmp_path / name for name in (*names, *texts) if name.endswith(".py")]
    groups = surroundings.apart(files, Path.read_bytes)
    return [[path.relative_to(tmp_path).as_posix() for path in group] for group in groups]


ONE, OTHER = "one/one/__init__.py", "other/other/__init__.py"


def test_projects_that_lie_in_a_folder_are_apart(tmp_path):
    assert apart_below(tmp_path, ONE, "one/setup.py", OTHER) == [[ONE, "one/setup.py"], [OTHER]]


@pytest.mark.parametrize(
    "more", ["pyproject.toml", "run.py", "one/__init__.py"],
    ids=["a project of its own", "a script beside them", "packages side by side"],
)  # fmt: skip
def test_folders_that_belong_together_are_one_project(tmp_path, more):
    assert len(apart_below(tmp_path, ONE, OTHER, more)) == 1


@pytest.mark.parametrize(
    "line", ["import other.tools", "from other import (tools)", "from other.tools import x"]
)
def test_what_is_imported_from_the_folder_beside_is_one_project(tmp_path, line):
    assert len(apart_below(tmp_path, OTHER, "other/tools.py", **{ONE: f"x = 1\n{line}\n"})) == 1


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'other'))", 1),
        ("sys.path.insert(0, '../other')", 1),
        ("sys.path.append('..')", 2),
        ("path.append('other')", 2),
    ],
)
def test_a_folder_beside_that_is_put_on_the_path_is_of_one_project(tmp_path, line, count):
    assert len(apart_below(tmp_path, OTHER, **{ONE: f"import os, sys\n{line}\n"})) == count


def test_an_import_of_the_package_in_it_leaves_a_project_apart(tmp_path):
    assert (
        len(apart_below(tmp_path, OTHER, **{ONE: "import other.missing\nfrom one import other\n"}))
        == 2
    )


SHARED = """
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


def make(name):
    transform = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: x + 1)])
    if name == "lsun":
        return datasets.LSUN("a", "train", transform)
    OTHER


def main(name):
    for batch in DataLoader(make(name), num_workers=2):
        print(batch)
"""


@pytest.mark.parametrize(
    ("other", "is_fixed"),
    [
        ('return datasets.ImageFolder("a", transform)', True),
        ('return datasets.ImageFolder("a", transform, target_transform=len)', True),
        ('return datasets.LSUNClass("a", transform)', False),
        ('return datasets.ImageFolder("a")', False),
    ],
)
def test_a_transform_is_fixed_for_the_dataset_that_is_whole_then(tmp_path, other, is_fixed):
    """A dataset of LSUN cannot be sent, whatever its transform is."""
    (tmp_path / "main.py").write_text(SHARED.replace("OTHER", other))
    found = Session.open([tmp_path], Settings()).diagnoses()
    (outcome,) = {one.outcome for one in found if one.finding.code == "DLF101"}
    assert isinstance(outcome, Fix) is is_fixed
    if not is_fixed:
        assert "LSUN" in outcome.reason


POOLED = """
import multiprocessing


def work(row):
    return row * SCALE


if __name__ == "__main__":
    SCALE = int(input())
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, [1, 2]))
"""


def test_a_pool_has_an_initializer_that_could_set_a_name(tmp_path):
    (tmp_path / "main.py").write_text(POOLED)
    (found,) = Session.open([tmp_path], Settings()).diagnoses()
    assert found.finding.code == "DLF303"
    assert isinstance(found.outcome, Fix)
    assert found.outcome.message == "Set `SCALE` in each worker with `_init_worker`"


def test_a_pool_of_another_function_gets_no_initializer(tmp_path):
    made = "def pooled():\n    return multiprocessing.Pool(2)\n\n\n"
    text = POOLED.replace("def work", made + "def work")
    (tmp_path / "main.py").write_text(text.replace("with multiprocessing.Pool(2)", "with pooled()"))
    (found,) = Session.open([tmp_path], Settings()).diagnoses()
    assert isinstance(found.outcome, Refused)
    assert "(main.py:16)" in found.outcome.reason


SLICER = """
class Slicer:
    def __init__(self, file):
        self.file = file
        self.events = {}
        for name in "xy":
            self.events[name] = self.file[name]
"""
SLICED = """
import h5py
from slicer import Slicer
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, path):
        self.slicer = Slicer(h5py.File(path, "r"))

    def __getitem__(self, i):
        return self.slicer.events["x"][i]


def main():
    DataLoader(Data("a"), num_workers=2)
"""


def test_what_hangs_from_a_file_that_another_module_opens_is_refused_with_a_reason(tmp_path):
    (tmp_path / "main.py").write_text(SLICED)
    (tmp_path / "slicer.py").write_text(SLICER)
    found = Session.open([tmp_path], Settings()).diagnoses()
    assert {one.finding.code for one in found} == {"DLF201", "DLF205"}
    assert all(isinstance(one.outcome, Refused) for one in found)
    assert not any("internal error" in one.outcome.reason for one in found)
