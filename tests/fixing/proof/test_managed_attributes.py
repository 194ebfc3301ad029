"""A derived class with a member of the name: the new property is not found, or the member manages the value."""

import pytest

from tests.fixing.proof.pairs import opened

HEIR = """
class Heir(Rows):
    {member}

DataLoader(Heir('a'), num_workers=2)
"""


@pytest.mark.parametrize(
    ("member", "refused"),
    [
        ("file = None", True),
        ("@property\n    def file(self):\n        return self._source", True),
        ("other = None", False),
    ],
)
def test_a_member_of_a_derived_class_is_found_first(member, refused):
    reasons = opened(program=HEIR.format(member=member))
    assert refused == any("has a member `file` of its own" in reason for reason in reasons)
