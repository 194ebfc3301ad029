"""What dlfix costs beside other tools on the same trees, in one run: what counts are the ratios.

    python benchmarks/cold_run.py [TREE ...] [--rounds 5] [--together]

The tree is by default the installed torch package. Each is copied first under its own name (Python files only), so that
its imports resolve and it can be edited: before each run a statement is put into another function, chosen at random; how many of these runs
analyzed nothing again is printed, too. With --together they are measured as one folder of
projects; the edited functions are then those of the smallest project, and of the largest. Commands take turns, so that what else the
machine does hits all of them; CPU seconds of user and system are counted, as others may use the machine, and the median is printed.
What is not installed is left out.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tree import copy

PARSE = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try: ast.parse(path.read_bytes())
    except (SyntaxError, ValueError): pass
"""
STATS = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        os.stat(os.path.join(folder, name))
"""


@dataclass
class Command:
    """A command, and what its runs took."""

    words: list[str]
    before: Callable[[], object] = lambda: None
    seconds: list[float] = field(default_factory=list)
    memory: int = 0  # bytes, at most

    def run(self) -> None:
        """Run once more."""
        self.before()
        process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
        self.seconds.append(used.ru_utime + used.ru_stime)
        self.memory = max(self.memory, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))

    @property
    def median(self) -> float:
        """CPU seconds."""
        return statistics.median(self.seconds)


def commands(tree: Path, work: Path) -> dict[str, Command]:
    """Return what to run, by name."""
    empty, clean, caches = work / "empty", work / "clean", work / "caches"
    # A cache that is made beside a tree changes what the tree's folder holds.
    for folder in (empty, clean, caches):
        folder.mkdir()
    cache, other = str(caches / "cache"), str(caches / "edited")
    (clean / "clean.py").write_text("x = 1\n")
    check = [sys.executable, "-m", "dlfix", "check", "-q", "--output-format", "concise"]
    found = {
        "cold": Command([*check, "--no-cache", str(tree)]),
        "again": Command([*check, "--cache-dir", cache, str(tree)]),
        "start": Command([*check, "--cache-dir", cache, str(empty)]),
        "clean": Command([*check, "--no-cache", str(clean)]),
        "typer": Command([sys.executable, "-c", "import typer"]),
        "parse": Command([sys.executable, "-c", PARSE, str(tree)]),
        "stats": Command([sys.executable, "-c", STATS, str(tree)]),
        "python": Command([sys.executable, "-c", "import os, sys"]),
    }
    for name, project in edited(tree).items():
        copied = copy(tree, work / name / tree.name)
        words = [*check, "--cache-dir", f"{other}-{name}", str(copied)]
        found[name] = Command(words, Editing(copied / project).edit)
    if importlib.util.find_spec("ruff"):
        words = [sys.executable, "-m", "ruff", "check", "--no-cache", "-q", str(tree)]
        found["ruff"] = Command(words)
    for name, arguments in (("ty", ["check"]), ("pyrefly", ["check"])):
        program = Path(sys.executable).with_name(name)
        if program.exists():
            found[name] = Command([str(program), *arguments, str(tree)])
    for name in ("again", "start", *edited(tree)):  # their first runs are cold
        subprocess.run(
            found[name].words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    return found


def edited(tree: Path) -> dict[str, str]:
    """Return the projects to edit, by what the row is called."""
    files = [path for path in sorted(tree.rglob("*.py")) if path.stat().st_size]
    projects = Counter(path.relative_to(tree).parts[0] for path in files)
    if any(path.parent == tree for path in files) or len(projects) < 2:
        return {"edited": ""}
    ends = {"edited in the smallest": -1, "edited in the largest": 0}
    return {row: projects.most_common()[end][0] for row, end in ends.items()}


class Editing:
    """Puts a statement into a function of a project, each time into another."""

    def __init__(self, folder: Path) -> None:
        self.places = {path: _bodies(path) for path in sorted(folder.rglob("*.py"))}
        self._functions = [(path, *at) for path, places in self.places.items() for at in places]
        random.Random(0).shuffle(self._functions)
        self._edited: set[Path] = set()

    def edit(self) -> None:
        """Edit the next function, in a file that was not edited yet."""
        while self._functions:
            path, row, column = self._functions.pop()
            if path not in self._edited:
                self._edited.add(path)
                lines = path.read_text(encoding="utf-8").split("\n")
                lines.insert(row - 1, " " * column + "added_by_a_benchmark = 1")
                path.write_text("\n".join(lines), encoding="utf-8")
                return


def _bodies(path: Path) -> list[tuple[int, int]]:
    """Return row and column of the first statement of each function."""
    return [
        (node.body[0].lineno, node.body[0].col_offset)
        for node in ast.walk(_tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body[0].lineno > node.lineno
    ]


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def rows(ran: dict[str, Command]) -> Iterator[tuple[str, str, str]]:
    """Yield what was measured: the work, what it took, and the ratio that is aimed at."""
    cold, again = ran["cold"], ran["again"].median
    yield "cold check", f"{cold.median:.2f} s", ""
    if "ruff" in ran:
        yield "  against ruff", *_against(cold.median, ran["ruff"].median)
    for name in ("ty", "pyrefly"):
        if name in ran:
            yield f"  against {name}", *_against(cold.median, ran[name].median)
    yield "  against ast.parse of all files", *_against(cold.median, ran["parse"].median)
    yield "  peak memory", f"{cold.memory / 1e6:.0f} MB", ""
    yield "second run, nothing changed", f"{again:.2f} s", ""
    bare, walk = again - ran["start"].median, ran["stats"].median - ran["python"].median
    yield "  start-up apart, against stat of all files", *_against(bare, walk)
    for name in (each for each in ran if each.startswith("edited")):
        row = f"second run, one function {name}, against cold"
        yield row, *_against(ran[name].median, cold.median)
        few = [seconds for seconds in ran[name].seconds if seconds < cold.median / 2]
        yield "  runs that analyzed nothing again", f"{len(few)} of {len(ran[name].seconds)}", ""
        if few:
            yield "  these, against cold", *_against(statistics.median(few), cold.median)
    yield (
        "one clean file, against `import typer`",
        *_against(ran["clean"].median, ran["typer"].median),
    )


def _against(own: float, other: float) -> tuple[str, str]:
    """Return two times and their ratio; "-" where they are too short to be measured."""
    ratio = f"{own / other:.2f}" if min(own, other) >= 0.02 else "-"
    return f"{own:.2f} s / {other:.2f} s", ratio


def measure(trees: Sequence[Path], rounds: int) -> None:
    """Measure one tree, or several as a folder of projects, and print the table."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        copied = work / "trees" / (trees[0].name if len(trees) == 1 else "tree")
        for tree in trees:
            copy(tree, copied if len(trees) == 1 else copied / tree.name)
        files = list(copied.rglob("*.py"))
        size = sum(path.stat().st_size for path in files) / 1e6
        ran = commands(copied, work)
        for _ in range(rounds):
            for command in ran.values():
                command.run()
    names = ", ".join(tree.name for tree in trees)
    print(f"{names}: {len(files)} files, {size:.1f} MB; CPU seconds, median of {rounds} runs")
    for what, took, ratio in rows(ran):
        print(f"{what:<60} {took:>18} {ratio:>7}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--together", action="store_true")
    args = parser.parse_args()
    trees = args.trees or [Path(importlib.util.find_spec("torch").origin).parent]
    trees = [tree.expanduser() for tree in trees]
    for group in [trees] if args.together else [[tree] for tree in trees]:
        measure(group, args.rounds)


if __name__ == "__main__":
    main()
