"""What a constructor makes of a handle, and keeps, does not stay in the state without it."""

import pytest

from tests.fixing.proof.pairs import opened

OPENED = "self.path = path\nself.file = h5py.File(path, 'r')\n"


@pytest.mark.parametrize(
    ("made", "may_hold_it"),
    [
        ("Windowed(self.file, 4)", True),
        ("windows.Windowed(source=self.file)", True),
        ("Table(self.file['x'][:])", False),
        ("len(self.file)", False),
        ("Own(path)", False),
    ],
)
def test_an_object_of_a_library_may_hold_the_handle(made, may_hold_it):
    program = "class Own:\n    def __init__(self, file):\n        self.count = len(file)\n"
    reasons = opened(
        init=OPENED + f"self.view = {made}",
        later=f"self.path = path\nself.view = {made}",
        program=program,
    )
    assert may_hold_it == any(
        "may hold `file` in the pickled state" in reason for reason in reasons
    )
