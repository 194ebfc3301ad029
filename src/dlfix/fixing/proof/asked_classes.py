"""What code does with the class of an object: it sets something on it, or tells it from the class of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.proof.kept_class import uses_of
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import COMPREHENSIONS, FUNCTIONS, dotted, self_name
from dlfix.project.module import Module

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)
_LITERALS = (ast.Constant, ast.JoinedStr, ast.Dict, ast.List, ast.Tuple, ast.Set)
_USES = {"set": "sets or changes the class", "told": "compares the classes"}
_FAR = 4  # how many callers are followed


def asked(
    program: Program, line: Sequence[Class], *, shared: bool
) -> Iterator[tuple[Module, ast.AST, str]]:
    """Yield where code changes the class of an object; where several calls share one also what tells two apart.

    The methods of classes that are none of `line` may do so with their own objects.
    """
    project = program.project
    for module in dict.fromkeys([*project.mentions("__class__"), *project.mentions("type")]):
        asking = [*module.attributes_by_name.get("__class__", ())]
        for node in (*asking, *module.calls_by_name.get("type", ())):
            held = whose_class(node)
            if held is None or isinstance(held, _LITERALS) or _is_of_others(module, held, line):
                continue
            use = _use_of(module, node)
            if use == "set" or (shared and use == "told"):
                yield module, node, f"code {_USES[use]} of objects"
    for module in project.mentions("__subclasses__") if shared else ():
        for node in module.attributes_by_name.get("__subclasses__", ()):
            yield module, node, "code lists the classes that derive from another"


def _is_of_others(module: Module, held: ast.expr, line: Sequence[Class]) -> bool:
    around = [*module.ancestors(held)]
    owner = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    method = next((each for each in around if isinstance(each, FUNCTIONS)), None)
    if owner is None or method is None or any(owner is each.node for each in line):
        return False
    return dotted(held) == self_name(method)


def _use_of(module: Module, node: ast.expr) -> str:
    """Return whether the class of an object is set or changed, or told from that of another."""
    above = module.parent(node)
    match above:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return "set"
        case ast.Call(func=ast.Name(id="setattr" | "delattr")):
            return "set"
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass")):
            return "told"
        case ast.Compare(left=left, comparators=[other]):
            both = [whose_class(each) for each in (left, other)]
            plain = any(each is None or isinstance(each, _LITERALS) for each in both)
            return "" if plain else "told"
        case ast.Subscript(slice=key) if key is node:
            return "told"
    is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    return "" if is_read else "set"


def runs_once(program: Program, module: Module, node: ast.AST, far: int = _FAR) -> bool:
    """Return whether code runs once: in no loop, of a module or of a function that is called once itself."""
    around = [*module.ancestors(node)]
    function = next((each for each in around if isinstance(each, FUNCTIONS)), None)
    inside = around[: around.index(function)] if function is not None else around
    if any(isinstance(each, _LOOPS) for each in inside) or not far:
        return False
    if function is None:
        return True
    uses = [*uses_of(program, module, function.name)]
    if function.decorator_list or function not in module.tree.body or len(uses) != 1:
        return False
    home, use = uses[0]
    call = home.parent(use)
    is_call = isinstance(call, ast.Call) and call.func is use
    return is_call and runs_once(program, home, use, far - 1)


__all__ = ["asked", "runs_once"]
