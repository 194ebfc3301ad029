"""What is made in a turn of a loop, and whether it is used up before the next one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.callees import Callee
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    dotted,
    last_part,
    parameters,
    statements,
    stored_names,
    within,
)
from dlfix.project.module import Module

_GOES_THROUGH = frozenset("sum min max list tuple set dict sorted any all join".split())


def used_up(
    program: Program, module: Module, body: list[ast.stmt], loop: ast.AST, site: ast.AST
) -> bool:
    """Return whether what a statement in a loop makes is only gone through, in the same turn."""
    if isinstance(site, (ast.For, ast.AsyncFor)):
        return True  # what it goes through is made in its head
    if not _binds_names(site):
        return False
    names = stored_names(site)
    inside = [s for s in statements(getattr(loop, "body", [])) if s is not site]
    gone_through = {
        id(node) for s in inside for node in (*_iterated(s), *_passed_on(program, module, s))
    }
    for statement in inside:
        if _binds_names(statement) and _reads(statement, names, gone_through):
            names |= stored_names(statement)
    handed_on = {id(n) for s in inside if _binds_names(s) for n in within(s)}
    return all(
        id(node) in gone_through or id(node) in handed_on or any(node is n for n in within(site))
        for node in within(body)
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
    )


def _passed_on(program: Program, module: Module, statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what a statement passes to functions of the program that only go through it."""
    for call in within(statement):
        if not isinstance(call, ast.Call):
            continue
        run = _run_by(program, module, call)
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            if run and all(_goes_through(callee, call, value) for callee in run):
                yield from within(value)


def _run_by(program: Program, module: Module, call: ast.Call) -> list[Callee]:
    """Return all functions that a call may run, those of subclasses too; none if one is not known."""
    known = program.function_of(module, call.func)
    if known is not None:
        return [Callee(*known, parameters(known[1]))]
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    own = program.class_of_self(module, owner) if owner is not None else None
    classes = [own, *program.heirs(own)] if own is not None else []
    found = [program.method(cls, last_part(call.func)) for cls in classes]
    methods = [each for each in found if each is not None]
    if len(methods) < len(found):
        return []
    return [Callee(cls.module, method, parameters(method)[1:]) for cls, method in methods]


def _goes_through(callee: Callee, call: ast.Call, value: ast.expr) -> bool:
    """Return whether a function does no more with an argument than to go through it, before it returns."""
    names = [name for name, given in callee.passed(call) if given is value]
    body = callee.function.body
    nodes = [*within(body)]
    if len(names) != 1 or names[0] not in parameters(callee.function):
        return False
    if any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in nodes):
        return False
    gone_through = {id(node) for each in statements(body) for node in _iterated(each)}
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == names[0]]
    return all(id(node) in gone_through for node in uses)


def _binds_names(statement: ast.AST) -> bool:
    """Return whether a statement gives what it makes a plain name, and nothing else."""
    return isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) for target in statement.targets
    )


def _reads(statement: ast.stmt, names: set[str], gone_through: set[int]) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id in names and id(node) not in gone_through
        for node in within(getattr(statement, "value", statement))
    )


def _iterated(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what a statement goes through at once, or counts: heads of loops and of comprehensions."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        yield from within(statement.iter)
    for node in within(statement):
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
            yield from within(node.generators[0].iter)
        elif isinstance(node, ast.Call) and dotted(node.func) == "len":
            yield from (part for arg in node.args for part in within(arg))
        elif isinstance(node, ast.Call) and last_part(node.func) in _GOES_THROUGH:
            for arg in node.args:
                if isinstance(arg, ast.GeneratorExp):
                    yield from within(arg.generators[0].iter)
