"""Judges what dlfix makes of a program by running it before and after."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.golden import programs

HERE = Path(__file__).parent
GOLDEN = Path(programs.__file__).parent
TIMEOUT = 20
FOREIGN = "UsedInAnotherProcess"
METHODS = ("spawn", "forkserver", "fork")
# Rules about what works, at a cost or with another meaning in each worker.
WORKS_ANYWAY = {"DLF304", "DLF501", "DLF502", "DLF503", "DLF601"}

Files = Mapping[str, str]


@dataclass(frozen=True)
class Ran:
    """What one run came to."""

    result: str | None
    errors: str
    descriptors: int
    disk: str

    @property
    def foreign(self) -> bool:
        """Whether a handle of another process was used."""
        return FOREIGN in self.errors

    @property
    def unpicklable(self) -> bool:
        """Whether it failed because something could not be sent."""
        words = ("pickle", "is not the same object as", "bootstrapping phase", "__reduce")
        return self.result is None and any(word in self.errors for word in words)


class Runner:
    """Runs programs in a folder of its own, by a warm server."""

    def __init__(self, *, torch: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="differential-"))
        self.home = self.folder / "program"
        folders = [HERE, GOLDEN] if torch else [HERE / "stub", HERE, GOLDEN]
        path = os.pathsep.join(str(folder) for folder in folders)
        self.server = subprocess.Popen(
            [sys.executable, str(HERE / "stub_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **programs.ENVIRONMENT, "PYTHONPATH": path},
        )

    def run(self, files: Files, workers: int, method: str, *, guard: bool = False) -> Ran:
        """Run a program in a fresh folder."""
        assert self.server.stdin
        assert self.server.stdout
        write(self.home, files)
        stdout, stderr = self.folder / "stdout", self.folder / "stderr"
        job = {
            "cwd": str(self.home),
            "argv": ["main.py", "--workers", str(workers), "--start-method", method],
            "stdout": str(stdout),
            "stderr": str(stderr),
            "timeout": TIMEOUT,
            "environment": {"DIFFERENTIAL_GUARD": str(self.home) if guard else ""},
        }
        for path in (stdout, stderr):
            path.write_text("")
        self.server.stdin.write(json.dumps(job) + "\n")
        self.server.stdin.flush()
        code = json.loads(self.server.stdout.readline())
        output = stdout.read_text(errors="replace")
        errors = stderr.read_text(errors="replace")
        if code is None:
            errors += "\nhad to be stopped"
        result = _line(output, "RESULT") if code == 0 else None
        return Ran(result, errors, int(_line(output, "FDS") or 0), _disk(self.home, files))

    def close(self) -> None:
        """End the server and remove the folder."""
        assert self.server.stdin
        self.server.stdin.close()
        self.server.wait(TIMEOUT)
        shutil.rmtree(self.folder, ignore_errors=True)


def _line(output: str, word: str) -> str | None:
    lines = [line for line in output.splitlines() if line.startswith(word + " ")]
    return lines[-1].partition(" ")[2] if lines else None


def write(folder: Path, files: Files) -> None:
    """Make a folder hold just these files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def _disk(folder: Path, files: Files) -> str:
    """Digest what a run left on the disk."""
    parts = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in files and "__pycache__" not in name:
            data = b"" if path.name == "lock.mdb" else path.read_bytes()
            parts.append(f"{name} {hashlib.sha256(data).hexdigest()[:12]}")
    return "\n".join(parts)


@dataclass(frozen=True)
class Applied:
    """What an apply made of a program."""

    files: Files
    left: tuple[str, ...]  # findings that stay, with the reason
    messages: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    warned: bool = False  # whether a fix said that the program may change

    @property
    def says_fork_remains(self) -> bool:
        """Whether a fix said that a forked worker goes on using the parent's handle."""
        return any("a forked worker still uses the parent's" in text for text in self.messages)


