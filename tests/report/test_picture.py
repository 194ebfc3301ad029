"""The picture of a boundary shows what leads to a finding, and folds the rest."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from dlfix.report import picture
from dlfix.report.tree import Node

SPOT = SimpleNamespace(path=Path("a.py"), row=1, shown="a.py:1")
PROBLEM = SimpleNamespace(code="DLF101")


def node(label, *children, problem=False):
    step = SimpleNamespace(label=label, note="")
    return Node(step, SPOT, [PROBLEM] if problem else [], list(children))


def many(count):
    return [node(f"plain {number}") for number in range(count)]


def labels(drawn):
    return [box.label for box in drawn.boxes]


def test_a_small_tree_is_shown_whole():
    drawn = picture.of(node("loader", node("lambda", problem=True), *many(5)), {})
    assert len(drawn.boxes) == 7
    assert drawn.whole is None


def test_of_a_large_tree_what_leads_to_a_finding_is_shown_and_the_rest_is_counted():
    dataset = node("dataset", *many(9), node("list", node("lambda", problem=True), *many(1)))
    drawn = picture.of(node("loader", dataset, node("collate", *many(3))), {id(PROBLEM): 4})
    assert labels(drawn) == [
        "loader", "dataset", "list", "lambda", "plain 0",
        "9 more without problems", "4 more without problems",
    ]  # fmt: skip
    assert [box.number for box in drawn.boxes if box.kind == "bad"] == [4]
    assert [line.leads_to_finding for line in drawn.lines] == [True] * 3 + [False] * 3
    assert len(drawn.whole.boxes) == 18
    assert drawn.problems == 1


def test_of_a_large_tree_without_findings_the_upper_levels_are_shown():
    drawn = picture.of(node("loader", node("dataset", *many(20)), node("collate")), {})
    assert labels(drawn) == ["loader", "dataset", "20 more without problems", "collate"]


def test_a_page_with_a_folded_picture_holds_all_objects_too(tmp_path):
    from dlfix.config import Settings
    from dlfix.report import html
    from dlfix.report.view import View
    from dlfix.session import Session

    attributes = "".join(f"        self.a{n} = [{n}]\n" for n in range(20))
    (tmp_path / "main.py").write_text(
        "from torch.utils.data import DataLoader, Dataset\n\n\n"
        "class Rows(Dataset):\n    def __init__(self):\n        self.key = lambda x: x\n"
        f"{attributes}\n\nDataLoader(Rows(), num_workers=2)\n"
    )
    session = Session.open([tmp_path], Settings())
    page = html.render(View(session, session.diagnoses()))
    assert "20 more without problems" in page
    assert page.count(".a7") == 1
    assert page.index("<summary>All 22 objects</summary>") < page.index(".a7")
