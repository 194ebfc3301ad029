"""One object through its life: made, pickled, used in a worker, closed; before against after."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace

from dlfix.fixing.proof import order, state
from dlfix.fixing.proof.accesses import FirstAccess
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.numeric import is_number
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.parent_code import ParentCode
from dlfix.fixing.proof.program import Class, is_getter
from dlfix.fixing.proof.same_accesses import keeps
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    own_targets,
    parameters,
    self_name,
    values_set,
    within,
)
from dlfix.fixing.proof.typestate import Interpreter, Reading, State
from dlfix.project.trees import said

_DEAD = frozenset(
    "list tuple sorted set dict frozenset len int float str bytes bool sum min max any all abs round"
    " array asarray ascontiguousarray from_numpy tensor as_tensor stack concatenate copy deepcopy tolist"
    " decode encode split strip join namelist getnames fetchone fetchall fetchmany read readline"
    " readlines readall stat tobytes item loads json load count total range format repr hex mean std"
    " astype flatten sum max min unique cumsum arange zeros read_direct get_metadata getvalue".split()
)
_LIVE = frozenset(
    "fileno cursor begin transaction iter keys values items get_storage reader DictReader mmap memoryview"
    " require_group create_dataset open getbuffer enumerate zip map filter raw detach require_dataset"
    " variables streams demux decode_video iterdecode register".split()
)
_VIEWS = frozenset({"memoryview", "frombuffer", "getbuffer"})


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what may be read though it is unset, None or closed, and was not before."""
    if not keeps(change.before, change.after):
        for cls in (change.after, *change.new.heirs(change.after)):
            yield from _of_objects(change, cls)
    yield from _endless(change)
    yield from _closings(change)
    yield from _left_open(change)
    yield from _live_values(change)


def _of_objects(change: ClassChange, cls: Class) -> Iterator[Regression]:
    before = change.before_of(cls)
    if before is None:
        return
    if cls is change.after or not change.is_untouched(cls):
        yield from _read_unset(change, before, cls)
        yield from _read_unset_at_the_end(change, before, cls)
    yield from _used_in_worker(change, cls, Interpreter(change.new, cls).constructed())


def _read_unset(change: ClassChange, before: Class, cls: Class) -> Iterator[Regression]:
    """Yield what may be unset where it is read, in the constructor or after it, and was set before."""
    watched = change.attributes_at_stake(before, cls)
    new = Interpreter(change.new, cls, watched)
    made_after = new.constructed()
    unset = [r for r in sorted(new.unset, key=lambda r: r.line) if r.name.startswith(".")]
    late = list(_unset_in_parent(change, new, cls, made_after))
    if not unset and not late:  # so are most classes: what they were before is not asked
        return
    old = Interpreter(change.old, before, watched)
    made_before = old.constructed()
    known = {r.name for r in old.unset}
    for found in unset:
        if not _known(change, found, known):
            yield _unset(change, cls, found, "while the instance is created")
    if late:  # what the constructor reads unset is there all the same: a base outside sets it
        before_by_method = _unset_before(change, old, before, made_before)
        anywhere = frozenset[str]().union(*before_by_method.values())
    for method, found in late:
        if not _known(change, found, known | before_by_method.get(method, anywhere)):
            yield _unset(change, cls, found, "after the instance is created")


def _read_unset_at_the_end(change: ClassChange, before: Class, cls: Class) -> Iterator[Regression]:
    """Yield what `__del__` may read unset of an object whose constructor has raised, and did not before."""
    then, now = change.old.method(before, "__del__"), change.new.method(cls, "__del__")
    if then is None or now is None:
        return
    watched = change.attributes_at_stake(before, cls)
    found = Interpreter(change.new, cls, watched).alone(*now, State()).in_order()
    late = [each for each in found if change.lazy.keys().isdisjoint(each.through)]
    if late:
        known = {
            r.name for r in Interpreter(change.old, before, watched).alone(*then, State()).unset
        }
        for each in late:
            if each.name.startswith(".") and not _known(change, each, known):
                yield _unset(change, cls, each, "by `__del__` where the constructor has failed")


