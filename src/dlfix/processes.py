"""Child processes of dlfix's own: they import dlfix and its dependencies, nothing of the project.

`multiprocessing` starts a spawned child as `python -c`, which has the working directory first on its
`sys.path`, and so runs a checkout's `signal.py`. These children are started in isolated mode, get the
parent's path, and talk over pipes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeVar

from dlfix.safe_path import without_working_folder

T = TypeVar("T")
R = TypeVar("R")

LENGTH = 8  # bytes before each message


def each(
    function: Callable[[T], R], items: Sequence[T], jobs: int, *, lost: R, chunk: int = 4
) -> Iterator[R]:
    """Yield `function(item)` for each item in order, worked out in `jobs` processes.

    `lost` stands for the items of a process that died. The function is sent by its name.
    """
    chunks = [items[start : start + chunk] for start in range(0, len(items), chunk)]
    work: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(chunks)):
        work.put(number)
    done: list[queue.SimpleQueue[list[R] | BaseException]] = [queue.SimpleQueue() for _ in chunks]
    children = [_Child() for _ in range(max(1, min(jobs, len(chunks))))]

    def drive(child: _Child) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                number = work.get_nowait()
                try:
                    answer = child.ask((function, chunks[number]))
                except (EOFError, OSError):
                    answer = [lost] * len(chunks[number])
                    child.restart()
                except BaseException as error:
                    answer = error
                done[number].put(answer)

    threads = [threading.Thread(target=drive, args=(child,), daemon=True) for child in children]
    try:
        for thread in threads:
            thread.start()
        for result in done:
            answer = result.get()
            if isinstance(answer, BaseException):
                raise answer
            yield from answer
    finally:
        with contextlib.suppress(queue.Empty):
            while True:
                work.get_nowait()
        for child in children:
            child.end()


class _Child:
    """One process, and the pipes to it."""

    def __init__(self) -> None:
        self.ended = False
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            command("from dlfix.processes import serve; serve()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, question: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        _send(self.process.stdin, question)
        succeeded, answer = _receive(self.process.stdout)
        if not succeeded:
            raise answer
        return answer

    def restart(self) -> None:
        self._kill()
        if not self.ended:
            self.start()

    def end(self) -> None:
        self.ended = True
        self._kill()

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def command(code: str) -> list[str]:
    """Return the command line that runs code with our modules and no others."""
    # -I: neither the working directory, nor PYTHONPATH, nor the user's site; from Python 3.4 on.
    path = without_working_folder(sys.path)
    flags = ["-I", *(["-B"] if sys.flags.dont_write_bytecode else [])]
    return [sys.executable, *flags, "-c", f"import sys; sys.path[:] = {path!r}; {code}"]


def serve() -> None:
    """Answer the parent until it closes the pipe; run in a child."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not get between the answers
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            function, items = _receive(questions)
            try:
                answer: tuple[bool, Any] = True, [function(item) for item in items]
            except Exception as error:
                answer = False, error
            _send(answers, answer)


def _send(pipe: BinaryIO | Any, message: Any) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(LENGTH, "big") + data)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> Any:
    head = pipe.read(LENGTH)
    if len(head) < LENGTH:
        raise EOFError
    size = int.from_bytes(head, "big")
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
