"""Handles of the parent under fork: what is opened lazily must not be opened before the workers start."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order, state
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.handling import Held, held_by, opened_in, returned
from dlfix.fixing.proof.implied_calls import described, implied
from dlfix.fixing.proof.objects import is_item, is_object, may_be_object
from dlfix.fixing.proof.parent_code import ParentCode
from dlfix.fixing.proof.pool_methods import methods_of_pools
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import (
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
from dlfix.fixing.proof.unspelled_reads import named_by_text, unspelled
from dlfix.fixing.proof.writes import values_of
from dlfix.project.module import Module
from dlfix.project.order import comes_before, in_order

# Mapped memory may be shared by processes, and what is not shared at all is no matter either.
_MAPPED = frozenset("memmap mmap open_memmap fromfile from_file MmapedFile".split())
# What belongs to the process that made it, also if it is only used and not opened again.
_OF_A_PROCESS = frozenset("local ThreadPoolExecutor ThreadPool ProcessPoolExecutor Pool".split())
_POOLS = frozenset("ProcessPoolExecutor Pool".split())
_FAR = 2  # names and partials that are followed to what a pool is handed
_STARTS = frozenset("DataLoader".split())
_KEEPING = (
    *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Call, ast.keyword, ast.Return, ast.Yield),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp),
)
_BEFORE_WORKERS = 5  # parameters of a loader that stand before `num_workers`
# What wraps a dataset, and reads its items when asked for one.
_WRAPS = frozenset("random_split Subset ConcatDataset islice cycle chain".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield handles that the parent may open, and that workers then inherit through fork."""
    for name, function in _unkeyed(change).items():
        touching = _touching(change, name)
        yield from _asked_by_loaders(change, name, function, touching)
        yield from _left_by_construction(change, name, function)
        yield from _touched_outside(change, name, function, touching)
        yield from _read_unspelled(change, name, function, touching)
    yield from _of_a_process(change)
    yield from _kept_by_callers(change)
    yield from _kept_by_derived(change)
    yield from _kept_by_itself(change)
    yield from _kept_by_the_parents_copy(change)


def _kept_by_callers(change: ClassChange) -> Iterator[Regression]:
    """Yield handles that a process may have once, and that other code of the parent keeps open."""
    rows = held_by(change.old, change.constructed_before).rows
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    for name, getter in change.made_lazy.items():
        row = rows.get(f".{name}")
        if row is None or not row.closed_by_parent:
            continue
        for module, node in read_outside(change, name, own):
            if _is_kept(module, node, row):
                yield change.regression(
                    getter,
                    f"other code holds `{name}` ({module.path.name}:{node.lineno}), so "
                    "a forked worker cannot reopen it",
                )
                return


def _kept_by_derived(change: ClassChange) -> Iterator[Regression]:
    """Yield handles that a process may have once, and that what is made from them keeps open across a fork."""
    held = held_by(change.old, change.constructed_before)
    for name, getter in change.made_lazy.items():
        row = held.rows.get(f".{name}")
        if row is None or not row.closed_by_parent or not change.keyed(name):
            continue
        opening = [f for _, f in order.reached(change.new, change.after, (name,))]
        emptied = {each for function in opening for each in _emptied(function)}
        for derived in _derived(held, f".{name}"):
            kept_in = change.after.getters.get(derived.removeprefix("."))
            tables = {n.attr for n in own_attributes(kept_in)} if kept_in is not None else set()
            if not tables & emptied:
                yield change.regression(
                    getter,
                    f"`{derived.removeprefix('.')}` keeps the parent's `{name}` open in a forked "
                    f"worker, which then cannot open its own (line {getter.lineno})",
                )
                return


