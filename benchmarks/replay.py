"""Replays dlfix over repositories in which people met a worker error, and says what got worse.

    python benchmarks/replay.py --cases cases.json --trees FOLDER [--only ID ...] [--json OUT]

`cases.json` is a list of objects with `id`, `place` ("file.py:12,40; other.py: 7") and `category`;
FOLDER/ID holds the code as it was. The code is copied, never changed in place. All safe fixes are applied
to the copy; then every changed file must compile, what could be imported must still be importable
(libraries that are missing are made up), and instances of the rewritten classes, made with made-up
arguments, must pass through another process with all their attributes.

Importing runs the code of the repositories. They get no network and no subprocesses, and a time limit,
but use a machine that may be thrown away.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SECONDS = 300  # for what dlfix does to one repository
IMPORT_SECONDS = 180
SLOW = "took too long"

Report = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A line that somebody reported; row 0 is the whole file."""

    file: str
    row: int


def places(text: str) -> list[Place]:
    """Read `a.py:1,2; b.py: 3`."""
    found = []
    for part in text.split(";"):
        file, _, rows = part.strip().rpartition(":")
        for row in re.findall(r"\d+", rows) or ["0"]:
            found.append(Place(file or part.strip(), int(row)))
    return found


# What dlfix finds and fixes, in a process of its own


def inspect(tree: Path) -> tuple[list[Report], Report]:
    """Return the findings in a tree, and what applying all safe fixes came to; writes the fixes."""
    from dlfix.config import Settings
    from dlfix.session import Session

    start = time.monotonic()
    session = Session.open([tree], Settings())
    findings = [_described(diagnosis, tree) for diagnosis in session.diagnoses()]
    checked = time.monotonic()
    outcome = Session.open([tree], Settings()).rewrite(unsafe=False)
    for change in outcome.changes:
        change.path.write_bytes(change.after)
    done = {
        "changed": sorted(change.path.relative_to(tree).as_posix() for change in outcome.changes),
        "left": [_described(diagnosis, tree) for diagnosis in outcome.left_before],
        "errors": list(outcome.errors),
        "applied": [
            {"row": finding.place.span.start.row, "code": finding.code,
             "file": finding.place.path.relative_to(tree).as_posix()}
            for planned in outcome.applied for finding in planned.findings
        ],
        "seconds": [round(checked - start, 1), round(time.monotonic() - checked, 1)],
    }  # fmt: skip
    return findings, done


def _described(diagnosis: Any, tree: Path) -> Report:
    finding = diagnosis.finding
    steps = [(finding.place, "")] + [(step.place, step.label) for step in finding.trace]
    return {
        "code": finding.code,
        "message": finding.message,
        "file": _relative(finding.place.path, tree),
        "row": finding.place.span.start.row,
        "lines": [
            (_relative(place.path, tree), place.span.start.row, place.span.end.row)
            for place, _ in steps
        ],
        "outcome": type(diagnosis.outcome).__name__ if diagnosis.outcome else "none",
        "reason": getattr(diagnosis.outcome, "reason", None)
        or getattr(diagnosis.outcome, "why_unsafe", ""),
    }


def _relative(path: Path, tree: Path) -> str:
    return path.relative_to(tree).as_posix() if path.is_relative_to(tree) else str(path)


def is_at(finding: Report, place: Place) -> bool:
    """Return whether a finding is of the very line."""
    return bool(finding["file"] == place.file and place.row in (0, finding["row"]))


def matches(finding: Report, place: Place) -> bool:
    """Return whether a finding is, passes, or speaks of a line."""
    for file, first, last in finding["lines"]:
        if file == place.file and (not place.row or first <= place.row <= last):
            return True
    return f"{Path(place.file).name}:{place.row}" in finding["reason"]


# What became of the code


def compiles(tree: Path, changed: Iterable[str]) -> Iterator[str]:
    """Yield what no longer compiles."""
    for name in changed:
        if name.endswith(".py"):
            try:
                compile((tree / name).read_bytes(), name, "exec")
            except (SyntaxError, ValueError) as error:
                yield f"{name} does not compile: {error}"


def rewritten_classes(old: Path, new: Path) -> list[str]:
    """Return the module-level classes whose text a rewrite changed."""
    texts = [_classes(path) for path in (old, new)]
    return [name for name, text in texts[0].items() if texts[1].get(name, text) != text]


