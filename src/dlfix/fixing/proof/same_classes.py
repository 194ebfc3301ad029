"""A class that left a function, with what it captured written back: it has to say what it said there."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dlfix.fixing.proof.syntax import FUNCTIONS, Function, parameters, self_name
from dlfix.project.syntax import defaults

_INIT = "__init__"


@dataclass(frozen=True)
class Passed:
    """The constructor of a class, and the variable that its calls pass for each new parameter."""

    fresh: Mapping[str, str]  # by parameter
    kept: Mapping[str, str]  # by attribute


@dataclass(frozen=True)
class Local:
    """A class of a function, the functions beside it, and the calls that make its objects."""

    node: ast.ClassDef
    around: Sequence[ast.AST]
    calls: Sequence[ast.Call]


def says_the_same(local: Local, new: ast.ClassDef, calls: Sequence[ast.Call]) -> bool:
    """Return whether a class is a local one whose captures its constructor calls pass."""
    old = local.node
    if not _loses_only_its_own(old, new):
        return False
    passed = _passed(old, new, calls) if _head(old) == _head(new) else None
    if passed is None or not _same_calls(local.calls, calls, passed, _lost(old, new)):
        return False
    around = local.around
    known = {each.name: each for each in old.body if isinstance(each, FUNCTIONS)}
    extra = [each for each in _methods(new) if each.name not in known and each.name != _INIT]
    beside = {each.name: each for each in around if isinstance(each, FUNCTIONS)}
    helpers = {each.name: beside.get(each.name) or beside.get(each.name[1:]) for each in extra}
    names = {name: each.name for name, each in helpers.items() if each is not None}
    writer = _Writer(passed, names)
    rest = [each for each in new.body if each not in extra and not _is_new_init(each, known)]
    if [*map(_said, old.body)] != [writer.said(each, known) for each in rest]:
        return False
    return all(_is_helper(helpers[each.name], each, writer) for each in extra)


def _methods(cls: ast.ClassDef) -> Iterator[Function]:
    return (each for each in cls.body if isinstance(each, FUNCTIONS))


def _head(cls: ast.ClassDef) -> list[str]:
    return [ast.dump(each) for each in (*cls.bases, *cls.keywords, *cls.decorator_list)]


def _init_of(cls: ast.ClassDef) -> Function | None:
    return next((each for each in _methods(cls) if each.name == _INIT), None)


def _is_new_init(node: ast.stmt, known: Mapping[str, Function]) -> bool:
    """Return whether a constructor is new that does no more than to call that of the base, and to keep things."""
    if not isinstance(node, FUNCTIONS) or node.name != _INIT or _INIT in known:
        return False
    rest = [each for each in node.body if not _kept_by(each, node)]
    return all(_sets_up_base(each) for each in rest) and len(rest) < 2


def _sets_up_base(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name(id="super"), args=[]), attr="__init__"
                )
            )
        ):
            return True
    return False


def _kept_by(node: ast.stmt, init: Function) -> tuple[str, str] | None:
    """Return the attribute and the parameter of `self.scale = scale`."""
    match node:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner), attr=attribute)],
            value=ast.Name(id=name),
        ) if owner == self_name(init):
            return attribute, name
    return None


def _passed(old: ast.ClassDef, new: ast.ClassDef, calls: Sequence[ast.Call]) -> Passed | None:
    """Return what the calls of a class pass for its new parameters; None where that is not one variable for each."""
    init, before = _init_of(new), _init_of(old)
    if init is None:
        return Passed({}, {})
    had = [*parameters(before)] if before is not None else [self_name(init)]
    fresh = {}
    for name in parameters(init):
        if name not in had and init.args.vararg is None and init.args.kwarg is None:
            values = {_value(call, init, name) for call in calls}
            value = values.pop() if len(values) == 1 else None
            if value is None:
                return None
            fresh[name] = value
    if len({*fresh.values()}) < len(fresh):
        return None
    kept = [_kept_by(each, init) for each in init.body]
    known = [_kept_by(each, before) for each in before.body] if before is not None else []
    found = [each for each in kept if each is not None and each not in known]
    return Passed(fresh, {attribute: fresh[name] for attribute, name in found if name in fresh})


def _value(call: ast.Call, init: Function, name: str) -> str | None:
    """Return the variable that a call passes for a parameter."""
    given: list[ast.expr] = [each.value for each in call.keywords if each.arg == name]
    listed = [each.arg for each in (*init.args.posonlyargs, *init.args.args)][1:]
    if name in listed and listed.index(name) < len(call.args):
        given.append(call.args[listed.index(name)])
    is_open = any(isinstance(each, ast.Starred) for each in call.args)
    match given:
        case [ast.Name(id=value)] if not is_open:
            return value
    return None


def _lost(old: ast.ClassDef, new: ast.ClassDef) -> set[str]:
    """Return the parameters that had a default which is the variable of their name, and have none now."""
    before, after = (defaults(init.args) if (init := _init_of(c)) else {} for c in (old, new))
    return {
        name
        for name, value in before.items()
        if name not in after and isinstance(value, ast.Name) and value.id == name
    }


def _loses_only_its_own(old: ast.ClassDef, new: ast.ClassDef) -> bool:
    """Return whether all parameters keep their default but those that are dropped on purpose."""
    before, after = (defaults(init.args) if (init := _init_of(c)) else {} for c in (old, new))
    return before.keys() - after.keys() <= _lost(old, new)


def _same_calls(
    old: Sequence[ast.Call], new: Sequence[ast.Call], passed: Passed, lost: set[str]
) -> bool:
    """Return whether calls pass what they passed, the new parameters, and the defaults that were dropped."""
    return len(old) == len(new) and all(
        _same_call(one, other, passed, lost) for one, other in zip(old, new, strict=True)
    )


def _same_call(old: ast.Call, new: ast.Call, passed: Passed, lost: set[str]) -> bool:
    count = len(old.args)
    if [*map(ast.dump, old.args)] != [*map(ast.dump, new.args[:count])]:
        return False
    had = {ast.dump(each) for each in old.keywords}
    added = [each for each in new.keywords if ast.dump(each) not in had]
    more = len(new.args) - count + len([each for each in added if each.arg in passed.fresh])
    by_name = [each for each in added if each.arg not in passed.fresh]
    return (
        len(added) + len(old.keywords) == len(new.keywords)
        and more == len(passed.fresh)
        and all(
            each.arg in lost and isinstance(each.value, ast.Name) and each.value.id == each.arg
            for each in by_name
        )
    )


def _is_helper(old: Function | None, new: Function, writer: _Writer) -> bool:
    """Return whether a method is what a local function was, but for the instance that it takes."""
    if old is None or not new.args.args:
        return False
    written = writer.written(new)
    written.name, written.args.args = old.name, written.args.args[1:]
    return _said(old) == _said(written)


class _Writer(ast.NodeTransformer):
    """Writes names of the function around a class for the attributes that keep them."""

    def __init__(self, passed: Passed, helpers: Mapping[str, str]) -> None:
        self.passed, self.helpers = passed, helpers
        self.owner = ""

    def said(self, node: ast.stmt, known: Mapping[str, Function]) -> str:
        """Return what a statement of the class said in the function."""
        if not isinstance(node, FUNCTIONS):
            return _said(node)
        written = self.written(node)
        if node.name == _INIT:
            self._as_it_was(node, written, known[_INIT])
        return _said(written)

    def written(self, node: Function) -> Function:
        """Return a method with names for attributes."""
        self.owner = self_name(node)
        found: Function = self.visit(copy.deepcopy(node))
        return found

    def _as_it_was(self, node: Function, written: Function, before: Function) -> None:
        """Take out of a constructor what it takes and keeps besides, and give it the defaults that its calls pass."""
        kept = [
            one
            for one, other in zip(written.body, node.body, strict=True)
            if (found := _kept_by(other, node)) is None or found[0] not in self.passed.kept
        ]
        written.body = kept
        args = written.args
        args.args = [each for each in args.args if each.arg not in self.passed.fresh]
        pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        left = [(each, value) for each, value in pairs if each.arg not in self.passed.fresh]
        args.kwonlyargs, args.kw_defaults = [one for one, _ in left], [two for _, two in left]
        lost = len(before.args.defaults) - len(args.defaults)
        args.defaults = [*before.args.defaults[: max(lost, 0)], *args.defaults]
        by_name = dict(
            zip([e.arg for e in before.args.kwonlyargs], before.args.kw_defaults, strict=True)
        )
        args.kw_defaults = [
            by_name.get(each.arg) if value is None else value
            for each, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        ]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Write a name for what keeps its value, or for a local function that is a method."""
        if isinstance(node.value, ast.Name) and node.value.id == self.owner:
            is_read = isinstance(node.ctx, ast.Load)
            name = self.passed.kept.get(node.attr) or self.helpers.get(node.attr)
            if is_read and name is not None:
                return ast.Name(name, ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Write a variable for the parameter that it is passed for."""
        return ast.Name(self.passed.fresh.get(node.id, node.id), node.ctx)


def _said(node: ast.stmt) -> str:
    """Return what a statement says, wherever its docstrings stand."""
    plain = copy.deepcopy(node)
    _clean(plain)
    for each in ast.walk(plain):
        if isinstance(each, (*FUNCTIONS, ast.ClassDef)):
            _clean(each.body[0])
    return ast.dump(plain)


def _clean(node: ast.stmt) -> None:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text)) as constant):
            constant.value = inspect.cleandoc(text)


__all__ = ["Local", "says_the_same"]
