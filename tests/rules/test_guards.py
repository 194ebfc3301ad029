"""What only the main process comes to needs no main guard, whatever chooses it."""

from __future__ import annotations

import pytest

from dlfix.catalog import load
from dlfix.fixing.engine import inspect
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

SCRIPT = """
from torch.utils.data import DataLoader

def main():
    for batch in DataLoader(list(range(4)), num_workers=2):
        print(batch)

{start}
"""


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("main()", ["DLF301"]),
        ('__name__ == "__main__" and main()', []),
        ('__name__ != "__main__" or main()', []),
        ('main() if __name__ == "__main__" else None', []),
        ('print("imported") if __name__ != "__main__" else main()', []),
        ('__name__ == "__main__" or main()', ["DLF301"]),
        ('main() and __name__ == "__main__"', ["DLF301"]),
        ('main() if __name__ != "__main__" else None', ["DLF301"]),
    ],
)
def test_a_choice_that_only_the_main_process_takes(tmp_path, start, found):
    (tmp_path / "main.py").write_text(SCRIPT.format(start=start))
    findings = inspect(analyze(Project([tmp_path / "main.py"]), load()), all_rules())
    assert [each.finding.code for each in findings] == found
