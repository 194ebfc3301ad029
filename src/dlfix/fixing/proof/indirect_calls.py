"""Calls that no text names: of a partial, a bound method or a generator that goes on, and of functions handed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.callees import Callee, CallOf
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import dotted, executed, last_part, parameters
from dlfix.project.module import Module
from dlfix.project.order import in_order

# What runs a generator on from its last `yield`.
_GOES_ON = frozenset({"close", "send", "throw", "__next__", "__exit__"})


class Deferred(ast.Call):
    """A call that a function which is handed on makes, sooner or later."""


class _Known:
    """What the calls of one program come to, found once for each body that they stand in."""

    def __init__(self, program: Program) -> None:
        self.of: dict[tuple[Module, Origins, ast.Call], list[ast.Call]] = {}


def comes_to(program: Program, module: Module, call: ast.Call, origins: Origins) -> list[ast.Call]:
    """Return the calls that one of a local name comes to, and what a generator runs that goes on."""
    if isinstance(call.func, ast.Name) and call.func.id in origins.passed:
        return [*_comes_to(program, module, call, origins)]  # what this one call is given
    known, key = program.kept(_Known).of, (module, origins.whole, call)
    if key not in known:
        known[key] = [*_comes_to(program, module, call, origins)]
    return known[key]


def _comes_to(
    program: Program, module: Module, call: ast.Call, origins: Origins
) -> Iterator[ast.Call]:
    for value in origins.values(call.func):
        match value:
            case ast.Call(args=[first, *rest], keywords=bound) if (
                last_part(value.func) == "partial"
            ):
                made = ast.Call(first, [*rest, *call.args], [*bound, *call.keywords])
                yield ast.copy_location(made, call)
            case ast.Attribute():
                yield ast.copy_location(ast.Call(value, call.args, call.keywords), call)
    yield from _looked_up(program, module, call, origins)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _GOES_ON:
        for made in origins.some_calls(call.func.value):
            yield from _resumed(program, module, made, call)


def _looked_up(
    program: Program, module: Module, call: ast.Call, origins: Origins
) -> Iterator[CallOf]:
    """Yield calls of all methods of an object that code looks one up in: `self.steps[name]()`, `getattr(job, name)()`."""
    match call.func:
        case ast.Subscript(value=ast.Attribute(value=owner)):
            pass
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, *_]):
            pass
        case _:
            return
    own = program.class_of_self(module, owner)
    made = [program.class_of(module, each.func) for each in origins.some_calls(owner)]
    for cls in [own] if own is not None else made:
        for each in program.lineage(cls) if cls is not None else ():
            for name, method in each.methods.items():
                if not name.startswith("__"):
                    func = ast.copy_location(ast.Attribute(owner, name, ast.Load()), call)
                    run = ast.copy_location(CallOf(func, call.args, call.keywords), call)
                    run.callee = Callee(each.module, method, parameters(method)[1:])
                    yield run


def _resumed(
    program: Program, module: Module, made: ast.Call, place: ast.Call
) -> Iterator[ast.Call]:
    """Yield a call of what comes after the first `yield` of a generator, with what it was made with."""
    found = program.function_of(module, made.func)
    if found is None:
        return
    nodes = executed(found[1].body)
    yields = in_order(each for each in nodes if isinstance(each, (ast.Yield, ast.YieldFrom)))
    if yields:
        call = ast.copy_location(CallOf(made.func, made.args, made.keywords), place)
        call.callee = Callee(*found, parameters(found[1]), after=yields[0])
        yield call


def handed_on(program: Program, module: Module, node: ast.AST) -> Iterator[Deferred]:
    """Yield the calls of functions that a call is given: whoever gets them may make these later."""
    if not isinstance(node, ast.Call):
        return
    last = program.body_around(module, node)[-1]
    for given in (*node.args, *(each.value for each in node.keywords)):
        for call in _made_by(program, module, given):
            yield ast.copy_location(Deferred(call.func, call.args, call.keywords), last)


def _made_by(program: Program, module: Module, given: ast.expr) -> Iterator[ast.Call]:
    if isinstance(given, ast.Lambda):
        yield from (each for each in executed(given.body) if isinstance(each, ast.Call))
    elif isinstance(given, ast.Name) and _is_function(program, module, given):
        yield ast.Call(given, [], [])


def _is_function(program: Program, module: Module, name: ast.Name) -> bool:
    scope = module.scope_of(name).lookup(name.id)
    bindings = scope.bindings.get(name.id, ()) if scope is not None else ()
    if any(each.kind == "parameter" for each in bindings):
        return False
    local = any(isinstance(each.node, (ast.FunctionDef, ast.AsyncFunctionDef)) for each in bindings)
    return local or program.function_of(module, name) is not None


def is_unknown(program: Program, module: Module, func: ast.expr) -> bool:
    """Return whether a call runs whatever a local name, or an item, holds."""
    if isinstance(func, ast.Subscript):
        return True
    scope = module.scope_of(func).lookup(func.id) if isinstance(func, ast.Name) else None
    kinds = {each.kind for each in scope.bindings.get(dotted(func), ())} if scope else set()
    return bool(kinds) and not kinds & {"import", "class", "def", "function"}


__all__ = ["Deferred", "comes_to", "handed_on", "is_unknown"]
