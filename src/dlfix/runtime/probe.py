"""Runs a program in its own interpreter and reads what the runner saw there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlfix import signals
from dlfix.runtime import supervisor
from dlfix.runtime.inside import bootstrap
from dlfix.runtime.messages import RANKS, meanings
from dlfix.undo import home

HEAVY = 500 << 20  # bytes a worker, from which on a dataset is named
METHODS = ("none", "fork", "spawn", "forkserver") if os.name == "posix" else ("none", "spawn")
PRINTED = 10 << 20  # bytes of the program's own prints that are shown
GRACE = 5.0  # seconds for the program's own exit handlers
REFUSES = re.compile(r"pickl|seriali[sz]|NotImplementedError|process|worker", re.IGNORECASE)


class ProbeError(Exception):
    """The probe could not do its work; the message is one line."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file."""

    path: Path
    row: int

    def __str__(self) -> str:
        with contextlib.suppress(ValueError):
            return f"{self.path.relative_to(Path.cwd())}:{self.row}"
        return f"{self.path}:{self.row}"


@dataclass(frozen=True, slots=True)
class Culprit:
    """Something that does not arrive: where it hangs, what it is, and why."""

    path: str  # `loader.dataset.transform.transforms[1]`
    type: str
    error: str  # the exception's type
    message: str
    line: Line | None  # what made it
    stage: str  # pickle, load, main, init, fetch, return, died
    when: str  # "" or "next epoch"
    attribute: str = ""
    inner: tuple[str, ...] = ()  # the parts of it that fail, where it is an object of a library
    hook: str = ""  # the `Class.__reduce__` of the program's own that raised the error
    raised: Line | None = None  # and where it did

    @property
    def is_broken(self) -> bool:
        """Whether its own `__reduce__` fails, other than by refusing on purpose to be pickled."""
        text = f"{self.error}: {self.message}"
        return bool(self.hook) and (self.error == "RecursionError" or not REFUSES.search(text))


@dataclass(frozen=True, slots=True)
class Attribute:
    """One of the largest things that hang from a part."""

    path: str
    type: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what crosses, and what it costs each worker."""

    path: str
    type: str
    fits: bool
    bytes: int = 0
    shared: int = 0  # bytes of tensors, which cross as shared memory
    milliseconds: float = 0.0
    largest: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """An open handle that forked workers would share with the parent."""

    path: str
    type: str
    descriptor: int
    name: str


@dataclass
class Boundary:
    """A call that ships objects to workers."""

    kind: str
    line: Line | None
    workers: int
    method: str
    parts: list[Part] = field(default_factory=list)
    culprits: list[Culprit] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    forced: bool = False  # whether the program gives it no workers, and the probe one


@dataclass
class Probed:
    """What a probe saw."""

    target: str
    python: str
    boundaries: list[Boundary] = field(default_factory=list)
    broken: list[Culprit] = field(default_factory=list)  # what could not be looked into
    is_cut: bool = False  # the program was ended where its first workers start
    failed: str = ""  # how it failed before it came to that

    @property
    def culprits(self) -> list[Culprit]:
        """All culprits, of every boundary."""
        return [culprit for boundary in self.boundaries for culprit in boundary.culprits]


@dataclass(frozen=True, slots=True)
class Fetched:
    """How fetching the first batch under one start method went."""

    method: str
    ok: bool
    text: str  # the batch in a few words, or the error
    digest: str = ""
    seconds: float = 0.0
    forced: bool = False  # whether the program gives its loader no workers, and the probe one


def probe(
    target: str,
    args: Sequence[str] = (),
    *,
    python: str | None = None,
    go_on: bool = False,
    timeout: float = 120.0,
) -> Probed:
    """Run a script or `package.module:factory` up to its workers' start; raise ProbeError."""
    job = _job(target, args, python)
    rows = _run(job | {"mode": "probe", "go_on": go_on}, timeout)
    return _probed(target, job["python"], rows, timeout)


