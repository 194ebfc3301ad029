"""Files that come to be when they are opened: code that asks which files there are has another answer before that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dlfix.catalog import load
from dlfix.fixing.proof import order
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_code import late_openers, opening_calls, opening_code
from dlfix.fixing.proof.origins import Origins, share_files
from dlfix.fixing.proof.path_ends import PathEnds, differ, frame_with
from dlfix.fixing.proof.path_parameters import path_parameters
from dlfix.fixing.proof.quiet import Quiet
from dlfix.fixing.proof.removing_calls import Removal, Removals
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    last_part,
    own_nodes,
    self_name,
    within,
)
from dlfix.project.library_names import uses
from dlfix.project.module import Module

_OF_ONE_FILE = re.compile(
    "access|exists|is_?file|is_?dir|get[a-z]+|stat"
)  # the others list folders


class Question(NamedTuple):
    """A call that asks which files there are, and what names these."""

    call: ast.Call
    named: list[ast.expr]

    @property
    def is_of_one(self) -> bool:
        """Whether it asks of one file, not of all that are in a folder."""
        return _OF_ONE_FILE.search(last_part(self.call.func)) is not None


def question_of(module: Module, call: ast.Call) -> Question | None:
    """Return what a call asks of the files there are; None where it asks nothing."""
    rows = load().asking_for_files
    if imports_of(module.tree).full_name(call.func) in rows:
        return Question(call, [*call.args[:1], *(each.value for each in call.keywords)])
    if isinstance(call.func, ast.Attribute) and call.func.attr in rows:
        return Question(call, [call.func.value, *call.args])
    return None


def _text(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


class _NoQuestions(Quiet):
    """Knows the calls and bodies that ask of no file."""

    def _may_remove(self, module: Module, written: ast.Call, origins: Origins) -> bool:
        return question_of(module, written) is not None

    def _changes_by_method(self, module: Module, call: ast.Call, origins: Origins) -> bool:
        return False

    def _may_be_remover(self, module: Module, call: ast.Call) -> bool:
        return False


class Questions(Removals):
    """Finds what asks for the files that objects of one class open, instead of what removes them."""

    quiet_as = _NoQuestions

    def _removes(
        self, module: Module, written: ast.Call, files: set[str], origins: Origins
    ) -> bool:
        """Return whether a call asks for one of these files."""
        question = question_of(module, written)
        if question is None or self.program.resolve(module, written.func) is not None:
            return False
        if not question.is_of_one and {*map(_text, question.named)} <= {"."}:
            return True  # the working directory
        frame = frame_with(module, self.program.enclosing(module, written), origins)
        listed = last_part(written.func) in ("glob", "iglob", "rglob")
        paths = written.args[:1] if listed else question.named
        ends = PathEnds(self.program).of_each((each, frame) for each in paths)
        if (question.is_of_one or listed) and differ(self.ends, ends):
            return False
        return share_files(origins.of(*question.named), files)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that create a file later than the constructor did, where code asks for it before."""
    for name, getter in change.made_lazy.items():
        opened = [call for call in opening_calls(change, getter) if _creates(change, call)]
        if opened and getter in [*late_openers(change)] and not _still_opens(change, opened):
            masked = next(uses(change.new.project, "os.umask"), None)
            if masked is not None:
                yield change.regression(
                    getter,
                    f"`{name}` is created where it does not exist yet, with the permissions that `os.umask` "
                    f"sets ({masked[0].path.name}:{masked[1].lineno}), but the property opens it later",
                )
                return
            found = next(_asked(change, getter, opened), None)
            if found is not None:
                module, node = found
                yield change.regression(
                    getter,
                    f"`{name}` is created where it does not exist yet, and code asks which files exist "
                    f"({module.path.name}:{node.lineno}) before the property opens it",
                )
                return


def _creates(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call makes the file that it opens, where there is none."""
    row = load().resource(imports_of(change.after.module.tree).full_name(call.func))
    creates = row.creates if row is not None else ""
    return bool(creates) and re.search(creates, ast.unparse(call)) is None


def _still_opens(change: ClassChange, opened: list[ast.Call]) -> bool:
    """Return whether the constructor opens as before: what is kept by process was opened there first."""
    names = {last_part(each.func) for each in opened}
    return any(
        last_part(call.func) in names
        for _, function in change.constructed_after
        for call in calls_in(function.body)
    )


def _asked(change: ClassChange, getter: Function, opened: list[ast.Call]) -> Iterator[Removal]:
    """Yield where code asks for a file once it was open: the constructor, another method, or a caller."""
    names = {last_part(each.func) for each in opened}
    yield from _while_made(change, names)
    yield from _by_methods(change, _names_in(opened))
    questions = Questions(
        change.new,
        change.after,
        change.constructed_before,
        opened,
        path_parameters(
            [*change.constructed_before, *change.constructed_after],
            opening_code(change, getter),
            self_name(getter),
        ),
        openers=[getter],
    )
    for module, call in change.new.constructions(change.after):
        found = questions.after(module, call)
        if found is not None:
            yield found


def _while_made(change: ClassChange, opening: set[str]) -> Iterator[Removal]:
    """Yield what the constructor asks once it has opened a file."""
    known = set[str]()
    for sites in order.steps(change.old, change.before):
        calls = [each for each in own_nodes(sites[-1][1]) if isinstance(each, ast.Call)]
        for call in calls:
            question = question_of(change.before.module, call)
            if question is not None and not known.isdisjoint(_names_in(question.named)):
                yield change.before.module, call
        known |= _names_in(each for each in calls if last_part(each.func) in opening)


def _by_methods(change: ClassChange, known: set[str]) -> Iterator[Removal]:
    """Yield what a method asks of the path that opens later, or lists of a folder that it names."""
    made = [function for _, function in change.constructed_before]
    for cls in change.old.lineage(change.before):
        for function in (each for each in cls.functions if each not in made):
            for call in calls_in(function.body):
                question = question_of(cls.module, call)
                if question is None:
                    continue
                named = (
                    {*map(dotted, question.named)}
                    if question.is_of_one
                    else _names_in(question.named)
                )
                if not known.isdisjoint(named):
                    yield cls.module, call


def _names_in(nodes: Iterable[ast.expr]) -> set[str]:
    """Return the names and attributes that expressions read: of `join(self.folder, name)` both."""
    read = {dotted(node) for each in nodes for node in within(each)} - {"", "self"}
    return {name for name in read if not any(other.startswith(f"{name}.") for other in read)}


__all__ = ["check"]
