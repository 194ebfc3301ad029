"""What got worse by a rewrite: all comparisons of the program before with the program after."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.proof import (
    asked_of_arguments,
    audit_hooks,
    built_up,
    callables,
    callers_asked_for,
    class_bodies,
    class_settings,
    closed,
    computed_lookups,
    copies,
    created_files,
    defaults,
    delayed,
    delegating_lookups,
    descriptors,
    each_call,
    evaluated_early,
    filled,
    filled_on_demand,
    finalizers,
    first_read,
    fresh_results,
    hooks,
    import_time,
    instance_dict,
    kept_elsewhere,
    late_output,
    left_behind,
    lifecycle,
    listed_subclasses,
    loaders,
    lock_states,
    looked_up,
    made_again,
    made_by_factory,
    managed_attributes,
    marks_read,
    members,
    module_names,
    modules_imported_again,
    moved_by_others,
    moves,
    named_modules,
    new_modules,
    observers,
    opened_in_threads,
    options_left_out,
    own_picklers,
    parent_state,
    patches,
    pickling_tried,
    positions,
    read_by_new_code,
    read_from_environment,
    removed_files,
    repeated,
    same_objects,
    set_order,
    set_up_later,
    set_up_order,
    settings_around,
    sharing,
    state,
    static_methods,
    used_once_closed,
    whole_process,
    wrapped,
)
from dlfix.fixing.proof.changes import ClassChange, FileChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.put_back import put_back
from dlfix.project.importing import beside, elsewhere

if TYPE_CHECKING:
    from dlfix.project.project import Project

__all__ = ["Regression", "regressions"]

_OF_CLASSES: tuple[Callable[[ClassChange], Iterator[Regression]], ...] = (
    lifecycle.check,
    delayed.check,
    evaluated_early.check,
    left_behind.check,
    finalizers.check,
    positions.check,
    moved_by_others.check,
    set_up_order.check,
    filled.check,
    set_up_later.check,
    wrapped.check,
    closed.check,
    removed_files.check,
    created_files.check,
    asked_of_arguments.check,
    built_up.check,
    first_read.check,
    kept_elsewhere.check,
    state.check,
    observers.check,
    copies.check,
    repeated.check,
    patches.check,
    members.check,
    class_settings.check,
    managed_attributes.check,
    late_output.check,
    looked_up.check,
    instance_dict.check,
    computed_lookups.check,
    lock_states.check,
    marks_read.check,
    modules_imported_again.check,
    used_once_closed.check,
    whole_process.check,
    audit_hooks.check,
    callers_asked_for.check,
    read_from_environment.check,
    settings_around.check,
    pickling_tried.check,
    own_picklers.check,
    delegating_lookups.check,
    descriptors.check,
    sharing.check,
    read_by_new_code.check,
    same_objects.check,
    options_left_out.check,
    static_methods.check,
    defaults.check,
    fresh_results.check,
    filled_on_demand.check,
    made_again.check,
    made_by_factory.check,
    opened_in_threads.check,
)
_OF_FILES: tuple[Callable[[FileChange], Iterator[Regression]], ...] = (
    callables.check,
    parent_state.check,
    import_time.check,
    loaders.check,
    pickling_tried.check_moved,
    own_picklers.check_moved,
    each_call.check,
    hooks.check,
    named_modules.check,
    callers_asked_for.check_moved,
    listed_subclasses.check,
    class_bodies.check,
    set_order.check_moved,
)


def regressions(before: Project, after: Project, changed: Collection[Path]) -> list[Regression]:
    """Return what worked before and does not work after, in order of place; each once."""
    old, new = Program(before), Program(after)
    found: dict[tuple[Path, str, str], Regression] = {}
    for path in sorted(changed):
        other = after.get(path)
        one = before.get(path) if before.knows(path) else None
        moved = (
            []
            if other is None
            else [
                *moves.check(before, after, path, changed),
                *new_modules.check(before, after, path, changed),
            ]
        )
        if one is not None and other is not None:
            moved += _of_file(FileChange(old, new, one, other), changed)
        for regression in moved:
            found.setdefault((regression.path, regression.qualname, regression.reason), regression)
    return sorted(found.values(), key=lambda r: (r.path, r.line, r.reason))


def _of_file(change: FileChange, changed: Collection[Path]) -> Iterator[Regression]:
    """Yield what is wrong with a file; what it imports from a module that is made beside it is taken as a part of it."""
    before, after = change.old.project, change.new.project
    whole = put_back(before, after, changed, change.after)
    if whole is None:
        yield from _of_program(change)
        return
    yield from module_names.check(change)
    home = whole.project.get(change.after.path)
    if home is None:
        path = change.after.path
        yield Regression(path, "", 1, "what moved cannot be compared with what it was")
        return
    together = FileChange(change.old, Program(whole.project), change.before, home)
    yield from map(whole.placed, _of_program(together, named=False))


def _of_program(change: FileChange, *, named: bool = True) -> list[Regression]:
    """Return what is wrong where a file is used; scripts that are other programs do not count.

    `named` tells whether the names of the module are what they are in the text after.
    """
    own = beside(change.old.project, change.before)
    change = change if own is None else _among(change, {each.path for each in own})
    found = list(_of(change, named=named))
    narrowed = _without_others(change) if found else change
    return found if narrowed is change else list(_of(narrowed, named=named))


def _without_others(change: FileChange) -> FileChange:
    project = change.old.project
    names = {cls.name for cls in change.old.classes(change.before)}
    others = {each.path for each in elsewhere(project, change.before, names)}
    if not others:
        return change
    return _among(change, {*project.files} - others)


def _among(change: FileChange, paths: Collection[Path]) -> FileChange:
    """Return a change as part of a program that consists of some files, and those that it creates."""
    created = {*change.new.project.files}.difference(change.old.project.files)
    old, new = (
        Program(each.project.among({*paths, *created})) for each in (change.old, change.new)
    )
    return FileChange(old, new, change.before, change.after)


def _of(change: FileChange, *, named: bool) -> Iterator[Regression]:
    for check in _OF_FILES:
        yield from check(change)
    if named:
        yield from module_names.check(change)
    for cls in change.classes():
        for compare in _OF_CLASSES:
            yield from compare(cls)
