"""Generators that a class keeps: each process may make its own where nothing is taken from the parent's."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.classes.facts import ClassFacts, is_self_attribute, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.inputs import Inputs, method_around
from dlfix.project.module import Module
from dlfix.project.syntax import is_attribute_of, last_name

_GO_THROUGH = frozenset(
    "list tuple set frozenset sorted enumerate zip map filter reversed tqdm trange track sum max min".split()
)
_REPEATING = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
)


def refuse_where_taken_from(facts: ClassFacts, names: Iterable[str], inputs: Inputs | None) -> None:
    """Refuse generators from which the parent may take something: a new one would begin before that."""
    if inputs is None or not inputs.calls:
        raise Refusal(f"other code may take items from the generator ({facts.line(facts.node)})")
    for module, call in inputs.calls:
        if not _goes_to_one_loader(module, call):
            where = f"{module.path.name}:{call.lineno}"
            raise Refusal(
                f"the object made at {where} is not only passed to a loader: the parent may read its generator"
            )
    for name in names:
        for module, node in _reads(name, inputs):
            where = f"{module.path.name}:{node.lineno}"
            raise Refusal(f"items are taken from the generator in the parent ({where})")
    for module, node in _datasets(inputs):
        where = f"{module.path.name}:{node.lineno}"
        raise Refusal(
            f"the dataset is taken out of a loader at {where}: the parent may read its generator"
        )


def _goes_to_one_loader(module: Module, call: ast.Call) -> bool:
    """Return whether what a call makes is handed to a loader at once, or by a name that nothing else reads."""
    above = module.parent(call)
    if isinstance(above, ast.Assign) and above.value is call:
        match above.targets:
            case [ast.Name(id=name) as target]:
                scope = module.scope_of(target).lookup(name)
            case _:
                return False
        if scope is None or len(scope.bindings.get(name, ())) != 1:
            return False
        inner = [each for each in scope.walk() if each.lookup(name) is scope]
        reads = [read for each in inner for read in each.reads.get(name, ())]
        once = len(reads) == 1 and _loops(module, reads[0]) <= _loops(module, call)
        return once and _is_of_loader(module, reads[0])
    return _is_of_loader(module, call)


def _loops(module: Module, node: ast.AST) -> set[ast.AST]:
    """Return what may run a place several times: loops, but for what they go through, and functions."""
    found: set[ast.AST] = set()
    child = node
    for above in module.ancestors(node):
        if isinstance(above, _REPEATING) and child is not getattr(above, "iter", None):
            found.add(above)
        child = above
    return found


def _is_of_loader(module: Module, node: ast.expr) -> bool:
    above = module.parent(node)
    call = module.parent(above) if isinstance(above, ast.keyword) else above
    if not isinstance(call, ast.Call) or call.func is node:
        return False
    return ast.unparse(call.func).rpartition(".")[2] == "DataLoader"


def _reads(name: str, inputs: Inputs) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield the reads of an attribute, but for those of workers and of other classes' own."""
    related = {each.node for each in inputs.related.all}
    for module in inputs.project.mentions(name):
        for node in module.attributes_by_name.get(name, ()):
            method = method_around(module, node)
            own = method is not None and is_self_attribute(node, self_name(method))
            if not isinstance(node.ctx, ast.Load):
                continue
            if own and method is not None:
                another = module.parent(method) not in related
                if another or (method.name == "__iter__" and goes_through(module, node)):
                    continue
            yield module, node


def goes_through(module: Module, node: ast.expr) -> bool:
    """Return whether an expression is only gone through: by a loop, or by what makes a list of it."""
    above = module.parent(node)
    if isinstance(above, (ast.For, ast.AsyncFor, ast.comprehension)):
        return above.iter is node
    passed = (
        isinstance(above, ast.Call)
        and above.func is not node
        and last_name(above.func) in _GO_THROUGH
    )
    return passed or isinstance(above, ast.YieldFrom)


def _datasets(inputs: Inputs) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield where a loader is asked for its dataset, other than for its length."""
    for module in dict.fromkeys(module for module, _ in inputs.calls):
        for node in module.attributes_by_name.get("dataset", ()):
            above = module.parent(node)
            measured = isinstance(above, ast.Call) and ast.unparse(above.func) == "len"
            plain = is_attribute_of(node, "self")
            if isinstance(node.ctx, ast.Load) and not measured and not plain:
                yield module, node
