"""Source in the log of GitHub's runner: no line of it is taken for a command."""

from __future__ import annotations

import os
import re
import secrets

_COMMAND = re.compile(rb"^\s*::|##\[", re.MULTILINE)


def is_github() -> bool:
    """Whether what is printed goes to GitHub's runner."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def stopped() -> tuple[str, str]:
    """Return the lines that stop the runner's commands, and resume them; empty elsewhere."""
    if not is_github():
        return "", ""
    token = secrets.token_hex(16)  # nobody can write it into their source
    return f"::stop-commands::{token}\n", f"::{token}::\n"


def quoted(data: bytes) -> bytes:
    """Return whole lines as they are, between lines that stop commands where one looks like a command.

    `git apply` passes over what stands before and after a patch.
    """
    if not _COMMAND.search(data):
        return data
    before, after = stopped()
    return before.encode() + data + after.encode()
