"""Objects that YAML files and packaging files name, and modules whose names are computed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from dlfix.project import declared
from tests.reach.marked import check, program

SETS = """\
--- pkg/__init__.py
--- pkg/sets.py
class Cats:
    def __init__(self, *args, **kwargs):
        self.f = lambda x: x{found}
class Net:
    def __init__(self):
        self.f = lambda x: x
def make_collate():
    return lambda batch: batch{collate}
"""
HYDRA = "--- train.py\nimport hydra\nfrom torch.utils.data import DataLoader\n"
LOADED = "    return DataLoader({}, num_workers=2)\n"


def _sets(*, found: bool = True, collate: bool = False) -> str:
    return SETS.format(found="  # !DLF101" * found, collate="  # !DLF101" * collate)


PROGRAMS = [
    program(
        "the target under the key of the setting is followed, that under another key is not",
        "--- conf/run.yaml\n"
        "model:\n  _target_: pkg.sets.Net\ndata:\n  train:  # the images\n    _target_: pkg.sets.Cats\n"
        + _sets()
        + HYDRA
        + "@hydra.main(config_path='conf', config_name='run')\ndef main(cfg):\n"
        "    net = hydra.utils.instantiate(cfg.model)\n"
        + LOADED.format("hydra.utils.instantiate(cfg.data.train)"),
    ),
    program(
        "a file of a configuration group is the setting of the group's name",
        "--- conf/collate/plain.yml\n_target_: pkg.sets.make_collate\n"
        + _sets(found=False, collate=True)
        + HYDRA
        + "def main(cfg, rows):\n"
        "    collate = hydra.utils.instantiate(cfg['collate'])\n"
        "    return DataLoader(rows, num_workers=2, collate_fn=collate)\n",
    ),
    program(
        "a function's parameter is the setting that is passed to it",
        "--- conf/run.yaml\ndata:\n  _target_: pkg.sets.Cats\n"
        + _sets()
        + HYDRA
        + "def build(cfg):\n    return hydra.utils.instantiate(cfg)\n"
        "def main(cfg):\n" + LOADED.format("build(cfg.data)"),
    ),
    program(
        "a target that a target is given",
        "--- conf/run.yaml\ndata:\n  _target_: torch.utils.data.Subset\n  dataset:\n"
        "    _target_: pkg.sets.Cats\n  indices: [1, 2]\n"
        + _sets()
        + HYDRA
        + "def main(cfg):\n"
        + LOADED.format("hydra.utils.instantiate(cfg.data)"),
    ),
    program(
        "a target in braces, and settings that an anchor shares",
        "--- conf/run.yaml\nshared: &sets {_target_: pkg.sets.Cats, seed: 3}\ntrain:\n  data: *sets\n"
        + _sets()
        + HYDRA
        + "def main(cfg):\n"
        + LOADED.format("hydra.utils.instantiate(cfg.train.shared)"),
    ),
    program(
        "a file that is no YAML beside one that is",
        "--- conf/old.yaml\ndata: {_target_: pkg.sets.Cats\n--- conf/loop.yaml\n"
        "data: &a\n  _target_: pkg.sets.Net\n  again: *a\n--- conf/run.yaml\nsets:\n  _target_: pkg.sets.Cats\n"
        + _sets()
        + HYDRA
        + "def main(cfg):\n"
        + LOADED.format("hydra.utils.instantiate(cfg.sets)"),
    ),
    program(
        "a loader that a YAML file names, with its workers",
        "--- conf/run.yaml\nloader:\n  _target_: torch.utils.data.DataLoader\n  num_workers: 4\n"
        "  dataset:\n    _target_: pkg.sets.Cats\n" + _sets() + "--- train.py\nimport hydra\n"
        "def main(cfg):\n    return list(hydra.utils.instantiate(cfg.loader))\n",
    ),
    program(
        "a loader that a YAML file names without workers",
        "--- conf/run.yaml\nloader:\n  _target_: torch.utils.data.DataLoader\n  num_workers: 0\n"
        "  dataset:\n    _target_: pkg.sets.Cats\n" + _sets(found=False) + "--- train.py\n"
        "import hydra\ndef main(cfg):\n    return list(hydra.utils.instantiate(cfg.loader))\n",
    ),
    program(
        "an entry point of pyproject.toml, in a loop over its group",
        "--- pyproject.toml\n[project.entry-points.'pkg.sets']\ncats = 'pkg.sets:Cats'\n"
        + _sets()
        + "--- pkg/train.py\nfrom importlib.metadata import entry_points\n"
        "from torch.utils.data import DataLoader\ndef main():\n"
        "    for entry in entry_points(group='pkg.sets'):\n"
        "        DataLoader(entry.load()(), num_workers=2)\n",
    ),
    program(
        "an entry point of setup.cfg, by its name",
        "--- setup.cfg\n[options.entry_points]\npkg.sets =\n    cats = pkg.sets:Cats\n"
        + _sets()
        + "--- pkg/train.py\nfrom importlib import metadata\n"
        "from torch.utils.data import DataLoader\ndef main(name):\n"
        "    (entry,) = metadata.entry_points(group='pkg.sets', name=name)\n"
        + LOADED.format("entry.load()()"),
    ),
    program(
        "an entry point of setup.py, in a dict",
        "--- setup.py\nfrom setuptools import setup\n"
        "setup(name='pkg', entry_points={'pkg.sets': ['cats = pkg.sets:Cats']})\n"
        + _sets()
        + "--- pkg/train.py\nimport pkg_resources\nfrom torch.utils.data import DataLoader\n"
        "def main(name):\n"
        "    sets = {e.name: e.load() for e in pkg_resources.iter_entry_points('pkg.sets')}\n"
        + LOADED.format("sets[name]()"),
    ),
    program(
        "an entry point of another group",
        "--- pyproject.toml\n[project.entry-points.'pkg.models']\ncats = 'pkg.sets:Cats'\n"
        + _sets(found=False)
        + "--- pkg/train.py\nfrom importlib.metadata import entry_points\n"
        "from torch.utils.data import DataLoader\ndef main():\n"
        "    for entry in entry_points(group='pkg.sets'):\n"
        "        DataLoader(entry.load()(), num_workers=2)\n",
    ),
    program(
        "a module of a package whose name is computed",
        _sets() + "--- train.py\nimport importlib\nfrom torch.utils.data import DataLoader\n"
        "def main(name):\n    module = importlib.import_module(f'pkg.{name}')\n"
        + LOADED.format("module.Cats()"),
    ),
    program(
        "a dotted name that is taken apart",
        _sets() + "--- train.py\nimport importlib\nfrom torch.utils.data import DataLoader\n"
        "def load(path):\n    module, name = path.rsplit('.', 1)\n"
        "    return getattr(importlib.import_module(module), name)\n"
        "def main():\n" + LOADED.format("load('pkg.sets.Cats')()"),
    ),
]


@pytest.mark.parametrize("limit", ["_MOST_FILES", "_MOST_FOLDERS"])
def test_more_settings_than_are_read_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    files = {
        "conf/a/run.yaml": "_target_: data.Cats\n",
        "conf/b/run.yaml": "_target_: data.Cats\n",
        "train.py": "import hydra\nfrom torch.utils.data import DataLoader\n"
        "def main(cfg):\n    return DataLoader(hydra.utils.instantiate(cfg.run), num_workers=2)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert not _is_cut_short(tmp_path)
    monkeypatch.setattr(declared, limit, 1)
    assert _is_cut_short(tmp_path)


def _is_cut_short(folder: Path) -> bool:
    said = CliRunner().invoke(app, ["check", "--no-cache", str(folder)]).stderr
    return "too large to be analyzed completely" in said


@pytest.mark.parametrize("text", PROGRAMS)
def test_objects_named_elsewhere(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