def fetch(
    target: str,
    args: Sequence[str] = (),
    *,
    python: str | None = None,
    timeout: float = 120.0,
    methods: Sequence[str] = METHODS,
) -> list[Fetched]:
    """Fetch the first batch for real under each start method; raise ProbeError."""
    job = _job(target, args, python)
    return [_fetched(job, method, timeout) for method in methods]


def interpreter(target: str, python: str | None = None) -> str:
    """Return the project's interpreter: the one asked for, the active one, the one in the project.

    Only from the script's folder up to the project's root, and only one that belongs to this user:
    a folder above may be anybody's.
    """
    if python is not None:
        found = shutil.which(python)
        if found is None:
            raise ProbeError(f"{python}: the interpreter does not exist")
        return found
    active = [
        Path(os.environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if name in os.environ
    ]
    beside = [folder / name for folder in _project(target) for name in (".venv", "venv")]
    places = ("bin/python", "Scripts/python.exe", "python.exe")
    candidates = [home / place for home in (*active, *filter(_is_ours, beside)) for place in places]
    return str(next((path for path in candidates if path.is_file()), sys.executable))


def _project(target: str) -> list[Path]:
    """Return the folders from the script's own up to the project's root."""
    start = Path(target).resolve().parent if Path(target).exists() else Path.cwd()
    root = home(start)
    return [folder for folder in (start, *start.parents) if folder.is_relative_to(root)]


def _is_ours(folder: Path) -> bool:
    """Return whether an environment, and the folder it is in, belong to this user alone."""
    if os.name != "posix":
        return True
    try:
        links = [os.lstat(path) for path in (folder.parent, folder)]
        folders = [os.stat(path) for path in (folder.parent, folder)]
    except OSError:
        return False
    owned = all(one.st_uid == os.geteuid() for one in (*links, *folders))
    return owned and not any(one.st_mode & stat.S_IWOTH for one in folders)


def _job(target: str, args: Sequence[str], python: str | None) -> dict[str, Any]:
    path = Path(target)
    factory = path.suffix != ".py" and ":" in target and not path.exists()
    if not factory:
        _check_script(path)
    return {
        "target": target,
        "args": list(args),
        "factory": factory,
        "python": interpreter(target, python),
    }


def _check_script(path: Path) -> None:
    if not path.exists():
        raise ProbeError(
            f"{path}: the script does not exist, and the name is not of the form "
            "`package.module:factory`"
        )
    if path.is_dir():
        raise ProbeError(f"{path}: expected a script, got a directory")
    if path.suffix == ".ipynb":
        raise ProbeError(f"{path}: expected a script, got a notebook")


def sources() -> dict[str, str]:
    """Return the texts of the modules that run in the user's interpreter."""
    folder = Path(bootstrap.__file__).parent
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in bootstrap.MODULES}


def _run(job: dict[str, Any], timeout: float) -> list[dict[str, Any]]:
    """Run the runner; return its rows; leave no process behind."""
    with tempfile.TemporaryDirectory(prefix="dlfix-") as folder:
        result = Path(folder, "result")
        result.touch()
        config = Path(folder, "config")
        config.write_text(json.dumps(job | {"result": str(result)}), encoding="utf-8")
        command = [job["python"], "-c", bootstrap.program(sources()), str(config)]
        status = _run_group(command, result, timeout)
        lines = result.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(_row, lines) if row]
    if status == bootstrap.TOO_OLD and not rows:
        raise ProbeError(f"{job['python']}: dlfix probe requires Python 3.8 or later")
    if not rows and status is None:
        raise ProbeError(
            f"{job['target']} did not finish within {timeout:g} s (Python did not start); see "
            "--timeout"
        )
    if not rows:
        raise ProbeError(f"{job['python']} cannot run the probe (status {status})")
    return [*rows, {"event": "status", "status": status}]


def _row(line: str) -> dict[str, Any]:
    try:
        return dict(json.loads(line))
    except ValueError:  # the last line of a program that was killed
        return {}


def _run_group(command: list[str], result: Path, timeout: float) -> int | None:
    """Run a command; kill all that it started at the end. Return its status, None if it was late."""
    with signals.raised():
        if os.name == "posix":
            return _run_supervised(command, result, timeout)
        child = _started(command, stdin=subprocess.DEVNULL, stdout=_ours())
        try:
            return _await(child, result, timeout)
        finally:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(child.pid)], capture_output=True)
            child.wait()


