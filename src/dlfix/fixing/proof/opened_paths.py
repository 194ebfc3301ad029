"""How the files end that an object opens which a call makes: from what its methods open back to what the call passes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dlfix.catalog import load
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.late_code import opens_to_write
from dlfix.fixing.proof.path_ends import Ends, Frame, PathEnds, Source, bound_first, frame_of
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_targets,
    self_name,
)
from dlfix.project.module import Module
from dlfix.project.roots import STANDARD
from dlfix.project.syntax import is_none

_OPENERS = frozenset("open io.open os.open codecs.open".split())
# What these open are several files, whose names are made of the one that they get.
_OF_SEVERAL_FILES = frozenset(
    "lmdb zarr shelve dbm fiona shapefile geopandas plyvel leveldb rocksdb tensorstore tiledb diskcache".split()
)
_OF_FILES = ("resource", "memmap")  # kinds of resources
_IN_MEMORY = frozenset(name for kind in (dict, list, set, str, bytes) for name in dir(kind))


class OpenedPaths(PathEnds):
    """Finds how the files end that an object opens."""

    def __init__(self, program: Program, cls: Class, made: tuple[Module, ast.Call]) -> None:
        super().__init__(program)
        self._cls, self._made = cls, made
        self._lineage = program.lineage(cls)

    def opened(self, opener: Function) -> Ends | None:
        """Return how the files may end that a method of the object opens."""
        home = next((each for each in self._lineage if opener in each.functions), self._cls)
        return self.of_each(self._opened(frame_of(home.module, opener)))

    def _sources(self, path: ast.expr, frame: Frame) -> Iterator[Source]:
        if isinstance(path, ast.Attribute) and self._is_of_object(path, frame):
            yield from self._kept(path.attr)
        else:
            yield from super()._sources(path, frame)

    def _is_of_object(self, node: ast.Attribute, frame: Frame) -> bool:
        return (
            frame.function is not None
            and self._is_own(frame.function)
            and is_attribute(node, self_name(frame.function))
        )

    def _kept(self, name: str) -> Iterator[Source]:
        """Yield what the object is given as an attribute, by its own methods or its class."""
        for cls in self._lineage:
            for function in cls.functions:
                for node in executed(function.body):
                    if name not in own_targets(node, self_name(function)):
                        continue
                    value = getattr(node, "value", None)
                    if not is_none(value):
                        frame = frame_of(cls.module, function)
                        yield (value, frame) if _is_whole(node) and value is not None else None
            if name in cls.values and not is_none(cls.values[name]):
                yield cls.values[name], frame_of(cls.module, None)

    def _passed(self, name: str, frame: Frame) -> Iterator[Source]:
        function = frame.function
        if function is not None and function.name == "__init__" and self._is_own(function):
            yield self._given_to_constructor(name, function)
        else:
            yield from super()._passed(name, frame)

    def _calls_of(self, function: Function) -> list[tuple[Module, ast.Call]]:
        is_own = self._is_own(function)
        return self._calls_on_object(function) if is_own else super()._calls_of(function)

    def _is_own(self, function: Function) -> bool:
        return any(function in each.functions for each in self._lineage)

    def _callee(self, call: ast.Call, frame: Frame) -> Frame | None:
        if frame.function is not None and is_attribute(call.func, self_name(frame.function)):
            for cls in self._lineage:
                method = cls.methods.get(call.func.attr)
                if method is not None:
                    skipped = bound_first(cls.module, method)
                    return self._called(call, cls.module, method, skipped, frame)
        return super()._callee(call, frame)

    def _calls_on_object(self, function: Function) -> list[tuple[Module, ast.Call]]:
        """Return the calls of a method by other methods of the object."""
        return [
            (cls.module, call)
            for cls in self._lineage
            for other in cls.functions
            for call in calls_in(other.body)
            if is_attribute(call.func, self_name(other), function.name)
        ]

    def _given_to_constructor(self, name: str, function: Function) -> Source:
        """Return what a constructor of the object, or of a base, gets as a parameter."""
        module, call = self._made
        site = frame_of(module, self.program.enclosing(module, call))
        chain = [each for cls in self._lineage if (each := cls.methods.get("__init__")) is not None]
        if function not in chain:
            return None
        if function is chain[0]:
            return self._argument(call, function, name, 1, site)
        heir = next(one for one, other in pairwise(chain) if other is function)
        home = next(cls.module for cls in self._lineage if heir in cls.functions)
        above = [each for each in calls_in(heir.body) if _is_above(each)]
        if len(above) != 1:
            return None
        found = self._argument(above[0], function, name, 1, frame_of(home, heir))
        if found is None and heir is chain[0] and _passes_all_on(above[0], heir):
            return self._argument(call, function, name, 1, site)
        return found

    def _opened(self, frame: Frame, far: int = 3) -> Iterator[Source]:
        """Yield the paths that a function opens; None for a call that may open something else."""
        assert frame.function is not None
        for call in calls_in(frame.function.body):
            if _opens(call, frame.module):
                if _root(call, frame.module) in _OF_SEVERAL_FILES:
                    yield None
                path = _path_opened(call)
                if path is not None and not self._is_handle(path, frame):
                    yield path, frame
                continue
            callee = self._callee(call, frame)
            if callee is not None and far:
                yield from self._opened(callee, far - 1)
            elif not self._opens_none(call, frame):
                yield from ((each, frame) for each in _may_be_paths(call))

    def _opens_none(self, call: ast.Call, frame: Frame) -> bool:
        """Return whether a call opens no file: it gets no path, or is of a handle or of the standard library."""
        root = _root(call, frame.module)
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = [*call.args, *(each.value for each in call.keywords)]
        return (
            root in STANDARD
            or hasattr(builtins, root)
            or (owner is not None and last_part(call.func) in _IN_MEMORY)
            or (owner is not None and self._is_handle(owner, frame))
            or all(isinstance(each, ast.Constant) or self._is_handle(each, frame) for each in given)
        )

    def _is_handle(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a value is what a call opened, or an item of that."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute) and self._is_of_object(node, frame):
            return self._is_kept_handle(node.attr)
        values = frame.origins.made.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return bool(values) and all(
            isinstance(each, ast.Call) and _opens(each, frame.module) for each in values
        )

    def _is_kept_handle(self, name: str) -> bool:
        """Return whether an attribute of the object is only given what calls open, or is opened when asked."""
        getter = next((each.getters[name] for each in self._lineage if name in each.getters), None)
        home = self._cls.module if self._cls is not None else None
        if getter is not None and home is not None:
            return any(_opens(each, home) for each in calls_in(getter.body))
        kept = [*self._kept(name)]
        return bool(kept) and all(
            each is not None and isinstance(each[0], ast.Call) and _opens(each[0], each[1].module)
            for each in kept
        )


class OpenedByCallers(PathEnds):
    """Finds the calls that opened what the constructor of an object is given, and that its methods open again."""

    def __init__(self, program: Program, again: Iterable[ast.Call]) -> None:
        super().__init__(program)
        self._names = {last_part(each.func) for each in again}
        if "load" in self._names:
            self._names.add("open_memmap")

    def given(self, module: Module, call: ast.Call) -> Iterator[tuple[Module, ast.Call]]:
        """Yield what opened the arguments of a call, or their items."""
        frame = frame_of(module, self.program.enclosing(module, call))
        for value in (*call.args, *(each.value for each in call.keywords)):
            yield from self._opening(value, frame)

    def _opening(
        self, value: ast.expr, frame: Frame, far: int = 6
    ) -> Iterator[tuple[Module, ast.Call]]:
        if isinstance(value, ast.Call) and last_part(value.func) in self._names:
            if not opens_to_write(value):
                yield frame.module, value
            return
        for source in self._sources(value, frame) if far else ():
            if source is not None:
                yield from self._opening(*source, far - 1)

    def _sources(self, path: ast.expr, frame: Frame) -> Iterator[Source]:
        match path:
            case ast.Dict(values=items):
                yield from ((each, frame) for each in items)
            case ast.DictComp(value=item) | ast.Subscript(value=item) | ast.Starred(value=item):
                yield item, frame
            case _:
                yield from super()._sources(path, frame)


def _opens(call: ast.Call, module: Module) -> bool:
    """Return whether a call opens a file, or makes a resource of what is open."""
    name = imports_of(module.tree).full_name(call.func)
    row = load().resource(name)
    is_resource = row is not None and row.kind in _OF_FILES
    return is_resource or name in _OPENERS or last_part(call.func) == "open"


def _root(call: ast.Call, module: Module) -> str:
    """Return the package of what is called."""
    return imports_of(module.tree).full_name(call.func).partition(".")[0]


def _path_opened(call: ast.Call) -> ast.expr | None:
    """Return what names the file that a call opens."""
    given = [*call.args, *(each.value for each in call.keywords)]
    is_method = isinstance(call.func, ast.Attribute) and isinstance(
        call.func.value, (ast.Attribute, ast.Call, ast.BinOp)
    )
    if isinstance(call.func, ast.Attribute) and call.func.attr == "open" and is_method:
        return call.func.value  # `self.path.open("rb")`
    return given[0] if given else None


def _may_be_paths(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that may be paths: of those that are spelled out what looks like one."""
    for each in (*call.args, *(keyword.value for keyword in call.keywords)):
        is_word = isinstance(each, ast.Constant) and not {*"./"} & {*str(each.value)}
        if not is_word:
            yield each


def _is_above(call: ast.Call) -> bool:
    """Return whether a call is of a base's constructor."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def _passes_all_on(call: ast.Call, function: Function) -> bool:
    """Return whether a call hands on all that a function gets by `*args` and `**kwargs`, and nothing else by place."""
    stars = [each.value for each in call.args if isinstance(each, ast.Starred)]
    return (
        len(stars) == len(call.args) == 1
        and function.args.vararg is not None
        and dotted(stars[0]) == function.args.vararg.arg
        and len(function.args.args) == 1
    )


def _is_whole(node: ast.AST) -> bool:
    """Return whether a statement binds its targets to its value as a whole: `self.path = path`."""
    if isinstance(node, ast.Assign):
        return not any(isinstance(each, (ast.Tuple, ast.List)) for each in node.targets)
    return isinstance(node, (ast.AnnAssign, ast.AugAssign))


__all__ = ["OpenedByCallers", "OpenedPaths"]
