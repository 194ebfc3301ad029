"""How a run of the command line ends: with a status, and a line where something went wrong."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from dlfix.source.printable import visible

INTERRUPTED = 130


def ended(work: Callable[[], int]) -> int:
    """Return a command's exit status; whatever goes wrong is one line, not a traceback."""
    from dlfix.config import ConfigError
    from dlfix.source.discovery import MissingPath
    from dlfix.source.text import SourceError

    try:
        return work()
    except (ConfigError, MissingPath, SourceError) as error:
        return failed(str(error))
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        return failed(refusal(error))
    except (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, MemoryError,
            NameError, RecursionError, TypeError, ValueError) as error:  # fmt: skip
        if os.environ.get("DLFIX_TRACEBACK"):
            raise
        return failed(words(error))


def words(error: Exception) -> str:
    """Return what is said of an error that no command expects, in a line."""
    if isinstance(error, OSError):
        return refusal(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"internal error ({what}); please report it"


def refusal(error: OSError) -> str:
    """Return what the system refused, in a line."""
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}"
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the working directory does not exist"
    return reason


def failed(message: str) -> int:
    """Say what went wrong, if that can be said, and return the exit status of that."""
    try:
        print(f"dlfix: {visible(message)}", file=sys.stderr)
    except OSError:
        discard(2)
    return 2


def discard(number: int) -> None:
    """Let go what a standard stream still holds: Python tries to write it at its end, and ends with another status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
