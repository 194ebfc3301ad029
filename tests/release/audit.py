"""Known holes in what dlfix needs to run: `make audit`.

Exits with 1 if there are any, and with 2 where nothing could be looked up: that is no result.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path


def pinned() -> list[str]:
    """Return what dlfix requires, and what that requires, in the versions that are installed."""
    found: dict[str, str] = {}
    waiting = ["dlfix"]
    while waiting:
        installed = distribution(waiting.pop())
        for requirement in installed.requires or ():
            name = re.match(r"[\w.-]+", requirement).group()  # type: ignore[union-attr]
            if ";" not in requirement and name not in found:
                found[name] = distribution(name).version
                waiting.append(name)
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def main() -> int:
    """Ask the vulnerability service of pip-audit."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text("\n".join(pinned()) + "\n")
        print(requirements.read_text(), flush=True)
        options = ["--strict", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        command = [sys.executable, "-m", "pip_audit", *options, "-r", str(requirements)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode and not done.stdout.strip():  # the holes are a table there, errors are not
        print(
            "Not audited: what is known of these packages could not be looked up", file=sys.stderr
        )
        return 2
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
