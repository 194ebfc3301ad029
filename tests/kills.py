"""Kills applies and undos at random moments; every file must be whole, and undo complete.

    python tests/kills.py COUNT SEED

prints what was seen as JSON. `make kills` runs it some thousand times.
"""

from __future__ import annotations

import collections
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

FILES = 25
ANY = 0, 600  # a little more operations than an apply or an undo of so many files does
RENAMES = 200, 360  # about where the new texts take their places


def main(count: int, seed: int) -> None:
    """Kill `count` processes and print the counts."""
    from dlfix import undo
    from dlfix.source.writing import Change

    if not os.environ.get("DLFIX_KILLS_SYNC"):
        os.fsync = lambda descriptor: None  # a kill is no power cut, and this is most of the time
    rng = random.Random(seed)
    seen: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_STATE_HOME"] = os.path.join(place, "state")
        tree = Path(os.path.realpath(place), "tree")
        (tree / "sub").mkdir(parents=True)
        os.chdir(tree)
        names = [f"sub/m{n}.py" if n % 3 else f"m{n}.py" for n in range(FILES)]
        old = {tree / name: f"x = {n}\n".encode() * 500 for n, name in enumerate(names)}
        new = {path: data.replace(b"x", b"longer_name") for path, data in old.items()}
        for path, data in old.items():
            path.write_bytes(data)

        def apply() -> None:
            changes = [Change(p, d, new[p]) for p, d in now().items() if d != new[p]]
            assert undo.record(changes, [], lambda note: None).error is None

        def take_back() -> None:
            undo.undo(tree)

        def now() -> dict[Path, bytes]:
            return {path: path.read_bytes() for path in old}

        def check_whole() -> int:
            states = now()
            torn = [p for p, data in states.items() if data not in (old[p], new[p])]
            seen["torn files"] += len(torn)
            return sum(states[p] == new[p] for p in old)

        def restore() -> None:
            """Take everything back, as a person would after the kill."""
            try:
                undo.undo(tree)
            except undo.NothingToUndo:
                seen["nothing to undo"] += 1
            seen["not restored"] += now() != old
            seen["temporary files left"] += sum(1 for _ in tree.rglob(".dlfix-*"))
            for path, data in old.items():
                path.write_bytes(data)

        began = time.monotonic()
        _wait(_child(apply))
        writing = time.monotonic() - began
        take_back()
        for number in range(count):
            kind = ("undo", "apply, apply, undo", "apply, undo, undo")[number % 3]
            if kind == "apply, undo, undo":
                apply()
            work = take_back if kind == "apply, undo, undo" else apply
            if number % 10 == 9:
                _killed_after(rng.random() * writing, work)
            else:
                _killed_at(rng.randrange(*rng.choice((ANY, RENAMES))), work)
            written = check_whole()
            phase = {0: "before", FILES: "after"}.get(written, "between")
            seen[f"killed {phase} the writing"] += 1
            if kind == "apply, apply, undo" and written < FILES:
                apply()
                check_whole()
            restore()
    print(json.dumps(seen))


def _child(work) -> int:
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return process


def _wait(process: int) -> None:
    _, status = os.waitpid(process, 0)
    assert status == 0, status


def _killed_after(delay: float, work) -> None:
    process = _child(work)
    time.sleep(delay)
    os.kill(process, signal.SIGKILL)
    _ended(process)


def _killed_at(operation: int, work) -> None:
    """Kill before an operation on files of this number: rename, open, remove, chmod ..."""

    def doomed() -> None:
        left = operation

        def hook(event: str, arguments: object) -> None:
            nonlocal left
            if event != "os.kill" and (event == "open" or event.startswith("os.")):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        work()

    _ended(_child(doomed))


def _ended(process: int) -> None:
    _, status = os.waitpid(process, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, status


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
