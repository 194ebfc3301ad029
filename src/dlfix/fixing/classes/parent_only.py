"""Attributes that stay with the parent: only the constructor reads them, or what the object crosses for does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from dlfix.fixing.classes.closing import is_closer
from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
    self_names_used,
    whole_uses,
)
from dlfix.fixing.classes.inputs import Inputs, Related, method_around
from dlfix.fixing.classes.parent_close import REGISTERS
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.project.module import Module
from dlfix.project.syntax import last_name
from dlfix.reach.values import Generator

WHY = "only the parent process uses it"
_BY_LOADERS = {"state_dict", "load_state_dict"}  # in workers, of a dataset that has them
_EMPTY = {"list": "[]", "dict": "{}"}
_BY_TEXT = ("getattr(", "attrgetter(", "methodcaller(")  # what reads attributes by their names
# What workers call on an object that is sent for itself, not for a method of it.
_CALLED_BY_WORKERS = frozenset(
    "__getitem__ __getitems__ __iter__ __next__ __call__ forward __getattr__ __getattribute__ __del__".split()
)
_BY_WORKERS = _CALLED_BY_WORKERS | _BY_LOADERS


def plan_for_parent(group: Sequence[Culprit], around: Surroundings) -> ClassPlan | None:
    """Plan a state without some handles, where no worker uses them; None where one may."""
    facts, inputs = group[0].facts, around.inputs
    names = list(dict.fromkeys(each.attribute for each in group))
    if inputs is None or not any(
        asked(group, names, inputs) for asked in (_stays, _is_only_made, _is_used_by_parent)
    ):
        return None
    emptied = {name: _EMPTY.get(_kind(group, name), "") for name in _closed_by_del(group, names)}
    return _without(facts, names, emptied, around)


def plan_unopened(group: Sequence[Culprit], around: Surroundings) -> ClassPlan | None:
    """Plan a state with None for what a method opens later, where only the parent uses it; None where a worker may."""
    facts, inputs = group[0].facts, around.inputs
    names = list(dict.fromkeys(each.attribute for each in group))
    late = all(each.code == "DLF203" and not each.on_class for each in group)
    if inputs is None or not late or not all(_starts_as_none(facts, name) for name in names):
        return None
    if _may_be_in_worker(names, inputs, set()):
        return None
    return _without(facts, names, dict.fromkeys(names, "None"), around)


def _starts_as_none(facts: ClassFacts, name: str) -> bool:
    """Return whether constructors set an attribute to None, and to nothing else."""
    made = [each for each in facts.stores.get(name, ()) if each.method.name in STARTS]
    return bool(made) and all(each.resets for each in made)


def _without(
    facts: ClassFacts, names: Sequence[str], left: Mapping[str, str], around: Surroundings
) -> ClassPlan | None:
    """Plan a state without some attributes, or with what is left in their places; None where the class has its own."""
    drops = tuple(
        Drop(name, left.get(name, ""), why=WHY if not index else "")
        for index, name in enumerate(names)
    )
    state = state_for(facts, drops, (), around)
    if state is None:
        return None
    after = "__init__" if "__init__" in facts.methods else facts.all_methods[0].name
    return ClassPlan(cls=facts.module.span(facts.node), state=state, after=after)


def _stays(group: Sequence[Culprit], names: Sequence[str], inputs: Inputs) -> bool:
    """Return whether objects are sent for methods that read none of some attributes."""
    if not all(each.sender for each in group) or not _is_sent_for_methods(inputs.related):
        return False
    sent = {each.sender for each in group} | set(_methods_handed_on(inputs))
    return not _used(inputs.related, sent) & {*names, "__dict__"}


def _is_only_made(group: Sequence[Culprit], names: Sequence[str], inputs: Inputs) -> bool:
    """Return whether nothing but constructors reads some attributes: a manager, whose proxies are kept besides."""
    if not all(each.row is not None and each.row.kind == "sync" for each in group):
        return False
    makers = _makers(inputs)
    making = {
        id(node)
        for facts in inputs.related.all
        for name in names
        for method, node in facts.reads.get(name, ())
        if method.name in makers
    }
    return not any(
        isinstance(node.ctx, ast.Load) and id(node) not in making
        for name in names
        for module in inputs.project.mentions(name)
        for node in module.attributes_by_name.get(name, ())
        if not _is_of_another(module, node, inputs.related)
    )


def _is_used_by_parent(group: Sequence[Culprit], names: Sequence[str], inputs: Inputs) -> bool:
    """Return whether all code that uses some handles is run by the parent: constructors, and what it calls by name.

    `__del__` may go through a list of them, which is empty in a worker.
    """
    if any(each.on_class or each.code == "DLF203" for each in group):
        return False
    if any(_is_kept_further(each, names, inputs) for each in group if each.code == "DLF206"):
        return False
    closed = _closed_by_del(group, names)
    if any(_kind(group, name) not in _EMPTY for name in closed):
        return False
    return not _may_be_in_worker(names, inputs, {id(node) for node in closed.values()})


def _is_kept_further(culprit: Culprit, names: Sequence[str], inputs: Inputs) -> bool:
    """Return whether what an attribute gives, of which nothing is known, is kept as well: `self.file = self.stack.pop()`.

    What a generator of the program yields is known: `self.limit = next(self.limits)`.
    """
    followed = isinstance(culprit.value, Generator)
    for facts in inputs.related.all:
        for _, node in facts.reads.get(culprit.attribute, ()):
            statement = facts.module.statement(node)
            if followed and _is_advanced(facts.module, node):
                continue
            if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and any(
                isinstance(each, ast.Attribute)
                and isinstance(each.ctx, ast.Store)
                and each.attr not in names
                for each in ast.walk(statement)
            ):
                return True
    return False


def _is_advanced(module: Module, node: ast.AST) -> bool:
    above = module.parent(node)
    return isinstance(above, ast.Call) and last_name(above.func) == "next" and node in above.args


def _may_be_in_worker(names: Sequence[str], inputs: Inputs, known: set[int]) -> bool:
    """Return whether code that names some attributes, or the functions around such code, may run in a worker."""
    makers, asked, todo = _makers(inputs), set[str](), [*names]
    while todo:
        name = todo.pop()
        asked.add(name)
        for module in inputs.project.mentions(name):
            if any(module.says(word) for word in _BY_TEXT) and _is_spelled(module, name):
                return True
            for node in module.nodes_by_name.get(name, ()):
                if id(node) in known or _is_of_another(module, node, inputs.related):
                    continue
                if name in names and isinstance(node, ast.Name):
                    continue  # a variable of its name
                if name in names and _is_registered(module, node, names):
                    return True
                by_way_of = _run_by_way_of(module, node, name in names, makers, inputs)
                if by_way_of is None:
                    return True
                todo += {by_way_of} - asked - {""}
    return False


def _run_by_way_of(
    module: Module, node: ast.expr, is_handle: bool, makers: set[str], inputs: Inputs
) -> str | None:
    """Return the name of what runs the code around a name; nothing where the parent does, None where a worker may."""
    above = module.parent(node)
    if isinstance(above, ast.ClassDef) and node in above.bases:
        return above.name  # its objects are made by the same constructor
    around = _function_around(module, node)
    is_made = around is not None and _is_maker(module, around, makers, inputs)
    is_run = _is_run(module, node) or _runs_as_thread(module, node)
    if not is_handle and not is_run:
        return None
    if around is None or is_made:
        return ""
    if isinstance(around, ast.Lambda):
        return None
    owner = module.parent(around)
    if isinstance(owner, ast.ClassDef) and around.name == "__init__":
        return owner.name if _keeps_nothing(module, node) else None
    return None if _is_run_anywhere(module, around, inputs) else around.name


def _is_registered(module: Module, node: ast.AST, names: Sequence[str]) -> bool:
    """Return whether an attribute is handed to an object that goes on using it, and is none of some attributes."""
    call = module.parent(node)
    return (
        isinstance(call, ast.Call)
        and node is not call.func
        and isinstance(call.func, ast.Attribute)
        and REGISTERS.match(call.func.attr) is not None
        and last_name(call.func.value) not in names
    )


def _is_run_anywhere(module: Module, function: Method, inputs: Inputs) -> bool:
    """Return whether workers may run a function: a special method, or one that nothing in view calls."""
    name, owner = function.name, module.parent(function)
    if name.startswith("__") or name in _BY_WORKERS:
        return True
    if name == "run" and isinstance(owner, ast.ClassDef) and owner.bases:
        return True  # it may be a process
    if is_closer(function):
        return False
    return not any(
        _may_be_called(each, node, owner, inputs)
        for each in inputs.project.mentions(name)
        for node in each.nodes_by_name.get(name, ())
    )


def _may_be_called(module: Module, node: ast.expr, owner: ast.AST | None, inputs: Inputs) -> bool:
    """Return whether code names a function, and no method of an object that another class makes."""
    names = {facts.node.name for facts in inputs.related.all}
    if not isinstance(owner, ast.ClassDef) or owner.name not in names:
        return True
    if not isinstance(node, ast.Attribute):
        return False
    made = [node.value]
    scope = (
        module.scope_of(node).lookup(node.value.id) if isinstance(node.value, ast.Name) else None
    )
    if scope is not None and isinstance(node.value, ast.Name):
        made = [each.value for each in scope.bindings[node.value.id] if each.value is not None]
    return not made or not all(
        isinstance(each, ast.Call) and names.isdisjoint(_named_in(each.func)) for each in made
    )


def _named_in(callee: ast.expr) -> Iterator[str | None]:
    """Yield the names of what is called, and of the calls before it: `Loader(path).start`."""
    return (last_name(node) for node in ast.walk(callee) if isinstance(node, ast.expr))


def _function_around(module: Module, node: ast.AST) -> ast.Lambda | Method | None:
    found = (e for e in module.ancestors(node) if isinstance(e, (ast.Lambda, Method)))
    return next(found, None)


def _is_maker(module: Module, around: ast.AST, makers: set[str], inputs: Inputs) -> bool:
    """Return whether a function is a constructor of the class, or a method that only constructors call."""
    return getattr(around, "name", "") in makers and module.parent(around) in {
        facts.node for facts in inputs.related.all
    }


def _is_run(module: Module, node: ast.AST) -> bool:
    """Return whether code that names a function calls it, or imports it; one that is handed on may run anywhere."""
    parent = module.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _keeps_nothing(module: Module, node: ast.AST) -> bool:
    """Return whether what is named is called, or made, for its effect: what it gives is dropped."""
    call = module.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    return isinstance(module.parent(call), ast.Expr)


def _runs_as_thread(module: Module, node: ast.AST) -> bool:
    """Return whether a function is what a thread runs, in the process of the code that makes it: `Thread(target=self.run)`."""
    keyword = module.parent(node)
    call = module.parent(keyword) if isinstance(keyword, ast.keyword) else None
    is_target = isinstance(keyword, ast.keyword) and keyword.arg == "target"
    return is_target and isinstance(call, ast.Call) and last_name(call.func) == "Thread"


def _is_spelled(module: Module, name: str) -> bool:
    return module.says(f'"{name}"') or module.says(f"'{name}'")


def _closed_by_del(group: Sequence[Culprit], names: Sequence[str]) -> dict[str, ast.Attribute]:
    """Return the attributes that `__del__` goes through in a loop, each with where it does."""
    return {
        node.attr: node
        for method in group[0].facts.all_methods
        if method.name == "__del__"
        for each in ast.walk(method)
        if isinstance(each, ast.For)
        and is_self_attribute(node := each.iter, self_name(method))
        and node.attr in names
    }


def _kind(group: Sequence[Culprit], name: str) -> str:
    """Return what holds some handles: `list`, `dict`."""
    held = next(each.container for each in group if each.attribute == name)
    return held.partition(" ")[0]


def _makers(inputs: Inputs) -> set[str]:
    """Return the constructors of a class, and the methods that nothing but these calls."""
    found = set(STARTS)
    names = {name for facts in inputs.related.all for name in facts.methods}
    names = {name for name in names if not name.startswith("__") and name not in _BY_WORKERS}
    while more := {name for name in names - found if _is_called_within(name, found, inputs)}:
        found |= more
    return found


def _is_called_within(name: str, methods: set[str], inputs: Inputs) -> bool:
    """Return whether all code that has the name of a method calls it in some methods of the class."""
    calls = [
        (module, node)
        for module in inputs.project.mentions(name)
        for node in module.nodes_by_name.get(name, ())
        if not _is_of_another(module, node, inputs.related)
    ]
    return bool(calls) and all(
        isinstance(parent := module.parent(node), ast.Call)
        and parent.func is node
        and getattr(method_around(module, node), "name", "") in methods
        for module, node in calls
    )


def _is_of_another(module: Module, node: ast.expr, related: Related) -> bool:
    """Return whether an attribute is that of the object of another class's method."""
    method = method_around(module, node)
    owner = module.parent(method) if method is not None else None
    return (
        method is not None
        and isinstance(node, ast.Attribute)
        and is_self_attribute(node, self_name(method))
        and isinstance(owner, ast.ClassDef)
        and owner not in related.nodes
        and all(owner is not facts.node for facts in related.all)
    )


def _is_sent_for_methods(related: Related) -> bool:
    """Return whether nothing can send an object of a class but for a method that it is asked for."""
    for facts in related.all:
        if not _CALLED_BY_WORKERS.isdisjoint(facts.methods):
            return False
        if facts.node.bases and "run" in facts.methods:
            return False  # it may be a process
        if any(use for method in facts.all_methods for use in whole_uses(facts, method)):
            return False
    return True


def _methods_handed_on(inputs: Inputs) -> Iterator[str]:
    """Yield the methods of a class that some code names without calling them."""
    for facts in inputs.related.all:
        for name in facts.methods:
            for module in inputs.project.mentions(name):
                for node in module.nodes_by_name.get(name, ()):
                    parent = module.parent(node)
                    called = isinstance(parent, ast.Call) and parent.func is node
                    if isinstance(node, ast.Attribute) and not called:
                        yield name


def _used(related: Related, methods: set[str]) -> set[str]:
    """Return the attributes that some methods read or set, with what they call on the object."""
    found: set[str] = set()
    todo = list(methods)
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for facts in related.all:
            for method in facts.all_methods:
                if method.name == name:
                    todo += self_names_used(method)
    return found
