"""A library of which dlfix knows nothing: some of its functions change files, others only look at them."""

import os


def refresh(path, other):
    """Put another file in the place of one."""
    os.replace(other, path)


def finish(path, other):
    """Remove a file."""
    os.remove(path)


def describe(path, other):
    """Return the size of a file."""
    return os.stat(path).st_size


def load_index(path, other):
    """Read a file."""
    with open(path, "rb") as file:
        return len(file.read())
