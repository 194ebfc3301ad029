"""How pickling sees an object: what its state methods were, and what they leave out now."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.late_code import opening_code
from dlfix.fixing.proof.order import CONSTRUCTORS, STATE, reached
from dlfix.fixing.proof.program import NO_STATE, Class, Program
from dlfix.fixing.proof.syntax import (
    MUTATING,
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    same,
    seeing,
    self_name,
    statements,
    strings,
    values_set,
    within,
)
from dlfix.fixing.proof.typestate import Interpreter
from dlfix.project.module import Module
from dlfix.project.syntax import attribute_named
from dlfix.project.trees import said

# What gives something to a queue, an event or a pool.
_FILLS = MUTATING | {"put", "put_nowait", "set", "submit", "start", "register"}

# What these attributes of a handle give are values of their own, in each library that has them.
_SIZES = (["shape"], ["dtype"], ["ndim"], ["nbytes"], ["chunks"])


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what pickling, copying and unpickling did before and no longer do."""
    added = [
        f
        for name in STATE
        if (f := change.after.methods.get(name)) is not None and name not in change.before.methods
    ]
    for function in added:
        yield from _replaced(change, function)
        yield from _in_slots(change, function)
    yield from _twice(change)
    for name in STATE:
        method = change.after.methods.get(name)
        if method is not None and not same(method, change.before.methods.get(name)):
            yield from _missing_keys(change, method)
            yield from _missing_super(change, method)
    yield from _flags(change)
    yield from _filled(change)
    yield from _rebuilt(change)
    yield from _keeps_each_its_own(change)
    yield from _kept_by_others(change)


def _twice(change: ClassChange) -> Iterator[Regression]:
    """Yield a state method that a later one of the same name replaces."""
    for name in STATE:
        defined = [function for function in change.after.functions if function.name == name]
        before = sum(function.name == name for function in change.before.functions)
        if len(defined) > max(before, 1):
            yield change.regression(
                defined[0],
                f"`{name}` is defined twice (lines {defined[0].lineno} and {defined[-1].lineno})",
            )


def _keeps_each_its_own(change: ClassChange) -> Iterator[Regression]:
    """Yield attributes that keep, in the state, what each process opens for itself, or a method of it."""
    gone = dropped(change).keys() | left_out_already(change) | change.lazy.keys()
    for _, function in change.constructed_after:
        for statement in statements(function.body):
            value = statement.value if isinstance(statement, ast.Assign) else None
            owner = self_name(function)
            root, *chain = dotted(value).split(".")
            own = change.made_lazy if root == owner else {}
            opened = next((e for e in chain if e in own or _opened_by_process(change, e)), None)
            if opened and chain[chain.index(opened) + 1 :] in _SIZES:
                continue
            for name in sets(statement, owner) if opened else ():
                if name not in gone:
                    yield change.regression(
                        statement,
                        f"`{name}` holds `{opened}`, but each process opens its own "
                        f"`{opened}` (line {statement.lineno})",
                    )


def _kept_by_others(change: ClassChange) -> Iterator[Regression]:
    """Yield attributes that code outside the class gives what the state leaves out under another name."""
    gone = dropped(change).keys() | left_out_already(change) | change.lazy.keys()
    family = change.new.family(change.after)
    inside = {id(node) for cls in family for node in within(cls.node)}
    for name in sorted(dropped(change).keys() | change.lazy.keys()):
        for module in change.new.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or id(node) in inside:
                    continue
                for owner, kept in _kept_as(module, node):
                    same_object = dotted(owner) == dotted(node.value) != ""
                    if kept in gone or not same_object:
                        continue
                    if writes.may_be(change.new, module, owner, family):
                        yield change.regression(
                            change.after.node,
                            f"`{kept}` holds `{name}` ({module.path.name}:{node.lineno}), but each "
                            f"process opens its own `{name}`",
                        )


