"""Who handles an error where code stands: a `try`, a context manager, a decorator, or who a function is handed to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from dlfix.catalog import load
from dlfix.fixing.proof.construction_sites import call_of, passed_to
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    dotted,
    ends_here,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
    values_set,
    within,
)
from dlfix.fixing.proof.value_flow import places_of
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.order import comes_before

# What a handler waits for that opening a resource never raises.
_ELSEWHERE = frozenset(
    "KeyboardInterrupt ImportError ModuleNotFoundError StopIteration AttributeError NameError"
    " GeneratorExit SystemExit ZeroDivisionError BrokenPipeError".split()
)
_EXPECTS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
_CALLS_LATER = frozenset({"submit", "apply_async", "run_in_executor", "to_thread"})
_HANDLING = ("except", "suppress", "exception", "return_exceptions")
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
_EXITS = ("__exit__", "__aexit__")
_ENTERS = frozenset({"enter_context", "enter_async_context", "push", "push_async_exit"})
_LEAVES = (ast.Return, ast.Break, ast.Continue)
_FAR = 3  # how many functions that give a context manager are followed

Handler: TypeAlias = ast.ExceptHandler | ast.stmt | ast.expr


def handler_of(program: Program, module: Module, node: ast.expr) -> Handler | None:
    """Return who handles what is raised where something is called, or handed on to be called."""
    return (
        _handler_around(program, module, node)
        or _keeps_error(program, module, node)
        or _decorated(program, module, node)
        or _handed_on(program, module, node)
    )


def goes_on(program: Program, module: Module, node: ast.AST) -> bool:
    """Return whether a statement goes on after an error in its block: a `try`, or a `with` of a manager that does."""
    if isinstance(node, ast.Try):
        return _of_try(node) is not None
    items = node.items if isinstance(node, (ast.With, ast.AsyncWith)) else []
    return any(_suppresses(program, module, each.context_expr, _FAR) for each in items)


def _waits(kind: ast.expr | None) -> bool:
    """Return whether a handler of some kind of error may handle that of an opening."""
    if kind is None:
        return True
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(last_part(k) not in _ELSEWHERE for k in kinds)


def _keeps_error(program: Program, module: Module, node: ast.AST) -> ast.Call | None:
    """Return the call that makes an object by its class, and keeps or expects the error: `pool.submit(Rows)`."""
    call = passed_to(module, node)
    if call is None:
        return None
    name = last_part(call.func)
    asked = name in _CALLS_LATER and _takes_errors(program, module)
    return call if asked or name in _EXPECTS else None


def _takes_errors(program: Program, module: Module) -> bool:
    """Return whether code asks what it called later for its error: by `exception()`, or a handler around `result()`."""
    if module.attributes_by_name.get("exception"):
        return True
    if any(each.arg == "return_exceptions" for each in module.of_kind(ast.keyword)):
        return True
    return any(
        _around(program, module, each) is not None
        for name in ("result", "get")
        for each in module.attributes_by_name.get(name, ())
    )


def _handler_around(program: Program, module: Module, node: ast.AST) -> Handler | None:
    """Return the handler, in the function around a call, that its error comes to."""
    called = call_of(module, node)
    return _around(program, module, called) if called is not None else None


def _around(program: Program, module: Module, node: ast.AST, far: int = _FAR) -> Handler | None:
    child = node
    for parent in module.ancestors(node):
        if isinstance(parent, FUNCTIONS):
            return _entered(program, module, node, parent, far)
        if isinstance(parent, ast.Try) and any(child is s for s in parent.body):
            handler = _of_try(parent)
            if handler is not None:
                return handler
        if isinstance(parent, (ast.With, ast.AsyncWith)) and any(child is s for s in parent.body):
            for item in parent.items:
                if _suppresses(program, module, item.context_expr, far):
                    return parent
        child = parent
    return None


def _of_try(node: ast.Try) -> Handler | None:
    """Return what goes on after an error in the body of a `try`: a handler, or a `finally` that leaves it."""
    for handler in node.handlers:
        if _waits(handler.type) and not ends_here(handler.body):
            return handler
    return next((each for each in executed(node.finalbody) if isinstance(each, _LEAVES)), None)


def _entered(
    program: Program, module: Module, node: ast.AST, function: Function, far: int
) -> ast.Call | None:
    """Return what a function entered before by a stack: `stack.enter_context(attempt(log))`."""
    calls = (each for each in executed(function.body) if isinstance(each, ast.Call) and each.args)
    for call in calls:
        enters = last_part(call.func) in _ENTERS and comes_before(call, node)
        if enters and _suppresses(program, module, call.args[0], far):
            return call
    return None


# Context managers


def _suppresses(program: Program, module: Module, manager: ast.expr, far: int) -> bool:
    """Return whether a context manager may go on after an error of its block."""
    if isinstance(manager, (ast.IfExp, ast.BoolOp)):
        parts = (
            manager.values if isinstance(manager, ast.BoolOp) else [manager.body, manager.orelse]
        )
        return any(_suppresses(program, module, each, far) for each in parts)
    if isinstance(manager, (ast.Name, ast.Attribute)):
        return any(_is_suppressing(program, module, manager, far))
    if not isinstance(manager, ast.Call) or far == 0:
        return False
    if last_part(manager.func) in _EXPECTS or _goes_on(module, manager.func):
        return True
    made = program.class_of(module, manager.func)
    if made is not None:
        return _exits_with_true(program, made)
    found = program.function_of(module, manager.func) or _local(module, manager.func)
    return found is not None and _function_suppresses(program, *found, far)


def _is_suppressing(
    program: Program, module: Module, name: ast.Name | ast.Attribute, far: int
) -> Iterator[bool]:
    """Yield whether each value of a name, or of an attribute of the object, may go on after an error."""
    if far == 0:
        return
    if isinstance(name, ast.Attribute):
        cls = program.class_of_self(module, name.value)
        methods = [f for each in program.lineage(cls) for f in each.functions] if cls else []
        for method in methods:
            for value in values_set(method, name.attr):
                yield _suppresses(program, module, value, far - 1)
        return
    scope = module.scope_of(name).lookup(name.id)
    for binding in scope.bindings.get(name.id, ()) if scope is not None else ():
        if binding.kind == "parameter":  # whatever the caller passes
            yield any(program.once(_suppressing))
        elif binding.value is not None:
            yield _suppresses(program, module, binding.value, far - 1)


def _suppressing(program: Program) -> Iterator[bool]:
    """Yield for each context manager of the program that it may go on after an error."""
    for name in sorted(_MANAGERS):
        for module in program.project.mentions(name):
            for functions in module.functions_by_name.values():
                for function in functions:
                    if _function_suppresses(program, module, function, 1):
                        yield True
    for name in _EXITS:
        for module in program.project.mentions(name):
            yield from (True for c in program.classes(module) if _exits_with_true(program, c))


def _function_suppresses(program: Program, module: Module, function: Function, far: int) -> bool:
    """Return whether what a function gives goes on after an error: a generator that handles it, or another manager."""
    nodes = list(executed(function.body))
    if any(_last_name(module, each) in _MANAGERS for each in function.decorator_list):
        return any(
            _around(program, module, each, far - 1) is not None
            for each in nodes
            if isinstance(each, ast.Yield)
        )
    given = [each.value for each in nodes if isinstance(each, ast.Return) and each.value]
    return any(_suppresses(program, module, each, far - 1) for each in given)


def _exits_with_true(program: Program, cls: Class) -> bool:
    """Return whether the objects of a class may say, as context managers, that an error is done with."""
    methods = [m for name in _EXITS if (m := program.method(cls, name)) is not None]
    if not methods:
        return "suppress" in program.unknown_bases(cls)
    values = [
        each.value
        for _, method in methods
        for each in executed(method.body)
        if isinstance(each, ast.Return) and each.value is not None
    ]
    return any(_may_be_true(each) for each in values)


def _may_be_true(value: ast.expr) -> bool:
    """Return whether a value may be true; what the manager inside says is taken for what most say."""
    if isinstance(value, ast.Constant):
        return bool(value.value)
    return not (isinstance(value, ast.Call) and last_part(value.func) in _EXITS)


# Decorators


def _decorated(program: Program, module: Module, node: ast.AST) -> ast.expr | None:
    """Return the decorator that handles the errors of the function around a call."""
    for function in module.ancestors(node):
        if isinstance(function, FUNCTIONS) and function.name != "main":
            for each in function.decorator_list:
                if _decorator_handles(program, module, each):
                    return each
    return None


def _decorator_handles(program: Program, module: Module, decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if _goes_on(module, called):
        return True
    if isinstance(decorator, ast.Call) and _suppresses(program, module, decorator, _FAR):
        return True
    made = program.class_of(module, called)
    if made is not None:
        methods = [each for cls in program.lineage(made) for each in cls.functions]
        return any(_tries_what_it_gets(program, made.module, each) for each in methods)
    found = program.function_of(module, called) or _local(module, called)
    return found is not None and _tries_what_it_gets(program, *found)


def _tries_what_it_gets(program: Program, module: Module, function: Function) -> bool:
    """Return whether a function, or one in it, handles the errors of calling what it gets or keeps."""
    inner = [function, *(n for n in within(function.body) if isinstance(n, FUNCTIONS))]
    names = {name for each in inner for name in parameters(each)}
    return any(
        (dotted(call.func) in names or is_attribute(call.func, self_name(function)))
        and _around(program, module, call) is not None
        for call in within(function.body)
        if isinstance(call, ast.Call)
    )


# Functions that are handed on


def _handed_on(program: Program, module: Module, node: ast.expr) -> Handler | None:
    """Return who handles the errors of a function, around a call or named by it, that other code gets."""
    tried = program.once(_tried)
    if not tried:
        return None
    known = dict(tried)
    for home, given in _carriers(program, module, node):
        places = places_of(program, home, given)
        if places is None:  # it is lost from view
            return tried[0][1]
        for _, place in places:
            if isinstance(place, ast.expr) and place in known:
                return known[place]
    return None


def _carriers(
    program: Program, module: Module, node: ast.expr
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the functions that make what a node makes, where they are handed on: a lambda, a partial, a name."""
    call = passed_to(module, node)
    if call is not None:
        yield module, (call if last_part(call.func) == "partial" else node)
    for above in module.ancestors(node):
        if isinstance(above, ast.Lambda):
            yield module, above
        elif isinstance(above, FUNCTIONS):
            yield from _named(program, above)
            return