class Tool:
    """What is asked of dlfix, in this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plant: Callable[[str, str], str] | None = None  # a bug put into what is written

    def check(self, files: Files) -> list[str]:
        """Return the codes of what is found."""
        from dlfix.config import Settings
        from dlfix.session import Session

        write(self.folder, files)
        session = Session.open([self.folder], Settings())
        return sorted(diagnosis.finding.code for diagnosis in session.diagnoses())

    def apply(self, files: Files, *, unsafe: bool) -> Applied:
        """Rewrite a program."""
        from dlfix.config import Settings
        from dlfix.session import Session

        write(self.folder, files)
        outcome = Session.open([self.folder], Settings()).rewrite(unsafe=unsafe)
        made = {path.name: text for path, text in outcome.after.items()}
        if self.plant is not None:
            made = {name: self.plant(files[name], text) for name, text in made.items()}
        left = tuple(
            f"{one.finding.code}: {getattr(one.outcome, 'reason', None) or getattr(one.outcome, 'message', 'no fix')}"
            for one in outcome.left
        )
        fixes = tuple(f"{one.outcome.message} {getattr(one.outcome, 'why_unsafe', '')}".strip()
                      for one in outcome.applied)  # fmt: skip
        warned = any(one.outcome.why_unsafe for one in outcome.applied)
        return Applied({**files, **made}, left, fixes, outcome.errors, warned)


@dataclass
class Verdict:
    """What became of one program: under safe fixes, and under all."""

    safe: str
    unsafe: str = "-"
    why: str = ""
    codes: list[str] = field(default_factory=list)
    left: tuple[str, ...] = ()
    safe_files: Files | None = None
    unsafe_files: Files | None = None

    @property
    def bad(self) -> str | None:
        """The kind of failure, None where there is none."""
        for status in (self.safe, self.unsafe):
            if status.startswith(("WRONG", "GENERATOR")):
                return status
        return self.safe if self.safe in ("missed", "false") else None


class Judge:
    """Runs a program before and after each way to fix it."""

    def __init__(self, *, torch: bool = False) -> None:
        self.runner = Runner(torch=torch)
        self.tool = Tool(self.runner.folder / "dlfix")

    def close(self) -> None:
        """End what was started."""
        self.runner.close()

    def judge(self, files: Files, *, forkserver: bool = False, unsafe: bool = True) -> Verdict:
        """Judge one program."""
        run = self.runner.run
        alone = run(files, 0, "spawn")
        if alone.result is None:
            return Verdict("GENERATOR", why=alone.errors[-1500:])
        before = {
            "spawn": run(files, 2, "spawn"),
            "fork": run(files, 2, "fork", guard=True),
        }
        if before["fork"].result != alone.result and not before["fork"].foreign:
            before["fork"] = run(files, 2, "fork")
        try:
            safe = self.tool.apply(files, unsafe=False)
            codes = self.tool.check(files)
        except Exception as error:  # a traceback of dlfix is a bug of its own
            return Verdict("WRONG crash", why=f"{type(error).__name__}: {error}")
        if safe.errors:
            return Verdict("WRONG own error", why="; ".join(safe.errors))
        verdict = Verdict("", codes=codes, left=safe.left)
        if safe.files == files:
            verdict.safe, verdict.why = self._untouched(alone, before, codes, safe)
        else:
            verdict.safe_files = safe.files
            wrong = self._wrong(files, safe, alone, before, forkserver, unsafe=False)
            verdict.safe = f"WRONG {wrong[0]}" if wrong else "partly" if safe.left else "fixed"
            verdict.why = wrong[1] if wrong else "; ".join(safe.left)
        if unsafe and safe.left:
            self._unsafely(files, safe, alone, before, forkserver, verdict)
        return verdict

    def still(self, files: Files, status: str) -> bool:
        """Return whether a program fails in one way, with no more runs than that takes."""
        if status not in ("WRONG 0 workers", "WRONG files on disk", "WRONG descriptors"):
            return self.judge(files, forkserver="forkserver" in status).bad == status
        alone = self.runner.run(files, 0, "spawn")
        if alone.result is None:
            return False
        for unsafe in (False, True):
            applied = self.tool.apply(files, unsafe=unsafe)
            wrong = applied.files != files and self._wrong_alone(applied, alone)
            if wrong:
                return f"WRONG {wrong[0]}" == status
            if not applied.left:
                return False
        return False

    def _unsafely(self, files: Files, safe: Applied, alone: Ran, before: Mapping[str, Ran],
                  forkserver: bool, verdict: Verdict) -> None:  # fmt: skip
        try:
            applied = self.tool.apply(files, unsafe=True)
        except Exception as error:
            verdict.unsafe, verdict.why = "WRONG crash", f"{type(error).__name__}: {error}"
            return
        if applied.files == safe.files:
            return
        verdict.unsafe_files = applied.files
        wrong = self._wrong(files, applied, alone, before, forkserver, unsafe=True)
        verdict.unsafe = f"WRONG {wrong[0]}" if wrong else "partly" if applied.left else "fixed"
        if wrong and wrong[0] == "changed as warned":
            verdict.unsafe = wrong[0]
        if wrong:
            verdict.why = wrong[1] + "\nunsafe: " + "; ".join(applied.messages)

    def _untouched(
        self, alone: Ran, before: Mapping[str, Ran], codes: list[str], applied: Applied
    ) -> tuple[str, str]:
        failing = [method for method, ran in before.items() if ran.result != alone.result]
        if not codes:
            spawn = before["spawn"]
            if spawn.unpicklable or before["fork"].foreign:
                how = "spawn" if spawn.unpicklable else "fork"
                return "missed", f"{how}: {_last(before[how].errors)}"
            return ("differs", _last(before[failing[0]].errors)) if failing else ("clean", "")
        works = not failing and not WORKS_ANYWAY.issuperset(codes)
        return ("false" if works else "refused"), "; ".join(applied.left)

    def _wrong(self, files: Files, applied: Applied, alone: Ran, before: Mapping[str, Ran],
               forkserver: bool, *, unsafe: bool) -> tuple[str, str] | None:  # fmt: skip
        """Return what is worse than before, or is not what the tool says."""
        wrong = self._wrong_alone(applied, alone)
        if wrong is not None:
            return wrong
        for method in METHODS if forkserver else ("spawn", "fork"):
            wrong = self._wrong_under(method, files, applied, alone, before)
            if wrong is not None:
                return wrong
        again = self.tool.apply(applied.files, unsafe=unsafe)
        return ("second apply", "") if again.files != applied.files else None

    def _wrong_alone(self, applied: Applied, alone: Ran) -> tuple[str, str] | None:
        after = self.runner.run(applied.files, 0, "spawn")
        if after.result != alone.result:
            if after.result is not None and applied.warned:
                return "changed as warned", f"{alone.result} -> {after.result}"
            return "0 workers", f"{alone.result} -> {after.result} {_last(after.errors)}"
        if after.disk != alone.disk:
            return "files on disk", f"{alone.disk}\n->\n{after.disk}"
        if after.descriptors > alone.descriptors:
            return "descriptors", f"{alone.descriptors} -> {after.descriptors}"
        return None

    def _wrong_under(self, method: str, files: Files, applied: Applied, alone: Ran,
                     before: Mapping[str, Ran]) -> tuple[str, str] | None:  # fmt: skip
        guard = method == "fork"
        after = self.runner.run(applied.files, 2, method, guard=guard)
        if guard and after.result != alone.result and not after.foreign:
            after = self.runner.run(applied.files, 2, method)
        if after.result == alone.result:
            if after.disk == alone.disk:
                return None
            return f"{method} files on disk", f"{alone.disk}\n->\n{after.disk}"
        old = before[method] if method in before else self.runner.run(files, 2, method)
        if old.result == alone.result:
            return f"{method} worked before", f"{after.result} {_last(after.errors)}"
        as_before = (after.foreign and old.foreign) or (after.result is None is old.result)
        if guard and as_before and applied.says_fork_remains:
            return None
        if not applied.left:
            return f"{method} still fails", f"{after.result} {_last(after.errors)}"
        if after.result is not None and old.result is None:
            return f"{method} silently wrong", f"{alone.result} -> {after.result}"
        return None


def _last(errors: str) -> str:
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
