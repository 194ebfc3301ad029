"""A list of handles that several statements in a row make: `self.files = [...]`, then `self.files += [...]`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dlfix.fixing.classes.facts import ClassFacts, is_self_attribute, self_name
from dlfix.fixing.classes.handles import Handle, Moved
from dlfix.fixing.classes.loops import Filled
from dlfix.fixing.classes.plans import Exchange
from dlfix.fixing.classes.text import comments_of, names_in

_LISTS = (ast.List, ast.ListComp)


def additions(facts: ClassFacts, handle: Handle) -> list[ast.AugAssign]:
    """Return the statements right below the one that makes a list which add more to it."""
    start, body = handle.site.statement, handle.site.method.body
    if start not in body or not isinstance(start, (ast.Assign, ast.AnnAssign)):
        return []
    if not isinstance(handle.site.value, _LISTS) or len(getattr(start, "targets", [start])) > 1:
        return []
    found: list[ast.AugAssign] = []
    for statement in body[body.index(start) + 1 :]:
        if not isinstance(statement, ast.AugAssign) or not _adds(facts, statement, handle):
            break
        found.append(statement)
    return found


def _adds(facts: ClassFacts, statement: ast.AugAssign, handle: Handle) -> bool:
    me = self_name(handle.site.method)
    target = statement.target
    if not is_self_attribute(target, me) or target.attr != handle.attribute:
        return False
    reads = (node for _, node in facts.reads.get(handle.attribute, ()))
    inside = {*ast.walk(statement.value)}
    return (
        isinstance(statement.op, ast.Add)
        and isinstance(statement.value, _LISTS)
        and inside.isdisjoint(reads)
    )


class Additions:
    """Plans an attribute that statements in a row make: they move together, under a local name."""

    def __init__(self, filling: Filled, added: Sequence[ast.AugAssign]) -> None:
        self.filling = filling
        self.added = added
        self.start = filling.handle.site.statement

    def run(self, leading: str) -> Moved:
        """Return the body with the statements in it, and what stays behind."""
        filling, moved = self.filling, Moved()
        attribute = filling.handle.attribute
        moved.bodies[attribute] = self._body(attribute)
        stay = [*filling.mover.saves.get(attribute, []), *([leading] if leading else [])]
        for statement in (self.start, *self.added):
            becomes = "\n".join(stay) if statement is self.start else ""
            span = filling.module.span(statement)
            moved.exchanges.append(Exchange(span, becomes, takes_comments=True))
            moved.gone.add(statement)
        moved.kept = dict(filling.mover.moved.kept)
        return moved

    def _body(self, attribute: str) -> str:
        filling, value = self.filling, self.filling.handle.site.value
        assert value is not None
        local = attribute.lstrip("_")
        if local in names_in([value, *self.added]):
            local = "opened"
        lines = [*comments_of(filling.module, self.start)[0]]
        lines.append(f"{local} = {filling.mover.rendered(attribute, value, {})}")
        for statement in self.added:
            lines += comments_of(filling.module, statement)[0]
            lines.append(filling.mover.statement(attribute, statement, local))
        return "\n".join([*lines, f"return {local}"])


__all__ = ["Additions", "additions"]
