"""Programs found by what they reach in dlfix, for long runs: `make fuzz-guided SECONDS=3600`.

It begins with the goldens and changes them as `mutations` does, or byte by byte. A program of which something
is wrong ends the run, and is written to the working directory as `crash-...`. Needs atheris (Linux, CPython 3.11 to 3.13).
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

import atheris

import dlfix
import dlfix_codemods

with atheris.instrument_imports(include=["dlfix", "dlfix_codemods"]):
    for package in (dlfix, dlfix_codemods):  # what is imported later is not led by
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__") and ".runtime" not in module.name:
                with contextlib.suppress(ImportError):
                    importlib.import_module(module.name)
    from tests.sweep.mutations import mutated
    from tests.sweep.oracle import wrongs

GOLDEN = Path(__file__).parents[2] / "golden"
PATH = Path(tempfile.gettempdir(), "main.py")


def one(data: bytes) -> None:
    """Fail if dlfix does anything wrong with a program."""
    try:
        source = data.decode()
    except UnicodeDecodeError:
        return
    found = list(wrongs(source, PATH))
    assert not found, found


def change(data: bytes, limit: int, seed: int) -> bytes:
    """Change a program by its lines, and every fourth time by its bytes."""
    if seed % 4 == 0:
        return bytes(atheris.Mutate(data, limit))
    source = data.decode(errors="replace") or "\n"
    try:
        return mutated(source, seed).encode(errors="replace")[:limit]
    except IndexError:  # no names to exchange
        return data


def main() -> None:
    """Run with the goldens, and with the options of libFuzzer."""
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(sorted(GOLDEN.rglob("before/*.py"))):
            Path(folder, str(number)).write_bytes(path.read_bytes())
        atheris.Setup(
            [*sys.argv, folder, "-max_len=20000"],
            one,
            custom_mutator=change,
            enable_python_coverage=True,
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
