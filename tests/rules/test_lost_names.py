"""Functions that no name leads to: compiled by TorchScript, private methods of a class."""

from __future__ import annotations

import pytest

from dlfix.catalog import load
from dlfix.fixing.engine import inspect
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules

ROWS = """
import torch
from torch.utils.data import DataLoader, Dataset

{made}

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

loader = DataLoader(Rows({sent}), num_workers=2)
"""
FUNCTION = "def gamma(image):\n    return image\n"
KEEPS = """
KEPT = {}
def register(name):
    def keep(function):
        KEPT[name] = function
        return function
    return keep
def timed(function):
    def wrapper(image):
        return function(image)
    return wrapper
"""
METHODS = """
class Augment:
    def __init__(self):
        self.steps = [{step}]
{more}
    def __scaled(self, image):
        return image

    def _plain(self, image):
        return image

    def __call__(self, image):
        return self.steps[0](image)
"""
FINDS = """
    def __getattr__(self, name):
        if name != "__scaled":
            raise AttributeError(name)
        return self._plain
"""


def codes(tmp_path, made, sent):
    (tmp_path / "main.py").write_text(ROWS.format(made=made, sent=sent))
    analysis = analyze(Project([tmp_path / "main.py"]), load())
    found = inspect(analysis, all_rules())
    return [each.finding.code for each in found if each.finding.code.startswith(("DLF1", "DLF2"))]


@pytest.mark.parametrize(
    ("made", "sent", "found"),
    [
        ("@torch.jit.script\n" + FUNCTION, "gamma", ["DLF206"]),
        (FUNCTION + "fast = torch.jit.script(gamma)", "fast", ["DLF206"]),
        (FUNCTION, "gamma", []),
        ("@torch.no_grad()\n" + FUNCTION, "gamma", []),
        (KEEPS + '@register("gamma")\n@timed\n' + FUNCTION, 'KEPT["gamma"]', ["DLF102"]),
        (KEEPS + '@timed\n@register("gamma")\n' + FUNCTION, 'KEPT["gamma"]', ["DLF105"]),
        ("import numpy as np\n@np.vectorize\n" + FUNCTION, "gamma", ["DLF105"]),
        ("import numpy as np\n@np.errstate()\n" + FUNCTION, "gamma", []),
        (METHODS.format(step="self.__scaled", more=""), "Augment()", ["DLF105"]),
        (METHODS.format(step="self._plain", more=""), "Augment()", []),
        (METHODS.format(step="self.__scaled", more=FINDS), "Augment()", []),
    ],
)
def test_what_no_name_leads_to(tmp_path, made, sent, found):
    assert codes(tmp_path, made, sent) == found
