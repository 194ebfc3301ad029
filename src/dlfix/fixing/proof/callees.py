"""Which functions of the program a call may run: also those that it reaches by a table, an argument or an object."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.fixing.proof.origins import Origins, is_literal, spelled
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.special_calls import Implied, may_be_run_by
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, dotted, last_part, parameters, within
from dlfix.project.module import Module
from dlfix.project.syntax import defaults
from dlfix.project.trees import kept


class Callee(NamedTuple):
    """A function that a call may run, and how its parameters get the arguments.

    `takes` are the parameters for the positional arguments, None where they are not known. A local
    function sees the names of the code around the call.
    """

    module: Module
    function: Function
    takes: list[str] | None
    is_local: bool = False
    after: ast.AST | None = None  # of a generator that goes on: what it ran before

    def passed(self, call: ast.Call) -> list[tuple[str, ast.expr]]:
        """Return what a call gives the parameters, as far as these are known."""
        by_place = zip(self.takes or (), call.args, strict=False)
        return [*by_place, *((each.arg or "", each.value) for each in call.keywords)]


class CallOf(Implied):
    """A call of a function that is known, and that no call expression names."""

    callee: Callee


class _Known:
    """What the calls of one program may run, found once for each body that they stand in."""

    def __init__(self, program: Program) -> None:
        self.of: dict[tuple[Module, Origins, ast.Call], list[Callee]] = {}


def callees(program: Program, module: Module, call: ast.Call, origins: Origins) -> list[Callee]:
    """Return the functions that a call surely runs, or may run."""
    if isinstance(call.func, ast.Name) and call.func.id in origins.passed:
        return [*_callees(program, module, call, origins)]  # what this one call is given
    known, key = program.kept(_Known).of, (module, origins.whole, call)
    if key not in known:
        known[key] = [*_callees(program, module, call, origins)]
    return known[key]


def _callees(
    program: Program, module: Module, call: ast.Call, origins: Origins
) -> Iterator[Callee]:
    if isinstance(call, CallOf):
        yield call.callee
        return
    if isinstance(call, Implied):
        yield from _methods(program, module, call, origins)
        return
    named = list(_direct(program, module, call, origins))
    direct = [*named, *(each for one in named for each in _wrappers(program, one))]
    yield from direct
    met = {each.function for each in direct}
    func = (
        [] if direct else [call.func, *origins.values(call.func), *_defaults(program, module, call)]
    )
    given = origins.of(*call.args, *(k.value for k in call.keywords))
    # A text chooses a function where it is looked up: `globals()["check"](path)`.
    texts = origins.of(*func) | {text for text in given if not is_literal(text)}
    for text in sorted(texts | _of_module(module.tree, texts)):
        for home, function in _named(program, module, text):
            if function not in met:
                met.add(function)
                around = program.enclosing(home, function)
                yield Callee(home, function, None, is_local=around is not None)


def _direct(program: Program, module: Module, call: ast.Call, origins: Origins) -> Iterator[Callee]:
    """Yield what a call names: a function, the constructor of a class, or the method of an object."""
    found = program.function_of(module, call.func)
    if found is not None:
        of_class = any(last_part(each) == "classmethod" for each in found[1].decorator_list)
        yield Callee(*found, parameters(found[1])[1 if of_class else 0 :])
        return
    for function in _local(module, call.func):
        yield Callee(module, function, parameters(function), is_local=True)
    made = program.class_of(module, call.func)
    method = program.method(made, "__init__") if made is not None else None
    if method is not None:
        yield Callee(method[0].module, method[1], parameters(method[1])[1:])
    yield from _methods(program, module, call, origins)


def _wrappers(program: Program, callee: Callee) -> Iterator[Callee]:
    """Yield the functions that decorators put in the place of one: they get the same arguments."""
    skipped = len(parameters(callee.function)) - len(callee.takes or ())
    for each in callee.function.decorator_list:
        called = each.func if isinstance(each, ast.Call) else each
        found = program.function_of(callee.module, called)
        for inner in within(found[1].body) if found is not None else ():
            if isinstance(inner, FUNCTIONS):
                yield Callee(found[0], inner, parameters(inner)[skipped:])  # type: ignore[index]


def _methods(
    program: Program, module: Module, call: ast.Call, origins: Origins
) -> Iterator[Callee]:
    """Yield the methods that a call of an object, or of an attribute of one, may run."""
    by_name = isinstance(call.func, ast.Attribute)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    name = last_part(call.func) if by_name else "__call__"
    own = program.class_of_self(module, owner) if by_name else None
    made = [program.class_of(module, each.func) for each in origins.some_calls(owner)]
    for cls in [own] if own is not None else made:
        found = program.method(cls, name) if cls is not None else None
        if found is not None and may_be_run_by(found[1], call):
            static = any(last_part(each) == "staticmethod" for each in found[1].decorator_list)
            yield Callee(found[0].module, found[1], parameters(found[1])[0 if static else 1 :])
        elif cls is not None and found is None and by_name and not isinstance(call, Implied):
            yield from _run_by_base(program, cls)


def _run_by_base(program: Program, cls: Class) -> Iterator[Callee]:
    """Yield the methods that one of a base outside of the program may run: `start()` of a thread runs `run`."""
    for each in program.lineage(cls) if program.unknown_bases(cls) else ():
        for function in each.methods.values():
            if not function.name.startswith("__"):
                yield Callee(each.module, function, [])


def _of_module(tree: ast.Module, texts: set[str]) -> set[str]:
    """Return what the names of a module are made of that some texts start with: `STEPS.check`."""
    top = _top(tree)
    roots = {text.partition(".")[0] for text in texts}
    return top.of(*(value for root in roots for value in top.made.get(root, ())))


@kept
def _top(tree: ast.Module) -> Origins:
    return Origins(tree.body)


def _defaults(program: Program, module: Module, call: ast.Call) -> Iterator[ast.expr]:
    """Yield the default of the parameter that a call is of: `def run(path, action=check)`."""
    function = program.enclosing(module, call)
    if function is None:
        return
    default = defaults(function.args).get(dotted(call.func))
    yield from [default] if default is not None else []


def _named(program: Program, module: Module, text: str) -> Iterator[tuple[Module, Function]]:
    """Yield the functions that a name stands for, or that go by a text: `globals()["check"]`."""
    if is_literal(text):
        name = str(spelled(text).value)
        for function in module.functions_by_name.get(name, ()) if name.isidentifier() else ():
            yield module, function
        return
    parts = text.split(".")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        return  # an item under a key: `options["some key"]`, `pairs["in"]`
    found = program.spelled(module, text)
    if found is not None and isinstance(found[1], FUNCTIONS):
        yield found[0], found[1]
    elif found is not None and isinstance(node := found[1], ast.ClassDef):
        yield from _constructors(program, found[0], node)
    elif "." not in text:
        for function in module.functions_by_name.get(text, ()):
            if program.enclosing(module, function) is not None and function.name == text:
                yield module, function


def _constructors(
    program: Program, module: Module, node: ast.ClassDef
) -> Iterator[tuple[Module, Function]]:
    """Yield what runs where a class is called that is handed on: `connect(path, factory=Connection)`."""
    for cls in (each for each in program.classes(module) if each.node is node):
        for method in (program.method(cls, "__new__"), program.method(cls, "__init__")):
            if method is not None:
                yield method[0].module, method[1]


def _local(module: Module, func: ast.expr) -> Iterator[Function]:
    """Yield the functions that are defined around a call, under the name that it calls."""
    scope = module.scope_of(func).lookup(func.id) if isinstance(func, ast.Name) else None
    for binding in scope.bindings.get(dotted(func), ()) if scope is not None else ():
        if isinstance(binding.node, FUNCTIONS) and not isinstance(
            module.parent(binding.node), ast.ClassDef
        ):
            yield binding.node


__all__ = ["CallOf", "Callee", "callees"]
