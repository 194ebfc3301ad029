"""What is removed, replaced or no longer found between the construction of an object and its first use."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from dlfix.catalog import load
from dlfix.fixing.proof import order
from dlfix.fixing.proof.at_stake import files_at_stake, imports_of, spelled_out
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_code import late_openers, opening_calls, opening_code, opens_nothing
from dlfix.fixing.proof.opened_paths import OpenedByCallers, OpenedPaths
from dlfix.fixing.proof.origins import origins_in
from dlfix.fixing.proof.outliving import Temporary, on_disk, outlives
from dlfix.fixing.proof.path_ends import differ, ends_written, frame_of
from dlfix.fixing.proof.path_parameters import path_parameters
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.removing_calls import Removals
from dlfix.fixing.proof.state import opened_when_asked, sets
from dlfix.fixing.proof.syntax import (
    Function,
    executed,
    is_attribute,
    last_part,
    own_nodes,
    self_name,
    statements,
    targets_of,
    values_set,
)
from dlfix.project.directory import changes_of_directory
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module

_FILES = re.compile("cert|verify|ssl|tls|file|path|json")  # what is named after a file


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that open what may be gone, or something else, when they first run."""
    yield from _removed_between(change)
    getter = next(_late(change), None)
    if getter is None or all(
        _opens_no_file(change, each) for each in opening_calls(change, getter)
    ):
        return
    temporary = Temporary(change.new)
    heirs = change.old.heirs(change.before)
    made = [each for heir in heirs for each in order.construction(change.old, heir)]
    for cls, function in [*change.constructed_before, *made]:
        for node in executed(function.body):
            if (
                isinstance(node, ast.Call)
                and on_disk(node)
                and not _comes_first(change, getter, node)
                and not _is_another(change, cls, function, node)
            ):
                yield change.regression(
                    getter,
                    "the constructor removes the file after opening it "
                    f"({_named(cls.module, node)}), but the property opens it later",
                )
                return
            if isinstance(node, (ast.With, ast.AsyncWith)) and temporary.is_around(
                cls.module, node
            ):
                yield change.regression(
                    getter,
                    f"the constructor opens a temporary file ({_named(cls.module, node)}), which no longer "
                    "exists when the property opens it",
                )
                return
    yield from _directory_changes(change, getter)
    yield from _removed_by_callers(change, getter)
    yield from _removed_by_copies(change, getter)


def _opens_no_file(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call opens nothing, or a connection; a method of the object is gone through as well."""
    own = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    if own and change.new.method(change.after, call.func.attr) is not None:  # type: ignore[attr-defined]
        return True
    return opens_nothing(change, call) or _connects(change, call) or _gets_connections(change, call)


def _connects(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call connects to a service, and is given no certificate or other file to read."""
    if any(keyword.arg is None or _FILES.search(keyword.arg) for keyword in call.keywords):
        return False
    row = load().resource(ImportTime(change.after.module.tree).full_name(call.func))
    return row is not None and row.remote


def _gets_connections(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call is given connections of the object, and nothing else: `agents.add_user(self.client)`."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return bool(given) and all(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and any(
            isinstance(value, ast.Call) and _connects(change, value)
            for function in change.after.functions
            for value in values_set(function, each.attr)
        )
        for each in given
    )


def _late(change: ClassChange) -> Iterator[Function]:
    """Yield what opens later, or once more, what was open when the object was made."""
    yield from late_openers(change)
    made = {function.name for _, function in change.constructed_before}
    for openers in opened_when_asked(change).values():
        yield from (each for each in openers if each.name in made)


