"""Names that are computed lead to all that they may stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.paths import Case, analysis_of, paths, row

SETS = """
class TrainSet(Dataset):
    def __init__(self): self.f = lambda x: x
class TestSet(Dataset):
    def __init__(self): self.g = lambda x: x
class Other:
    def __init__(self): self.h = lambda x: x
"""
MAIN = "# file: main.py\nfrom torch.utils.data import DataLoader\n"
BOTH = ("dataset.f lambda", "dataset.g lambda")

ROWS = [
    row(
        "globals",
        SETS + "def make(n): return DataLoader(globals()[n + 'Set'](), num_workers=2)",
        *BOTH,
    ),
    row(
        "getattr of a module",
        MAIN + "import sets\n"
        "def make(n): return DataLoader(getattr(sets, f'{n}Set')(), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        *BOTH,
    ),
    row(
        "the dict of a module",
        MAIN + "import sets\n"
        "def make(n): return DataLoader(sets.__dict__['Test' + n](), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        "dataset.g lambda",
        "self.f lambda",  # no loader in view takes it
    ),
    row(
        "vars of a module, a name that is one of two constants",
        MAIN + "import sets\n"
        "def make(a): return DataLoader(vars(sets)['TestSet' if a else 'TrainSet'](), num_workers=2)\n"
        "# file: sets.py\nfrom torch.utils.data import Dataset\n" + SETS,
        *BOTH,
    ),
    row(
        "any dataset of torchvision",
        """
        import torchvision
        def make(n):
            data = torchvision.datasets.__dict__[n]("d", transform=lambda x: x)
            return DataLoader(data, num_workers=2)
        """,
        "dataset.transform lambda",
    ),
    row(
        "a method by the start of its name",
        """
        class Data(Dataset):
            def __init__(self, kind): self.read = getattr(self, "read_" + kind)()
            def read_one(self): return lambda x: x
            def write(self): return threading.Lock()
        def make(kind): return DataLoader(Data(kind), num_workers=2)
        """,
        "dataset.read lambda",
    ),
    row(
        "two registries of one class, filled by a method of their own",
        """
        class Registry:
            def __init__(self): self.known = {}
            def put(self, name, cls): self.known[name] = cls
            def register(self):
                def deco(cls):
                    self.put(cls.__name__, cls)
                    return cls
                return deco
            def get(self, name): return self.known[name]
        SETS, MODELS = Registry(), Registry()
        @SETS.register()
        class One(Keep):
            def __init__(self): self.kept = lambda x: x
        @MODELS.register()
        class Net(Keep):
            def __init__(self): self.other = threading.Lock()
        def make(name): return DataLoader(SETS.get(name)(), num_workers=2)
        """,
        "dataset.kept lambda",
    ),
]


@pytest.mark.parametrize("case", ROWS)
def test_what_a_computed_name_leads_to(case: Case, tmp_path: Path) -> None:
    assert paths(analysis_of(tmp_path, case.source)) == set(case.paths)
