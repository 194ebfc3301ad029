"""What a class's own `__getstate__` and `__reduce__` hand over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dlfix.project.syntax import attribute_of, attributes_of, is_name, is_private
from dlfix.project.trees import walk
from dlfix.reach.methods import emptied_before_state
from dlfix.reach.values import Function

Texts = Callable[[ast.expr], "set[str] | None"]  # which an expression may be; None: any


@dataclass
class Handed:
    """What pickle is given in place of `__dict__`.

    `everything` is True where the state starts from all attributes, less those in `dropped`; `values`
    are expressions handed over besides, or instead. `known` is False where it can't be told, and
    `as_usual` where it is left to `object`, which asks `__getstate__`; `asks_state` where only the state
    is. `of_class` is True where the class of the object is handed over.
    """

    everything: bool = False
    dropped: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)  # attributes that begin so are dropped
    kept: set[str] = field(default_factory=set)  # with some, all others are dropped
    values: list[ast.expr] = field(default_factory=list)
    known: bool = True
    as_usual: bool = False
    asks_state: bool = False
    of_class: bool = False
    listed: dict[str, set[str]] = field(default_factory=dict)  # local names of several attributes

    def drop(self, found: Iterable[set[str] | None]) -> None:
        """Take in the names that places leave out; None is a place that may leave out any."""
        for names in found:
            self.dropped |= names or set()
            self.known = self.known and names is not None

    def drops(self, name: str) -> bool:
        """Return whether an attribute is left out."""
        if self.kept and name not in self.kept:
            return True
        return name in self.dropped or name.startswith(tuple(self.prefixes))


def read_reduce(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Handed:
    """Read a `__reduce__`: what it calls, with what, and the state that is set then."""
    handed = Handed()
    me = node.args.args[0].arg if node.args.args else "self"
    names: set[str] = set()
    texts = _literals(node)
    state = Handed()
    for inner in walk(node):
        if isinstance(inner, ast.Assign):
            _assigned(inner, me, names, state, texts)
        elif isinstance(inner, ast.Delete):
            handed.drop(_keys_of(t, names, texts) for t in inner.targets)
        elif isinstance(inner, ast.Call):
            handed.drop([_popped(inner, names, texts)])
    for part in [each for inner in walk(node) for each in _parts_of(inner, handed)]:
        if isinstance(part, ast.Name) and part.id in names:
            handed.everything = True
            handed.dropped |= state.dropped
            handed.prefixes |= state.prefixes
            handed.values += state.values
        elif _asks_getstate(part, me):
            handed.asks_state = True
        elif _is_whole_state(part, me):
            handed.everything = True
        elif _is_type_of_self(part):
            handed.of_class = True
        elif not _filtered(part, me, handed):
            handed.values.append(part)
    return handed


def _parts_of(node: ast.AST, handed: Handed) -> Iterator[ast.expr]:
    """Yield the function that a reduction calls, its arguments, and the state."""
    match node:
        case ast.Return(value=ast.Tuple(elts=parts)):
            for part in parts:
                yield from part.elts if isinstance(part, ast.Tuple) else [part]
        case ast.Return(value=ast.Call(func=ast.Attribute(attr="__reduce__" | "__reduce_ex__"))):
            handed.as_usual = True


def _asks_getstate(node: ast.expr, me: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="__getstate__")):
            return name == me
    return False


def _is_type_of_self(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "__class__"
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type"


def read_getstate(method: Function, texts: Texts) -> Handed:
    """Read a `__getstate__`: the copy of `__dict__` it starts from, and what it takes out.

    `texts` says which keys an expression may be: what is taken out.
    """
    handed = Handed()
    node = method.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    me = node.args.args[0].arg if node.args.args else "self"
    names: set[str] = set()
    handed.dropped |= emptied_before_state(node)[0]
    for inner in walk(node):
        if isinstance(inner, ast.Assign):
            _assigned(inner, me, names, handed, texts)
        elif isinstance(inner, ast.Delete):
            handed.drop(_keys_of(t, names, texts) for t in inner.targets)
        elif isinstance(inner, ast.Call):
            handed.drop([_popped(inner, names, texts)])
            _updated(inner, names, handed)
        elif isinstance(inner, ast.Expr):
            handed.known = handed.known and not _hands_on(inner.value, names)
        elif isinstance(inner, ast.Return) and inner.value is not None:
            _returned(inner.value, me, names, handed)
    return handed


def _assigned(
    node: ast.Assign,
    me: str,
    names: set[str],
    handed: Handed,
    texts: Texts,
) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name) and (
            _starts_from_all(node.value, me, names, handed) or _filtered(node.value, me, handed)
        ):
            names.add(target.id)
        if isinstance(target, ast.Name) and _is_spelled_out(node.value):
            handed.listed[target.id] = set(_strings(node.value))
        keys = _keys_of(target, names, texts)
        handed.drop([keys])
        if keys and not isinstance(node.value, ast.Constant):
            handed.values.append(node.value)


def _returned(value: ast.expr, me: str, names: set[str], handed: Handed) -> None:
    if _starts_from_all(value, me, names, handed) or _filtered(value, me, handed):
        return
    if isinstance(value, ast.Dict) and None in value.keys:
        _put_over(value, value, handed)
    elif isinstance(value, (ast.Dict, ast.Tuple, ast.List)):
        for part in value.values if isinstance(value, ast.Dict) else value.elts:
            if not _starts_from_all(part, me, names, handed) and not _filtered(part, me, handed):
                handed.values.append(part)
    elif isinstance(value, ast.Constant):
        return
    else:
        handed.known = False


def _starts_from_all(node: ast.expr, me: str, names: set[str], handed: Handed) -> bool:
    """Read a state of all attributes, also with some of them replaced: `dict(self.__dict__, f=None)`."""
    parts: list[ast.expr | ast.keyword] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        whole, parts = node.left, [node.right]
    elif isinstance(node, ast.Dict) and None in node.keys:
        whole, parts = node.values[node.keys.index(None)], [node]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.keywords:
        whole, parts = node, [*node.keywords]
    else:
        whole = node
    begun = isinstance(whole, ast.Name) and whole.id in names
    if not begun and not _is_whole_state(whole, me):
        return False
    handed.everything = handed.everything or not begun
    for part in parts:
        _put_over(part, whole, handed)
    return True


def _put_over(part: ast.expr | ast.keyword, whole: ast.expr, handed: Handed) -> None:
    """Read what a state holds in place of attributes, or besides them."""
    if isinstance(part, ast.keyword) and part.arg is not None:
        handed.dropped.add(part.arg)
        handed.values.append(part.value)
        return
    if not isinstance(part, ast.Dict):
        handed.known = False
        return
    for key, item in zip(part.keys, part.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            handed.dropped |= _attributes([key.value])
        if key is not None:
            handed.values.append(item)
        elif item is not whole:
            handed.known = False


def _is_whole_state(node: ast.expr, me: str) -> bool:
    """Recognize `self.__dict__`, copies of it, `vars(self)`, and what a base hands over."""
    if is_name(attributes_of(node), me):
        return True
    if isinstance(node, ast.Dict):
        return (
            any(
                k is None and _is_whole_state(v, me)
                for k, v in zip(node.keys, node.values, strict=True)
            )
            and len(node.keys) == 1
        )
    if not isinstance(node, ast.Call):
        return False
    func = node.func
    if isinstance(func, ast.Attribute):
        if func.attr == "copy" and not node.args:
            return _is_whole_state(func.value, me)
        if func.attr == "__getstate__":
            return True
        if func.attr in ("copy", "deepcopy") and node.args:
            return _is_whole_state(node.args[0], me)
    if isinstance(func, ast.Name) and func.id in ("dict", "copy", "deepcopy") and node.args:
        return _is_whole_state(node.args[0], me)
    return False


def _filtered(node: ast.expr, me: str, handed: Handed) -> bool:
    """Read `{k: v for k, v in self.__dict__.items() if k not in (...)}`, or the same of slots."""
    if not isinstance(node, ast.DictComp):
        return False
    if _asks_for_each(node, me):
        kept = _attributes_listed(node.generators[0].iter, handed)
        handed.everything = handed.everything or bool(kept)
        handed.kept |= kept
        if kept:
            return True
    if not _goes_through_all(node, me):
        return False
    handed.everything = True
    for condition in node.generators[0].ifs:
        handed.known = handed.known and bool(_asked_for(condition, handed))
    if isinstance(node.value, ast.IfExp):
        _replaced(node.value, handed)
    return True


def _asked_for(condition: ast.expr, handed: Handed) -> set[str]:
    """Take in what a condition lets through, all but some or only some; return the names in it."""
    names = _attributes(_strings(condition))
    match condition:
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(func=ast.Attribute(attr="startswith"), args=[prefix]),
        ):
            names = set(_strings(prefix))
            handed.prefixes |= names
        case ast.Call():
            names = set()
        case ast.Compare(ops=[ast.Eq() | ast.In()]):
            handed.kept |= names
        case _:
            handed.dropped |= names
    return names


def _replaced(value: ast.IfExp, handed: Handed) -> None:
    """Read `None if k == "file" else v`, and the same the other way round."""
    match value:
        case ast.IfExp(
            test=ast.Compare(ops=[ast.Eq() | ast.In()]) as test, body=other, orelse=ast.Name()
        ):
            pass
        case ast.IfExp(
            test=ast.Compare(ops=[ast.NotEq() | ast.NotIn()]) as test, body=ast.Name(), orelse=other
        ):
            pass
        case _:
            handed.known = False
            return
    names = _attributes(_strings(test))
    handed.dropped |= names
    handed.values.append(other)
    handed.known = handed.known and bool(names)


def _goes_through_all(node: ast.DictComp, me: str) -> bool:
    """Return whether a comprehension goes through all attributes of an object, by its dict or its slots."""
    source = node.generators[0].iter
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        return _is_whole_state(source.func.value, me)
    slots = isinstance(source, ast.Attribute) and source.attr == "__slots__"
    return slots and _asks_for_each(node, me)


def _asks_for_each(node: ast.DictComp, me: str) -> bool:
    """Return whether a comprehension asks an object for attributes by their names."""
    match node.value:
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=owner), ast.Name(), *_]):
            return owner == me
    return False


def _attributes_listed(source: ast.expr, handed: Handed) -> set[str]:
    """Return the attributes that a literal, or a local name of one, lists; none where it does not."""
    if isinstance(source, ast.Name):
        return handed.listed.get(source.id, set())
    return set(_strings(source)) if _is_spelled_out(source) else set()


def _is_spelled_out(node: ast.expr) -> bool:
    """Return whether an expression is a display of texts."""
    return isinstance(node, (ast.Tuple, ast.List, ast.Set)) and all(
        isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.elts
    )


def _strings(node: ast.expr) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _keys_of(node: ast.expr, names: set[str], texts: Texts) -> set[str] | None:
    """Return the keys of `state["x"]`, also in a loop over literal names; None where they may be any."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return set()
    return _spelled_out(node.slice, texts) if node.value.id in names else set()


