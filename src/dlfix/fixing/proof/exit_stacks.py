"""What an exit stack calls when it ends: by a `with`, by `close()`, or somewhere else in the program."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof.outliving import Temporary
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.special_calls import special_call
from dlfix.fixing.proof.syntax import dotted, executed, last_part, stored_names
from dlfix.project.module import Module

ENTERING = ("enter_context", "enter_async_context", "push", "push_async_exit")
CALLING = ("callback", "push_async_callback")
_ENDING = frozenset({"close", "aclose", "pop_all", "__exit__", "__aexit__"})


def called_at_end(program: Program, module: Module, node: ast.AST) -> Iterator[ast.Call]:
    """Yield what the exit stacks call that a node ends, and what a stack calls that ends somewhere else."""
    match node:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            stacks = {dotted(item.optional_vars) for item in items} - {""}
            yield from _of_stacks(program, module, stacks, node.body, node)
        case ast.Call(func=ast.Attribute(value=stack, attr=name)) if name in _ENDING:
            around = _registering(program, module, stack)
            yield from _of_stacks(program, module, {dotted(stack)} - {""}, around, node)
        case ast.Call() | ast.FunctionDef() | ast.AsyncFunctionDef():
            kept = _stack_of(node)
            if kept is not None and _ends_elsewhere(program, module, kept):
                last = program.body_around(module, node)[-1]
                yield from _registered(program, module, node, last)


def _registering(program: Program, module: Module, stack: ast.expr) -> list[ast.stmt]:
    """Return the statements that may register something: of all methods, if an object keeps the stack."""
    if isinstance(stack, ast.Attribute):
        cls = program.class_of_self(module, stack.value)
        if cls is not None:
            return [each for function in cls.functions for each in function.body]
    return program.body_around(module, stack)


def _ends_elsewhere(program: Program, module: Module, stack: ast.expr) -> bool:
    """Return whether other functions may end a stack: it is a parameter, or is passed on or kept."""
    name, body = dotted(stack), program.body_around(module, stack)
    for node in executed(body):
        if isinstance(node, ast.withitem) and name in (
            dotted(node.context_expr),
            dotted(node.optional_vars),
        ):
            return False
        match node:
            case ast.Call(func=ast.Attribute(value=ended, attr=method)) if method in _ENDING:
                if dotted(ended) == name:
                    return False
    if not isinstance(stack, ast.Name):
        return any(
            isinstance(call.func, ast.Attribute) and last_part(call.func.value) == last_part(stack)
            for method in _ENDING
            for home in program.project.mentions(method)
            for call in home.calls_by_name.get(method, ())
        )
    reads = (each for each in executed(body) if isinstance(each, ast.Name) and each.id == name)
    return name not in stored_names(body) or any(
        isinstance(each.ctx, ast.Load) and not isinstance(module.parent(each), ast.Attribute)
        for each in reads
    )


def _of_stacks(
    program: Program, module: Module, stacks: set[str], body: Iterable[ast.stmt], place: ast.AST
) -> Iterator[ast.Call]:
    for each in executed(body) if stacks else ():
        if dotted(_stack_of(each)) in stacks:
            yield from _registered(program, module, each, place)


def _stack_of(node: ast.AST) -> ast.expr | None:
    """Return the stack that a call registers something with, or a function by its decorator."""
    called = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", ())
    for each in called:
        if isinstance(each, ast.Attribute) and each.attr in (*CALLING, *ENTERING):
            return each.value
    return None


def _registered(
    program: Program, module: Module, node: ast.AST, place: ast.AST
) -> Iterator[ast.Call]:
    """Yield what a stack calls in the end, for what registers it: `stack.callback(os.remove, path)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *rest], keywords=keywords):
            if name in CALLING:
                yield ast.copy_location(ast.Call(first, rest, keywords), place)
            else:
                yield special_call(place, "__exit__", first)
                yield from _folder_removed(program, module, first, place)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            called = ast.copy_location(ast.Name(name, ast.Load()), place)
            yield ast.copy_location(ast.Call(called, [], []), place)


def _folder_removed(
    program: Program, module: Module, entered: ast.expr, place: ast.AST
) -> Iterator[ast.Call]:
    """Yield the removal of temporary files under the name that they were given when they were entered."""
    statement = module.statement(entered)
    if not isinstance(statement, ast.Assign) or not Temporary(program).removes(module, entered):
        return
    for target in statement.targets:
        remover = ast.parse("shutil.rmtree", mode="eval").body
        yield ast.copy_location(ast.Call(remover, [target], []), place)


__all__ = ["CALLING", "ENTERING", "called_at_end"]