def _known(change: ClassChange, found: Reading, known: set[str]) -> bool:
    """Return whether the same was read unset before: the attribute, or the one that is a property now."""
    kept_for = (
        name
        for name, getter in change.made_lazy.items()
        if any(is_attribute(n, self_name(getter), found.name[1:]) for n in within(getter.body))
    )
    names = {found.name, *(f".{name}" for name in (*found.through, *kept_for))}
    return not names.isdisjoint(known)


def _unset(change: ClassChange, cls: Class, found: Reading, when: str) -> Regression:
    reason = f"`{found.name[1:]}` may not be set when it is read {when} (line {found.line})"
    return Regression(found.home or cls.module.path, cls.qualname, found.line, reason)


def _unset_before(
    change: ClassChange, old: Interpreter, before: Class, made: State
) -> dict[str, set[str]]:
    """Return the names that each method reads unset after construction, before the rewrite."""
    return {
        f.name: {r.name for r in old.alone(before, f, made).unset}
        for _, f in order.entries(change.old, before)
    }


def _unset_in_parent(
    change: ClassChange, new: Interpreter, cls: Class, made: State
) -> Iterator[tuple[str, Reading]]:
    """Yield the attributes that methods may read unset after construction, with the method."""
    for owner, function in order.entries(change.new, cls):
        if function.name in change.made_lazy:
            continue  # looked at where it is read
        found = new.alone(owner, function, made).in_order()
        yield from ((function.name, each) for each in found if each.name.startswith("."))


def _used_in_worker(change: ClassChange, cls: Class, made_after: State) -> Iterator[Regression]:
    """Yield what a worker reads, where the state left it out and nothing sets it again."""
    gone = {name for name in state.dropped(change) if name not in change.after.getters}
    gone -= {name for name in gone if name in change.after.values or name in change.after.methods}
    back = _restored(change, cls, made_after)
    emptied = {name for name in (*gone, *change.started_empty) if name not in back}
    emptied = {name for name in emptied if not name.endswith("_by_pid")}
    unset = {name for name in gone if name not in back and _is_deleted(change, name)}
    already = state.left_out_already(change)
    missing = already - back - {*change.after.getters, *change.after.values, *change.after.methods}
    missing = missing if change.made_lazy else set()
    lost = {name for name in missing if state.removes(change.after, name)}
    start = replace(
        made_after,
        bound=frozenset(n for n in made_after.bound if n[1:] not in unset | lost),
        present=frozenset(n for n in made_after.present if n[1:] not in emptied | already),
    )
    yield from _while_restored(change, cls, start)
    if not emptied | missing:
        return
    flags = {f".{name}" for name in change.after.setters}  # kept by process, as what they guard
    companions = {
        f".{name}": {f".{n}" for n in _set_with(change, cls, name)} for name in emptied | already
    }
    interpreter = Interpreter(change.new, cls)
    interpreter.companions = companions
    parent = ParentCode(change.new, surely=True).methods(cls)
    of_parent = {id(f) for _, f in parent if _is_called_on(change, cls, f)}
    are_opened = all(_is_opened_when_made(change, cls, name) for name in emptied | missing)
    for owner, function in order.entered_by_workers(change.new, cls):
        is_only_of_making = are_opened and _is_only_of_making(change, cls, function)
        if id(function) in of_parent or is_only_of_making:
            continue
        if order.ends_use(function.name) and function.name != "__del__":
            continue
        if _fills(function, emptied):
            continue
        run = interpreter.alone(owner, function, start)
        for found in run.in_order():
            of_opener = found.name[1:] in lost and _is_of_opener(change, found)
            if found.name[1:] in unset or of_opener:
                yield _unset(
                    change, cls, found, "in a worker, because it is not part of the pickled state"
                )
        for found in sorted(run.empty, key=lambda r: r.line):
            of_opener = found.name[1:] in missing and _is_of_opener(change, found)
            if (
                (found.name[1:] in emptied or of_opener)
                and not (companions[found.name] - {found.name}) & flags
                and function.name != "__del__"
                and not order.ends_use(found.function)
            ):
                yield Regression(
                    found.home or cls.module.path,
                    cls.qualname,
                    found.line,
                    f"`{found.name[1:]}` is used in a worker before it is opened (line "
                    f"{found.line})",
                )


