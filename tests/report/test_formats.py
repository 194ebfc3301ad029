import json
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.report.view import View
from dlfix.session import Session
from tests.cli.test_check import write

ALL = "load = 1\nx = bad\ny = worse\nz = stuck\nw = alas\n"


@pytest.fixture
def told(dlfix):
    write(dlfix.folder, "my code.py", ALL)
    return lambda name, **more: (
        dlfix("check", "--output-format", name, *more.get("flags", ())).stdout
    )


def test_sarif_is_valid(told):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(__file__).with_name("sarif.schema.json").read_text())
    jsonschema.validate(json.loads(told("sarif")), schema)


def test_sarif_without_findings_is_valid(dlfix):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(__file__).with_name("sarif.schema.json").read_text())
    write(dlfix.folder, "a.py", "x = 1\n")
    jsonschema.validate(json.loads(dlfix("check", "--output-format", "sarif").stdout), schema)


def test_sarif_has_paths_and_fixes(told):
    (run,) = json.loads(told("sarif"))["runs"]
    first = run["results"][0]
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "DataLoader(...)",
        "bad (set here)",
    ]
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "my%20code.py", "uriBaseId": "ROOT"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1},
            "insertedContent": {"text": "x = good\n"},
        }
    ]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "DLF101"
    assert [result["level"] for result in run["results"]] == ["error"] * 3 + ["warning"]


def test_a_page_is_linked_where_the_package_says_its_documentation_is(told, monkeypatch):
    from email.message import Message

    from dlfix.report import view

    package = Message()
    package["Project-URL"] = "Source, https://code.example/dlfix"
    package["Project-URL"] = "Documentation, https://docs.example/dlfix/"
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: package)
    view._documentation.cache_clear()
    monkeypatch.setattr(view, "_documentation", view._documentation.__wrapped__)
    page = "https://docs.example/dlfix/rules/DLF101/"
    assert json.loads(told("json"))[0]["url"] == page
    assert json.loads(told("sarif"))["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"] == page


def test_github_commands_are_escaped(told):
    first, *_, last = told("github").splitlines()
    assert first == (
        "::error title=dlfix (DLF101),file=my code.py,line=2,col=5,endLine=2,endColumn=8"
        "::DLF101 `bad` reaches the workers"
    )
    assert last.startswith("::warning ")


def test_gitlab_fingerprints_outlive_moved_lines(dlfix, told):
    before = json.loads(told("gitlab"))
    write(dlfix.folder, "my code.py", "load = 1\n\n\n" + ALL.partition("\n")[2])
    after = json.loads(told("gitlab"))
    prints = [issue["fingerprint"] for issue in before]
    assert prints == [issue["fingerprint"] for issue in after]
    assert len(set(prints)) == 4
    assert before[0]["location"]["positions"]["begin"] == {"line": 2, "column": 5}
    assert {issue["severity"] for issue in before} == {"major", "minor"}


def test_gitlab_tells_two_findings_on_equal_lines_apart(dlfix):
    write(dlfix.folder, "a.py", "x = bad\nx = bad\n")
    issues = json.loads(dlfix("check", "--output-format", "gitlab").stdout)
    assert len({issue["fingerprint"] for issue in issues}) == 2


def test_junit_has_a_failure_for_each_finding(told):
    suites = ET.fromstring(told("junit").encode())
    assert suites.get("failures") == "4"
    cases = suites.findall("testsuite/testcase")
    assert [case.get("line") for case in cases] == ["2", "3", "4", "5"]
    assert "DataLoader(...)" in cases[0].find("failure").text


