"""What a spawned worker has nothing of, such as the process group, is not asked for by callables that a fix lets pickle find."""

import textwrap

import pytest

import dlfix

HEAD = """
import functools
import multiprocessing
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset
from ranks import number

class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, i):
        return self.transform(i)

"""
RANKS = """
import torch.distributed as dist
def number():
    return dist.get_rank() if dist.is_initialized() else 0
"""
GUARD = '\n\nif __name__ == "__main__":\n    main()\n'


def _found(tmp_path, text, before_main=""):
    (tmp_path / "ranks.py").write_text(RANKS)
    main = f"def main():\n{textwrap.indent(textwrap.dedent(text), '    ')}{GUARD}"
    (tmp_path / "main.py").write_text(HEAD + before_main + main)
    return [f for f in dlfix.check([tmp_path], isolated=True) if f.code[:4] in ("DLF1", "DLF3")]


ASKING = {
    "worker_init_fn": """
        def init(worker_id):
            torch.manual_seed(worker_id + dist.get_rank(None))
        DataLoader(Rows(), num_workers=2, worker_init_fn=init)
    """,
    "collate_fn": """
        DataLoader(Rows(), num_workers=2, collate_fn=lambda rows: rows[number()])
    """,
    "a transform": """
        DataLoader(Rows(lambda row: row + number()), num_workers=2)
    """,
    "a class of transforms": """
        class Shift:
            def __call__(self, row):
                return self.by() + row
            def by(self):
                return number()
        DataLoader(Rows(Shift()), num_workers=2)
    """,
    "a function of a pool": """
        def work(path):
            return path, number()
        multiprocessing.Pool(2).map(work, ["a"])
    """,
    "a captured function": """
        def by():
            return number()
        def shift(row):
            return row + by()
        DataLoader(Rows(shift), num_workers=2)
    """,
}


@pytest.mark.parametrize("text", ASKING.values(), ids=ASKING)
def test_a_callable_that_asks_for_state_of_the_parent_is_not_moved(tmp_path, text):
    (found,) = _found(tmp_path, text)
    assert found.fix is None
    assert "asks for state that only the parent process has" in found.refused


OTHERS = {
    "the worker's own": """
        def init(worker_id):
            torch.manual_seed(torch.initial_seed() + worker_id)
        DataLoader(Rows(), num_workers=2, worker_init_fn=init)
    """,
    "what it sets up itself": """
        def work(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            return number()
        multiprocessing.Pool(2).map(work, [0, 1])
    """,
    "a lambda in a lambda": """
        make = lambda: lambda row: row + 1
        DataLoader(Rows(make()), num_workers=2)
    """,
    "a value that is passed": """
        rank = dist.get_rank()
        DataLoader(Rows(lambda row: row + rank), num_workers=2)
    """,
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_a_callable_that_does_not_is_moved(tmp_path, text):
    (found,) = _found(tmp_path, text)
    assert found.fix is not None
    assert found.fix.safe


RANKED = {
    "after the group is set up": """
        dist.init_process_group("gloo")
        DataLoader(Rows(lambda row: row + dist.get_rank()), num_workers=2)
    """,
    "after a sampler that asks for it": """
        rows = Rows()
        sampler = torch.utils.data.distributed.DistributedSampler(rows)
        if len(rows):
            DataLoader(rows, sampler=sampler, num_workers=2, collate_fn=lambda row: row * dist.get_rank())
    """,
}


@pytest.mark.parametrize("text", RANKED.values(), ids=RANKED)
def test_a_number_that_the_parent_knows_there_is_bound(tmp_path, text):
    (found,) = _found(tmp_path, text)
    assert found.fix is not None
    assert found.fix.safe
    fixed = dlfix.fix_text((tmp_path / "main.py").read_text())
    assert "rank=dist.get_rank())" in fixed.text


UNKNOWN = {
    "before the group is set up": """
        collate = lambda row: row * dist.get_rank()
        dist.init_process_group("gloo")
        DataLoader(Rows(), num_workers=2, collate_fn=collate)
    """,
    "where the group is perhaps set up": """
        if torch.cuda.is_available():
            dist.init_process_group("nccl")
        DataLoader(Rows(), num_workers=2, collate_fn=lambda row: row * dist.get_rank())
    """,
    "after a sampler that is told": """
        sampler = torch.utils.data.DistributedSampler(Rows(), num_replicas=1, rank=0)
        DataLoader(Rows(), num_workers=2, collate_fn=lambda row: row * dist.get_rank())
    """,
    "of a group": """
        group = dist.new_group([0])
        dist.barrier()
        DataLoader(Rows(), num_workers=2, collate_fn=lambda row: row * dist.get_rank(dist.group.WORLD))
    """,
    "and more than the number": """
        dist.barrier()
        DataLoader(Rows(), num_workers=2, collate_fn=lambda row: row * dist.get_rank() + number())
    """,
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_number_that_the_parent_may_not_know_there_is_not_bound(tmp_path, text):
    (found,) = _found(tmp_path, text)
    assert found.fix is None
    assert "asks for state that only the parent process has" in found.refused
