"""Cold runs of dlfix beside peers', on one tree, in one run: what counts is the ratio.

    python benchmarks/cold_run.py [TREE] [--rounds 5]

The tree is by default the installed torch package. Commands take turns, so that what else the
machine does hits all of them; the median is told. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

PARSE = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try: ast.parse(path.read_bytes())
    except (SyntaxError, ValueError): pass
"""


def commands(tree: Path) -> dict[str, list[str]]:
    """Return what to run, by name; the first is what the others are compared with."""
    found = {
        "dlfix check": [sys.executable, "-m", "dlfix", "check", "--output-format", "concise"],
        "ast.parse of all files": [sys.executable, "-c", PARSE],
    }
    if importlib.util.find_spec("ruff"):
        found["ruff check --no-cache"] = [sys.executable, "-m", "ruff", "check", "--no-cache", "-q"]
    for peer in ("torchfix", "fixit"):
        if shutil.which(peer):
            found[peer] = [peer, *(["lint"] if peer == "fixit" else [])]
    return {name: [*command, str(tree)] for name, command in found.items()}


def seconds(command: list[str]) -> float:
    """Time one run."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    tree = args.tree or Path(importlib.util.find_spec("torch").origin).parent
    files = list(tree.rglob("*.py"))
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{tree.name}: {len(files)} files, {size:.1f} MB; median of {args.rounds} runs")
    chosen = commands(tree)
    times: dict[str, list[float]] = {name: [] for name in chosen}
    for _ in range(args.rounds):
        for name, command in chosen.items():
            times[name].append(seconds(command))
    own = statistics.median(times["dlfix check"])
    for name, measured in times.items():
        median = statistics.median(measured)
        print(f"{name:<24} {median:7.2f} s   {median / own:6.2f} x dlfix")


if __name__ == "__main__":
    main()
