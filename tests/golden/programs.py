"""Golden programs executed: in warm processes, or cold, as a person would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from tests.golden import process_groups

HERE = Path(__file__).parent
TIMEOUT = 90
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Run:
    """One run to make: a program, how many workers, how they are started."""

    folder: Path
    entry: str
    workers: int
    method: str
    guard: tuple[str, ...] = ()
    until: str = ""  # a program that never ends is stopped once it has printed this error

    @property
    def argv(self) -> list[str]:
        return [self.entry, "--workers", str(self.workers), "--start-method", self.method]

    @property
    def is_notebook(self) -> bool:
        """Whether the program is run by a Jupyter kernel."""
        return self.entry.endswith(".ipynb")


@dataclass(frozen=True)
class Outcome:
    """What a run came to; `code` is None where it had to be stopped."""

    code: int | None
    output: str
    errors: str

    @property
    def result(self) -> str | None:
        """The last RESULT line of a run that went well."""
        lines = [line for line in self.output.splitlines() if line.startswith("RESULT")]
        return lines[-1] if lines and self.code == 0 else None

    def __str__(self) -> str:
        end = "had to be stopped" if self.code is None else f"exit {self.code}"
        return f"{end}\n{self.output[-1000:]}\n{self.errors[-3000:]}"


def copied(program: Path, folder: str) -> Path:
    """Copy a program, as the same one may run at the same time elsewhere, and may write files."""
    return shutil.copytree(program, Path(folder, program.name))


class Server:
    """A warm process that runs one program at a time."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
        )

    def run(self, run: Run) -> Outcome:
        assert self.process.stdin
        assert self.process.stdout
        with tempfile.TemporaryDirectory() as folder:
            stdout, stderr = Path(folder, "stdout"), Path(folder, "stderr")
            job = {
                "cwd": str(copied(run.folder, folder)),
                "argv": run.argv,
                "stdout": str(stdout),
                "stderr": str(stderr),
                "timeout": TIMEOUT,
                "until": run.until,
                "environment": {"GOLDEN_GUARD": json.dumps(run.guard)},
            }
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            assert answer, "the server of golden programs died"
            texts = [path.read_text(errors="replace") for path in (stdout, stderr)]
            return Outcome(json.loads(answer), *texts)

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(TIMEOUT)


class Warm:
    """A few servers; runs wait for a free one."""

    def __init__(self, servers: int | None = None) -> None:
        servers = servers or (1 if tests_run_side_by_side() else 2)
        self.pool = ThreadPoolExecutor(servers)
        self.servers = [Server() for _ in range(servers)]
        self.free: Queue[Server] = Queue()
        for server in self.servers:
            self.free.put(server)

    def _run(self, run: Run) -> Outcome:
        server = self.free.get()
        try:
            return server.run(run)
        finally:
            self.free.put(server)

    def run(self, runs: Sequence[Run]) -> list[Outcome]:
        """Run programs side by side; answers come in the order of the runs."""
        return list(self.pool.map(self._run, runs))

    def close(self) -> None:
        self.pool.shutdown()
        for server in self.servers:
            server.close()


def tests_run_side_by_side() -> bool:
    """Whether other processes of pytest-xdist run tests, each with servers of its own."""
    return "PYTEST_XDIST_WORKER" in os.environ


class Cold:
    """A fresh interpreter for every process, as a person would have."""

    def run(self, runs: Sequence[Run]) -> list[Outcome]:
        with ThreadPoolExecutor(1 if tests_run_side_by_side() else 2) as pool:
            return list(pool.map(run_cold, runs))

    def close(self) -> None:
        pass


def run_cold(run: Run) -> Outcome:
    """Run a program with `python`, or a notebook in a kernel."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
    ):
        through = [str(HERE / "kernel.py")] if run.is_notebook else []
        process = subprocess.Popen(
            [sys.executable, *through, *run.argv],
            cwd=copied(run.folder, folder),
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            env={**os.environ, **ENVIRONMENT},
        )
        try:
            code = _wait(process, time.monotonic() + TIMEOUT)
        finally:
            process_groups.end(process.pid)
        stdout.seek(0)
        stderr.seek(0)
        return Outcome(code, stdout.read(), stderr.read())


def _wait(process: subprocess.Popen[bytes], deadline: float) -> int | None:
    try:
        return process.wait(deadline - time.monotonic())
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None
