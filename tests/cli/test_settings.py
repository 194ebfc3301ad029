import json
import runpy
from pathlib import Path

import jsonschema
import pytest

import dlfix.catalog
from dlfix.catalog.catalog import FILES, _loads
from dlfix.config import KEYS, ConfigError, load
from tests.cli.test_check import write


def test_the_nearest_file_up_the_tree_counts(tmp_path):
    write(tmp_path, "pyproject.toml", '[tool.dlfix]\nignore = ["DLF1"]\n')
    write(tmp_path, "a/dlfix.toml", 'ignore = ["DLF2"]\n')
    (tmp_path / "a/b").mkdir()
    assert load(tmp_path / "a/b").ignore == ("DLF2",)
    assert load(tmp_path).ignore == ("DLF1",)


def test_a_pyproject_without_a_table_of_dlfix_is_passed_by(tmp_path):
    write(tmp_path, "dlfix.toml", 'ignore = ["DLF1"]\n')
    write(tmp_path, "a/pyproject.toml", "[project]\nname = 'x'\n")
    assert load(tmp_path / "a").ignore == ("DLF1",)


def test_somebody_elses_broken_pyproject_is_passed_by(tmp_path):
    write(tmp_path, "pyproject.toml", "[project\n")
    assert load(tmp_path).ignore == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ignored = []", "unknown key `ignored`; did you mean `ignore`?"),
        ("unsafe_fixes = true", "unknown key `unsafe_fixes`; did you mean `unsafe-fixes`?"),
        ("zzz = 1", "unknown key `zzz`"),
        ("select = 'DLF1'", "`select` must be a list"),
        ("select = [1]", "`select[0]` must be a string"),
        ("select = [2026-11-22]", "`select[0]` must be a string"),
        ("unsafe-fixes = 'yes'", "`unsafe-fixes` must be true or false"),
        ("per-file-ignores = []", "`per-file-ignores` must be a table"),
        ("per-file-ignores = {x = 'DLF1'}", "`per-file-ignores.x` must be a list"),
        ("prefer = 'lasy'", "`prefer` must be one of lazy, state; did you mean `lazy`?"),
        ("prefer = 1", "`prefer` must be one of lazy, state"),
        (
            "target-start-methods = ['spam']",
            "`target-start-methods[0]` must be one of fork, spawn, forkserver",
        ),
        ("target-start-methods = ['forkservr']", "did you mean `forkserver`?"),
        ("target-start-methods = []", "`target-start-methods` must not be empty"),
        ("a = [", "dlfix.toml: "),
    ],
)
def test_what_cannot_be_used_is_told_with_file_and_key(tmp_path, text, told):
    file = write(tmp_path, "dlfix.toml", text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path)
    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_bad_key_is_one_line_and_2_and_nothing_is_written(dlfix):
    write(dlfix.folder, "pyproject.toml", "[tool.dlfix]\nselct = ['DLF1']\n")
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "unknown key `selct`; did you mean `select`?" in result.stderr
    assert path.read_text() == "x = bad\n"


def test_a_configuration_that_is_named_but_missing_is_one_line(dlfix):
    result = dlfix("check", "--config", "no.toml")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: no.toml: No such file or directory\n"


def test_config_prints_what_is_in_force_and_where_it_came_from(dlfix):
    file = write(dlfix.folder, "dlfix.toml", 'ignore = ["DLF1"]\n')
    lines = dlfix("config").stdout.splitlines()
    assert f'ignore = ["DLF1"]  # {file}' in lines
    assert "unsafe-fixes = false  # default" in lines
    told = json.loads(dlfix("config", "--output-format", "json").stdout)
    assert told["ignore"] == {"value": ["DLF1"], "from": str(file)}


def test_only_fork_leaves_out_what_only_pickling_breaks(dlfix):
    write(dlfix.folder, "a.py", "x = bad\ny = worse\n")
    write(dlfix.folder, "dlfix.toml", 'target-start-methods = ["fork"]\n')
    result = dlfix("check", "--output-format", "concise")
    assert "DLF101" not in result.stdout
    assert "DLF201" in result.stdout


def test_gitignored_files_are_checked_where_that_is_wished(dlfix):
    (dlfix.folder / ".git").mkdir()
    write(dlfix.folder, ".gitignore", "a.py\n")
    write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("check").exit_code == 0
    write(dlfix.folder, "dlfix.toml", "respect-gitignore = false\n")
    assert dlfix("check").exit_code == 1


def test_excluded_files_are_left_out(dlfix):
    write(dlfix.folder, "dlfix.toml", 'exclude = ["gen"]\nextend-exclude = ["*_pb2.py"]\n')
    write(dlfix.folder, "gen/a.py", "x = bad\n")
    write(dlfix.folder, "a_pb2.py", "x = bad\n")
    assert dlfix("check").exit_code == 0


def test_a_bad_catalogue_file_is_one_line(dlfix):
    write(dlfix.folder, "dlfix.toml", 'extend-catalog = ["mine.toml"]\n')
    write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("check")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "mine.toml" in result.stderr


ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made():
    """What docs/schema.py makes of the definitions."""
    return runpy.run_path(str(ROOT / "docs" / "schema.py"))


