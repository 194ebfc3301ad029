"""What each call of a function made anew is not shared by all calls."""

import pytest

from tests.fixing.proof.pairs import worse

CLASS = """
def make(path):
    {inner}
    return Rows(path)

{program}
"""
PARTS = "class Rows({base}):\n{indent}    {body}\n\n{indent}    def __init__(self, path):\n{indent}        self.path = path\n"
MOVED = {
    "a list that grows": ("seen = []", "Dataset", "def f(rows):\n    rows.seen.append(1)\n", True),
    "a number that the class counts": (
        "count = 0",
        "Dataset",
        "def f(rows):\n    type(rows).count += 1\n",
        True,
    ),
    "a number of an object": ("count = 0", "Dataset", "def f(rows):\n    rows.count = 1\n", False),
    "a list that nobody changes": (
        "kinds = [1]",
        "Dataset",
        "def f(rows):\n    return rows.kinds\n",
        False,
    ),
    "a base that registers": ("kind = 1", "Base", "", True),
    "a base that only calls": ("kind = 1", "Quiet", "", False),
}
BASES = """
class Base(Dataset):
    def __init_subclass__(cls):
        KNOWN.append(cls)

class Quiet(Dataset):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)

"""


@pytest.mark.parametrize(("body", "base", "program", "refused"), MOVED.values(), ids=MOVED)
def test_a_class_that_each_call_made(body, base, program, refused):
    inner = PARTS.format(base=base, body=body, indent="    ")
    top = PARTS.format(base=base, body=body, indent="")
    before = BASES + CLASS.format(inner=inner, program=program)
    after = BASES + top + CLASS.format(inner="", program=program)
    reasons = worse(before, after)
    found = any("share one class" in r or "now runs once" in r for r in reasons)
    assert refused == found


STEP = "{decorator}\n{indent}def step(batch):\n{indent}    {doc}\n{indent}    return batch[0]\n"
STEPS = {
    "a cache that is asked": ("@functools.lru_cache", "pass", "print(f.cache_info())\n", True),
    "a cache": ("@functools.lru_cache", "pass", "", False),
    "an example": ("@print", '""">>> 1"""', "", True),
    "a docstring": ("@print", '"""Take the first."""', "", False),
}


@pytest.mark.parametrize(("decorator", "doc", "program", "refused"), STEPS.values(), ids=STEPS)
def test_a_function_that_each_call_made(decorator, doc, program, refused):
    inner = STEP.format(decorator=decorator, doc=doc, indent="    ")
    top = STEP.format(decorator=decorator, doc=doc, indent="")
    make = "def make(rows):\n    {inner}\n    return DataLoader(rows, collate_fn=step)\n\n{program}"
    before = make.format(inner=inner, program=program)
    after = top + "\n" + make.format(inner="pass", program=program)
    reasons = worse(before, after)
    assert refused == any("one cache" in r or "`doctest` would" in r for r in reasons)
