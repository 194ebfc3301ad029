"""The start and the end of a run of the command line."""

from __future__ import annotations

import errno
import gc
import os
import sys

from dlfix import arguments
from dlfix.ending import INTERRUPTED, ended


def main() -> None:
    """Run the command line."""
    gc.set_threshold(
        200_000, 20, 100
    )  # trees live to the end: looking through them is most of a run
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        _run()
    finally:
        gc.freeze()  # nothing is worth collecting now
        _flush()


def _run() -> None:
    asked = arguments.of_check(sys.argv[1:])
    if asked is None:
        from dlfix.cli import app

        app(prog_name="dlfix")
        return
    from dlfix import checking

    gc.set_threshold(5_000_000, 20, 100)  # one reading, and then it is over
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno != errno.EPIPE:
            print(f"dlfix: {error.strerror}", file=sys.stderr)
        os._exit(2)
