"""Who observes an object: handlers of errors, tests for attributes, generated methods, subclasses."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof import order, writes
from dlfix.fixing.proof.asked_attributes import has_other_attributes
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.construction_sites import leading_to
from dlfix.fixing.proof.equality import compares_field, equality_questions, field_options
from dlfix.fixing.proof.error_handlers import Handler, goes_on, handler_of
from dlfix.fixing.proof.late_code import opens_nothing
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Class, is_cached
from dlfix.fixing.proof.state import opened_when_asked, restored, sets
from dlfix.fixing.proof.syntax import (
    Function,
    called_in,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    self_name,
    statements,
    strings,
    targets_of,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import attribute_of, attributes_of, is_private, key_of
from dlfix.project.trees import said

_FIELDS = frozenset("dataclass define attrs frozen s attr dataclasses mutable".split())
_RECORDS = frozenset("BaseModel NamedTuple BaseSettings SQLModel Struct".split())
_OF_ONE = frozenset({"get", "pop", "setdefault", "update"})
_OF_ATTRIBUTES = ("__dict__", "vars")
_BLOCKS = (ast.Try, ast.With, ast.AsyncWith)
_OF_FIELDS = ("asdict", "astuple", "fields", "replace")
_LAST = frozenset({"__del__", "__exit__", "close"})


# What a `__setattr__` that only sets, or refuses to, calls.
_CHECKS = frozenset(
    "__setattr__ super isinstance issubclass hasattr getattr type len callable startswith endswith".split()
)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what others saw of an object before and do not see any more."""
    yield from _errors(change)
    yield from _handlers_left_behind(change)
    yield from _tests_for_attributes(change)
    yield from _private(change)
    yield from _fields(change)
    yield from _slots(change)
    yield from _looked_up(change)
    yield from _taken_names(change)
    yield from _cannot_be_set(change)
    yield from _noted_when_set(change)
    yield from _refused_when_set(change)
    yield from _refused_when_frozen(change)
    yield from _refused_when_deleted(change)
    yield from _taken_away(change)
    yield from _whole_dict(change)
    yield from _replaced_constructor(change)


def _replaced_constructor(change: ClassChange) -> Iterator[Regression]:
    """Yield a constructor that other code puts around the one of the class, and that may use what it opened."""
    opened = change.made_lazy or restored(change) or opened_when_asked(change)
    family = change.new.family(change.after) if opened else []
    for cls in family:
        hooks: list[ast.AST | None] = [cls.methods.get("__init_subclass__")]
        for decorator in cls.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            found = change.new.resolve(cls.module, target)
            hooks.append(found[1] if found is not None else None)
        for hook in filter(None, hooks):
            for node in within(hook):
                if _sets_constructor(node):
                    yield change.regression(
                        change.after.node,
                        f"the constructor of `{cls.name}` is replaced (line {getattr(node, 'lineno', 1)}), "
                        "which may use what it has opened",
                    )
                    return


def _sets_constructor(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="__init__", ctx=ast.Store()):
            return True
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value="__init__"), _]):
            return True
    return False


# Errors that the constructor raised


def _errors(change: ClassChange) -> Iterator[Regression]:
    getter = _no_longer_opened(change)
    if getter is None:
        return
    catching = _who_catches(change)
    if catching is not None:
        module, handler = catching
        yield change.regression(
            getter,
            f"an error is now raised when the resource is first used (line {getter.lineno}), "
            f"outside the `try` statement that catches it ({module.path.name}:{handler.lineno})",
        )


def _no_longer_opened(change: ClassChange) -> Function | None:
    """Return what the constructor opened and no longer touches."""
    touched = {n.attr for _, f in change.constructed_after for n in own_attributes(f, ast.Load)}
    for name, function in change.made_lazy.items():
        opening = (
            call
            for each in _run_with(change, function)
            for call in calls_in(each.body)
            if not opens_nothing(change, call)
        )
        calls = {last_part(call.func) for call in opening}
        if (
            name not in touched
            and calls & change.calls_while_made
            and not _still_called(change, calls & change.calls_while_made)
            and not _opened_with(change, name, touched)
        ):
            return function
    return None


