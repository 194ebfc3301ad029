"""A file that its object opens late is not removed by a caller that has got the object, or what keeps it, by then."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import opened

REMOVED = "def run(path):\n    made = build(path)\n    os.remove(path)\n    return made\n"
HOLDER = "class Holder:\n    def __init__(self, path):\n{}\n\ndef build(path):\n    return Holder(path)\n"
BUILT = {
    "returned at once": ("def build(path):\n    return Rows(path)\n", True),
    "by a name": ("def build(path):\n    rows = Rows(path)\n    return rows\n", True),
    "in a loader": ("def build(path):\n    rows = Rows(path)\n    return DataLoader(rows)\n", True),
    "in a named loader": (
        "def build(path):\n    rows = Rows(path)\n    loader = DataLoader(rows)\n    return 1, loader\n",
        True,
    ),
    "on an object": (HOLDER.format("        rows = Rows(path)\n        self.rows = rows"), True),
    "on an object, in a list": (
        HOLDER.format(
            "        self.all = []\n        rows = Rows(path)\n        self.all.append(rows)"
        ),
        True,
    ),
    "on an object, in a loader": (
        HOLDER.format("        rows = Rows(path)\n        self.loader = DataLoader(rows)"),
        True,
    ),
    "its length": ("def build(path):\n    rows = Rows(path)\n    return len(rows)\n", False),
    "a part of it": ("def build(path):\n    rows = Rows(path)\n    return rows[0]\n", False),
    "nothing of it": (
        "def build(path):\n    rows = Rows(path)\n    print(len(rows))\n    return []\n",
        False,
    ),
}


@pytest.mark.parametrize(("build", "refused"), BUILT.values(), ids=BUILT)
def test_an_object_that_a_caller_gets_is_followed_by_its_local_names(build, refused):
    reasons = opened(
        program=f"import os\nfrom torch.utils.data import DataLoader\n\n{build}\n{REMOVED}"
    )
    assert refused == any("may be removed" in each for each in reasons)


SPOOL = """
import os

class Spool:
    def __init__(self, folder):
        self.folder, self.notes = folder, "notes"

    def fetch(self, name):
        return os.path.join(self.folder, name)

def run(spool):
    rows = Rows(spool.fetch("a.h5"))
    for each in os.listdir(spool.{removed}):
        os.remove(os.path.join(spool.{removed}, each))
    return rows
"""


@pytest.mark.parametrize(("removed", "refused"), [("folder", True), ("notes", False)])
def test_a_path_that_a_method_gives_is_made_of_attributes_of_its_object(removed, refused):
    reasons = opened(program=SPOOL.format(removed=removed))
    assert refused == any("may be removed" in each for each in reasons)
