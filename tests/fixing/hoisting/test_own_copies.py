"""Functions that go by what their earlier calls left, and objects that ask for a sentinel: workers have copies of both."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

COLLATE = """
import torch
from torch.utils.data import DataLoader

def make(size):
    {captured}

    def collate(batch{default}):
        {body}

    return collate

if __name__ == "__main__":
    for batch in DataLoader(["a", "b"], collate_fn=make(2), num_workers=2):
        print(batch)
"""
NUMBERS = "return [known.setdefault(word, len(known) + size) for word in batch]"
COUNTS = "known[0] += size\n        return batch, known[0]"
CACHE = """\
for word in batch:
            if word not in known:
                known[word] = word.upper() * size
        return [known[word] for word in batch]"""
COUNTED = "known[0] += size\n        return batch"


@pytest.mark.parametrize(
    ("value", "body", "is_fixed"),
    [("{}", NUMBERS, False), ("[0]", COUNTS, False), ("{}", CACHE, True), ("[0]", COUNTED, True)],
)
@pytest.mark.parametrize("by_default", [True, False])
def test_what_earlier_calls_left_is_not_copied(
    value: str, body: str, is_fixed: bool, by_default: bool, tmp_path: Path
) -> None:
    captured, default = ("pass", f", known={value}") if by_default else (f"known = {value}", "")
    text = COLLATE.format(captured=captured, default=default, body=body)
    (tmp_path / "main.py").write_text(text)
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert (finding.fix is not None) is is_fixed
    assert is_fixed or "its earlier calls left in `known`" in str(finding.refused)


SURVEY = """
from torch.utils.data import DataLoader, Dataset

MISSING = object()

class Answers(Dataset):
    def __init__(self, answers, recode):
        self.answers = answers
        self.recode = recode

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, index):
        answer = {read}
        return -1 if answer is MISSING else self.recode(answer)

def main():
    answers = [{first}, "b"]
    print(list(DataLoader(Answers(answers, lambda text: len(text)), num_workers=2)))

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("first", "read", "is_fixed"),
    [
        ("MISSING", "self.answers[index]", False),
        ("'a'", "dict(enumerate(self.answers)).get(index, MISSING)", True),
    ],
)
def test_a_sentinel_among_the_data_keeps_the_object_from_being_sent(
    first: str, read: str, is_fixed: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(SURVEY.format(first=first, read=read))
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert (finding.fix is not None) is is_fixed
    assert is_fixed or "`answer is MISSING` asks for the very object" in str(finding.refused)
