"""The text of a LibCST module, rendered once: the parse, each codemod and the proof ask for it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst


@lru_cache(maxsize=4)
def code_of(module: cst.Module) -> str:
    """Return a module's text; those of the few at hand are kept."""
    return module.code
