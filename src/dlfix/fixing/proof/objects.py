"""Which expressions may be objects of a class: made there, or handed there as an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.asked_attributes import has_other_attributes, is_copy
from dlfix.fixing.proof.changes import ClassChange
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    executed,
    last_part,
    parameters,
    within,
)
from dlfix.fixing.proof.writes import goes_by, values_of
from dlfix.project.holding import Holding, Passing
from dlfix.project.module import Module
from dlfix.project.trees import kept

_PUTTING = frozenset({"append", "appendleft", "add", "insert", "setdefault"})
_MOST_KEPT = 16  # sets of modules of which is remembered what holds objects there
_MOST_MODULES = 24  # a name in more modules than these is too common to follow


def may_be_object(
    change: ClassChange, module: Module, node: ast.expr, classes: list[Class]
) -> bool:
    """Return whether an expression may be an object of one of these classes, also one that a parameter is given."""
    own = change.new.class_of_self(module, node)
    if own is not None:
        return own in change.new.family(change.after)
    if has_other_attributes(change.new, module, node, classes):
        return False
    if isinstance(node, ast.Attribute) and node.attr in change.new.given_names(change.after):
        return True
    return is_object(change, module, node, classes) or _is_passed_to(change, module, node)


def may_go_by(change: ClassChange, module: Module, node: ast.expr, classes: list[Class]) -> bool:
    """Return whether an expression may be such an object, or ends in a name that one is given anywhere."""
    return goes_by(change.new, change.after, node) or may_be_object(change, module, node, classes)


def is_object(
    change: ClassChange,
    module: Module,
    node: ast.expr,
    classes: list[Class],
    asked: frozenset[str] = frozenset(),
) -> bool:
    """Return whether an expression is, for all that can be seen, an object of one of these classes.

    `asked` are the names that lead here: `x = copy.copy(x)` says nothing more about `x`.
    """
    name = dotted(node)
    if name in asked:
        return False
    asked = asked | {name} if name else asked
    names = {cls.name for cls in classes}
    values = values_of(change.new, module, node, name) if name else [node]
    for value in values:
        if isinstance(value, ast.Call):
            made = change.new.class_of(module, value.func)
            if made in classes or (made is None and last_part(value.func) in names):
                return True
            if is_copy(value) and is_object(change, module, value.args[0], classes, asked):
                return True
            if any(
                _gives(change, *known, classes, asked)
                for known in _called_by(change.new, module, value.func)
            ):
                return True
            if _by_own_method(change, module, value.func, classes, asked):
                return True
    function = change.new.enclosing(module, node)
    for argument in (
        [*function.args.args, *function.args.kwonlyargs] if function is not None else ()
    ):
        if argument.arg == name and argument.annotation is not None:
            if change.new.class_of(module, argument.annotation) in classes:
                return True
            if any(
                t in names
                for t in (
                    dotted(argument.annotation),
                    str(getattr(argument.annotation, "value", "")),
                )
            ):
                return True
    return False


def is_item(change: ClassChange, module: Module, node: ast.expr, classes: list[Class]) -> bool:
    """Return whether an expression is an item of a collection into which the code around puts such an object."""
    body = change.new.body_around(module, node)
    return any(
        is_object(change, module, item, classes)
        for holder in _taken_from(change.new, module, node)
        for item in _items_put(change.new, module, body, holder)
    )


def _taken_from(program: Program, module: Module, node: ast.expr) -> Iterator[ast.expr]:
    """Yield the collections of which an expression may be an item: `rows[0]`, `for each in rows`, `max(rows, key=...)`."""
    if isinstance(node, ast.Subscript):
        yield node.value
    if not isinstance(node, ast.Name):
        return
    scope = module.scope_of(node).lookup(node.id)
    if scope is not None and isinstance(scope.node, ast.Lambda):
        yield from given_with(module, scope.node)
        return
    for each in values_of(program, module, node, node.id):
        yield each.value if isinstance(each, ast.Subscript) else each


def given_with(module: Module, made: ast.Lambda) -> Iterator[ast.expr]:
    """Yield what a call gets besides a lambda, and what it is a method of: `rows` in `rows.sort(key=lambda ...)`."""
    above = module.parent(made)
    call = module.parent(above) if isinstance(above, ast.keyword) else above
    if isinstance(call, ast.Call):
        yield from (each for each in call.args if each is not made)
        if isinstance(call.func, ast.Attribute):
            yield call.func.value


def _items_put(
    program: Program, module: Module, body: list[ast.stmt], holder: ast.expr
) -> Iterator[ast.expr]:
    """Yield what is in a collection as it is written, and what some code puts into it."""
    name = dotted(holder)
    for each in [holder, *(values_of(program, module, holder, name) if name else ())]:
        match each:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                yield from items
            case ast.Dict(values=items):
                yield from items
            case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
                yield item
    for node in executed(body) if name else ():
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr=method), args=[*_, item]):
                if dotted(held) == name and method in _PUTTING:
                    yield item
            case ast.Assign(targets=[ast.Subscript(value=held)], value=item):
                if dotted(held) == name:
                    yield item


def _called_by(
    program: Program, module: Module, func: ast.expr
) -> Iterator[tuple[Module, Function]]:
    """Yield the functions that a call may be of: of a method of an object that is not known, those of its name."""
    known = program.function_of(module, func)
    if known is not None:
        yield known
    elif (
        isinstance(func, ast.Attribute)
        and program.resolve(module, func) is None
        and not program.is_of_library(module, func)
    ):
        for home in program.project.mentions(func.attr)[:_MOST_MODULES]:
            for cls in program.classes(home):
                if func.attr in cls.methods:
                    yield home, cls.methods[func.attr]


def _gives(
    change: ClassChange,
    module: Module,
    function: Function,
    classes: list[Class],
    asked: frozenset[str],
) -> bool:
    """Return whether a function names one of the classes, or returns what may be an object of one."""
    if not _named_in(function).isdisjoint(cls.name for cls in classes):
        return True
    asked_here = f"{function.name}()"
    return asked_here not in asked and any(
        is_object(change, module, each.value, classes, asked | {asked_here})
        for each in executed(function.body)
        if isinstance(each, ast.Return) and each.value is not None
    )


@kept
def _named_in(function: Function) -> frozenset[str]:
    """Return the last part of each name in the body of a function."""
    return frozenset(map(last_part, within(function.body)))


def _by_own_method(
    change: ClassChange,
    module: Module,
    func: ast.expr,
    classes: list[Class],
    asked: frozenset[str],
) -> bool:
    """Return whether a method of such a class, or of an object that the expression makes, may give an object."""
    if not isinstance(func, ast.Attribute):
        return False
    if change.new.class_of(module, func.value) in classes:
        return True
    is_chain = isinstance(func.value, ast.Call)
    return is_chain and is_object(change, module, func.value, classes, asked)


def _is_passed_to(change: ClassChange, module: Module, held: ast.expr) -> bool:
    """Return whether a parameter may be given an object of the class."""
    function = change.new.enclosing(module, held)
    if function is None or dotted(held) not in parameters(function):
        return False
    users = change.new.project.users(module, function.name)
    if len(users) > _MOST_MODULES:
        return False
    holdings = change.new.kept(_Holdings)
    return any(
        holdings.of([home, *users, module], home, made).may_be(module, held)
        for home, made in change.new.constructions(change.after)
    )


class _Holdings:
    """What may hold the objects that a program makes, in some of its modules: found once for all that ask."""

    def __init__(self, program: Program) -> None:
        self._passing: dict[frozenset[Module], Passing] = {}
        self._known: dict[tuple[frozenset[Module], ast.Call], Holding] = {}

    def of(self, modules: list[Module], home: Module, made: ast.Call) -> Holding:
        """Return what may hold the object that a call makes."""
        key = frozenset(modules)
        if key not in self._passing:
            if len(self._passing) == _MOST_KEPT:
                self._passing.clear()
                self._known.clear()
            self._passing[key] = Passing([*dict.fromkeys(modules)], scoped=True)
        if (key, made) not in self._known:
            self._known[key, made] = Holding(self._passing[key]).of(home, made)
        return self._known[key, made]
