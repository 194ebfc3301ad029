"""Handles opened too early: each process opens its own, when it first needs it."""

from __future__ import annotations

import libcst as cst

from dlfix.fixing.classes.plans import ClassPlan
from dlfix_codemods import class_edits
from dlfix_codemods.base import PlannedCodemod


class LazyResources(PlannedCodemod):
    """Open handles lazily, in each process its own, and keep them out of the pickled state."""

    NAME = "lazy_resources"
    DESCRIPTION = "Open resources lazily in each process."

    @staticmethod
    def rewrite(module: cst.Module, plan: ClassPlan) -> cst.Module:
        """Carry out the plan for one class."""
        return class_edits.rewrite(module, plan)
