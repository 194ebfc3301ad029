"""What code outside a class adds to the lists and dicts that its objects hold."""

from pathlib import Path

import pytest

from tests.reach.marked import check, program

CLASSES = """
from torch.utils.data import DataLoader, Dataset

class Compose:
    def __init__(self, steps):
        self.steps = steps
        self.named = {}

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform
        self.hooks = []

    def __getitem__(self, i):
        return self.transform(i)

"""


@pytest.mark.parametrize(
    "body",
    [
        "rows = Rows(None)\n    rows.hooks.append(lambda x: x)  # !DLF101",
        "steps = Compose([])\n    steps.steps.append(lambda x: x)  # !DLF101\n    rows = Rows(steps)",
        "rows = Rows(Compose([]))\n    rows.transform.steps.append(lambda x: x)  # !DLF101",
        "steps = Compose([])\n    steps.steps += [lambda x: x]  # !DLF101\n    rows = Rows(steps)",
        "steps = Compose([])\n    steps.steps.insert(0, lambda x: x)  # !DLF101\n    rows = Rows(steps)",
        "steps = Compose([])\n    steps.named['n'] = lambda x: x  # !DLF101\n    rows = Rows(steps)",
        "rows, other = Rows(None), Rows(None)\n    other.hooks.append(lambda x: x)",
        "rows = Rows(None)\n    rows.hooks.append(len)",
        "rows = Rows(None)\n    rows.others.append(lambda x: x)",
    ],
)
def test_what_is_added_to_an_attribute_is_sent(tmp_path, body):
    load = f"def load():\n    {body}\n    return DataLoader(rows, num_workers=2)\n"
    check(tmp_path, CLASSES + load)


FACTORY = """\
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, count):
        self.count = count
    def __getitem__(self, index):
        return self.prepare(index)
def create():
    return Rows(3)
"""


@pytest.mark.parametrize(
    "text",
    [
        program(
            "what a function sets on an object that it keeps to itself is not on others of its factory",
            FACTORY + "def test_alone():\n    rows = create()\n    seen = []\n"
            "    def prepare(index):\n        seen.append(index)\n    rows.prepare = prepare\n"
            "    next(iter(rows))\n    assert seen\n"
            "def test_workers():\n    rows = create()\n    list(DataLoader(rows, num_workers=2))\n",
        ),
        program(
            "what a function sets on an object that it returns is",
            FACTORY + "def patched():\n    rows = create()\n    def prepare(index):  # !DLF102\n"
            "        return index\n    rows.prepare = prepare\n    return rows\n"
            "def test_workers():\n    rows = patched()\n    list(DataLoader(rows, num_workers=2))\n",
        ),
        program(
            "what a function sets on an object that it passes to one with a loader is",
            FACTORY + "def read(rows):\n    list(DataLoader(rows, num_workers=2))\n"
            "def test_workers():\n    rows = create()\n    def prepare(index):  # !DLF102\n"
            "        return index\n    rows.prepare = prepare\n    read(rows)\n",
        ),
    ],
)
def test_objects_of_one_factory(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


PIPELINE = """\
--- pipe.py
class Pipeline:
    def __init__(self, items=()):
        self.items = []
        self.add_all(items)
    def add_all(self, items):
        for item in items:
            self.add(item)
    def add(self, item):
        self.items.append(item)
--- data.py
from pipe import Pipeline
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, items):
        self.pipeline = Pipeline(items)
    def __getitem__(self, index):
        return self.pipeline.items[index]
def load(dataset, workers):
    return DataLoader(dataset, num_workers=workers)
def rows(items=()):
    return Rows(items)
"""


@pytest.mark.parametrize(
    "text",
    [
        program(
            "what a test gives another object of a class is not in that of a library's loader",
            PIPELINE + "def main(path):\n    return load(Rows(path.split()), 2)\n"
            "--- tests/test_pipe.py\nfrom pipe import Pipeline\ndef test_pipe():\n"
            "    def text(row):\n        return row\n    pipeline = Pipeline([lambda row: row])\n"
            "    pipeline.add(text)\n    assert pipeline.items\n",
        ),
        program(
            "what a test gives an object that it hands to a library's loader is",
            "--- data.py\nfrom torch.utils.data import DataLoader, Dataset\n"
            "class Rows(Dataset):\n    def __init__(self, read):\n        self.read = read\n"
            "    def __getitem__(self, index):\n        return self.read(index)\n"
            "def rows(read):\n    return Rows(read)\n"
            "def load(dataset, workers):\n    return DataLoader(dataset, num_workers=workers)\n"
            "--- tests/test_data.py\nfrom data import load, rows\n"
            "def test_rows():\n    data = rows(lambda row: row)  # !DLF101\n"
            "    assert list(load(data, 2))\n",
        ),
    ],
)
def test_what_tests_give(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    "body",
    [
        "if fast:\n        steps = []\n        steps.append(lambda x: x)\n        print(steps)\n"
        "    else:\n        steps = []\n        steps.append(str)\n        rows = Rows(Compose(steps))\n"
        "        DataLoader(rows, num_workers=2)",
        "steps = []\n    steps.append(lambda x: x)\n    print(steps)\n    steps = []\n    steps.append(str)\n"
        "    DataLoader(Rows(Compose(steps)), num_workers=2)",
        "steps = []\n    for each in range(2):\n        steps.append(lambda x: x)  # !DLF101\n"
        "    DataLoader(Rows(Compose(steps)), num_workers=2)",
    ],
    ids=["the other branch", "a list of the same name before", "in a loop"],
)
def test_what_is_added_to_another_list_of_the_name(tmp_path: Path, body: str) -> None:
    check(tmp_path, f"{CLASSES}\ndef main(fast):\n    {body}\n")
