"""Names of a module or class that only the parent sets, by code that does not spell them (DLF303)."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

SETTINGS = (
    '"""Defaults."""\nGAIN = 1.0\nBASELINE = 0.0\nlevel = 3\n\n\ndef scale(x):\n    return x\n'
)
ROWS = """from torch.utils.data import Dataset
from pkg import settings


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return settings.scale(index) * settings.GAIN
"""
MAIN = """import argparse, importlib, json, sys
import pkg.settings
from torch.utils.data import DataLoader
from pkg import settings
from pkg.rows import Rows

CHANGED = {{"GAIN": 4.0}}
OTHER = {{"BASELINE": 4.0}}


class Options:
    pass


def override(module, values):
    for key, value in values.items():
        if hasattr(module, key):
            setattr(module, key, value)


{before}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gain", type=float, default=3.0)
    args = parser.parse_args()
    {change}
    for batch in DataLoader(Rows(), num_workers=2{options}):
        print(batch)


if __name__ == "__main__":
    main()
"""
SURELY = [
    "setattr(settings, 'GAIN', 4.0)",
    "for key, value in CHANGED.items(): setattr(settings, key, value)",
    "for key in ('GAIN', 'BASELINE'): setattr(settings, key, 2.0)",
    "vars(pkg.settings).update(GAIN=4.0)",
    "settings.__dict__.update(CHANGED)",
    "vars(settings)['GAIN'] = 4.0",
    "override(settings, CHANGED)",
    "module = importlib.import_module('pkg.settings'); setattr(module, 'GAIN', 4.0)",
]
PERHAPS = [
    "for key, value in vars(args).items(): setattr(settings, key.upper(), value)",
    "settings.__dict__.update(json.loads(sys.argv[1]))",
    "override(settings, json.loads(sys.argv[1]))",
]
OTHERS = [
    "for key, value in OTHER.items(): setattr(settings, key, value)",
    "for key, value in CHANGED.items(): setattr(Options, key, value)",
    "options = Options(); override(options, CHANGED)",
    "settings.__dict__.get('GAIN')",
    "vars(args).update(GAIN=4.0)",
    "for key, value in json.loads('{}').items(): setattr(settings, key.lower(), value)",
    "parser.parse_args(); [setattr(settings, k, v) for k, v in OTHER.items()]",
]


def found(folder: Path, change: str, before: str = "", options: str = "") -> list[str]:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").touch()
    (folder / "pkg" / "settings.py").write_text(SETTINGS)
    (folder / "pkg" / "rows.py").write_text(ROWS)
    text = MAIN.format(change=change, before=before, options=options)
    (folder / "main.py").write_text(text)
    return [each.message for each in dlfix.check([folder], isolated=True)]


@pytest.mark.parametrize("change", SURELY)
def test_what_is_set_under_a_name_in_view_is_found(change: str, tmp_path: Path):
    (message,) = found(tmp_path, change)
    assert message == (
        "`GAIN` is read in a worker by `Rows.__getitem__` (rows.py:10) but set only in the parent"
    )


@pytest.mark.parametrize("change", PERHAPS)
def test_what_names_out_of_view_may_mean_is_said_to_be_possible(change: str, tmp_path: Path):
    (message,) = found(tmp_path, change)
    assert "`GAIN`" in message
    assert message.endswith("but may be set only in the parent")


@pytest.mark.parametrize("change", OTHERS)
def test_other_names_and_other_objects_are_not(change: str, tmp_path: Path):
    assert found(tmp_path, change) == []


def test_what_each_import_sets_is_not(tmp_path: Path):
    assert found(tmp_path, "pass", before="override(settings, CHANGED)") == []


def test_what_each_worker_sets_as_well_is_not(tmp_path: Path):
    setting = "def configure(_=0):\n    override(settings, CHANGED)"
    assert found(tmp_path, "configure()", setting, ", worker_init_fn=configure") == []


CLASSES = """import argparse, json, sys
from torch.utils.data import DataLoader, Dataset


class Config:
    gain = 1.0
    level = 2
    loaded = max(1, 2)

    @classmethod
    def update(cls, **options):
        for key, value in options.items():
            setattr(cls, key, value)


class Other:
    gain = 1.0


class Rows(Dataset):
    step = 1

    def __init__(self):
        self.level = Config.level

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index * {read}


{before}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gain", type=float, default=3.0)
    parser.add_argument("--loaded", type=int, default=3)
    args = parser.parse_args()
    {change}
    for batch in DataLoader(Rows(), num_workers=2{options}):
        print(batch)


if __name__ == "__main__":
    main()
"""


def found_on_class(
    folder: Path, change: str, read: str = "Config.gain", before: str = "", options: str = ""
) -> list[str]:
    text = CLASSES.format(change=change, read=read, before=before, options=options)
    (folder / "main.py").write_text(text)
    return [each.message for each in dlfix.check([folder], isolated=True)]


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("setattr(Config, 'gain', 4.0)", "Config.gain"),
        ("for key, value in {'gain': 4.0}.items(): setattr(Config, key, value)", "Config.gain"),
        ("Config.update(gain=args.gain)", "Config.gain"),
        ("Config.update(**{'loaded': 2})", "Config.loaded"),
        ("for key in ('step', 'level'): setattr(Rows, key, 2)", "self.step"),
    ],
)
def test_attributes_of_a_class_under_names_in_view_are_found(
    change: str, read: str, tmp_path: Path
):
    (message,) = found_on_class(tmp_path, change, read)
    assert message.endswith("but set only in the parent")


@pytest.mark.parametrize(
    "change",
    [
        "for key, value in vars(args).items(): setattr(Config, key, value)",
        "for key, value in json.load(sys.stdin).items(): setattr(Config, key, value)",
        "Config.update(**json.load(sys.stdin))",
    ],
)
def test_attributes_of_a_class_that_names_out_of_view_may_mean_are_said_to_be_possible(
    change: str, tmp_path: Path
):
    (message,) = found_on_class(tmp_path, change)
    assert message.endswith("but may be set only in the parent")


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("setattr(Other, 'gain', 4.0)", "Config.gain"),
        ("setattr(args, 'gain', 4.0)", "Config.gain"),
        ("for key, value in {'level': 4.0}.items(): setattr(Config, key, value)", "Config.gain"),
        ("for key, value in vars(args).items(): setattr(Config, key, value)", "self.level"),
        ("for key, value in vars(args).items(): setattr(Config, key, value)", "Config.level"),
        ("for key, value in json.load(sys.stdin).items(): setattr(Config, key, value)",
         "Config.loaded"),
    ],
)  # fmt: skip
def test_other_attributes_and_other_classes_are_not(change: str, read: str, tmp_path: Path):
    assert found_on_class(tmp_path, change, read) == []


def test_attributes_that_imports_or_workers_set_as_well_are_not(tmp_path: Path):
    assert found_on_class(tmp_path, "pass", before="setattr(Config, 'gain', 4.0)") == []
    before = "def configure(_=0):\n    Config.update(gain=4.0)"
    assert (
        found_on_class(tmp_path, "configure()", "Config.gain", before, ", worker_init_fn=configure")
        == []
    )


def test_attributes_that_one_place_sets_are_one_finding(tmp_path: Path):
    change = "Config.update(gain=args.gain, level=4)"
    (message,) = found_on_class(tmp_path, change, "Config.gain * Config.level")
    assert message == (
        "`Config.level` and `Config.gain` are read in a worker by `Rows.__getitem__` but set only in the parent"
    )
