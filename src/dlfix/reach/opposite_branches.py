"""What an object's method sets beside a start of workers, in the opposite branch of a test, or behind it, is not sent.

A trainer starts workers for several devices, else it does all itself: `if n > 1: spawn(self.run) else: self.set_up()`.
A method that is called once may keep the processes that it has started: `self.processes = processes`.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before, lies_in
from dlfix.project.syntax import LOOPS
from dlfix.project.trees import COMPREHENSIONS, walk
from dlfix.reach.correlated import excluded
from dlfix.reach.evaluator import Def
from dlfix.reach.process_roles import PARENT, closure

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project
    from dlfix.reach.crossing import Boundary, Store
    from dlfix.reach.interpreter import Interpreter
    from dlfix.reach.values import Instance

_BODIES = ("body", "orelse")
_MOST_CALLS = 3  # from a branch to what is set there


def set_beside(
    store: Store, instance: Instance, boundary: Boundary, interpreter: Interpreter
) -> bool:
    """Return whether a method sets an attribute only where the object's own start of workers is not run."""
    roles = interpreter.roles
    methods = roles.methods(instance.cls)
    start = _method_around(methods, boundary)
    if start is None or store.method not in methods:
        return False
    if store.frame.module is boundary.frame.module and excluded(
        store.statement, boundary.node, store.frame.module
    ):
        return True
    if not store.late:
        return False
    module, before = boundary.frame.module, dict(roles.uses(instance.cls))
    before[start] = {
        each.attr
        for each in _used_before(methods[start], boundary.node, module)
        if not _is_behind(each, methods[start], boundary, interpreter.project)
    }
    called = roles.of(instance.cls).called
    entries = [name for name in methods if name == start or name in PARENT or name in called]
    reached = closure(entries, before)
    if store.method == start:
        return _is_opposite(store.statement, boundary.node, module) or _is_behind(
            store.statement, methods[start], boundary, interpreter.project
        )
    return store.method not in reached


def runs_opposite(
    node: ast.AST, module: Module, boundary: Boundary, project: Project, far: int = _MOST_CALLS
) -> bool:
    """Return whether a node only runs in branches beside a start of workers: `if n > 1: spawn(work) else: work(0)`."""
    if module is boundary.frame.module and _is_in_other_branch(node, boundary.node, module):
        return True
    around = enclosing_function(module, node)
    if not far or not isinstance(around, Def) or around in module.ancestors(boundary.node):
        return False
    calls = []
    for caller in project.callers(module, around.name):
        if caller is not module and _defines(caller, around.name):
            continue
        for use in caller.nodes_by_name.get(around.name, ()):
            call = caller.parent(use)
            if isinstance(call, ast.Call) and call.func is use:
                calls.append((call, caller))
            elif not lies_in(use, boundary.node):
                return False  # whoever gets it may call it
    return bool(calls) and all(
        runs_opposite(call, caller, boundary, project, far - 1) for call, caller in calls
    )


def _defines(module: Module, name: str) -> bool:
    """Return whether a name is a function of a module's own."""
    bindings = module.scope.bindings.get(name, ())
    return bool(bindings) and all(isinstance(each.node, Def) for each in bindings)


def _is_behind(node: ast.AST, method: Def, boundary: Boundary, project: Project) -> bool:
    """Return whether a node runs once the processes of a method, which is called once, are started."""
    module = boundary.frame.module
    calls = (
        call for call in module.calls_by_name.get("start", ()) if method in module.ancestors(call)
    )
    started = [call for call in calls if comes_before(boundary.node, call)]
    return (
        boundary.kind == "Process"
        and bool(started)
        and all(comes_before(call, node) for call in started)
        and not _is_repeated(module, node, method)
        and _is_called_once(module, method, project)
    )


def _is_called_once(module: Module, method: Def, project: Project) -> bool:
    """Return whether one call in view has a method's name, and nothing around it repeats it."""
    calls = [
        (caller, call)
        for caller in project.callers(module, method.name)
        for call in caller.calls_by_name.get(method.name, ())
    ]
    if len(calls) != 1:
        return False
    caller, call = calls[0]
    around = enclosing_function(caller, call)
    if _is_repeated(caller, call, around):
        return False
    if around is None or getattr(around, "name", "") == "main":
        return True
    return (
        isinstance(around, Def)
        and around is not method
        and _is_called_once(caller, around, project)
    )


def _is_repeated(module: Module, node: ast.AST, function: ast.AST | None) -> bool:
    above = itertools.takewhile(lambda each: each is not function, module.ancestors(node))
    return any(isinstance(each, (*LOOPS, *COMPREHENSIONS)) for each in above)


def _method_around(methods: dict[str, Def], boundary: Boundary) -> str | None:
    above = set(boundary.frame.module.ancestors(boundary.node))
    return next((name for name, node in methods.items() if node in above), None)


def _used_before(method: Def, start: ast.AST, module: Module) -> Iterator[ast.Attribute]:
    """Yield what a method reads of an object, but for what it hands to the workers or does beside them."""
    handed = {node for each in _handed(start) for node in walk(each)}
    for node in walk(method):
        if not isinstance(node, ast.Attribute) or node in handed:
            continue
        if not _is_opposite(node, start, module):
            yield node


def _handed(start: ast.AST) -> list[ast.expr]:
    """Return what a call hands over: what it is called on is read before."""
    if not isinstance(start, ast.Call):
        return []
    return [*start.args, *(each.value for each in start.keywords)]


def _is_opposite(node: ast.AST, start: ast.AST, module: Module) -> bool:
    """Return whether a node stands in a branch that is not run where workers are started."""
    return _is_in_other_branch(node, start, module) or excluded(node, start, module)


def _is_in_other_branch(node: ast.AST, start: ast.AST, module: Module) -> bool:
    """Return whether two nodes stand in the two branches of one `if`, which no loop repeats."""
    line = [start, *module.ancestors(start)]
    child = node
    for above in module.ancestors(node):
        if above in line:
            other = line[line.index(above) - 1]
            where = [_branch_of(above, each) for each in (child, other)]
            apart = isinstance(above, ast.If) and None not in where and where[0] != where[1]
            return apart and not any(isinstance(each, LOOPS) for each in module.ancestors(above))
        child = above
    return False


def _branch_of(test: ast.AST, child: ast.AST) -> str | None:
    return next((field for field in _BODIES if child in getattr(test, field, ())), None)