def _kept_by_itself(change: ClassChange) -> Iterator[Regression]:
    """Yield handles that a process may have once, and that a forked worker opens while it still holds its parent's."""
    for name, getter in change.made_lazy.items():
        tables = {node.attr for node in own_attributes(getter)}
        if not change.keyed(name) or tables & (change.made_lazy.keys() - {name}):
            continue
        opening = order.reached(change.new, change.after, (name,))
        rows = [row for cls, function in opening for row in opened_in(cls.module, function)]
        emptied = {each for _, function in opening for each in _emptied(function)}
        if any(row.closed_by_parent for row in rows) and not tables & emptied:
            yield change.regression(
                getter,
                f"a forked worker still holds the parent's `{name}`, so it cannot open its own "
                f"(line {getter.lineno})",
            )


def _kept_by_the_parents_copy(change: ClassChange) -> Iterator[Regression]:
    """Yield handles that a process may have once, of objects that pools get a copy of: a forked worker has the parent's as well."""
    restoring = change.after.methods.get("__setstate__")
    openers = [getter for name, getter in change.made_lazy.items() if change.keyed(name)]
    if restoring is not None and change.fresh(restoring):
        openers.append(restoring)
    for opener in openers:
        opening = order.reached(change.new, change.after, (opener.name,))
        rows = [row for cls, function in opening for row in opened_in(cls.module, function)]
        sent = next(_tasks(change), None) if any(row.closed_by_parent for row in rows) else None
        if sent is not None:
            module, node = sent
            yield change.regression(
                opener,
                f"a forked worker of a pool gets a copy of the object ({module.path.name}:{node.lineno}) beside the "
                "parent's, whose handle is open, so it cannot open its own",
            )
            return


def _tasks(change: ClassChange) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what pools are handed that is, or holds, an object of the class."""
    classes = [change.after, *change.new.heirs(change.after)]
    for method in sorted(methods_of_pools()):
        for module in change.new.project.mentions(method):
            calls = module.calls_by_name.get(method, ())
            for call in (each for each in calls if isinstance(each.func, ast.Attribute)):
                for given in (*call.args, *(each.value for each in call.keywords)):
                    if _holds_one(change, module, given, classes, _FAR):
                        yield module, given


def _holds_one(
    change: ClassChange, module: Module, node: ast.expr, classes: list[Class], far: int
) -> bool:
    """Return whether an expression is an object of some classes, a method of one, or a partial over one."""
    match node:
        case ast.Attribute(value=owner):
            return may_be_object(change, module, owner, classes)
        case ast.Call(args=args, keywords=keywords) if last_part(node.func) == "partial":
            given = (*args, *(each.value for each in keywords))
            return far > 0 and any(_holds_one(change, module, n, classes, far - 1) for n in given)
        case ast.Name(id=name):
            values = values_of(change.new, module, node, name) if far else []
            partials = [each for each in values if isinstance(each, ast.Call)]
            return may_be_object(change, module, node, classes) or any(
                _holds_one(change, module, each, classes, far - 1) for each in partials
            )
    return False


def _derived(held: Held, handle: str) -> Iterator[str]:
    """Yield the attributes that hold what is made from a handle, at any depth."""
    found, further = {handle}, {handle}
    while further:
        further = {n for n, of in held.origins.items() if of in further and n in held.rows} - found
        found |= further
        yield from sorted(each for each in further if each.removeprefix(".").isidentifier())


def _emptied(function: Function) -> Iterator[str]:
    """Yield the attributes of its object that a method empties: `self.opened.clear()`."""
    for call in calls_in(function.body):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "clear":
            held = call.func.value
            if is_attribute(held, self_name(function)):
                yield held.attr


def read_outside(
    change: ClassChange, name: str, own: set[int]
) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where other code reads a handle of an object: its attribute, or a call of a method that gives it."""
    classes = [change.after, *change.new.heirs(change.after)]
    functions = [f for cls in change.new.family(change.after) for f in cls.functions]
    givers = {f.name for f in functions if name in returned(f)}
    for read in (name, *sorted(givers - {name})):
        for module in change.new.project.mentions(read):
            for node in module.attributes_by_name.get(read, ()):
                if id(node) in own or not isinstance(node.ctx, ast.Load):
                    continue
                if may_be_object(change, module, node.value, classes):
                    call = module.parent(node) if read != name else None
                    yield module, call if isinstance(call, ast.Call) else node


