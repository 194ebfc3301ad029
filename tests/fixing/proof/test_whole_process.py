"""A program that counts what its process has open sees a handle that is opened later."""

import pytest

from tests.fixing.proof.pairs import opened

PROGRAMS = {
    "descriptors of the process": ("len(os.listdir('/proc/self/fd'))", True),
    "descriptors by a number": ("len(os.listdir(f'/proc/{os.getpid()}/fd'))", True),
    "a library that counts them": ("psutil.Process().num_fds()", True),
    "a method of the program": ("store.num_fds()", False),
    "another folder": ("len(os.listdir('/data/fd_rows'))", False),
}
MAIN = "def main(store):\n    rows = Rows('a')\n    print({asked})\n    return DataLoader(rows, num_workers=2)\n"


@pytest.mark.parametrize(("asked", "counts"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_process_has_open_is_counted(asked, counts):
    head = "import psutil\n" if "psutil" in asked else ""
    reasons = opened(program=head + MAIN.format(asked=asked))
    assert counts == any("asks what its process has open" in reason for reason in reasons)


def test_a_handle_that_the_constructor_still_opens_is_counted_as_before():
    program = MAIN.format(asked="len(os.listdir('/proc/self/fd'))")
    reasons = opened(later="self.path = path\nself.file.keys()", program=program)
    assert not any("asks what its process has open" in reason for reason in reasons)


def test_what_is_counted_once_the_workers_are_done_is_not_asked_before():
    asks = "print(len(os.listdir('/proc/self/fd')))"
    program = f"def main():\n    rows = Rows('a')\n    list(DataLoader(rows, num_workers=2))\n    {asks}\n"
    reasons = opened(program=program)
    assert not any("asks what its process has open" in reason for reason in reasons)
