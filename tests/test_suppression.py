import pytest

from dlfix.suppression import add, read, without


def codes(line):
    return [(one.own, one.codes) for one in read(f"x = 1  {line}\n").get(1, [])]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# dlfix: ignore[DLF101]", [(True, ("DLF101",))]),
        ("# dlfix: ignore[DLF101, DLF201]", [(True, ("DLF101", "DLF201"))]),
        ("# dlfix:ignore[lambda-reaches-worker]", [(True, ("lambda-reaches-worker",))]),
        ("# dlfix: ignore", [(True, ())]),
        ("# noqa: DLF101", [(False, ("DLF101",))]),
        ("# noqa: E501,DLF101", [(False, ("E501", "DLF101"))]),
        ("# noqa", [(False, ())]),
        ("# NOQA:DLF101 because", [(False, ("DLF101",))]),
        ("# why  # dlfix: ignore[DLF101]", [(True, ("DLF101",))]),
        ("# type: ignore", []),
        ("# noqa-ish", []),
        ("# dlfix ignores this", []),
    ],
)
def test_comments_are_read(comment, said):
    assert codes(comment) == said


def test_a_comment_within_a_string_is_none():
    assert read("x = '# dlfix: ignore[DLF101]'\n") == {}


def test_a_bare_comment_covers_all_and_a_code_only_its_own():
    bare, own = read("x  # noqa\ny  # dlfix: ignore[DLF101]\n").values()
    assert bare[0].covers("DLF999", "x")
    assert own[0].covers("DLF101", "x")
    assert not own[0].covers("DLF102", "x")


def test_a_code_of_another_tool_is_never_idle():
    (one,) = read("x  # noqa: E501, DLF101\n")[1]
    assert one.unused({"DLF101"}) == ("DLF101",)


@pytest.mark.parametrize(
    ("line", "gone", "left"),
    [
        ("x = 1  # dlfix: ignore[DLF101]\n", ("DLF101",), "x = 1\n"),
        (
            "x = 1  # dlfix: ignore[DLF101, DLF201]\r\n",
            ("DLF101",),
            "x = 1  # dlfix: ignore[DLF201]\r\n",
        ),
        ("x = 1  # noqa: E501, DLF101\n", ("DLF101",), "x = 1  # noqa: E501\n"),
        ("x = 1  # why  # dlfix: ignore[DLF101]\n", ("DLF101",), "x = 1  # why\n"),
        ("x = 1  # dlfix: ignore[DLF101]  # why\n", ("DLF101",), "x = 1  # why\n"),
        ("x = 1  # dlfix: ignore[DLF101] why\n", ("DLF101",), "x = 1  # why\n"),
        ("x = 1  # dlfix: ignore", ("",), "x = 1"),
        ("    # dlfix: ignore[DLF101]\nx = 1\n", ("DLF101",), "x = 1\n"),
    ],
)
def test_idle_codes_are_taken_out(line, gone, left):
    (comments,) = read(line).values()
    assert without(line, comments[0], gone) == left


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("x = 1\r\n", "x = 1  # dlfix: ignore[DLF101, DLF201]\r\n"),
        ("x = 1", "x = 1  # dlfix: ignore[DLF101, DLF201]"),
        ("x = 1  # why\n", "x = 1  # why  # dlfix: ignore[DLF101, DLF201]\n"),
        (
            "x = 1  # dlfix: ignore[DLF201]  # why\n",
            "x = 1  # dlfix: ignore[DLF201, DLF101]  # why\n",
        ),
    ],
)
def test_codes_are_added_to_what_is_there(line, left):
    assert add(line, {1: ["DLF201", "DLF101"]}) == left


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# dlfix: ignore-file[DLF101]", [(True, ("DLF101",))]),
        ("# dlfix: ignore-file", [(True, ())]),
        ("# dlfix: ignore[DLF101]", [(False, ("DLF101",))]),
        ("# dlfix: ignore-files[DLF101]", []),
    ],
)
def test_a_comment_may_speak_of_its_whole_file(comment, said):
    comments = read(f"{comment}\nx = 1\n").get(1, [])
    assert [(one.of_file, one.codes) for one in comments] == said


def test_codes_of_a_line_are_not_written_into_a_comment_of_the_file():
    text = "x = 1  # dlfix: ignore-file[DLF201]\n"
    added = "x = 1  # dlfix: ignore-file[DLF201]  # dlfix: ignore[DLF101]\n"
    assert add(text, {1: ["DLF101"]}) == added


def test_a_code_is_taken_out_of_a_comment_of_the_file():
    text = "# dlfix: ignore-file[DLF101, DLF201]\nx = 1\n"
    (one,) = read(text)[1]
    assert without(text, one, ("DLF101",)) == "# dlfix: ignore-file[DLF201]\nx = 1\n"
