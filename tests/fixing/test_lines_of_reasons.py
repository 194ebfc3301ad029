"""A reason names lines of the texts that the user has, not of what fixes that were tried made of them."""

import re

from dlfix.config import Settings
from dlfix.fixing.plans import Refused
from dlfix.session import Session

PROGRAM = """\
import contextlib
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, names):
        self.names = names
        self.files = {}
        self.stack = None

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        for name in self.names:
            self.files[name] = self.stack.enter_context(open(name))
        return self

    def __exit__(self, *error):
        self.stack.close()

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.files["a"].readline()

def main():
    with Rows(["a"]) as rows:
        for batch in DataLoader(rows, num_workers=2):
            print(batch)
"""


def test_a_reason_that_is_found_after_another_fix_names_the_line_before_it(tmp_path):
    (tmp_path / "main.py").write_text(PROGRAM)
    outcomes = [one.outcome for one in Session.open([tmp_path], Settings()).diagnoses()]
    reasons = [one.reason for one in outcomes if isinstance(one, Refused)]
    places = {int(row) for reason in reasons for row in re.findall(r"main\.py:(\d+)", reason)}
    lines = PROGRAM.splitlines()
    assert len(reasons) == 2
    assert {lines[row - 1].strip() for row in places} == {
        "self.files[name] = self.stack.enter_context(open(name))"
    }
