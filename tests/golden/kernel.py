"""Executes a notebook in a Jupyter kernel, as a person would: `kernel.py NOTEBOOK --workers N --start-method M`.

The notebook finds the two values in the environment. What its cells print is printed.
"""

from __future__ import annotations

import argparse
import os
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("notebook")
    parser.add_argument("--workers")
    parser.add_argument("--start-method")
    given = parser.parse_args()
    os.environ.update(WORKERS=given.workers, START_METHOD=given.start_method)
    book = nbformat.read(given.notebook, as_version=4)
    status = 0
    try:
        NotebookClient(book, timeout=60, kernel_name="python3").execute()
    except CellExecutionError as error:
        print(error, file=sys.stderr)
        status = 1
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                print(output.text, end="", file=getattr(sys, output.name))
    return status


if __name__ == "__main__":
    raise SystemExit(main())
