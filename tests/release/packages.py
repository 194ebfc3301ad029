"""Wheel and sdist, built by hatchling in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "codemods", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml")
EPOCH = "1735689600"


def copied(folder: Path) -> Path:
    """Copy what the packages are made of, without what running it left behind."""
    for name in SOURCES:
        if (ROOT / name).is_dir():
            passed = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(ROOT / name, folder / name, ignore=passed)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def build(sources: Path, out: Path) -> list[Path]:
    """Build the wheel and the sdist."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(out)],
        cwd=sources, check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
    )  # fmt: skip
    return sorted(out.iterdir())