def _run_supervised(command: list[str], result: Path, timeout: float) -> int | None:
    found = shutil.which(command[0])
    if found is None:
        raise ProbeError(f"{command[0]}: cannot be run")
    over = [sys.executable, "-I", supervisor.__file__, str(PRINTED), found, *command[1:]]
    child = _started(
        over, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=_ours(), start_new_session=True
    )
    late = True
    try:
        late = _await(child, result, timeout) is None
    finally:
        # Closing its input ends the program and all that it started.
        said, _ = child.communicate()
    if late:
        return None
    with contextlib.suppress(ValueError):
        return int(said)
    raise ProbeError(f"{command[0]}: cannot be run")


def _started(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        raise ProbeError(f"{command[0]}: {error.strerror}") from error


def _ours() -> int:
    """Return where the program's own prints go: our stderr, so that stdout stays the report's."""
    try:
        return sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        return subprocess.DEVNULL


def _await(child: subprocess.Popen[bytes], result: Path, timeout: float) -> int | None:
    end = time.monotonic() + timeout
    ending = False
    while (left := end - time.monotonic()) > 0:
        try:
            return child.wait(min(left, 0.2))
        except subprocess.TimeoutExpired:
            if not ending and _has_ended(result):
                ending, end = True, min(end, time.monotonic() + GRACE)
    return None


def _has_ended(result: Path) -> bool:
    with result.open("rb") as file:
        file.seek(max(0, result.stat().st_size - 4096))
        return b'"event": "end"' in file.read()


def _probed(target: str, python: str, rows: list[dict[str, Any]], timeout: float) -> Probed:
    probed = Probed(target, python)
    for row in rows:
        _take(probed, row)
    end = next((row for row in rows if row["event"] == "end"), None)
    if end is None and not probed.culprits:
        raise ProbeError(_unfinished(target, rows[-1]["status"], timeout, probed))
    if end is not None and not probed.boundaries:
        raise ProbeError(_nothing(target, python, end))
    probed.is_cut = end is None or end["how"] == "stopped"
    probed.failed = _failed(target, python, end) if end is not None else ""
    if probed.broken and not probed.culprits:
        raise ProbeError(not_looked_into(probed))
    return probed


def not_looked_into(probed: Probed) -> str:
    """Say in one line which object's own `__reduce__` fails."""
    first, *more = probed.broken
    where = f" ({first.raised})" if first.raised else ""
    if first.error == "RecursionError":
        what = "recurses infinitely"
    else:
        what = " ".join(f"raised {first.error}: {first.message}".split())
    rest = f", and {len(more)} similar objects" if more else ""
    return f"{probed.target}: {first.path} cannot be pickled: {first.hook}{where} {what}{rest}"


def _take(probed: Probed, row: dict[str, Any]) -> None:
    event = row["event"]
    if event == "boundary" and row["when"]:
        return
    if event == "boundary":
        line = _line(row["place"])
        probed.boundaries.append(
            Boundary(row["kind"], line, row["workers"], row["method"], forced=row["forced"])
        )
        return
    if not probed.boundaries:
        return
    boundary = probed.boundaries[-1]
    if event == "part" and not row["when"]:
        boundary.parts.append(_part(row))
    elif event == "culprit":
        culprit = _culprit(row)
        (probed.broken if culprit.is_broken else boundary.culprits).append(culprit)
    elif event == "difference":
        boundary.differences.append(row["text"])
    elif event == "shared":
        boundary.shared.append(Shared(row["path"], row["type"], row["fd"], row["name"]))
    elif event == "note":
        boundary.notes.append(row["text"])


def _line(place: dict[str, Any] | None) -> Line | None:
    return Line(Path(place["file"]), place["line"]) if place else None


def _part(row: dict[str, Any]) -> Part:
    if not row["ok"]:
        return Part(row["part"], row["type"], False)
    largest = tuple(Attribute(**attribute) for attribute in row["largest"])
    return Part(row["part"], row["type"], True, row["bytes"], row["shared"], row["ms"], largest)


def _culprit(row: dict[str, Any]) -> Culprit:
    error = row["error"]
    return Culprit(
        row["path"],
        row["type"],
        error["type"],
        error["message"],
        _line(row["place"] or error["place"]),
        row["stage"],
        row["when"],
        row["attribute"],
        tuple(row["inner"]),
        row["hook"],
        _line(error["place"]),
    )


def _unfinished(target: str, status: int | None, timeout: float, probed: Probed) -> str:
    where = (
        "before its workers started" if not probed.boundaries else "while its objects were pickled"
    )
    if status is None:
        return f"{target} did not finish within {timeout:g} s ({where}); see --timeout"
    if status < 0:
        return f"{target} was killed by {signal.Signals(-status).name} {where}"
    return f"{target} exited with status {status} {where}"


def _failed(target: str, python: str, end: dict[str, Any]) -> str:
    """Say how a program failed that has made loaders and not started them."""
    fails = end["how"] == "raised" or (end["how"] == "exit" and end["status"] != "0")
    return _nothing(target, python, end) if fails and not end["started"] else ""


def _nothing(target: str, python: str, end: dict[str, Any]) -> str:
    """Say in one line why no boundary was met."""
    how = end["how"]
    if end.get("made"):
        return f"{target} returned {end['made']}, which is neither a DataLoader nor a dataset"
    if how == "raised":
        return _raised(target, python, end)
    if how == "exit":
        return f"{target} called sys.exit({end['status']}) before it started a worker"
    return f"{target} ended without starting a worker"


def _raised(target: str, python: str, end: dict[str, Any]) -> str:
    error = end["error"]
    if not end["torch"] and error["type"] == "ModuleNotFoundError" and "torch" in error["message"]:
        return f"torch is not installed for {python}; pass the project's interpreter with --python"
    place = _line(error["place"])
    where = f" ({place})" if place else ""
    first = (error["message"].strip().splitlines() or [""])[0]
    text = f"{error['type']}: {first}"
    known = next((m.code for m in meanings(text) if m.code and m.rank == RANKS["cause"]), "")
    hint = f" (see dlfix explain {known})" if known else ""
    return f"{target} failed before it started a worker{where}: {text}{hint}"


def _fetched(job: dict[str, Any], method: str, timeout: float) -> Fetched:
    rows = _run(job | {"mode": "run", "method": method}, timeout)
    status = rows[-1]["status"]
    forced = any(row.get("forced") for row in rows)
    for row in rows:
        if row["event"] == "fetched" and row["ok"]:
            return Fetched(method, True, row["batch"], row["digest"], row["seconds"], forced)
        if row["event"] == "fetched":
            return Fetched(method, False, _last_line(row["error"]), forced=forced)
    if any(row["event"] == "boundary" for row in rows):
        late = f"no batch after {timeout:g} s" if status is None else f"exited with status {status}"
        return Fetched(method, False, late, forced=forced)
    end = next((row for row in rows if row["event"] == "end"), None)
    if end is None:
        raise ProbeError(_unfinished(job["target"], status, timeout, Probed("", "")))
    if other := next((row for row in rows if row["event"] == "other"), None):
        raise ProbeError(_other(job["target"], other))
    if end["how"] == "finished":
        raise ProbeError(f"{job['target']} does not iterate over a loader")
    raise ProbeError(_nothing(job["target"], job["python"], end))


def _other(target: str, row: dict[str, Any]) -> str:
    line = _line(row["place"])
    where = f" ({line})" if line else ""
    return (
        f"{target} starts a {row['kind']}{where} but no loader; --run supports only "
        "loaders (run the probe without --run)"
    )


def _last_line(error: dict[str, Any]) -> str:
    lines = [line.strip() for line in error["message"].splitlines() if line.strip()]
    if lines and lines[0].startswith("Caught ") and len(lines) > 1:
        return str(lines[-1])
    return f"{error['type']}: {lines[0] if lines else ''}"
