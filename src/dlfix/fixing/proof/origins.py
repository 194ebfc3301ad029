"""What a value is made of: the names, attributes and file names that its expression goes back to."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from copy import copy
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    chosen,
    dotted,
    executed,
    last_part,
    parameters,
    stored_names,
)
from dlfix.project.trees import kept

_QUOTE = "'"  # in front of a text that the program spells out
_WILD = frozenset("*?[{%")
Tails = Literal["none", "dropped", "kept"]
_ANY_RELATIVE = "[!/]*.*"  # every file that is spelled from the working directory on
_LISTING = frozenset("listdir scandir walk fwalk".split())
_LISTED = frozenset("iterdir glob rglob walk".split())  # by the path of a folder
_HERE = frozenset({"", ".", "./"})
# Functions that give a path, made of what they are given, and words in the names of others.
_ADDING = frozenset("join joinpath format with_suffix with_name".split())
_SAME_PATH = frozenset(
    "get pop copy values items str next sorted list iter replace strip rstrip lstrip split lower upper glob rglob"
    " iglob resolve absolute as_posix".split()
)
_OF_ARRAYS = frozenset("shape ndim dtype".split())  # no path is kept under these names
_OF_ONE = ".[]"  # before the key of an item of one of several: `rows[place]["path"]`
_MAKES_PATHS = re.compile("path|file|dir|folder|root|where|locat|name|expand", re.IGNORECASE)


# Which of its arguments the result of a call is made of, with the attribute of each; None where that is not known.
Result: TypeAlias = Callable[[ast.Call, int | None], "list[tuple[ast.expr, str]] | None"]


class Origins:
    """Follows the names of one body back through its assignments and loops."""

    def __init__(
        self,
        body: Sequence[ast.stmt],
        given: Collection[str] = (),
        passed: Mapping[str, list[ast.expr]] | None = None,
        returned: Result | None = None,
    ) -> None:
        self.whole = self  # the same for any call
        self._returned = returned  # what functions make of their arguments, where that is known
        self._places: dict[tuple[str, ast.expr], int] = {}  # the items that names are unpacked from
        self.given = given  # the parameters
        self.passed = passed or {}  # what one call gives them
        self.made: dict[str, list[ast.expr]] = {}
        self.held: dict[str, list[tuple[str, ast.expr]]] = {}  # set under a key, or as an attribute
        self._sources: dict[str, tuple[str, ...]] = {}  # what each text was found to be made of
        for node in executed(body):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._bind(node.target, node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._bind(node.target, node.iter)
            elif isinstance(node, (ast.AugAssign, ast.NamedExpr)):
                self._bind(node.target, node.value)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr)
            elif isinstance(node, ast.Match):
                for name in stored_names([case.pattern for case in node.cases]):
                    self.made.setdefault(name, []).append(node.subject)

    def passing(self, passed: Mapping[str, list[ast.expr]]) -> Origins:
        """Return the same of one call, which gives the parameters these values."""
        one = copy(self)
        one.passed = passed
        return one

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=parts) if len(targets) == len(parts):
                for inner, part in zip(targets, parts, strict=True):
                    self._bind(inner, part)
                return
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
            names = [getattr(each, "id", "") for each in target.elts]
            self._places |= {(name, value): at for at, name in enumerate(names) if "" not in names}
        for name in stored_names(target):
            self.made.setdefault(name, []).append(value)
        held = _held(target)
        if held is not None:
            self.held.setdefault(held[0], []).append((held[1], value))

    def of(self, *values: ast.AST | None) -> set[str]:
        """Return all that values are made of, at any distance; literal texts with a quote in front."""
        found: set[str] = set()
        waiting = [text for value in values if value is not None for text in self._leaves(value)]
        while waiting:
            text = waiting.pop()
            if text not in found:
                found.add(text)
                waiting += self._made_of(text)
        return found

    def _made_of(self, text: str) -> tuple[str, ...]:
        """Return what the body makes a name or an attribute of, one step back."""
        if text not in self._sources:
            root, _, attribute = text.partition(".")
            parts: list[ast.expr] = []
            leaves: list[str] = []
            for value in self.made.get(root, []):
                is_part = attribute and base_of(text) == text
                if is_part and isinstance(value, ast.Call) and not _lists_here(value):
                    parts += _given(value)
                else:
                    leaves += self._leaves(value, self._places.get((root, value)))
            parts += self._of_key(text)
            leaves += (leaf for part in parts for leaf in self._leaves(part))
            self._sources[text] = tuple(leaves)
        return self._sources[text]

    def _leaves(self, node: ast.AST, place: int | None = None) -> Sequence[str]:
        """Return the names, attributes and texts in an expression: of a call those that its result is made of."""
        known = None
        if isinstance(node, ast.Call) and self._returned is not None:
            known = self._returned(node, place)
        if known is None:
            return _all_leaves(node)
        return [
            leaf
            for value, rest in known
            for leaf in (
                [f"{dotted(value)}.{rest}"] if rest and dotted(value) else self._leaves(value)
            )
        ]

    def paths(self, *values: ast.AST | None, tails: Tails = "none") -> set[str]:
        """Return what values are made of that may be paths: not the objects whose attributes they read.

        `root + "/a.h5"` is of the text only, with `tails` "dropped" of the text and `root`, with "kept" of all
        parts, also where these are more.
        """
        found: set[str] = set()
        waiting = [
            text for value in values if value is not None for text in self._of_path(value, tails)
        ]
        while waiting:
            text = waiting.pop()
            if text not in found:
                found.add(text)
                for value in (*self.made.get(base_of(text), ()), *self._of_key(text)):
                    waiting += self._of_path(value, tails)
        return found

    def _of_path(self, node: ast.AST, tails: Tails) -> Iterator[str]:
        """Yield the leaves of an expression that may be a path, and the attributes that functions make one of there."""
        yield from _of_a_path(node, tails)
        if self._returned is not None:
            for call in calls_in([node]):
                made_of = self._returned(call, None) or ()
                yield from (f"{dotted(each)}.{rest}" for each, rest in made_of if rest)

    def parts(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield the keys and attributes of what an expression gives, with what is there: of a display, or a call."""
        for each in (node, *(self.values(node) if isinstance(node, ast.Name) else ())):
            match each:
                case ast.Dict(keys=keys, values=values):
                    for key, value in zip(keys, values, strict=True):
                        if isinstance(key, ast.Constant):
                            yield str(key.value), value
                case ast.Call(keywords=keywords):
                    yield from ((one.arg, one.value) for one in keywords if one.arg)
        yield from self.held.get(dotted(node), ())

    def _of_key(self, text: str) -> list[ast.expr]:
        """Return what `options.path` is made of where it was set so, or is in a dict display."""
        owner, _, key = text.rpartition(".")
        found = [value for name, value in self.held.get(owner, ()) if name == key] if owner else []
        for made in self.made.get(owner, ()):
            if isinstance(made, ast.Dict):
                found += [value for name, value in self.parts(made) if name == key]
        return found

    def calls(self, node: ast.expr) -> list[ast.Call]:
        """Return the calls that make what a local name holds; empty if it may hold something else."""
        made = self._made(node)
        calls = self.some_calls(node)
        return calls if len(calls) == len(made) else []

    def some_calls(self, node: ast.expr) -> list[ast.Call]:
        """Return the calls that may make what a local name holds, whatever else it may hold."""
        return [value for value in self._made(node) if isinstance(value, ast.Call)]

    def _made(self, node: ast.expr) -> list[ast.expr]:
        made = self.made.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return [each for value in made for each in chosen(value)]

    def values(self, node: ast.expr) -> list[ast.expr]:
        """Return what a local name is bound to; the name itself stands for what a parameter gets unseen."""
        if not isinstance(node, ast.Name):
            return []
        given = [node] if node.id in self.given else []
        return [*self.made.get(node.id, []), *self.passed.get(node.id, given)]

    def called(self, name: str) -> list[ast.expr]:
        """Return what is called to make what a local name holds; empty if it holds something else."""
        made = self.made.get(name, [])
        called = [value.func for value in made if isinstance(value, ast.Call)]
        return called if len(called) == len(made) else []


