"""What was looked at is told as few questions, and any other answer is noticed."""

import pytest

from dlfix.source import seen


@pytest.fixture
def looked(tmp_path):
    found = seen.watch()
    for name in ("a.py", "b.py", "inner/c.py"):
        assert not seen.is_file(tmp_path / "missing" / "far" / name)
    assert not seen.is_file(tmp_path / "x.txt")
    assert seen.is_dir(tmp_path)
    return found


def test_what_is_in_no_folder_is_one_question(looked, tmp_path):
    assert looked.as_data()["answers"] == [
        (str(tmp_path / "missing"), "any", False),
        (str(tmp_path / "x.txt"), "file", False),
        (str(tmp_path), "folder", True),
    ]


@pytest.mark.parametrize("name", ["missing/far/inner/c.py", "x.txt"])
def test_what_was_not_there_and_is_now_is_noticed(looked, tmp_path, name):
    data = looked.as_data()
    assert seen.is_unchanged(data)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    assert not seen.is_unchanged(data)


def test_two_answers_to_one_question_are_no_steady_sight(looked, tmp_path):
    (tmp_path / "x.txt").touch()
    assert seen.is_file(tmp_path / "x.txt")
    assert not looked.steady
