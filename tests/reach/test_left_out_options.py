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


ASKING = """
import json, sys, threading
from torch.utils.data import DataLoader, Dataset
class Base(Dataset):
    def __init__(self, config):
        super().__init__()
        self.config = config
    def __getitem__(self, i): return i
class Rows(Base):
    def __init__(self, config):
        super().__init__(config)
        {before}
        if {test}: self.lock = threading.Lock()  # DEFAULT
def fill(config): config["keep"] = True
"""
KNOWN = {
    "a call of dict": "DataLoader(Rows(dict(path=fast)), num_workers=2)",
    "a dict of dicts that are known": """
        options = {"path": fast}
        DataLoader(Rows(dict(split="train", **options)), num_workers=2)
        """,
    "a display": 'DataLoader(Rows({**{"path": fast}, "split": 1}), num_workers=2)',
    "a dict that another entry is put into": """
        options = {}
        options["path"] = fast
        DataLoader(Rows(options), num_workers=2)
        """,
}
MORE = {
    "the entry is there": "DataLoader(Rows(dict(keep=fast)), num_workers=2)",
    "the entry is put in": """
        options = {}
        options["keep"] = fast
        DataLoader(Rows(options), num_workers=2)
        """,
    "a function puts it in": """
        options = {}
        fill(options)
        DataLoader(Rows(options), num_workers=2)
        """,
    "a key that is not known": """
        options = {}
        options[fast] = True
        DataLoader(Rows(options), num_workers=2)
        """,
    "more that is not known": 'DataLoader(Rows({"path": 1, **vars(fast)}), num_workers=2)',
    "what a file holds": """
        options = {"path": 1}
        options.update(json.load(open("a")))
        DataLoader(Rows(options), num_workers=2)
        """,
    "pairs": "DataLoader(Rows(dict(zip(sys.argv, sys.argv))), num_workers=2)",
    "one of several dicts": """
        options = {"path": 1} if fast else json.load(open("a"))
        DataLoader(Rows(options), num_workers=2)
        """,
}
TESTS = (
    'self.config.get("keep", False)',
    'config.get("keep")',
    'config.get("keep", 0) == 1',
    '"keep" in config',
)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN)
def test_a_key_that_a_dict_has_not_is_not_there(body: str, test: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, "", ASKING.format(before="pass", test=test)))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("body", MORE.values(), ids=MORE)
def test_a_key_that_a_dict_may_have_may_be_there(body: str, test: str, tmp_path: Path) -> None:
    check(tmp_path, text_of(body, "DLF204", ASKING.format(before="pass", test=test)))


@pytest.mark.parametrize(
    ("before", "test", "code"),
    [
        ('self.config["keep"] = True', 'self.config.get("keep")', "DLF204"),
        ('config["keep"] = True', 'config.get("keep")', "DLF204"),
        ("pass", 'self.config.get("keep", True)', "DLF204"),
        ("pass", 'self.config.get("keep", config)', "DLF204"),
        ("self.config = json.loads(config)", 'self.config.get("keep")', "DLF204"),
    ],
)
def test_a_key_that_the_class_puts_in_or_its_default_is_asked_for(
    before: str, test: str, code: str, tmp_path: Path
) -> None:
    check(tmp_path, text_of(KNOWN["a call of dict"], code, ASKING.format(before=before, test=test)))