@kept
def origins_in(function: Function) -> Origins:
    """Return what the names of a function go back to, whatever it is given."""
    return Origins(function.body, parameters(function))


def literal(text: str) -> str:
    """Return a text that the program spells out as `Origins.of` gives it."""
    return _QUOTE + text


def spelled(text: str) -> ast.Constant:
    """Return the expression of a text that the program spells out."""
    return ast.Constant(text.removeprefix(_QUOTE))


def is_literal(text: str) -> bool:
    """Return whether the program spells out a text."""
    return text.startswith(_QUOTE)


def share_files(some: set[str], others: set[str]) -> bool:
    """Return whether two values may name the same file, or one a folder above the other's."""
    if meet(some, others):
        return True
    texts = [each for each in others if is_literal(each)]
    if any(is_literal(each) and fnmatch.filter(texts, each) for each in some if "*" in each):
        return True
    paths = [_parts(each) for each in texts]
    for parts in (_parts(each) for each in some if is_literal(each)):
        if any(parts and each and parts == each[: len(parts)] for each in paths):
            return True
        if any(each and parts[: len(each)] == each for each in paths):
            return True
    return False


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    """Return the parts of a literal path, up to the first that stands for several names."""
    found: list[str] = []
    for part in PurePosixPath(text.removeprefix(_QUOTE)).parts:
        if _WILD & {*part}:
            break
        found.append(part)
    return tuple(part for part in found if part != "/")


def item_of(node: ast.AST) -> tuple[str, str] | None:
    """Return the name and the key of `options["key"]` or `options.get("key")`; also of `rows[place]["key"]`."""
    match node:
        case ast.Subscript(value=held, slice=ast.Constant(value=str() as key)):
            return (name, key) if (name := _holding(held)) else None
        case ast.Call(
            func=ast.Attribute(value=held, attr="get"), args=[ast.Constant(value=str() as key), *_]
        ):
            return (name, key) if (name := _holding(held)) else None
    return None


