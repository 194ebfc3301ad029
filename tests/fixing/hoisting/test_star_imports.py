from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.fixing.hoisting.star_imports import may_replace
from dlfix.project.project import Project

ROOT = Path("/program")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("from loaders import *\nscale(1)\n", "scale", True),
        ("from loaders import *\nscale(1)\n", "_scale", False),
        ("from loaders import *\nscale(1)\n", "shift", False),
        ("from loaders import made\nscale(1)\n", "scale", False),
        ("import loaders\nfrom other import *\nscale(1)\n", "scale", False),
    ],
)
def test_a_public_name_may_replace_another(text, name, expected):
    texts = {ROOT / "main.py": text, ROOT / "loaders.py": "def made():\n    pass\n"}
    project = Project([*texts], texts)
    assert may_replace(project, project.module(ROOT / "loaders.py"), name) is expected
