"""Options that leave the state are not read by code that workers may run."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

CLASS = """
import argparse

def told(options):
    return options.log

class Scaled:
    def __call__(self, options):
        return options.scale

    def noted(self, options):
        return getattr(options, "log")

class Rows(Dataset):
    def __init__(self, opt, step):
        self.opt = opt
        self.step = step
        opt.log.write("made")
    {state}
    def close(self):
        self.opt.log.close()

    def __getitem__(self, i):
        return {read}
"""
STATE = """
    def __getstate__(self):
        state = self.__dict__.copy()
        options = {k: v for k, v in vars(self.opt).items() if k != "log"}
        state["opt"] = argparse.Namespace(**options)
        return state
"""


def reasons(read):
    before = CLASS.format(state="", read=read)
    found = worse(before, CLASS.format(state=STATE, read=read))
    return [each for each in found if "of the options" in each]


@pytest.mark.parametrize(
    "read", ["self.opt.log.write(i)", "told(self.opt)", "self.step.noted(self.opt)", "self.close()"]
)
def test_what_workers_read_does_not_leave_the_state(read):
    assert reasons(read)


@pytest.mark.parametrize("read", ["self.opt.scale", "Scaled()(self.opt)"])
def test_what_only_the_parent_reads_leaves_the_state(read):
    assert not reasons(read)
