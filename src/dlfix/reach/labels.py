"""How values are called in a path."""

from __future__ import annotations

import ast

from dlfix.project.module import Module
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Function,
    Generator,
    Instance,
    ModuleValue,
    Partial,
    Value,
)


def node_of(value: Value) -> tuple[ast.AST, Module] | None:
    """Return the node that made a value, and its module."""
    if isinstance(value, (Function, Class)):
        return value.node, value.frame.module
    if isinstance(value, Instance):
        if value.call is not None and value.frame is not None:
            return value.call, value.frame.module
        return value.cls.node, value.cls.module
    if isinstance(value, BoundMethod):
        return value.function.node, value.function.module
    if isinstance(value, (Partial, Container, ExternalCall, Derived, Generator)):
        return value.node, value.frame.module
    return None


def label(value: Value) -> str:
    """Return a few words for a value: `Compose([...])`, `lambda`, `def collate`."""
    if isinstance(value, Function):
        return "lambda" if isinstance(value.node, ast.Lambda) else f"def {value.node.name}"
    if isinstance(value, Class):
        return f"class {value.name}"
    if isinstance(value, BoundMethod):
        return f"method {getattr(value.function.node, 'name', 'lambda')}"
    if isinstance(value, Instance) and value.call is None:
        return f"{value.cls.name}(...)"
    if isinstance(value, Container):
        return {"list": "[...]", "tuple": "(...)", "set": "{...}", "dict": "{...}"}[value.kind]
    if isinstance(value, External):
        return value.name
    if isinstance(value, ModuleValue):
        return f"module {value.name}"
    if isinstance(value, Constant):
        return repr(value.value)
    made = node_of(value)
    return short(made[1], made[0]) if made is not None else "unknown"


def short(module: Module, node: ast.AST) -> str:
    """Return a node's text on one line, a call's arguments shortened to dots."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    if isinstance(node, ast.Call):
        callee = " ".join(module.segment(node.func).split())
        return f"{_cut(callee)}({'...' if node.args or node.keywords else ''})"
    return _cut(" ".join(module.segment(node).split()))


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
