"""What other modules put into a module's lists and dicts, and into what a class leaves None for others."""

from pathlib import Path

import pytest

import dlfix
from tests.reach.marked import check

FILES = {
    "tab/__init__.py": "from . import extra\nfrom .features import FEATURES\n",
    "tab/features.py": "FEATURES = {'n': len}\nLISTED = []\n",
    "train.py": """
from torch.utils.data import DataLoader, Dataset
from tab.features import FEATURES, LISTED

class Rows(Dataset):
    def __init__(self, names):
        self.functions = [FEATURES[name] for name in names]
        self.listed = list(LISTED)

    def __getitem__(self, i):
        return [f(i) for f in self.functions]

def load(names):
    return DataLoader(Rows(names), num_workers=2)
""",
}


def found(tmp_path: Path, extra: str, name: str = "tab/extra.py") -> list[tuple[str, str]]:
    for path, text in {**FILES, name: extra}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    return [(one.code, one.path.name) for one in dlfix.check([tmp_path], isolated=True)]


@pytest.mark.parametrize(
    "extra",
    [
        "from .features import FEATURES\nFEATURES['x'] = lambda row: row\n",
        "from .features import FEATURES as F\nF.update(x=lambda row: row)\n",
        "from . import features\nfeatures.FEATURES['x'] = lambda row: row\n",
        "import tab.features as features\nfeatures.LISTED.append(lambda row: row)\n",
    ],
)
def test_a_lambda_that_another_module_adds_is_sent(tmp_path, extra):
    [(code, name)] = found(tmp_path, extra)
    assert code in ("DLF101", "DLF105")
    assert name == "extra.py"


@pytest.mark.parametrize(
    "extra",
    [
        "FEATURES = {}\nFEATURES['x'] = lambda row: row\n",
        "from .others import FEATURES\nFEATURES['x'] = lambda row: row\n",
        "from .features import FEATURES\ndef add():\n    FEATURES['x'] = lambda row: row\n",
    ],
)
def test_what_is_put_into_another_dict_or_not_at_import_is_not(tmp_path, extra):
    assert found(tmp_path, extra) == []


def test_what_a_test_adds_is_not(tmp_path):
    extra = "from tab.features import FEATURES\nFEATURES['x'] = lambda row: row\n"
    assert found(tmp_path, extra, "tests/test_features.py") == []


OBJECTS = """
--- trainer.py
import queue

class Trainer:
    def __init__(self):
        self.lines = queue.SimpleQueue()  # !DLF204

    def fit(self, data):
        data.{attribute} = self
        for batch in data.loader():
            self.lines.put(batch)
--- main.py
from torch.utils.data import DataLoader, Dataset
from trainer import Trainer

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)

class Data:
    def __init__(self):
        self.trainer = None

    def scale(self, x):
        return x * 2

    def loader(self):
        return DataLoader(Rows(self.scale), num_workers=2)

if __name__ == "__main__":
    Trainer().fit(Data())
"""


def test_what_another_module_sets_on_an_object_that_left_it_none_is_sent(tmp_path):
    check(tmp_path, OBJECTS.lstrip().format(attribute="trainer"))


def test_what_it_sets_on_something_else_is_not(tmp_path):
    text = OBJECTS.lstrip().replace("  # !DLF204", "")
    check(
        tmp_path,
        text.replace("data.{attribute} = self", "self.{attribute} = data").format(
            attribute="trainer"
        ),
    )


def test_what_another_module_sets_where_the_class_itself_left_none_is_sent(tmp_path):
    text = OBJECTS.lstrip().format(attribute="trainer")
    on_class = text.replace(
        "    def __init__(self):\n        self.trainer = None\n", "    trainer = None\n"
    )
    assert on_class != text
    check(tmp_path, on_class)
