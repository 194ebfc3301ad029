"""What is sent only where dill or cloudpickle is there is left to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_PROGRAM = """
        import importlib.util
        import unittest
        import pytest
        from torch.utils.data import DataLoader
        try:
            import dill
            HAS_DILL = True
        except ImportError:
            HAS_DILL = False
        skipIfNoDill = unittest.skipIf(not HAS_DILL, "no dill")
        def run(collate):
            for batch in DataLoader([1, 2], collate_fn=collate, num_workers=2):
                print(batch)
        {lines}
"""


def _sent(what, *lines):
    return program(what, _PROGRAM.format(lines=("\n" + " " * 8).join(lines)))


LEFT = [
    _sent("a branch", "def main():", "    if HAS_DILL:", "        run(lambda rows: rows)"),
    _sent("a part", "def main():", "    run((lambda rows: rows) if HAS_DILL else list)"),
    _sent(
        "the other branch",
        "def main():",
        "    if dill is None:",
        "        return",
        "    run(lambda rows: rows)",
    ),
    _sent(
        "a decorator",
        "class Tests(unittest.TestCase):",
        "    @skipIfNoDill",
        "    def test(self):",
        "        run(lambda rows: rows)",
    ),
    _sent(
        "a test that is skipped",
        "def test():",
        "    pytest.importorskip('cloudpickle')",
        "    run(lambda rows: rows)",
    ),
    _sent(
        "a backend",
        "def main(backend):",
        "    if backend == 'dill':",
        "        run(lambda rows: rows)",
    ),
]
FOUND = [
    _sent(
        "beside it", "def main():", "    print(HAS_DILL)", "    run(lambda rows: rows) # !DLF101"
    ),
    _sent(
        "where it is not there",
        "def main():",
        "    if not HAS_DILL:",
        "        run(lambda rows: rows) # !DLF101",
    ),
    _sent(
        "the other branch of a test for it",
        "def main():",
        "    if HAS_DILL:",
        "        run(list)",
        "    else:",
        "        run(lambda rows: rows) # !DLF101",
    ),
    _sent(
        "a word that has it inside",
        "def main(armadillo):",
        "    if armadillo:",
        "        run(lambda rows: rows) # !DLF101",
    ),
]


@pytest.mark.parametrize("text", [*LEFT, *FOUND])
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
