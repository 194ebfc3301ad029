"""Where a definition stands at module level: below what it reads when it is evaluated, if that is further down."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.project.module import Module
from dlfix.project.syntax import FUNCTIONS
from dlfix.project.targets import oldest_minor
from dlfix.project.trees import children, walk

_LAZY_SINCE = 14  # the minor version of Python from which annotations are evaluated when asked for
_QUIET = (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)


def near(module: Module, node: ast.AST, annotations: Iterable[str] = ()) -> ast.AST:
    """Return the statement above which a definition can stand, or the definition where its own place will do."""
    body = module.tree.body
    first = body.index(_at_top(module, node))
    last = max(
        (_first_binding(module, name) for name in _needed(module, node, annotations)), default=-1
    )
    below = body[last + 1 :]
    if last < first or not below or not all(map(_is_quiet, body[first : last + 1])):
        return node
    return below[0]


def _at_top(module: Module, node: ast.AST) -> ast.stmt:
    *_, top, _ = [node, *module.ancestors(node)]
    assert isinstance(top, ast.stmt)
    return top


def _is_quiet(statement: ast.stmt) -> bool:
    """Return whether a statement runs no function of the module: none that needs the definition by then."""
    if isinstance(statement, _QUIET):
        return True
    calls = any(isinstance(each, ast.Call) for each in walk(statement))
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and not calls


def _first_binding(module: Module, name: str) -> int:
    """Return the index of the first statement of a module that binds a name."""
    body = module.tree.body
    tops = [_at_top(module, each.node) for each in module.scope.bindings.get(name, ())]
    return min((body.index(each) for each in tops), default=-1)


def _needed(module: Module, node: ast.AST, annotations: Iterable[str]) -> set[str]:
    """Return the names of the module that are read when a definition is evaluated."""
    lazy = _is_lazy(module)
    reads = [each for each in _evaluated(node, lazy) if isinstance(each, ast.Name)]
    found = {each.id for each in reads if module.scope_of(each).lookup(each.id) is module.scope}
    for text in () if lazy else filter(None, annotations):
        found |= {
            each.id for each in ast.walk(ast.parse(f"({text})")) if isinstance(each, ast.Name)
        }
    return found


def _is_lazy(module: Module) -> bool:
    """Return whether annotations are not evaluated where they stand."""
    imports = module.nodes(ast.ImportFrom)
    lazy = any(
        a.name == "annotations" for n in imports if n.module == "__future__" for a in n.names
    )
    return lazy or (oldest_minor(module.path) or 0) >= _LAZY_SINCE


def _evaluated(node: ast.AST, lazy: bool) -> Iterator[ast.AST]:
    """Yield what is evaluated when a node runs: of a function its decorators, defaults and annotations."""
    yield node
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        inner = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        inner += getattr(node, "decorator_list", ())
        if not lazy:
            arguments = [n.annotation for n in ast.walk(node.args) if isinstance(n, ast.arg)]
            inner += filter(None, [*arguments, getattr(node, "returns", None)])
    else:
        inner = list(children(node))  # type: ignore[arg-type]
        if lazy and isinstance(node, ast.AnnAssign):
            inner.remove(node.annotation)
    for each in inner:
        yield from _evaluated(each, lazy)


__all__ = ["near"]
