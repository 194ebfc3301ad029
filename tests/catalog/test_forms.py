"""What was measured and has no row of its own is a row's variant, found or let pass, or said to be unseen."""

from __future__ import annotations

import importlib
import pickle
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dlfix.catalog import load
from dlfix.catalog.rows import TABLES
from dlfix.fixing.engine import find
from dlfix.project.project import Project
from dlfix.reach.analysis import analyze
from dlfix.rules.registry import all_rules
from tests.catalog.builds import QUICK, RESOURCES, UNBUILT, table
from tests.catalog.names import MISSING, module
from tests.catalog.samples import make_samples
from tests.catalog.test_measured import pickled

DATA = table("forms.toml")
FORMS: list[dict[str, str]] = DATA["form"]
VARIANTS: dict[str, list[str]] = DATA["variants"]
PROGRAM = """
{setup}
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self):
        self.kept = {make}

    def __len__(self):
        return 1

    def __getitem__(self, index):
        {use}
        return index


if __name__ == "__main__":
    for batch in DataLoader(Data(), num_workers=2):
        print(batch)
"""


def test_nothing_that_was_measured_is_told_twice() -> None:
    names = [*VARIANTS, *(form["name"] for form in FORMS), *DATA["nowhere"]]
    rows = {row.name for kind in TABLES for row in load().rows(kind)}
    assert len(names) == len(set(names))
    assert not rows & set(names)


@pytest.mark.parametrize(("name", "expression"), VARIANTS.values(), ids=list(VARIANTS))
def test_a_variant_is_built_for_its_row(name: str, expression: str) -> None:
    assert load().knows(name)
    if expression:
        assert expression in RESOURCES[name]
    else:
        assert name not in RESOURCES
        assert name in UNBUILT or load().resource(name) is None


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["name"])
def test_a_form_without_a_row_is_found_or_it_is_said_why_not(
    form: dict[str, str], tmp_path: Path
) -> None:
    use = f"self.{form['use']}" if "use" in form else "pass"
    text = PROGRAM.format(setup=form.get("setup", ""), make=form["make"], use=use)
    found = codes(tmp_path, text)
    assert found == ({form["finds"]} if "finds" in form else set())
    assert ("unseen" in form) == (form["pickles"] != "ok" and "finds" not in form)


def codes(folder: Path, text: str) -> set[str]:
    path = folder / "main.py"
    path.write_text(text)
    errors: list[str] = []
    analysis = analyze(Project([path]), load())
    findings = find(analysis, list(all_rules()), keep=None, errors=errors)
    assert not errors
    return {finding.code for finding in findings}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["name"])
def test_a_form_pickles_as_is_said(
    form: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    setup = form.get("setup", "")
    import_for(setup, request.config.getoption("--full-catalog", default=False))
    make_samples(tmp_path, form["make"])
    value = eval(form["make"], vars(own_module(tmp_path, setup, monkeypatch)))
    if form["pickles"] == "error":
        with pytest.raises(Exception):  # noqa: B017, PT011  each has its own
            pickled(value)
        return
    data = pickled(value)
    if form["pickles"] == "load-error":
        with pytest.raises(Exception):  # noqa: B017, PT011  each has its own
            eval(form.get("use", "kept"), {"kept": pickle.loads(data)})


def own_module(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module of this text under a name of its own, so that pickle finds what it defines."""
    name = f"form_{folder.name}"
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module(name)


def import_for(setup: str, full: bool) -> None:
    """Import the libraries that a form imports, or skip the test."""
    lines = [line for line in setup.splitlines() if line.startswith("import ")]
    for root in (line.split()[1].partition(".")[0].rstrip(",") for line in lines):
        if root not in QUICK and root not in sys.stdlib_module_names and not full:
            pytest.skip(f"{root}: only with --full-catalog")
        if module(root) is MISSING:
            pytest.skip(f"{root} is not installed")
