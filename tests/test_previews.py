import json

import pytest

from dlfix import previews
from dlfix.config import Settings
from dlfix.session import Session

LOADER = "def make{0}(ds):\n    return DataLoader(ds, num_workers=0, prefetch_factor=2)\n"


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "a.py"
    makers = "\n\n".join(LOADER.format(number) for number in range(3))
    path.write_text(f"from torch.utils.data import DataLoader\n\n\n{makers}")
    return Session.open([path], Settings())


def test_spawned_processes_give_what_one_gives(session, monkeypatch):
    monkeypatch.setattr(previews, "ENOUGH", 2)
    fixes = [one.outcome for one in session.diagnoses()]
    assert len(fixes) == 3
    alone = previews.make(fixes, session.text, 1)
    assert previews.make(fixes, session.text, 2) == alone
    assert len({json.dumps(list(texts.values())) for texts in alone.values()}) == 3
