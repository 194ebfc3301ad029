from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        starts = [4]
        for n in (1, 2):
            starts.append(n)
        self.file = h5py.File(path)
        self.starts = starts

DataLoader(Rows('a'), num_workers=2)
"""
AFTER = """
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._by_pid = {{}}
        self._open()

    def _open(self):
        starts = [4]
{steps}
        self._by_pid[os.getpid()] = h5py.File(self.path)
        self.starts = starts

    @property
    def file(self):
        if os.getpid() not in self._by_pid:
            self._open()
        return self._by_pid[os.getpid()]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_by_pid"] = {{}}
        return state

DataLoader(Rows('a'), num_workers=2)
"""
LOOP = "        for n in (1, 2):\n            starts.append(n)"


@pytest.mark.parametrize(("steps", "refused"), [("", True), (LOOP, False)], ids=["left out", "all"])
def test_a_list_is_built_up_with_all_its_steps(steps, refused):
    reasons = worse(BEFORE, AFTER.format(steps=steps))
    assert refused == any(
        "the constructor modifies `starts` in more statements" in r for r in reasons
    )


KEPT = """
class Rows(Dataset):
    def __init__(self, path, names):
        self.path = path
        {before}
        self._names = {kept}
        {after}

    @functools.cached_property
    def parts(self):
        return [h5py.File(self.path)[name] for name in self._names]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("parts", None)
        return state

DataLoader(Rows('a', ['b', 'c']), num_workers=2)
"""
EAGER = """
class Rows(Dataset):
    def __init__(self, path, names):
        {before}
        self.parts = [h5py.File(path)[name] for name in names]
        {after}

DataLoader(Rows('a', ['b', 'c']), num_workers=2)
"""


@pytest.mark.parametrize(
    ("before", "kept", "after", "refused"),
    [
        ("pass", "names", "names.pop()", True),
        ("others = names", "names", "others.pop()", True),
        ("pass", "list(names)", "names.pop()", False),
        ("names = sorted(names); names.pop()", "names", "pass", False),
    ],
    ids=["modified", "under another name", "copied", "before"],
)
def test_what_is_kept_is_not_modified_afterwards(before, kept, after, refused):
    reasons = worse(
        EAGER.format(before=before, after=after), KEPT.format(before=before, kept=kept, after=after)
    )
    assert refused == any("is kept (line" in reason for reason in reasons)
