"""Constants that the guard sets and that workers read are set above it; nothing else is."""

import pytest

import dlfix
from tests.fixing.proof.pairs import worse

PROGRAM = """\
import os
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

{above}
class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {read}


if __name__ == "__main__":
{inside}
    for batch in DataLoader(Rows(), num_workers=2):
        print(batch)
"""


def program(inside, above="", read="value"):
    lines = "\n".join(f"    {line}" for line in inside.splitlines())
    return PROGRAM.format(inside=lines, above=above, read=read)


def fixed(*args, **options):
    """Return the text after the safe fixes."""
    return dlfix.fix_text(program(*args, **options)).text


def is_above(text):
    head, _, _ = text.partition("if __name__")
    return "\nvalue" in head


CONSTANTS = [
    "value = 3",
    "value: int = 3",
    "value, other = 3, 4",
    "root = 'a'\nvalue = os.path.join(root, 'b')",
    "torch.manual_seed(0)\nvalue = torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
    "value = {'a': [1, 2], 'b': (3,)}",
    "value = [x * 2 for x in range(3)]",
    "value = torch.float32",
    "value = np.zeros(3)",
    "total = 0\nvalue = 3\ntotal += value",
]


@pytest.mark.parametrize("inside", CONSTANTS)
def test_a_constant_is_set_above(inside):
    text = fixed(inside)
    assert is_above(text)
    assert not dlfix.fix_text(text).changed


OTHERS = {
    "an argument": ("import sys\nvalue = sys.argv[1]", ""),
    "made of an argument": ("size = int(input())\nvalue = size * 2", ""),
    "set twice": ("value = 3\nvalue = 4", ""),
    "filled": ("value = []\nvalue.append(3)", ""),
    "an item is set": ("value = {}\nvalue['a'] = 3", ""),
    "filled by a function": ("value = []\nfill()", "def fill():\n    value.append(3)\n"),
    "set by a function": ("value = 3\nfill()", "def fill():\n    global value\n    value = 4\n"),
    "filled by its parameter": ("value = []\nfill(value)", "def fill(rows):\n    rows.append(3)\n"),
    "filled by another name": ("value = []\nrows = value\nrows.append(3)", ""),
    "made of what a function fills": ("fill()\nvalue = rows[:2]", "rows = []\ndef fill():\n    rows.append(3)\n"),
    "set under a condition": ("if os.path.exists('a'):\n    value = 3", ""),
    "set in a loop": ("for value in range(3):\n    print(value)", ""),
    "of the order of a set": ("value = list(set('abc'))", ""),
    "a set": ("value = {'a', 'b'}", ""),
    "drawn at random": ("value = np.random.rand()", ""),
    "of the environment": ("os.environ['GPU'] = '1'\nvalue = torch.device('cuda' if torch.cuda.is_available() else 'cpu')", ""),
    "of the current folder": ("os.chdir('a')\nvalue = os.path.abspath('b')", ""),
    "of a function": ("value = make()", "def make():\n    return 3\n"),
    "names are looked up": ("value = 3\nprint(globals().keys())", ""),
    "an attribute of an object": ("value = os.sep", ""),
    "continued by a backslash": ("value = 3 + \\\n    4", ""),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "above"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_constant_stays_under_the_guard(inside, above):
    assert not is_above(fixed(inside, above))


@pytest.mark.parametrize("name", ["id", "max"])
def test_a_name_of_python_stays_under_the_guard(name):
    text = program(f"{name} = 3", read=name)
    assert dlfix.fix_text(text).text == text


def test_a_module_of_which_all_is_imported_keeps_its_names(tmp_path):
    (tmp_path / "main.py").write_text(program("value = 3"))
    (tmp_path / "other.py").write_text("import main\n")
    assert dlfix.check([tmp_path], isolated=True)[0].fix.safe
    (tmp_path / "other.py").write_text("from main import *\n")
    fix = dlfix.check([tmp_path], isolated=True)[0].fix
    assert fix is None or not fix.safe


def test_a_name_that_no_function_reads_stays_where_it_is():
    text = fixed("rate = 0.1\nvalue = 3\nother = 4\nprint(rate)", "def f():\n    return other\n")
    assert is_above(text)
    assert "\nother = 4" in text
    assert "\n    rate = 0.1" in text


def hoisted(line, *, before="", after="", above=""):
    """Take a line out of a guard, by hand, and return what the proof says against that."""
    read = "\ndef f():\n    return value\n\n"
    guard = 'if __name__ == "__main__":\n'
    rest = [f"    {each}\n" for each in [*before.splitlines(), *after.splitlines(), "f()"]]
    inside = [*rest[: len(before.splitlines())], f"    {line}\n", *rest[len(before.splitlines()) :]]
    return worse(
        f"{above}{read}{guard}{''.join(inside)}", f"{above}{read}{line}\n\n{guard}{''.join(rest)}"
    )


def test_the_proof_accepts_a_constant():
    assert hoisted("value = [3]", before="size = input()", after="print(value)") == []


@pytest.mark.parametrize(
    ("line", "around"),
    [
        ("value = input()", {}),
        ("value = size", {"before": "size = 3"}),
        ("value = h5py.version", {}),
        ("value = []", {"after": "value.append(1)"}),
        ("value = 3", {"after": "value += 1"}),
        ("value = [3]", {"above": "def g():\n    value[0] = 1\n"}),
        ("value = 3", {"above": "def g():\n    global value\n    value = 1\n"}),
        ("value = list({'a', 'b'})", {}),
        ("value = 3", {"after": "print(globals())"}),
        ("value = np.zeros(os.cpu_count())", {"before": "os.environ['N'] = '3'"}),
        ("value = []", {"after": "rows = value\nrows.append(3)"}),
        ("value = []", {"after": "fill(value)", "above": "def fill(x):\n    x.append(3)\n"}),
        ("value = os.path.abspath('a')", {"before": "os.chdir('b')"}),
        ("print('value')", {}),
        ("value.size = 3", {"above": "value = os\n"}),
    ],
)
def test_the_proof_accepts_nothing_else(line, around):
    assert hoisted(line, **around)
