"""One reading of a project: its boundaries, and all that crosses them. What rules and planners see."""

from __future__ import annotations
