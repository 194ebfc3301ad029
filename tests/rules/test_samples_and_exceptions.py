"""DLF207, DLF208 and DLF209: what they name, and more that they must not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from dlfix.catalog import load
from dlfix.fixing.planners.pickle_state_exceptions import plan_exceptions
from dlfix.fixing.plans import Fix
from dlfix.project.project import Project
from dlfix.reach.analysis import Analysis, analyze
from dlfix.rules.base import Finding
from dlfix.rules.dlf207_unpicklable_sample import UnpicklableSample, _parts
from dlfix.rules.dlf208_context_manager_missing import ContextManagerMissing
from dlfix.rules.dlf209_unpicklable_exception import UnpicklableException

RULES = (UnpicklableSample, ContextManagerMissing, UnpicklableException)
HEAD = """
import collections, contextlib, pathlib, threading
from concurrent.futures import ProcessPoolExecutor
from torch.utils.data import DataLoader, Dataset
class Point:
    def __init__(self, x): self.x = x
    def close(self): pass
def collate(batch): return [point.x for point in batch]
def bad_collate(batch): return lambda: batch
def parted_collate(batch): return [each["lock"] for each in batch], [each["n"] for each in batch]
def kept_collate(batch):
    kept = []
    for each in batch:
        kept.append(each["lock"])
    return kept
def picking_collate(batch): return [each["n"] for each in batch]
def keyed_collate(batch):
    found = collections.defaultdict(lambda: 0)
    found["batch"] = batch
    return found
def listed_collate(batch):
    found = collections.defaultdict(list)
    found["batch"] = batch
    return found
class Points(Dataset):
    def __init__(self): self.points = [Point(1), Point(2)]
    def __len__(self): return 2
    def __getitem__(self, index):
        {body}
loader = DataLoader(Points(), num_workers=2{more})
"""
POOL = """
from concurrent.futures import ProcessPoolExecutor
class Odd(Exception):
    def __init__(self, number, reason):
        super().__init__(reason)
        self.number, self.reason = number, reason
class Fine(Exception): pass
def check(number):
    {body}
def main():
    with ProcessPoolExecutor(2) as executor:
        executor.submit(check, 1)