def _popped(call: ast.Call, names: set[str], texts: Texts) -> set[str] | None:
    """Return the keys of `state.pop("x")`, also in a loop over literal names; None where they may be any."""
    func = call.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or not call.args:
        return set()
    if func.value.id not in names or func.attr not in ("pop", "__delitem__"):
        return set()
    return _spelled_out(call.args[0], texts)


def _updated(node: ast.Call, names: set[str], handed: Handed) -> None:
    """Read `state.update(x=None)`, and `state.update({"x": None})`."""
    match node.func:
        case ast.Attribute(value=ast.Name(id=name), attr="update") if name in names:
            parts: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
            for part in parts:
                _put_over(part, node, handed)


def _hands_on(node: ast.expr, names: set[str]) -> bool:
    """Return whether a state is given to code of another function, which may take out what it likes."""
    return isinstance(node, ast.Call) and any(
        isinstance(given, ast.Name) and given.id in names for given in node.args
    )


def _spelled_out(key: ast.expr, texts: Texts) -> set[str] | None:
    """Return the attributes that a key of a state may be those of; None where it may be any."""
    found = {str(key.value)} if isinstance(key, ast.Constant) else texts(key)
    return None if found is None else _attributes(found)


def _literals(method: ast.AST) -> Texts:
    """Return what says which texts a loop of a method gives a name, if they are spelled out there."""

    def texts(key: ast.expr) -> set[str] | None:
        loops = [
            loop.iter
            for loop in walk(method)
            if isinstance(loop, ast.For) and is_name(loop.target, getattr(key, "id", ""))
        ]
        displays = (ast.Tuple, ast.List, ast.Set)
        found = {text for each in loops if isinstance(each, displays) for text in _strings(each)}
        return found or None

    return texts


def _attributes(keys: Iterable[str]) -> set[str]:
    """Return the attributes that keys of a state are those of: `"__file"` is none's, for it is not mangled."""
    return {attribute_of(key) for key in keys if not is_private(key)}
