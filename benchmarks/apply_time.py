"""CPU seconds of `dlfix check` and `dlfix apply` for files with many findings: `python benchmarks/apply_time.py 25 300`."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FUNCTION = """

def make_{n}(rows):
    return DataLoader(rows, collate_fn=lambda batch: batch[{n}], num_workers=2)
"""


def seconds(command: str, path: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = [sys.executable, "-m", "dlfix", command, "--quiet", str(path)]
    subprocess.run(arguments, capture_output=True, check=command == "apply")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    print("findings  check  apply")
    for count in map(int, sys.argv[1:] or ("25", "50", "100", "300")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "loaders.py")
            functions = "".join(FUNCTION.format(n=n) for n in range(count))
            path.write_text(f"from torch.utils.data import DataLoader\n{functions}")
            print(f"{count:8} {seconds('check', path):6.1f} {seconds('apply', path):6.1f}")


if __name__ == "__main__":
    main()