def test_junit_without_findings_is_a_test_that_passes(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    suites = ET.fromstring(dlfix("check", "--output-format", "junit").stdout.encode())
    assert (suites.get("tests"), suites.get("failures")) == ("1", "0")


def edited(text, edits):
    """Carry JSON edits out as an editor would."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:row])) for row in range(len(lines) + 1)]
    for edit in reversed(edits):
        begin, end = (
            starts[edit[key]["row"] - 1] + edit[key]["column"] - 1
            for key in ("location", "end_location")
        )
        text = text[:begin] + edit["content"] + text[end:]
    return text


@pytest.mark.parametrize(
    "text", ["x = bad\n", "x = bad", "a = 'é😀'\r\nx = bad\r\n", "x = [\n  bad]"]
)
def test_json_edits_give_what_apply_writes(dlfix, text):
    path = write(dlfix.folder, "a.py", text)
    (found,) = json.loads(dlfix("check", "--output-format", "json").stdout)
    by_hand = edited(text, found["fix"]["edits"])
    dlfix("apply")
    assert by_hand.encode() == path.read_bytes()


def test_a_notebooks_finding_names_cell_and_line(dlfix):
    book = {"cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# hi"},
        {"cell_type": "code", "metadata": {}, "outputs": [{"x": "é"}], "source": ["a = 1\n", "x = bad"]},
    ], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}  # fmt: skip
    path = write(dlfix.folder, "n.ipynb", json.dumps(book, indent=1))
    assert "n.ipynb:cell 2:2:5" in dlfix("check").stdout
    (found,) = json.loads(dlfix("check", "--output-format", "json").stdout)
    assert (found["cell"], found["location"]) == (2, {"row": 2, "column": 5})
    before = path.read_bytes()
    assert dlfix("apply").exit_code == 0
    assert path.read_bytes() == before.replace(b"bad", b"good")


def test_a_sentence_names_cell_and_line_of_a_notebook(tmp_path):
    book = {"cells": [
        {"cell_type": "code", "source": "a = 1"}, {"cell_type": "code", "source": "b = 2\nc = 3"},
    ], "metadata": {}}  # fmt: skip
    path = write(tmp_path, "n.ipynb", json.dumps(book))
    session = Session([path], Settings())
    row = session.notebooks[path].text.split("\n").index("c = 3") + 1
    view = View(session, [])
    assert view.by_cell(f"written (n.ipynb:{row})") == "written (n.ipynb:cell 2:2)"
    assert view.by_cell("written (m.ipynb:1, a.py:2)") == "written (m.ipynb:1, a.py:2)"


def test_a_missing_main_guard_is_no_finding_in_a_notebook(dlfix):
    book = {"cells": [{"cell_type": "code", "source": "x = stuck"}], "metadata": {}}
    write(dlfix.folder, "n.ipynb", json.dumps(book))
    assert dlfix("check").exit_code == 0


def test_a_broken_notebook_is_named(dlfix):
    path = write(dlfix.folder, "n.ipynb", "{")
    result = dlfix("check")
    assert result.exit_code == 2
    assert f"{path}: not a notebook" in result.stderr


def test_the_page_is_whole_in_itself(dlfix):
    write(dlfix.folder, "a.py", ALL + "s = '<script>{{TITLE}}</script>'; t = bad\n")
    dlfix("check", "--report", "out.html")
    page = (dlfix.folder / "out.html").read_text()
    assert "src=" not in page
    assert "@import" not in page
    assert page.count("http") == page.count("http://www.w3.org/2000/svg")
    assert "&lt;script&gt;{{TITLE}}" in page
    assert "5 findings in 1 file" in page
    assert "<svg" in page
    assert page.count("<article") == 5


def test_the_page_lists_what_is_found_where_that_is_much(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    dlfix("check", "--report", "out.html")
    assert "<nav" not in (dlfix.folder / "out.html").read_text()
    write(dlfix.folder, "a.py", ALL)
    dlfix("check", "--report", "out.html")
    page = (dlfix.folder / "out.html").read_text()
    linked = re.findall(r'<li class="\w+"><a href="#(finding-\d+)">', page)
    assert linked == [f"finding-{number}" for number in range(1, 5)]
    assert all(f'id="{anchor}"' in page for anchor in linked)


TWO_FILES = """
import sqlite3
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.rows = sqlite3.connect(path)
        self.labels = sqlite3.connect(path + ".labels")
        self.found = self.rows.cursor()

    def __getitem__(self, i):
        return self.found.execute("select a from r").fetchone()[0], str(self.labels)

def load():
    return DataLoader(Rows("a"), num_workers=2)
"""


def test_a_fix_of_two_findings_is_drawn_once(tmp_path):
    from dlfix.config import Settings
    from dlfix.report import html
    from dlfix.report.view import View
    from dlfix.session import Session

    (tmp_path / "rows.py").write_text(TWO_FILES)
    session = Session.open([tmp_path], Settings())
    page = html.render(View(session, session.diagnoses()))
    assert page.count("<article") == 2
    assert page.count("<details open") == 1
    assert page.count("<span>also</span>") == 1
    assert "<span>also</span><code>.found  self.rows.cursor()</code>" in page
    assert 'The same fix as for <a href="#finding-1">' in page


def test_the_page_of_an_apply_shows_what_was_rewritten(dlfix):
    write(dlfix.folder, "a.py", ALL)
    dlfix("apply", "--report", "out.html")
    page = (dlfix.folder / "out.html").read_text()
    assert "1 file rewritten, 3 findings left" in page
    assert 'id="rewritten"' in page


def test_a_page_that_cannot_be_written_is_one_line(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    result = dlfix("check", "--report", "no/where.html")
    assert result.exit_code == 2
    assert "no/where.html" in result.stderr


def test_trace_draws_the_tree_of_what_crosses(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    result = dlfix("trace")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["DataLoader(...)", "a.py:1"]
    assert lines[1].startswith("  └─ bad")
    assert "DLF101 lambda-reaches-worker" in lines[1]


def test_trace_gives_json(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    (root,) = json.loads(dlfix("trace", "--output-format", "json").stdout)
    assert root["label"] == "DataLoader(...)"
    assert [finding["code"] for finding in root["children"][0]["findings"]] == ["DLF101"]


def test_rules_are_listed(dlfix):
    assert "lambda-reaches-worker" in dlfix("rules").stdout
    listed = json.loads(dlfix("rules", "--output-format", "json").stdout)
    assert [rule["code"] for rule in listed] == ["DLF101", "DLF201", "DLF207", "DLF301", "DLF900"]
    assert listed[0]["page"].startswith("# DLF101: lambda-reaches-worker\n\nA name is bad.")


def test_explain_shows_a_page(dlfix):
    assert "## What it does" in dlfix("explain", "dlf101").stdout
    assert "What it does" in dlfix("explain", "lambda-reaches-worker", "--color", "always").stdout


def test_explain_of_an_unknown_code_names_the_nearest(dlfix):
    result = dlfix("explain", "DLF102")
    assert result.exit_code == 2
    assert "did you mean `DLF101`?" in result.stderr


def test_a_notebook_is_shown_with_its_magics_and_cells(dlfix):
    book = {"cells": [
        {"cell_type": "code", "source": "a = 1"}, {"cell_type": "code", "source": "%time\nx = bad"},
    ], "metadata": {}}  # fmt: skip
    write(dlfix.folder, "n.ipynb", json.dumps(book))
    for told in (dlfix("check").stdout, dlfix("apply", "--diff", "--color", "never").stdout):
        assert "%time" in told
        assert "dlfix-magic" not in told
    for told in (
        dlfix("apply", "-i", input="q\n").stdout,
        dlfix("apply", "--diff", "--color", "always").stdout,
    ):
        assert "+++ n.ipynb:cell 2" in told
        assert "--- n.ipynb:cell 1" not in told


def test_a_notebooks_patch_tells_the_cells_and_git_takes_it(dlfix):
    book = {"cells": [{"cell_type": "code", "source": ["a = 1\n", "x = bad"]}], "metadata": {}}
    path = write(dlfix.folder, "n.ipynb", json.dumps(book))
    patch = dlfix("apply", "--diff", "-q").stdout_bytes
    assert patch.startswith(b"# --- n.ipynb:cell 1\n# +++ n.ipynb:cell 1\n# @@ -1,2 +1,2 @@\n")
    assert b"# -x = bad\n# +x = good\n--- a/n.ipynb\n" in patch
    subprocess.run(["git", "apply"], cwd=dlfix.folder, input=patch, check=True)
    assert json.loads(path.read_text())["cells"][0]["source"] == ["a = 1\n", "x = good"]


def test_what_was_fixed_is_told_by_the_rows_of_the_file_as_it_was(dlfix, monkeypatch):
    from tests import toy

    monkeypatch.setitem(toy.MENDED, "bad", "(\n    good\n)")
    write(dlfix.folder, "a.py", "x = bad\ny = bad\n")
    told = dlfix("apply", "-i", input="y\ny\n").stdout
    assert "a.py:1, a.py:2" in told
