import os

USED = []


def open_input(path):
    """Open a file, and note that the run has used it."""
    file = open(path, "rb")
    USED.append(f"{len(USED)}:{os.path.basename(path)}")
    return file