def _is_kept(module: Module, handle: ast.expr, row: ResourceRow) -> bool:
    """Return whether code keeps a handle, one of its methods, or what is derived from it."""
    above = module.parent(handle)
    if isinstance(above, ast.Attribute):
        call = module.parent(above)
        if not isinstance(call, ast.Call) or call.func is not above:
            return True
        above = module.parent(call) if above.attr in row.derived else None
    return isinstance(above, _KEEPING) or (
        isinstance(above, ast.withitem) and above.optional_vars is not None
    )


def _unkeyed(change: ClassChange) -> dict[str, Function]:
    """Return the attributes that are opened lazily now, once for all processes."""
    found = {}
    for name, function in change.made_lazy.items():
        calls = [n for n in executed(function.body) if isinstance(n, ast.Call)]
        if change.keyed(name) or not calls:
            continue
        if _is_mapped(change, name, function):
            continue
        found[name] = function
    return found


def _is_mapped(change: ClassChange, name: str, function: Function) -> bool:
    """Return whether a lazy attribute is mapped memory, or a part of one."""
    calls = [n for n in executed(function.body) if isinstance(n, ast.Call)]
    if any(
        last_part(c.func) in _MAPPED or any(k.arg == "mmap_mode" for k in c.keywords) for c in calls
    ):
        return True
    others = [n for n in change.lazy if n != name and _reads(function, n)]
    return bool(others) and all(_is_mapped(change, n, change.lazy[n]) for n in others)


def _touching(change: ClassChange, name: str) -> set[str]:
    """Return the methods and properties that open a lazy attribute, themselves or by others."""
    found = {name}
    family = change.new.family(change.after)
    while True:
        more = {
            f.name
            for cls in family
            for f in cls.functions
            if f.name not in found and not _only_if_open(f, name)
            for used in (*order.called_on_self(cls, f), *_opened_into(f), *named_by_text(f))
            if used in found
            or used.removeprefix("super ") in found
            or _is_looked_up(change, used, found)
        }
        more |= {
            kept
            for cls in family
            for f in cls.functions
            for kept, method in _bound_methods(f)
            if method in found and kept not in found
        }
        if not more:
            return found - set(order.CONSTRUCTORS)
        found |= more


def _is_looked_up(change: ClassChange, name: str, touching: set[str]) -> bool:
    """Return whether an attribute is one that no object has, so that a `__getattr__` that opens is asked for it."""
    if "__getattr__" not in touching or name.startswith("super ") or hasattr(object, name):
        return False
    return not any(
        name in attributes_set(cls)
        or name in cls.values
        or any(name == f.name for f in cls.functions)
        for cls in change.new.family(change.after)
    )


