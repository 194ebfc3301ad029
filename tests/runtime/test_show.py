"""How it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlfix.runtime import commands, show
from dlfix.runtime.join import join
from dlfix.runtime.probe import (
    Attribute,
    Boundary,
    Culprit,
    Fetched,
    Line,
    Part,
    Probed,
    Shared,
)


def probed() -> Probed:
    heavy = Part(
        "loader.dataset",
        "Clips",
        True,
        600 << 20,
        0,
        812.5,
        (Attribute("loader.dataset.samples", "list", 590 << 20),),
    )
    culprits = [
        Culprit(
            f"loader.dataset.views[{i}]",
            "function views.<locals>.<lambda>",
            "AttributeError",
            "Can't pickle local object 'views.<locals>.<lambda>'",
            Line(Path.cwd() / "train.py", 7),
            "pickle",
            "",
        )
        for i in range(3)
    ]
    shared = [Shared("loader.dataset.file", "_io.BufferedReader", 5, "data.bin")]
    boundary = Boundary(
        "DataLoader", Line(Path.cwd() / "train.py", 20), 4, "spawn", [heavy], culprits
    )
    boundary.shared = shared
    return Probed("train.py", "python", [boundary])


def text(capsys) -> str:
    seen = probed()
    show.show_probe(seen, join(seen.culprits), show.console("never"))
    return capsys.readouterr().out


@pytest.fixture
def terminal(monkeypatch):
    """Make the output as wide as a terminal of 80 columns."""
    monkeypatch.setattr("dlfix.report.terminal.WHOLE", 80)


def test_the_report_fits_a_terminal(capsys, terminal):
    assert max(map(len, text(capsys).split("\n"))) <= 80


def test_nothing_is_wrapped_in_a_pipe(capsys):
    lines = [line.strip() for line in text(capsys).splitlines()]
    assert any(
        line.startswith("heavy each worker gets a copy of") and line.endswith("load lazily")
        for line in lines
    )
    error = "TypeError: cannot pickle 'a.rather.long.name.of.some.Connection' object"
    rows = [Fetched("none", True, "Tensor[4]", "x", 0.1), Fetched("spawn", False, error * 3)]
    show.show_fetched(rows, show.console())
    printed = capsys.readouterr().out.splitlines()
    assert printed[2].endswith(error * 3)
    assert all(line == line.rstrip() for line in printed)


def test_a_command_to_copy_is_never_broken(capsys, terminal):
    place = "/home/somebody/a_rather_long_name_of_a_folder/and_another_one/train.py"
    commands.explain_text(
        "Traceback (most recent call last):\n"
        f'  File "{place}", line 12, in <module>\n    for batch in loader:\n'
        "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'\n",
        color="never",
    )
    assert f"dlfix apply --select DLF101 {place}\n" in capsys.readouterr().out


def test_culprits_that_one_line_made_are_shown_as_one(capsys):
    told = " ".join(text(capsys).split())
    assert told.count("fails DLF101") == 1
    assert "the same applies to loader.dataset.views[1], loader.dataset.views[2]" in told
    assert "train.py:7" in told
    assert "3 objects cannot be sent to the workers." in told


def test_a_dataset_that_costs_much_is_named_with_what_to_do(capsys):
    told = " ".join(text(capsys).split())
    assert "629 MB and 812.5 ms per worker, 2.5 GB in total" in told
    assert "heavy each worker gets a copy of loader.dataset.samples" in told
    assert "keep tensors or numpy arrays instead of Python objects" in told


def test_a_shared_handle_is_told_with_its_descriptor(capsys):
    told = " ".join(text(capsys).split())
    assert "shared loader.dataset.file _io.BufferedReader" in told
    assert "share file descriptor 5 and the file position (data.bin)" in told


def test_what_takes_several_lines_is_indented_alike_on_all_of_them(capsys, terminal):
    lines = text(capsys).split("\n")
    at = next(i for i, line in enumerate(lines) if "heavy" in line)
    assert lines[at + 1].startswith(" " * show.DEEP)
    assert lines[at + 1].strip()


def test_json_has_the_same_and_the_codes():
    seen = probed()
    data = json.loads(show.to_json(seen, join(seen.culprits)))
    (boundary,) = data["boundaries"]
    assert [c["code"] for c in boundary["culprits"]] == ["DLF101"] * 3
    assert boundary["culprits"][0]["line"]["row"] == 7
    assert boundary["parts"][0]["largest"][0]["path"] == "loader.dataset.samples"


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (629145600, "629 MB"), (3e9, "3.0 GB")],
)
def test_sizes_are_written_as_a_person_writes_them(count, told):
    assert show.size(count) == told


def test_an_explanation_is_told_and_its_status_is_0(capsys):
    assert commands.explain_text("TypeError: h5py objects cannot be pickled") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "open the file on first use in each worker" in told
    assert "run dlfix apply --select DLF201 ." in told


@pytest.mark.parametrize(("color", "coloured"), [("always", True), ("never", False)])
def test_an_explanation_heeds_the_colour_that_is_asked_for(capsys, color, coloured):
    commands.explain_text("TypeError: h5py objects cannot be pickled", color=color)
    assert ("\x1b[" in capsys.readouterr().out) == coloured


def test_an_explanation_as_json_has_its_parts(capsys):
    assert (
        commands.explain_text("TypeError: h5py objects cannot be pickled", output_format="json")
        == 0
    )
    assert json.loads(capsys.readouterr().out)["code"] == "DLF201"


def test_a_text_that_says_nothing_gives_one_line_and_status_1(capsys):
    assert commands.explain_text("all went well") == 1
    assert capsys.readouterr().err == "the text contains no pickling error or worker error\n"
