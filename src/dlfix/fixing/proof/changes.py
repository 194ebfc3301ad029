"""What a rewrite did to one file: its classes before and after, what is new and what is lazy now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dlfix.facts.build import facts_of
from dlfix.facts.model import FileFacts
from dlfix.fixing.proof import order
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class, Program, is_cached
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    called_in,
    header,
    is_attribute,
    last_part,
    named_target,
    seeing,
    self_name,
    statements,
    within,
)
from dlfix.project.module import Module
from dlfix.project.trees import kept, said


@dataclass(frozen=True)
class Regression:
    """Something that worked before a rewrite and does not work after it."""

    path: Path
    qualname: str  # the class, function or name of the module that it is about
    line: int  # in the text after
    reason: str  # one clause, which names the line


@dataclass(frozen=True)
class FileChange:
    """One file before and after, in its program before and after."""

    old: Program
    new: Program
    before: Module
    after: Module

    @cached_property
    def facts(self) -> FileFacts:
        """The facts of the text after."""
        return facts_of(self.after.source)

    def regression(self, qualname: str, node: ast.AST | int, reason: str) -> Regression:
        """Return a regression at a line of the text after."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        return Regression(self.after.path, qualname, line, reason)

    def classes(self) -> Iterator[ClassChange]:
        """Yield the classes whose code changed."""
        by_name = {cls.qualname: cls for cls in self.old.classes(self.before)}
        for after in self.new.classes(self.after):
            before = by_name.get(after.qualname)
            if before is not None and said(before.node) != said(after.node):
                yield ClassChange(self, before, after)


def _head(cls: Class) -> tuple[str, ...]:
    """Return the name of a class with its bases, keywords and decorators, as text."""
    node = cls.node
    return (node.name, *(said(n) for n in (*node.bases, *node.keywords, *node.decorator_list)))


def _parts(line: Sequence[Class]) -> dict[tuple[int, str], ast.stmt]:
    """Return the statements of the bodies of some classes, by the class and what they say."""
    return {(at, said(node)): node for at, cls in enumerate(line) for node in cls.node.body}


def _named(node: ast.stmt) -> frozenset[str]:
    """Return the attributes that a statement of a class body may set or read: of its object, in texts, fields."""
    methods = [each for each in ast.walk(node) if isinstance(each, FUNCTIONS)]
    owners = {self_name(each) for each in methods}
    found = set(order.texts_of(node))
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            found |= {each.attr} if each.value.id in owners else set()
        elif isinstance(each, ast.Name) and not methods:
            found.add(each.id)
    return frozenset(found)