def _opened_into(function: Function) -> Iterator[str]:
    """Yield the attributes of its object that a method sets to what a call gives."""
    for node in executed(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield from own_targets(node, self_name(function))


def _bound_methods(function: Function) -> Iterator[tuple[str, str]]:
    """Yield the attributes in which a method keeps a method of its object, with the name of that one."""
    owner = self_name(function)
    for node in executed(function.body):
        match node:
            case ast.Assign(value=ast.Attribute() as kept) if is_attribute(kept, owner):
                yield from ((name, kept.attr) for name in own_targets(node, owner))


def _only_if_open(function: Function, name: str) -> bool:
    """Return whether a method touches an attribute only once it is open."""
    if name in named_by_text(function):
        return False
    return any(isinstance(n, ast.Constant) and n.value == name for n in executed(function.body))


def _asked_by_loaders(
    change: ClassChange, name: str, getter: Function, touching: set[str]
) -> Iterator[Regression]:
    for cls in (change.after, *change.new.heirs(change.after)):
        found = cls.methods.get("__len__")
        if (
            "__len__" in touching
            and found is not None
            and _opens(change, cls, found, name, touching)
        ):
            if not is_sent(change, cls):
                continue
            yield Regression(
                cls.module.path,
                cls.qualname,
                found.lineno,
                f"`len()` opens `{name}` in the parent (line {found.lineno}), so forked "
                "workers share it",
            )


def _opens(
    change: ClassChange, cls: Class, function: Function, name: str, touching: set[str]
) -> bool:
    used = {*order.called_on_self(cls, function), *named_by_text(function)}
    return not used.isdisjoint(touching)


def is_sent(change: ClassChange, cls: Class) -> bool:
    """Return whether a class is a dataset: what loaders ask for its length."""
    bases = set(change.new.unknown_bases(cls))
    return bool(bases & {"Dataset", "Subset", "ConcatDataset", "VisionDataset", "IterableDataset"})


def _left_by_construction(change: ClassChange, name: str, getter: Function) -> Iterator[Regression]:
    """Yield what the constructor opens and does not give back."""
    for cls in (change.after, *change.new.heirs(change.after)):
        made = order.construction(change.new, cls)
        opened = [
            (owner, f)
            for owner, f in made
            if f.name in order.CONSTRUCTORS
            and any(n.attr == name for n in own_attributes(f, ast.Load))
        ]
        calls = [
            (owner, f, used)
            for owner, f in made
            if f.name in order.CONSTRUCTORS
            for used in order.called_on_self(owner, f)
            if used in _touching(change, name) - {name}
        ]
        for owner, function in opened:
            if not _gives_back(change, made, name, function):
                yield Regression(
                    owner.module.path,
                    cls.qualname,
                    function.lineno,
                    f"the constructor opens `{name}` in the parent and keeps it open (line "
                    f"{function.lineno}), so forked workers share it",
                )
                return
        for owner, function, used in calls:
            if not _gives_back(change, made, name, function) and used not in change.lazy:
                yield Regression(
                    owner.module.path,
                    cls.qualname,
                    function.lineno,
                    f"the constructor opens `{name}` in the parent with `{used}` (line "
                    f"{function.lineno}), so forked workers share it",
                )
                return


def _gives_back(
    change: ClassChange, made: list[tuple[Class, Function]], name: str, used: Function
) -> bool:
    """Return whether the constructor that uses a lazy attribute deletes it again, after its last use."""
    related = {name, *(n for n, f in change.lazy.items() if _reads(f, name))}
    related |= {n for n in change.lazy if _reads(change.lazy[name], n)}
    for _, function in made:
        if function is not used:
            continue
        gone = [n.lineno for n in own_attributes(function, ast.Del) if n.attr in related]
        last = [n.lineno for n in own_attributes(function, ast.Load) if n.attr == name]
        return bool(gone) and (not last or max(gone) >= max(last))
    return False


def _reads(function: Function, name: str) -> bool:
    return any(node.attr == name for node in own_attributes(function))


# Code outside the class


def _touched_outside(
    change: ClassChange, name: str, getter: Function, touching: set[str]
) -> Iterator[Regression]:
    classes = [change.after, *change.new.heirs(change.after)]
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    for module, node, how in uses_through(change, classes, touching, own):
        if before_workers(change, module, node):
            yield change.regression(
                getter,
                f"`{name}` is opened in the parent by {how} "
                f"({module.path.name}:{node.lineno}), so forked workers share it (line "
                f"{getter.lineno})",
            )
            return


def _read_unspelled(
    change: ClassChange, name: str, getter: Function, touching: set[str]
) -> Iterator[Regression]:
    """Yield where the parent may open a handle by a text, a pattern or a protocol that has its name."""
    classes = [change.after, *change.new.heirs(change.after)]
    own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
    named = {each for each in touching if not each.startswith("__")}
    parent = ParentCode(change.new)
    for module, node, how in unspelled(change.new, classes, named):
        if id(node) in own or not before_workers(change, module, node):
            continue
        if parent.runs(module, change.new.enclosing(module, node)):
            yield change.regression(
                getter,
                f"`{name}` may be opened in the parent by {how} ({module.path.name}:{node.lineno}), "
                f"so forked workers share it (line {getter.lineno})",
            )
            return


def _uses(
    change: ClassChange, classes: list[Class], touching: set[str], own: set[int]
) -> Iterator[tuple[Module, ast.expr, str]]:
    """Yield where code outside uses objects of the classes in a way that opens a handle."""
    seen: set[tuple[int, str]] = set()
    for cls in classes:
        for module, call in change.new.constructions(cls):
            if id(call) in own:
                continue
            outer = module.parent(call)
            for method, operand in implied(outer) if outer is not None else ():
                if operand is call and method in touching:
                    yield module, call, described(method, f"{dotted(call.func)}(...)")
            if isinstance(outer, ast.Call) and call in outer.args:
                position = outer.args.index(call)
                uses = _uses_by_callee(change, module, outer, position, touching, own, 2)
                yield from ((module, call, f"`{dotted(outer.func)}(...)`") for _ in uses)
            for where, body, name in _bodies(change, module, call):
                key = (id(body), name)
                if key not in seen:
                    seen.add(key)
                    yield from _uses_of(change, where, body, name, touching, own, 2)
    public = {t for t in touching if not t.startswith("_")}
    parent = ParentCode(change.new)
    for attribute in public:
        for module in change.new.project.mentions(attribute):
            for node in module.nodes(ast.Attribute):
                if node.attr != attribute or id(node) in own or not isinstance(node.ctx, ast.Load):
                    continue
                if is_object(change, module, node.value, classes) or (
                    is_item(change, module, node.value, classes)
                    and parent.runs(module, change.new.enclosing(module, node))
                ):
                    yield module, node, f"`{dotted(node) or attribute}`"


def _bodies(
    change: ClassChange, module: Module, call: ast.Call, far: int = 2
) -> Iterator[tuple[Module, list[ast.stmt], str]]:
    """Yield the code in which an object has a name, with the name: also as the result of a function."""
    around = change.new.body_around(module, call)
    for name in _aliases(around, [*_named(module, call), *_wrapped(module, around, call)]):
        yield module, around, name
        if name.startswith("self."):
            owner = next((a for a in module.ancestors(call) if isinstance(a, ast.ClassDef)), None)
            methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)] if owner else []
            if not {m.name for m in methods} & {*order.IN_WORKERS}:
                parent = ParentCode(change.new)
                others = (m for m in methods if m.body is not around)
                yield from (
                    (module, m.body, name) for m in others if not parent.runs_none(module, m)
                )
    statement = module.statement(call)
    function = change.new.enclosing(module, call)
    returns = isinstance(statement, ast.Return) or any(
        isinstance(n, ast.Return) and dotted(n.value) in set(_named(module, call))
        for n in executed(around)
    )
    if function is None or not returns or not far:
        return
    for user, other in change.new.calls_of(function):
        yield from _bodies(change, user, other, far - 1)


