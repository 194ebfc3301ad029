"""Keeps the working directory off `sys.path`: its modules are the project's, and are not run.

Imports nothing that the interpreter has not loaded before `sys.path` is in use.
"""

import os
import sys


def without_working_folder(entries: list[str]) -> list[str]:
    """Return the entries that are absolute and not the working directory, however written.

    The folder that dlfix itself was imported from stays.
    """
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    here = _working_folder()
    return [
        entry
        for entry in entries
        if os.path.isabs(entry) and (not _same(entry, here) or _same(entry, own))
    ]


def leave_working_folder() -> None:
    """Take the working directory off this process's `sys.path`."""
    sys.path[:] = without_working_folder(sys.path)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _same(one: str, other: str) -> bool:
    return bool(other) and os.path.realpath(one) == os.path.realpath(other)
