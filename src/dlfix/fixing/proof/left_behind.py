"""What a call leaves behind that runs later now: a list, a counter or a table that other code reads."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from dlfix.catalog import load
from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.callees import Callee
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import ENDS
from dlfix.fixing.proof.late_code import opens_to_write, used_on_self
from dlfix.fixing.proof.passed_values import Given
from dlfix.fixing.proof.program import Class, whose_class
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    MUTATING,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    parameters,
    self_name,
    stored_names,
    within,
)
from dlfix.fixing.proof.writes import changes_by_name
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module

_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
# What the parameters of a function hold: an expression, and the module it is in.
_Passed: TypeAlias = dict[str, tuple[Module, ast.expr]]


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties whose opener notes something that other code reads before the first use."""
    restoring = change.after.methods.get("__setstate__")
    fresh = [restoring] if restoring is not None and change.fresh(restoring) else []
    for opener in (*change.made_lazy.values(), *fresh):
        yield from _in_each_process(change, opener)
        yield from _set_up_with_others(change, opener)
        yield from _of_the_first(change, opener)
    yield from _in_subclasses(change)
    before = _called(change.constructed_before)
    gone = before - _called(change.constructed_after)
    for name, getter in change.made_lazy.items():
        # A handle that the constructor opens, closes, and opens again on first use is noted twice.
        late = before if not is_filled(change, name) else gone
        notes = _Notes(change)
        for owner, function in order.reached(change.new, change.after, (name,)) if late else ():
            if function.name in {*late, name}:
                notes.of_attributes(function)
            for call in calls_in(function.body):
                if last_part(call.func) in late:
                    notes.follow(owner.module, call)
        noted = next(notes.seen_elsewhere(), None)
        if noted is not None:
            function_name, written, place = noted
            how = "runs later than before" if gone[function_name] else "runs once more"
            yield change.regression(
                getter,
                f"`{function_name}` changes `{written}`, which other code reads ({place}), "
                f"but it now {how} (line {getter.lineno})",
            )
            return


def notes_once_more(change: ClassChange, name: str) -> bool:
    """Return whether other code reads what the opener of a handle changes each time it runs."""
    notes = _Notes(change)
    for owner, function in order.reached(change.new, change.after, (name,)):
        notes.of_attributes(function)
        notes.of_globals(owner.module, function)
        for call in calls_in(function.body):
            notes.follow(owner.module, call)
    return next(notes.seen_elsewhere(), None) is not None


def _in_subclasses(change: ClassChange) -> Iterator[Regression]:
    """Yield what a subclass's own method sets, of those that an opener calls, and that is set later now."""
    base = {each.qualname for each in change.new.lineage(change.after)}
    gone = _called(change.constructed_before) - _called(change.constructed_after)
    for heir in change.new.heirs(change.after) if gone else ():
        for name, getter in change.made_lazy.items():
            for owner, function in order.reached(change.new, heir, (name,)):
                if owner.qualname in base or function.name not in gone:
                    continue
                noted = {each.attr for each in own_attributes(function, ast.Store)}
                noted -= change.made_lazy.keys()
                if noted:
                    yield change.regression(
                        getter,
                        f"`{owner.name}.{function.name}` sets `{min(noted)}` "
                        f"({owner.module.path.name}:{function.lineno}), but it now runs later than before",
                    )
                    return


def is_filled(change: ClassChange, name: str) -> bool:
    """Return whether the constructor still puts a handle where the property finds it."""
    for _, function in change.constructed_after:
        for node in executed(function.body):
            match node:
                case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == name:
                    return True
                case (
                    ast.Subscript(slice=ast.Call(func=asked), ctx=ast.Store())
                    | ast.Dict(keys=[ast.Call(func=asked)])
                ):
                    if change.keyed(name) and last_part(asked) == "getpid":
                        return True
    return False