def _classes(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    tree = ast.parse(path.read_bytes())
    return {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def try_out(tree: Path, module: str, classes: Sequence[str]) -> Report:
    """Import a module, make its classes, and send them, each with the tree as it would be run."""
    command = [sys.executable, str(HERE / "replay_stubs.py"), str(tree), module, *classes]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=IMPORT_SECONDS
            )
        except subprocess.TimeoutExpired:
            return {"import": SLOW}
    lines = [line for line in done.stdout.splitlines() if line.startswith("REPLAY ")]
    if not lines:
        return {"import": f"ended with {done.returncode}: {done.stderr.strip()[-200:]}"}
    answer: Report = json.loads(lines[-1].removeprefix("REPLAY "))
    return answer


def compared(name: str, before: Report, after: Report) -> Iterator[str]:
    """Yield what got worse in a module."""
    if SLOW in (before["import"], after["import"]):
        return
    if before["import"] == "ok" != after["import"]:
        yield f"{name} cannot be imported any more: {after['import']}"
    for what, old in before.get("classes", {}).items():
        new = after.get("classes", {}).get(what, {"made": "gone"})
        if old["made"] == "ok" != new["made"]:
            yield f"{what} cannot be made any more: {new['made']}"
        if old.get("sent") == "ok" != new.get("sent"):
            yield f"{what} cannot be sent any more: {new.get('sent')}"
        lost = sorted(set(old.get("names", ())) - set(new.get("names", ())))
        if new["made"] == "ok" and lost:
            yield f"{what} lost {', '.join(lost)}"
        lost = sorted(set(new.get("names", ())) - set(new.get("arrived", new.get("names", ()))))
        if lost:
            yield f"{what} arrives without {', '.join(lost)}"


def replay(case: Report, trees: Path, folder: Path) -> Report:
    """Replay one case."""
    source, tree = trees / case["id"], (folder / case["id"]).resolve()
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(source, tree)
    findings, done = inspect(tree)
    wanted = places(case["place"])
    found = [finding for finding in findings if any(is_at(finding, place) for place in wanted)]
    found = found or [f for f in findings if any(matches(f, place) for place in wanted)]
    left = [finding for finding in done["left"] if _among(finding, found)]
    worse = [*done["errors"], *compiles(tree, done["changed"])]
    sent: list[str] = []
    importable = 0
    for name in done["changed"]:
        if not name.endswith(".py"):
            continue
        classes = rewritten_classes(source / name, tree / name)
        after = try_out(tree, name, classes)
        known = name if (source / name).exists() else _beside(name, done["changed"], source)
        before = try_out(source.resolve(), known, classes)
        worse += compared(name, before, after)
        importable += before["import"] == after["import"] == "ok"
        sent += [f"{what}: {one.get('sent', one['made'])}"
                 for what, one in after.get("classes", {}).items()]  # fmt: skip
    return {
        "id": case["id"],
        "category": case["category"],
        "found": bool(found),
        "outcome": _outcome(found, left),
        "codes": sorted({finding["code"] for finding in found}),
        "refused": sorted({finding["reason"] for finding in left if finding["reason"]}),
        "findings": len(findings),
        "changed": done["changed"],
        "importable": importable,
        "classes": sent,
        "worse": worse,
        "seconds": done["seconds"],
    }


def _beside(name: str, changed: Iterable[str], source: Path) -> str:
    """Return the changed file of a folder in which a fix made a module: if it is importable, so is the module."""
    folder = Path(name).parent
    return next(n for n in changed if Path(n).parent == folder and (source / n).exists())


def _among(finding: Report, found: Sequence[Report]) -> bool:
    key = finding["code"], finding["file"], finding["row"], finding["message"]
    return any((one["code"], one["file"], one["row"], one["message"]) == key for one in found)


def _outcome(found: Sequence[Report], left: Sequence[Report]) -> str:
    if not found:
        return "missed"
    return "fixed" if not left else "partly" if len(left) < len(found) else "refused"


# All cases


def one(case: Report, options: argparse.Namespace) -> Report:
    """Replay a case in a process of its own."""
    if not (options.trees / case["id"]).is_dir():
        return {"id": case["id"], "outcome": "no tree"}
    command = [sys.executable, str(Path(__file__).resolve()), "--cases", str(options.cases.resolve()),
               "--trees", str(options.trees.resolve()), "--work", str(options.work), "--one",
               case["id"]]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return {"id": case["id"], "outcome": f"not done in {options.seconds} s"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return {"id": case["id"], "outcome": "failed", "worse": [done.stderr.strip()[-300:]]}
    report: Report = json.loads(lines[-1])
    return report


def row(report: Report) -> str:
    """Return a report as a line of the table."""
    worse = "; ".join(report.get("worse", ()))
    cells = [
        report["id"],
        "yes" if report.get("found") else "no",
        report["outcome"],
        ", ".join(report.get("codes", ())) or "-",
        f"{len(report.get('changed', ()))} ({report.get('importable', 0)})",
        ", ".join(report.get("classes", ()))[:60] or "-",
        worse or "-",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """Replay all cases, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, required=True, help="a JSON list of cases")
    parser.add_argument("--trees", type=Path, required=True, help="holds a folder for each id")
    parser.add_argument("--only", nargs="+", metavar="ID")
    parser.add_argument("--json", type=Path, help="where the reports are written")
    parser.add_argument("--work", type=Path, help="where the copies are made")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for one case")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = json.loads(options.cases.read_text())
    if options.one:
        case = next(case for case in cases if case["id"] == options.one)
        print(json.dumps(replay(case, options.trees, options.work)))
        return 0
    options.work = options.work or Path(tempfile.mkdtemp(prefix="replay-"))
    options.work.mkdir(parents=True, exist_ok=True)
    reports = []
    print("| case | found | outcome | codes | files changed (importable) | classes sent | worse |")
    print("|---|---|---|---|---|---|---|")
    for case in cases:
        if not options.only or case["id"] in options.only:
            reports.append(one(case, options))
            print(row(reports[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(reports, indent=1) + os.linesep)
    counted = {name: sum(report["outcome"] == name for report in reports)
               for name in sorted({report["outcome"] for report in reports})}  # fmt: skip
    worse = sum(bool(report.get("worse")) for report in reports)
    print(f"\n{len(reports)} cases: {counted}; worse: {worse}")
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
