"""Bugs planted in what the codemods write, to show that the oracle finds such bugs."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

DROPS = r"state\.pop\(|del state\[|state\[.*\] = {}"


@dataclass(frozen=True)
class Plant:
    """A bug, and the features of programs whose fixes can have it."""

    name: str
    change: Callable[[str, str], str]  # the text before and after a fix -> the text with the bug
    family: str = "resources"
    features: Mapping[str, str] = field(default_factory=dict)
    shown_by: int = 0  # the seed of a program that shows it, for as long as that one does


def _functions(text: str) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    for node in ast.walk(ast.parse(text)):
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef) and isinstance(node, (ast.ClassDef, ast.Module)):
                yield f"{owner}.{child.name}", child


def _added(before: str, after: str) -> list[ast.FunctionDef]:
    """Return the functions that a fix added, the last first."""
    known = {name for name, _ in _functions(before)}
    found = [node for name, node in _functions(after) if name not in known]
    return sorted(found, key=lambda node: -node.lineno)


def _edit(text: str, node: ast.FunctionDef, edit: Callable[[list[str]], list[str]]) -> str:
    lines = text.splitlines(keepends=True)
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    return "".join(
        [*lines[:first], *edit(lines[first : node.end_lineno]), *lines[node.end_lineno :]]
    )


def _in_added(before: str, after: str, name: str, edit: Callable[[list[str]], list[str]]) -> str:
    for node in _added(before, after):
        if re.fullmatch(name, node.name):
            after = _edit(after, node, edit)
    return after


def state_dropped(before: str, after: str) -> str:
    return _in_added(before, after, "__getstate__", lambda lines: [])


def derived_kept(before: str, after: str) -> str:
    def edit(lines: list[str]) -> list[str]:
        drops = [at for at, line in enumerate(lines) if re.search(DROPS, line)]
        return [line for at, line in enumerate(lines) if len(drops) < 2 or at != drops[-1]]

    return _in_added(before, after, "__getstate__", edit)


def other_path(before: str, after: str) -> str:
    def edit(lines: list[str]) -> list[str]:
        path = r"(?<=[(, ])(self\.\w*(?:path|place)\w*)(?=[,)])"
        return [re.sub(path, r'\1.replace("first", "second")', line) for line in lines]

    return _in_added(before, after, r"(?!__)\w+", edit)


def read_late(before: str, after: str) -> str:
    kept = re.compile(r"^\s+(self\.\w+) = (self\.[\w.]+)\n", re.M)
    for attribute, value in kept.findall(after):
        if f"{attribute} = {value}\n" not in before:
            replace = functools.partial(_replaced, rf"{re.escape(attribute)}\b", value)
            after = _in_added(before, after, r"\w+", replace)
    return after


def _replaced(pattern: str, value: str, lines: list[str]) -> list[str]:
    return [re.sub(pattern, value, line) for line in lines]


def capture_forgotten(before: str, after: str) -> str:
    partials = set(re.findall(r"functools\.partial\(.*?\)", before))
    for partial in re.findall(r"functools\.partial\(\w+(?:, \w+=[\w.]+)+\)", after):
        if partial not in partials:
            after = after.replace(partial, partial.rpartition(", ")[0] + ")")
    return after


def captures_swapped(before: str, after: str) -> str:
    pair = re.compile(r"(functools\.partial\(\w+, \w+=)([\w.]+)(, \w+=)([\w.]+)")
    return pair.sub(r"\1\4\3\2", after) if not pair.search(before) else after


def name_taken(before: str, after: str) -> str:
    taken = {name.lstrip(".") for name, _ in _functions(before) if name.startswith(".")}
    for node in _added(before, after):
        if not node.name.startswith("__") and node.col_offset == 0:
            other = next((name for name in sorted(taken) if name.startswith("_")), None)
            if other is not None:
                after = re.sub(rf"\b{node.name}\b", other, after)
    return after


def close_dropped(before: str, after: str) -> str:
    found = re.search(r"def close\(self\):\n((?:        .*\n)+)", after)
    if found is None or found[0] in before:
        return after
    return after.replace(found[1], re.sub(r"[\w.\[\]()]+\.(close|shutdown)\(\)", "pass", found[1]))


def made_as_none(before: str, after: str) -> str:
    return _in_added(before, after, "__setstate__", lambda lines: [
        re.sub(r"(self\.\w+) = .*", r"\1 = None", line) for line in lines
    ])  # fmt: skip


def process_forgotten(before: str, after: str) -> str:
    return after if "os.getpid()" in before else after.replace("os.getpid()", "0")


def handle_left_in_parent(before: str, after: str) -> str:
    after = re.sub(r"^\s+del self\.\w+  # .*\n", "", after, flags=re.M)
    for name in re.findall(r"@functools\.cached_property\n\s+def (\w+)", after):
        local = rf"^(\s+)with .* as {name}:"
        after = re.sub(local, rf"\1{name} = self.{name}\n\1if True:", after, flags=re.M)
    return after


PLANTS = (
    Plant("the state method is dropped", state_dropped, features={"touch": "item"}, shown_by=2),
    Plant("a derived value stays in the state", derived_kept,
          features={"derived": "yes", "touch": "item", "kind": "sqlite"}, shown_by=4),
    Plant("another path is opened", other_path, shown_by=4),
    Plant("an attribute is read late", read_late,
          features={"between": "attribute_set", "path": "kept", "open": "straight"}, shown_by=2),
    Plant("a capture is forgotten", capture_forgotten, "callables", {"capture": "local"}),
    Plant("two captures are swapped", captures_swapped, "callables", {"capture": "two"}),
    Plant("a name is taken twice", name_taken, "callables", {"names": "taken"}, shown_by=3),
    Plant("a handle is not closed", close_dropped, features={"closing": "close"}, shown_by=4),
    Plant("what the worker makes is None", made_as_none, features={"kind": "lock"}),
    Plant("the process is not compared", process_forgotten, features={"touch": "item"}, shown_by=2),
    Plant("the parent's handle is inherited", handle_left_in_parent, features={"init": "length"}, shown_by=4),
)  # fmt: skip
