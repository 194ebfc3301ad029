"""The start and the end of a run of the command line."""

from __future__ import annotations

import errno
import gc
import os
import sys

from dlfix import arguments
from dlfix.ending import INTERRUPTED, discard, ended, failed


def main() -> None:
    """Run the command line."""
    _open_what_is_closed()
    # Trees live to the end: looking through them is most of a run.
    gc.set_threshold(200_000, 20, 100)
    if sys.argv[1:2] == ["check"]:
        gc.disable()  # one reading leaves next to nothing in cycles; who does another one collects
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        _run()
    finally:
        gc.freeze()  # nothing is worth collecting now
        _flush()


def _open_what_is_closed() -> None:
    """Open what the caller closed of the standard streams: the next file would take its number.

    Reading such an input and writing such an output is an error; what would be said on stderr is lost.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _run() -> None:
    asked = arguments.of_check(sys.argv[1:])
    if asked is None:
        from dlfix.cli import app

        app(prog_name="dlfix")
        return
    from dlfix import checking

    try:
        sys.exit(ended(lambda: checking.check(**asked)))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        sys.exit(1)


def _flush() -> None:
    """Write out what is left; where that fails, say so in a line: Python's own words are a traceback."""
    if sys.stdout.closed:  # as the language server leaves it
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout.fileno())
        if error.errno != errno.EPIPE:
            failed(error.strerror or str(error))
        os._exit(2)