def _is_of_opener(change: ClassChange, found: Reading) -> bool:
    """Return whether a new property reads something, or a method that it runs."""
    return not change.made_lazy.keys().isdisjoint(found.through)


def _is_opened_when_made(change: ClassChange, cls: Class, name: str) -> bool:
    """Return whether constructors give an attribute what a call makes: what is passed in may be for methods to go on with."""
    made = order.construction(change.new, cls)
    values = [
        getattr(node, "value", None)
        for _, function in made
        for node in ast.walk(function)
        if name in own_targets(node, self_name(function))
    ]
    return bool(values) and all(isinstance(each, ast.Call) for each in values)


def _is_only_of_making(change: ClassChange, cls: Class, function: Function) -> bool:
    """Return whether code names a method nowhere but where it is called while an object is made."""
    made = {id(each) for _, each in order.construction(change.new, cls)}
    if id(function) not in made or function.name.startswith("__"):
        return False
    family = change.new.family(cls)
    for module in change.new.project.mentions(function.name):
        called = {id(call.func) for call in module.calls}
        if any(each.value == function.name for each in module.nodes(ast.Constant)):
            return False
        for node in module.nodes_by_name.get(function.name, ()):
            within_making = id(change.new.enclosing(module, node)) in made
            owner = node.value if isinstance(node, ast.Attribute) else None
            if owner is None or (within_making and id(node) in called):
                continue
            if may_be_object(change, module, owner, family):
                return False
    return True


def _is_called_on(change: ClassChange, cls: Class, function: Function) -> bool:
    """Return whether code calls a method on what may be an object of the class that is made already; others may have one of its name."""
    family = change.new.family(cls)
    made = {id(each) for _, each in order.construction(change.new, cls)}
    return any(
        isinstance(call.func, ast.Attribute)
        and id(change.new.enclosing(module, call)) not in made
        and may_be_object(change, module, call.func.value, family)
        for module in change.new.project.mentions(function.name)
        for call in module.calls_by_name.get(function.name, ())
    )


def _endless(change: ClassChange) -> Iterator[Regression]:
    """Yield properties whose opener asks for the property itself before it has set it."""
    for name, getter in change.made_lazy.items():
        for cls in (change.after, *change.new.heirs(change.after)):
            found = FirstAccess(change.new, cls, name).of(change.after, getter)
            if found is None or not found.reads:
                continue
            calls = f"`{name}` calls `{found.function.name}`, which reads `{name}` again"
            reads = f"`{name}` reads itself" if found.function is getter else calls
            yield change.regression(getter, f"{reads}: infinite recursion (line {found.line})")
            return


def _restored(change: ClassChange, cls: Class, made: State) -> set[str]:
    """Return what `__setstate__` sets again, on each of its ways if the constructor did so."""
    back = state.restored(change, cls)
    found = change.after.methods.get("__setstate__")
    if found is None or not change.fresh(found):
        return back
    end = Interpreter(change.new, cls).alone(cls, found, _as_pickled(change, made)).end
    return {n for n in back if end is None or {f".{n}"} & made.bound <= end.bound}


def _as_pickled(change: ClassChange, made: State) -> State:
    """Return what is sure of an object of which only the state is there."""
    empty = {f".{name}" for name in state.dropped(change)}
    gone = {f".{name}" for name in state.dropped(change) if _is_deleted(change, name)}
    return replace(made, bound=made.bound - gone, present=made.present - empty)


