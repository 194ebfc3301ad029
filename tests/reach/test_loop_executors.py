"""What an event loop runs in a pool of processes is pickled; what it runs in threads is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

HEAD = """\
import asyncio, functools
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def add(x, f=None): return x
async def main(loop=None):
    loop = asyncio.get_running_loop()
    pool, threads = ProcessPoolExecutor(), ThreadPoolExecutor()
"""
PICKLED = [
    "await loop.run_in_executor(ProcessPoolExecutor(), lambda: 1)",
    "await loop.run_in_executor(pool, lambda: 1)",
    "await loop.run_in_executor(executor=pool, func=lambda: 1)",
    "await loop.run_in_executor(pool, functools.partial(add, 1, f=lambda: 1))",
    "await loop.run_in_executor(pool, add, lambda: 1)",
    "await asyncio.gather(*[loop.run_in_executor(pool, lambda: i) for i in range(3)])",
    "await asyncio.get_event_loop().run_in_executor(pool, lambda: 1)",
]
OTHERS = [
    "await loop.run_in_executor(None, lambda: 1)",
    "await loop.run_in_executor(threads, lambda: 1)",
    "await loop.run_in_executor(pool, add, 1)",
    "await loop.run_in_executor(pool, functools.partial(add, 1))",
    "await asyncio.to_thread(lambda: 1)",
    "loop.call_soon(lambda: 1)",
]


@pytest.mark.parametrize("line", PICKLED)
def test_what_a_loop_runs_in_processes_is_pickled(line: str, tmp_path: Path):
    check(tmp_path, f"{HEAD}    {line}  # !DLF101\n")


@pytest.mark.parametrize("line", OTHERS)
def test_what_it_runs_in_threads_and_functions_of_a_module_are_fine(line: str, tmp_path: Path):
    check(tmp_path, f"{HEAD}    {line}\n")


def test_a_pool_that_a_class_keeps(tmp_path: Path):
    check(
        tmp_path,
        HEAD + "class Service:\n"
        "    def __init__(self): self.pool = ProcessPoolExecutor()\n"
        "    async def call(self, x):\n"
        "        loop = asyncio.get_event_loop()\n"
        "        return await loop.run_in_executor(self.pool, lambda: x)  # !DLF101\n",
    )