"""


def analysis_of(tmp_path: Path, text: str) -> Analysis:
    path = tmp_path / "program.py"
    path.write_text(text)
    return analyze(Project([path]), load())


def found(tmp_path: Path, text: str) -> list[Finding]:
    analysis = analysis_of(tmp_path, text)
    return [finding for rule in RULES for finding in rule().check(analysis)]


NAMED = {
    "an object of one's own": ("return self.points[index]", "", "DLF207"),
    "an object inside a dict": ('return {"point": Point(index)}', "", "DLF207"),
    "a generator": ("return (n for n in range(index))", "", "DLF207"),
    "a collate function's lambda": ("return 1", ", collate_fn=bad_collate", "DLF207"),
    "a part of a sample that a collate function keeps": (
        "return {'lock': threading.Lock(), 'n': 1}",
        ", collate_fn=parted_collate",
        "DLF207",
    ),
    "one that it appends": (
        "return {'lock': threading.Lock(), 'n': 1}",
        ", collate_fn=kept_collate",
        "DLF207",
    ),
    "a collate function's defaultdict": ("return 1", ", collate_fn=keyed_collate", "DLF207"),
    "a lambda without batches": ("return lambda: index", ", batch_size=None", "DLF207"),
    "None": ("return None", "", "DLF207"),
    "None where a file is missing": (
        "x = unknown(index)\n        if x is None: return 1, None\n        return 1, 2",
        "",
        "DLF207",
    ),
    "a set": ('return {"tags": {1, index}}', "", "DLF207"),
    "a path": ("path = pathlib.Path(str(index))\n        return index, path", "", "DLF207"),
    "a lambda that is handed on": ("return lambda: 1", ", collate_fn=lambda b: b[0]", "DLF207"),
    "with over no context manager": ("with Point(1) as p: return p.x", "", "DLF208"),
}
LEFT_ALONE = {
    "a collate function of one's own": ("return self.points[index]", ", collate_fn=collate"),
    "objects without batches": ("return self.points[index]", ", batch_size=None"),
    "numbers": ("return self.points[index].x", ""),
    "something unknown": ("return unknown(index)", ""),
    "closing": ("with contextlib.closing(Point(1)) as p: return p.x", ""),
    "a lock": ("with threading.Lock(): return 1", ""),
    "parts of a sample that a collate function picks": (
        "return {'lock': threading.Lock(), 'n': 1}",
        ", collate_fn=picking_collate",
    ),
    "a collate function's dict of lists": ("return 1", ", collate_fn=listed_collate"),
    "a local lambda": ("f = lambda n: n\n        return f(index)", ""),
    "None for some datasets": (
        "if self.test: return 1, None\n        return 1, 2",
        "",
    ),
    "None by a name": ("y = None\n        if index: y = 1\n        return 1, y", ""),
    "a set that may be made a tensor": (
        "x = {index}\n        if index: x = unknown(x)\n        return x",
        "",
    ),
    "None that is handed on": ("return None", ", collate_fn=lambda b: list(b)"),
    "no workers": ("return self.points[index]", ", num_workers=0"),
}


@pytest.mark.parametrize(("body", "more", "code"), NAMED.values(), ids=NAMED)
def test_what_cannot_come_back_is_named(tmp_path: Path, body: str, more: str, code: str) -> None:
    text = HEAD.format(body=body, more=more)
    assert [finding.code for finding in found(tmp_path, text)] == [code]


@pytest.mark.parametrize(("body", "more"), LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_comes_back_is_left_alone(tmp_path: Path, body: str, more: str) -> None:
    more = more.replace(", num_workers=0", "")
    text = HEAD.format(body=body, more=more)
    if (body, more) == ("return self.points[index]", ""):
        text = text.replace("num_workers=2", "num_workers=0")
    assert found(tmp_path, text) == []


def test_an_exception_raised_in_a_pool_is_named(tmp_path: Path) -> None:
    text = POOL.format(body='raise Odd(number, "odd")')
    assert [finding.code for finding in found(tmp_path, text)] == ["DLF209"]


@pytest.mark.parametrize("body", ['raise Fine("odd")', "raise ValueError(1, 2)", "return number"])
def test_exceptions_that_come_back_are_left_alone(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, POOL.format(body=body)) == []


def test_an_exception_that_only_a_dataset_raises_is_left_alone(tmp_path: Path) -> None:
    odd = POOL.partition("def check")[0].replace("{", "{{").replace("}", "}}")
    text = HEAD.format(body='raise Odd(index, "odd")', more="") + odd
    assert found(tmp_path, text) == []


def test_heirs_with_arguments_of_their_own_are_mended_too(tmp_path: Path) -> None:
    heir = "\nclass Odder(Odd):\n    def __init__(self, number):\n        super().__init__(number, 'x')\n"
    analysis = analysis_of(tmp_path, POOL.format(body='raise Odd(number, "odd")') + heir)
    findings = list(UnpicklableException().check(analysis))
    (planned,) = plan_exceptions(findings, analysis)
    assert isinstance(planned.outcome, Fix)
    plans = [edit.plan.positional for edit in planned.outcome.edits]
    assert plans == [("self.number", "self.reason"), ("self.number",)]


def test_what_is_in_many_containers_is_looked_at_once():
    """Each of the lists holds all of the next ones, twenty of them: 160,000 ways lead to the last."""
    lines = [f"    l0_{i} = [index]" for i in range(20)]
    for level in range(1, 5):
        inner = ", ".join(f"l{level - 1}_{i}" for i in range(20))
        lines += [f"    l{level}_{i} = [{inner}]" for i in range(20)]
    program = "\n".join(["def sample(index):", *lines, "    return [l4_0]", "kept = sample(0)"])
    path = Path("/program/main.py")
    analysis = Analysis(Project([path], {path: program}), load())
    module = analysis.project.get(path)
    assert module is not None
    call = module.tree.body[-1].value
    found = analysis.interpreter.values_at(call, analysis.interpreter.frame_at(module, call))
    looked_at = list(itertools.islice(_parts(analysis, found, 4), 2000))
    assert 400 < len(looked_at) < 1000
