"""The proof of a rewrite, before it is written.

`text` proves that the result compiles, that the finding is gone, and that nothing else changed. The
other modules prove that the program still does what it did: they read the text before and the text
after, share no code with the planners, and compare what the program could observe (docs/fix-contract.md).
"""

from dlfix.fixing.proof.behaviour import Regression, regressions
from dlfix.fixing.proof.text import Rewritten, broken, not_compiled, unproved

__all__ = [
    "Regression",
    "Rewritten",
    "broken",
    "not_compiled",
    "regressions",
    "unproved",
]
