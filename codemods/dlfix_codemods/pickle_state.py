"""What cannot be pickled leaves the state of its class, and is made anew in the worker."""

from __future__ import annotations

from typing import Any

import libcst as cst

from dlfix.fixing.classes.plans import ClassPlan
from dlfix_codemods import class_edits
from dlfix_codemods.base import PlannedCodemod


class PickleState(PlannedCodemod):
    """Leave what cannot be pickled out of the state, and make it anew in the worker."""

    NAME = "pickle_state"
    DESCRIPTION = "Remove locks, handles and similar objects from the pickled state."

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out the plan for one class."""
        if isinstance(plan, ClassPlan):
            return class_edits.rewrite(module, plan)
        from dlfix_codemods import pickle_state_classes

        return pickle_state_classes.rewrite(module, plan)
