import json
from pathlib import Path

import pytest

from dlfix.source.notebook import MARK, parse
from dlfix.source.text import SourceError

PATH = Path("/x/n.ipynb")


def cell(source, kind="code", **more):
    return {"cell_type": kind, "metadata": {"k": [1, 2]}, "source": source, **more}


def raw(*cells, indent=1, **more):
    book = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}
    return (json.dumps(book, indent=indent, ensure_ascii=False) + "\n").encode()


def test_code_cells_become_one_text(tmp_path):
    book = parse(PATH, raw(cell("# Title", "markdown"), cell(["a = 1\n", "b = 2"]), cell("c = 3")))
    assert book.text == f"a = 1\nb = 2\n{MARK}(3)\nc = 3\n"


def test_a_row_is_told_by_cell_and_row_in_it():
    book = parse(PATH, raw(cell("# Title", "markdown"), cell(["a = 1\n", "b = 2"]), cell("c = 3")))
    assert [book.locate(book.text, row) for row in (1, 2, 4)] == [(2, 1), (2, 2), (3, 1)]


def test_an_unchanged_text_gives_the_same_bytes():
    data = raw(cell(["%matplotlib inline\n", "a = 1\n"], outputs=[{"text": ["é\u2028"]}]), cell(""))
    book = parse(PATH, data)
    assert book.rewritten(book.text) == data


@pytest.mark.parametrize("indent", [None, 1, 2, "\t"])
@pytest.mark.parametrize("source", ["x = bad\ny = 2", ["x = bad\n", "y = 2"]])
def test_only_the_changed_cell_changes(indent, source):
    make = lambda text: raw(cell("z = 0"), cell(text, outputs=["é"]), indent=indent)  # noqa: E731
    wanted = json.loads(json.dumps(source).replace("bad", "good"))
    book = parse(PATH, make(source))
    assert book.rewritten(book.text.replace("bad", "good")) == make(wanted)


def test_escapes_of_lines_that_stay_are_kept():
    data = raw(cell(["s = 'Q'\n", "x = bad"])).replace(b"'Q'", b"'\\u00e9'")
    book = parse(PATH, data)
    assert "'é'" in book.text
    assert book.rewritten(book.text.replace("bad", "good")) == data.replace(b"bad", b"good")


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "!pip install x",
        "files = !ls",
        "%%time",
        "df?",
        "out = %timeit -o f()",
        "cd ..",
        "pip install x",
        "!python a.py \\\n    --rows 3 \\\n  --out b",
    ],
)
def test_a_magic_is_skipped_and_kept(line):
    lines = [f"{each}\n" for each in line.split("\n")]
    data = raw(cell([*lines, "if x:\n", "    %time f()\n", "y = bad"]))
    book = parse(PATH, data)
    compile(book.text, "n", "exec")
    assert book.rewritten(book.text.replace("bad", "good")) == data.replace(b"bad", b"good")


@pytest.mark.parametrize("line", ["cd = 1", "ls - 1", "rm (x)"])
def test_a_name_that_is_a_command_as_well_is_code(line):
    assert parse(PATH, raw(cell(line))).text.startswith(line)


def test_a_cell_of_another_language_is_no_part_of_the_text():
    book = parse(PATH, raw(cell("%%bash\nls"), cell("a = 1")))
    assert book.text == "a = 1\n"


def test_a_percent_sign_within_brackets_or_a_string_is_code():
    source = "x = (7\n%2)\ns = '''\n%d\n!\n'''\n"
    assert parse(PATH, raw(cell(source))).text == source


def test_a_notebook_in_another_language_has_no_python():
    data = raw(cell("x <- 1"), metadata={"language_info": {"name": "R"}})
    assert parse(PATH, data).text == ""


def test_a_text_that_lost_its_cells_is_refused():
    book = parse(PATH, raw(cell("a = 1"), cell("b = 2")))
    with pytest.raises(SourceError, match="cells"):
        book.rewritten("a = 1\nb = 2\n")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"cells": 1}', b'{"cells": [1]}', b"\xff", b'{"a": 1}']
)
def test_what_is_no_notebook_is_named(data):
    with pytest.raises(SourceError):
        parse(PATH, data)
