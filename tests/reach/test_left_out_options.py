"""Options that a dict need not have: the default of the parameter, or field, stays possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

HEAD = """
import sys
from dataclasses import dataclass
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, key=lambda x: x):  # DEFAULT
        self.key = key
    def __getitem__(self, i): return i
"""
LEFT_OUT = {
    "an entry that a branch puts in": """
        options = {}
        if fast: options["key"] = str
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry that a nested branch puts in": """
        options = {}
        if fast:
            if len(sys.argv) > 2: options["key"] = str
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry that a branch merges in": """
        options = {}
        if fast: options.update(key=str)
        DataLoader(Rows(**options), num_workers=2)
        """,
    "one of two dicts": """
        options = {"key": str} if fast else {}
        DataLoader(Rows(**options), num_workers=2)
        """,
}
PUT_IN = {
    "an entry that is there": """
        options = {"key": str}
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry that each branch puts in": """
        options = {}
        if fast: options["key"] = str
        else: options["key"] = int
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry that is put in where it is missing": """
        options = dict(arguments)
        if "key" not in options: options["key"] = str
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry under a test of the dict": """
        options = {}
        if not options: options["key"] = str
        DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry, and workers under the same test": """
        options = {}
        if fast: options["key"] = str
        if fast: DataLoader(Rows(**options), num_workers=2)
        """,
    "an entry that the other branch does without by leaving": """
        options = {}
        if not fast: return
        if fast: options["key"] = str
        DataLoader(Rows(**options), num_workers=2)
        """,
    "both dicts have it": """
        options = {"key": str} if fast else {"key": int}
        DataLoader(Rows(**options), num_workers=2)
        """,
}
FIELD = """
@dataclass
class Options:
    key: object = lambda x: x  # DEFAULT
class Held(Dataset):
    def __init__(self, options): self.options = options
    def __getitem__(self, i): return i
"""


def text_of(body: str, code: str, head: str = HEAD) -> str:
    """Return a program with a body in its `main`, and a mark at the default if a code is given."""
    lines = [line.removeprefix("        ") for line in body.strip("\n").splitlines()]
    main = "def main(fast, **arguments):\n" + "".join(f"    {line}\n" for line in lines)
    marked = head.replace("# DEFAULT", f"# !{code}" if code else "")
    return f'{marked}{main}if __name__ == "__main__": main(len(sys.argv) > 1)\n'


@pytest.mark.parametrize("body", LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_default_that_a_dict_may_leave_is_followed(body: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, "DLF101"))


@pytest.mark.parametrize("body", PUT_IN.values(), ids=PUT_IN)
def test_a_default_that_is_always_replaced_is_not(body: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, ""))


@pytest.mark.parametrize(("bodies", "code"), [(LEFT_OUT, "DLF105"), (PUT_IN, "")])
def test_fields_of_a_dataclass_are_like_parameters(
    bodies: dict[str, str], code: str, tmp_path: Path
) -> None:
    for number, body in enumerate(bodies.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        held = body.replace("Rows(**options)", "Held(Options(**options))")
        head = HEAD.replace("lambda x: x", "None") + FIELD
        check(folder, text_of(held, code, head.replace("# DEFAULT", "", 1)))


PARTIAL = [
    program(
        "a partial of which a dict may leave a name out",
        """
        import functools, sys
        from torch.utils.data import DataLoader
        def make(rows, collate=lambda b: b): # !DLF101
            return DataLoader(rows, collate_fn=collate, num_workers=2)
        def main(fast):
            options = {}
            if fast: options["collate"] = list
            functools.partial(make, **options)([1])
        if __name__ == "__main__": main(len(sys.argv) > 1)
        """,
    ),
]


@pytest.mark.parametrize("text", PARTIAL)
def test_partials_pass_on_what_may_be_left_out(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
