"""A callable that pickle finds now asks no library for what only the parent has set up."""

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
import torch.distributed as dist
from ranks import number
def make():
    def collate(rows):
        {body}
    return DataLoader([], collate_fn=collate)
"""
AFTER = """
import torch.distributed as dist
from ranks import number
def _collate(rows):
    {body}
def make():
    return DataLoader([], collate_fn=_collate)
"""
RANKS = """
from torch import distributed
def number():
    return distributed.get_rank() if distributed.is_initialized() else 0
"""
REASON = "asks for state that only the parent process has"


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("return rows[dist.get_rank()]", True),
        ("return rows[number()]", True),
        ("return [number() for _ in rows]", True),
        ("return rows[0] if dist.is_available() else rows", False),
        ("dist.init_process_group('gloo'); return rows[number()]", False),
    ],
)
def test_a_function_that_moved_asks_nothing_of_the_parent(body, asks):
    reasons = worse(BEFORE.format(body=body), AFTER.format(body=body), ranks=RANKS)
    assert any(REASON in each for each in reasons) == asks


def test_nor_does_a_class_that_moved_or_what_its_methods_call():
    cls = "class Shift:\n    def __call__(self, row):\n        return self.by(row)\n    def by(self, row):\n        return row + number()\n"
    head = "from ranks import number\n"
    inner = "".join(f"    {line}\n" for line in cls.splitlines())
    before = f"{head}def make():\n{inner}    return DataLoader(Shift())\n"
    after = f"{head}{cls}\ndef make():\n    return DataLoader(Shift())\n"
    assert any(REASON in each for each in worse(before, after, ranks=RANKS))


def test_nor_does_a_wrapper_that_gets_a_name():
    wrapper = "from ranks import number\ndef ranked(f):\n    {}def inner(rows):\n        return f(rows)[number()]\n    return inner\n@ranked\ndef collate(rows):\n    return rows\n"
    before, after = wrapper.format(""), wrapper.format("@functools.wraps(f)\n    ")
    assert any(REASON in each for each in worse(before, after, ranks=RANKS))


@pytest.mark.parametrize(
    ("first", "is_known"),
    [
        ("dist.barrier()", True),
        ("sampler = torch.utils.data.DistributedSampler([])", True),
        ("sampler = torch.utils.data.DistributedSampler([], rank=0)", False),
        ("if dist.is_available():\n        dist.barrier()", False),
        ("print()", False),
    ],
)
def test_a_rank_is_bound_only_where_the_group_is_there(first, is_known):
    head = "import torch\nimport torch.distributed as dist\n"
    make = f"def make():\n    {first}\n    return DataLoader([], collate_fn={{}})\n"
    before = head + make.format("lambda rows: rows[dist.get_rank()]")
    new = "def _collate(rows, *, rank):\n    return rows[rank]\n\n"
    after = head + new + make.format("functools.partial(_collate, rank=dist.get_rank())")
    assert (worse(before, after) == []) == is_known
