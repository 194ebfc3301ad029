"""Data classes that are made by the million."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:

    def record(*, frozen: bool, eq: bool = True, slots: bool = True) -> Any:
        """Make a data class that is frozen for mypy alone: making a frozen object takes three times as long."""
        return dataclasses.dataclass(eq=eq, unsafe_hash=eq and frozen, slots=slots)


__all__ = ["record"]
