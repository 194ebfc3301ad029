"""Draw what `dlfix check` prints for the example as an SVG: `python docs/picture.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "images" / "check.svg"
COMMAND = ("check", "examples/birds", "--no-cache", "--color", "always")


def printed() -> str:
    """Return what the command prints, with its colors."""
    done = subprocess.run(
        [sys.executable, "-m", "dlfix", *COMMAND],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100", "TERM": "xterm-256color"},
    )
    if done.returncode != 1:
        sys.exit(done.stderr or "the example has no findings")
    return done.stdout


def picture(text: str) -> str:
    """Return the text as an SVG that is the same on every run."""
    import io

    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ dlfix check examples/birds\n{text}"))
    return console.export_svg(title="dlfix", unique_id="dlfix")


if __name__ == "__main__":
    TARGET.write_text(picture(printed()), encoding="utf-8")
