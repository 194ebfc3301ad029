"""The fixture `dlfix_probe`: asserts that a loader survives the trip to spawned workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def dlfix_probe() -> Callable[[Any], None]:
    """Return a function that fails the test where a loader would not reach its workers."""

    def probe(loader: Any) -> None:
        from dlfix.runtime.inside import program

        culprits = program.examine(loader)
        if culprits:
            pytest.fail("\n".join(program.sentence(culprit) for culprit in culprits), pytrace=False)

    return probe
