"""A module that a fix makes for the classes of a file is a part of the file for all that is proved, and is found."""

import pytest

from dlfix.fixing.proof import regressions
from dlfix.project.project import Project
from tests.fixing.proof.pairs import ROOT

BEFORE = """
import json
import numpy as np

class Rows:
    def to_torch(self, scale):
        import torch

        class TorchRows(torch.utils.data.Dataset):
            def __getitem__(self, index):
                return np.array(index) * scale

        return TorchRows()
"""
AFTER = """
import json
import numpy as np

class Rows:
    def to_torch(self, scale):
        from ._torch_rows import TorchRows

        return TorchRows(scale)
"""
MADE = '''"""Classes of rows.py that require torch."""

import numpy as np
import torch


class TorchRows(torch.utils.data.Dataset):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def __getitem__(self, index):
        return np.array(index) * self.scale
'''
PACKAGE = ROOT / "store"
HOME, NEW = PACKAGE / "rows.py", PACKAGE / "_torch_rows.py"


def reasons(before=BEFORE, after=AFTER, made=MADE, **others):
    """Return what is said against classes that leave `store/rows.py` for a new module."""
    files = {PACKAGE / "__init__.py": "", ROOT / "main.py": "from store.rows import Rows\n"}
    files |= {ROOT / f"{name.replace('__', '/')}.py": text for name, text in others.items()}
    old = Project([HOME, *files], {HOME: before, **files})
    new = old.with_texts({HOME: after, NEW: made})
    return [each.reason for each in regressions(old, new, [HOME, NEW])]


def test_the_class_says_what_it_said():
    assert reasons() == []


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (MADE.replace("import numpy as np\n", ""), "`np` is not defined in _torch_rows.py"),
        (MADE.replace("numpy as np", "cupy as np"), "`np` is imported from elsewhere"),
        (
            MADE.replace("import torch\n", "import jax as torch\n"),
            "`torch` is imported from elsewhere",
        ),
        (MADE + "\nTorchRows.size = 3\n", "the statement is not part of rows.py (line 15)"),
        (MADE + "\nclass Other:\n    pass\n", "the statement is not part of rows.py (line 15)"),
        (MADE + "        print(__name__)\n", "`__name__` is that of another module now"),
        (MADE + "        return globals()\n", "`globals` is that of another module now"),
        (MADE.replace("(self, index)", '(self, index: "Rows")'), "an annotation is a text"),
        (
            MADE.replace("import numpy", "from __future__ import annotations\nimport numpy"),
            "differs",
        ),
        (MADE.replace("        self.scale = scale\n", ""), "`TorchRows.scale` is not set"),
    ],
)
def test_a_module_that_says_something_else(made, reason):
    assert any(reason in each for each in reasons(made=made))


