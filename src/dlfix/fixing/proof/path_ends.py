"""How the names of files end: two paths of which neither ends as the other does name different files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple, TypeAlias

from dlfix.fixing.proof.late_code import opens_to_write
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.outliving import FILLING
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    dotted,
    executed,
    last_part,
    parameters,
)
from dlfix.project.module import Module
from dlfix.project.trees import kept

_FAR = 16  # steps from a path to what spells its end
_MOST_CALLS = 8  # calls of a function that its parameter is followed to
_FIELDS = re.compile(r"\{[^{}]*\}|%[-#0-9 +.*]*[a-zA-Z]")  # of `format` and `%`
# What gives the path that it is given, or the last of several, as it ends.
_SAME_END = frozenset(
    "Path PurePath PosixPath PurePosixPath str fspath abspath realpath expanduser expandvars normpath"
    " sorted list tuple iter next reversed".split()
)
_GLOBS = frozenset("glob iglob rglob".split())
_OF_OWNER = frozenset("resolve absolute expanduser as_posix __fspath__".split())
_TAKING_LAST = frozenset("joinpath with_name with_suffix".split())
_SINGLE = frozenset(
    "open remove unlink write_text write_bytes rename replace move copy copy2 copyfile save dump"
    " symlink_to hardlink_to touch".split()
)
_MOVING = frozenset("rename replace move copy copy2 copyfile".split())
# Of files and folders alike.
_ANY_SUFFIX = re.compile(
    r"\.(v?[\d.]*|old|bak|backup|orig|tmp|temp|part|new|prev|d)$", re.IGNORECASE
)
_NUMPY = frozenset("save savez savez_compressed".split())  # add a suffix where there is none

_ANY = "\0"  # in the place of what is computed

Ends = frozenset[str]
"""How paths end: `/` in front where the last name is known from its beginning, `*` for what is not known of it."""


class Frame(NamedTuple):
    """Code in which an expression stands: a function, or the body of a module, and what its parameters get."""

    module: Module
    function: Function | None
    origins: Origins
    given: Mapping[str, list[Source]] = {}


Source: TypeAlias = "tuple[ast.expr, Frame] | None"
"""An expression and where it stands; None for what is not known."""


def frame_of(
    module: Module, function: Function | None, given: Mapping[str, list[Source]] | None = None
) -> Frame:
    """Return the frame of a function, or of the body of a module."""
    return Frame(module, function, _origins_of(function or module.tree), given or {})


@kept
def _origins_of(code: Function | ast.Module) -> Origins:
    return Origins(code.body, () if isinstance(code, ast.Module) else parameters(code))


def bound_first(module: Module, function: Function) -> int:
    """Return how many parameters a call by an object does not pass: one of a method, none of a static one."""
    static = any(dotted(each) == "staticmethod" for each in function.decorator_list)
    return int(isinstance(module.parent(function), ast.ClassDef) and not static)


def frame_with(module: Module, function: Function | None, origins: Origins) -> Frame:
    """Return the frame of a function of which a call is known: what its arguments are named there is not followed."""
    outside = Frame(module, None, Origins([]))
    given = {name: [(each, outside) for each in values] for name, values in origins.passed.items()}
    return Frame(module, function, origins, given)  # type: ignore[arg-type]


def differ(some: Ends | None, others: Ends | None) -> bool:
    """Return whether paths that end in some texts are surely none of those that end in others."""
    return (
        some is not None
        and others is not None
        and not any(_may_be_one(a, b) for a in some for b in others)
    )


def _may_be_one(one: str, other: str) -> bool:
    """Return whether names that end, and begin, in some way may be the same."""
    ends, starts = [[each.split("*")[at] for each in (one, other)] for at in (-1, 0)]
    begin_alike = starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])
    are_begun = all(each.startswith("/") for each in starts)
    end_alike = ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    return end_alike and (begin_alike or not are_begun)


class PathEnds:
    """Finds how paths end: by assignments, what functions return, and what calls pass."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of_each(self, paths: Iterable[Source], far: int = _FAR) -> Ends | None:
        """Return how some paths may end; None where that is not known of all."""
        found: set[str] = set()
        for each in paths:
            ends = self.of(*each, far) if each is not None and far else None
            if ends is None:
                return None
            found |= ends
        return frozenset(found)

    def of(self, path: ast.expr, frame: Frame, far: int = _FAR) -> Ends | None:
        """Return how a path may end, from its last separator or computed part on; None where that is not known."""
        text = _spelled_end(path)
        found = self.of_each(self._sources(path, frame), far - 1) if text is None else {text}
        if found and _is_glued(path, frame.module):
            found = {each.rpartition("*")[2].lstrip("/") for each in found}
        return frozenset(found) if found and all(each.strip("/*") for each in found) else None

    # What a path is made of

    def _sources(self, path: ast.expr, frame: Frame) -> Iterator[Source]:
        """Yield what may end as a path does, one step back; None for what is not known."""
        match path:
            case ast.Name():
                yield from self._bound(path, frame)
            case ast.BinOp(op=ast.Add() | ast.Div(), right=last):
                yield last, frame
            case ast.JoinedStr(values=[*_, ast.FormattedValue(value=last, format_spec=None)]):
                yield last, frame
            case ast.IfExp(body=one, orelse=other):
                yield from ((one, frame), (other, frame))
            case ast.BoolOp(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
                yield from ((each, frame) for each in items)
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                yield item, frame
            case ast.NamedExpr(value=value):
                yield value, frame
            case ast.Call():
                callee = self._callee(path, frame)
                if callee is None:
                    yield self._from_call(path, frame)
                else:
                    yield from _returned(callee)
            case _:
                yield None

    def _from_call(self, call: ast.Call, frame: Frame) -> Source:
        """Return the part of a call that ends as the path that the call gives."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        name = last_part(call.func)
        if any(isinstance(each, ast.Starred) for each in call.args):
            return None
        if call.args and name in _GLOBS:
            return call.args[0], frame
        if len(call.args) == 1 and owner is not None and name in ("rename", "replace"):
            return call.args[0], frame  # a path gives the one that it has then
        joins = name == "join" and dotted(owner).endswith("path")
        if call.args and (joins or name in _TAKING_LAST or name in _SAME_END):
            return call.args[-1], frame
        return (owner, frame) if owner is not None and name in _OF_OWNER else None

    def _bound(self, name: ast.Name, frame: Frame) -> Iterator[Source]:
        """Yield what a name is bound to."""
        made = frame.origins.made.get(name.id, [])
        for value in made:
            place = _place_of(name.id, frame.module.parent(value))
            if place is not None:
                yield from self._item(value, place, frame)
            elif not _is_empty(value):
                yield value, frame
        yield from ((value, frame) for value in self._added(name.id, frame) if made)
        if name.id in frame.given:
            yield from frame.given[name.id]
        elif name.id in frame.origins.given:
            yield from self._passed(name.id, frame)
        elif not made:
            scope = frame.module.scope_of(name).lookup(name.id)
            is_global = frame.function is not None and scope is frame.module.scope
            yield (name, frame_of(frame.module, None)) if is_global else None

    def _item(self, value: ast.expr, place: int, frame: Frame) -> Iterator[Source]:
        """Yield what a call gives at a place of the tuple that it returns."""
        callee = self._callee(value, frame) if isinstance(value, ast.Call) else None
        for source in _returned(callee) if callee is not None else [None]:
            parts = source[0].elts if source and isinstance(source[0], ast.Tuple) else []
            yield (parts[place], source[1]) if source and place < len(parts) else None

    def _added(self, name: str, frame: Frame) -> Iterator[ast.expr]:
        """Yield what a function adds to a list of its own: `paths.append(path)`."""
        for call in calls_in(frame.function.body if frame.function is not None else []):
            func = call.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in FILLING
                and dotted(func.value) == name
            ):
                yield from call.args[-1:]

    # What parameters get

    def _passed(self, name: str, frame: Frame) -> Iterator[Source]:
        """Yield what calls give a parameter of the function around."""
        assert frame.function is not None
        calls = self._calls_of(frame.function)
        if not calls or len(calls) > _MOST_CALLS:
            yield None
            return
        skipped = bound_first(frame.module, frame.function)
        for module, call in calls:
            outer = frame_of(module, self.program.enclosing(module, call))
            is_bound = isinstance(call.func, ast.Attribute) or not skipped
            found = self._argument(call, frame.function, name, skipped, outer)
            yield found if is_bound else None

    def _calls_of(self, function: Function) -> list[tuple[Module, ast.Call]]:
        """Return the calls of a function."""
        return self.program.calls_of(function)

    def _argument(
        self, call: ast.Call, function: Function, name: str, skipped: int, frame: Frame
    ) -> Source:
        """Return what a call gives a parameter of a function, or its default."""
        if any(isinstance(each, ast.Starred) for each in call.args):
            return None
        taking = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][skipped:]
        named = [*zip(taking, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
        found = next((value for each, value in named if each == name), None)
        if found is not None:
            return found, frame
        if any(each.arg is None for each in call.keywords):
            return None
        default = _default(function, name)
        outside = Frame(frame.module, None, Origins([]))
        return (default, outside) if default is not None else None

    def _callee(self, call: ast.Call, frame: Frame) -> Frame | None:
        """Return the function of the program that a call surely runs."""
        known = self.program.function_of(frame.module, call.func)
        return self._called(call, *known, 0, frame) if known is not None else None

    def _called(
        self, call: ast.Call, module: Module, function: Function, skipped: int, frame: Frame
    ) -> Frame:
        names = parameters(function)[skipped:]
        given = {each: [self._argument(call, function, each, skipped, frame)] for each in names}
        return frame_of(module, function, given)


def ends_written(
    program: Program,
    written: ast.Call,
    paths: Iterable[ast.expr | None],
    frame: Frame,
    finder: PathEnds | None = None,
) -> Ends | None:
    """Return how the files end that a call writes, removes or renames; None where it may be of a folder."""
    name = last_part(written.func)
    if name not in _SINGLE and not opens_to_write(written):
        return None
    sources = [(each, frame) if each is not None else None for each in paths]
    ends = (finder or PathEnds(program)).of_each(sources)
    if not ends or (name in _MOVING and not _are_of_files(ends)):
        return None
    adds = name in _NUMPY and dotted(written.func).startswith(("np.", "numpy."))
    return ends if not adds or all(each.endswith((".npy", ".npz")) for each in ends) else None


def _are_of_files(ends: Ends) -> bool:
    """Return whether names that end so, and stand for one another, are of files: a folder may be called `data.old`."""
    has_suffix = all(map(suffix_of, ends))
    return has_suffix and any(_ANY_SUFFIX.search(each) is None for each in ends)


def suffix_of(end: str) -> str:
    """Return the suffix of a file whose path ends so."""
    return PurePosixPath(f"_{end.strip('/')}").suffix


def _is_glued(path: ast.expr, module: Module) -> bool:
    """Return whether what a path ends in may follow other text of the same name: `prefix + ".h5"`."""
    match path:
        case ast.BinOp(op=ast.Add()) | ast.JoinedStr(values=[*_, ast.FormattedValue()]):
            return True
        case ast.Call(func=ast.Attribute(attr="with_suffix")):
            return True
    return isinstance(module.parent(path), ast.AugAssign)


def _place_of(name: str, statement: ast.AST | None) -> int | None:
    """Return at which place of a tuple that it takes apart a statement binds a name."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if not any(
            isinstance(each, ast.Starred) for each in parts
        ):
            places = [at for at, each in enumerate(parts) if dotted(each) == name]
            return places[0] if len(places) == 1 else None
    return None