def _while_restored(change: ClassChange, cls: Class, start: State) -> Iterator[Regression]:
    """Yield what `__setstate__` reads though the state may not have it."""
    method = change.new.method(cls, "__setstate__")
    if method is None or not _is_made(change, cls):
        return
    owner, found = method
    is_new = owner is change.after and bool(change.fresh(found))
    left_out = state.dropped(change)
    if not is_new and not left_out:
        return
    removed = {f".{n}" for n in state.left_out_already(change) if state.removes(change.after, n)}
    pickled = _as_pickled(change, start)
    sure = replace(pickled, bound=pickled.bound - removed, present=pickled.present - removed)
    interpreter = Interpreter(change.new, cls)
    interpreter.companions = {
        f".{name}": set(_bound_before(change, cls, name)) for name in state.marked(change)
    }
    for reading in interpreter.alone(
        owner if owner is not change.after else cls, found, sure
    ).in_order():
        if reading.name.startswith(".") and (is_new or reading.name[1:] in left_out):
            yield _unset(change, cls, reading, "while the instance is unpickled")


def _bound_before(change: ClassChange, cls: Class, name: str) -> set[str]:
    """Return what is bound in any case once an attribute is not None: above each statement that sets it, in its block."""
    found: set[str] | None = None
    for function in (f for each in change.new.lineage(cls) for f in each.functions):
        owner = self_name(function)
        for block in state.blocks(function) if function.name not in order.STATE else ():
            above: set[str] = set()
            for statement in block:
                names = set(state.sets(statement, owner))
                if name in names and not _sets_none(statement):
                    found = set(above) if found is None else found & above
                above |= {f".{each}" for each in names}
    return found or set()


def _is_made(change: ClassChange, cls: Class) -> bool:
    """Return whether there may be objects of just this class: not of a mixin that others derive from."""
    if not change.new.heirs(cls):
        return True
    return any(last_part(call.func) == cls.name for _, call in change.new.constructions(cls))


def _set_with(change: ClassChange, cls: Class, name: str) -> set[str]:
    """Return the attributes that are set wherever one is filled, in the same block."""
    found: set[str] | None = None
    for each in change.new.lineage(cls):
        for function in each.functions:
            owner = self_name(function)
            if function.name in order.CONSTRUCTORS or function.name in change.lazy:
                continue
            for block in state.blocks(function):
                together = {n for s in block for n in state.sets(s, owner) if not _sets_none(s)}
                if name in together:
                    found = together if found is None else found & together
    return found or set()


def _sets_none(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Constant) and value.value is None


def _is_deleted(change: ClassChange, name: str) -> bool:
    return name in state.dropped(change) and state.removes(change.after, name)


def _fills(function: Function, names: set[str]) -> bool:
    """Return whether a method is what opens: it does nothing else than set them."""
    sets = any(node.attr in names for node in own_attributes(function, ast.Store))
    return sets and function.name.lstrip("_").startswith(
        ("open", "connect", "init", "start", "setup", "load", "create")
    )


# Closing


def _closings(change: ClassChange) -> Iterator[Regression]:
    """Yield new calls of `close` on what may not have it, or is not this object's to close."""
    for function in change.after.functions:
        if function.name in change.lazy:
            continue
        owner = self_name(function)
        for statement in change.fresh(function):
            for node, name in _closed(statement, owner):
                reason = _cannot_close(change, name, function, node)
                if reason is not None:
                    yield change.regression(
                        node, f"`{name}`, {reason}, is closed (line {node.lineno})"
                    )
            if isinstance(statement, (ast.With, ast.AsyncWith)):
                for item in statement.items:
                    value = _opened_by(item.context_expr)
                    told = (_never_closed(change, v) for v in _opened_values(change, value))
                    reason = next((one for one in told if one), None)
                    if reason is not None:
                        yield change.regression(
                            value,
                            f"the resource of the `with` statement, {reason}, is closed (line {value.lineno})",
                        )


