"""Files that do not parse: what is left of them is followed, and they are never rewritten."""

import time

import pytest

from dlfix.project.extent import too_much
from dlfix.project.recovery import recover
from tests.odd.conftest import PROGRAM

BROKEN = {
    "Python 2": "def old():\n    print 'x'\n    exec 'y' in z\n",
    "a keyword": "def old(async=True):\n    f(async=True)\n",
    "a bracket": "def old():\n    return (1,\n",
    "a text": 'def old():\n    """never ended\n',
    "an indent": "def old():\n   x = 1\n     y = 2\n",
    "newer": "type old[T] = list[T] ! ?\n",
    "a line": "old = = 3\n",
    "a decorated one": "@deco\n@deco.other(1)\nclass old(:\n    pass\n",
    "conflict": "<<<<<<< HEAD\nold = 1\n=======\nold = 2\n>>>>>>> theirs\n",
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("place", ["before", "after"])
def test_the_rest_of_a_file_is_followed(world, kind, place):
    if kind == "a text" and place == "before":
        pytest.skip("all that follows is a part of the text")
    parts = [BROKEN[kind], PROGRAM] if place == "before" else [PROGRAM, BROKEN[kind]]
    path = world.write("train.py", "".join(parts))
    row = 18 + (BROKEN[kind].count("\n") if place == "before" else 0)
    result = world.run("check", "--output-format", "concise")
    assert f"train.py:{row}:65: DLF101" in result.stdout
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "skipped, the rest is analyzed" in result.stderr
    world.run("apply", "--unsafe-fixes")
    assert path.read_text() == "".join(parts)


def test_it_is_said_why_a_broken_file_is_not_rewritten(world):
    world.write("train.py", PROGRAM + BROKEN["Python 2"])
    shown = " ".join(world.run("check").stdout.split())
    assert "no fix: train.py: the file has a syntax error" in shown


def test_what_a_broken_statement_binds_is_unknown(world):
    text = PROGRAM.replace("lambda batch: list(batch)", "collate")
    world.write("train.py", f"collate = lambda b: b\ndef collate(batch):\n    print 'x'\n{text}")
    assert "DLF105" not in world.run("check").stdout


def test_a_base_that_does_not_parse_is_no_ground_for_a_finding(world):
    base = "class Base(Dataset):\n    def __getstate__(self):\n        print 'x'\n        return {}\n\n\n"
    text = PROGRAM.replace("class Rows(Dataset)", f"{base}class Rows(Base)")
    world.write("train.py", text)
    assert "DLF201" not in world.run("check").stdout
    world.write("train.py", text.replace("__getstate__", "other"))
    assert "DLF201" in world.run("check").stdout


def test_rows_are_kept():
    found = recover("a = 1\ndef f(:\n    x\n    y\nb = 2\n")
    assert found is not None
    assert found.text == "a = 1\nf = __dlfix_cut__ - 0\n\n\nb = 2\n"
    assert found.cut == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("def f(x):\n    x = x.cuda(async=True)\n    return x\n",
         "def f(x):\n    x = __dlfix_cut__ - 0\n    return x\n"),
        ("try:\n  print 'a'\nexcept E as e:\n  print 'b'\nelse:\n  c = 1\n",
         "try:\n  __dlfix_cut__ - 0\nexcept E as e:\n  __dlfix_cut__ - 0\nelse:\n  c = 1\n"),
        ("class A:\n    @deco\n    def f(self):\n        for x in y:\n            exec 'z'\n",
         "class A:\n    @deco\n    def f(self):\n        for x in y:\n            __dlfix_cut__ - 0\n"),
        ("if a:\n# no more\n    b = [\n    ]\n    print 'c'\n",
         "if a:\n# no more\n    b = [\n    ]\n    __dlfix_cut__ - 0\n"),
    ],
)  # fmt: skip
def test_what_stands_around_a_broken_statement_is_kept(text, left):
    found = recover(f"keep = 1\n{text}")
    assert found is not None
    assert found.text == f"keep = 1\n{left}"


def test_a_clause_whose_head_does_not_parse_costs_its_statement():
    found = recover(
        "keep = 1\ndef f():\n    try:\n        a()\n    except E, e:\n        pass\n    b()\n"
    )
    assert found is not None
    assert found.text == "keep = 1\ndef f():\n    e = __dlfix_cut__ - 0\n\n\n\n    b()\n"


def test_a_loader_beside_a_broken_statement_is_followed(world):
    world.write("train.py", PROGRAM.replace("def main():\n", "def main():\n    print 'x'\n"))
    assert "DLF101" in world.run("check").stdout


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class A(:\n    b = 1\n", "A"),
        ("for i, j in x print\n", "i j"),
        ("if x ! y:\n    a = b = 1\n    import c.d as e, f\n", "a b e f"),
        ("def f(:\n    global g, h\n    x = 1\n", "f g h"),
        ("with open(x) as y print\n", "y"),
    ],
)
def test_names_that_a_broken_statement_binds(text, names):
    found = recover(f"keep = 1\n{text}")
    assert found is not None
    bound = found.text.split("\n")[1].split(" = ")[:-1]
    assert set(names.split()) <= set(bound)