def _aliases(body: list[ast.stmt], names: list[str]) -> list[str]:
    """Return some names, and those that stand for the same objects, for copies or for parts of them."""
    found = list(names)
    for node in executed(body):
        if isinstance(node, ast.Assign) and _carries(node.value, found):
            found += [name for t in node.targets if (name := dotted(t)) and name not in found]
    return found


def _carries(value: ast.expr, names: list[str]) -> bool:
    """Return whether an expression is one of some objects, an item of it, or a copy."""
    match value:
        case ast.Call(func=func, args=[given]) if last_part(func) in ("copy", "deepcopy"):
            return _carries(given, names)
        case ast.Call(func=ast.Attribute(value=of), args=[]):
            return dotted(of) in names  # `rows.clone()`
        case ast.Subscript(value=of):
            return dotted(of) in names
    return bool(names) and dotted(value) in names


def _wrapped(module: Module, body: list[ast.stmt], call: ast.Call) -> Iterator[str]:
    """Yield the names of what wraps an object and reads its items."""
    names = set(_named(module, call))
    for node in executed(body):
        if not isinstance(node, ast.Call) or last_part(node.func) not in _WRAPS or node is call:
            continue
        if any(n is call or dotted(n) in names for a in node.args for n in ast.walk(a)):
            statement = module.statement(node)
            for target in statement.targets if isinstance(statement, ast.Assign) else ():
                yield from (dotted(t) for t in ast.walk(target) if isinstance(t, ast.Name))


