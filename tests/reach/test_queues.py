"""What is put into a queue or pipe between processes is pickled; what is put into one between threads is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

HEAD = """\
import asyncio, functools, multiprocessing, multiprocessing.dummy, queue, socket
import torch.multiprocessing as mp
import random
ctx = multiprocessing.get_context("spawn")
def add(x): return x + 1
class Job:
    def __init__(self, run): self.run = run
"""
PICKLED = [
    "multiprocessing.Queue().put(lambda: 0)",
    "multiprocessing.JoinableQueue().put_nowait(lambda: 0)",
    "multiprocessing.SimpleQueue().put(lambda: 0)",
    "ctx.Queue().put(obj=lambda: 0)",
    "ctx.SimpleQueue().put(lambda: 0)",
    "mp.Queue().put((1, lambda: 0))",
    "mp.SimpleQueue().put(Job(lambda: 0))",
    "mine, theirs = mp.Pipe(); mine.send(lambda: 0)",
    "ends = ctx.Pipe(duplex=False); ends[1].send(Job(lambda: 0))",
    "multiprocessing.Manager().Queue().put(lambda: 0)",
    "q = mp.Queue(); q.put(Job(functools.partial(add, lambda: 0)))",
    "shared = multiprocessing.Manager().dict(); shared['f'] = lambda: 0",
    "shared = ctx.Manager().dict(f=lambda: 0)",
    "multiprocessing.Manager().dict().update(f=lambda: 0)",
    "multiprocessing.Manager().dict().setdefault('f', Job(lambda: 0))",
    "multiprocessing.Manager().list([lambda: 0])",
    "jobs = mp.Manager().list(); jobs.append(lambda: 0)",
    "jobs = mp.Manager().list(); jobs.extend([lambda: 0])",
    "jobs = mp.Manager().list([0]); jobs[0] = Job(lambda: 0)",
    "space = multiprocessing.Manager().Namespace(); space.run = lambda: 0",
    "multiprocessing.Manager().Value('O', add).set(lambda: 0)",
]
OTHERS = [
    "queue.Queue().put(lambda: 0)",
    "queue.SimpleQueue().put(lambda: 0)",
    "asyncio.Queue().put_nowait(lambda: 0)",
    "multiprocessing.dummy.Queue().put(lambda: 0)",
    "multiprocessing.Queue().put(add)",
    "multiprocessing.Queue().put(Job(add))",
    "ctx.Queue().put(random.Random(3))",
    "multiprocessing.Queue().get(lambda: 0)",
    "mine, theirs = socket.socketpair(); mine.send(lambda: 0)",
    "mine, theirs = multiprocessing.Pipe(); mine.send(add)",
    "mine, theirs = multiprocessing.Pipe(); mine.poll(lambda: 0)",
    "multiprocessing.Manager().Queue().put(add)",
    "shared = multiprocessing.Manager().dict(); shared['f'] = add",
    "shared = multiprocessing.Manager().dict(); shared[0], local = 1, lambda: 0",
    "shared = multiprocessing.dummy.Manager().dict() if False else {}; shared['f'] = lambda: 0",
    "manager = multiprocessing.Manager(); manager.run = lambda: 0",
    "shared = dict(ctx.Manager().dict()); shared['f'] = lambda: 0",
    "jobs = [*mp.Manager().list()]; jobs.append(lambda: 0)",
    "jobs = mp.Manager().list(); print(sorted(jobs, key=lambda x: x))",
]


@pytest.mark.parametrize("line", PICKLED)
def test_what_is_put_into_a_queue_between_processes_is_pickled(line: str, tmp_path: Path):
    check(tmp_path, f"{HEAD}def main():\n    {line}  # !DLF101\n")


@pytest.mark.parametrize("line", OTHERS)
def test_other_queues_and_objects_are_fine(line: str, tmp_path: Path):
    check(tmp_path, f"{HEAD}def main():\n    {line}\n")


def test_a_queue_that_a_class_keeps_and_one_that_a_function_gets(tmp_path: Path):
    check(
        tmp_path,
        HEAD + "class Runner:\n"
        "    def __init__(self): self.tasks = mp.Queue()\n"
        "    def add(self): self.tasks.put(lambda: 0)  # !DLF101\n"
        "def feed(tasks): tasks.put(lambda: 0)  # !DLF101\n"
        "def main():\n    feed(ctx.Queue())\n    Runner().add()\n",
    )


def test_what_a_manager_keeps_that_a_block_or_a_function_gets(tmp_path: Path):
    check(
        tmp_path,
        HEAD + "def fill(shared): shared['f'] = lambda: 0  # !DLF101\n"
        "def main():\n"
        "    with multiprocessing.Manager() as manager:\n"
        "        manager.Queue().put(lambda: 0)  # !DLF101\n"
        "        fill(manager.dict())\n",
    )