def _opened_values(change: ClassChange, value: ast.expr) -> list[ast.expr]:
    """Return what a `with` may enter: what the method it calls returns, if it is one of the class."""
    name = last_part(value.func) if isinstance(value, ast.Call) else ""
    method = change.after.methods.get(name)
    if method is None:
        return _alternatives(value)
    returned = [n.value for n in executed(method.body) if isinstance(n, ast.Return)]
    return [part for each in returned if each is not None for part in _alternatives(each)]


def _is_passed_in(change: ClassChange, value: ast.expr) -> bool:
    """Return whether a value is a parameter of the constructor, or an attribute that keeps one."""
    if isinstance(value, ast.Name):
        return _is_parameter(change, value.id)
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Name)
        and node.value.id in parameters(function)
        and any(dotted(target) == dotted(value) != "" for target in node.targets)
        for _, function in change.constructed_after
        for node in executed(function.body)
    )


def _closed(statement: ast.stmt, owner: str) -> Iterator[tuple[ast.expr, str]]:
    parts: list[ast.AST] = []
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            parts.append(child)
    for node in calls_in(parts):
        target: ast.AST | None = None
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"close", "abort"}:
            target = node.func.value
        elif last_part(node.func) == "closing" and node.args:
            target = node.args[0]
        if is_attribute(target, owner):
            yield node, target.attr


def _cannot_close(change: ClassChange, name: str, function: Function, node: ast.expr) -> str | None:
    values = _values(change, name)
    for value in values:
        if isinstance(value, ast.Constant) and value.value is None:
            if not _asked_first(change, function, node, name):
                return "which may be None"
        elif (
            isinstance(value, ast.Call)
            and last_part(value.func) == "load"
            and _may_be_array(change, value, name)
        ):
            return "which may be an array without a `close` method"
        elif (reason := _never_closed(change, value)) is not None:
            return reason
    return None


_ARRAYS = frozenset({"memmap", "asarray", "array", "open_memmap", "fromfile"})
_DISPLAYS = (
    ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.JoinedStr, ast.DictComp, ast.ListComp,
    ast.SetComp,
)  # fmt: skip


def _never_closed(change: ClassChange, value: ast.expr) -> str | None:
    """Return why a value must not be closed, or cannot be, where that is known."""
    if isinstance(value, _DISPLAYS) or _is_builtin(value):
        return "which may not have a `close` method"
    if isinstance(value, ast.Call) and last_part(value.func) in _ARRAYS:
        return "which is an array without a `close` method"
    if isinstance(value, (ast.Name, ast.Attribute)) and _is_passed_in(change, value):
        return "which a caller passed in and may still use"
    return None


def _is_builtin(value: ast.expr) -> bool:
    """Return whether a builtin makes a value: none but `open` gives what can be closed."""
    name = dotted(value.func) if isinstance(value, ast.Call) else ""
    return hasattr(builtins, name) and name not in ("open", "getattr", "next", "__import__")


def _values(change: ClassChange, name: str) -> list[ast.expr]:
    """Return what a lazy attribute may hold, or a plain one."""
    getter = change.after.getters.get(name)
    found: list[ast.expr] = []
    if getter is not None:
        for node in executed(getter.body):
            if isinstance(node, ast.Return) and node.value is not None:
                found += _alternatives(node.value)
        return found
    for _, function in change.constructed_after:
        found += [part for value in values_set(function, name) for part in _alternatives(value)]
    return found


def _alternatives(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.IfExp):
        return [*_alternatives(value.body), *_alternatives(value.orelse)]
    if isinstance(value, ast.BoolOp):
        return [each for v in value.values for each in _alternatives(v)]
    return [value]


