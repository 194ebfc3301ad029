"""How pools and executors are handed what their workers call."""

from __future__ import annotations

from functools import cache

from dlfix.catalog import BoundaryRow, load


@cache
def methods_of_pools() -> frozenset[str]:
    """Return the methods of pools and executors that take a function for their workers."""
    rows = [row for row in load().rows("boundary") if isinstance(row, BoundaryRow)]
    makers = {row.type for row in rows if row.kind in ("Pool", "Executor")}
    names = (row.name.rpartition(".") for row in rows)
    return frozenset(method for owner, _, method in names if owner in makers)


__all__ = ["methods_of_pools"]
