"""Hold what the probe sees of programs beside what reading them finds.

    python benchmarks/probe_table.py PROGRAMS... [--entry main.py] [--json FILE] [-- ARGS]

PROGRAMS are folders that hold an entry script each, or folders of such folders. Every program is probed
(with ARGS) and checked, and the places and rules of the culprits are compared. The table is Markdown.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from dlfix.rules.base import Finding
from dlfix.runtime import probe
from dlfix.runtime.join import Joined, code_of, join
from dlfix.runtime.static import findings


@dataclass(frozen=True)
class Row:
    """One program: what was seen, what is read, and how the two agree."""

    program: str
    seen: str
    read: str
    verdict: str


def programs(folders: list[Path], entry: str) -> list[Path]:
    found = []
    for folder in folders:
        own = folder / entry
        found += [own] if own.is_file() else sorted(folder.glob(f"*/{entry}"))
    return found


def compare(script: Path, args: list[str], timeout: float) -> Row:
    """Probe and check a copy of a program."""
    with tempfile.TemporaryDirectory(prefix="dlfix-") as work:
        folder = Path(work).resolve() / script.parent.name
        shutil.copytree(script.parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
        read = list(findings([folder]))
        try:
            seen = probe.probe(str(folder / script.name), args, timeout=timeout)
            failed = "" if seen.culprits else seen.failed
        except probe.ProbeError as error:
            failed = str(error)
        if failed:
            text = failed.replace(f"{folder}/", "")
            return Row(folder.name, text, _read(read), _verdict_of_failure(text, read))
        joined = join(seen.culprits, read)
        verdict = _verdict(joined, read)
        return Row(folder.name, _seen(joined), _read(read), verdict)


def _verdict_of_failure(text: str, read: list[Finding]) -> str:
    """Compare a program that failed before its workers started: it may have said what is read."""
    if not read:
        return "agree"
    same = any(f"{f.place.path.name}:{f.place.span.start.row})" in text for f in read)
    return "agree" if same and any(f.code in text for f in read) else "not probed"


def _verdict(joined: list[Joined], read: list[Finding]) -> str:
    if not joined and not read:
        return "agree"
    if not joined:
        return "only read"
    if not read:
        return "only seen"
    if all(item.finding for item in joined):
        same = all(item.finding.code == code_of(item.culprit) for item in joined)
        return "agree" if same else "agree, other rule"
    return "agree in part" if any(item.finding for item in joined) else "differ"


def _seen(joined: list[Joined]) -> str:
    rows = [f"{code_of(item.culprit)} `{item.culprit.path}` {_line(item)}" for item in joined[:4]]
    return "; ".join(rows) + (" ..." if len(joined) > 4 else "") or "-"


def _line(item: Joined) -> str:
    line = item.line
    return f"{line.path.name}:{line.row}" if line else ""


def _read(read: list[Finding]) -> str:
    rows = [f"{f.code} {f.place.path.name}:{f.place.span.start.row}" for f in read[:4]]
    return "; ".join(rows) or "-"


def main() -> int:
    """Print the table and the counts; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--entry", default="main.py")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--json", type=Path)
    ours, _, theirs = _split(sys.argv[1:])
    options = parser.parse_args(ours)
    rows = []
    print("| program | probe | check | |\n|---|---|---|---|")
    for script in programs(options.folders, options.entry):
        row = compare(script, theirs, options.timeout)
        rows.append(row)
        print(f"| {row.program} | {row.seen} | {row.read} | {row.verdict} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    counts = Counter(row.verdict for row in rows)
    print("\n" + ", ".join(f"{verdict}: {count}" for verdict, count in counts.most_common()))
    return 0 if set(counts) <= {"agree", "agree, other rule"} else 1


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in words:
        return words, "", []
    at = words.index("--")
    return words[:at], "--", words[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
