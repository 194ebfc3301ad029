"""The table of docs/benchmarks.md: what dlfix costs on a tree of packages of machine learning, and what other tools do.

    python benchmarks/table.py [SECTION ...] [--tree FOLDER] [--rounds 3] [--edits 5] [--write docs/benchmarks.md]

The tree is built from PyPI where it is not there (`tree.py`). What was measured is kept in it, so that sections can be measured one
by one; each says of which commit and day it is. CPU seconds of user and system are counted, because others may use
the machine, and commands that are compared take turns. ty and Pyrefly are measured where they are installed beside Python, or in a
folder of PATH.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from cold_run import STATS, Command, Editing
from tree import PACKAGES, build, copy

ROOT = Path(__file__).resolve().parents[1]
CHECK = [sys.executable, "-m", "dlfix", "check", "-q", "--output-format", "concise"]
RUFF = [sys.executable, "-m", "ruff", "check", "--no-cache", "-q"]
OTHERS = ("pyrefly", "ty")
MIDDLE, LARGEST = "monai", "transformers"
OPEN = Path("monai/transforms/utility/dictionary.py")  # 2,000 lines
KEYSTROKES = "added_here = len([])"
SIZES = (100, 1_000, 10_000)
FILLER = "kornia"  # of which copies fill the trees that grow: nothing in it starts workers
LOADERS = 10
LOADER = """\
from torch.utils.data import DataLoader, Dataset