def _run_with(change: ClassChange, function: Function) -> list[Function]:
    """Return a method, and those new ones that it calls of its object."""
    found = [function]
    for each in found:
        names = order.called_on_self(change.after, each)
        methods = (
            change.after.methods.get(name) for name in names if name in change.new_attributes
        )
        found += [method for method in methods if method is not None and method not in found]
    return found


def _still_called(change: ClassChange, names: set[str]) -> bool:
    """Return whether the constructor calls these functions as often as before."""
    before, after = (
        Counter(
            last_part(call.func)
            for _, function in constructed
            if function.name not in change.lazy
            for call in calls_in(function.body)
        )
        for constructed in (change.constructed_before, change.constructed_after)
    )
    return all(after[name] >= before[name] for name in names)


def _opened_with(change: ClassChange, name: str, touched: set[str]) -> bool:
    """Return whether another lazy attribute that is touched opens this one with it."""
    others = {node.attr for node in own_attributes(change.made_lazy[name])}
    users = {
        other
        for other, function in change.lazy.items()
        if any(node.attr in (name, "_opened") for node in own_attributes(function))
    }
    return bool((others | users) & touched & set(change.lazy))


def _who_catches(change: ClassChange) -> tuple[Module, Handler] | None:
    """Return a handler around what makes an object, or around a call that leads to it."""
    for module, node in leading_to(change):
        handler = handler_of(change.new, module, node)
        if handler is not None:
            return module, handler
    return None


def _handlers_left_behind(change: ClassChange) -> Iterator[Regression]:
    """Yield what was opened under a handler of the constructor, and is opened without one now."""
    new_module, old_module = change.after.module, change.before.module
    for name, getter in change.made_lazy.items():
        calls = called_in(getter.body)
        inside = executed(getter.body)
        if any(isinstance(n, ast.Try) or goes_on(change.new, new_module, n) for n in inside):
            continue
        for _, function in change.constructed_before:
            for node in executed(function.body):
                if not isinstance(node, _BLOCKS) or not goes_on(change.old, old_module, node):
                    continue
                if _opens(node.body, self_name(function), name, calls):
                    yield change.regression(
                        getter,
                        f"an error raised while `{name}` is opened is no longer handled by "
                        f"the constructor (line {getter.lineno})",
                    )
                    return


def _opens(body: Iterable[ast.stmt], owner: str, name: str, calls: set[str]) -> bool:
    """Return whether statements put what one of these calls gives into an attribute, or into its list."""
    for node in executed(list(body)):
        match node:
            case ast.Assign(targets=targets, value=ast.expr() as value):
                held = [t.value if isinstance(t, ast.Subscript) else t for t in targets]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                held = [target]
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "add"), args=[value]):
                held = [target]
            case _:
                continue
        if any(is_attribute(t, owner, name) for t in held) and called_in(value) & calls:
            return True
    return False


# Tests for attributes


def _tests_for_attributes(change: ClassChange) -> Iterator[Regression]:
    for name, getter in change.made_lazy.items():
        for module, function, node, kind in _asked(change, name):
            if kind == "dict" and not is_cached(getter):
                reason = (
                    f"`{name}` is looked up in `__dict__` (line {node.lineno}), but it "
                    f"becomes a property (line {getter.lineno})"
                )
            elif kind == "dict" and _is_new(change, function, node):
                continue
            elif (
                kind == "error"
                and not _raises_attribute_error(getter)
                and not _never_missing(change, function, name)
            ):
                reason = (
                    f"an `AttributeError` for `{name}` is caught (line {node.lineno}), but "
                    f"the property never raises it (line {getter.lineno})"
                )
            elif (
                kind == "hasattr"
                and name in change.started_empty
                and not _tested_too(function, node, name)
            ):
                reason = (
                    f"code checks whether `{name}` exists (line {node.lineno}), but the "
                    f"property always exists (line {getter.lineno})"
                )
            elif kind == "hasattr" and name not in change.started_empty and function.name in _LAST:
                reason = (
                    f"code checks whether `{name}` exists (line {node.lineno}), which now "
                    f"opens the resource (line {getter.lineno})"
                )
            else:
                continue
            yield Regression(module.path, change.after.qualname, node.lineno, reason)