def _is_another(change: ClassChange, cls: Class, function: Function, removal: ast.Call) -> bool:
    """Return whether what a method removes surely is none of what is opened later, by the names of the files."""
    node = spelled_out(removal, imports_of(cls.module.tree))
    origins = origins_in(function)
    named = files_at_stake(change.old, cls.module, node, origins)
    frame = frame_of(cls.module, function)
    sites = [*change.old.constructions(change.before)]
    finders = [OpenedPaths(change.old, change.before, site) for site in sites]
    removed = [ends_written(change.old, node, named, frame, each) for each in finders]
    opened = [
        OpenedPaths(change.new, change.after, site).opened(each)
        for site in change.new.constructions(change.after)
        for each in _late(change)
    ]
    return bool(removed and opened) and all(differ(a, b) for a in removed for b in opened)


def _comes_first(change: ClassChange, getter: Function, removal: ast.Call) -> bool:
    """Return whether a constructor removes a file before it calls anything that opens one as a property does."""
    opened_by = _opened_by(change, getter)
    libraries = imports_of(change.after.module.tree)
    names = {last_part(call.func) for call in opened_by}
    # `json.load` opens nothing that `np.load` does.
    of_library = all(libraries.is_of_imported_module(call.func) for call in opened_by)
    full = {libraries.full_name(call.func) for call in opened_by} if of_library else set[str]()

    def opens(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or last_part(node.func) not in names:
            return False
        is_known = of_library and libraries.is_of_imported_module(node.func)
        return not is_known or libraries.full_name(node.func) in full

    ever = False  # what opens may go by a name that is not read here: `OPENERS[kind](path)`
    for made in (change.before, *change.old.heirs(change.before)):
        opened = False
        for sites in order.steps(change.old, made):
            nodes = list(own_nodes(sites[-1][1]))
            if removal in nodes and (opened or any(_may_return(site, opens) for site in sites)):
                return False
            opened |= any(map(opens, nodes))
        ever |= opened
    return ever


def _may_return(site: order.Site, opens: Callable[[ast.AST], bool]) -> bool:
    """Return whether a loop around a statement may open something, or call what does, before the next turn."""
    function, statement = site
    return any(
        isinstance(call, ast.Call) and (opens(call) or is_attribute(call.func, self_name(function)))
        for loop in statements(function.body)
        if isinstance(loop, (ast.For, ast.AsyncFor, ast.While))
        and statement is not loop
        and any(statement is each for each in executed(loop))
        for call in executed(loop)
    )


def _removed_between(change: ClassChange) -> Iterator[Regression]:
    """Yield the constructors that open a file further down than before, and remove files."""
    removing = any(
        isinstance(node, ast.Call) and on_disk(node)
        for _, function in change.constructed_before
        for node in executed(function.body)
    )
    for function in change.after.functions if removing else ():
        fresh = change.fresh(function) if function.name in order.CONSTRUCTORS else []
        for statement in fresh:
            if isinstance(statement, (ast.With, ast.AsyncWith)):
                yield change.regression(
                    statement,
                    "the constructor removes files but opens a file later than before "
                    f"(line {statement.lineno})",
                )
                return


def _named(module: Module, node: ast.expr | ast.stmt) -> str:
    return f"{module.path.name}:{node.lineno} before the fix"


def _removed_by_copies(change: ClassChange, getter: Function) -> Iterator[Regression]:
    """Yield a `__del__` that removes files: a copy in a worker would, when it is gone."""
    found = change.old.method(change.before, "__del__")
    if found is None:
        return
    _, function = found
    nodes = list(executed(function.body))
    if any(last_part(each) == "getpid" for each in nodes if isinstance(each, ast.Attribute)):
        return
    if any(isinstance(each, ast.Call) and on_disk(each) for each in nodes):
        yield change.regression(
            getter,
            f"`__del__` removes files (line {function.lineno}) and also runs for copies in workers",
        )


def _directory_changes(change: ClassChange, getter: Function) -> Iterator[Regression]:
    if not any(_may_take_a_path(change, call) for call in opening_calls(change, getter)):
        return
    for module, node in changes_of_directory(change.new.project):
        if _is_absolute(change, getter):
            return
        yield change.regression(
            getter,
            f"a relative path may be opened (line {getter.lineno}) after the working directory "
            f"changed ({change.new.project.short_name(module.path)}:{node.lineno})",
        )
        return


def _may_take_a_path(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call is given something that may be a path: no number, and no method of the object."""
    methods = {name for each in change.new.lineage(change.after) for name in each.methods}
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(
        isinstance(each.value, (str, bytes))
        if isinstance(each, ast.Constant)
        else not (isinstance(each, ast.Attribute) and each.attr in methods)
        for each in given
    )


def _is_absolute(change: ClassChange, getter: Function) -> bool:
    """Return whether what a property opens is, or was kept as, an absolute path."""
    code, me = opening_code(change, getter), self_name(getter)
    wanted = {node.attr for node in executed(code) if is_attribute(node, me)}
    kept = [
        statement.value
        for _, function in change.constructed_after
        for statement in statements(function.body)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target in targets_of(statement)
        if isinstance(target, ast.Attribute) and target.attr in wanted
    ]
    return any(
        last_part(node) in {"abspath", "resolve", "realpath", "absolute"}
        for node in executed([*code, *kept])
    )


def _opened_by(change: ClassChange, getter: Function) -> list[ast.Call]:
    """Return the calls by which a property opens, or which fill what it gives."""
    if getter.name not in change.started_empty:
        return opening_calls(change, getter)
    return [
        node.value
        for cls in change.old.lineage(change.before)
        for function in cls.functions
        for node in executed(function.body)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if any(is_attribute(each, self_name(function), getter.name) for each in node.targets)
    ]


def _removed_by_callers(change: ClassChange, getter: Function) -> Iterator[Regression]:
    temporary = Temporary(change.new)
    late = [*_late(change)]
    opened = [call for each in late for call in _opened_by(change, each)]
    is_filled = any(each.name in change.started_empty for each in late)  # by other methods
    removals = Removals(
        change.new,
        change.after,
        change.constructed_before,
        opened,
        _naming_parameters(change),
        openers=() if is_filled else late,
    )
    sites = [*change.new.constructions(change.after), *_given_later(change)]
    finder = OpenedByCallers(change.new, opened)
    opened_before = [each for site in sites for each in finder.given(*site)]
    for module, call in dict.fromkeys([*sites, *opened_before]):
        removal = removals.after(module, call)
        if removal is not None:
            home, node = removal
            yield change.regression(
                getter,
                "the file may be removed, renamed or modified "
                f"({change.new.project.short_name(home.path)}:{node.lineno}) before it is opened",
            )
            return
        outliving = outlives(change, temporary, module, call)
        if outliving is not None:
            home, made = outliving
            yield change.regression(
                getter,
                f"the temporary files ({change.new.project.short_name(home.path)}:{made.lineno}) no longer exist when they "
                "are opened",
            )
            return


def _given_later(change: ClassChange) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls of methods that set what is read to open: `rows.reopen(other)`."""
    read = {
        node.attr
        for getter in _late(change)
        for node in executed(opening_code(change, getter))
        if is_attribute(node, self_name(getter)) and isinstance(node.ctx, ast.Load)
    }
    for cls in change.old.lineage(change.before):
        for function in cls.functions:
            me = "" if function.name.startswith("__") else self_name(function)
            if any(name in read for each in statements(function.body) for name in sets(each, me)):
                yield from change.old.calls_of(function)


def _naming_parameters(change: ClassChange) -> frozenset[str] | None:
    """Return the parameters that name what opens later; None where that is not known of all."""
    found = frozenset[str]()
    constructors = [
        *change.constructed_before,
        *change.constructed_after,
    ]  # which sets new attributes
    for getter in _late(change):
        code = opening_code(change, getter)
        naming = path_parameters(constructors, code, self_name(getter))
        if naming is None:
            return None
        found |= naming
    return found


__all__ = ["check"]
