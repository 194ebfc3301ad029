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


LOOP = """
import inspect
import torch
from torch.utils.data import DataLoader
from {origin} import shown

loader = DataLoader(list(range(4)), num_workers=2)
{loop}
"""


@pytest.mark.parametrize(
    ("origin", "loop", "found"),
    [
        ("progressbar", "for batch in shown(loader, max_value=4): print(batch)", ["DLF301"]),
        ("progressbar", "for n, batch in enumerate(shown(loader)): print(batch)", ["DLF301"]),
        ("bars.all", "sizes = [len(batch) for batch in shown(loader)]", ["DLF301"]),
        ("own", "for size in shown(loader): print(size)", []),  # which only asks for its length
        ("progressbar", "for n in shown(range(9), loader): print(n)", []),
        ("progressbar", "for name, _ in inspect.getmembers(loader): print(name)", []),
        ("progressbar", "for name in vars(loader): print(name)", []),
    ],
)
def test_a_loop_over_what_a_package_makes_of_a_loader_starts_its_workers(
    tmp_path, origin, loop, found
):
    (tmp_path / "own.py").write_text("def shown(loader):\n    return [len(loader)]\n")
    (tmp_path / "main.py").write_text(LOOP.format(origin=origin, loop=loop))
    files = [tmp_path / "main.py", tmp_path / "own.py"]
    findings = inspect(analyze(Project(files), load()), all_rules())
    assert [each.finding.code for each in findings] == found


KEPT = """
class Fit:
    def __init__(self, rows, other=None):
        self.rows = rows
        self.other = other
    def run(self):
        return [batch for batch in self.rows]
    def size(self):
        return len(self.rows)
"""
MAKING = """
from torch.utils.data import DataLoader
def loaders():
    loader = DataLoader(list(range(4)), num_workers=2)
    return loader, DataLoader([1])
"""


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("fit = Fit(loader)\nfit.run()", ["DLF301"]),
        ("Fit(rows=loader).run()", ["DLF301"]),
        ("Fit(loader).size()", []),
        ("Fit([1], other=loader).run()", []),
        ("Fit(single).run()", []),
        ("if __name__ == '__main__': Fit(loader).run()", []),
    ],
)
def test_an_object_that_keeps_a_loader_and_goes_through_it_starts_its_workers(
    tmp_path, start, found, apart
):
    loading = "loader, single = loaders()\n"
    texts = {"main": f"{MAKING}{KEPT}{loading}{start}"}
    if apart:
        imports = "from making import loaders\nfrom fitting import Fit\n"
        texts = {"main": f"{imports}{loading}{start}", "making": MAKING, "fitting": KEPT}
    files = [tmp_path / f"{name}.py" for name in texts]
    for path, text in zip(files, texts.values(), strict=True):
        path.write_text(text)
    findings = inspect(analyze(Project(files), load()), all_rules())
    assert [each.finding.code for each in findings] == found


PARTIAL = """
from functools import partial
from torch.utils.data import DataLoader

loader = DataLoader(list(range(4)), num_workers=2)

def run(epoch, train):
    for batch in loader:
        print(batch)

{bound}
for epoch in range(3):
    {call}
"""


@pytest.mark.parametrize(
    ("bound", "call", "found"),
    [
        ("train = partial(run, train=True)", "train(epoch)", ["DLF301"]),
        ("train = run", "train(epoch, True)", ["DLF301"]),
        ("train = partial(print, run)", "train(epoch)", []),
        ("train = partial(run, train=True)", "print(epoch)", []),
    ],
)
def test_a_call_of_a_partial_starts_the_workers_of_its_function(tmp_path, bound, call, found):
    (tmp_path / "main.py").write_text(PARTIAL.format(bound=bound, call=call))
    findings = inspect(analyze(Project([tmp_path / "main.py"]), load()), all_rules())
    assert [each.finding.code for each in findings] == found