def test_a_text_of_which_nothing_is_left_is_not_recovered():
    assert recover("def f(:\n") is None
    assert recover("x = 1\n" + "a b c\n" * 2000) is None


@pytest.mark.parametrize("line", ["x = (\n", "x = '''\n", "def f(:\n", "((((\n"])
def test_reading_a_broken_file_takes_a_bounded_number_of_readings(line, monkeypatch):
    from dlfix.project import recovery

    seen = []
    state = recovery._state
    monkeypatch.setattr(recovery, "_state", lambda *each: seen.append(1) or state(*each))
    recover(line * 3000)
    assert len(seen) < 30 * 3000


LONG = ["x = @" + "9" * 50_000, "@" + "a, " * 50_000, "a@," + " " * 50_000 + "=", "@" + "a" * 50_000 + " b",
        "@" + "a:" * 20_000, "@global a" + " " * 50_000 + "b", "@" + "a in " * 20_000]  # fmt: skip


@pytest.mark.parametrize("line", LONG, ids=[line[:6] for line in LONG])
def test_a_long_line_that_does_not_parse_is_read_soon(line):
    """Square growth would take a hundred times the bound."""
    start = time.process_time()
    recover(f"y = 1\n{line.replace('@', 'print 1, ')}\nz = 1\n")
    assert time.process_time() - start < 2


def test_what_nothing_leads_to_does_not_change_the_exit_status(world):
    world.write("a.py", "x = 1\n")
    path = world.write("legacy.py", "y = 1\nprint 'x'\n")
    result = world.run("check")
    assert result.exit_code == 0
    assert "legacy.py:2: does not parse" in result.stderr
    assert world.run("check", "--strict").exit_code == 2
    assert world.run("trace", "--strict").exit_code == 2
    assert world.run("check", path).exit_code == 2
    world.write("dlfix.toml", "strict = true\n")
    assert world.run("check").exit_code == 2


def test_what_is_imported_by_what_is_followed_changes_it(world):
    world.write("legacy.py", "def collate(b): return b\nprint 'x'\n")
    world.write(
        "train.py",
        "from legacy import collate\n" + PROGRAM.replace("lambda batch: list(batch)", "collate"),
    )
    assert world.run("check", "--exit-zero").exit_code == 2


def test_what_mentions_a_loader_changes_it(world):
    world.write("legacy.py", "from torch.utils.data import DataLoader\nprint 'x'\n")
    assert world.run("check").exit_code == 2


def test_an_idle_suppression_of_a_broken_file_is_left_there(world):
    world.write("a.py", "x = 1  # dlfix: ignore[DLF101]\nprint 'x'\n")
    assert "DLF900" not in world.run("check").stdout


def test_a_broken_cell_of_a_notebook_costs_only_itself(world):
    import json

    sources = ["def old():\n    print 'x'\n", PROGRAM]
    cells = [{"cell_type": "code", "source": one} for one in sources]
    world.write("n.ipynb", json.dumps({"cells": cells}))
    assert "n.ipynb:cell 2:18:65: DLF101" in world.run("check", "--output-format", "concise").stdout


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("x = " + "1 and " * 200 + "1\n", False),
        ("x = " + "1 and " * 301 + "1\n", True),
        ("x = (" + "'a' " * 301 + ")\n", True),
        ("x = ('" + '"' * 2000 + "')\n", False),
        ("x = [" + "1, " * 2000 + "]\n", False),
        ("import a" + ".b" * 301 + "\n", True),
    ],
)
def test_depth_is_counted_as_libcst_nests(text, deep):
    import ast

    assert (too_much(ast.parse(text), text) is not None) is deep


def test_size_is_counted_in_parts(monkeypatch):
    import ast

    from dlfix.project import extent

    monkeypatch.setattr(extent, "MOST_NODES", 100)
    text = "x = [" + "1, " * 100 + "]\n"
    assert "too large to be rewritten" in (too_much(ast.parse(text), text) or "")
    text = "x = 1\n" + " \n # why\n" * 50
    assert "too large to be rewritten" in (too_much(ast.parse(text), text) or "")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("x = [1, 22]\n", 7),
        ("x = 'a b c' \"d 'e' f\" # g h\n", 5),
        ("x = '''a\n'b' c\n''' '\\' d'\n", 4),
        ("x = 'never ended\ny\n", 6),
    ],
)
def test_tokens_are_counted(text, tokens, monkeypatch):
    from dlfix.project import extent

    monkeypatch.setattr(extent, "MOST_TOKENS", tokens)
    assert extent.too_large(text) is None
    monkeypatch.setattr(extent, "MOST_TOKENS", tokens - 1)
    assert (
        extent.too_large(text)
        == f"too large to be analyzed (more than {tokens - 1} tokens); skipped"
    )


def test_a_text_of_very_many_tokens_is_not_parsed(world, monkeypatch):
    from dlfix.project import extent

    monkeypatch.setattr(extent, "MOST_TOKENS", 2_000)
    world.write("train.py")
    world.write(
        "data.py", "from torch.utils.data import DataLoader\n" + "x = [" + "1," * 1_000 + "]\n"
    )
    result = world.run("check", "--output-format", "concise", "train.py", "data.py")
    assert "train.py:18:65: DLF101" in result.stdout
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.endswith("data.py: too large to be analyzed (more than 2,000 tokens); skipped")
