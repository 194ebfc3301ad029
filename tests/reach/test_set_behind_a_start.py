"""What a method sets once its processes run, and what is opened where a helper makes a loader without workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

STARTING = """\
import multiprocessing as mp
class Simulator:
    def __init__(self):
        self.log = None
    def work(self, seed):
        print(seed)
    def write(self):
        {written}
    def run(self, seeds):
        {before}
        processes = [mp.Process(target=self.work, args=(seed,)) for seed in seeds]
        for each in processes:
            each.start()
        {after}
        for each in processes:
            each.join()
def main():
    simulator = Simulator()
    {runs}
if __name__ == "__main__":
    main()
"""
OPENING = """\
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None
    def open(self):
        self.file = open(self.path, "rb"){found}
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.file.read(1)
def start(worker):
    torch.utils.data.get_worker_info().dataset.open()
def loader(rows, args, kind=0):
    return DataLoader(rows, num_workers=args.workers, worker_init_fn=start)
def main(args):
    rows = Rows("rows.bin")
    {opened}
    for batch in loader(rows, args):
        print(batch)
"""


def starting(
    sentence: str, before="pass", after="pass", runs="simulator.run([1])", written="pass"
) -> object:
    text = STARTING.format(before=before, after=after, runs=runs, written=written)
    return program(sentence, text)


def opening(sentence: str, opened: str, found: str = "") -> object:
    return program(sentence, OPENING.format(opened=opened, found=found))


LOG, FOUND = 'self.log = open("log", "w")', "  # !DLF203"
PROGRAMS = [
    starting("behind", after=LOG),
    starting("before", before=LOG + FOUND),
    starting(
        "behind, called twice", after=LOG + FOUND, runs="simulator.run([1]); simulator.run([2])"
    ),
    starting(
        "behind, called in a loop", after=LOG + FOUND, runs="for n in range(2): simulator.run([n])"
    ),
    starting("in a method that is called behind", after="self.write()", written=LOG),
    starting("in a method that is called before", before="self.write()", written=LOG + FOUND),
    opening("without workers", "if args.workers == 0: rows.open()"),
    opening("with workers", "if args.workers: rows.open()", FOUND),
    opening("by another number", "if args.threads == 0: rows.open()", FOUND),
    opening("always", "rows.open()", FOUND),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings(text: str, tmp_path: Path):
    check(tmp_path, text)


DEVICES = """\
import argparse, threading
import torch.multiprocessing as mp
def main(args):
    {before}
    if args.distributed:
        mp.spawn(work, nprocs=2, args=(args,))
    else:
        {other}
{step}
def work(device, args):
    args.lock = threading.Lock(){found}
if __name__ == "__main__":
    main(argparse.ArgumentParser().parse_args())
"""


STEP = "def step(args): work(0, args)"


@pytest.mark.parametrize(("other", "step"), [("work(0, args)", ""), ("step(args)", STEP)])
def test_what_a_function_sets_that_is_called_beside_the_start_is_not_sent(
    other: str, step: str, tmp_path: Path
) -> None:
    check(tmp_path, DEVICES.format(before="pass", other=other, step=step, found=""))


@pytest.mark.parametrize("before", ["work(0, args)", "list(map(step, [args]))"])
def test_what_is_set_before_the_start_as_well_is_sent(before: str, tmp_path: Path) -> None:
    found = "  # !DLF204"
    check(tmp_path, DEVICES.format(before=before, other="work(0, args)", step=STEP, found=found))
