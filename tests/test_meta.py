"""What the repository says of itself is true."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dlfix.fixing import registry
from dlfix.rules import pages
from dlfix.rules.base import Rule
from dlfix.rules.registry import all_rules
from tests.golden.cases import all_cases

ROOT = Path(__file__).parents[1]
HEADINGS = [
    "## What it does",
    "## The error you see",
    "## Example",
    "## Use instead",
    "## Fix safety",
    "## How to turn it off",
]
RULES = sorted(all_rules(), key=lambda rule: rule.code)
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


def hooks():
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_codes_and_names_are_unique():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@each_rule
def test_a_rule_lives_in_a_file_of_its_name(rule: type[Rule]):
    file = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    assert rule.__module__ == f"dlfix.rules.{file}"


@each_rule
def test_a_rules_docstring_is_a_page(rule: type[Rule]):
    doc = rule.__doc__ or ""
    assert re.findall(r"^ *(## .*)$", doc, re.MULTILINE) == HEADINGS
    assert doc.splitlines()[0].endswith(".")


@each_rule
def test_a_rules_page_fences_its_code_and_names_the_language(rule: type[Rule]):
    fences = re.findall(r"^```(.*)$", pages.markdown(rule), re.MULTILINE)
    assert fences[1::2] == [""] * (len(fences) // 2)
    assert set(fences[::2]) <= {"python", "text", "console", "toml", "diff"}
    inside = re.sub(r"^```.*?^```$", "", pages.markdown(rule), flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^ {4}", inside, re.MULTILINE)


@each_rule
def test_a_rules_codemods_are_installed_and_have_planners(rule: type[Rule]):
    for name in rule.codemods:
        assert name == registry.codemod(name).NAME
        assert registry.planner(name) is not None


@pytest.mark.parametrize("name", registry.names())
def test_a_codemod_has_a_golden_case(name):
    assert name in {case.codemod for case in all_cases()}


@pytest.mark.parametrize("name", registry.names())
def test_a_codemod_belongs_to_a_rule(name):
    assert name in {codemod for rule in RULES for codemod in rule.codemods}


@each_rule
def test_a_rule_has_a_golden_case(rule: type[Rule]):
    if rule.code.startswith("DLF9"):
        pytest.skip("about comments, not about programs")
    if rule.severity == "likely":
        pytest.skip("off unless it is selected")
    assert rule.code in {case.declared.get("rule") for case in all_cases()}


@pytest.mark.parametrize("case", all_cases(), ids=[case.name for case in all_cases()])
def test_a_golden_case_is_whole(case):
    known = {
        "title", "rule", "error", "unsafe", "refused", "reported", "clean", "note", "entry", "prefer",
        "guard", "requires", "method", "workers", "error_without_workers", "endless", "rule_since",
    }  # fmt: skip
    assert set(case.declared) <= known
    assert "title" in case.declared
    assert case.codemod in {*registry.names(), "report"}
    assert (case.before / case.entry).is_file()
    assert case.after.is_dir() is not case.stays


def test_each_kind_of_wrong_fix_is_ruled_out_by_goldens_of_several_shapes():
    cases = {case.name: case for case in all_cases()}
    text = (ROOT / "golden" / "README.md").read_text(encoding="utf-8")
    _, _, table = text.partition("|---|---|---|\n")
    rows = [row for row in table.splitlines() if row.startswith("| ")]
    forms = [row for row in rows if not row.startswith("| **")]
    assert len(forms) > 80
    for row in forms:
        _, _, right, refused, _ = row.split("|")
        fixed, left = (re.findall(r"`([^`]+)`", cell) for cell in (right, refused))
        assert len({*fixed, *left}) > 1, row
        assert not [name for name in fixed if name not in cases or cases[name].stays]
        assert not [name for name in left if name not in cases or not cases[name].stays]


def test_the_readme_lists_the_rules():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, rest = readme.partition("<!-- rules -->\n")
    assert rest.partition("\n<!-- /rules -->")[0].strip() == hooks().plain_table()


def loaded_by(statement: str) -> set[str]:
    """Return the modules that are loaded after a statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {"libcst", "torch", "pygls", "numpy", "pydantic", "jinja2"}


def test_importing_dlfix_loads_nothing_heavy():
    assert not loaded_by("import dlfix") & (HEAVY | {"rich", "typer", "ast"})


def test_checking_clean_code_loads_nothing_heavy(tmp_path):
    (tmp_path / "clean.py").write_text(
        "from torch.utils.data import DataLoader\n"
        "def load(numbers):\n    return DataLoader(numbers, num_workers=2)\n"
    )
    statement = (
        "from dlfix.start import main\n"
        "import sys\n"
        f"sys.argv = ['dlfix', 'check', {str(tmp_path)!r}]\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
    )
    assert not loaded_by(statement) & HEAVY


def test_only_a_configuration_loads_pydantic(tmp_path):
    statement = (
        f"from dlfix.config import load; from pathlib import Path; load(Path({str(tmp_path)!r}))"
    )
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "pydantic" not in loaded_by(statement)
    (tmp_path / "dlfix.toml").write_text("strict = true\n")
    assert "pydantic" in loaded_by(statement)


def test_the_hooks_check_the_project_whatever_files_are_committed():
    yaml = pytest.importorskip("yaml")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["dlfix", "dlfix-apply"]
    assert not any(hook["pass_filenames"] for hook in hooks)


def test_the_action_uses_only_options_that_exist():
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    runs = " ".join(step.get("run", "") for step in action["runs"]["steps"])
    done = subprocess.run(
        [sys.executable, "-m", "dlfix", "check", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    options = set(re.findall(r"(?<!\S)--[a-z-]+", runs)) - {"--quiet"}
    assert options == {"--exit-zero", "--output-format", "--output-file"}
    assert options <= set(re.findall(r"--[a-z-]+", done.stdout))
    assert {name for name in action["inputs"] if f"inputs.{name}" not in str(action)} == set()
