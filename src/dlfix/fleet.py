"""Many repositories checked on a Ray cluster: one task each, and one set of files with the results."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix import config, results
from dlfix.source import seen
from dlfix.source.text import SourceError, contents

if TYPE_CHECKING:
    from dlfix.report.view import Entry, View

RETRIES = 3  # of a task whose worker process died
CLONE_LIMIT = 600  # seconds
FINDING = (
    "repository", "code", "name", "severity", "message", "path", "cell", "row", "column", "error",
    "fix", "why_unsafe", "refused",
)  # fmt: skip
REPOSITORY = ("repository", "source", "status", "error", "files", "findings", "fixes", "seconds")
NUMBERS = {"cell", "row", "column", "files", "findings", "fixes"}
_KEPT = ("error", "files", "fixes", "seconds", "findings", "sarif")
_NOTHING: dict[str, Any] = {
    "files": {},
    "folders": {},
    "answers": [],
}  # was seen of what was cloned


class FleetError(Exception):
    """The fleet cannot start; the message is one line."""


@dataclass(frozen=True)
class Repository:
    """A repository under a name of its own: a folder, or what git can clone."""

    name: str
    source: str

    @property
    def is_remote(self) -> bool:
        """Whether it has to be cloned first."""
        return "://" in self.source or self.source.startswith("git@")


@dataclass
class Result:
    """What came of one repository."""

    repository: Repository
    status: str = "checked"  # or "failed"
    error: str = ""
    files: int = 0
    fixes: int = 0  # in the patch
    seconds: float = 0.0
    findings: list[dict[str, Any]] = field(default_factory=list)
    sarif: dict[str, Any] | None = None  # one run
    patch: bytes = b""
    seen: dict[str, Any] | None = None  # what was looked at on disk; None: it changed meanwhile
    is_kept: bool = False  # whether it is an earlier run's


def read_manifest(manifest: Path) -> list[Repository]:
    """Return the repositories of a list: one a line, folders relative to the list."""
    try:
        lines = contents(manifest).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise SourceError(manifest, None, "not utf-8") from error
    sources = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not sources:
        raise FleetError(f"{manifest}: the manifest lists no repositories")
    found: list[Repository] = []
    taken: set[str] = set()
    for source in sources:
        one = Repository("", source)
        if not one.is_remote:
            source = str(Path(os.path.abspath(manifest)).parent / source)
        name = (
            source.rstrip("/").replace(":", "/").rsplit("/", 1)[-1].removesuffix(".git") or "root"
        )
        name = next(each for each in _numbered(name) if each not in taken)
        taken.add(name)
        found.append(Repository(name, source))
    return found


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def examine(repository: Repository, unsafe: bool | None = None) -> Result:
    """Check one repository, and work out the patch that fixes it; nothing in it is written."""
    began = time.monotonic()
    result = Result(repository)
    gc.set_threshold(200_000, 20, 100)  # as for a run of the command line
    try:
        with _at_hand(repository) as folder, _working_in(folder), seen.apart() as noted:
            _fill(result, folder, unsafe)
        if repository.is_remote:
            result.seen = _NOTHING
        elif noted.steady:
            result.seen = noted.as_data()
    except Exception as error:  # one repository must not end the others
        expected = isinstance(error, (OSError, config.ConfigError))
        told = str(error) if expected else f"internal error ({type(error).__name__}: {error})"
        result.status, result.error = "failed", " ".join(told.split())
    result.seconds = round(time.monotonic() - began, 3)
    return result


def _fill(result: Result, folder: Path, unsafe: bool | None) -> None:
    from dlfix.report import diff, sarif
    from dlfix.report.view import View
    from dlfix.session import Session

    session = Session.open([folder], config.load(folder))
    session.noting = False
    view = View(session, session.diagnoses())
    result.files = len(session.files)
    result.findings = [_row(result.repository, entry, folder) for entry in view.entries]
    result.sarif = _log(sarif.render(view), result.repository)
    result.error = "; ".join([*map(str, session.unreadable()), *session.bugs])
    outcome = session.rewrite(unsafe=unsafe)
    result.fixes = len(outcome.applied)
    result.patch = _patch(diff.patch, outcome.changes, View(session, []))


def _patch(patch: Callable[[Any, View], bytes], changes: Sequence[Any], view: View) -> bytes:
    return patch(changes, view) if changes else b""


def _row(repository: Repository, entry: Entry, folder: Path) -> dict[str, Any]:
    spot, fix = entry.spot, entry.fix
    path = spot.path.relative_to(folder) if spot.path.is_relative_to(folder) else spot.path
    return {
        "repository": repository.name, "code": entry.code, "name": entry.name,
        "severity": entry.severity, "message": entry.message, "path": path.as_posix(),
        "cell": spot.cell, "row": spot.row, "column": spot.column, "error": entry.error or None,
        "fix": None if fix is None else fix.applicability.value,
        "why_unsafe": (fix.why_unsafe or None) if fix else None, "refused": entry.refused,
    }  # fmt: skip


def _log(log: str, repository: Repository) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(log)["runs"][0]
    run["automationDetails"] = {"id": f"{repository.name}/"}
    return run


@contextmanager
def _at_hand(repository: Repository) -> Iterator[Path]:
    if not repository.is_remote:
        folder = Path(repository.source)
        if not folder.is_dir():
            raise NotADirectoryError(f"{folder} is not a folder")
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="dlfix-") as place:
        folder = Path(os.path.realpath(place)) / repository.name
        command = ["git", "clone", "--quiet", "--depth", "1", "--", repository.source, str(folder)]
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CLONE_LIMIT, env=environment
        )
        if done.returncode:
            raise OSError(done.stderr.strip() or "git clone failed")
        yield folder


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Make a folder the working directory: reports and patches name files from there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Kept:
    """The results in a folder, each kept as it comes: a fleet that was stopped goes on where it was.

    Results of folders count while all that was looked at is unchanged; those of git addresses count until
    somebody asks for fresh ones. What failed is not kept.
    """

    def __init__(self, folder: Path, unsafe: bool | None = None) -> None:
        self._folder = folder / "results"
        self._asked = (unsafe, results.code())

    def load(self, repositories: Sequence[Repository]) -> dict[Repository, Result]:
        """Return what is kept of these repositories."""
        found = ((one, results.load(self._path(one))) for one in repositories)
        return {
            one: replace(_from_data(one, entry["result"]), is_kept=True)
            for one, entry in found
            if entry is not None
        }

    def save(self, result: Result) -> None:
        """Keep a result."""
        if result.status == "checked" and result.seen is not None and not result.is_kept:
            entry = {"seen": result.seen, "result": _as_data(result)}
            results.save(self._path(result.repository), entry, limit=None)

    def _path(self, repository: Repository) -> Path:
        return self._folder / results.name(repository, *self._asked)


def _as_data(result: Result) -> dict[str, Any]:
    data = {name: getattr(result, name) for name in _KEPT}
    return {**data, "patch": result.patch.decode("latin-1")}


def _from_data(repository: Repository, data: dict[str, Any]) -> Result:
    return Result(repository, **{**data, "patch": data["patch"].encode("latin-1")})


def run(
    repositories: Sequence[Repository],
    *,
    address: str | None = None,
    unsafe: bool | None = None,
    say: Callable[[Result], None] = lambda result: None,
    task: Callable[[Repository, bool | None], Result] = examine,
    kept: Mapping[Repository, Result] | None = None,
) -> list[Result]:
    """Examine repositories on the Ray cluster at an address, or a local one; in the order given.

    Ray schedules, and tries again what a dead worker process left. After Ctrl-C, the results so far are
    returned, and the other repositories have failed. What is `kept` is not examined again.
    """
    found = dict(kept or {})
    for result in found.values():
        say(result)
    left = [one for one in repositories if one not in found]
    if left:
        found |= _run(left, address, unsafe, say, task)
    return [found[one] for one in repositories]


def _run(
    repositories: Sequence[Repository],
    address: str | None,
    unsafe: bool | None,
    say: Callable[[Result], None],
    task: Callable[[Repository, bool | None], Result],
) -> dict[Repository, Result]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    own = not ray.is_initialized()
    if own:
        try:
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
        except (
            Exception
        ) as error:  # Ray raises plain ones, too, such as for a node that does not start
            raise FleetError(f"Ray: {' '.join(str(error).split())}") from error
    try:
        remote = ray.remote(max_retries=RETRIES, num_cpus=1)(task)
        waiting = {remote.remote(one, unsafe): one for one in repositories}
        found: dict[Repository, Result] = {}
        try:
            while waiting:
                (ready,), _ = ray.wait(list(waiting))
                one = waiting.pop(ready)
                try:
                    result = ray.get(ready)
                except ray.exceptions.RayError as error:
                    result = Result(one, "failed", " ".join(str(error).split()))
                found[one] = result
                say(result)
        except KeyboardInterrupt:  # what was done is written all the same
            found |= {one: Result(one, "failed", "stopped") for one in waiting.values()}
        return found
    finally:
        if own:
            ray.shutdown()


def line(result: Result) -> str:
    """Return what came of a repository in a line."""
    name = result.repository.name
    if result.status == "failed":
        return f"{name}: failed: {result.error}"
    from dlfix.report.text import plural

    unread = f"; {result.error}" if result.error else ""
    if result.is_kept:
        unread += " (reused from an earlier run)"
    fixes = f"{result.fixes} {'fix' if result.fixes == 1 else 'fixes'}"
    return (
        f"{name}: {plural(result.files, 'file')}, {plural(len(result.findings), 'finding')},"
        f" {fixes} in the patch, {result.seconds:.1f} s{unread}"
    )


def of_kept(kept: int, count: int) -> str:
    """Return how many results are an earlier run's."""
    return (
        f"{kept} of {count} results are reused from an earlier run (use `--fresh` to "
        "check all repositories)"
    )