def _named(module: Module, call: ast.Call) -> Iterator[str]:
    """Yield the names that an object is bound to when it is made."""
    statement = module.statement(call)
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        if _comes_of(statement.value, call) and dotted(statement.target):
            yield dotted(statement.target)
    elif isinstance(statement, ast.Assign) and _comes_of(statement.value, call):
        for target in statement.targets:
            if dotted(target):
                yield dotted(target)
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Tuple, ast.List)):
        for target in statement.targets:
            if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(
                statement.value.elts
            ):
                for one, value in zip(target.elts, statement.value.elts, strict=True):
                    if value is call and dotted(one):
                        yield dotted(one)
    elif isinstance(statement, ast.Assign) and _made_in(statement.value, call):
        yield from (dotted(target) for target in statement.targets if dotted(target))


def _comes_of(value: ast.expr, call: ast.Call) -> bool:
    """Return whether a value is an object, or what an operator or a method of it gives: itself, perhaps."""
    match value:
        case ast.BinOp(left=left, right=right):
            return _comes_of(left, call) or _comes_of(right, call)
        case ast.IfExp(body=body, orelse=other):
            return _comes_of(body, call) or _comes_of(other, call)
        case ast.BoolOp(values=values):  # `reader or Reader()`
            return any(_comes_of(each, call) for each in values)
        case ast.Call(func=ast.Attribute(value=held)) if value is not call:
            return _comes_of(held, call)
    return value is call


def _made_in(value: ast.expr, call: ast.Call) -> bool:
    """Return whether a comprehension makes an object for each of its items."""
    match value:
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
            return item is call
    return False


def _uses_of(
    change: ClassChange,
    module: Module,
    body: list[ast.stmt],
    name: str,
    touching: set[str],
    own: set[int],
    far: int,
) -> Iterator[tuple[Module, ast.expr, str]]:
    for node in executed(body):
        if id(node) in own:
            continue
        for method, operand in implied(node):
            if method in touching and dotted(operand) == name:
                yield module, operand, described(method, name)
                break
        if isinstance(node, ast.Attribute) and dotted(node.value) == name:
            if node.attr in touching or _is_looked_up(change, node.attr, touching):
                yield module, node, f"`{name}.{node.attr}`"
        elif isinstance(node, ast.Call):
            yield from _by_call(change, module, node, name, touching, own, far)


def _by_call(
    change: ClassChange,
    module: Module,
    node: ast.Call,
    name: str,
    touching: set[str],
    own: set[int],
    far: int,
) -> Iterator[tuple[Module, ast.expr, str]]:
    loads = last_part(node.func) in _STARTS and touching & {*order.IN_WORKERS}
    if loads and _without_workers(module, node, name):
        yield module, node, "a loader without workers"
    asks = dotted(node.func) in {"getattr", "hasattr"} and len(node.args) > 1
    if asks and dotted(node.args[0]) == name:
        asked = node.args[1]
        if not isinstance(asked, ast.Constant) or asked.value in touching:
            yield module, node, f"`{dotted(node.func)}({name}, ...)`"
    for position, arg in enumerate(node.args):
        if dotted(arg) != name:
            continue
        if any(_uses_by_callee(change, module, node, position, touching, own, far)):
            yield module, node, f"`{dotted(node.func)}({name})`"


def _uses_by_callee(
    change: ClassChange,
    module: Module,
    call: ast.Call,
    position: int,
    touching: set[str],
    own: set[int],
    far: int,
) -> Iterator[tuple[Module, ast.expr, str]]:
    """Yield where a function or a constructor uses what it is passed."""
    for where, body, name in _received(change, module, call, position) if far else ():
        yield from _uses_of(change, where, body, name, touching, own, far - 1)
    for where, body, name in _received_by_methods(change, call, position) if far else ():
        others = own - {id(node) for node in executed(body)}
        yield from _uses_of(change, where, body, name, touching, others, far - 1)


