"""Which processes an object keeps while it is sent to another one."""

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import multiprocessing as mp

class Crowd:
    def __init__(self, n):
        self.n = n
        {kept}

    def run(self, k):
        print(k)

    def go(self):
        {started}

if __name__ == "__main__":
    Crowd(2).go()
"""
LOOP = """for k in range(self.n):
            one = mp.Process(target=self.run, args=(k,))
            one.start()
            """


def codes(tmp_path: Path, kept: str, started: str) -> list[str]:
    path = tmp_path / "crowd.py"
    path.write_text(PROGRAM.format(kept=kept, started=started))
    return [one.code for one in dlfix.check([path], select=["DLF204"], isolated=True)]


@pytest.mark.parametrize(
    ("kept", "started"),
    [
        ("self.all = []", LOOP + "self.all.append(one)"),
        ("self.all = {}", LOOP + "self.all[k] = one"),
        (
            "self.all = []",
            "self.all = [mp.Process(target=self.run, args=(k,)) for k in range(self.n)]\n"
            "        for one in self.all:\n            one.start()",
        ),
        (
            "self.first = mp.Process(target=print)\n        self.first.start()",
            "mp.Process(target=self.run, args=(1,)).start()",
        ),
    ],
    ids=["a list", "a table", "a comprehension", "one of the constructor"],
)
def test_a_process_that_is_kept_cannot_go_to_the_next(tmp_path, kept, started):
    assert codes(tmp_path, kept, started) == ["DLF204"]


@pytest.mark.parametrize(
    ("kept", "started"),
    [
        ("pass", "all = []\n        " + LOOP + "all.append(one)"),
        ("pass", "self.one = mp.Process(target=self.run, args=(1,))\n        self.one.start()"),
        ("self.all = []", LOOP + "one.join()"),
        ("self.all = []", LOOP.replace("self.run", "print") + "self.all.append(one)"),
    ],
    ids=["local", "only one", "not kept", "of another function"],
)
def test_a_process_may_be_started_that_is(tmp_path, kept, started):
    assert codes(tmp_path, kept, started) == []