def total(found: Sequence[Result], folder: Path) -> str:
    """Return what came of all repositories in a line."""
    from dlfix.report.text import plural

    findings = plural(sum(len(one.findings) for one in found), "finding")
    holding = sum(bool(one.findings) for one in found)
    failed = sum(one.status == "failed" for one in found)
    count = f"{len(found)} {'repository' if len(found) == 1 else 'repositories'}"
    lost = f", {failed} failed" if failed else ""
    return f"{findings} in {holding} of {count}{lost}; the results are in {folder}"


def write(found: Sequence[Result], folder: Path) -> None:
    """Write `findings.parquet`, `repositories.parquet`, `fleet.sarif` and a patch a repository."""
    from dlfix.report.sarif import SCHEMA

    patches = folder / "patches"
    patches.mkdir(parents=True, exist_ok=True)
    _write_table(
        folder / "findings.parquet", FINDING, [row for one in found for row in one.findings]
    )
    _write_table(folder / "repositories.parquet", REPOSITORY, [_summary(one) for one in found])
    runs = [one.sarif for one in found if one.sarif is not None]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}
    (folder / "fleet.sarif").write_text(json.dumps(log, indent=2) + "\n", encoding="utf-8")
    for one in found:
        patch = patches / f"{one.repository.name}.patch"
        if one.patch:
            patch.write_bytes(one.patch)
        else:
            patch.unlink(missing_ok=True)  # of an earlier run


def _summary(result: Result) -> dict[str, Any]:
    return {
        "repository": result.repository.name, "source": result.repository.source,
        "status": result.status, "error": result.error or None, "files": result.files,
        "findings": len(result.findings), "fixes": result.fixes, "seconds": result.seconds,
    }  # fmt: skip


def _write_table(path: Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from dlfix.source.printable import encodable_data

    types = {name: pa.int64() if name in NUMBERS else pa.string() for name in columns}
    if "seconds" in types:
        types["seconds"] = pa.float64()
    schema = pa.schema(list(types.items()))
    pq.write_table(pa.Table.from_pylist(encodable_data(list(rows)), schema=schema), path)
