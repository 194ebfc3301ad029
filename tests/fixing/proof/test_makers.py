"""Who makes an object through another name; how far that is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.fixing.proof import makers
from dlfix.project.project import Project


@pytest.mark.parametrize(("count", "read"), [(3, 5), (60, 1)])
def test_a_decorator_that_is_in_very_many_modules_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, read: int
) -> None:
    (tmp_path / "kinds.py").write_text("def register(kind):\n    return kind\n\nmade = None\n")
    (tmp_path / "rows.py").write_text(
        "from kinds import register\nKINDS = []\n@register\nclass Rows: pass\n"
        "def make(kind):\n    return kind()\nmake(Rows)\n"
    )
    for number in range(count):
        (tmp_path / f"other{number}.py").write_text("from kinds import register\n")
    project = Project(sorted(tmp_path.glob("*.py")))
    sizes = []
    holding = makers._holding
    monkeypatch.setattr(
        makers, "_holding", lambda modules, *of: sizes.append(len(modules)) or holding(modules, *of)
    )
    module = next(each for each in project.mentions("Rows") if each.path.name == "rows.py")
    (cls,) = module.classes
    found = list(makers.made_through(project, module, cls, {}))
    assert [call.lineno for _, call in found] == [6]
    assert max(sizes) == read


@pytest.mark.parametrize(("steps", "found"), [(5, [6]), (60, [])])
def test_a_class_is_followed_through_so_many_names_and_no_more(tmp_path, steps, found):
    names = "; ".join(f"n{each + 1} = n{each}" for each in range(steps))
    text = f"class Rows: pass\n\nn0 = Rows\n{names}\n\nn{steps}()\n"
    (tmp_path / "rows.py").write_text(text)
    project = Project([tmp_path / "rows.py"])
    module = project.module(tmp_path / "rows.py")
    calls = makers.made_through(project, module, module.classes[0], {})
    assert [call.lineno for _, call in calls] == found
