"""Reads of an attribute that do not spell `object.name`: by a text that names it, a pattern, or a protocol."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.objects import given_with
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import Function, dotted, executed, last_part, self_name
from dlfix.project.holding import ANYWHERE
from dlfix.project.module import Module
from dlfix.project.trees import kept

_GETTERS = frozenset({"attrgetter", "methodcaller"})
_LOOKUPS = frozenset({"getattr", "hasattr", "__getattribute__"})
_FORMATTING = ("format", "format_map", "vformat", "Formatter")
_DOTTED = re.compile(r"[^\W\d]\w*(\.\w+)*")
_FIELD = re.compile(r"\{[^{}]*\}")
_PART = re.compile(r"\.([^\W\d]\w*)")
_ASKED_OF_OBJECT = (
    2  # `getattr(rows, "stream")` raises where there is none, with a third argument it does not
)
_MOST_VALUES = 60  # expressions that may give one name are followed so far


class Read(NamedTuple):
    """One such read, and how it looks."""

    module: Module
    node: ast.expr | ast.pattern
    how: str


def unspelled(program: Program, classes: list[Class], names: AbstractSet[str]) -> Iterator[Read]:
    """Yield the reads of attributes of some names that may be of an object of these classes."""
    yield from _by_text(program, classes, names)
    yield from _by_template(program, names)
    yield from _by_pattern(program, classes, names)
    yield from _by_protocol(program, classes, names)


@kept
def named_by_text(function: Function) -> frozenset[str]:
    """Return the attributes that a method reads of its object by a text: `getattr(self, "a")`, `"{0.a}".format(self)`."""
    found: set[str] = set()
    for node in executed(function.body):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]):
                found |= {name} if dotted(owner) == self_name(function) else set()
            case ast.Call(func=func, args=args) if last_part(func) in _GETTERS:
                found |= {w for each in args for text in _texts_in(each) for w in _words(text)}
            case ast.Constant(value=str(text)):
                found |= _in_fields(text)
    return frozenset(found)


def _stands_for(program: Program, module: Module, node: ast.expr, classes: list[Class]) -> bool:
    """Return whether an expression has a name that objects of these classes come to, or is an item of such."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    asked = [node]
    scope = module.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    if scope is not None and isinstance(scope.node, ast.Lambda):
        asked += given_with(module, scope.node)
    return any(writes.goes_by_known(program, module, each, classes) for each in asked)


def _may_be_asked(program: Program, module: Module, node: ast.expr, classes: list[Class]) -> bool:
    """Return whether an expression may be such an object; what goes everywhere may be anything but a module or `self`."""
    if _stands_for(program, module, node, classes):
        return True
    if program.class_of_self(module, node) is not None or program.is_of_library(module, node):
        return False
    return any(ANYWHERE in program.given_names(cls) for cls in classes)


# Texts


def _by_text(program: Program, classes: list[Class], names: AbstractSet[str]) -> Iterator[Read]:
    for module, call, text in program.once(_asked_texts):
        if names.isdisjoint(_words(text)):
            continue
        asked = call.args[0] if _is_lookup(call) and call.args else None
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__getattribute__":
            asked = call.args[0] if len(call.args) > 1 else call.func.value
        if asked is None or _may_be_asked(program, module, asked, classes):
            yield Read(module, call, f'`{dotted(call.func)}` of "{text}"')


def _asked_texts(program: Program) -> Iterator[tuple[Module, ast.Call, str]]:
    """Yield the texts that may be what a program looks attributes up by, with the call that does."""
    for word in sorted(_GETTERS | _LOOKUPS):
        for module in program.project.mentions(word):
            for name in sorted({word, *module.aliases_of(word)}):
                for node in module.nodes_by_name.get(name, ()):
                    call = module.parent(node)
                    if not isinstance(call, ast.Call):
                        continue
                    for text in _texts(program, module, _names_asked(call, node, word)):
                        yield module, call, text


def _names_asked(call: ast.Call, node: ast.expr, word: str) -> list[ast.expr]:
    """Return the arguments of a call that are names of attributes."""
    if call.func is not node:  # `functools.reduce(getattr, names, rows)`
        return [each for each in call.args if each is not node]
    if word == "__getattribute__":
        return call.args[-1:]
    return call.args[1:2] if word in _LOOKUPS else call.args


def _is_lookup(call: ast.Call) -> bool:
    return last_part(call.func) in _LOOKUPS


