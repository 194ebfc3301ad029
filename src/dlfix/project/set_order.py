"""Where code goes by the order of a set, which is another in each process that Python starts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.syntax import last_name
from dlfix.project.trees import kept

_MAKE_SETS = frozenset({"set", "frozenset"})
_GIVE_SETS = frozenset("union intersection difference symmetric_difference".split())
_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)
# What gives the same in whatever order it gets its items.
_IN_ANY_ORDER = frozenset("sorted len min max sum any all set frozenset Counter".split())
_IN_ORDER = frozenset(
    "list tuple enumerate zip map filter iter dict fromkeys OrderedDict join array asarray tensor Series Index pop".split()
)
_FAR = 4  # names that lead to a set


@kept
def uses_of_order(tree: ast.Module) -> frozenset[ast.AST]:
    """Return the nodes of a module that go through a set: its items may be texts, whose hashes differ."""
    return frozenset(_Sets(tree).uses(tree))


class _Sets:
    """Knows which expressions of a module may be sets, by what it assigns to names."""

    def __init__(self, tree: ast.Module) -> None:
        self._given: dict[str, list[ast.expr]] = {}
        self._returned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._note(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._note(target, value)
                case ast.AugAssign(target=target, value=value):
                    self._note(target, value)
                case ast.FunctionDef(name=name):
                    inner = (n for n in ast.walk(node) if isinstance(n, ast.Return))
                    self._returned[name] = [n.value for n in inner if n.value is not None]

    def _note(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._given.setdefault(target.id, []).append(value)

    def uses(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield a node and those in it that go through a set in its order."""
        if self._goes_in_order(node):
            yield node
        is_free = isinstance(node, ast.Call) and last_name(node.func) in _IN_ANY_ORDER
        for child in ast.iter_child_nodes(node):
            is_passed = is_free and isinstance(node, ast.Call) and child in node.args
            for each in self.uses(child):
                if not (is_passed and each is child):
                    yield each

    def _goes_in_order(self, node: ast.AST) -> bool:
        match node:
            case ast.For(iter=iterated) | ast.Starred(value=iterated):
                return self._is_set(iterated)
            case (
                ast.ListComp(generators=parts)
                | ast.DictComp(generators=parts)
                | ast.GeneratorExp(generators=parts)
            ):
                return any(self._is_set(part.iter) for part in parts)
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                return self._is_set(value)
            case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[]):
                return self._is_set(owner)
            case ast.Call(func=func, args=args) if last_name(func) in _IN_ORDER:
                return any(self._is_set(each) for each in args)
        return False

    def _is_set(self, node: ast.expr, far: int = _FAR) -> bool:
        match node:
            case ast.Set(elts=items):
                return not all(_is_number(each) for each in items)
            case ast.SetComp():
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _GIVE_SETS:
                return self._is_set(owner, far)
            case ast.Call(func=ast.Name(id=name), args=args):
                if name in _MAKE_SETS:
                    return not all(_is_range(each) for each in args)
                return far > 0 and any(
                    self._is_set(v, far - 1) for v in self._returned.get(name, ())
                )
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                return any(self._is_set(each, far) or _is_view(each) for each in (left, right))
            case ast.IfExp(body=one, orelse=other):
                return self._is_set(one, far) or self._is_set(other, far)
            case ast.Name(id=name):
                return far > 0 and any(self._is_set(v, far - 1) for v in self._given.get(name, ()))
        return False


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "range"


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("keys", "items")


__all__ = ["uses_of_order"]