def _private(change: ClassChange) -> Iterator[Regression]:
    """Yield attributes that Python keeps by class, where other code has one of that name, or the key."""
    for name in sorted(filter(is_private, _lazy_or_left(change))):
        key = key_of(name, change.before.name)
        for cls in change.old.family(change.before):
            if cls is not change.before and any(
                isinstance(n, ast.Attribute) and n.attr == name for n in within(cls.node)
            ):
                yield change.regression(
                    change.after.node, f"`{cls.name}` has a private attribute `{name}` of its own"
                )
        for module in change.old.project.mentions(key):
            for node in module.nodes(ast.Attribute):
                if node.attr == key:
                    reason = f"`{name}` is used by its mangled name `{key}` (line {node.lineno})"
                    yield Regression(module.path, change.after.qualname, node.lineno, reason)


def _lazy_or_left(change: ClassChange) -> set[str]:
    """Return the attributes that become lazy, or that the new state methods name by their keys."""
    states = [f for f in change.after.functions if f.name in STATE]
    named = {attribute_of(text) for f in states for text in strings(f)}
    return named | change.made_lazy.keys()


def _never_missing(change: ClassChange, function: Function, name: str) -> bool:
    """Return whether the error that a method catches was never about the attribute itself."""
    made = {f.name for _, f in change.constructed_before}
    return name in change.always_there and function.name not in made


def _tested_too(function: Function, node: ast.expr, name: str) -> bool:
    """Return whether a condition also asks whether the attribute is None."""
    for each in executed(function.body):
        if isinstance(each, ast.BoolOp) and any(node is n for n in within(each)):
            return any(isinstance(n, ast.Attribute) and n.attr == name for n in within(each))
    return False


def _is_new(change: ClassChange, function: Function, node: ast.expr) -> bool:
    same = [f for f in change.before.functions if f.name == function.name]
    return not any(said(node) == said(n) for f in same for n in within(f))


def _raises_attribute_error(getter: Function) -> bool:
    return any(
        isinstance(n, ast.Raise) and "AttributeError" in said(n) for n in executed(getter.body)
    )


def _asked(change: ClassChange, name: str) -> Iterator[tuple[Module, Function, ast.expr, str]]:
    """Yield where the family asks whether an attribute is there, and how."""
    for cls in change.new.family(change.after):
        for function in cls.functions:
            owner = self_name(function)
            if function.name in STATE:
                continue
            for node in executed(function.body):
                kind = _question(node, owner, name)
                if kind and isinstance(node, ast.expr):
                    yield cls.module, function, node, kind
                elif isinstance(node, ast.Try) and _waits_for_attribute(node, owner, name):
                    yield cls.module, function, _first(node.body), "error"


def _first(body: list[ast.stmt]) -> ast.expr:
    return next(n for n in within(body) if isinstance(n, ast.expr))


def _question(node: ast.AST, owner: str, name: str) -> str:
    if (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Constant)
        and node.left.value == name
    ):
        text = said(node.comparators[0])
        if "__dict__" in text or "vars" in text:
            return "dict"
    if isinstance(node, ast.Call) and len(node.args) >= 2 and dotted(node.args[0]) == owner:
        asked = node.args[1]
        if isinstance(asked, ast.Constant) and asked.value == name:
            called = dotted(node.func)
            default = node.args[2] if called == "getattr" and len(node.args) == 3 else None
            none = isinstance(default, ast.Constant) and default.value is None
            return "hasattr" if called == "hasattr" or (default is not None and not none) else ""
    return ""


def _waits_for_attribute(node: ast.Try, owner: str, name: str) -> bool:
    waits = any(h.type is not None and "AttributeError" in said(h.type) for h in node.handlers)
    return waits and any(is_attribute(n, owner, name) for n in executed(node.body))


# Fields, slots and names


