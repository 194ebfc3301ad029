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
