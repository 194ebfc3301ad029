"""What code around a class observes of it, and goes on observing: errors, attributes, files."""

from __future__ import annotations

import ast

from dlfix.fixing.classes.facts import (
    ClassFacts,
)

MODELS = ("BaseModel", "BaseSettings", "NamedTuple", "TypedDict", "Struct")


def declared_at(facts: ClassFacts, name: str) -> str:
    """Return where a class declares a field for its constructor to take; empty if nowhere."""
    field = facts.fields.get(name)
    if field is None:
        return ""
    bases = {ast.unparse(each).rpartition(".")[2].partition("[")[0] for each in facts.node.bases}
    decorators = [ast.unparse(each) for each in facts.node.decorator_list]
    made = any("dataclass" in each or "attr" in each or "define" in each for each in decorators)
    if not made and not bases & set(MODELS):
        return ""
    value = ast.unparse(field.value) if field.value is not None else ""
    if made and ("init=False" in value or value == "None"):
        return ""
    return facts.line(field)
