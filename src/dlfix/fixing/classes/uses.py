"""Who uses the handles of a class, and when: while an instance is made, or later."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    self_names_used,
)
from dlfix.fixing.classes.handles import Handle, Moved
from dlfix.fixing.classes.state import Surroundings
from dlfix.project.order import start


@dataclass
class Work:
    """What has moved so far, method by method."""

    moved: dict[Method, Moved] = field(default_factory=dict)
    gone: set[ast.AST] = field(default_factory=set)


class Uses:
    """Knows the methods that touch the handles of one class."""

    def __init__(
        self, facts: ClassFacts, handles: Mapping[str, Handle], around: Surroundings
    ) -> None:
        self.facts = facts
        self.module = facts.module
        self.handles = dict(sorted(handles.items(), key=lambda item: start(item[1].site.statement)))
        self.around = around
        self.work = Work()
        self.touching = self._touching()

    def _touching(self) -> set[str]:
        """Return the methods that read a handle, directly or through others; closers left out."""
        methods = {m.name: m for m in self.facts.all_methods if not is_closer(m)}
        used = {name: set(self_names_used(method)) for name, method in methods.items()}
        openers = {handle.site.method.name for handle in self.handles.values()} - set(STARTS)
        touching = set(self.around.start_methods) | (self.handles.keys() & methods.keys())
        direct = {
            method.name
            for name in self.handles
            for method, read in self.facts.reads.get(name, [])
            if method.name in methods and method.name not in openers
            if read not in self.work.gone
        }
        touching |= direct
        size = -1
        while size != len(touching):
            size = len(touching)
            touching |= {name for name, names in used.items() if names & touching}
        return touching

    def is_touched_later(self, but_for: str = "") -> bool:
        """Return whether the parent goes on using the handles once an instance is made."""
        if self.around.touched_in_parent & self.handles.keys():
            return True
        if self.around.started_elsewhere & self.handles.keys():
            return True
        methods = self.around.parent_methods - {but_for}
        later = self.facts.reached(sorted(methods)) | methods
        return bool(later & self.touching - self.facts.started) or bool(methods & self.touching)

    def _call_on(self, node: ast.AST) -> ast.Call | None:
        """Return the call of a method of what a node stands for."""
        attribute = self.module.parent(node)
        call = self.module.parent(attribute) if attribute is not None else None
        if isinstance(attribute, ast.Attribute) and isinstance(call, ast.Call):
            return call if call.func is attribute else None
        return None
