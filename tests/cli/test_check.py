import json

import pytest


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_nothing_found_exits_with_0(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    result = dlfix("check")
    assert result.exit_code == 0, result.output
    assert "No problems found (1 file, " in result.stdout


def test_a_finding_exits_with_1(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    result = dlfix("check", ".")
    assert result.exit_code == 1, result.output
    assert "a.py:2:5" in result.stdout
    assert "    ^^^" in result.stdout
    assert "TypeError: no" in result.stdout
    assert "└─ bad" in result.stdout
    assert "Rename to `good`" in result.stdout


def test_exit_zero_exits_with_0_though_there_are_findings(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("check", "--exit-zero").exit_code == 0


def test_json_has_ruffs_shape(dlfix):
    path = write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    result = dlfix("check", "--output-format", "json")
    (found,) = json.loads(result.stdout)
    assert found["code"] == "DLF101"
    assert found["filename"] == str(path)
    assert found["location"] == {"row": 2, "column": 5}
    assert found["end_location"] == {"row": 2, "column": 8}
    assert found["fix"]["applicability"] == "safe"
    assert [(e["location"], e["end_location"], e["content"]) for e in found["fix"]["edits"]] == [
        ({"row": 2, "column": 1}, {"row": 3, "column": 1}, "x = good\n")
    ]
    assert found["trace"][0] == {
        "filename": str(path), "row": 1, "column": 1, "label": "DataLoader(...)",
    }  # fmt: skip
    assert found["refused"] is None
    assert found["url"] is None


def test_a_refusal_is_told_in_json(dlfix):
    write(dlfix.folder, "a.py", "x = stuck\n")
    (found,) = json.loads(dlfix("check", "--output-format", "json").stdout)
    assert found["fix"] is None
    assert found["refused"] == "line 1 is stuck"


def test_no_findings_are_an_empty_json_list(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    assert json.loads(dlfix("check", "--output-format", "json").stdout) == []


def test_concise_is_a_line_for_each_finding(dlfix):
    write(dlfix.folder, "a.py", "x = bad\ny = worse\n")
    lines = dlfix("check", "--output-format", "concise", "-q").stdout.splitlines()
    assert lines == [
        "a.py:1:5: DLF101 [*] `bad` reaches the workers",
        "a.py:2:5: DLF201 [?] `worse` reaches the workers",
    ]


def test_statistics_count_rule_by_rule(dlfix):
    write(dlfix.folder, "a.py", "x = bad, bad\ny = worse\n")
    lines = dlfix("check", "--statistics", "-q").stdout.splitlines()
    assert lines == ["2  DLF101  [*]  lambda-reaches-worker", "1  DLF201  [*]  eager-resource"]


def test_select_asks_only_the_rules_it_names(dlfix):
    write(dlfix.folder, "a.py", "x = bad\ny = worse\n")
    assert "DLF201" not in dlfix("check", "--select", "DLF1").stdout
    assert "DLF101" not in dlfix("check", "--select", "eager-resource").stdout


def test_ignore_leaves_rules_out(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("check", "--ignore", "DLF101").exit_code == 0


def test_extend_select_adds_to_what_is_configured(dlfix):
    write(dlfix.folder, "dlfix.toml", 'select = ["DLF2"]\n')
    write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("check").exit_code == 0
    assert dlfix("check", "--extend-select", "DLF101").exit_code == 1


def test_an_unknown_code_is_one_line_with_the_nearest_right_one(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("check", "--select", "DLF110")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: unknown rule `DLF110`; did you mean `DLF101`?\n"


def test_a_path_that_does_not_exist_is_one_line_and_2(dlfix):
    result = dlfix("check", "nowhere.py")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: nowhere.py: no such file or directory\n"


def test_a_file_that_does_not_parse_is_named_and_the_others_go_on(dlfix):
    broken = write(dlfix.folder, "a.py", "x = DataLoader\ndef f(:\n")
    write(dlfix.folder, "b.py", "x = bad\n")
    result = dlfix("check")
    assert result.exit_code == 2
    assert f"{broken}:2: does not parse" in result.stderr
    assert "b.py:1:5" in result.stdout


def test_a_file_that_is_no_utf_8_is_named_with_its_line(dlfix):
    broken = write(dlfix.folder, "a.py", b"x = 1\ny = '\xff'\n")
    result = dlfix("check")
    assert result.exit_code == 2
    assert f"{broken}:2: not utf-8" in result.stderr


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"y = '\xff'\n", "1: not utf-8"),
        (b"x = 1\ny = '\xff'\n", "2: not utf-8"),
        (b"x = 1\n\n\ny = '\xff'\n", "4: not utf-8"),
        (b"#!x\n# coding: nonsense\n", "2: unknown encoding"),
        (b"# coding: ascii\n\ny = '\xff'\n", "3: not ascii"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "1: encoding problem"),
        (b"x = 1\0\n", "1: does not parse"),
    ],
)
def test_what_cannot_be_decoded_is_named_with_its_line(dlfix, data, told):
    broken = write(dlfix.folder, "a.py", data)
    result = dlfix("check")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{broken}:{told}")
    assert result.stderr.count("\n") == 1


def test_a_link_out_of_the_tree_is_left_alone(dlfix):
    outside = write(dlfix.folder, "out/a.py", "x = bad\n")
    folder = write(dlfix.folder, "in/b.txt", "").parent
    (folder / "a.py").symlink_to(outside)
    result = dlfix("apply", folder)
    assert result.exit_code == 0
    assert result.stderr == "dlfix: no Python files found\n"
    assert outside.read_text() == "x = bad\n"


def test_an_empty_file_is_clean(dlfix):
    write(dlfix.folder, "a.py", "")
    assert dlfix("check", "a.py").exit_code == 0


def test_a_folder_without_python_is_told_and_clean(dlfix):
    write(dlfix.folder, "a.txt", "x")
    result = dlfix("check")
    assert result.exit_code == 0
    assert result.stderr == "dlfix: no Python files found\n"


def test_stdin_is_checked_under_the_name_it_is_given(dlfix):
    result = dlfix("check", "-", "--stdin-filename", "some.py", input="x = bad\n")
    assert result.exit_code == 1
    assert "some.py:1:5" in result.stdout


def test_quiet_says_nothing_but_findings(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    assert dlfix("check", "--quiet").output == ""


def test_color_colours_only_when_asked(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "\x1b[" in dlfix("check", "--color", "always").stdout
    assert "\x1b[" not in dlfix("check", "--color", "never").stdout
    assert "\x1b[" not in dlfix("check").stdout


def test_extend_exclude_leaves_files_out(dlfix):
    write(dlfix.folder, "gen/a.py", "x = bad\n")
    assert dlfix("check", "--extend-exclude", "gen").exit_code == 0


def test_config_names_another_file_and_isolated_heeds_none(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", 'ignore = ["DLF101"]\n')
    other = write(dlfix.folder, "other.toml", "select = ['DLF1']\n")
    assert dlfix("check").exit_code == 0
    assert dlfix("check", "--config", other).exit_code == 1
    assert dlfix("check", "--isolated").exit_code == 1


def test_jobs_give_what_one_process_gives(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    one = dlfix("check", "--output-format", "json", "--jobs", "1").stdout
    assert dlfix("check", "--output-format", "json", "--jobs", "2").stdout == one


def test_add_ignores_takes_a_baseline(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad  # why\ny = [\n    worse, alas,\n]\n")
    result = dlfix("check", "--add-ignores")
    assert result.exit_code == 0, result.output
    assert path.read_text() == (
        "x = bad  # why  # dlfix: ignore[DLF101]\n"
        "y = [\n    worse, alas,  # dlfix: ignore[DLF201, DLF207]\n]\n"
    )
    assert dlfix("check").exit_code == 0


@pytest.mark.parametrize("output_format", ["text", "concise", "json", "sarif", "github"])
def test_findings_are_written_to_a_file(dlfix, output_format):
    write(dlfix.folder, "a.py", "x = bad\n")
    printed = dlfix("check", "--output-format", output_format)
    result = dlfix("check", "--output-format", output_format, "--output-file", "found.txt")
    assert result.exit_code == printed.exit_code == 1
    assert result.stdout == ""
    assert (dlfix.folder / "found.txt").read_text(encoding="utf-8") == printed.stdout


def test_an_output_file_that_cannot_be_written_is_one_line(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("check", "--output-file", "none/found.txt")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: none/found.txt: No such file or directory\n"


def test_the_files_that_would_be_checked_are_listed(dlfix):
    paths = [write(dlfix.folder, name, "x = bad\n") for name in ("a.py", "b.py")]
    write(dlfix.folder, "c.txt", "")
    result = dlfix("check", "--show-files", "--extend-exclude", "none.py")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [str(path) for path in paths]


def test_add_ignores_takes_out_what_suppresses_nothing(dlfix):
    before = (
        "# dlfix: ignore[DLF201]\n"
        "x = bad  # dlfix: ignore[DLF201]\n"
        "y = 1  # why  # dlfix: ignore\n"
        "z = bad  # dlfix: ignore[DLF101, DLF201]\n"
    )
    path = write(dlfix.folder, "a.py", before)
    assert dlfix("check", "--add-ignores").exit_code == 0
    assert path.read_text() == (
        "x = bad  # dlfix: ignore[DLF101]\ny = 1  # why\nz = bad  # dlfix: ignore[DLF101]\n"
    )
    assert dlfix("check").exit_code == 0
    dlfix("undo")
    assert path.read_text() == before


def test_add_ignores_says_where_it_only_removed_comments(dlfix):
    write(dlfix.folder, "a.py", "y = 1  # dlfix: ignore[DLF101]\n")
    result = dlfix("check", "--add-ignores")
    assert (
        result.stderr == "dlfix: removed unused suppressions from 1 file; undo with `dlfix undo`\n"
    )


def test_a_comment_suppresses_a_rule_in_its_whole_file(dlfix):
    write(dlfix.folder, "a.py", "# dlfix: ignore-file[DLF101]\nx = bad\nz = worse\ny = bad\n")
    write(dlfix.folder, "b.py", "x = bad\n")
    lines = dlfix("check", "--output-format", "concise", "-q").stdout.splitlines()
    assert [line.split(" ")[1] for line in lines] == ["DLF201", "DLF101"]


def test_a_comment_of_a_file_that_suppresses_nothing_is_found(dlfix):
    write(dlfix.folder, "a.py", "# dlfix: ignore-file[DLF101]\nz = 1\n")
    assert "DLF900" in dlfix("check").stdout


def test_a_comment_that_suppresses_nothing_is_found_and_taken_out(dlfix):
    path = write(
        dlfix.folder,
        "a.py",
        "x = 1\ny = 2  # dlfix: ignore[DLF101]\nz = bad  # noqa: DLF101, E501\n",
    )
    result = dlfix("check")
    assert result.exit_code == 1
    assert "DLF900" in result.stdout
    assert "Unused suppression of DLF101" in result.stdout
    dlfix("apply")
    assert path.read_text() == "x = 1\ny = 2\nz = bad  # noqa: DLF101, E501\n"


def test_per_file_ignores_hold_below_the_configuration(dlfix):
    write(dlfix.folder, "dlfix.toml", '[per-file-ignores]\n"tests/**" = ["DLF101"]\n')
    write(dlfix.folder, "tests/a.py", "x = bad\n")
    assert dlfix("check").exit_code == 0
    write(dlfix.folder, "b.py", "x = bad\n")
    assert dlfix("check").exit_code == 1


def test_a_bare_noqa_on_the_culprits_line_leaves_it_out_and_this_is_told(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad  # noqa\n")
    for _ in range(2):  # the second time what was kept is read
        result = dlfix("check")
        assert result.exit_code == 0
        assert "1 finding is suppressed by `# noqa` without codes" in result.stderr


@pytest.mark.parametrize(
    "comment", ["# noqa: DLF101", "# dlfix: ignore[DLF101]", "# noqa  # dlfix: ignore"]
)
def test_a_suppression_that_names_dlfix_is_not_told(dlfix, comment):
    write(dlfix.folder, "a.py", f"load = 1\nx = bad  {comment}\n")
    assert "suppressed" not in dlfix("check").stderr


def test_a_comment_on_the_boundarys_line_leaves_its_culprit_out(dlfix):
    write(dlfix.folder, "a.py", "load = 1  # dlfix: ignore[DLF101]\n\n\nx = bad\n")
    assert dlfix("check").exit_code == 0


def test_a_suppression_of_a_rule_that_was_not_asked_is_not_idle(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad  # dlfix: ignore[DLF101]\n")
    assert dlfix("check", "--ignore", "DLF101").exit_code == 0


def test_a_file_that_could_not_be_read_is_not_praised(dlfix):
    write(dlfix.folder, "a.py", "def f(:\n")
    assert "No problems found (1 file, 1 with errors, 0 loaders followed)" in dlfix("check").stdout


def test_a_suppression_moves_with_its_line_while_others_are_mended(dlfix, monkeypatch):
    from tests import toy

    monkeypatch.setitem(toy.MENDED, "bad", "(\n    good\n)")
    path = write(dlfix.folder, "a.py", "load = 1\nx = bad\ny = bad  # dlfix: ignore[DLF101]\n")
    assert dlfix("apply").exit_code == 0
    assert path.read_text() == "load = 1\nx = (\n    good\n)\ny = bad  # dlfix: ignore[DLF101]\n"
