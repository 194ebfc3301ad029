"""What dlfix answers about whole trees, as text, so that two versions of it can be compared.

    python benchmarks/oracle.py dump OUT TREE...     one file for each tree: every answer, a line each
    python benchmarks/oracle.py diff BEFORE AFTER    the answers that came and went

A line is a boundary, an object that crosses it with its path, a finding with its trace, or the
outcome for a finding (the fix's edits, or the reason for refusing). Places are `file:row:column`
relative to the tree; answers are sorted, so that their order is no difference.
"""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlfix.fixing.engine import Diagnosis
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Step

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def answers(tree: Path) -> Iterator[str]:
    """Yield every answer about a tree, a line each."""
    from dlfix.config import Settings
    from dlfix.session import Session

    session = Session.open([tree], Settings())
    session.noting = False  # as the command line reads
    diagnoses = session.diagnoses()
    lines = [*_crossings(session.analysis), *(line for d in diagnoses for line in _outcome(d))]
    lines += [f"error {error}" for error in session.unreadable()]
    lines += ["cut short"] if session.cut_short else []
    for line in lines:
        yield _ADDRESS.sub("", line).replace(f"{tree}/", "")


def _crossings(analysis: Analysis) -> Iterator[str]:
    for boundary in analysis.boundaries:
        place = boundary.frame.module.place(boundary.node)
        yield f"boundary {_at(place.path, place.span.start)} {boundary.kind} workers={boundary.workers}"
    for crossing in analysis.crossings:
        yield f"crosses {_path(crossing.path)}"


def _outcome(diagnosis: Diagnosis) -> Iterator[str]:
    finding, outcome = diagnosis.finding, diagnosis.outcome
    name = f"{finding.code} {_at(finding.place.path, finding.place.span.start)}"
    yield f"finding {name} {finding.message} | {_path(finding.trace)}"
    yield f"outcome {name} {outcome!r}"


def _path(steps: Iterable[Step]) -> str:
    return " > ".join(
        f"{_at(step.place.path, step.place.span.start)} {step.label}" for step in steps
    )


def _at(path: Path, position: object) -> str:
    return f"{path}:{getattr(position, 'row', 0)}:{getattr(position, 'column', 0)}"


def dump(out: Path, trees: Iterable[Path]) -> None:
    """Write the answers about each tree into a file named after it."""
    out.mkdir(parents=True, exist_ok=True)
    for tree in trees:
        lines = sorted(answers(tree.resolve()))
        name = "_".join(tree.resolve().parts[-2:])
        (out / f"{name}.txt").write_text("\n".join(lines) + "\n", errors="replace")
        kinds = Counter(line.partition(" ")[0] for line in lines)
        print(name, dict(kinds), flush=True)


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield the answers that went (-) and came (+), tree by tree."""
    names = {path.name for folder in (before, after) for path in folder.glob("*.txt")}
    for name in sorted(names):
        old, new = _lines(before / name), _lines(after / name)
        for line in sorted((old - new).elements()):
            yield f"{name} - {line}"
        for line in sorted((new - old).elements()):
            yield f"{name} + {line}"


def _lines(path: Path) -> Counter[str]:
    return Counter(path.read_text(errors="replace").splitlines() if path.is_file() else ())


def main(arguments: list[str]) -> int:
    """Run one of the two commands."""
    gc.set_threshold(5_000_000, 20, 100)  # as for a run of the command line
    match arguments:
        case ["dump", out, *trees] if trees:
            dump(Path(out), map(Path, trees))
            return 0
        case ["diff", before, after]:
            found = list(differences(Path(before), Path(after)))
            print("\n".join(found) if found else "no differences")
            return int(bool(found))
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
