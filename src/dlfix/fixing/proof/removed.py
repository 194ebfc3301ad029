"""What is removed, replaced or no longer found between the construction of an object and its first use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late import late_openers, opening_calls, opens_to_write, used_on_self
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.outliving import FAR, REMOVES, Kept, Temporary, on_disk, outlives
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    executed,
    last_part,
    parameters,
    statements,
    stored_names,
)
from dlfix.project.directory import changes_of_directory
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that open what may be gone, or something else, when they first run."""
    getter = next(late_openers(change), None)
    if getter is None:
        return
    temporary = Temporary(change.old)
    for cls, function in change.constructed_before:
        for node in executed(function.body):
            if isinstance(node, ast.Call) and on_disk(node):
                yield change.regression(
                    getter,
                    "the constructor removes the file after opening it, and the property opens it later "
                    f"(line {getter.lineno})",
                )
                return
            if isinstance(node, (ast.With, ast.AsyncWith)) and temporary.is_around(
                cls.module, node
            ):
                yield change.regression(
                    getter,
                    "the constructor opens a temporary file, which no longer exists when the property "
                    f"opens it (line {getter.lineno})",
                )
                return
    yield from _directory_changes(change, getter)
    yield from _removed_by_callers(change, getter)
    yield from _removed_by_copies(change, getter)


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
            f"`__del__` removes files (line {function.lineno}), also that of a copy in a worker",
        )


def _directory_changes(change: ClassChange, getter: Function) -> Iterator[Regression]:
    if not any(_may_take_a_path(change, call) for call in opening_calls(change, getter)):
        return
    for module, call in changes_of_directory(change.new.project):
        if _is_absolute(change, getter):
            return
        yield change.regression(
            getter,
            f"a relative path may be opened (line {getter.lineno}) after the working directory "
            f"changed ({module.path.name}:{call.lineno})",
        )
        return


def _may_take_a_path(change: ClassChange, call: ast.Call) -> bool:
    """Tell whether a call is given something that may be a path: no number, and no method of the object."""
    methods = {name for each in change.new.lineage(change.after) for name in each.methods}
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(
        isinstance(each.value, (str, bytes))
        if isinstance(each, ast.Constant)
        else not (isinstance(each, ast.Attribute) and each.attr in methods)
        for each in given
    )


def _is_absolute(change: ClassChange, getter: Function) -> bool:
    """Tell whether what a property opens is, or was kept as, an absolute path."""
    wanted = set(used_on_self(getter))
    kept = [
        statement.value
        for _, function in change.constructed_after
        for statement in statements(function.body)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if isinstance(target, ast.Attribute) and target.attr in wanted
    ]
    return any(
        last_part(node) in {"abspath", "resolve", "realpath", "absolute"}
        for node in executed([*getter.body, *kept])
    )


def _removed_by_callers(change: ClassChange, getter: Function) -> Iterator[Regression]:
    temporary = Temporary(change.new)
    for module, call in change.new.constructions(change.after):
        removal = _removal_after(change, module, call)
        if removal is not None:
            home, node = removal
            yield change.regression(
                getter,
                f"the file may be removed ({home.path.name}:{node.lineno}) before it is opened "
                f"(line {getter.lineno})",
            )
            return
        outliving = outlives(change, temporary, module, call)
        if outliving is not None:
            home, made = outliving
            yield change.regression(
                getter,
                f"the temporary files ({home.path.name}:{made.lineno}) no longer exist when they "
                f"are opened (line {getter.lineno})",
            )
            return


def _removal_after(
    change: ClassChange,
    module: Module,
    call: ast.Call,
    item: int | None = None,
    far: int = FAR,
) -> tuple[Module, ast.Call] | None:
    """Return what removes or replaces a file after a call made an object from it, here or in a caller."""
    around = change.new.body_around(module, call)
    origins = Origins(around)
    kept = Kept.of(module, call, item)
    given = _own_texts(module, origins.of(*call.args, *(k.value for k in call.keywords)))
    given |= kept.names.keys()  # what the object says of its file
    for node in executed(around):
        if not isinstance(node, ast.Call) or node.lineno <= call.lineno:
            continue
        removes = _removes(node, given, origins) or _removed_inside(
            change, module, node, given, origins
        )
        if removes and not _used_up(module, call, node, around, origins):
            return module, node
    for home, caller, place in kept.callers(change.new, module, call) if far else ():
        removal = _removal_after(change, home, caller, place, far - 1)
        if removal is not None:
            return removal
    return None


def _own_texts(module: Module, texts: set[str]) -> set[str]:
    """Leave out the names of imported modules."""
    imported = stored_names([*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)])
    return {text for text in texts if text.partition(".")[0] not in imported}


def _removes(node: ast.Call, given: set[str], origins: Origins) -> bool:
    """Tell whether a call removes one of these files, or writes another in its place."""
    name = last_part(node.func)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in {"cleanup", "write_text", "write_bytes"}:
        return bool(origins.of(owner) & given)
    if name in {"copy", "copy2", "copyfile", "copytree"}:
        return bool(origins.of(*node.args[1:2]) & given)
    if name == "open" and opens_to_write(node):
        return bool(origins.of(*node.args[:1]) & given)
    if on_disk(node):
        return bool(origins.of(owner, *node.args) & given)
    by_method = name in REMOVES and len(node.args) == (name in {"rename", "replace"})
    return by_method and dotted(owner) in given


def _removed_inside(
    change: ClassChange, module: Module, node: ast.Call, given: set[str], origins: Origins
) -> bool:
    """Tell whether a function of the program that gets one of these files removes or replaces files."""
    known = change.new.function_of(module, node.func)
    if known is None:
        return _removed_by_its_method(change, node, given, origins)
    _, function = known
    passed = [*zip(parameters(function), node.args, strict=False)]
    passed += [(keyword.arg or "", keyword.value) for keyword in node.keywords]
    taken = {name for name, value in passed if origins.of(value) & given}
    inside = Origins(function.body)
    return bool(taken) and any(
        isinstance(each, ast.Call) and _removes(each, taken, inside)
        for each in executed(function.body)
    )


def _removed_by_its_method(
    change: ClassChange, node: ast.Call, given: set[str], origins: Origins
) -> bool:
    """Tell whether a method removes or replaces files, of an object that was made with one of these."""
    if not isinstance(node.func, ast.Attribute) or not origins.of(node.func.value) & given:
        return False
    return any(
        isinstance(each, ast.Call) and (on_disk(each) or opens_to_write(each))
        for module in change.new.project.mentions(node.func.attr)
        for function in module.functions_by_name.get(node.func.attr, ())
        if isinstance(module.parent(function), ast.ClassDef)
        for each in executed(function.body)
    )


def _used_up(
    module: Module, call: ast.Call, removal: ast.Call, body: list[ast.stmt], origins: Origins
) -> bool:
    """Tell whether what a call makes is gone through in a loop before a removal."""
    names = stored_names(module.statement(call))
    return any(
        call.lineno < iterated.lineno < removal.lineno and names & origins.of(iterated)
        for node in executed(body)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))
        for iterated in [node.iter]
    )


__all__ = ["check"]