def _asked_first(change: ClassChange, function: Function, node: ast.expr, name: str) -> bool:
    """Return whether a condition around a place knows that an attribute is not None."""
    for parent in change.after.module.ancestors(node):
        if isinstance(parent, FUNCTIONS):
            break
        if isinstance(parent, (ast.If, ast.IfExp)) and any(
            (isinstance(n, ast.Attribute) and n.attr == name)
            or (isinstance(n, ast.Constant) and n.value == name)
            for n in executed(parent.test)
        ):
            return True
    return False


def _may_be_array(change: ClassChange, value: ast.Call, name: str) -> bool:
    """Return whether `np.load` may give an array: nothing shows that it is an archive."""
    if dotted(value.func).partition(".")[0] not in {"np", "numpy", "load"}:
        return False
    text = said(value)
    if ".npz" in text:
        return False
    if ".npy" in text or "mmap_mode" in text:
        return True
    for cls in change.new.lineage(change.after):
        for function in cls.functions:
            for node in executed(function.body):
                on = getattr(node, "value", None)
                if on is None or not is_attribute(on, self_name(function), name):
                    continue
                key = node.slice if isinstance(node, ast.Subscript) else None
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    return False
                if isinstance(node, ast.Attribute) and node.attr in {"files", "zip"}:
                    return False
    return True


def _is_parameter(change: ClassChange, name: str) -> bool:
    return any(name in parameters(f) for _, f in change.constructed_after)


def _left_open(change: ClassChange) -> Iterator[Regression]:
    """Yield methods that closed a handle and no longer do so."""
    for before in change.before.functions:
        if before.name in order.CONSTRUCTORS:
            continue
        after = next((f for f in change.after.functions if f.name == before.name), None)
        if after is None or is_getter(after):
            continue
        owner = self_name(before)
        closed = {
            call.func.value.attr
            for call in calls_in(before.body)
            if isinstance(call.func, ast.Attribute)
            and call.func.attr == "close"
            and is_attribute(call.func.value, owner)
        }
        named = {n.attr for n in executed(after.body) if isinstance(n, ast.Attribute)}
        for name in sorted(closed - named):
            if "close" not in named or not _table_of(change, name) & named:
                yield change.regression(
                    after, f"`{name}` is no longer closed (line {after.lineno})"
                )


def _table_of(change: ClassChange, name: str) -> set[str]:
    """Return the attributes in which a property that is new puts what it opens, by process."""
    getter = change.lazy.get(name)
    if getter is None or not change.keyed(name):
        return set()
    stored = (n.value for n in executed(getter.body) if isinstance(n, ast.Subscript))
    return {each.attr for each in stored if isinstance(each, ast.Attribute)}


# Values that die with their handle


def _live_values(change: ClassChange) -> Iterator[Regression]:
    """Yield attributes that hold on to a handle that the constructor closes now."""
    for _, function in change.constructed_after:
        if function.name in change.lazy:
            continue
        owner = self_name(function)
        closed = {name for s in change.fresh(function) for _, name in _closed(s, owner)}
        closed |= _deleted(function, owner) & set(change.lazy)
        opened = _opened_locally(change, function, owner)
        if not closed and not opened:
            continue
        handles = _aliases(function, owner, closed | _derived(change, closed))
        handles = _with_locals(change, function, handles, opened)
        for node in executed(function.body):
            if not isinstance(node, ast.Assign):
                continue
            kept = [
                t for t in node.targets if isinstance(t, ast.Attribute) and is_attribute(t, owner)
            ]
            if kept and _replaced_later(change, function, node, kept[0].attr, handles):
                continue
            if (
                kept
                and is_live(change, function, node.value, handles)
                and _used_later(change, kept[0].attr)
            ):
                name = kept[0].attr
                yield change.regression(
                    node,
                    f"`{name}` is stored (line {node.lineno}), but the constructor closes "
                    "the resource that it is derived from",
                )
        yield from _escaping(change, function, handles)