def _received(
    change: ClassChange, module: Module, call: ast.Call, position: int
) -> Iterator[tuple[Module, list[ast.stmt], str]]:
    """Yield the code of a function, or of a class's constructor, with its name for what it is passed."""
    known = change.new.function_of(module, call.func)
    if known is not None and position < len(parameters(known[1])):
        yield known[0], known[1].body, parameters(known[1])[position]
    made = change.new.class_of(module, call.func)
    run = list(order.construction(change.new, made)) if made is not None else []
    for cls, function in run:
        names = parameters(function)[1:]
        if function.name != "__init__" or position >= len(names):
            continue
        yield cls.module, function.body, names[position]
        for kept in _kept_as(function, names[position]):
            yield from ((c.module, f.body, f"{self_name(f)}.{kept}") for c, f in run)


def _received_by_methods(
    change: ClassChange, call: ast.Call, position: int
) -> Iterator[tuple[Module, list[ast.stmt], str]]:
    """Yield the methods of the class's own that a call by an object may run, with the name for what they are passed."""
    if not isinstance(call.func, ast.Attribute):
        return
    for cls in change.new.family(change.after):
        method = cls.methods.get(call.func.attr)
        names = parameters(method) if method is not None else []
        names = names[1:] if method is not None and self_name(method) else names
        if method is not None and position < len(names):
            yield cls.module, method.body, names[position]


def _kept_as(function: Function, name: str) -> Iterator[str]:
    """Yield the attributes that a constructor sets to what it is passed."""
    for node in executed(function.body):
        if isinstance(node, ast.Assign) and dotted(node.value) == name:
            yield from own_targets(node, self_name(function))


def _without_workers(module: Module, call: ast.Call, name: str) -> bool:
    """Return whether a loader runs in the parent, and another that has workers gets the same dataset."""
    if not any(dotted(a) == name for a in [*call.args, *(k.value for k in call.keywords)]):
        return False
    if _may_have_workers(call):
        return False
    return any(
        other is not call
        and last_part(other.func) in _STARTS
        and _may_have_workers(other)
        and any(dotted(a) == name for a in other.args)
        for other in module.calls
    )


def _may_have_workers(call: ast.Call) -> bool:
    """Return whether a loader may be given workers: without any it starts no process."""
    if any(k.arg is None for k in call.keywords) or len(call.args) > _BEFORE_WORKERS:
        return True
    if any(isinstance(each, ast.Starred) for each in call.args):
        return True
    workers = [k.value for k in call.keywords if k.arg == "num_workers"]
    return bool(workers) and not (isinstance(workers[0], ast.Constant) and not workers[0].value)


def before_workers(change: ClassChange, module: Module, node: ast.expr | ast.pattern) -> bool:
    """Return whether a place may run in the parent before workers start.

    Not where it stands below the last loader of its function, outside any loop.
    """
    body = change.new.body_around(module, node)
    loaders = [
        n for n in executed(body) if isinstance(n, ast.Call) and last_part(n.func) in _STARTS
    ]
    if not loaders:
        return True
    names = {name for call in loaders for name in _named(module, call)}
    used = [
        n for n in executed(body) if isinstance(n, (ast.Name, ast.Attribute)) and dotted(n) in names
    ]
    if not comes_before(in_order([*used, *loaders])[-1], node):
        return True
    return any(isinstance(a, (ast.For, ast.While)) for a in module.ancestors(node))


# What belongs to the process that made it


def _of_a_process(change: ClassChange) -> Iterator[Regression]:
    """Yield pools and thread-local stores that leave the state, and that the parent has used by then."""
    for name, node in state.dropped(change).items():
        kinds = {
            last_part(value.func)
            for _, f in change.constructed_after
            for value in values_set(f, name)
            if isinstance(value, ast.Call)
        }
        if not kinds & _OF_A_PROCESS or (kinds <= _POOLS and not _starts_others(change)):
            continue
        touching = _touching(change, name) - set(order.STATE) - {name}
        classes = [change.after, *change.new.heirs(change.after)]
        own = {id(n) for cls in change.new.family(change.after) for n in within(cls.node)}
        line = getattr(node, "lineno", 1)
        for module, use, how in uses_through(change, classes, touching, own):
            if before_workers(change, module, use):
                yield change.regression(
                    node,
                    f"`{name}` is used in the parent by {how} "
                    f"({module.path.name}:{use.lineno}), so forked workers share it (the "
                    f"fix changes only pickling, line {line})",
                )
                return


