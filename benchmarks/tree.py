"""The tree that is measured: packages of machine learning from PyPI, each in a folder of its own, Python files only."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The versions are fixed: a run can be repeated, and two commits compared.
PACKAGES = {
    "nnunetv2": "2.8.1",
    "braindecode": "1.8.1",
    "kornia": "0.9.0",
    "timm": "1.0.31",
    "ultralytics": "8.4.190",
    "monai": "1.6.1",
    "speechbrain": "1.1.2",
    "torch_geometric": "2.8.1",
    "transformers": "5.24.0",
    "espnet": "202511",
}


def build(folder: Path) -> list[Path]:
    """Install the packages that are not there yet; return the folder of each."""
    for name, version in PACKAGES.items():
        if not (folder / name).is_dir():
            _install(f"{name}=={version}", folder / name)
    return [folder / name for name in PACKAGES]


def _install(requirement: str, to: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        words = ["install", "--quiet", "--no-deps", "--no-compile", "--target", work, requirement]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        copy(Path(work), to)


def copy(tree: Path, to: Path) -> Path:
    """Copy the Python files of a tree."""
    for path in tree.rglob("*.py"):
        if path.is_file():
            target = to / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return to