def _in_each_process(change: ClassChange, getter: Function) -> Iterator[Regression]:
    """Yield what an opener does that only one process may: it writes a file, or asks a table of the class."""
    notes = _Notes(change)
    for owner, function in order.reached(change.new, change.after, (getter.name,)):
        table = next(iter(_tables(owner, function)), None)
        if table is not None:
            yield change.regression(
                getter,
                f"`{table}` is shared by all objects, so a forked worker would use the "
                f"parent's handle (line {function.lineno})",
            )
            return
    notes.follow_opener(getter.name)
    yield from _locked(change, getter, notes)
    yield from _by_its_own_count(change, getter, notes)
    for function in notes.visited:
        if (_is_cached(function) or _keeps_results(function)) and change.keyed(getter.name):
            yield change.regression(
                getter,
                f"`{function.name}` caches the handle, so a forked worker would use the "
                f"parent's handle (line {function.lineno})",
            )
            return
        for call in calls_in(function.body):
            if dotted(call.func) == "open" and opens_to_write(call):
                yield change.regression(
                    getter,
                    f"`{function.name}` writes to a file (line {call.lineno}), which each "
                    "worker would repeat",
                )
                return


def _locked(change: ClassChange, getter: Function, notes: _Notes) -> Iterator[Regression]:
    """Yield what an opener locks for all processes: `fcntl.flock(file, LOCK_EX)`."""
    own = order.reached(change.new, change.after, (getter.name,))
    for module, function in (
        *((cls.module, f) for cls, f in own),
        *((home, f) for f, home in notes.homes.items()),
    ):
        for call in calls_in(function.body):
            row = load().function(imported_as(module, call.func))
            if row is not None and row.locks:
                yield change.regression(
                    getter,
                    f"`{function.name}` takes a lock ({module.path.name}:{call.lineno}), which one process holds",
                )
                return


def _set_up_with_others(change: ClassChange, getter: Function) -> Iterator[Regression]:
    """Yield a list of what is open, to which an opener adds, and that code goes through to set all up: one opened later is not."""
    notes = _Notes(change)
    notes.follow_opener(getter.name)
    for function, home, name in notes.changed:
        for module in dict.fromkeys([home, *change.new.project.users(home, name)]):
            used = next(_uses_of_each(module, name), None)
            if used is not None:
                yield change.regression(
                    getter,
                    f"`{function.name}` adds to `{name}`, and code calls `{used.attr}` of all that is in it "
                    f"({module.path.name}:{used.lineno}), but not of what is opened later",
                )
                return


def _uses_of_each(module: Module, name: str) -> Iterator[ast.Attribute]:
    """Yield what loops over a container do to its items, besides closing them."""
    for node in module.nodes_by_name.get(name, ()):
        loop = next((a for a in module.ancestors(node) if isinstance(a, _LOOPS)), None)
        if loop is None or all(each is not node for each in ast.walk(loop.iter)):
            continue
        items = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
        around = module.parent(loop) if isinstance(loop, ast.comprehension) else loop
        calls = (each for each in ast.walk(around or loop) if isinstance(each, ast.Call))
        methods = (each.func for each in calls if isinstance(each.func, ast.Attribute))
        yield from (m for m in methods if dotted(m.value) in items and m.attr not in ENDS)


def _by_its_own_count(change: ClassChange, getter: Function, notes: _Notes) -> Iterator[Regression]:
    """Yield what an opener counts and ends by: one more run may raise, or give something else."""
    for function, home, name in notes.changed:
        if _is_cached(function) or _keeps_results(function) or not _ends_by(function, name):
            continue
        yield change.regression(
            getter,
            f"`{function.name}` changes `{name}` and tests it ({home.path.name}:{function.lineno}), but "
            f"it now runs once more (line {getter.lineno})",
        )
        return