@pytest.mark.parametrize("name", ["config", "catalog"])
def test_a_schema_is_generated_from_the_definitions(made, name):
    file = ROOT / f"{name}.schema.json"
    assert file.read_text(encoding="utf-8") == made[f"{name}_schema"]()


def test_the_catalogue_is_valid_by_its_schema(made):
    schema = jsonschema.Draft202012Validator(json.loads(made["catalog_schema"]()))
    for name in FILES:
        text = (Path(dlfix.catalog.__file__).parent / f"{name}.toml").read_text(encoding="utf-8")
        schema.validate(_loads(text))


def test_the_documentation_lists_every_setting(made):
    usage = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    start, end = made["MARKS"]
    assert usage.partition(start)[2].partition(end)[0] == made["table"]()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "value",
    [True, 1, "lazy", "DLF1", "", [], ["DLF1"], ["fork"], [1], {}, {"*": ["DLF1"]}, {"*": "DLF1"}],
)
def test_what_is_read_is_what_the_schema_allows(made, tmp_path, key, value):
    schema = json.loads(made["config_schema"]())
    allowed = jsonschema.Draft202012Validator(schema).is_valid({key: value})
    toml = json.dumps(value) if not isinstance(value, dict) else _inline(value)
    (tmp_path / "dlfix.toml").write_text(f"{key} = {toml}\n")
    try:
        load(tmp_path, tmp_path / "dlfix.toml")
        read = True
    except ConfigError:
        read = False
    assert read == allowed


def _inline(table):
    return "{" + ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in table.items()) + "}"


@pytest.fixture
def two(dlfix):
    """Two projects side by side, one of which ignores what is bad."""
    write(dlfix.folder, "strict/pyproject.toml", "[tool.dlfix]\n")
    write(dlfix.folder, "strict/a.py", "load = 1\nx = bad\n")
    write(dlfix.folder, "loose/pyproject.toml", '[tool.dlfix]\nignore = ["DLF101"]\n')
    write(dlfix.folder, "loose/deep/a.py", "load = 1\nx = bad\ny = worse\n")
    return dlfix


def concise(run, *arguments):
    lines = run("check", "--output-format", "concise", "--quiet", *arguments).stdout.splitlines()
    return [line.partition(" [")[0] for line in lines]


BOTH = ["loose/deep/a.py:3:5: DLF201", "strict/a.py:2:5: DLF101"]


def test_each_file_has_the_configuration_nearest_to_it(two):
    assert concise(two) == BOTH
    assert concise(two, "strict", "loose") == BOTH
    assert concise(two, "loose/deep/a.py", "strict/a.py") == BOTH


def test_a_configuration_that_is_named_holds_for_all_files(two):
    other = write(two.folder, "other.toml", 'select = ["DLF2"]\n')
    assert concise(two, "--config", other) == BOTH[:1]
    assert len(concise(two, "--isolated")) == 3


def test_the_command_line_is_over_every_configuration(two):
    assert concise(two, "--ignore", "DLF2") == ["loose/deep/a.py:2:5: DLF101", BOTH[1]]


def test_unsafe_fixes_are_taken_where_the_files_own_configuration_says_so(two):
    write(two.folder, "loose/dlfix.toml", "unsafe-fixes = true\n")
    path = write(two.folder, "strict/b.py", "x = worse\n")
    two("apply")
    assert path.read_text() == "x = worse\n"
    assert (two.folder / "loose/deep/a.py").read_text() == "load = 1\nx = good\ny = better\n"


def test_patterns_are_relative_to_the_configuration_they_stand_in(two):
    write(
        two.folder,
        "loose/pyproject.toml",
        '[tool.dlfix]\nextend-exclude = ["gen"]\n[tool.dlfix.per-file-ignores]\n"/deep/a.py" = ["DLF"]\n',
    )
    write(two.folder, "loose/gen/a.py", "x = bad\n")
    write(two.folder, "strict/gen/a.py", "x = bad\n")
    assert concise(two) == [BOTH[1], "strict/gen/a.py:1:5: DLF101"]
    assert concise(two, "loose/gen/a.py") == ["loose/gen/a.py:1:5: DLF101"]


def test_a_suppression_is_idle_only_where_its_rule_is_asked(two):
    write(two.folder, "loose/deep/a.py", "x = 1  # dlfix: ignore[DLF101]\n")
    write(two.folder, "strict/a.py", "x = 1  # dlfix: ignore[DLF101]\n")
    assert concise(two) == ["strict/a.py:1:8: DLF900"]


def test_a_bad_key_further_down_is_one_line_and_2(two):
    file = write(two.folder, "loose/pyproject.toml", "[tool.dlfix]\nselct = []\n")
    result = two("check")
    assert result.exit_code == 2
    assert result.stderr == f"dlfix: {file}: unknown key `selct`; did you mean `select`?\n"
