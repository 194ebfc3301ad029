"""Copies of an object: `copy.copy` asks for the state as pickle does, but stays in the process.

A copy has the same lock or handle as the object it was made of. Where the new state leaves it out and `__setstate__`
makes another, two objects that excluded each other no longer do, and what one reads no longer moves the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order
from dlfix.fixing.proof.asked_attributes import BARE
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.handling import held_by, operations_on
from dlfix.fixing.proof.late_code import opening_calls
from dlfix.fixing.proof.left_behind import notes_once_more
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.positions import reads_on
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.state import dropped, opened_when_asked, restored
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    executed,
    is_attribute,
    own_targets,
    self_name,
    within,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module

_COPIES = ("copy", "copy.copy")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where a shallow copy shared what the copy now makes for itself."""
    yield from _compared(change)
    yield from _two_names(change)
    left_out = dropped(change)
    shared = attributes_set(change.before).keys() & left_out.keys() - change.lazy.keys()
    shared |= set(_open_once(change))
    if not shared:
        return
    classes = [
        each
        for each in (change.after, *change.new.heirs(change.after))
        if not _copies_itself(change, each)
    ]
    for module, call in _copies(change.new) if classes else ():
        kept = shared - _set_anew(module, call)
        if kept and _is_of(change, module, call.args[0], classes):
            if _has_other_items(change, module, call, classes):
                continue
            name = min(kept)
            made_anew = restored(change) | change.lazy.keys()
            is_missing = name in left_out and name not in made_anew
            yield change.regression(
                left_out.get(name, change.after.node),
                f"`{dotted(call.func)}` ({module.path.name}:{call.lineno}) gives the copy the same `{name}`, but "
                f"the copy would have {'none' if is_missing else 'its own'}",
            )
            return


def _compared(change: ClassChange) -> Iterator[Regression]:
    """Yield where code asks whether two objects have the same handle, which each opens for itself now."""
    gone = {name: openers[0] for name, openers in opened_when_asked(change).items()}
    gone |= change.made_lazy
    for name in gone:
        for module in change.new.project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                compared = module.parent(node)
                hashed = isinstance(compared, ast.Call) and dotted(compared.func) in ("hash", "id")
                if hashed or (
                    isinstance(compared, ast.Compare) and _asks_for_identity(compared, node)
                ):
                    yield change.regression(
                        gone[name],
                        f"`{name}` is compared by identity "
                        f"({module.path.name}:{node.lineno}), but each object and process "
                        "would open its own",
                    )
                    return


def _two_names(change: ClassChange) -> Iterator[Regression]:
    """Yield where one handle under two names becomes two handles."""
    gone = change.made_lazy.keys() | restored(change) | opened_when_asked(change).keys()
    for _, function in change.constructed_before:
        owner = self_name(function)
        for node in executed(function.body):
            if not isinstance(node, ast.Assign) or isinstance(node.value, ast.Constant):
                continue
            names = own_targets(node, owner)
            if len(names) > 1 and gone.issuperset(names) and not _still_one(change, names):
                yield change.regression(
                    change.after.node,
                    f"`{names[0]}` and `{names[1]}` are the same object but would become "
                    f"two objects (line {node.lineno})",
                )
                return


def _still_one(change: ClassChange, names: list[str]) -> bool:
    """Return whether what opens them sets both at once, or makes one from the other: `self.second = self.db`."""
    restoring = change.after.methods.get("__setstate__")
    openers = [*change.lazy.values(), *([restoring] if restoring is not None else [])]
    nodes = [
        (self_name(function), node) for function in openers for node in executed(function.body)
    ]
    return any(
        (is_attribute(node, owner) and node.attr in names and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Assign) and len(node.targets) > 1)
        for owner, node in nodes
    )


def _asks_for_identity(node: ast.Compare, one: ast.expr) -> bool:
    """Return whether a comparison asks whether a handle is another object than None, and of another owner."""
    sides = [node.left, *node.comparators]
    others = [side for side in sides if side is not one and not isinstance(side, ast.Constant)]
    is_same = any(isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) for op in node.ops)
    return is_same and any(isinstance(side, ast.Attribute) for side in others)


def _open_once(change: ClassChange) -> Iterator[str]:
    """Yield the handles of which a process may have only one, or that two objects move, each opened by its object now."""
    held = held_by(change.old, change.constructed_before)
    rows = held.rows
    asked = opened_when_asked(change)
    openers = {**{name: [getter] for name, getter in change.lazy.items()}, **asked}
    for name in (*change.lazy, *asked):
        row = rows.get(f".{name}") or _row_of_number(change, openers[name])
        single = row is not None and (
            row.closed_by_parent or _is_never_freed(row) or _is_set_up(change, name, row)
        )
        counted = _counts(change, name) or notes_once_more(change, name)
        moves = row is not None and bool(row.position or row.iterates)
        single = single or (moves and reads_on(change, held, name) is not None)
        if single or counted or _is_asked_for(change, name) or _holds_itself(change):
            yield name


