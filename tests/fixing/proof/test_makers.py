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
        makers, "_holding", lambda modules, cls: sizes.append(len(modules)) or holding(modules, cls)
    )
    module = next(each for each in project.mentions("Rows") if each.path.name == "rows.py")
    (cls,) = module.classes
    found = list(makers.made_through(project, module, cls))
    assert [call.lineno for _, call in found] == [6]
    assert max(sizes) == read
