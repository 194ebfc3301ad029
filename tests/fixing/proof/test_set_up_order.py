"""What a constructor asks a handle before it sets it up: a new handle is set up when it is opened."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import opened

PARTS = {
    "count": "self.n = {0}.execute('select count(*) from rows').fetchone()[0]",
    "factory": "{0}.row_factory = sqlite3.Row",
    "pragma": "{0}.execute('pragma cache_size = 9')",
    "closed": "self.n = {0}.closed",
    "first": "self.n = self.first()",
}


def set_up_when_opened(*in_order: str) -> list[str]:
    """Return the reasons against a connection that its opener sets up, and the constructor then only asks."""
    asked = [each for each in in_order if each in ("count", "closed", "first")]
    settings = [each for each in in_order if each not in asked]
    connect = "sqlite3.connect(self.path)"
    steps = "\n".join(PARTS[each].format("self.file") for each in in_order)
    left = "\n".join(PARTS[each].format("file") for each in asked) or "pass"
    set_up = "\n    ".join(PARTS[each].format("file") for each in settings)
    body = f"""
def _open(self):
    file = {connect}
    {set_up}
    return file

def first(self):
    return self.file.execute('select 1').fetchone()

def __getitem__(self, index):
    return self.file.execute("select x from rows").fetchone()
"""
    return opened(
        init=f"self.path = path\nself.file = {connect}\n{steps}",
        later="self.path = path\nwith contextlib.closing(self._open()) as file:\n"
        + "\n".join(f"    {each}" for each in left.splitlines()),
        opener="return self._open()",
        body=body,
    )


@pytest.mark.parametrize("asked", ["count", "first"])
@pytest.mark.parametrize("setting", ["factory", "pragma"])
def test_what_was_asked_before_a_setting_is_not_asked_after_it(asked, setting):
    assert any("is set up first now" in each for each in set_up_when_opened(asked, setting))


def test_each_setting_counts():
    (reason,) = set_up_when_opened("pragma", "count", "factory")
    assert "`row_factory` is set up first now" in reason


def test_what_was_asked_once_all_was_set_up_still_is():
    assert not set_up_when_opened("factory", "pragma", "count")


def test_whether_a_handle_is_open_is_asked_at_any_time():
    assert not set_up_when_opened("closed", "factory")
