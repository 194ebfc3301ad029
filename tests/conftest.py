"""Options of the golden tests, and what their executions share."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import shutil

import pytest

# As a run of dlfix does: looking for cycles among trees that have none takes a fifth of the time.
gc.set_threshold(50_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("golden programs")
    group.addoption(
        "--update-goldens", action="store_true", help="write after/ anew, show the diff, run it"
    )
    group.addoption(
        "--golden-only", metavar="NAME", help="only cases whose codemod/case contains NAME"
    )
    group.addoption("--no-execute", action="store_true", help="do not run the golden programs")
    group.addoption(
        "--golden-cold",
        action="store_true",
        help="run every golden program in fresh interpreters (slow)",
    )


# Their programs are run with torch by an interpreter of their own.
RUN_WITH_TORCH = ("test_probe.py", "test_run.py", "test_pytest_plugin.py")


# Tests of a minute each, which begin first: at the end no process waits for another.
LONG = ("differential", "runtime")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parent.name not in LONG)
    if importlib.util.find_spec("torch") is not None:
        return
    for item in items:
        if item.path.name in RUN_WITH_TORCH and item.path.parent.name == "runtime":
            item.add_marker(pytest.mark.skip(reason="torch is not installed"))


def pytest_collection_finish() -> None:
    """What was collected stays: no later look for cycles goes through it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Names of folders, one for each test; dlfix makes those that it needs."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_state(homes):
    """Keep what dlfix remembers of applies and results away from this user's own."""
    home = next(homes)
    with pytest.MonkeyPatch.context() as patch:  # a test may undo its own
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        yield
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def warm(request):
    """Warm processes for golden programs, None where they cannot or shall not be run."""
    from tests.golden.programs import Warm

    if request.config.getoption("no_execute") or importlib.util.find_spec("torch") is None:
        yield None
        return
    servers = Warm()
    yield servers
    servers.close()
