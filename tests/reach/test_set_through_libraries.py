"""What code sets on objects that it reaches through those of a library: `train.dataset.transform = f`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check

HEAD = """\
import copy
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, random_split

class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __len__(self): return 4
    def __getitem__(self, i):
        return i if self.transform is None else self.transform(i)

def prepare(part):
    part.dataset.transform = None

def main():
"""
SPLIT = """\
    full = Rows()
    one, two = random_split(full, [3, 1])
"""
READ = """\
    for batch in DataLoader({}, num_workers=2): print(batch)
"""
ONE, TWO = READ.format("one"), READ.format("two")


def program(sentence: str, *parts: str) -> object:
    return pytest.param(HEAD + "".join(parts), id=sentence)


@pytest.mark.parametrize(
    "text",
    [
        program(
            "of a subset", "    one = Subset(Rows(), [1])\n",
            "    one.dataset.transform = lambda x: x  # !DLF101\n", ONE,
        ),
        program(
            "of a subset of a subset", "    one = Subset(Subset(Rows(), [1, 2]), [1])\n",
            "    one.dataset.dataset.transform = lambda x: x  # !DLF101\n", ONE,
        ),
        program(
            "of a loader", "    one = DataLoader(Rows(), num_workers=2)\n",
            "    one.dataset.transform = lambda x: x  # !DLF101\n    for batch in one: print(batch)\n",
        ),
        program(
            "of one of several", "    one = ConcatDataset([Rows(), Rows()])\n",
            "    one.datasets[0].transform = lambda x: x  # !DLF101\n", ONE,
        ),
        program(
            "of a split, whose parts share it", SPLIT,
            "    one.dataset.transform = lambda x: x  # !DLF101\n", TWO,
        ),
        program(
            "of a split, and read back for the other part", SPLIT,
            "    one.dataset.transform = lambda x: x  # !DLF101\n",
            "    two.dataset.transform = one.dataset.transform\n", TWO,
        ),
        program(
            "of the original, while the other part has a copy", SPLIT,
            "    two.dataset = copy.copy(full)\n",
            "    one.dataset.transform = lambda x: x  # !DLF101\n",
            "    two.dataset.transform = str\n", ONE,
        ),
        program(
            "of the copy, read back from the original", SPLIT,
            "    two.dataset = copy.copy(full)\n",
            "    one.dataset.transform = lambda x: x  # !DLF101\n",
            "    two.dataset.transform = one.dataset.transform\n", TWO,
        ),
        program(
            "of the copy", SPLIT, "    two.dataset = copy.deepcopy(two.dataset)\n",
            "    two.dataset.transform = lambda x: x  # !DLF101\n", TWO,
        ),
        program(
            "of the original before it is copied", SPLIT,
            "    one.dataset.transform = lambda x: x  # !DLF101\n",
            "    two.dataset = copy.copy(full)\n", TWO,
        ),
        program("of the part", SPLIT, "    one.collate = lambda x: x  # !DLF101\n", ONE),
        program(
            "of each part in a loop", SPLIT, "    for part in (one, two):\n",
            "        part.dataset.transform = lambda x: x  # !DLF101\n", ONE,
        ),
        program(
            "by an item", "    parts = random_split(Rows(), [3, 1])\n",
            "    parts[0].target = lambda x: x  # !DLF101\n", READ.format("parts[0]"),
        ),
        program(
            "and another data set is given to the part", SPLIT,
            "    two.dataset = Rows(lambda x: x)  # !DLF101\n", TWO,
        ),
        program(
            "once more after the first epoch", "    one = Rows()\n    for epoch in range(2):\n    ", ONE,
            "        one.transform = lambda x: x  # !DLF101\n",
        ),
        program(
            "between two loops over a loader", "    one = Rows()\n    loader = DataLoader(one, num_workers=2)\n",
            "    for batch in loader: print(batch)\n    one.transform = lambda x: x  # !DLF101\n",
            "    for batch in loader: print(batch)\n",
        ),
        pytest.param(
            HEAD.replace("def prepare(part):\n    part.dataset.transform = None\n", "def read(one):\n" + ONE
            + "    one.transform = lambda x: x  # !DLF101\n") + "    one = Rows()\n    read(one)\n    read(one)\n",
            id="by a function that is called again",
        ),
    ],
)  # fmt: skip
def test_what_is_set_through_an_object_of_a_library_is_sent(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        program(
            "it is set to a plain value again", SPLIT, "    one.dataset.transform = lambda x: x\n",
            "    one.dataset.transform = None\n", ONE,
        ),
        program(
            "it is deleted again", SPLIT, "    one.dataset.extra = lambda x: x\n",
            "    del one.dataset.extra\n", ONE,
        ),
        program(
            "what was there is put back", SPLIT, "    before = one.dataset.transform\n",
            "    one.dataset.transform = lambda x: x\n    print(one[0])\n",
            "    one.dataset.transform = before\n", ONE,
        ),
        program(
            "only the copy of the other part has it", SPLIT, "    two.dataset = copy.copy(full)\n",
            "    two.dataset.transform = lambda x: x\n", ONE,
        ),
        program(
            "only the original has it", SPLIT, "    two.dataset = copy.copy(full)\n",
            "    one.dataset.transform = lambda x: x\n", TWO,
        ),
        program(
            "the copy has another value", "    full = Rows(lambda x: x)\n    one, two = random_split(full, [3, 1])\n",
            "    two.dataset = copy.copy(full)\n    two.dataset.transform = str\n", TWO,
        ),
        program("only the other part has it", SPLIT, "    two.collate = lambda x: x\n", ONE),
        program(
            "the other part is given another data set", SPLIT, "    two.dataset = Rows(lambda x: x)\n", ONE,
        ),
        program(
            "the part is given another data set",
            "    one, two = random_split(Rows(lambda x: x), [3, 1])\n    two.dataset = Rows()\n", TWO,
        ),
        program(
            "a subset is given another data set",
            "    one = Subset(Rows(lambda x: x), [1])\n    one.dataset = Rows()\n", ONE,
        ),
        program(
            "it is set after the workers", SPLIT, ONE, "    one.dataset.transform = lambda x: x\n    print(one[0])\n",
        ),
        program(
            "it is set after the only loop over the loader",
            "    one = Rows()\n    loader = DataLoader(one, num_workers=2)\n",
            "    for batch in loader: print(batch)\n    one.transform = lambda x: x\n    print(one[0])\n",
        ),
        program(
            "it is read back by somebody who sends nothing", "    one = Rows()\n",
            "    one.transform = lambda x: x\n    kept = one.transform\n    one.transform = str\n",
            "    print(kept)\n", ONE,
        ),
    ],
)  # fmt: skip
def test_what_is_not_there_when_workers_start_is_not_sent(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
