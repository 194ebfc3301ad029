"""Runs one program and ends with it whatever it started; a process of its own, POSIX only.

    python -I supervisor.py LIMIT COMMAND...

The program gets a session of its own. Processes that it leaves behind become children of this one (Linux),
however they were started, and are killed at the end: when the program ends, and when the standard
input closes, because dlfix asks for it, was killed, or died. What the program prints goes to the
standard error, up to LIMIT bytes. The program's status is the last line of the standard output.
"""

# Standard library only: it is run by its path.

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
ROUNDS = 200  # of looking for processes; a program may start new ones while they are killed


def main(limit: int, command: list[str]) -> None:
    """Run the command; write its status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the standard input says when to end
    adopt_orphans()
    output, writing = os.pipe()
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
        start_new_session=True,
        preexec_fn=_default_signals,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},  # what it printed before it hung is seen
    )
    os.close(writing)
    pump = Pump(output, limit)
    while child.poll() is None and not _asked_to_end(pump):
        pass
    end_all(child)
    pump.drain()
    os.write(1, f"{child.returncode}\n".encode())


def _default_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def adopt_orphans() -> None:
    """Become the parent of processes below whose own parent ends."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def _asked_to_end(pump: Pump) -> bool:
    """Pass on what is printed for a moment; tell whether the standard input was closed."""
    waiting = [0] if pump.ended else [0, pump.source]
    ready, _, _ = select.select(waiting, [], [], 0.02 if pump.ended else 0.2)
    if pump.source in ready:
        pump.pass_on()
    return 0 in ready and not os.read(0, 1024)


class Pump:
    """Passes on what the program prints, as far as the limit allows."""

    def __init__(self, source: int, limit: int) -> None:
        self.source = source
        self.left = limit
        self.ended = False

    def pass_on(self) -> None:
        """Pass on what is there; what is over the limit is read and dropped."""
        data = os.read(self.source, 1 << 16)
        self.ended = not data
        if self.left > 0:
            _write(data[: self.left])
            if len(data) > self.left:
                _write(b"\ndlfix: the program prints too much; the rest is not shown\n")
        self.left -= len(data)

    def drain(self) -> None:
        """Pass on what is left; nobody writes any more."""
        while not self.ended and select.select([self.source], [], [], 0)[0]:
            self.pass_on()


def _write(data: bytes) -> None:
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(2, data) :]


def end_all(child: subprocess.Popen[bytes]) -> None:
    """Kill the program and all that it started, until nothing of it is left."""
    child.poll()
    for _ in range(ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        left = descendants()
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        _reap(child)
        if not left and child.returncode is not None:
            return
        time.sleep(0.01)


def _reap(child: subprocess.Popen[bytes]) -> None:
    child.poll()
    with contextlib.suppress(ChildProcessError):
        while child.returncode is not None and os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def descendants() -> list[int]:
    """Return the processes below this one that run; those of no parent are ours as well."""
    children: dict[int, list[int]] = {}
    for process, parent, state in processes():
        if state != "Z":
            children.setdefault(parent, []).append(process)
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found


def processes() -> list[tuple[int, int, str]]:
    """Return number, parent and state of every process; none where the system does not tell."""
    if not os.path.isdir("/proc/self"):
        return _listed_by_ps()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The second field, a name in parentheses, may hold anything.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                found.append((int(name), int(parent), state.decode()))
    return found


def _listed_by_ps() -> list[tuple[int, int, str]]:
    with contextlib.suppress(OSError, ValueError):
        ps = subprocess.Popen(["/bin/ps", "-axo", "pid=,ppid=,state="], stdout=subprocess.PIPE)
        rows = [line.split() for line in ps.communicate()[0].splitlines()]
        return [
            (int(row[0]), int(row[1]), row[2][:1].decode())
            for row in rows
            if len(row) == 3 and int(row[0]) != ps.pid
        ]
    return []


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
