"""How much of a project was followed; apart, as a summary needs no more than this."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extent:
    """How much was looked at: what a summary without findings stands on."""

    loaders: int = 0
    others: int = 0  # processes, pools, trainers, and dataset classes whose loader is out of view
    unknown: int = 0  # objects that cross, of which nothing is known