def _holding(node: ast.expr) -> str:
    """Return the name of what has keys; for one of several that of all, with a mark."""
    if not isinstance(node, ast.Subscript):
        return dotted(node)
    item = item_of(node)
    name = _holding(node.value) if item is None else ".".join(item)
    return f"{name}{_OF_ONE}" if name else ""


def base_of(text: str) -> str:
    """Return the name of all of which a text names the key of one; the text itself where it names none."""
    return text.partition(_OF_ONE)[0]


def meet(some: Set[str], others: Set[str]) -> bool:
    """Return whether two values are made of the same; what is made of several may be made of each."""
    return bool(some & others or {*map(base_of, some)} & others or some & {*map(base_of, others)})


def _held(target: ast.expr) -> tuple[str, str] | None:
    """Return the object and the key, or attribute, that a target sets."""
    if isinstance(target, ast.Attribute):
        return (dotted(target.value), target.attr) if dotted(target.value) else None
    return item_of(target)


def _given(call: ast.Call) -> list[ast.expr]:
    """Return what an attribute of the result may be made of: the arguments, not the owner."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@kept
def _of_a_path(node: ast.AST, tails: Tails) -> tuple[str, ...]:
    return tuple(_path_leaves(node, tails))


def _path_leaves(node: ast.AST, tails: Tails) -> Iterator[str]:
    """Yield the leaves of an expression that may be a path; what a library's object is made of is none."""
    if isinstance(node, ast.Attribute) and node.attr in _OF_ARRAYS:
        return
    if item_of(node) is not None or isinstance(node, (ast.Name, ast.Attribute, ast.Constant)):
        yield from _leaves(node)
        return
    parts: list[ast.AST] = [*ast.iter_child_nodes(node)]
    if isinstance(node, ast.Call):
        if not _makes_a_path(last_part(node.func)):
            return
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = [*_given(node), *owner]
    added = _texts_added(node, parts) if tails != "kept" else []
    if added and tails == "dropped":
        added += _first(node, parts)
    for part in added or parts:
        yield from _of_a_path(part, tails)


def _makes_a_path(name: str) -> bool:
    return name in _SAME_PATH or name in _ADDING or bool(_MAKES_PATHS.search(name))


def _texts_added(node: ast.AST, parts: list[ast.AST]) -> list[ast.AST]:
    """Return the names of its own that an expression adds to a path: with some, it is another file."""
    joins = isinstance(node, (ast.BinOp, ast.JoinedStr)) or (
        isinstance(node, ast.Call) and last_part(node.func) in _ADDING
    )
    texts = (each for part in parts for each in executed([part])) if joins else ()
    return [
        each
        for each in texts
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and any(map(str.isalnum, each.value))
    ]


def _first(node: ast.AST, parts: list[ast.AST]) -> list[ast.AST]:
    """Return the folder, or the beginning, of a path that an expression puts together; all parts of a template."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Div(), left=left):
            return [left]
        case ast.Call(func=ast.Attribute(attr="join"), args=[first, *_]):
            return [first]
        case ast.JoinedStr(values=[first, *_]):
            return [first]
    return parts


@kept
def _all_leaves(node: ast.AST) -> tuple[str, ...]:
    return tuple(_leaves(node))


def _leaves(node: ast.AST) -> Iterator[str]:
    """Yield the names, attributes and texts in an expression; not the functions it calls."""
    if isinstance(node, (ast.Name, ast.Attribute)) and dotted(node):
        yield dotted(node)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, (str, bytes)) and node.value:
            text = node.value
            yield literal(text if isinstance(text, str) else text.decode(errors="replace"))
    elif (key := item_of(node)) is not None:
        yield f"{key[0]}.{key[1]}"
        for default in node.args[1:] if isinstance(node, ast.Call) else ():
            yield from _leaves(default)
    elif isinstance(node, ast.Call):
        if _lists_here(node):
            yield literal(_ANY_RELATIVE)
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for part in [*_given(node), *owner]:
            yield from _leaves(part)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _leaves(child)


def _lists_here(call: ast.Call) -> bool:
    """Return whether a call lists the working directory: `os.listdir()`, `os.walk(".")`, `Path().iterdir()`."""
    match call.func:
        case ast.Attribute(value=ast.Call() as made, attr=name) if name in _LISTED:
            if last_part(made.func) == "cwd":
                return True
            if not last_part(made.func).endswith("Path"):
                return False
            call = made
        case _ if last_part(call.func) not in _LISTING:
            return False
    asked = call.args[:1]
    return not asked or any(
        (isinstance(each, ast.Constant) and each.value in _HERE)
        or (isinstance(each, (ast.Attribute, ast.Name)) and last_part(each) == "curdir")
        or (isinstance(each, ast.Call) and last_part(each.func) in ("getcwd", "cwd"))
        for each in asked
    )