def _opened_locally(change: ClassChange, function: Function, owner: str) -> dict[str, ast.expr]:
    """Return the local names under which the constructor opens handles now, and what opens them."""
    found: dict[str, ast.expr] = {}
    for statement in change.fresh(function):
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                if isinstance(item.optional_vars, ast.Name):
                    found[item.optional_vars.id] = _opened_by(item.context_expr)
                elif isinstance(inner := _opened_by(item.context_expr), ast.Name):
                    found[inner.id] = inner
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if _opens_as(change, statement.value, owner):
                found[name] = statement.value
    return found


def _opened_by(value: ast.expr) -> ast.expr:
    closing = isinstance(value, ast.Call) and last_part(value.func) == "closing" and value.args
    return value.args[0] if isinstance(value, ast.Call) and closing else value


def _opens_as(change: ClassChange, value: ast.expr, owner: str) -> bool:
    """Return whether an expression is what a lazy attribute is opened by."""
    opened = {said(node) for name in change.lazy for node in _values(change, name)}
    return said(value) in opened


def _with_locals(
    change: ClassChange, function: Function, handles: set[str], opened: dict[str, ast.expr]
) -> set[str]:
    """Add the local names that hold handles, and what is made of them."""
    found = handles | set(opened)
    size = -1
    while size != len(found):
        size = len(found)
        for node in executed(function.body):
            if isinstance(node, ast.Assign) and is_live(change, function, node.value, found):
                found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found


def _replaced_later(
    change: ClassChange, function: Function, node: ast.Assign, name: str, handles: set[str]
) -> bool:
    """Return whether an attribute is set again below, in the same block, to what is not live."""
    for block in state.blocks(function):
        if node not in block:
            continue
        for later in block[block.index(node) + 1 :]:
            if isinstance(later, ast.Assign) and name in state.sets(later, self_name(function)):
                return not is_live(change, function, later.value, handles)
    return False


def _escaping(change: ClassChange, function: Function, handles: set[str]) -> Iterator[Regression]:
    """Yield handles that are put into a container of the object and closed."""
    owner = self_name(function)
    for node in executed(function.body):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"append", "add", "insert"}
        ):
            held = node.func.value
            if (
                is_attribute(held, owner)
                and any(is_live(change, function, arg, handles) for arg in node.args)
                and _used_later(change, held.attr)
            ):
                yield change.regression(
                    node,
                    f"`{held.attr}` holds a resource that the constructor closes (line {node.lineno})",
                )
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                place = target.value if isinstance(target, ast.Subscript) else None
                if not is_attribute(place, owner) or place.attr in change.lazy:
                    continue
                live = is_live(change, function, node.value, handles)
                if live and _used_later(change, place.attr):
                    yield change.regression(
                        node,
                        f"`{place.attr}` holds a resource that the constructor closes (line {node.lineno})",
                    )


def _deleted(function: Function, owner: str) -> set[str]:
    return {node.attr for node in own_attributes(function, ast.Del)}


def _derived(change: ClassChange, closed: set[str]) -> set[str]:
    """Return the lazy attributes that are read from others that are closed."""
    found = set(closed)
    for name, getter in change.lazy.items():
        if any(node.attr in closed for node in own_attributes(getter)):
            found.add(name)
    return found