def _fields(change: ClassChange) -> Iterator[Regression]:
    if not _has_fields(change.after) and not set(change.new.unknown_bases(change.after)) & _RECORDS:
        return
    for name, getter in {**change.made_lazy, **change.after.getters}.items():
        if name in change.before.getters:
            continue
        old, new = change.before.annotated.get(name), change.after.annotated.get(name)
        if new is not None:
            yield change.regression(
                getter,
                f"`{name}` is a field (line {new.lineno}), which a property would replace (line "
                f"{getter.lineno})",
            )
        elif old is not None and not _left_out(old):
            yield change.regression(
                getter,
                f"`{name}` is a dataclass field, which a property would replace (line "
                f"{getter.lineno})",
            )
        elif old is not None and compares_field(change.before, old):
            for module, place in equality_questions(change):
                yield change.regression(
                    getter,
                    f"`==` compares the field `{name}` ({module.path.name}:{place.lineno}), which a "
                    f"property would replace (line {getter.lineno})",
                )
                return


def _has_fields(cls: Class) -> bool:
    return bool(set(cls.decorators) & _FIELDS)


def _left_out(field: ast.AnnAssign) -> bool:
    """Return whether a field is neither a parameter nor shown."""
    options = field_options(field)
    return options.get("init") is False and options.get("repr") is False


def _slots(change: ClassChange) -> Iterator[Regression]:
    lineage = change.new.lineage(change.after)
    if any(cls.slots is None for cls in lineage) or set(change.new.unknown_bases(change.after)) - {
        "object"
    }:
        closed = False
    else:
        closed = not any("__dict__" in (cls.slots or ()) for cls in lineage)
    for name, getter in change.lazy.items():
        if name in (change.after.slots or ()):
            yield change.regression(
                getter,
                f"`{name}` is in `__slots__`, which conflicts with the new property (line {getter.lineno})",
            )
        elif closed and is_cached(getter):
            yield change.regression(
                getter,
                f"`cached_property` stores `{name}` in `__dict__` (line {getter.lineno}), but "
                "instances have no `__dict__` because of `__slots__`",
            )
    if not closed:
        return
    allowed = {name for cls in lineage for name in cls.slots or ()}
    for name, node in attributes_set(change.after).items():
        if (
            name not in allowed
            and name not in change.after.methods
            and name in change.new_attributes
        ):
            yield change.regression(
                node,
                f"`{name}` is set (line {getattr(node, 'lineno', 1)}), but `__slots__` does not contain it",
            )


def _looked_up(change: ClassChange) -> Iterator[Regression]:
    """Yield where `__getattr__` asks a lazy attribute while the object is still empty."""
    if not change.lazy:
        return
    for cls in change.new.family(change.after):
        for hook in ("__getattr__", "__getattribute__"):
            function = cls.methods.get(hook)
            if function is None:
                continue
            asked = [
                node
                for node in own_attributes(function)
                if node.attr in change.lazy or node.attr in change.new_attributes
            ]
            restored = change.new.method(change.after, "__setstate__") is not None
            if asked and not restored and not _knows_dunders(function):
                yield change.regression(
                    asked[0],
                    f"`{hook}` reads `{asked[0].attr}` (line {asked[0].lineno}), which is "
                    "not set while the object is unpickled",
                )


def _knows_dunders(function: Function) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.startswith("_")
        for n in executed(function.body)
    )


def _taken_names(change: ClassChange) -> Iterator[Regression]:
    """Yield the names that a rewrite gives to what a base or a subclass uses for something else."""
    family = [c for c in change.new.family(change.after) if c is not change.after]
    changed = {c.qualname for c in change.old.classes(change.file.before)}
    for name, node in change.new_attributes.items():
        if _is_restored_only(change.after, name):
            continue
        for cls in family:
            before = _same_class(change, cls)
            if before is None:
                continue
            used: dict[str, ast.AST] = {**attributes_set(before), **before.methods}
            used.update(before.values)
            if name in used and (cls.qualname not in changed or name in used):
                if name in change.before.getters or name in _inherited_lazy(change, name):
                    continue
                line = getattr(used[name], "lineno", 1)
                yield change.regression(
                    node,
                    f"`{name}` is set (line {getattr(node, 'lineno', 1)}), but "
                    f"`{cls.name}` already uses this name (line {line})",
                )


def _is_restored_only(cls: Class, name: str) -> bool:
    """Return whether nothing but `__setstate__` sets an attribute: it replaces what the state lacks."""
    setting = {
        method
        for method, function in cls.methods.items()
        if any(node.attr == name for node in own_attributes(function, ast.Store))
    }
    return setting == {"__setstate__"}


