"""The source of a lazy attribute, and where new members of a class stand."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from dlfix.fixing.classes.plans import ALONE, Lazy
from dlfix.fixing.classes.text import indented, shifted

INDENT = "    "


def code(lazy: Lazy, lazies: Sequence[Lazy]) -> str:
    """Return the members that make one attribute lazy, of all those of its class."""
    closing = _released(lazy, lazies)
    if lazy.item:
        return _method(lazy, "@property", lazy.name, lazy.body)
    if not lazy.kept_in:
        body = f"return {lazy.self_name}.{lazy.opener}()" if lazy.opener else lazy.body
        whole = _method(lazy, "@functools.cached_property", lazy.name, body)
        return "\n".join([*_opener(lazy), whole])
    if lazy.calls:
        told = any(each.calls for each in lazies[: lazies.index(lazy)])
        return _by_calling(lazy, closing, told=told)
    if not lazy.body:
        return _by_others(lazy, closing)
    return "\n".join([*_opener(lazy), _by_process(lazy, closing), *_setter(lazy), *_deleter(lazy)])


def _by_process(lazy: Lazy, closing: Sequence[str]) -> str:
    held = _held(lazy)
    made = _kept(lazy, f"{held}[pid]")
    body = "\n".join(
        [
            "pid = os.getpid()",
            f"if pid not in {held}:",
            *[indented(part, INDENT) for part in (*closing, made)],
            f"return {held}[pid]",
        ]
    )
    return _method(lazy, "@property", lazy.name, body)


def _kept(lazy: Lazy, place: str) -> str:
    """Return the opening statements, with the value kept at `place` in the end."""
    if lazy.opener:
        return f"{place} = {lazy.self_name}.{lazy.opener}()"
    *before, last = _split(lazy.body)
    value = shifted(last, len(place) + len(" = ") - len("return ")).removeprefix("return ")
    return "\n".join([*before, f"{place} = {value}"])


def _split(body: str) -> list[str]:
    """Part a body before its last statement, which begins with `return`."""
    before, found, last = body.rpartition("\nreturn ")
    return [before, "return " + last] if found else [body]


def _released(lazy: Lazy, lazies: Sequence[Lazy]) -> list[str]:
    """Let go of what a fork handed down, where one process may not have it open twice.

    What is made from it goes first: it would keep it open. What it is made from has let go of both.
    """
    if not _lets_go(lazy, lazies):
        return []
    told = any(_lets_go(each, lazies) for each in lazies[: lazies.index(lazy)])
    made, further = list[Lazy](), [lazy]
    while further:
        made += further
        further = [
            each
            for each in lazies
            if each.kept_in and each not in made and any(_reads(each, one) for one in further)
        ]
    cleared = [*lazy.releases, *(f"{_held(each)}.clear()" for each in reversed(made))]
    return [*([] if told else [ALONE]), *cleared]


def _lets_go(lazy: Lazy, lazies: Sequence[Lazy]) -> bool:
    """Return whether opening an attribute comes after letting go of what a fork handed down."""
    origins = (each for each in lazies if each.alone and _reads(lazy, each))
    return lazy.alone and not (lazy.body and any(origins))


def _reads(lazy: Lazy, other: Lazy) -> bool:
    """Return whether an attribute may be made from another; other code may make it from any."""
    whole = rf"\b{re.escape(other.self_name)}\.{re.escape(other.name)}\b"
    return not (lazy.body or lazy.calls) or re.search(whole, lazy.body + lazy.calls) is not None


def _by_calling(lazy: Lazy, closing: Sequence[str], *, told: bool) -> str:
    held = _held(lazy)
    calls = lazy.calls.removeprefix(f"{ALONE}\n") if told else lazy.calls
    opening = [indented(part, INDENT) for part in (*closing, calls)]
    body = "\n".join([f"if os.getpid() not in {held}:", *opening, f"return {held}[os.getpid()]"])
    members = [_method(lazy, "@property", lazy.name, body), *_setter(lazy), *_deleter(lazy)]
    if lazy.opener:
        returns = "None" if lazy.annotation else ""
        opener = replace(lazy, annotation=returns)
        members.insert(0, _method(opener, "", lazy.opener, lazy.body))
    return "\n".join(members)


def _by_others(lazy: Lazy, closing: Sequence[str]) -> str:
    held = _held(lazy)
    default = "" if lazy.default == "None" else f", {lazy.default}"
    body = f"return {held}.get(os.getpid(){default})"
    if not lazy.default:
        body = (
            f'if os.getpid() not in {held}:\n{INDENT}raise AttributeError("{lazy.name}")\n'
            f"return {held}[os.getpid()]"
        )
    if closing:
        lines = [indented(part, INDENT) for part in closing]
        body = "\n".join([f"if os.getpid() not in {held}:", *lines, body])
    return "\n".join([_method(lazy, "@property", lazy.name, body), *_setter(lazy), *_deleter(lazy)])


def _opener(lazy: Lazy) -> list[str]:
    return [_method(lazy, "", lazy.opener, lazy.body)] if lazy.opener else []


def _setter(lazy: Lazy) -> list[str]:
    if not lazy.settable:
        return []
    name, me = lazy.name.lstrip("_") or "value", lazy.self_name
    value = f"{name}: {lazy.annotation}" if lazy.annotation else name
    none = " -> None" if lazy.annotation else ""
    return [
        f"@{lazy.name}.setter\n"
        f"def {lazy.name}({me}, {value}){none}:\n"
        f"{INDENT}{_held(lazy)}[os.getpid()] = {name}\n"
    ]


def _deleter(lazy: Lazy) -> list[str]:
    if not lazy.deletable:
        return []
    me = lazy.self_name
    return [
        f"@{lazy.name}.deleter\n"
        f"def {lazy.name}({me}){' -> None' if lazy.annotation else ''}:\n"
        f"{INDENT}{_held(lazy)}.pop(os.getpid(), None)\n"
    ]


def _held(lazy: Lazy) -> str:
    if lazy.undeclared:
        return f'{lazy.self_name}.__dict__.setdefault("{lazy.kept_in}", {{}})'
    return f"{lazy.self_name}.{lazy.kept_in}"


def _method(lazy: Lazy, decorator: str, name: str, body: str) -> str:
    returns = f" -> {lazy.annotation}" if lazy.annotation else ""
    head = f"def {name}({lazy.self_name}){returns}:\n"
    above = decorator + "\n" if decorator else ""
    doc = ""
    if lazy.docstring and name == lazy.name and "setter" not in decorator:
        doc = textwrap.indent(lazy.docstring, INDENT) + "\n"
    return above + head + doc + indented(body, INDENT) + "\n"


def index_below(body: Sequence[cst.BaseStatement], method: str) -> int:
    """Return where members that follow a method go; without it, above the first method."""
    for index, statement in enumerate(body):
        if isinstance(statement, cst.FunctionDef) and statement.name.value == method:
            return index + 1
    for index, statement in enumerate(body):
        if isinstance(statement, cst.FunctionDef):
            return index
    return len(body)


def is_member(statement: cst.BaseStatement) -> bool:
    """Return whether a statement is parted from the one above by a blank line."""
    return isinstance(statement, cst.FunctionDef | cst.ClassDef)


def spaced(statement: cst.BaseStatement) -> cst.BaseStatement:
    """Put a blank line above a member that has none."""
    assert isinstance(statement, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    lines = [line if line.comment else _BLANK for line in statement.leading_lines]
    if not lines or lines[0].comment:
        lines.insert(0, _BLANK)
    return statement.with_changes(leading_lines=lines)


_BLANK = cst.EmptyLine(indent=False)