def _aliases(function: Function, owner: str, names: set[str]) -> set[str]:
    found = {f"{owner}.{name}" for name in names}
    for node in executed(function.body):
        if isinstance(node, ast.Assign) and dotted(node.value) in found:
            found |= {dotted(t) for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            call = node.context_expr
            if dotted(call) in found or (
                isinstance(call, ast.Call) and call.args and dotted(call.args[0]) in found
            ):
                found.add(dotted(node.optional_vars))
    return found - {""}


def is_live(change: ClassChange, function: Function, value: ast.expr, handles: set[str]) -> bool:
    """Return whether a value may only be valid as long as a handle is open."""
    if dotted(value) in handles or _is_view(change, function, value, handles):
        return True
    if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
        return any(is_live(change, function, each, handles) for each in value.elts)
    if isinstance(value, ast.IfExp):
        return any(is_live(change, function, each, handles) for each in (value.body, value.orelse))
    if isinstance(value, ast.GeneratorExp):
        return _touches(value, handles)
    if isinstance(value, (ast.ListComp, ast.SetComp)):
        return is_live(change, function, value.elt, handles)
    if isinstance(value, ast.DictComp):
        return is_live(change, function, value.value, handles)
    if isinstance(value, ast.Subscript):
        if _is_archive(change, value.value):
            return False
        whole = isinstance(value.slice, (ast.Slice, ast.Tuple)) or is_number(function, value.slice)
        if whole and not _is_collection(function, value.value):
            return False
        return is_live(change, function, value.value, handles)
    if isinstance(value, ast.Attribute):
        return value.attr in _LIVE | {"read", "T"} and is_live(
            change, function, value.value, handles
        )
    if isinstance(value, ast.Call):
        return _live_call(change, function, value, handles)
    return False


def _is_view(change: ClassChange, function: Function, value: ast.expr, handles: set[str]) -> bool:
    """Return whether a value looks into a handle's memory, as slices and methods of a view do too."""
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, (ast.Slice, ast.Tuple)) and _is_view(
            change, function, value.value, handles
        )
    if not isinstance(value, ast.Call):
        return False
    if last_part(value.func) in _VIEWS:
        return any(is_live(change, function, each, handles) for each in value.args)
    made = value.func.value if isinstance(value.func, ast.Attribute) else None
    return (
        made is not None
        and last_part(value.func) not in _DEAD
        and _is_view(change, function, made, handles)
    )


def _is_collection(function: Function, node: ast.expr) -> bool:
    """Return whether a name stands for several values, of which an index takes one as it is."""
    return isinstance(node, ast.Name) and any(
        isinstance(each, ast.Assign)
        and isinstance(each.value, (ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.DictComp))
        and node.id in {dotted(target) for target in each.targets}
        for each in executed(function.body)
    )


def _is_archive(change: ClassChange, node: ast.expr) -> bool:
    """Return whether a subscript of a handle reads all it names into memory, as of a `.npz`."""
    getter = change.lazy.get(last_part(node))
    opened: list[ast.AST] = list(executed(getter.body)) if getter is not None else []
    if isinstance(node, ast.Name):
        opened += [
            n
            for _, f in change.constructed_after
            for item in executed(f.body)
            if isinstance(item, ast.withitem) and dotted(item.optional_vars) == node.id
            for n in executed([item.context_expr])
        ]
    return any(
        isinstance(n, ast.Call) and dotted(n.func) in {"np.load", "numpy.load"} for n in opened
    )


def _live_call(change: ClassChange, function: Function, value: ast.Call, handles: set[str]) -> bool:
    name = last_part(value.func)
    if name in _DEAD:
        return False
    given = [*value.args, *(k.value for k in value.keywords)]
    held = any(is_live(change, function, each, handles) for each in given)
    if isinstance(value.func, ast.Attribute) and is_live(
        change, function, value.func.value, handles
    ):
        return name in _LIVE or name[:1].isupper()
    if not held:
        return False
    known = change.new.function_of(change.after.module, value.func)
    if known is not None:
        returned = [
            n.value
            for n in executed(known[1].body)
            if isinstance(n, ast.Return) and n.value is not None
        ]
        inner = set(parameters(known[1]))
        return any(is_live(change, known[1], each, inner) for each in returned)
    return (
        name in _LIVE or name[:1].isupper() or name.lower().endswith(("reader", "iter", "iterator"))
    )


def _touches(node: ast.AST, handles: set[str]) -> bool:
    return any(dotted(n) in handles for n in within(node))


def _used_later(change: ClassChange, name: str) -> bool:
    made = [f for _, f in change.constructed_after]
    return any(
        node.attr == name
        for cls in change.new.family(change.after)
        for f in cls.functions
        if f not in made or f.name in change.late_before
        for node in own_attributes(f, ast.Load)
    )