def _holds_itself(change: ClassChange) -> bool:
    """Return whether an object keeps itself, or a method of its own: its copy keeps it then, with its handle."""
    methods = {name for cls in change.new.lineage(change.after) for name in cls.methods}
    for _, function in change.constructed_after:
        me = self_name(function)
        for statement in executed(function.body):
            if not isinstance(statement, ast.Assign) or not own_targets(statement, me):
                continue
            called = {id(n.func) for n in within(statement.value) if isinstance(n, ast.Call)}
            named = {id(n.value) for n in within(statement.value) if isinstance(n, ast.Attribute)}
            for node in within(statement.value):
                itself = isinstance(node, ast.Name) and node.id == me and id(node) not in named
                own = is_attribute(node, me) and node.attr in methods and id(node) not in called
                if itself or own:
                    return True
    return False


def _is_asked_for(change: ClassChange, name: str) -> bool:
    """Return whether code asks whether something is this handle: `self.part.handle() is self.db`."""
    return any(
        isinstance(asked := module.parent(node), ast.Compare)
        and not any(isinstance(n, ast.Constant) for n in (asked.left, *asked.comparators))
        for module in change.new.project.mentions(name)
        for node in module.attributes_by_name.get(name, ())
    )


def _is_never_freed(row: ResourceRow) -> bool:
    """Return whether a handle is a number, which only a call closes: a copy's own would stay open."""
    return row.type == "builtins.int"


def _row_of_number(change: ClassChange, openers: list[Function]) -> ResourceRow | None:
    """Return the row of a descriptor number that some functions open, in a list perhaps."""
    imports = ImportTime(change.after.module.tree)
    rows = (
        load().resource(imports.full_name(call.func))
        for function in openers
        for call in opening_calls(change, function)
    )
    return next((row for row in rows if row is not None and _is_never_freed(row)), None)


def _is_set_up(change: ClassChange, name: str, row: ResourceRow) -> bool:
    """Return whether code sets a handle up once it is open: a copy would have one that is not."""
    handles = {f".{name}": row}
    return any(
        operation.configures
        for cls in change.new.family(change.after)
        for function in cls.functions
        for operation in operations_on(change.new, cls.module, function, handles)
    )


def _counts(change: ClassChange, name: str) -> bool:
    """Return whether what opens a handle counts something up: a copy would open it once more."""
    return any(
        isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute)
        for _, function in order.reached(change.new, change.after, (name,))
        for node in executed(function.body)
    )


def _copies(program: Program) -> Iterator[tuple[Module, ast.Call]]:
    for module in program.project.mentions("copy"):
        for written in _COPIES:
            yield from ((module, call) for call in module.calls_as(written) if len(call.args) == 1)


def _set_anew(module: Module, call: ast.Call) -> set[str]:
    """Return the attributes that the statements right below give a copy, before anything uses it."""
    made = module.parent(call)
    found: set[str] = set()
    if not isinstance(made, ast.Assign) or [type(t) for t in made.targets] != [ast.Name]:
        return found
    (copied,) = map(dotted, made.targets)
    for statement in module.below(made):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attribute)]) if (
                name == copied and copied not in map(dotted, within(statement.value))
            ):
                found.add(attribute)
            case _:
                break
    return found


def _copies_itself(change: ClassChange, cls: Class) -> bool:
    """Return whether a class has a method for copies that asks for no state."""
    found = change.new.method(cls, "__copy__")
    return found is not None and not any(
        isinstance(node, ast.Attribute)
        and (node.attr in order.STATE or dotted(node) in (*_COPIES, "copyreg.__reduce_ex__"))
        for node in within(found[1].body)
    )


def _has_other_items(
    change: ClassChange, module: Module, call: ast.Call, classes: list[Class]
) -> bool:
    """Return whether code sets or deletes items of a copy, and no object of the classes supports that."""
    made = module.parent(call)
    names = {name for t in getattr(made, "targets", ()) if (name := dotted(t))}
    around = change.new.enclosing(module, call)
    done = {
        _CHANGES_ITEMS[type(node.ctx)]
        for node in executed(around.body if around is not None else module.tree.body)
        if isinstance(node, ast.Subscript)
        and type(node.ctx) in _CHANGES_ITEMS
        and dotted(node.value) in names
    }
    return bool(done) and all(_lacks(change, cls, done) for cls in classes)


_CHANGES_ITEMS: dict[type[ast.expr_context], str] = {
    ast.Store: "__setitem__",
    ast.Del: "__delitem__",
}


def _lacks(change: ClassChange, cls: Class, names: set[str]) -> bool:
    """Return whether objects of a class surely lack one of some methods."""
    members = {name for each in change.new.lineage(cls) for name in each.methods}
    return not {*change.new.unknown_bases(cls)} - BARE and bool(names - members)


def _is_of(change: ClassChange, module: Module, held: ast.expr, classes: list[Class]) -> bool:
    method = change.new.enclosing(module, held)
    own = method is not None and dotted(held) == self_name(method)
    if method is not None and own:
        owner = module.parent(method)
        if any(owner is each.node for each in change.new.family(change.after)):
            return True
    return may_be_object(change, module, held, classes)
