"""Objects that operators of their classes combine, and what crosses with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

STEPS = """
def good(b): return b

class Step:
    def __init__(self, f): self.f = f
    def __call__(self, b): return self.f(b)
    def __or__(self, other):
        if not callable(other):
            return NotImplemented
        return Chain([self, other])
    def __ror__(self, other): return Chain([Step(other), self])
    def __invert__(self): return Step(lambda b: not self.f(b))
    def __matmul__(self, other): return Step(self.f)

class Chain(Step):
    def __init__(self, steps): self.steps = steps

"""

ROWS = [
    row(
        "the method of the left operand keeps both",
        STEPS + "DataLoader([], collate_fn=Step(good) | (lambda b: b), num_workers=2)",
        "collate_fn.steps[0].f def good",
        "collate_fn.steps[1] lambda",
    ),
    row(
        "what the method does not keep does not cross",
        STEPS + "DataLoader([], collate_fn=Step(good) @ (lambda b: b), num_workers=2)",
        "collate_fn.f def good",
    ),
    row(
        "a function on the left leaves it to the right operand",
        STEPS + "DataLoader([], collate_fn=(lambda b: b) | Step(good), num_workers=2)",
        "collate_fn.steps[0].f lambda",
        "collate_fn.steps[1].f def good",
    ),
    row(
        "what is not known on the left may have a method of its own",
        STEPS + "DataLoader([], collate_fn=torch.made() | Step(lambda b: b), num_workers=2)",
    ),
    row(
        "an operator of one operand",
        STEPS + "DataLoader([], collate_fn=~Step(good), num_workers=2)",
        "collate_fn.f lambda",
    ),
    row(
        "an operation in place, with the method for two operands",
        STEPS
        + """
chain = Step(good)
chain |= lambda b: b
DataLoader([], collate_fn=chain, num_workers=2)
""",
        "collate_fn.f def good",
        "collate_fn.steps[1] lambda",
    ),
    row(
        "an operation in place, round a loop",
        STEPS
        + """
chain = Step(good)
for name in names:
    chain |= lambda b: b
DataLoader([], collate_fn=chain, num_workers=2)
""",
        "collate_fn.f def good",
        "collate_fn.steps[1] lambda",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_operands_are_followed_through_the_methods_of_their_classes(
    case: Case, tmp_path: Path
) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
