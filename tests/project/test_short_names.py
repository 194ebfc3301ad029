"""A file is named with its folders where others have the same name."""

from pathlib import Path

from dlfix.project.project import Project


def test_folders_tell_files_of_one_name_apart():
    one, other, third = Path("/p/a/gnn/train.py"), Path("/p/b/gnn/train.py"), Path("/p/c/train.py")
    project = Project([one, other, third, Path("/p/main.py")], {})
    assert project.short_name(one) == "a/gnn/train.py"
    assert project.short_name(third) == "c/train.py"
    assert project.short_name(Path("/p/main.py")) == "main.py"