class Rows{number}(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.transform(index)


def main():
    for batch in DataLoader(Rows{number}(lambda row: row + {number}), num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
"""
Row = tuple[str, ...]


def turns(commands: Sequence[Command], rounds: int) -> None:
    """Run commands in turn."""
    for _ in range(rounds):
        for command in commands:
            command.run()


def against(own: Command, other: Command) -> Row:
    """Return two times and their ratio."""
    return f"{own.median:.2f} s", f"{other.median:.2f} s", f"{own.median / other.median:.2f}"


def memory(command: Command) -> str:
    """Return the most memory that a command took."""
    return f"{command.memory / 1e6:,.0f} MB"


def size(folder: Path) -> tuple[int, float]:
    """Return the number of Python files and their megabytes."""
    files = list(folder.rglob("*.py"))
    return len(files), sum(path.stat().st_size for path in files) / 1e6


# The sections of the page


def each(tree: Path) -> Iterator[Row]:
    """Yield a row for each package: what a cold check of it costs."""
    for name in PACKAGES:
        cold = Command([*CHECK, "--no-cache", str(tree / name)])
        cold.run()
        files, megabytes = size(tree / name)
        yield (
            f"{name} {PACKAGES[name]}", f"{files:,}", f"{megabytes:.1f} MB", f"{cold.median:.2f} s",
            memory(cold),
        )  # fmt: skip


def compared(tree: Path, rounds: int) -> Iterator[Row]:
    """Yield how a cold check of the largest package compares with that of other tools."""
    target = str(tree / LARGEST)
    own = Command([*CHECK, "--no-cache", target])
    others = {"ruff": Command([*RUFF, target])}
    for name in OTHERS:
        program = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if program is not None:
            others[name] = Command([program, "check", target])
    turns([own, *others.values()], rounds)
    for name, other in others.items():
        yield f"{LARGEST}, against {name}", *against(own, other), memory(own), memory(other)


def whole(tree: Path, work: Path, rounds: int, edits: int) -> Iterator[Row]:
    """Yield what the whole tree costs: cold, again, and after edits."""
    copied, empty, cache = copy(tree, work / "tree"), work / "empty", str(work / "cache")
    empty.mkdir()
    kept = [*CHECK, "--cache-dir", cache]
    cold, ruff = Command([*kept, str(copied)]), Command([*RUFF, str(copied)])
    turns([cold, ruff], 1)  # the only cold run that keeps its answers
    yield "cold check, against ruff", *against(cold, ruff), memory(cold), memory(ruff)
    again, start = Command([*kept, str(copied)]), Command([*kept, str(empty)])
    stats = Command([sys.executable, "-c", STATS, str(copied)])
    bare = Command([sys.executable, "-c", "import os, sys"])
    turns([again, start, stats, bare], max(rounds, 5))
    own, walk = again.median - start.median, stats.median - bare.median
    yield (
        "second run, nothing changed, against stat of each file (start-up apart)",
        f"{own:.2f} s", f"{walk:.2f} s", f"{own / walk:.2f}", memory(again), memory(stats),
    )  # fmt: skip
    for name, number in ((MIDDLE, edits), (LARGEST, (edits + 1) // 2)):
        yield from _edited(copied, name, Command([*kept, str(copied)]), cold, number)


def _edited(tree: Path, name: str, after: Command, cold: Command, edits: int) -> Iterator[Row]:
    after.before = Editing(tree / name).edit
    turns([after], edits)
    few = sum(seconds < cold.median / 10 for seconds in after.seconds)
    what = f"second run, one function of {name} edited, against cold"
    yield f"{what} ({few} of {edits} below 0.1)", *against(after, cold), memory(after), memory(cold)


def clean(work: Path, rounds: int) -> Iterator[Row]:
    """Yield what one clean file costs."""
    folder = work / "clean"
    folder.mkdir()
    (folder / "clean.py").write_text("x = 1\n")
    own = Command([*CHECK, "--no-cache", str(folder)])
    other = Command([sys.executable, "-c", "import typer"])
    turns([own, other], max(rounds, 5))
    yield "one clean file, against `import typer`", *against(own, other), memory(own), memory(other)


def keystrokes(tree: Path, work: Path) -> Iterator[Row]:
    """Yield what the language server works between the pause and its diagnostics, in CPU time."""
    from dlfix.editor.readings import Buffers, Reader

    project = copy(tree / MIDDLE, work / "open")
    (project / "pyproject.toml").write_text("")
    path = project / OPEN
    reader, text = Reader(), path.read_text(encoding="utf-8")
    took = []
    for edited in _typed(path, text):
        began = time.process_time()
        reader.read(Buffers({path: edited}))
        took.append((time.process_time() - began) * 1000)
    first, later = took[0], sorted(took[1:])
    at = later[math.ceil(0.95 * len(later)) - 1]
    what = f"{OPEN.name} of {MIDDLE}, {text.count(chr(10)):,} lines, {len(later)} keystrokes"
    yield what, f"{first:,.0f} ms", f"{statistics.median(later):,.0f} ms", f"{at:,.0f} ms"


def _typed(path: Path, text: str) -> Iterator[str]:
    """Yield a text, and then what it is while a line is typed into a function."""
    yield text
    row, column = random.Random(1).choice(Editing(path.parent).places[path])
    lines = text.split("\n")
    for end in range(1, len(KEYSTROKES) + 1):
        yield "\n".join([*lines[: row - 1], " " * column + KEYSTROKES[:end], *lines[row - 1 :]])


def growth(tree: Path, work: Path) -> Iterator[Row]:
    """Yield what the same loaders cost in trees of more and more files: a cold run, and one with nothing changed."""
    fillers = sorted((tree / FILLER).rglob("*.py"))
    for files in SIZES:
        folder = work / f"growth-{files}"
        _grow(folder, files, fillers)
        words = [*CHECK, "--cache-dir", str(work / f"kept-{files}"), str(folder)]
        cold, again = Command(words), Command(words)
        cold.run()
        turns([again], 3)
        shutil.rmtree(folder)
        yield f"{files:,}", f"{cold.median:.2f} s", f"{again.median:.2f} s", memory(cold)


def _grow(folder: Path, files: int, fillers: Sequence[Path]) -> None:
    for number in range(files):
        name = f"package/part{number // len(fillers)}/module{number % len(fillers)}.py"
        path = folder / (f"package/train{number}.py" if number < LOADERS else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if number < LOADERS:
            path.write_text(LOADER.format(number=number))
        else:
            shutil.copyfile(fillers[number % len(fillers)], path)
    for inner in (folder / "package").rglob("*/"):
        (inner / "__init__.py").touch()
    (folder / "package/__init__.py").touch()


# The page

PAGE = """\
# Benchmarks

These numbers are measured by `make bench`. `make bench ARGS="--write docs/benchmarks.md"` measures them
again.

Times are CPU seconds of user and system, not elapsed time, because others may use the machine; the ratios compare commands that
took turns in one run. Where a command ran several times, the median is given. Memory is the peak of one process: dlfix uses one, unless
`--jobs` asks for more.

The tree consists of {packages} packages from PyPI (`benchmarks/tree.py` has their versions).
"""
SECTION = """
## {title}

Measured on {day}, commit `{commit}`, Python {python} on {system}, {cores} cores, rounds: {rounds}.

{rows}

{note}
"""


@dataclass(frozen=True)
class Section:
    """A part of the page: how it is measured, and what it says."""

    title: str
    head: Row
    measure: Callable[[argparse.Namespace, Path], Iterator[Row]]
    note: str


_AGAINST = ("work", "dlfix", "other", "ratio", "memory", "memory of the other")
SECTIONS = {
    "compared": Section(
        "Against other tools", _AGAINST,
        lambda args, work: compared(args.tree, args.rounds),
        "ruff checks each file by itself with its default rules; ty and Pyrefly check the types of the whole package, without\n"
        "its dependencies being installed. They do other work: the ratio says how long you wait, not which tool is better.",
    ),
    "each": Section(
        "Each package, cold", ("package", "files", "size", "CPU time", "memory"),
        lambda args, work: each(args.tree),
        "What a check costs grows with the code that reaches worker processes, not with the size of the package.",
    ),
    "whole": Section(
        "The whole tree", _AGAINST,
        lambda args, work: whole(args.tree, work, args.rounds, args.edits),
        "The last rows put a statement into a function that is chosen at random, each time in another file.",
    ),
    "clean": Section(
        "One clean file", _AGAINST,
        lambda args, work: clean(work, args.rounds),
        "A file that names nothing that starts workers: all of it is start-up.",
    ),
    "keystrokes": Section(
        "The language server", ("file", "first", "median", "95th percentile"),
        lambda args, work: keystrokes(args.tree, work),
        "CPU time from the end of the pause to the diagnostics, while a line is typed into a function. The first reading is of\n"
        "the project when it is opened.",
    ),
    "growth": Section(
        "Growth", ("files", "cold", "nothing changed", "memory, cold"),
        lambda args, work: growth(args.tree, work),
        f"{LOADERS} scripts with a loader each, among more and more files (copies of the files of {FILLER}).",
    ),
}  # fmt: skip


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a table of Markdown."""
    lines = [head, tuple("---" if i == 0 else "--:" for i in range(len(head))), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def measured(section: Section, args: argparse.Namespace) -> dict[str, Any]:
    """Measure a section."""
    with tempfile.TemporaryDirectory() as name:
        rows = list(section.measure(args, Path(name)))
    return {
        "rows": rows, "day": date.today().isoformat(), "commit": _commit(), "rounds": args.rounds,
        "python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count(),
    }  # fmt: skip


def page(found: dict[str, dict[str, Any]]) -> str:
    """Return the page with what was measured."""
    text = PAGE.format(packages=len(PACKAGES))
    for name, section in SECTIONS.items():
        if name in found:
            rows = table(section.head, map(tuple, found[name].pop("rows")))
            text += SECTION.format(title=section.title, note=section.note, rows=rows, **found[name])
    return text


def _commit() -> str:
    words = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--tree", type=Path, default=ROOT / ".venv" / "benchmark-tree")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    build(args.tree)
    for name in args.sections or SECTIONS:
        kept = args.tree / f"{name}.json"
        kept.write_text(json.dumps(measured(SECTIONS[name], args)), encoding="utf-8")
    kept_of = {name: args.tree / f"{name}.json" for name in SECTIONS}
    text = page({n: json.loads(p.read_text("utf-8")) for n, p in kept_of.items() if p.is_file()})
    if args.write is not None:
        args.write.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
