"""A local class whose library only its function imports goes to a module that the function imports."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import dlfix
from dlfix.cli import app

MAIN = """
from torch.utils.data import DataLoader

from store.rows import Rows

if __name__ == "__main__":
    for row in DataLoader(Rows().to_torch(2), num_workers=2):
        print(row)
"""
ROWS = """
import json

class Rows:
    def to_torch(self, scale):
        import torch

        class TorchRows(torch.utils.data.Dataset):
            def __len__(self):
                return 3
            def __getitem__(self, index):
                return {value}

        return TorchRows()
"""


def write(folder: Path, rows: str, main: str = MAIN, **others: str) -> None:
    files = {"main": main, "store/__init__": "", "store/rows": rows}
    for name, text in (files | {k.replace("__", "/"): v for k, v in others.items()}).items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def finding(folder: Path) -> dlfix.Finding:
    [found] = [each for each in dlfix.check([folder], isolated=True) if each.code == "DLF103"]
    return found


def refused(folder: Path) -> str:
    found = finding(folder)
    assert found.fix is None
    return found.refused or ""


def test_it_is_named_after_its_library_and_what_makes_it(tmp_path):
    write(tmp_path, ROWS.format(value="index * scale"))
    fix = finding(tmp_path).fix
    assert fix is not None
    assert "Move the class `TorchRows` to _torch_rows.py" in fix.message


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (ROWS.format(value="LIMIT"), "reads `LIMIT` of its module"),
        (ROWS.format(value="__name__"), "`__name__` may mean something else"),
        (ROWS.format(value="other.first()"), "leads back"),
        (ROWS.format(value="index").replace("        import torch\n", "        if scale:\n            import torch\n"), "may not be imported"),
        (
            ROWS.format(value="index").replace("        import torch\n", "        try:\n            import torch\n        except ImportError:\n            pass\n"),
            "may not be imported",
        ),
        (ROWS.format(value="index").replace("(self, index)", '(self, index: "Rows")'), "is a text"),
    ],
)  # fmt: skip
def test_what_another_module_cannot_have_stays(tmp_path, rows, reason):
    if reason == "leads back":
        rows = rows.replace("import json", "import json\nfrom store import other")
        reason = "other.py imports rows.py"
    write(tmp_path, "LIMIT = 3\n" + rows, store__other="import store.rows\n")
    assert reason in refused(tmp_path)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"store__run": "import rows\n"}, "imported as a part of a package"),
        ({"store__run": "import pkgutil\nprint([*pkgutil.iter_modules(['.'])])\n"}, "goes through"),
        ({"show": "def show(x):\n    return type(x).__module__\n"}, "`__module__` is read"),
        ({"setup": "from setuptools import setup\nsetup(py_modules=['rows'])\n"}, "setup.py lists"),
    ],
)
def test_what_other_files_do(tmp_path, others, reason):
    write(tmp_path, ROWS.format(value="index"), **others)
    assert reason in refused(tmp_path)


def test_a_file_of_that_name_is_left_alone(tmp_path):
    write(tmp_path, ROWS.format(value="index"), store___torch_rows="import torch\n")
    fix = finding(tmp_path).fix
    assert fix is not None
    assert "_torch_rows_to_torch.py" in fix.message


SCRIPT = """

def main():
    from torch.utils.data import DataLoader
    for row in DataLoader(Rows().to_torch(2), num_workers=2):
        print(row)

if __name__ == "__main__":
    main()
"""


def test_a_script_imports_what_lies_beside_it(tmp_path):
    rows = ROWS.format(value="index * scale") + SCRIPT
    (tmp_path / "train.py").write_text(rows, encoding="utf-8")
    done = CliRunner().invoke(app, ["apply", "--diff", "--isolated", str(tmp_path)])
    assert "+        from _torch_rows import TorchRows" in done.stdout


def test_a_script_in_a_package_may_be_run_in_two_ways(tmp_path):
    write(tmp_path, ROWS.format(value="index * scale") + SCRIPT, main="")
    assert "imported as a part of a package" in refused(tmp_path)


def test_the_full_name_of_the_class_is_read(tmp_path):
    main = MAIN.replace(
        "    for", "    rows = Rows().to_torch(2)\n    print(type(rows).__qualname__)\n    for"
    )
    write(tmp_path, ROWS.format(value="index"), main=main)
    assert "__qualname__" in refused(tmp_path)


def test_private_names_of_the_object_around_stay_its_own(tmp_path):
    helper = (
        "        def read(index):\n            return self.__rows[index]\n\n        class Torch"
    )
    rows = ROWS.format(value="read(index)").replace("        class Torch", helper)
    write(tmp_path, rows)
    assert refused(tmp_path)


# End to end


def test_it_is_created_and_removed_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ROWS.format(value="index * scale"))
    before, made = (tmp_path / "store/rows.py").read_text(), tmp_path / "store/_torch_rows.py"
    diff = CliRunner().invoke(app, ["apply", "--diff", "--isolated", "."])
    assert "--- /dev/null\n+++ b/store/_torch_rows.py" in diff.stdout
    assert not made.exists()
    done = CliRunner().invoke(app, ["apply", "--isolated", "."])
    assert "1 file rewritten, 1 file created" in done.stdout
    assert "def __init__(self, scale):" in made.read_text()
    again = CliRunner().invoke(app, ["check", "--isolated", "."])
    assert again.exit_code == 0
    assert CliRunner().invoke(app, ["undo"]).exit_code == 0
    assert not made.exists()
    assert (tmp_path / "store/rows.py").read_text() == before


def test_a_file_that_is_named_gets_a_module_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ROWS.format(value="index * scale"))
    CliRunner().invoke(app, ["apply", "--isolated", "store/rows.py"])
    assert (tmp_path / "store/_torch_rows.py").exists()


def test_another_file_that_is_named_gets_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ROWS.format(value="index * scale"))
    CliRunner().invoke(app, ["apply", "--isolated", "main.py"])
    assert not (tmp_path / "store/_torch_rows.py").exists()


def test_a_text_on_standard_input_gets_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ROWS.format(value="index * scale"))
    text = (tmp_path / "store/rows.py").read_text()
    args = ["apply", "--isolated", "--stdin-filename", "store/rows.py", "-"]
    done = CliRunner().invoke(app, args, input=text)
    assert done.stdout == text
    assert not (tmp_path / "store/_torch_rows.py").exists()


def test_the_fix_is_announced_with_both_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, ROWS.format(value="index * scale"))
    done = CliRunner().invoke(app, ["check", "--isolated", "--output-format", "json", "."])
    assert "_torch_rows.py" in done.stdout
