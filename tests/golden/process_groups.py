"""The processes of a program as one group, of which none is left when the program has ended."""

import os
import signal
import time

GRACE = 1.0  # seconds in which the others may end by themselves


def join(group):
    """Become a part of the program that asked for this process; end if it has ended."""
    try:
        os.setpgid(0, group)
    except OSError:
        os._exit(1)


def end(group):
    """Give the processes of an ended program a moment to end, then kill them."""
    deadline = time.monotonic() + GRACE
    try:
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # none is left, or on macOS a zombie
        return