TWO = """
class Rows:
    def to_torch(self, scale, first, *, last=3):
        import torch

        def shift(index, by=1):
            return index + first + by

        class TorchRows(torch.utils.data.Dataset):
            \"\"\"Rows.

            Of a tensor.
            \"\"\"

            def __init__(self, size, last=last):
                self.size = size
                self.last = last

            def __getitem__(self, index):
                return self.data[index], self.size, shift(index) * scale

        return TorchRows(3)
"""
TWO_AFTER = """
class Rows:
    def to_torch(self, scale, first, *, last=3):
        from ._torch_rows import TorchRows

        return TorchRows(3, last=last, scale=scale, first=first)
"""
TWO_MADE = '''
import torch


class TorchRows(torch.utils.data.Dataset):
    """Rows.

    Of a tensor.
    """

    def __init__(self, size, last, *, scale, first):
        self.scale = scale
        self.first = first
        self.size = size
        self.last = last

    def __getitem__(self, index):
        return self.data[index], self.size, self._shift(index) * self.scale

    def _shift(self, index, by=1):
        return index + self.first + by
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("self.first = first", "self.first = scale"),
        ("self.scale = scale", "self.scale = size"),
        ("* self.scale", "* self.first"),
        ("self._shift(index)", "self._shift(self.size)"),
        ("by=1", "by=2"),
        ("return index + self.first + by", "return index - self.first + by"),
        ("self.size = size", "self.size = last"),
        ("size, last,", "last, size,"),
        ("size, last,", "size, last=3,"),
        ("data.Dataset", "data.IterableDataset"),
        ("    def _shift", "    size = 3\n\n    def _shift"),
        ("self.data[index]", "data[index]"),
    ],
)
def test_the_class_with_what_it_captured_written_back(old, new):
    found = reasons(TWO, TWO_AFTER, TWO_MADE.replace(old, new) if old else TWO_MADE)
    said = any("`TorchRows` is not the class of rows.py" in each for each in found)
    assert said is bool(old), found
    assert bool(found) is bool(old), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scale=scale, first=first", "scale=first, first=scale"),
        ("scale=scale, first=first", "scale=scale, first=3"),
        ("last=last", "last=first"),
    ],
)
def test_what_the_constructor_calls_pass(old, new):
    assert reasons(TWO, TWO_AFTER.replace(old, new), TWO_MADE)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (AFTER.replace("TorchRows(scale)", "TorchRows()"), "`scale` is not passed"),
        (AFTER.replace("        return", "        scale = 3\n        return"), ""),
        (
            AFTER.replace("        from ._torch_rows import TorchRows\n", "").replace(
                "import json", "from ._torch_rows import TorchRows"
            ),
            "the module is imported with the file",
        ),
        (AFTER.replace("from ._torch_rows", "from _torch_rows"), "imported in another way"),
    ],
)
def test_a_file_that_uses_it_otherwise(after, reason):
    assert bool(reason) == any(reason in each for each in reasons(after=after) if reason)


def test_a_capture_that_is_bound_again():
    before = BEFORE.replace(
        "return TorchRows()", "rows = TorchRows()\n        scale = 3\n        return rows"
    )
    after = AFTER.replace(
        "return TorchRows(scale)", "rows = TorchRows(scale)\n        scale = 3\n        return rows"
    )
    assert any("`scale` is captured by value" in each for each in reasons(before, after))


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"show": "def show(x):\n    return type(x).__module__\n"}, "`__module__` is read"),
        ({"show": "import inspect\n\ndef show(x):\n    return inspect.getfile(x)\n"}, "`getfile`"),
        ({"conf": "import inspect\nproject = 'x'\nextensions = []\ninspect.getfile(project)\n"}, ""),
        ({"other": "import store.rows\nstore.rows.np = None\n"}, "`np` is replaced (other.py:2)"),
        ({"test_rows": "from unittest import mock\nmock.patch('store.rows.np', 3)\n"}, "is replaced"),
        ({"store__main": "import rows\n"}, "the file is imported in another way (main.py:1)"),
        (
            {"store__load": "import pkgutil\nnames = [*pkgutil.iter_modules(['store'])]\n"},
            "load.py goes through the modules of the package",
        ),
        (
            {"store__load": "import importlib, os\n[importlib.import_module(n) for n in os.listdir('.')]\n"},
            "load.py goes through the modules of the package",
        ),
        ({"test_all": "import pkgutil, store\n[*pkgutil.walk_packages(store.__path__)]\n"}, "goes through"),
        ({"load": "import importlib, os\n[importlib.import_module(n) for n in os.listdir('x')]\n"}, "goes"),
        ({"other": "from store import _torch_rows\n"}, "another file imports the module"),
        ({"other": "def compare(x):\n    return type(x).__module__ == 'numpy'\n"}, ""),
    ],
)  # fmt: skip
def test_what_other_code_sees(others, reason):
    found = reasons(**others)
    assert found == [] if not reason else any(reason in each for each in found)


@pytest.mark.parametrize(
    ("line", "is_worse"),
    [
        ("import numpy as np", False),
        ("try:\n    import numpy as np\nexcept ImportError:\n    np = None", True),
        ("import numpy as np\ndef plain():\n    global np\n    np = None", True),
    ],
)
def test_a_name_of_the_file_that_may_mean_something_else(line, is_worse):
    before, after = (each.replace("import numpy as np", line) for each in (BEFORE, AFTER))
    found = reasons(before, after)
    assert any("`np`" in each for each in found) is is_worse


def test_an_import_that_leads_back():
    before, after = (
        each.replace("import json", "import json\nfrom store import tools")
        for each in (BEFORE, AFTER)
    )
    before = before.replace("np.array(index)", "tools.make(index)")
    made = MADE.replace("import torch\n", "import torch\nfrom store import tools\n")
    made = made.replace("np.array(index)", "tools.make(index)")
    assert reasons(before, after, made, store__tools="def make(x):\n    return x\n") == []
    tools = "import store.rows\n\ndef make(x):\n    return x\n"
    found = reasons(before, after, made, store__tools=tools)
    assert any("tools.py imports rows.py" in each for each in found)


def test_a_class_whose_name_is_another_class_of_the_file():
    before, after = (
        each.replace("TorchRows", "Rows").replace(
            "class Rows:", "class Table:\n    kind = 1\n\nclass Data:"
        )
        for each in (BEFORE, AFTER)
    )
    before, after = (each.replace("class Table", "class Rows") for each in (before, after))
    assert reasons(before, after, MADE.replace("TorchRows", "Rows")) == []


def test_a_module_that_nothing_imports():
    after = AFTER.replace("from ._torch_rows import", "from .other import")
    assert "nothing imports _torch_rows.py" in reasons(after=after)


def test_a_variable_of_an_inner_function_is_another_one():
    before, after = (
        each.replace(
            "        return TorchRows(", "        def make(scale):\n            return TorchRows("
        )
        for each in (BEFORE, AFTER)
    )
    found = reasons(before, after)
    assert any("is not the class of rows.py" in each for each in found)
    before, after = (each.replace("make(scale)", "make(by)") for each in (before, after))
    assert reasons(before, after) == []


def test_two_classes_of_one_name_that_leave_at_once():
    more = """
class Pairs:
    def to_torch(self, size):
        import torch

        class TorchRows(torch.utils.data.Dataset):
            def __len__(self):
                return size

        return TorchRows()
"""
    after = more.replace("        import torch\n\n", "").split("        class")[0]
    after += "        from ._torch_pairs import TorchRows\n\n        return TorchRows(size)\n"
    made = MADE.replace("import numpy as np\n", "").replace("scale", "size")
    made = (
        made.split("    def __getitem__")[0] + "    def __len__(self):\n        return self.size\n"
    )
    files = {PACKAGE / "__init__.py": ""}
    old = Project([HOME, *files], {HOME: BEFORE + more, **files})
    other = PACKAGE / "_torch_pairs.py"
    new = old.with_texts({HOME: AFTER + after, NEW: MADE, other: made})
    assert regressions(old, new, [HOME, NEW, other]) == []
    new = old.with_texts({HOME: AFTER + after, NEW: MADE, other: MADE})
    assert regressions(old, new, [HOME, NEW, other])
