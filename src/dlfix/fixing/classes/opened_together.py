"""Handles that are opened in one go: a reader with its file, a file with its parts."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping

from dlfix.fixing.classes.facts import (
    ClassFacts,
    is_self_attribute,
    self_name,
)
from dlfix.fixing.classes.handles import Handle
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.unsafe_uses import Refusing

MOST_APART = 2  # so many that hang together are kept by process one by one


class Together(Refusing):
    """Knows which handles open together, and how."""

    def __init__(
        self, facts: ClassFacts, handles: Mapping[str, Handle], around: Surroundings
    ) -> None:
        super().__init__(facts, handles, around)
        self.together = self._together()
        self.read_again: list[tuple[str, str]] = []  # what each opening reads of which handle

    def _together(self) -> list[str]:
        """Return the handles that must be opened in one go: a reader reads on where its file stands."""
        names = set()
        for name, handle in self.handles.items():
            value = handle.site.value
            if not isinstance(value, ast.Call) or not handle.reads_on:
                continue
            me = self_name(handle.site.method)
            for each in [*value.args, *(keyword.value for keyword in value.keywords)]:
                if is_self_attribute(each, me) and self._has_position(each.attr):
                    names |= {name, each.attr}
        return [name for name in self.handles if name in names]

    def _one_with_its_parts(self) -> list[str]:
        """Return a handle with two or more that hang from it, all made by statements of one method."""
        names = list(self.handles)
        if len(names) <= MOST_APART or any(not self._is_made_once(name) for name in names):
            return []
        root, *parts = self.handles.values()
        me = self_name(root.site.method)
        for part in parts:
            reads = {n.attr for n in ast.walk(part.site.statement) if is_self_attribute(n, me)}
            if part.site.method is not root.site.method or not reads & (
                set(names) - {part.attribute}
            ):
                return []
        return names

    def _is_made_once(self, name: str) -> bool:
        handle = self.handles[name]
        return (
            not handle.container
            and not handle.closed_by_parent
            and isinstance(handle.site.statement, (ast.Assign, ast.AnnAssign))
            and handle.site.statement in handle.site.method.body
            and len(self.facts.stores[name]) == 1
        )

    def _place(self, name: str) -> str:
        """Return the attribute under which a process keeps a handle."""
        return self._group_name() if name in self.together else name

    def _group_name(self) -> str:
        wanted = "_opened"
        while wanted in self.facts.names:
            wanted += "_"
        return wanted

    def _body(self, name: str) -> str:
        return self.work.moved[self.handles[name].site.method].bodies[name]

    def _opened_together(self) -> str:
        """Return statements that open a group in order and return it as a tuple."""
        lines = []
        locals_ = self._local_names()
        for name in self.together:
            *before, last = split_return(self._body(name))
            value = last.removeprefix("return ")
            local = locals_[name]
            lines += [line for line in before if line]
            if value != local:
                lines.append(f"{local} = {value}")
            if self._forces_names(name):
                lines.append(f"{local}.fieldnames  # read now, from the first line")
        lines += [text for _, text in self.read_again]
        text = "\n".join([*lines, "return " + ", ".join(locals_.values())])
        me = self_name(self.handles[self.together[0]].site.method)
        for name, local in locals_.items():
            text = re.sub(rf"\b{me}\.{name}\b", local, text)
        return text

    def _local_names(self) -> dict[str, str]:
        """Return a local name for each handle of a group, that nothing else goes by."""
        used = {*self.module.scope.bindings, *dir(builtins)}
        names: dict[str, str] = {}
        for attribute in self.together:
            name = attribute.lstrip("_") or "opened"
            while name in used:
                name += "_"
            used.add(name)
            names[attribute] = name
        return names

    def _forces_names(self, name: str) -> bool:
        """Return whether making the instance reads a `DictReader`'s column names."""
        return any(
            isinstance(parent := self.module.parent(node), ast.Attribute)
            and parent.attr == "fieldnames"
            and method.name in self.facts.started
            for method, node in self.facts.reads.get(name, [])
        )


def split_return(body: str) -> list[str]:
    """Part a body into its statements before the last, and the last: a `return`."""
    before, found, last = body.rpartition("\nreturn ")
    return [before, "return " + last] if found else [body]