class ClassChange:
    """One class before and after."""

    def __init__(self, file: FileChange, before: Class, after: Class) -> None:
        self.file, self.before, self.after = file, before, after
        self.old, self.new = file.old, file.new

    def regression(self, node: ast.AST | int, reason: str) -> Regression:
        """Return a regression of this class."""
        return self.file.regression(self.after.qualname, node, reason)

    def before_of(self, cls: Class) -> Class | None:
        """Return what a class of the program after was before: this one, or one that derives from it."""
        module = self.old.project.get(cls.module.path)
        classes = self.old.classes(module) if module is not None else ()
        return next((each for each in classes if each.qualname == cls.qualname), None)

    def attributes_at_stake(self, before: Class, after: Class) -> frozenset[str] | None:
        """Return the attributes that the code of a class names which changed; None where its bases did, too.

        All others are set and read by the same statements as before.
        """
        old, new = self.old.lineage(before), self.new.lineage(after)
        if [_head(each) for each in old] != [_head(each) for each in new]:
            return None
        parts = (_parts(old), _parts(new))
        changed = (
            node
            for one, other in (parts, parts[::-1])
            for said, node in one.items()
            if said not in other
        )
        named = {name for node in changed for name in _named(node)}
        always = [{name for each in line for name in each.methods} for line in (old, new)]
        return frozenset(named - (always[0] & always[1]))

    @cached_property
    def _at_stake_here(self) -> frozenset[str] | None:
        """The attributes at stake that some code sets, and the methods that lead to one."""
        watched = self.attributes_at_stake(self.before, self.after)
        if watched is None:
            return None
        line = self.new.lineage(self.after)
        both = [*self.old.lineage(self.before), *line]
        return order.leading_to(
            watched & {name for each in both for name in order.set_by(each)}, line
        )

    def is_untouched(self, heir: Class) -> bool:
        """Return whether what a derived class adds has nothing to do with the attributes at stake."""
        names, line = self._at_stake_here, self.new.lineage(self.after)
        return names is not None and all(
            names.isdisjoint(order.words_of(each.node))
            and names.isdisjoint(each.methods)
            and self._is_unchanged(each)
            for each in self.new.lineage(heir)
            if each not in line
        )

    def _is_unchanged(self, cls: Class) -> bool:
        before = self.old.project.get(cls.module.path)
        return before is not None and before.source == cls.module.source

    @cached_property
    def lazy(self) -> dict[str, Function]:
        """The properties that are new, or are written anew."""
        return {
            name: function
            for name, function in self.after.getters.items()
            if name not in self.before.getters or said(self.before.getters[name]) != said(function)
        }

    @cached_property
    def made_lazy(self) -> dict[str, Function]:
        """The properties that were plain attributes."""
        return {name: f for name, f in self.lazy.items() if name not in self.before.methods}

    def keyed(self, name: str) -> bool:
        """Return whether a lazy attribute is kept by process, or by worker."""
        function = self.after.getters.get(name)
        if function is None:
            return False
        return any(
            isinstance(node, (ast.Name, ast.Attribute))
            and last_part(node) in ("getpid", "get_worker_info")
            for node in within(function)
        ) or any(
            inner != name and inner in self.lazy and self.keyed(inner) and not is_cached(function)
            for inner in order.called_on_self(self.after, function)
        )

    @cached_property
    def started_empty(self) -> dict[str, Function]:
        """The properties that give None until something fills them in this process."""
        found = {}
        for name, function in self.lazy.items():
            last = function.body[-1]
            value = last.value if isinstance(last, ast.Return) else None
            asks = isinstance(value, ast.Call) and last_part(value.func) == "get"
            if asks and self.keyed(name):
                found[name] = function
        return found

    @cached_property
    def constructed_before(self) -> list[tuple[Class, Function]]:
        """The methods that ran while an object was made, before."""
        return order.construction_with_heirs(self.old, self.before)

    @cached_property
    def constructed_after(self) -> list[tuple[Class, Function]]:
        """The methods that run while an object is made, after."""
        return order.construction_with_heirs(self.new, self.after)

    @cached_property
    def always_there(self) -> set[str]:
        """The attributes that every object had once made: set on all paths, never deleted or left behind."""
        lineage = self.old.lineage(self.before)
        functions = [function for each in lineage for function in each.functions]
        if any(function.name in STATE for function in functions):
            return set()
        made = [f for f in self.before.functions if f.name == "__init__"]
        found = {
            node.attr
            for function in made
            for statement in function.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
            for node in within(statement)
            if is_attribute(node, self_name(function)) and isinstance(node.ctx, ast.Store)
        }
        return found - {
            node.attr
            for function in functions
            for node in within(function.body)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Del)
        }

    @cached_property
    def late_before(self) -> set[str]:
        """The methods that ran after construction already, before."""
        names = tuple(name for _, f in order.entries(self.old, self.before) for name in [f.name])
        made = {f.name for _, f in self.constructed_before}
        roots = tuple(
            name
            for name in names
            if name not in made or name.startswith("__") or not _only_setup(self.old, name)
        )
        return {f.name for _, f in order.reached(self.old, self.before, roots)}

    @cached_property
    def calls_while_made(self) -> set[str]:
        """The last names of what construction called before."""
        return {name for _, f in self.constructed_before for name in called_in(f.body)}

    @cached_property
    def new_attributes(self) -> dict[str, ast.AST]:
        """The attributes that only the class after sets or defines, with where it does."""
        old = set(attributes_set(self.before)) | set(self.before.methods) | set(self.before.values)
        old |= set(self.before.annotated)
        found: dict[str, ast.AST] = {**attributes_set(self.after), **self.after.methods}
        return {
            name: node
            for name, node in found.items()
            if name not in old and not (name.startswith("__") and name.endswith("__"))
        }

    def fresh(self, function: Function) -> list[ast.stmt]:
        """Return the statements of a method that were not in it before."""
        return _without(function, self.before.functions)

    def gone(self, function: Function) -> list[ast.stmt]:
        """Return the statements of a method before that are no longer in it."""
        return _without(function, self.after.functions)


def _without(function: Function, others: Sequence[Function]) -> list[ast.stmt]:
    """Return the statements of a method that are not in those of its name, each counted once."""
    same_name = [f for f in others if f.name == function.name]
    known = [header(s) for f in same_name for s in statements(f.body)]
    found = []
    for statement in statements(function.body):
        text = header(statement)
        if text in known:
            known.remove(text)
        else:
            found.append(statement)
    return found


def _only_setup(program: Program, name: str) -> bool:
    """Return whether nothing outside calls a method of this name."""
    return not any(
        isinstance(call.func, ast.Attribute)
        and not (isinstance(call.func.value, ast.Name) and call.func.value.id == "self")
        for module in program.project.mentions(name)
        for call in module.calls_by_name.get(name, ())
    )


def attributes_set(cls: Class) -> dict[str, ast.AST]:
    """Return the attributes that the methods of a class set on their object, with one place each."""
    found: dict[str, ast.AST] = {}
    for function in cls.functions:
        found = {**_set_by(function), **found}
    return found


@kept
def _set_by(function: Function) -> dict[str, ast.AST]:
    owner = self_name(function)
    found: dict[str, ast.AST] = {}
    for node in seeing(function.body, owner):
        if is_attribute(node, owner) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.attr, node)
        elif name := named_target(node, owner):
            found.setdefault(name, node)
    return found