def _texts(program: Program, module: Module, nodes: list[ast.expr]) -> set[str]:
    """Return the texts that some expressions may be made of: in them, in their variables, and in what callers pass."""
    waiting = [(module, each) for each in nodes]
    done: set[int] = set()
    found: set[str] = set()
    while waiting and len(done) < _MOST_VALUES:
        home, value = waiting.pop(0)
        if id(value) in done:
            continue
        done.add(id(value))
        found.update(_texts_in(value))
        for name in ast.walk(value):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
                waiting += _values(program, home, name)
    return found


def _values(program: Program, module: Module, name: ast.Name) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what a variable or a parameter may be, each with its module."""
    yield from ((module, each) for each in writes.values_of(program, module, name, name.id))
    yield from ((module, each) for each in program.assigned(module, name.id))
    yield from ((home, each) for home, _, each in passed_for(program, module, name))


def _texts_in(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _words(text: str) -> set[str]:
    """Return the names of which a text consists: those of `stream.name`."""
    return set(text.split(".")) if _DOTTED.fullmatch(text) else set()


# Templates


def _by_template(program: Program, names: AbstractSet[str]) -> Iterator[Read]:
    formats = any(
        word in module.nodes_by_name
        for word in _FORMATTING
        for module in program.project.mentions(word)
    )
    modules = {m: None for name in sorted(names) for m in program.project.mentions(name)}
    for module in modules if formats else ():
        for node in module.nodes(ast.Constant):
            if not isinstance(node.value, str) or names.isdisjoint(_in_fields(node.value)):
                continue
            if not isinstance(module.parent(node), ast.Expr):  # documentation
                yield Read(module, node, "a text that is formatted")


def _in_fields(text: str) -> set[str]:
    """Return the attributes that the fields of a template read: `{0.stream.name}`."""
    if "{" not in text:
        return set()
    return {word for field in _FIELD.findall(text) for word in _PART.findall(field)}


# Patterns and protocols


def _by_pattern(program: Program, classes: list[Class], names: AbstractSet[str]) -> Iterator[Read]:
    words = {*names, *(cls.name for cls in classes), *_protocols(program, names)}
    modules = {m: None for word in sorted(words) for m in program.project.mentions(word)}
    for module in modules:
        for node in module.nodes(ast.MatchClass):
            if _is_asked_by(program, module, node, classes, names):
                yield Read(module, node, f"`case {dotted(node.cls)}(...)`")


def _is_asked_by(
    program: Program,
    module: Module,
    node: ast.MatchClass,
    classes: list[Class],
    names: AbstractSet[str],
) -> bool:
    """Return whether a pattern reads an attribute of these names, of an object that may be of these classes."""
    cls = program.class_of(module, node.cls)
    if cls is not None and _is_checkable(program, cls, names):
        return True
    related = [each for own in classes for each in program.lineage(own)]
    if cls is not None and cls not in related:
        return False
    bases = {base for own in classes for base in program.unknown_bases(own)}
    if cls is None and last_part(node.cls) not in {"object", *bases}:
        return False
    taken = set(_matched(cls)[: len(node.patterns)] if cls is not None else ())
    return not names.isdisjoint({*node.kwd_attrs, *taken})


def _matched(cls: Class) -> list[str]:
    """Return the attributes that the positions of a pattern stand for."""
    listed = cls.values.get("__match_args__")
    if listed is not None:
        return list(_texts_in(listed))
    return [*cls.annotated] if "dataclass" in cls.decorators else []


def _by_protocol(program: Program, classes: list[Class], names: AbstractSet[str]) -> Iterator[Read]:
    for word in sorted(_protocols(program, names)):
        for module in program.project.mentions(word):
            for call in module.calls_by_name.get("isinstance", ()):
                asked = [*ast.walk(call.args[1])] if len(call.args) > 1 else []
                kinds = [program.class_of(module, n) for n in asked if last_part(n)]
                if not any(k is not None and _is_checkable(program, k, names) for k in kinds):
                    continue
                if _may_be_asked(program, module, call.args[0], classes):
                    yield Read(module, call, f"`isinstance(..., {ast.unparse(call.args[1])})`")


def _protocols(program: Program, names: AbstractSet[str]) -> set[str]:
    """Return the names of the protocols that `isinstance` tells by attributes of some names."""
    modules = program.project.mentions("runtime_checkable")
    found = [cls for module in modules for cls in program.classes(module)]
    return {cls.name for cls in found if _is_checkable(program, cls, names)}


def _is_checkable(program: Program, cls: Class, names: AbstractSet[str]) -> bool:
    members = {n for each in program.lineage(cls) for n in (*each.annotated, *each.methods)}
    return "runtime_checkable" in cls.decorators and not names.isdisjoint(members)


__all__ = ["Read", "named_by_text", "unspelled"]
