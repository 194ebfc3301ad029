import io
from pathlib import Path

import pytest
from rich.console import Console

from dlfix.config import Settings
from dlfix.report import progress
from dlfix.report.progress import Progress
from dlfix.session import Session
from tests.cli.test_check import write


@pytest.fixture
def screen():
    return Console(file=io.StringIO(), force_terminal=True, width=80)


def seen(console):
    return console.file.getvalue()


def test_a_bar_is_shown_once_the_patience_is_over(screen, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with Progress(lambda: screen) as shown:
        shown.tell("reading files", 3, 10)
        shown._timer.join()
        shown.tell("reading files", 4, 10)
    assert "reading files" in seen(screen)
    assert "4/10" in seen(screen)


def test_work_that_is_done_in_time_shows_nothing(screen, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 3600)
    with Progress(lambda: screen) as shown:
        shown.tell("reading files", 3, 10)
    assert seen(screen) == ""


def test_nothing_is_shown_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with Progress(None) as shown:
        shown.tell("reading files", 3, 10)
    assert shown._bar is None
    assert shown._timer.ident is None


def test_a_bar_that_was_stopped_does_not_come_again(screen, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with Progress(lambda: screen) as shown:
        shown._timer.join()
        shown.stop()
        before = seen(screen)
        shown.tell("reading files", 3, 10)
    assert seen(screen) == before


LOADER = "from torch.utils.data import DataLoader\nload = DataLoader([], {})\n"


@pytest.mark.parametrize(
    ("work", "phases"),
    [
        (Session.diagnoses, ["looking for loaders", "following objects", "running the rules"]),
        (lambda session: session.rewrite(unsafe=False), ["looking for loaders", "verifying fixes"]),
    ],
    ids=["check", "apply"],
)
def test_a_session_tells_how_far_it_has_come(tmp_path, work, phases):
    write(tmp_path, "a.py", LOADER.format("num_workers=0, prefetch_factor=2"))
    write(tmp_path, "b.py", LOADER.format("num_workers=2"))
    session = Session.open([Path(tmp_path)], Settings())
    heard = []
    session.tell = lambda *at: heard.append(at)
    work(session)
    for phase in ["reading files", *phases]:
        steps = [(done, total) for what, done, total in heard if what == phase]
        assert steps, phase
        assert all(0 <= done < total for done, total in steps), steps