def _ends_by(function: Function, name: str) -> bool:
    """Return whether a function tests a name of its module to raise or to return."""
    for node in executed(function.body):
        if not isinstance(node, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            continue
        asks = any(isinstance(each, ast.Name) and each.id == name for each in within(node.test))
        if asks and (
            not isinstance(node, ast.If)
            or any(isinstance(each, (ast.Raise, ast.Return)) for each in within(node))
        ):
            return True
    return False


def _of_the_first(change: ClassChange, getter: Function) -> Iterator[Regression]:
    """Yield a table of the class that the first object fills, where the objects open different things."""
    used = set(used_on_self(getter))
    new = change.after.values.keys() - change.before.values.keys()
    if not any(isinstance(change.after.values[name], ast.Dict) for name in used & new):
        return
    init = change.new.method(change.after, "__init__")
    if init is None:
        return
    calls = list(change.new.constructions(change.after))
    read = {
        name
        for _, function in order.reached(change.new, change.after, (getter.name,))
        for name in used_on_self(function)
        if name not in new and name not in change.after.methods
    }
    for name in sorted(read):
        opened = {_passed_for(change, init, each, name) for each in calls}
        if len(opened) > 1 or None in opened:
            at = next((call.lineno for _, call in calls[1:]), calls[0][1].lineno)
            yield change.regression(
                getter,
                f"all objects share what the first one opens, and `{name}` may differ between them "
                f"(line {at})",
            )
            return


def _passed_for(
    change: ClassChange, init: tuple[Class, Function], made: tuple[Module, ast.Call], name: str
) -> str | None:
    """Return what a call passes for an attribute, as text; None if it may differ from turn to turn."""
    (owner, function), (module, call) = init, made
    text = f"{self_name(function)}.{name}"
    passed = Given(owner.module, function, call, [call]).of([text])
    loops = (
        ast.For,
        ast.AsyncFor,
        ast.While,
        ast.ListComp,
        ast.DictComp,
        ast.SetComp,
        ast.GeneratorExp,
    )
    around = change.new.enclosing(module, call)
    turns: list[ast.AST] = [each for each in module.ancestors(call) if isinstance(each, loops)]
    varying = stored_names(turns)
    if around is not None and _has_callers(change, around.name):
        varying |= bound_in(around)
    names = {n.id for each in passed or () for n in ast.walk(each) if isinstance(n, ast.Name)}
    if passed is None or names & varying:
        return None
    place = f"{module.path}:{around.lineno if around is not None else 0}" if names else ""
    return place + ", ".join(map(ast.dump, passed))


def _has_callers(change: ClassChange, name: str) -> bool:
    """Return whether code calls a function of this name in more than one place."""
    users = change.new.project.mentions(name)
    return sum(len(module.calls_by_name.get(name, ())) for module in users) > 1


def _tables(cls: Class, function: Function) -> Iterator[str]:
    """Yield the tables of a class that a method fills."""
    for node in executed(function.body):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=of, attr=name), attr="setdefault")
            ) if name in cls.values and _is_own(of, {self_name(function)}):
                yield name


def _called(functions: list[tuple[Class, Function]]) -> Counter[str]:
    """Return how often some functions call others, by their last names."""
    return Counter(last_part(c.func) for _, function in functions for c in calls_in(function.body))


