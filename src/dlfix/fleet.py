"""Many repositories checked on a Ray cluster: one task each, and one set of files with the results."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix import config
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
    try:
        with _at_hand(repository) as folder, _working_in(folder):
            _fill(result, folder, unsafe)
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
    view = View(session, session.diagnoses())
    result.files = len(session.files)
    result.findings = [_row(result.repository, entry, folder) for entry in view.entries]
    result.sarif = _run(sarif.render(view), result.repository)
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


def _run(log: str, repository: Repository) -> dict[str, Any]:
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


def run(
    repositories: Sequence[Repository],
    *,
    address: str | None = None,
    unsafe: bool | None = None,
    say: Callable[[Result], None] = lambda result: None,
    task: Callable[[Repository, bool | None], Result] = examine,
) -> list[Result]:
    """Examine repositories on the Ray cluster at an address, or a local one; in the order given.

    Ray schedules, and tries again what a dead worker process left. After Ctrl-C, the results so far are
    returned, and the other repositories have failed.
    """
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
        results: dict[Repository, Result] = {}
        try:
            while waiting:
                (ready,), _ = ray.wait(list(waiting))
                one = waiting.pop(ready)
                try:
                    result = ray.get(ready)
                except ray.exceptions.RayError as error:
                    result = Result(one, "failed", " ".join(str(error).split()))
                results[one] = result
                say(result)
        except KeyboardInterrupt:  # what was done is written all the same
            results |= {one: Result(one, "failed", "stopped") for one in waiting.values()}
        return [results[one] for one in repositories]
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
    fixes = f"{result.fixes} {'fix' if result.fixes == 1 else 'fixes'}"
    return (
        f"{name}: {plural(result.files, 'file')}, {plural(len(result.findings), 'finding')},"
        f" {fixes} in the patch, {result.seconds:.1f} s{unread}"
    )


def write(results: Sequence[Result], folder: Path) -> None:
    """Write `findings.parquet`, `repositories.parquet`, `fleet.sarif` and a patch a repository."""
    from dlfix.report.sarif import SCHEMA

    patches = folder / "patches"
    patches.mkdir(parents=True, exist_ok=True)
    _write_table(
        folder / "findings.parquet", FINDING, [row for one in results for row in one.findings]
    )
    _write_table(folder / "repositories.parquet", REPOSITORY, [_summary(one) for one in results])
    runs = [one.sarif for one in results if one.sarif is not None]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}
    (folder / "fleet.sarif").write_text(json.dumps(log, indent=2) + "\n", encoding="utf-8")
    for one in results:
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
