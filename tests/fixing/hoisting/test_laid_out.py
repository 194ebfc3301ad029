"""The text that a moved function gets: names that tell it apart, and lines that are aligned."""

import textwrap

import dlfix

LOADER = """

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)


def load(image):
    return DataLoader(Rows({transform}), num_workers=2)
"""


def moved(transform: str, above: str = "") -> str:
    """Return a module after a lambda or local function has moved."""
    source = "from torch.utils.data import DataLoader, Dataset\nMODE = 1\n" + textwrap.dedent(above)
    result = dlfix.fix_text(source + LOADER.format(transform=transform), isolated=True)
    assert result.changed
    return result.text


def test_the_lines_of_an_expression_that_gets_parentheses_are_aligned_in_them():
    text = moved("lambda img: img.convert(MODE)\n    if img.mode != MODE else img")
    assert "    return (img.convert(MODE)\n            if img.mode != MODE else img)\n" in text


def test_an_expression_in_parentheses_of_its_own_gets_no_more_of_them():
    text = moved("lambda img: img.convert(\n        MODE)")
    assert "    return img.convert(\n        MODE)\n" in text


def test_two_private_names_differ_by_more_than_an_underscore():
    text = moved(
        "lambda img: __scale_width(img, image.width)", "def __scale_width(img, width): return img\n"
    )
    assert "def _scale_width(" not in text
    assert "    return __scale_width(img, image.width)\n" in text


METHODS = """
class {name}(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index]

    def collate_fn(self):
        def collate(batch):
            return len(self.rows), batch
        return collate
"""


def test_a_method_whose_name_is_taken_gets_that_of_its_class():
    names = ("Pairs", "RowLists")
    source = "from torch.utils.data import DataLoader, Dataset\n"
    source += "".join(METHODS.format(name=each) for each in names)
    source += "def load(rows):\n"
    for each in names:
        source += f"    {each.lower()} = {each}(rows)\n"
        source += f"    yield DataLoader({each.lower()}, num_workers=2, collate_fn={each.lower()}.collate_fn())\n"
    text = dlfix.fix_text(source, isolated=True).text
    assert "def _collate(self, batch)" in text
    assert "def _row_lists_collate(self, batch)" in text