class _Notes:
    """The globals and attributes that functions of the program change, from one call on."""

    def __init__(self, change: ClassChange) -> None:
        self.change, self.program = change, change.new
        self.visited: list[Function] = []
        self.homes: dict[Function, Module] = {}  # of the functions that were visited
        self.changed: list[tuple[Function, Module, str]] = []
        self.attributes: list[tuple[Function, str]] = []
        self._makers: set[int] = set()

    def follow_opener(self, name: str) -> None:
        """Take in what is changed by all that a method of the class calls."""
        for owner, function in order.reached(self.program, self.change.after, (name,)):
            for call in calls_in(function.body):
                self.follow(owner.module, call)

    def follow(self, module: Module, call: ast.Call, given: _Passed | None = None) -> None:
        """Take in what a function that is called changes, and what those change that it calls.

        `given` is what the parameters of the function hold that has the call.
        """
        call = _without_partial(call)
        for each in (call.func, *call.args, *(keyword.value for keyword in call.keywords)):
            self._made(self.program.class_of(module, each))
        for home, made in self._kept_functions(module, call.func):
            if id(made) not in self._makers:  # `self.load = self.load(path)`
                self._makers.add(id(made))
                self.follow(home, made)
        known = self.program.function_of(module, call.func)
        if known is None or any(known[1] is each for each in self.visited):
            return
        home, function = known
        passed = _passed(module, call, function, given or {})
        for run in (function, *_functions_in(function)):  # a factory returns one of these
            self.visited.append(run)
            self.homes[run] = home
            self.of_globals(home, run)
            self._of_arguments(home, run, passed)
        if home.attributes_by_name.get("cache_info") and _is_cached(function):
            self.changed.append((function, home, function.name))
        for inner in calls_in(function.body):
            self.follow(home, inner, passed)

    def _kept_functions(self, module: Module, func: ast.expr) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls that made the function that an object keeps: `self.load = reader(path)`."""
        if not isinstance(func, ast.Attribute):
            return
        cls = self.program.class_of_self(module, func.value)
        for each in self.program.lineage(cls) if cls is not None else ():
            for method in each.functions:
                for node in executed(method.body):
                    match node:
                        case ast.Assign(targets=targets, value=ast.Call() as made):
                            if any(is_attribute(t, self_name(method), func.attr) for t in targets):
                                yield each.module, made

    def _of_arguments(self, home: Module, function: Function, passed: _Passed) -> None:
        """Take in which attributes, and names of a module, a function changes that is given what they hold."""
        for name, (module, value) in passed.items():
            if next(changes_by_name(home, function.body, name), None) is None:
                continue
            if isinstance(value, ast.Attribute) and value.attr not in self.change.made_lazy:
                self.attributes.append((function, value.attr))
            elif isinstance(value, ast.Name) and self._is_global(module, value):
                self.changed.append((function, module, value.id))

    def _is_global(self, module: Module, name: ast.Name) -> bool:
        """Return whether a name is one of its module, also where a function reads it."""
        around = self.program.enclosing(module, name)
        return around is None or name.id not in bound_in(around)

    def _made(self, cls: Class | None) -> None:
        """Take in what the constructor of another class notes on its class: also one that is passed on."""
        found = self.program.method(cls, "__init__") if cls is not None else None
        if found is None or cls is None or any(found[1] is each for each in self.visited):
            return
        self.visited.append(found[1])
        self.homes[found[1]] = found[0].module
        shared = {name for each in self.program.lineage(cls) for name in each.values}
        own = {each.name for each in self.program.lineage(cls)}
        names = [name for name in _attributes_changed(found[1], own) if name in shared]
        self.attributes += [(found[1], name) for name in names]
        self.of_globals(found[0].module, found[1])
        for inner in calls_in(found[1].body):
            self.follow(found[0].module, inner)

    def of_globals(self, home: Module, function: Function) -> None:
        """Take in which names of its module a function changes."""
        self.changed += [(function, home, name) for name in _globals_changed(home, function)]

    def of_attributes(self, method: Function) -> None:
        """Take in which attributes of its object or class a method changes, besides those that are lazy."""
        self.visited.append(method)
        own = {each.name for each in self.program.lineage(self.change.after)}
        self.attributes += [
            (method, name)
            for name in _attributes_changed(method, own)
            if name not in {*self.change.made_lazy, *self.change.new_attributes}
            and name not in self.change.after.values.keys() - self.change.before.values.keys()
        ]

    def seen_elsewhere(self) -> Iterator[tuple[str, str, str]]:
        """Yield what other code reads: the function, the name it changes, and the place."""
        lazy = self.change.made_lazy.values()
        own = {id(node) for function in (*self.visited, *lazy) for node in ast.walk(function)}
        for function, home, name in self.changed:
            for module in dict.fromkeys([home, *self.program.project.users(home, name)]):
                for node in module.nodes_by_name.get(name, ()):
                    if isinstance(node.ctx, ast.Load) and id(node) not in own:
                        yield function.name, name, f"{module.path.name}:{node.lineno}"
        for function, name in self.attributes:
            for module in self.program.project.mentions(name):
                for node in module.attributes_by_name.get(name, ()):
                    if isinstance(node.ctx, ast.Load) and id(node) not in own:
                        yield function.name, name, f"{module.path.name}:{node.lineno}"


def _passed(module: Module, call: ast.Call, function: Function, given: _Passed) -> _Passed:
    """Return what a call gives the parameters of a function, and where; `given` are those around the call."""
    passed = Callee(module, function, parameters(function)).passed(call)
    return {name: given.get(dotted(value), (module, value)) for name, value in passed}


def _without_partial(made: ast.Call) -> ast.Call:
    """Return the call that a partial makes in the end, with what it binds: of `partial(load, path)` `load(path)`."""
    if last_part(made.func) != "partial" or not made.args:
        return made
    return ast.copy_location(ast.Call(made.args[0], made.args[1:], made.keywords), made)


def _functions_in(function: Function) -> Iterator[Function]:
    """Yield the functions that are defined in a function."""
    for node in within(function.body):
        if isinstance(node, FUNCTIONS):
            yield node


def _keeps_results(function: Function) -> bool:
    """Return whether a function gives what it keeps in a table of its module: `return FILES[path]`."""
    given = {
        _table_of(node.value)
        for node in executed(function.body)
        if isinstance(node, ast.Return) and node.value is not None
    }
    stored = {
        dotted(node.value)
        for node in executed(function.body)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    }
    stored |= {name for name, fills in given if fills}
    return bool({name for name, _ in given} & stored - bound_in(function) - {""})


def _table_of(value: ast.expr) -> tuple[str, bool]:
    """Return the table that an expression takes an item of, and whether it puts one there as well."""
    match value:
        case ast.Subscript(value=table):
            return dotted(table), False
        case ast.Call(func=ast.Attribute(value=table, attr="get" | "setdefault" as method)):
            return dotted(table), method == "setdefault"
    return "", False


def _is_cached(function: Function) -> bool:
    named = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any(last_part(each) in ("lru_cache", "cache") for each in named)


def _attributes_changed(method: Function, classes: set[str]) -> Iterator[str]:
    """Yield the attributes of its object, or of its class, that a method counts up or whose objects it changes.

    `classes` are the names of the class and its bases: what is set on them is seen by all objects.
    """
    owners = {self_name(method), *classes}
    for node in executed(method.body):
        match node:
            case ast.AugAssign(target=ast.Attribute(attr=name) as target):
                changed = _is_own(target.value, owners)
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=of, attr=name), attr=called)
            ):
                changed = called in MUTATING and _is_own(of, owners)
            case ast.Subscript(value=ast.Attribute(value=of, attr=name), ctx=ast.Store()):
                changed = _is_own(of, owners)
            case ast.Attribute(value=of, attr=name, ctx=ast.Store()):
                changed = _is_class(of, classes)
            case _:
                continue
        if changed:
            yield name


def _is_own(node: ast.expr, owners: set[str]) -> bool:
    """Return whether an expression is the object of a method, or its class, by their names."""
    held = whose_class(node)
    return dotted(held if held is not None else node) in owners


def _is_class(node: ast.expr, classes: set[str]) -> bool:
    return whose_class(node) is not None or dotted(node) in classes


def _globals_changed(module: Module, function: Function) -> Iterator[str]:
    """Yield the names of the module that a function binds anew, or whose objects it changes."""
    own, rebound = bound_in(function), set()
    for node in executed(function.body):
        if isinstance(node, ast.Global):
            rebound |= {*node.names}
        elif (
            isinstance(node, ast.Name)
            and node.id not in own
            and node.id in module.scope.bindings
            and writes.changes_in_place(module, node)
        ):
            yield node.id
    yield from sorted(rebound)


__all__ = ["check", "is_filled", "notes_once_more"]
