"""Names of a module that only the parent sets, by code that does not spell them (DLF303)."""

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
