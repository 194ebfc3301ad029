"""Positions and dialogues that a constructor had moved: what is opened again starts at the beginning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late import used_on_self
from dlfix.fixing.proof.syntax import Function, dotted, executed, last_part, self_name

_STREAMS = frozenset(
    "open io.open gzip.open bz2.open lzma.open codecs.open os.fdopen csv.reader csv.DictReader wave.open"
    " cv2.VideoCapture VideoCapture reader DictReader SoundFile TextIOWrapper BufferedReader iter"
    " pathlib.open makefile".split()
)
_ADVANCES = frozenset(
    "readline readlines read read1 readinto seek skip grab __next__ fieldnames tell".split()
)
# What two sides have said to each other is the state of a connection: a new one starts without it.
_CONNECTIONS = frozenset("create_connection socket socketpair Popen Serial Telnet FTP SMTP".split())
_SAYS = frozenset(
    "send sendall sendto sendmsg recv recv_into recvfrom recvmsg stdin stdout communicate write read"
    " readline login".split()
)
_REWINDS = frozenset("seek rewind reset set execute executemany".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the handles that later methods read on from where the constructor had left them."""
    for name, getter in change.lazy.items():
        if name not in change.made_lazy:
            continue
        made = [f for _, f in change.constructed_before]
        kinds = {kind for f in made for kind in _kinds(f, name)}
        moved = [(f, op) for f in made for op in _advances(f, name, kinds)]
        if not moved:
            continue
        opener = _opener(change, name, getter)
        for _, op in moved:
            if any(op in set(_operations(f.body)) for f in opener):
                continue
            reader = _reads_on(change, name)
            if reader is not None:
                what = (
                    f"used the connection `{name}` with `{op}`, and a new connection starts without that"
                    if "connection" in kinds
                    else f"moved the position of `{name}` with `{op}`, and a newly opened one starts at "
                    "the beginning"
                )
                yield change.regression(getter, f"the constructor {what} (line {getter.lineno})")
                break


def _opener(change: ClassChange, name: str, getter: Function) -> list[Function]:
    found = [getter]
    for inner in found:
        for used in set(used_on_self(inner)):
            function = change.after.methods.get(used)
            if function is not None and function not in found:
                found.append(function)
    return found


def _names_of(function: Function, name: str) -> set[str]:
    """Return what an attribute is called in a method: itself, and local names for it."""
    found = {f"{self_name(function)}.{name}"}
    for node in executed(function.body):
        if isinstance(node, ast.Assign):
            texts = {dotted(t) for t in node.targets} | {dotted(node.value)}
            found |= (texts - {""}) if texts & found else set()
    return found


def _kinds(function: Function, name: str) -> Iterator[str]:
    """Yield the kinds of handle with a position that a method assigns to an attribute."""
    names = _names_of(function, name)
    for node in executed(function.body):
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Call):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if {dotted(t) for t in targets} & names:
            if dotted(value.func) in _STREAMS or last_part(value.func) in _STREAMS - {"open"}:
                yield "stream"
            elif last_part(value.func) in _CONNECTIONS:
                yield "connection"
            elif last_part(value.func) == "cursor":
                yield "cursor"


def _advances(function: Function, name: str, kinds: set[str]) -> Iterator[str]:
    """Yield what a method does to a handle that moves its position."""
    names = _names_of(function, name)
    moves = {
        "stream": _ADVANCES, "connection": _SAYS, "cursor": frozenset({"execute", "executemany"}),
    }  # fmt: skip
    moving = frozenset[str]().union(*(moves[kind] for kind in kinds))
    for node in executed(function.body):
        if isinstance(node, ast.Call):
            if dotted(node.func) == "next" and node.args and dotted(node.args[0]) in names:
                yield "next"
        elif (
            isinstance(node, ast.Attribute) and node.attr in moving and dotted(node.value) in names
        ):
            yield node.attr
        elif isinstance(node, (ast.For, ast.comprehension)) and dotted(node.iter) in names:
            yield from ["for"] if "stream" in kinds else []


def _operations(body: list[ast.stmt]) -> Iterator[str]:
    for node in executed(body):
        if isinstance(node, ast.Call):
            yield last_part(node.func)
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield "for"


def _reads_on(change: ClassChange, name: str) -> Function | None:
    """Return a later method that reads a stream where it stands."""
    made = [f for _, f in change.constructed_after]
    for cls in change.new.family(change.after):
        for function in cls.functions:
            only_made = function in made and function.name not in change.late_before
            if only_made or function.name in change.lazy:
                continue
            if name not in set(used_on_self(function)):
                continue
            if not set(_operations(function.body)) & _REWINDS:
                return function
    return None


__all__ = ["check"]