def _named(program: Program, function: Function) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where code names a function, and does not call it there."""
    for module in program.project.mentions(function.name):
        for each in module.nodes_by_name.get(function.name, ()):
            found = program.resolve(module, each)
            same = found is None or found[1] is function
            if same and isinstance(each.ctx, ast.Load) and call_of(module, each) is None:
                yield module, each


def _tried(program: Program) -> Iterator[tuple[ast.expr, Handler]]:
    """Yield what a parameter, a loop or an item holds, where it is called, now or later, and its errors are handled."""
    for module in _with_handlers(program):
        for call in module.calls:
            if _is_of_any(program, module, call.func):
                handler = _around(program, module, call)
                if handler is not None:
                    yield call.func, handler
            for given in call.args:
                if _is_of_any(program, module, given) and _keeps_error(program, module, given):
                    yield given, call


def _with_handlers(program: Program) -> Iterable[Module]:
    words = (*_HANDLING, *sorted(_MANAGERS), *_EXITS)
    return dict.fromkeys(each for word in words for each in program.project.mentions(word))


def _is_of_any(program: Program, module: Module, func: ast.expr) -> bool:
    """Return whether a call runs what a name of the function, an item or an attribute of the object holds."""
    if isinstance(func, ast.Subscript):
        return True
    if isinstance(func, ast.Attribute):
        cls = program.class_of_self(module, func.value)
        return cls is not None and program.method(cls, func.attr) is None
    scope = module.scope_of(func).lookup(func.id) if isinstance(func, ast.Name) else None
    kinds = {each.kind for each in scope.bindings.get(dotted(func), ())} if scope else set()
    return bool(kinds) and not kinds & {"import", "class", "def"}


# Names


def _goes_on(module: Module, called: ast.expr) -> bool:
    """Return whether a function of a library handles the errors of what it is given, or of its block."""
    row = load().function(imported_as(module, called))
    return row is not None and row.goes_on


def _last_name(module: Module, node: ast.expr) -> str:
    return imported_as(module, node).rpartition(".")[2] or last_part(node)


def _local(module: Module, func: ast.expr) -> tuple[Module, Function] | None:
    """Return the function inside another that a name stands for."""
    scope = module.scope_of(func).lookup(func.id) if isinstance(func, ast.Name) else None
    bound = [each.node for each in scope.bindings.get(dotted(func), ())] if scope else []
    return next(((module, each) for each in bound if isinstance(each, FUNCTIONS)), None)


__all__ = ["Handler", "goes_on", "handler_of"]
