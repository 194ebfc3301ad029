"""Of what stands at one place, one value is sent: what is in the way of another is in nobody else's way."""

from __future__ import annotations

from pathlib import Path

import dlfix

UTIL = """
import multiprocessing
def run(function, queue): function(queue.get())
def over(function, items):
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=run, args={args})
    process.start()
"""
ONE = """
from util import over
def main(root):
    def show(row): print(root, row)
    over(show, [1])
"""
OTHER = """
from util import over
def main():
    for root in "ab":
        def show(row): print(root, row)
        over(show, [1])
"""


def fixable(folder: Path, args: str, other: str = OTHER) -> list[tuple[str, bool]]:
    texts = {"util.py": UTIL.format(args=args), "one.py": ONE, "other.py": other}
    for name, text in texts.items():
        (folder / name).write_text(text)
    found = dlfix.check([folder], isolated=True)
    return [(one.path.name, one.fix is not None) for one in found]


def test_scripts_that_share_a_helper_do_not_block_each_other(tmp_path: Path) -> None:
    assert fixable(tmp_path, "(function, queue)") == [("one.py", True), ("other.py", False)]


def test_what_is_sent_beside_it_does(tmp_path: Path) -> None:
    args = "(function, queue, (row for row in items))"
    assert ("one.py", True) not in fixable(tmp_path, args, "")