def _cannot_be_set(change: ClassChange) -> Iterator[Regression]:
    """Yield the assignments to what became a property that takes none."""
    family = change.new.family(change.after)
    for name, getter in change.made_lazy.items():
        if is_cached(getter) or any(name in cls.setters for cls in family):
            continue
        inside = [
            (cls.module, attributes_set(cls)[name]) for cls in family if name in attributes_set(cls)
        ]
        outside = ((each.module, each.node) for each in writes.outside(change.new, family, name))
        for module, node in itertools.islice((*inside, *outside), 1):
            where = f"{module.path.name}:{getattr(node, 'lineno', 1)}"
            yield change.regression(
                getter,
                f"`{name}` is set ({where}), but it is now a property without a setter",
            )


def _noted_when_set(change: ClassChange) -> Iterator[Regression]:
    """Yield a `__setattr__` that does more than set: it no longer hears of what a property opens."""
    found = change.new.method(change.after, "__setattr__") if change.made_lazy else None
    effect = next(_effects(found[1]), None) if found is not None else None
    if found is not None and effect is not None:
        name = min(change.made_lazy)
        yield change.regression(
            change.made_lazy[name],
            f"`{found[0].name}.__setattr__` (line {effect.lineno}) would no longer be called for `{name}`",
        )


def _refused_when_set(change: ClassChange) -> Iterator[Regression]:
    """Yield a `__setattr__` that may raise when `__setstate__` sets what it did not set before."""
    found = change.new.method(change.after, "__setattr__")
    restore = change.after.methods.get("__setstate__")
    if found is None or restore is None:
        return
    for statement, name in _set_again(change, restore):
        if _raises_for(found[1], kept=not _removed_from_state(change, name)):
            yield change.regression(
                restore,
                f"`{found[0].name}.__setattr__` may raise (line {found[1].lineno}) when "
                f"`__setstate__` sets `{name}` (line {statement.lineno})",
            )
            return


def _set_again(change: ClassChange, restore: Function) -> Iterator[tuple[ast.stmt, str]]:
    """Yield what new statements of `__setstate__` set, and methods that these call."""
    pending: list[tuple[Function, Iterable[ast.stmt]]] = [(restore, change.fresh(restore))]
    met = {restore}
    for function, block in pending:  # grows while it is read
        me = self_name(function)
        for statement in statements(block):
            yield from ((statement, name) for name in sets(statement, me))
        for call in calls_in(block):
            name = last_part(call.func) if is_attribute(call.func, me) else ""
            found = change.new.method(change.after, name)
            if found is not None and found[1] not in met:
                met.add(found[1])
                pending.append((found[1], found[1].body))


def _refused_when_frozen(change: ClassChange) -> Iterator[Regression]:
    """Yield a method that assigns to an attribute of an object of a frozen class."""
    if not any(map(_is_frozen, change.new.lineage(change.after))):
        return
    for function in change.after.functions:
        me = self_name(function)
        for node in executed(change.fresh(function)):
            if is_attribute(node, me) and not isinstance(node.ctx, ast.Load):
                yield change.regression(
                    function,
                    f"`{change.after.name}` is frozen: `{function.name}` cannot assign to `{node.attr}` "
                    f"(line {node.lineno})",
                )
                return


def _is_frozen(cls: Class) -> bool:
    """Return whether a decorator makes objects of a class refuse assignments."""
    return any(
        last_part(each) == "frozen"
        or any(k.arg == "frozen" and not _is_false(k.value) for k in getattr(each, "keywords", ()))
        for each in cls.node.decorator_list
    )


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def _refused_when_deleted(change: ClassChange) -> Iterator[Regression]:
    """Yield a `__delattr__` that may raise when a method deletes what it did not delete before."""
    found = change.new.method(change.after, "__delattr__")
    if found is None or not any(isinstance(n, ast.Raise) for n in executed(found[1].body)):
        return
    for function in change.after.functions:
        me = self_name(function)
        for statement in change.fresh(function):
            targets = statement.targets if isinstance(statement, ast.Delete) else []
            for target in targets:
                if is_attribute(target, me):
                    yield change.regression(
                        function,
                        f"`{found[0].name}.__delattr__` may raise (line {found[1].lineno}) when "
                        f"`{function.name}` deletes `{target.attr}` (line {statement.lineno})",
                    )
                    return


