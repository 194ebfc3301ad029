"""An `__init__` that keeps what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst

from dlfix_codemods.tools import bodies

Kept = Sequence[tuple[str, str]]  # parameters, each with the attribute it is kept as


def keeping(init: cst.FunctionDef, kept: Kept) -> cst.FunctionDef:
    """Return an `__init__` that keeps more, once the base has been set up."""
    if not kept:
        return init
    init = _in_a_block(init)
    first = [*init.params.posonly_params, *init.params.params][0].name.value
    fresh = [cst.parse_statement(f"{first}.{attribute} = {name}") for name, attribute in kept]
    body = list(init.body.body)
    at = next(
        (index for index, each in enumerate(body, 1) if _sets_up_base(each)),
        1 if init.get_docstring() is not None else 0,
    )
    body[at:at] = fresh
    return init.with_changes(body=init.body.with_changes(body=body))


def _in_a_block(init: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function with its statements on lines of their own: `def __init__(self): self.x = 1`."""
    if not isinstance(init.body, cst.SimpleStatementSuite):
        return init
    lines = [
        cst.SimpleStatementLine([each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        for each in init.body.body
    ]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=init.body.trailing_whitespace)
    return init.with_changes(body=cst.IndentedBlock(lines))


def with_init(
    node: cst.ClassDef,
    module: cst.Module,
    kept: Kept,
    forwards: Sequence[str] = (),
    to_base: Sequence[str] = (),
) -> cst.ClassDef:
    """Return a class that has no `__init__` with one that takes and keeps something, and passes the rest on."""
    taken = dict.fromkeys((*to_base, *(name for name, _ in kept)))
    names = ", ".join(_parameters([*taken], forwards, bool(to_base)))
    last = [each for each in forwards if each.startswith("**")]
    first = [each for each in forwards if each not in last]
    passed = ", ".join([*first, *(f"{name}={name}" for name in to_base), *last])
    lines = [f"super().__init__({passed})"] if node.bases else []
    lines += [f"self.{attribute} = {name}" for name, attribute in kept]
    step = module.default_indent
    text = f"def __init__(self, {names}):\n" + "".join(f"{step}{line}\n" for line in lines)
    init: cst.BaseStatement = cst.parse_statement(text, module.config_for_parsing)
    body: list[cst.BaseStatement] = [each for each in node.body.body if _is_statement(each)]
    at = next((i for i, each in enumerate(body) if isinstance(each, cst.FunctionDef)), len(body))
    if at:
        init = bodies.with_blank_lines(init, 1)
    if at < len(body):
        body[at] = bodies.with_blank_lines(body[at], 1)
    body.insert(at, init)
    return node.with_changes(body=node.body.with_changes(body=body))


def _parameters(kept: Sequence[str], forwards: Sequence[str], named: bool) -> list[str]:
    """Return parameters that are passed on, and between them those that are kept."""
    if not forwards and not named:
        return [*kept]
    last = [each for each in forwards if each.startswith("**")]
    first = [each for each in forwards if each not in last]
    star = [] if any(each.startswith("*") for each in first) else ["*"]
    return [*first, *star, *kept, *last]


def _is_statement(node: cst.CSTNode) -> TypeGuard[cst.BaseStatement]:
    return isinstance(node, cst.BaseStatement)


def _sets_up_base(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Expr(value=cst.Call(func=cst.Attribute(attr=cst.Name(value="__init__"))))]
        ):
            return True
    return False
