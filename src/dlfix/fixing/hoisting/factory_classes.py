"""Local classes that depend on what their function is passed: pickle makes them again by a call of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing import naming
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.plans_classes import FactoryPlan
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.project.targets import evaluates_generics
from dlfix.reach.evaluator import Base
from dlfix.reach.values import Class, Unknown
from dlfix.source.notebook import is_notebook

_GETSTATE = "__getstate__"


def depends(module: Module, node: ast.ClassDef) -> bool:
    """Return whether the bases of a class are chosen by parameters of the function around it."""
    function = module.parent(node)
    return isinstance(function, ast.FunctionDef) and bool(_chosen(function, node))


def plan(
    module: Module, project: Project, node: ast.ClassDef, line: Sequence[Base]
) -> tuple[str, FactoryPlan]:
    """Plan a `__reduce__` that names what the function around a class was passed; raise CannotHoist."""
    function = module.parent(node)
    assert isinstance(function, ast.FunctionDef)
    for place, reason in _refusals(module, project, function, node, line):
        raise CannotHoist(f"{reason} (line {getattr(place, 'lineno', node.lineno)})")
    names = [each.arg for each in function.args.args]
    taken = naming.names_in(module.tree)
    wanted = f"_new_{naming.snake(node.name)}"
    message = f"Pickle objects of `{node.name}` with the arguments of `{function.name}`"
    state = _GETSTATE + "()" if _has_getstate(line) else "__dict__"
    typed = " -> tuple[object, ...]" if evaluates_generics(module) else " -> tuple"
    plan = FactoryPlan(
        module.span(function),
        module.span(node),
        naming.free_name(wanted, taken),
        tuple(names),
        f"self.{state}",
        naming.free_name(["cls", "made"], {*names, function.name}),
        typed if function.returns is not None else "",
    )
    return message, plan


def _chosen(function: ast.FunctionDef, node: ast.ClassDef) -> list[ast.Name]:
    names = {each.arg for each in function.args.args}
    bases = [inner for base in node.bases for inner in ast.walk(base)]
    return [each for each in bases if isinstance(each, ast.Name) and each.id in names]


def _refusals(
    module: Module,
    project: Project,
    function: ast.FunctionDef,
    node: ast.ClassDef,
    line: Sequence[Base],
) -> Iterator[tuple[ast.AST, str]]:
    """Yield why a function cannot be called again to make its class."""
    args, name = function.args, function.name
    if is_notebook(module.path):
        yield node, f"the class `{node.name}` depends on arguments of a function of a notebook"
    if function not in module.tree.body:
        yield node, f"the class `{node.name}` depends on arguments of a local function or method"
    if function.decorator_list:
        yield function, f"`{name}` has a decorator"
    if any([args.posonlyargs, args.vararg, args.kwonlyargs, args.kwarg, args.defaults]):
        yield function, f"`{name}` does not always take all arguments by position"
    rest = [each for each in function.body if each is not node and not _is_text(each)]
    match rest:
        case [ast.Return(value=ast.Name(id=returned))] if returned == node.name:
            pass
        case _:
            yield function, f"`{name}` does more than to define the class `{node.name}`"
    for other in project.mentions(name):
        for call in other.calls_by_name.get(name, ()):
            starred = any(isinstance(each, ast.Starred) for each in call.args)
            if starred or call.keywords or len(call.args) != len(args.args):
                yield call, f"`{name}` is not passed all arguments by position"
    for base in line[1:]:
        if isinstance(base, Unknown):
            yield node, f"a base of `{node.name}` is not known"
        if isinstance(base, Class) and (base.node.keywords or base.node.decorator_list):
            yield node, f"the base `{base.node.name}` has a metaclass or a decorator"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _has_getstate(line: Sequence[Base]) -> bool:
    """Return whether one of some classes says what its state is."""
    nodes = [each.node for each in line if isinstance(each, Class)]
    members = (member for node in nodes for member in node.body)
    return any(isinstance(m, ast.FunctionDef) and m.name == _GETSTATE for m in members)


__all__ = ["depends", "plan"]
