import sys
import types

import pytest

from dlfix.fixing import registry


class Entry:
    name = "theirs"

    def __init__(self, codemod):
        self.codemod = codemod

    def load(self):
        return self.codemod


@pytest.fixture
def installed(monkeypatch):
    """Install one third party's codemod."""
    for cached in (registry.codemod, registry.planner):
        cached.cache_clear()

    def install(codemod):
        monkeypatch.setattr(registry, "_entries", lambda: {"theirs": Entry(codemod)})

    yield install
    for cached in (registry.codemod, registry.planner):
        cached.cache_clear()


class Bare:
    pass


class WithPlanner:
    @staticmethod
    def planner(findings, analysis):
        return iter(())


def test_the_projects_own_codemods_are_installed():
    assert {"lazy_resources", "module_level_callables"} <= set(registry.names())


def test_a_codemod_is_loaded_by_name(installed):
    installed(Bare)
    assert registry.codemod("theirs") is Bare


def test_an_unknown_codemod_is_told(installed):
    installed(Bare)
    with pytest.raises(LookupError, match="no codemod `nobodys` is installed"):
        registry.codemod("nobodys")


def test_a_third_party_brings_its_planner(installed):
    installed(WithPlanner)
    assert registry.planner("theirs") is WithPlanner.planner


def test_a_codemod_may_have_no_planner(installed):
    installed(Bare)
    assert registry.planner("theirs") is None


def test_a_planner_of_the_project_is_found_by_its_name(installed, monkeypatch):
    module = types.ModuleType("dlfix.fixing.planners.theirs")
    module.plan = WithPlanner.planner
    monkeypatch.setitem(sys.modules, module.__name__, module)
    installed(Bare)
    assert registry.planner("theirs") is WithPlanner.planner
