"""What code around a class observes of it, and goes on observing: errors, attributes, files."""

from __future__ import annotations

import ast

from dlfix.fixing.classes.facts import (
    ClassFacts,
    self_name,
)
from dlfix.fixing.classes.inputs import STATE_METHODS, Inputs
from dlfix.project.module import Module
from dlfix.project.syntax import FUNCTIONS, attributes_of, is_name

MODELS = ("BaseModel", "BaseSettings", "NamedTuple", "TypedDict", "Struct")


def tried_at(inputs: Inputs | None) -> str:
    """Return where a caller catches what the constructor raises; empty where none does."""
    if inputs is None:
        return ""
    for module, call in inputs.calls:
        found = _tried(module, call) or _maker_tried(inputs, module, call)
        if found:
            return found
    return ""


def _tried(module: Module, node: ast.AST) -> str:
    inner: ast.AST = node
    for each in module.ancestors(node):
        if isinstance(each, (*FUNCTIONS, ast.Lambda)):
            return ""
        caught = isinstance(each, ast.Try) and inner in each.body and _goes_on(each)
        if caught or (isinstance(each, ast.With) and inner in each.body and _suppresses(each)):
            return f"{module.path.name}:{getattr(each, 'lineno', 1)}"
        inner = each
    return ""


def _maker_tried(inputs: Inputs, module: Module, call: ast.Call) -> str:
    """Return where a caller catches what a function raises that makes an instance."""
    maker = next((e for e in module.ancestors(call) if isinstance(e, FUNCTIONS)), None)
    if maker is None or maker.name == "main":
        return ""
    for user in inputs.project.callers(module, maker.name):
        for each in user.calls_by_name.get(maker.name, ()):
            found = _tried(user, each)
            if found:
                return found
    return ""


def _goes_on(statement: ast.Try) -> bool:
    return any(not isinstance(each.body[-1], ast.Raise) for each in statement.handlers)


def _suppresses(statement: ast.With) -> bool:
    return any("suppress(" in ast.unparse(each.context_expr) for each in statement.items)


def seen_whole_at(inputs: Inputs | None) -> str:
    """Return where all attributes of an instance are looked at together; empty if nowhere."""
    if inputs is None:
        return ""
    for facts in inputs.related.all:
        for method in facts.all_methods:
            if method.name in STATE_METHODS or method is facts.state_method("__getstate__"):
                continue
            for node in ast.walk(method):
                whole = is_name(attributes_of(node), self_name(method))
                if whole and not _asks_for_one(facts.module, node):
                    return facts.line(node)
    return ""


def _asks_for_one(module: Module, attributes: ast.AST) -> bool:
    """Return whether one attribute is set, read or asked for by its name: `self.__dict__["file"]`."""
    match module.parent(attributes):
        case ast.Subscript(slice=ast.Constant()):
            return True
        case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()]):
            return True
        case ast.Attribute(attr="get" | "pop" | "setdefault") as method:
            match module.parent(method):
                case ast.Call(args=[ast.Constant(), *_]):
                    return True
    return False


def fields_seen_at(inputs: Inputs | None) -> str:
    """Return where the project goes through the fields of its data classes; empty if nowhere."""
    if inputs is None:
        return ""
    for name in ("fields", "asdict", "astuple"):
        for module in inputs.project.mentions(name):
            for call in module.calls_by_name.get(name, ()):
                if ast.unparse(call.func) in (name, f"dataclasses.{name}"):
                    return f"{module.path.name}:{call.lineno}"
    return ""


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