def _starts_others(change: ClassChange) -> bool:
    """Return whether the program starts processes besides those of the pool itself, which only get pickles."""
    return any(
        name != "DataLoader" or _may_have_workers(call)
        for name in ("DataLoader", "Process", "spawn", "start_processes")
        for module in change.new.project.mentions(name)
        for call in module.calls_by_name.get(name, ())
    )


def uses_through(
    change: ClassChange, classes: list[Class], touching: set[str], own: set[int]
) -> Iterator[tuple[Module, ast.expr, str]]:
    """Yield uses of the objects, and of the objects that hold them."""
    yield from _uses(change, classes, touching, own)
    for holder, inner in _holders(change, classes):
        reached = {
            f.name
            for f in holder.functions
            for n in executed(f.body)
            for used, owner in [*implied(n), *_asked(n)]
            if used in touching and is_attribute(owner, self_name(f), inner)
        }
        while True:
            more = {
                f.name
                for f in holder.functions
                if f.name not in reached
                for used in order.called_on_self(holder, f)
                if used in reached
            }
            if not more:
                break
            reached |= more
        if "__init__" in reached:
            init = holder.methods["__init__"]
            yield holder.module, init.body[0], f"`{holder.name}()`"  # type: ignore[misc]
        if "__len__" in reached and is_sent(change, holder):
            length = holder.methods["__len__"]
            yield holder.module, length.body[0], f"`len()` of `{holder.name}`"  # type: ignore[misc]
        outside = own | {id(n) for n in within(holder.node)}
        yield from _uses(
            change, [holder, *change.new.heirs(holder)], reached - {"__init__"}, outside
        )


def _asked(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """Return the attribute that an expression asks for, and of what; where it is called, `__call__` of its value."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            return [(name, owner)]
        case ast.Call(func=func):
            return [("__call__", func)]
    return []


def _holders(change: ClassChange, classes: list[Class]) -> Iterator[tuple[Class, str]]:
    """Yield the classes that make an object of these and keep it, with the attribute."""
    for cls in classes:
        for module, call in change.new.constructions(cls):
            for name in _named(module, call):
                if "." not in name:
                    continue
                owner = next(
                    (a for a in module.ancestors(call) if isinstance(a, ast.ClassDef)), None
                )
                holder = next((c for c in change.new.classes(module) if c.node is owner), None)
                if holder is not None and holder not in classes:
                    yield holder, name.partition(".")[2]
            yield from _passed_to(change, module, call)


def _passed_to(change: ClassChange, module: Module, call: ast.Call) -> Iterator[tuple[Class, str]]:
    """Yield the classes that an object is passed to when they are made, with where they keep it."""
    names = set(_named(module, call))
    for node in executed(change.new.body_around(module, call)):
        holder = change.new.class_of(module, node.func) if isinstance(node, ast.Call) else None
        found = change.new.method(holder, "__init__") if holder is not None else None
        if holder is None or found is None or not isinstance(node, ast.Call):
            continue
        given = dict(zip(parameters(found[1])[1:], node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords if each.arg is not None}
        taken = {name for name, arg in given.items() if arg is call or dotted(arg) in names}
        for inner in executed(found[1].body):
            if isinstance(inner, (ast.Assign, ast.AnnAssign)) and _may_give(inner.value, taken):
                yield from ((holder, name) for name in own_targets(inner, self_name(found[1])))


def _may_give(value: ast.expr | None, names: set[str]) -> bool:
    """Return whether an expression may be what one of some names stands for."""
    match value:
        case ast.IfExp(body=body, orelse=other):
            return _may_give(body, names) or _may_give(other, names)
        case ast.BoolOp(values=values):
            return any(_may_give(each, names) for each in values)
    return dotted(value) in names