def _spelled_end(path: ast.expr) -> str | None:
    """Return the text that a path surely ends in, empty where none is; None if a part of it says so."""
    match path:
        case ast.Constant(value=value):
            if not isinstance(value, str):
                return ""
            return _last(value if "$" in value or "://" in value else f"/{value}")
        case ast.JoinedStr(values=[*parts, ast.Constant(value=str() as text)]):
            return _last(_template(parts) + text)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as text)):
            return _last(_FIELDS.split(text)[-1])
        case ast.Call(func=ast.Attribute(attr="format", value=ast.Constant(value=str() as text))):
            return _last(_FIELDS.split(text)[-1])
    return None


def _template(parts: list[ast.expr]) -> str:
    """Return what an f-string begins with, `*` for each part that is not spelled out."""
    begins = bool(parts) and isinstance(parts[0], ast.Constant)
    texts = [str(each.value) if isinstance(each, ast.Constant) else _ANY for each in parts]
    return "".join(["/" if begins else "", *texts])


def _last(text: str) -> str:
    """Return the part of a text behind its last separator or wildcard; empty for an address, whose end is no file's."""
    if "#" in text or "=" in text:
        return ""
    name = re.split(r"[/\\*?\]]", text)[-1]
    if not text.removesuffix(name).endswith(("/", "\\")):
        return name.split(_ANY)[-1]
    if _ANY not in name:
        return f"/{name}"
    first, *_, last = name.split(_ANY)  # what is computed is taken for a part of one name
    return f"/{first}*{last}" if first else last


def _returned(frame: Frame) -> Iterator[Source]:
    """Yield what a function returns; None where it gives something else, too."""
    assert frame.function is not None
    gives = False
    for node in executed(frame.function.body):
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
            gives = True
            is_plain = isinstance(node, ast.Return) and node.value is not None
            yield (node.value, frame) if is_plain else None  # type: ignore[misc]
    if not gives:
        yield None


def _default(function: Function, name: str) -> ast.expr | None:
    """Return the default of a parameter."""
    taking = [*function.args.posonlyargs, *function.args.args]
    pairs = zip(reversed(taking), reversed(function.args.defaults), strict=False)
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return next((value for each, value in (*pairs, *named) if each.arg == name), None)


def _is_empty(value: ast.expr) -> bool:
    """Return whether a value is an empty list: what it is filled with counts."""
    is_list = isinstance(value, ast.Call) and dotted(value.func) == "list" and not value.args
    return is_list or (isinstance(value, ast.List) and not value.elts)


__all__ = [
    "Ends",
    "Frame",
    "PathEnds",
    "Source",
    "bound_first",
    "differ",
    "ends_written",
    "frame_of",
    "frame_with",
    "suffix_of",
]
