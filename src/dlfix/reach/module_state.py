"""What code of other modules puts in a module's globals: `settings.collate = f`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.instances import attribute_targets
from dlfix.reach.values import Bound, ModuleValue, Reached

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator


class ModuleState:
    """Looks up the assignments to attributes of modules of the tree."""

    def __init__(self, interpreter: Evaluator) -> None:
        self.interpreter = interpreter
        self._set: dict[tuple[Module, str], list[Bound]] = {}

    def set_elsewhere(self, module: Module, name: str) -> Iterator[Reached]:
        """Yield what other modules may have put in a module's global."""
        key = (module, name)
        if key not in self._set:
            self._set[key] = []  # while it is looked for, it is none
            self._set[key] = list(self._search(module, name))
        for bound in self._set[key]:
            yield from self.interpreter.evaluate(bound.node, bound.frame)

    def _search(self, module: Module, name: str) -> Iterator[Bound]:
        for user in self.interpreter.project.setting(name, module):
            for target, statement in attribute_targets(user, name):
                frame = self.interpreter.frame_at(user, target)
                for reached in self.interpreter.evaluate(target.value, frame):
                    value = reached.value
                    if isinstance(value, ModuleValue) and value.module is module:
                        yield Bound(statement.value, frame)
