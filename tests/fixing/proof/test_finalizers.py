"""A finalizer that an object keeps is dead in a worker."""

import pytest

from tests.fixing.proof.pairs import opened

ASKED = {
    "whether it is alive": ("def stopped(self):\n    return not self.ending.alive\n", True),
    "what it is of": ("def stopped(self):\n    return self.ending.peek() is None\n", True),
    "nothing": ("def stop(self):\n    self.ending()\n", False),
    "of another": ("def stopped(self):\n    return not self.other.alive\n", False),
}


@pytest.mark.parametrize(("body", "refused"), ASKED.values(), ids=ASKED)
def test_it_is_asked(body, refused):
    made = "self.path = path\nself.ending = weakref.finalize(self, print)"
    reasons = opened(
        init=f"import weakref\n{made}\nself.file = h5py.File(path, 'r')",
        later=f"import weakref\n{made}",
        body=body,
    )
    assert refused == any("is dead in a worker" in each for each in reasons)
