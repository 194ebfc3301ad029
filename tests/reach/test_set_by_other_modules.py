"""What a function of another module sets on an object that it is passed where that is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

OPTIONS = """\
--- options.py
import argparse
def parser():
    return argparse.ArgumentParser()
def finish(opt):
    opt.tokenize = lambda text: text.split(){found}
    return opt
--- rows.py
from torch.utils.data import Dataset
class Rows(Dataset):
    def __init__(self, opt):
        self.opt = opt
    def __getitem__(self, index):
        return self.opt.tokenize("a b")[index]
--- main.py
import options
from rows import Rows
from torch.utils.data import DataLoader
def main():
    {made}
    for batch in DataLoader(Rows(opt), num_workers=2):
        print(batch)
if __name__ == "__main__":
    main()
"""


def options(sentence: str, made: str, found: str = "  # !DLF101") -> object:
    return program(sentence, OPTIONS.format(made=made, found=found))


PROGRAMS = [
    options("in the call that makes it", "opt = options.finish(options.parser().parse_args())"),
    options("by its name", "opt = options.parser().parse_args(); options.finish(opt)"),
    options("by keyword", "opt = options.parser().parse_args(); options.finish(opt=opt)"),
    options(
        "to what is not sent",
        "opt = options.parser().parse_args(); options.finish(options.parser().parse_args())",
        "",
    ),
    options("nowhere", "opt = options.parser().parse_args()", ""),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings(text: str, tmp_path: Path):
    check(tmp_path, text)
