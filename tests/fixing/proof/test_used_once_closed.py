"""A class that handles the error of a closed handle: a worker would open it again."""

import pytest

from tests.fixing.proof.pairs import opened

READS = """def __getitem__(self, index):
    try:
        return self.file["x"][index]
    except {error}:
        {then}
"""
CLOSES = {
    "at once": "rows.file.close()",
    "by a with": "with rows.file:\n        rows[0]",
    "by a stack": "with contextlib.ExitStack() as stack:\n        stack.callback(rows.file.close)",
    "by a stack that enters it": "with contextlib.ExitStack() as stack:\n        stack.enter_context(rows.file)",
}
MAIN = "def main():\n    rows = Rows('a')\n    {closes}\n    {after}\n"
GOES_ON = "return list(DataLoader(rows, num_workers=2))"


def handled(closes: str, *, after: str = GOES_ON, error="ValueError", then="return 0") -> bool:
    """Return whether the error of a closed handle counts as handled."""
    reasons = opened(
        body=READS.format(error=error, then=then), program=MAIN.format(closes=closes, after=after)
    )
    return any("the error of a closed `file` is handled" in reason for reason in reasons)


@pytest.mark.parametrize("closes", CLOSES.values(), ids=CLOSES)
def test_the_caller_closes_the_handle_and_goes_on(closes):
    assert handled(closes)


def test_nothing_goes_on_with_an_object_that_was_closed_last():
    assert not handled("list(DataLoader(rows, num_workers=2))", after="rows.file.close()")


def test_an_error_that_goes_on_is_not_handled():
    assert not handled(CLOSES["at once"], then="raise")


def test_another_error_is_not_that_of_a_closed_handle():
    assert not handled(CLOSES["at once"], error="StopIteration")
