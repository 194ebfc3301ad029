"""Functions that move together because one calls the other."""

from __future__ import annotations

import copy

from dlfix.fixing.hoisting.captures import CannotHoist, Draft


def with_siblings(root: Draft) -> list[Draft]:
    """Return a draft and all that have to move with it, those it calls first."""
    found: list[Draft] = []
    seen: set[int] = set()

    def walk(draft: Draft) -> None:
        if id(draft) in seen:
            return
        seen.add(id(draft))
        for sibling in draft.siblings.values():
            walk(sibling)
        found.append(draft)

    walk(root)
    return found


def share_captures(group: list[Draft]) -> None:
    """Whoever calls a function that captures must be given what it captures."""
    changed = True
    while changed:
        changed = False
        for draft in group:
            for sibling in draft.siblings.values():
                changed = _share(draft, sibling) or changed


def _share(draft: Draft, sibling: Draft) -> bool:
    changed = False
    if sibling.instance and not draft.instance:
        draft.instance, draft.owner = sibling.instance, sibling.owner
        draft.method = sibling.method
        changed = True
    for name, capture in sibling.captures.items():
        known = draft.captures.get(name)
        if name in sibling.defaults or (known is not None and known.value == capture.value):
            continue
        if known is not None or name in draft.scope.bindings:
            raise CannotHoist(
                f"{draft.what} has its own `{name}` but calls {sibling.what}, which uses a "
                f"different `{name}` (line {sibling.line})"
            )
        draft.captures[name] = copy.copy(capture)
        changed = True
    return changed