def _raises_for(hook: Function, *, kept: bool) -> bool:
    """Return whether a `__setattr__` may refuse an attribute, which the object may have already."""
    me = self_name(hook)
    checked: set[int] = set()
    for test in (node for node in executed(hook.body) if isinstance(node, ast.If)):
        raised = [node for node in within(test) if isinstance(node, ast.Raise)]
        checked |= {id(node) for node in raised}
        if raised and _is_about_state(test.test, me, kept):
            return True
    return any(isinstance(n, ast.Raise) and id(n) not in checked for n in executed(hook.body))


def _is_about_state(test: ast.expr, me: str, kept: bool) -> bool:
    """Return whether a test depends on what the object holds, not only on what is set and to which value."""
    owners = [node for node in within(test) if isinstance(node, ast.Name) and node.id == me]
    if not owners:
        return False
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.In()], comparators=[held]) if (
            dotted(attributes_of(held)) == me
        ):
            return kept
        case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id=owner), ast.Name()]):
            return kept or owner != me
    return True


def _removed_from_state(change: ClassChange, name: str) -> bool:
    """Return whether the state has no such key: it is taken out, and nothing is put in its place."""
    getstate = change.after.methods.get("__getstate__")
    return getstate is not None and any(
        isinstance(node, (ast.Call, ast.Delete)) and name in strings(node)
        for node in executed(getstate.body)
        if isinstance(node, ast.Delete) or last_part(getattr(node, "func", None)) == "pop"
    )


def _effects(hook: Function) -> Iterator[ast.expr]:
    """Yield what a `__setattr__` changes or calls besides setting the attribute, checks left out."""
    raised = {
        id(n) for node in executed(hook.body) if isinstance(node, ast.Raise) for n in within(node)
    }
    for node in executed(hook.body):
        calls = isinstance(node, ast.Call) and last_part(node.func) not in _CHECKS
        stores = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(
            node.ctx, ast.Store
        )
        if (calls and id(node) not in raised) or stores:
            yield node  # type: ignore[misc]


def _inherited_lazy(change: ClassChange, name: str) -> set[str]:
    """Return the name itself where a property only takes the place of an attribute the base sets."""
    return {name} if name in change.made_lazy and name in attributes_set(change.before) else set()


def _same_class(change: ClassChange, cls: Class) -> Class | None:
    module = change.old.project.get(cls.module.path)
    if module is None:
        return None
    return next((c for c in change.old.classes(module) if c.qualname == cls.qualname), None)


def _taken_away(change: ClassChange) -> Iterator[Regression]:
    """Yield the attributes that objects no longer have, and that code beside the class reads."""
    family = change.new.family(change.after)
    own = {id(node) for cls in family for node in within(cls.node)}
    left = {name for cls in family for name in (*attributes_set(cls), *cls.methods, *cls.getters)}
    for name in attributes_set(change.before):
        if name in left:
            continue
        for module in change.new.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                    continue
                if id(node) in own or dotted(node.value) in ("self", "cls"):
                    continue
                if _is_of_another(change, module, node.value, family):
                    continue
                yield change.regression(
                    change.after.node,
                    f"`{name}` is read ({module.path.name}:{node.lineno}), but instances "
                    f"of `{change.after.name}` no longer have it",
                )
                return


def _is_of_another(
    change: ClassChange, module: Module, held: ast.expr, family: Iterable[Class]
) -> bool:
    """Return whether an expression is a module, or surely an object of another class."""
    name = dotted(held)
    if _is_imported(module, held):
        return True
    values = writes.values_of(change.new, module, held, name) if name else [held]
    made = [change.new.class_of(module, v.func) for v in values if isinstance(v, ast.Call)]
    return (
        bool(made)
        and len(made) == len(values)
        and not any(each is None or each in family for each in made)
    )


