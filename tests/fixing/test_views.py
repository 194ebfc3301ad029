"""Views of dicts: a list shows what a view showed only where nobody looks at all attributes."""

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, table):
        self.parts = table.values()

    def __getitem__(self, index):
        return [len(part) for part in self.parts][index]

    {method}

def load():
    table = {{"a": "x", "b": "yy"}}
    rows = Rows(table)
    {outside}
    return DataLoader(rows, num_workers=2)
"""
METHOD = "def kinds(self):\n        return [type(each) for each in {}.values()]"


@pytest.mark.parametrize(
    ("method", "outside", "refused"),
    [
        ("", "print([type(each) for each in vars(rows).values()])", True),
        ("", "print(dict(rows.__dict__))", True),
        ("", "print([type(each) for each in table.values()])", False),
        (METHOD.format("vars(self)"), "", True),
        (METHOD.format("self.__dict__"), "", True),
        ("", "", False),
    ],
)
def test_a_view_stays_where_code_looks_at_all_attributes(tmp_path, method, outside, refused):
    text = PROGRAM.format(method=method, outside=outside)
    (tmp_path / "main.py").write_text(text)
    fixed = dlfix.fix_text(text, isolated=True).text
    assert ("list(table.values())" in fixed) is not refused
    [finding] = dlfix.check([tmp_path], isolated=True)
    assert (finding.fix is None) is refused
    assert ("reads all attributes" in (finding.refused or "")) is refused


VOCABULARY = """
from collections import defaultdict

from torch.utils.data import DataLoader, Dataset

class Words(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.words = None

    def fit(self):
        {made}
        for text in self.texts:
            self.index[text] = len(text)
        self.words = self.index.keys()
        {after}

    {method}

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return len(self.words) + {read}

words = Words(["a", "b"])
words.fit()
{outside}
if __name__ == "__main__":
    print(*DataLoader(words, num_workers=2))
"""
PLAIN = "self.index = {}"
COUNTS = "self.index = defaultdict(int)"
INSERTED = "a missing key is inserted when it is read after the view is stored"
CHANGES = "the dict changes after the view is stored"


@pytest.mark.parametrize(
    ("made", "after", "method", "read", "outside", "refused"),
    [
        (PLAIN, "", "", "0", "", ""),
        (PLAIN, "", "", "self.index[self.texts[i]]", "", ""),
        (COUNTS, "", "", "self.index.get(i, 0)", "", ""),
        ("self.index = index = {}; index['c'] = 3", "", "", "0", "", ""),
        (COUNTS, "", "", "self.index[i]", "", f"{INSERTED} (main.py:24)"),
        (COUNTS, "", "", "0", "print(words.index['c'])", f"{INSERTED} (main.py:28)"),
        (PLAIN, "self.index['c'] = 3", "", "0", "", f"{CHANGES} (main.py:16)"),
        (
            PLAIN,
            "",
            "def add(self):\n        self.index['c'] = 3",
            "0",
            "",
            f"{CHANGES} (main.py:19)",
        ),
        (PLAIN, "", "", "0", "words.index['c'] = 3", f"{CHANGES} (main.py:28)"),
        ("self.index = index = {}", "index['c'] = 3", "", "0", "", f"{CHANGES} (main.py:16)"),
        # what `fit` fills may be what the view of an earlier call shows
        ("self.index = self.index or {}", "", "", "0", "", f"{CHANGES} (main.py:14)"),
    ],
)
def test_a_view_becomes_a_list_where_its_dict_only_changes_before(
    tmp_path, made, after, method, read, outside, refused
):
    text = VOCABULARY.format(made=made, after=after, method=method, read=read, outside=outside)
    (tmp_path / "main.py").write_text(text)
    assert ("list(self.index.keys())" in dlfix.fix_text(text, isolated=True).text) is not refused
    [finding] = [each for each in dlfix.check([tmp_path], isolated=True) if each.code == "DLF206"]
    assert (finding.refused or "") == refused


HELPER = """
from torch.utils.data import DataLoader, Dataset

class Words(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.index = {{}}
        {called}
        self.words = self.index.keys()
        {later}

    def {add}(self, text):
        self.index[text] = 1

    def __getitem__(self, i):
        return len(self.words)

def load(texts):
    words = Words(texts)
    {outside}
    return DataLoader(words, num_workers=2)
"""


@pytest.mark.parametrize(
    ("called", "later", "add", "outside", "is_list"),
    [
        ("self._add(texts[0])", "", "_add", "", True),
        ("self.add(texts[0])", "", "add", "", True),
        ("self.add(texts[0])", "", "add", "words.add('c')", False),
        ("self._add(texts[0])", "self._add(texts[1])", "_add", "", False),
        ("add = lambda text: self._add(text)", "add('c')", "_add", "", False),
    ],
)
def test_a_method_that_fills_the_dict_may_run_before_alone(called, later, add, outside, is_list):
    text = HELPER.format(called=called, later=later, add=add, outside=outside)
    fixed = dlfix.fix_text(text, isolated=True).text
    assert ("list(self.index.keys())" in fixed) is is_list