def _kept_as(module: Module, value: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the attributes that the statement around a value sets to it, each with its object."""
    match module.parent(value):
        case ast.Assign(targets=targets):
            yield from filter(None, map(attribute_named, targets))
        case ast.Call(args=[*_, last]) as call if last is value:
            named = attribute_named(call)
            yield from [named] if named is not None and len(call.args) > 1 else []


def _opened_by_process(change: ClassChange, name: str) -> bool:
    """Return whether a class has a property of this name that keeps a value for each process."""
    return any(
        "getpid" in {last_part(node) for node in within(cls.getters[name])}
        for module in change.new.project.mentions(name)
        if module.says("getpid")
        for cls in change.new.classes(module)
        if name in cls.getters
    )


def _in_slots(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield what a state that is made of `__dict__` alone does not hold: slots, also of a base class."""
    nodes = list(executed(function.body))
    owner = self_name(function)
    if function.name != "__getstate__" or not any(
        is_attribute(n, owner, "__dict__") for n in nodes
    ):
        return
    related = [*change.new.lineage(change.after), *change.old.heirs(change.before)]
    slots = {name for cls in related for name in cls.slots or ()}
    named = {n.value for n in nodes if isinstance(n, ast.Constant)}
    named |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    known = {name for cls in related for name in attributes_set(cls)}
    missing = sorted((slots & known) - named - {*restored(change)})
    if missing:
        yield change.regression(
            function,
            f"`{missing[0]}` is in `__slots__`, so a state created from `__dict__` does "
            f"not contain it (line {function.lineno})",
        )


def _filled(change: ClassChange) -> Iterator[Regression]:
    """Yield what the constructor put into something that is made again empty."""
    found = change.after.methods.get("__setstate__")
    back = restored(change) & set(dropped(change)) if found is not None else set()
    if found is None:
        return
    again = {(last_part(n.value), n.attr) for n in _calls_of_attributes(found)}
    for _, function in change.constructed_after:
        for node in _calls_of_attributes(function):
            name = last_part(node.value)
            sure = function.name in CONSTRUCTORS or _is_waited_for(change, name)
            if sure and name in back and node.attr in _FILLS and (name, node.attr) not in again:
                yield change.regression(
                    found,
                    f"`{name}` is filled (line {node.lineno}), but `__setstate__` "
                    f"recreates it empty (line {found.lineno})",
                )


def _is_waited_for(change: ClassChange, name: str) -> bool:
    """Return whether a method waits until somebody has filled an attribute, or set it."""
    return any(
        node.attr in {"wait", "get", "join"} and last_part(node.value) == name
        for cls in change.new.family(change.after)
        for function in cls.functions
        for node in _calls_of_attributes(function)
    )


def _calls_of_attributes(function: Function) -> Iterator[ast.Attribute]:
    owner = self_name(function)
    for call in calls_in(function.body):
        if isinstance(call.func, ast.Attribute) and is_attribute(call.func.value, owner):
            yield call.func


def _rebuilt(change: ClassChange) -> Iterator[Regression]:
    """Yield what a new `__reduce__` passes to the constructor that is not what was passed."""
    function = change.after.methods.get("__reduce__")
    if function is None or "__reduce__" in change.before.methods:
        return
    names = {node.attr for node in own_attributes(function)} - {"args"}
    for _, made in change.constructed_after:
        for node in executed(made.body):
            if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
                continue
            for name in sets(node, self_name(made)):
                if name in names and not isinstance(node.value, (ast.Name, ast.Tuple)):
                    yield change.regression(
                        function,
                        f"`__reduce__` passes `{name}` to the constructor (line "
                        f"{function.lineno}), but it differs from the original argument "
                        f"(line {node.lineno})",
                    )
    for heir in change.new.heirs(change.after):
        own = heir.methods.get("__init__")
        if own is not None and change.new.method(heir, "__reduce__") == (change.after, function):
            yield change.regression(
                function,
                f"`__reduce__` recreates a `{heir.name}` (line {function.lineno}) with "
                f"arguments that its `__init__` may not accept (line {own.lineno})",
            )


def _replaced(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield the state method that the class had in another way, and that a new one replaces."""
    name, line = function.name, function.lineno
    if name in change.before.values:
        yield change.regression(
            function,
            f"the class assigns `{name}`, which conflicts with the new method (line {line})",
        )
        return
    for cls in (change.before, *change.old.heirs(change.before)):
        for decorator in cls.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            found = change.old.resolve(cls.module, target)
            if found is not None and _makes_state(found[1]):
                yield change.regression(
                    function,
                    f"the decorator (line {decorator.lineno}) adds state methods to `{cls.name}`, which "
                    f"conflict with the new ones (line {line})",
                )
                return
        other = cls is not change.before and name not in cls.methods
        assigned = cls.values.get(name) if other else None
        if assigned is not None:
            yield change.regression(
                function,
                f"`{cls.name}` assigns `{name}` (line {assigned.lineno}), so the new "
                f"method is never called (line {line})",
            )
            return
    hidden = _hidden(change, name)
    if hidden is not None:
        heir, cls, theirs = hidden
        yield change.regression(
            function,
            f"`{cls.name}.{name}` ({cls.module.path.name}:{theirs.lineno}) pickles a "
            f"`{heir.name}` but never calls the new method",
        )
        return
    for module in change.old.project.mentions(change.before.name):
        for node in module.nodes(ast.Attribute):
            if (
                node.attr in STATE
                and isinstance(node.ctx, ast.Store)
                and last_part(node.value) == change.before.name
            ):
                yield change.regression(
                    function,
                    f"`{node.attr}` is set ({module.path.name}:{node.lineno}), which replaces the new "
                    f"method (line {line})",
                )
                return
    yield from _not_of_heirs(change, function)
    yield from _taken_out_by_heirs(change, function)
    yield from _over_a_base(change, function)
    yield from _over_a_made_base(change, function)
    yield from _over_other_ways(change, function)


def _hidden(change: ClassChange, name: str) -> tuple[Class, Class, Function] | None:
    """Return a subclass, and the class beside the changed one whose state method its objects have instead."""
    heirs = change.new.heirs(change.after) if name == "__getstate__" else ()
    for heir in heirs:
        for cls in change.new.lineage(heir):
            if cls is change.after:
                break
            theirs = cls.methods.get(name)
            if theirs is not None and cls not in heirs and not _calls_super(theirs, name):
                return heir, cls, theirs
    return None


def _not_of_heirs(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield what subclasses set that a new state does not hold, which names the slots of the class."""
    if function.name != "__getstate__" or change.after.slots is None:
        return
    for heir in change.new.heirs(change.after):
        own = attributes_set(heir).keys() - change.after.slots - change.after.methods.keys()
        if own and "__getstate__" not in heir.methods:
            yield change.regression(
                function,
                f"`{heir.name}` sets `{min(own)}` "
                f"({heir.module.path.name}:{heir.node.lineno}), which is missing in the "
                f"pickled state of `{change.after.name}`",
            )
            return


def _taken_out_by_heirs(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield what a subclass takes out of the state of the class, or reads there, which the new one leaves out."""
    gone = dropped(change).keys() | change.made_lazy.keys()
    heirs = change.new.heirs(change.after) if function.name == "__getstate__" else ()
    for heir in heirs:
        theirs = heir.methods.get("__getstate__")
        for node in executed(theirs.body) if theirs and _calls_super(theirs, function.name) else ():
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="pop"), args=[ast.Constant(value=str() as name)]
                ):
                    pass
                case ast.Subscript(
                    slice=ast.Constant(value=str() as name), ctx=ast.Load() | ast.Del()
                ):
                    pass
                case _:
                    continue
            if name in gone:
                yield change.regression(
                    function,
                    f"`{heir.name}.__getstate__` expects `{name}` in the state ({heir.module.path.name}:"
                    f"{node.lineno}), which leaves it out now",
                )
                return


def _makes_state(node: ast.AST) -> bool:
    for inner in within(node):
        if getattr(inner, "name", "") in STATE or getattr(inner, "attr", "") in STATE:
            return True
    return any(text in STATE for text in strings(node))


def _over_a_base(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield what a base's state method did, where the new one does not call it."""
    name = function.name
    for base in change.new.lineage(change.after)[1:]:
        theirs = base.methods.get(name) or base.values.get(name)
        if theirs is None or not _had(change, base, name):
            continue
        if not _calls_super(function, name):
            yield change.regression(
                function,
                f"the new method (line {function.lineno}) overrides `{base.name}.{name}` (line "
                f"{theirs.lineno}) without calling it",
            )
        elif isinstance(theirs, ast.FunctionDef) and _nests_attributes(theirs):
            yield change.regression(
                function,
                f"`{base.name}.{name}` ({base.module.path.name}:{theirs.lineno}) returns the attributes inside "
                "another object, which the new method does not change",
            )
        return


def _over_a_made_base(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield a base that a call makes, and gives state methods, where the new one does not call them."""
    program = change.old
    if _calls_super(function, function.name):
        return
    for cls in program.lineage(change.before):
        for base in cls.node.bases:
            found = (
                [base] if isinstance(base, ast.Call) else program.assigned(cls.module, dotted(base))
            )
            if any(
                isinstance(made, ast.Call) and _makes_a_stateful(program, made) for made in found
            ):
                yield change.regression(
                    function,
                    f"the new method (line {function.lineno}) overrides that of the base "
                    f"`{ast.unparse(base)}`, which a call makes (line {base.lineno})",
                )
                return


def _makes_a_stateful(program: Program, made: ast.Call) -> bool:
    """Return whether a call names state methods, or the function of the project that it runs."""
    makers = (
        program.function_of(module, made.func)
        for module in program.project.mentions(last_part(made.func))
    )
    return _makes_state(made) or any(each is not None and _makes_state(each[1]) for each in makers)


def _nests_attributes(function: ast.FunctionDef) -> bool:
    """Return whether a `__getstate__` returns the attributes as a part of a dict, tuple or list."""
    if not any(last_part(node) in ("__dict__", "vars") for node in executed(function.body)):
        return False
    return any(
        isinstance(value, (ast.Tuple, ast.List))
        or (isinstance(value, ast.Dict) and None not in value.keys)
        for node in executed(function.body)
        if isinstance(node, ast.Return) and (value := node.value) is not None
    )


def _had(change: ClassChange, base: Class, name: str) -> bool:
    """Return whether a base had a state method before."""
    for each in change.old.lineage(change.before)[1:]:
        if each.qualname == base.qualname and each.module.path == base.module.path:
            return name in each.methods or name in each.values
    return False


def _over_other_ways(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield where the new state is never asked for, as the class is pickled or copied in another way."""
    if function.name != "__getstate__":
        return
    for base in change.new.lineage(change.after):
        for name in ("__reduce__", "__reduce_ex__"):
            theirs = base.methods.get(name) or base.values.get(name)
            if theirs is not None and "__reduce" not in said(
                ast.Module(theirs.body, []) if isinstance(theirs, ast.FunctionDef) else theirs
            ):
                yield change.regression(
                    function,
                    f"`{base.name}.{name}` (line {theirs.lineno}) controls pickling but "
                    f"never calls the new method (line {function.lineno})",
                )
                return


def _calls_super(function: Function, name: str) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == name for n in executed(function.body))


def _missing_keys(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield the deletions from the state of what some objects do not have."""
    wanted = dict(_must_have(change, function))
    if not wanted:
        return
    for cls in (change.after, *change.new.heirs(change.after)):
        own = change.new.method(cls, function.name)
        if own != (change.after, function) and not _reaches(change, cls, function):
            continue
        sure = Interpreter(change.new, cls).constructed().bound
        put_in = _always_in_state(change, cls) if function.name == "__setstate__" else set()
        for name, node in wanted.items():
            if name in put_in:
                continue
            if f".{name}" not in sure:
                whose = "an object" if cls is change.after else f"a `{cls.name}`"
                yield change.regression(
                    node,
                    f"`{name}` is removed from the pickled state (line {node.lineno}), but "
                    f"{whose} may not have it",
                )
            elif _deleted(change, cls, name):
                yield change.regression(
                    node,
                    f"`{name}` is removed from the pickled state (line {node.lineno}), but "
                    "a method may have deleted it",
                )


def _always_in_state(change: ClassChange, cls: Class) -> set[str]:
    """Return the keys that `__getstate__` puts into every state."""
    found = change.new.method(cls, "__getstate__")
    if found is None or found != (change.after, change.after.methods.get("__getstate__")):
        return set()
    return {
        target.slice.value
        for statement in found[1].body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Subscript)
        and isinstance(target.slice, ast.Constant)
        and isinstance(target.slice.value, str)
    }


def _reaches(change: ClassChange, cls: Class, function: Function) -> bool:
    """Return whether a subclass's own state method calls the one of its base."""
    found = change.new.method(cls, function.name)
    return found is not None and _calls_super(found[1], function.name)


def _must_have(change: ClassChange, function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keys that a state method takes for given."""
    old = change.before.methods.get(function.name)
    known = {said(n) for n in within(old)} if old is not None else set()
    for node in executed(function.body):
        if isinstance(node, ast.Delete):
            for target in node.targets:
                key = target.slice if isinstance(target, ast.Subscript) else None
                if isinstance(key, ast.Constant) and said(target) not in known:
                    yield str(key.value), target
        elif isinstance(node, ast.Call) and last_part(node.func) == "pop" and len(node.args) == 1:
            key = node.args[0]
            if isinstance(key, ast.Constant) and said(node) not in known:
                yield str(key.value), node


def _deleted(change: ClassChange, cls: Class, name: str) -> bool:
    return any(
        node.attr == name
        for each in change.new.lineage(cls)
        for f in each.functions
        for node in own_attributes(f, ast.Del)
    )


def _missing_super(change: ClassChange, function: Function) -> Iterator[Regression]:
    """Yield calls of a base's state method where no base has one."""
    old = change.before.methods.get(function.name)
    for node in executed(function.body):
        if not isinstance(node, ast.Attribute) or node.attr not in {"__getstate__", "__setstate__"}:
            continue
        if not isinstance(node.value, ast.Call) or dotted(node.value.func) != "super":
            continue
        if old is not None and node.attr in said(old):
            continue
        bases = change.new.lineage(change.after)[1:]
        if any(node.attr in (*b.methods, *b.values) for b in bases):
            continue
        outside = set(change.new.unknown_bases(change.after)) - NO_STATE
        if node.attr == "__setstate__" and outside:
            continue
        if node.attr == "__getstate__" and outside - {"Module", "LightningModule"}:
            continue
        yield change.regression(
            node,
            f"`{node.attr}` of a base class is called (line {node.lineno}), but no base "
            "class has it before Python 3.11",
        )


# What stays in the state though what it speaks of is left out


def dropped(change: ClassChange) -> dict[str, ast.AST]:
    """Return the attributes that the state after leaves out or empties, and the one before kept."""
    found: dict[str, ast.AST] = {}
    for name in STATE:
        after, before = change.after.methods.get(name), change.before.methods.get(name)
        if after is None or name == "__setstate__":
            continue
        gone = dict(_left_out(after)) | _unlisted(change, after)
        for key in dict(_left_out(before)) if before is not None else ():
            gone.pop(key, None)
        found.update(gone)
    return found | marked(change) | positions_sent(change)


def marked(change: ClassChange) -> dict[str, ast.AST]:
    """Return the attributes of which `__getstate__` now says only whether they were set: `state["file"] = True`."""
    getstate = change.after.methods.get("__getstate__")
    found: dict[str, ast.AST] = {}
    for node in executed(change.fresh(getstate)) if getstate is not None else ():
        match node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=str() as name))],
                value=ast.Constant(value=True),
            ):
                found[name] = node
    return found


def positions_sent(change: ClassChange) -> dict[str, ast.AST]:
    """Return the handles of which the state now has the position, to which what is opened again is moved."""
    getstate, setstate = (change.after.methods.get(n) for n in ("__getstate__", "__setstate__"))
    if getstate is None or setstate is None:
        return {}
    sent = {
        name: node
        for node in executed(change.fresh(getstate))
        for name in [_position_sent(node, self_name(getstate))]
    }
    moved = {
        node.func.value.attr
        for node in executed(change.fresh(setstate))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "seek"
        and is_attribute(node.func.value, self_name(setstate))
    }
    return {name: node for name, node in sent.items() if name in moved}


def _position_sent(node: ast.AST, me: str) -> str:
    """Return the attribute that a statement puts its position in the place of: `state["file"] = self.file.tell()`."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(slice=ast.Constant(value=str() as name))],
            value=ast.Call(func=ast.Attribute(attr="tell", value=held)),
        ):
            return name if is_attribute(held, me, name) else ""
    return ""


def opened_when_asked(change: ClassChange) -> dict[str, list[Function]]:
    """Return the attributes that a worker finds missing now, with the methods that open such a one."""
    found: dict[str, list[Function]] = {}
    for name in sorted(dropped(change).keys() - change.made_lazy.keys() - restored(change)):
        methods = (f for f in change.after.functions if f.name not in (*CONSTRUCTORS, *STATE))
        openers = [f for f in methods if any(isinstance(v, ast.Call) for v in values_set(f, name))]
        if not all(_only_constructs(change.new, f) for f in openers):
            found[name] = openers
    return found


def _only_constructs(program: Program, function: Function) -> bool:
    """Return whether nothing but constructors, of subclasses perhaps, calls a method."""
    used = [
        (module, node)
        for module in program.project.mentions(function.name)
        for node in module.nodes_by_name.get(function.name, ())
    ]
    around = [program.enclosing(module, node) for module, node in used]
    return bool(used) and all(each is not None and each.name in CONSTRUCTORS for each in around)


def left_out_already(change: ClassChange) -> set[str]:
    """Return the attributes that the state left out, or emptied, before the rewrite as well."""
    found: set[str] = set()
    for name in set(STATE) - {"__setstate__"}:
        after, before = change.after.methods.get(name), change.before.methods.get(name)
        if after is not None and before is not None:
            found |= dict(_left_out(after)).keys() & dict(_left_out(before)).keys()
    return found


def removes(cls: Class, name: str) -> bool:
    """Return whether a state method of a class removes an attribute from the state, and leaves nothing in its place."""
    nodes = (dict(_left_out(f)).get(name) for n, f in cls.methods.items() if n in STATE)
    return any(
        isinstance(node, ast.Call)
        or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del))
        for node in nodes
    )


def _left_out(function: Function) -> Iterator[tuple[str, ast.AST]]:
    for node in executed(function.body):
        if isinstance(node, ast.Delete):
            targets = [t for t in node.targets if isinstance(t, ast.Subscript)]
            yield from (
                (str(t.slice.value), t) for t in targets if isinstance(t.slice, ast.Constant)
            )
        elif isinstance(node, ast.Call) and last_part(node.func) == "pop" and node.args:
            if isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value), node
        elif isinstance(node, ast.comprehension):
            yield from ((name, node.ifs[0]) for name in _filtered(node))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            key = node.targets[0].slice
            if isinstance(key, ast.Constant) and _is_empty(node.value):
                yield str(key.value), node


def _unlisted(change: ClassChange, function: Function) -> dict[str, ast.AST]:
    """Return the attributes that a state made of listed slots does not have: `{name: getattr(self, name) for name in names}`."""
    nodes = [*executed(change.fresh(function))]
    if not any(isinstance(node, ast.DictComp) for node in nodes):
        return {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name()], value=ast.Tuple(elts=[_, *_]) as listed):
                return {
                    name: node
                    for name in attributes_set(change.before)
                    if name not in {*strings(listed)}
                }
    return {}


def _filtered(node: ast.comprehension) -> Iterator[str]:
    """Yield the keys that a comprehension over a state leaves out."""
    for test in node.ifs:
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotEq, ast.NotIn)):
            yield from strings(test)


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return not value.value
    return isinstance(value, (ast.Dict, ast.List)) and not said(value).count("Constant")


def restored(change: ClassChange, cls: Class | None = None) -> set[str]:
    """Return the attributes that `__setstate__` after sets, of the class or of one derived from it."""
    cls = cls or change.after
    found = change.new.method(cls, "__setstate__")
    if found is None:
        return set()
    return {
        node.attr
        for _, function in reached(change.new, cls, ("__setstate__",))
        for node in seeing(function.body, self_name(function))
        if is_attribute(node, self_name(function)) and isinstance(node.ctx, ast.Store)
    }


def _flags(change: ClassChange) -> Iterator[Regression]:
    """Yield the flags that go with a handle, are kept in the state, and decide whether it is opened."""
    gone = {name.removeprefix("_").removesuffix("_by_pid") for name in dropped(change)} | set(
        dropped(change)
    )
    gone |= set(change.lazy)
    gone |= {f"_{name}" for name in gone}
    kept = restored(change) | set(dropped(change))
    for function in change.after.functions:
        owner = self_name(function)
        if function.name in change.lazy or function.name in STATE:
            continue
        for block in blocks(function):
            handles = {
                n
                for s in block
                for n in sets(s, owner)
                if n in gone and not _only_empties(function, s, n)
            }
            for statement in block if handles else ():
                if not isinstance(statement, ast.Assign) or not isinstance(
                    statement.value, ast.Constant
                ):
                    continue
                if not statement.value.value:
                    continue
                for flag in sets(statement, owner):
                    if (
                        flag not in kept
                        and flag not in change.lazy
                        and not _is_constant(change, flag, function, statement)
                        and _decides(change, flag, gone)
                        and not all(_opens_anyway(change, handle, flag) for handle in handles)
                    ):
                        yield change.regression(
                            statement,
                            f"`{flag}` remains set in the pickled state (line "
                            f"{statement.lineno}), but `{min(handles)}` is removed from it",
                        )


def _only_empties(function: Function, statement: ast.stmt, name: str) -> bool:
    """Return whether a statement sets an attribute to an empty container, and nothing else in a method touches it.

    What the state then has of it and of a flag beside it is what an object had there.
    """
    value = getattr(statement, "value", None)
    is_empty = isinstance(value, (ast.Dict, ast.List)) and not any(ast.iter_child_nodes(value))
    touched = [node for node in own_attributes(function) if node.attr == name]
    return is_empty and len(touched) == 1


def _opens_anyway(change: ClassChange, handle: str, flag: str) -> bool:
    """Return whether a property opens a handle in each process, whatever a flag says."""
    getter = change.made_lazy.get(handle)
    if getter is None or handle in change.started_empty:
        return False
    return not any(
        isinstance(node, ast.Attribute) and node.attr == flag
        for node in executed(opening_code(change, getter))
    )


def _is_constant(change: ClassChange, name: str, function: Function, statement: ast.stmt) -> bool:
    """Return whether an attribute has one value from the constructor on: it says nothing of a handle."""
    if function.name not in CONSTRUCTORS or statement not in function.body:
        return False
    family = change.new.family(change.after)
    stores = [
        n
        for cls in family
        for n in within(cls.node)
        if isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
    ]
    return len(stores) == 1 and not any(name in cls.values for cls in family)


def blocks(function: Function) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements in a function."""
    for node in [function, *executed(function.body)]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def sets(statement: ast.stmt, owner: str) -> list[str]:
    """Return the attributes of its object that an assignment sets."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [n.attr for t in targets for n in ast.walk(t) if is_attribute(n, owner)]


def _decides(change: ClassChange, flag: str, handles: Collection[str]) -> bool:
    """Return whether a condition of a method asks a flag, but for one that opens a handle either way."""
    for cls in change.new.family(change.after):
        for function in cls.functions:
            owner = self_name(function)
            for node in executed(function.body):
                if not isinstance(node, (ast.If, ast.IfExp, ast.While)):
                    continue
                asked = any(is_attribute(n, owner, flag) for n in executed(node.test))
                if asked and not _sets_either_way(node, owner, handles):
                    return True
    return False


def _sets_either_way(node: ast.AST, owner: str, handles: Collection[str]) -> bool:
    """Return whether both branches of a condition set the same handles."""
    if not isinstance(node, ast.If):
        return False
    one, other = (
        {n for s in block for n in sets(s, owner) if n in handles}
        for block in (node.body, node.orelse)
    )
    return bool(one) and one == other
