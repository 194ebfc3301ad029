"""Where two texts differ, and the texts between them."""

from dlfix.project.changes import steps

OLD = "a\nb\nc\nd\ne\nf\n"


def test_an_edit_in_one_place_has_no_texts_between() -> None:
    assert steps(OLD, OLD) == []
    assert steps(OLD, OLD.replace("c\n", "x\ny\n")) == []


def test_each_text_between_has_one_place_more_of_the_new_one() -> None:
    new = "a\nB\nmore\nc\ne\nF\n"
    assert steps(OLD, new) == ["a\nB\nmore\nc\nd\ne\nf\n", "a\nB\nmore\nc\ne\nf\n"]


def test_newlines_stay_what_they_are() -> None:
    assert steps("a\r\nb\r\nc\r\n", "x\r\nb\r\ny\r\n") == ["x\r\nb\r\nc\r\n"]


def test_an_edit_in_very_many_places_is_not_taken_apart() -> None:
    old = "".join(f"a{n}\nb\n" for n in range(40))
    assert steps(old, old.replace("a", "c")) == []