def _is_imported(module: Module, held: ast.expr) -> bool:
    """Return whether an expression is a name that only imports bind, or an attribute of it: a module."""
    name = dotted(held).partition(".")[0]
    scope = module.scope_of(held).lookup(name) if name else None
    bindings = scope.bindings.get(name, ()) if scope is not None else ()
    return bool(bindings) and all(each.kind == "import" for each in bindings)


def _whole_dict(change: ClassChange) -> Iterator[Regression]:
    """Yield where a method compares or shows all attributes, and the rewrite adds, takes or changes some."""
    added = [n for n in change.new_attributes if n in attributes_set(change.after)]
    gone = [n for n in attributes_set(change.before) if n not in attributes_set(change.after)]
    changes = [
        *(f"adds `{name}`" for name in added),
        *(f"opens `{name}` later" for name in change.made_lazy),
        *(f"removes `{name}`" for name in gone),
        *(f"makes a list of `{name}`" for name in sorted(_listed(change))),
    ]
    if not changes:
        return
    yield from _shown_outside(change, changes[0])
    for cls in change.new.family(change.after):
        for function in cls.functions:
            if function.name in STATE or function.name in change.lazy:
                continue
            node = _takes_all(function)
            if node is not None:
                yield Regression(
                    cls.module.path,
                    change.after.qualname,
                    node.lineno,
                    f"code reads all attributes of the object (line {node.lineno}), but "
                    f"the fix {changes[0]}",
                )


def _listed(change: ClassChange) -> set[str]:
    """Return the attributes that now hold a list of what they gave: `self.rows = list(rows.values())`."""
    before = {(name, said(value)) for name, value in _values_set(change.before)}
    return {
        name
        for name, value in _values_set(change.after)
        if isinstance(value, ast.Call) and dotted(value.func) == "list" and len(value.args) == 1
        if (name, said(value)) not in before and (name, said(value.args[0])) in before
    }


def _values_set(cls: Class) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that methods of a class assign, with what they assign."""
    for function in cls.functions:
        me = self_name(function)
        for node in executed(function.body):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for target in targets_of(node):
                    if is_attribute(target, me):
                        yield target.attr, node.value


def _shown_outside(change: ClassChange, changed: str) -> Iterator[Regression]:
    """Yield where other code goes through all attributes of an object, or all fields of one."""
    classes = [change.after, *change.new.heirs(change.after)]
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    fields = _has_fields(change.before) and set(change.before.annotated) - set(
        change.after.annotated
    )
    for word in (*_OF_ATTRIBUTES, *(_OF_FIELDS if fields else ())):
        for module, node, held in change.new.shown(word):
            if id(node) in own:
                continue
            if word in _OF_FIELDS or (
                not _is_imported(module, held)
                and (
                    may_be_object(change, module, held, classes)
                    or _goes_by_known(change, module, held, classes)
                )
                and not OtherObjects(change.new, classes).are_others(module, held)
            ):
                yield change.regression(
                    next(iter(change.lazy.values()), change.after.node),
                    "code reads all attributes of the object "
                    f"({module.path.name}:{node.lineno}), but the fix {changed}",
                )
                return


def _goes_by_known(
    change: ClassChange, module: Module, held: ast.expr, classes: list[Class]
) -> bool:
    """Return whether an expression ends in a name of such an object, and nothing that these lack is asked of it."""
    return writes.goes_by_known(change.new, module, held, classes) and not has_other_attributes(
        change.new, module, held, classes
    )


def _takes_all(function: Function) -> ast.expr | None:
    """Return where a method goes through all attributes of its object, or another's."""
    allowed: set[int] = set()
    for node in executed(function.body):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant):
            allowed |= {id(n) for n in within(node.comparators)}
        elif isinstance(node, ast.Subscript) and (
            isinstance(node.slice, ast.Constant) or isinstance(node.ctx, ast.Store)
        ):
            allowed |= {id(n) for n in within(node.value)}
        elif isinstance(node, ast.Call) and last_part(node.func) in _OF_ONE:
            allowed |= {id(n) for n in within(node.func)}
    for node in executed(function.body):
        if id(node) in allowed:
            continue
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return node
        if isinstance(node, ast.Call) and dotted(node.func) in {
            "vars",
            "asdict",
            "dataclasses.asdict",
        }:
            return node
    return None
