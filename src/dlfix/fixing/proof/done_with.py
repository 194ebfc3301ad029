"""Objects that a function is done with: it reads them, and what may hold them, only before something else."""

from __future__ import annotations

import ast
from collections.abc import Collection

from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.plain_results import PlainResults
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.steps import Step
from dlfix.fixing.proof.syntax import executed, last_part, stored_names, within
from dlfix.project.module import Module
from dlfix.project.order import end, lies_in, start
from dlfix.project.syntax import is_none

_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
_GOING_THROUGH = frozenset({"enumerate", "iter", "tqdm"})  # what they yield is what they are given
_BEFORE_COLLATE = 6  # positional arguments of a loader before `collate_fn`
_FAR = 3


class DoneWith:
    """Asks whether an object is read only before a step."""

    def __init__(self, program: Program) -> None:
        self.program, self.plain = program, program.kept(PlainResults)

    def before(
        self,
        module: Module,
        call: ast.Call,
        names: Collection[str],
        removing: Step,
        node: ast.AST,
    ) -> bool:
        """Return whether a function reads what a call made, and what that was passed to, only before a step of a node."""
        around = module.scope_of(call)
        inner = [each for each in around.walk() if each is not around]
        loops = [each for each in module.ancestors(node) if isinstance(each, (ast.For, ast.While))]
        held, size = {*names}, 0
        while size != len(held):
            size = len(held)
            for name in [*held]:
                if any(name in each.reads and each.lookup(name) is around for each in inner):
                    return False
                for read in around.reads.get(name, ()):
                    reached = self._reached(module, read)
                    if reached is None or start(read) >= end(removing):
                        return False
                    held |= reached
        is_read = any(around.reads.get(name) for name in names)
        own = held.isdisjoint(around.globals | around.nonlocals)
        return is_read and own and all(lies_in(call, each) for each in loops)

    def _reached(self, module: Module, read: ast.Name) -> set[str] | None:
        """Return the local names that may hold an object once one expression has read it; None where it leaves."""
        child: ast.AST = read
        found: set[str] = set()
        for above in module.ancestors(read):
            match above:
                case ast.Call():
                    is_own = self.program.function_of(module, above.func) is not None
                    gives_plain = self.plain.gives(module, above)
                    if above.func is not child and (is_own or not gives_plain):
                        found |= {part.id for part in within(above) if isinstance(part, ast.Name)}
                    if gives_plain:
                        return found
                case ast.For(iter=over) | ast.comprehension(iter=over) if (
                    over is child and self._gives_batches(module, over)
                ):
                    return found
                case (
                    ast.Compare() | ast.Assert() | ast.Expr() | ast.If() | ast.While()
                    | ast.Delete()
                ):  # fmt: skip
                    return found
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.withitem():
                    bound = [part for each in _targets(above) for part in within(each)]
                    kept = any(isinstance(each, (ast.Attribute, ast.Subscript)) for each in bound)
                    return None if kept else found | stored_names(bound)
                case ast.stmt() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.Lambda():
                    return None
            child = above
        return None

    def _gives_batches(self, module: Module, over: ast.expr, far: int = _FAR) -> bool:
        """Return whether what is gone through is a loader that makes batches of numbers, texts and tensors alone."""
        match over:
            case ast.Name(id=name) if far:
                bindings = (module.scope_of(over).lookup(name) or module.scope).bindings
                made = [each.value for each in bindings.get(name, ())]
                return bool(made) and all(
                    each is not None and self._gives_batches(module, each, far - 1) for each in made
                )
            case ast.Call(args=[given, *_]) if last_part(over.func) in _GOING_THROUGH and far:
                return self._gives_batches(module, given, far - 1)
            case ast.Call():
                known = self.program.function_of(module, over.func)
                if known is None or not far:
                    return _collates(module, over)
                home, function = known
                made = [n.value for n in executed(function.body) if isinstance(n, ast.Return)]
                return bool(made) and all(
                    each is not None and self._gives_batches(home, each, far - 1) for each in made
                )
        return False


def _collates(module: Module, call: ast.Call) -> bool:
    """Return whether a call makes a loader that collates by default, which takes no other objects."""
    if imports_of(module.tree).full_name(call.func) not in _LOADERS:
        return False
    given = {each.arg: each.value for each in call.keywords}
    unpacked = None in given or any(isinstance(each, ast.Starred) for each in call.args)
    by_place = len(call.args) > _BEFORE_COLLATE or any(map(is_none, call.args[1:2]))
    return (
        not unpacked
        and not by_place
        and "collate_fn" not in given
        and not is_none(given.get("batch_size"))
    )


def _targets(
    statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.withitem,
) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.withitem(optional_vars=target):
            return [target] if target is not None else []
    return [statement.target]


__all__ = ["DoneWith"]
