"""What may stand for a lambda with no new function: a type, a function that is there, a partial."""

from __future__ import annotations

import ast
from typing import Protocol

from dlfix.fixing.hoisting.captures import Draft, is_builtin, is_global
from dlfix.fixing.hoisting.lifetime import is_bound_before
from dlfix.fixing.plans_callables import Expression, Written
from dlfix.project.order import begins_before

_EMPTY: tuple[tuple[type, object, str], ...] = (
    (bool, False, "bool"),
    (int, 0, "int"),
    (float, 0.0, "float"),
    (str, "", "str"),
    (bytes, b"", "bytes"),
)
_NOT_BY_NAME = {"random", "np", "numpy"}  # their functions are methods of a hidden generator


class Around(Protocol):
    """What a form asks of the move it is part of."""

    def picklable(self, function: ast.expr) -> bool:
        """Return whether an outside function is found by its name."""

    def within(self, node: ast.Lambda) -> Expression | None:
        """Return what a lambda within becomes; None where it cannot move."""


def simpler(draft: Draft, around: Around) -> Expression | None:
    """Return what does the same as a lambda, None where nothing simpler is sure to."""
    node = draft.node
    if not isinstance(node, ast.Lambda) or draft.doubts or draft.siblings or draft.imports:
        return None
    return _simpler(draft, node, around)


def _simpler(draft: Draft, node: ast.Lambda, around: Around) -> Expression | None:
    args = node.args
    if args.posonlyargs or args.kwonlyargs or args.defaults:
        return None
    if not (args.args or args.vararg or args.kwarg):
        empty = _empty_of(draft, node.body)
        if empty is not None:
            return Expression(empty)
    if isinstance(node.body, ast.Call):
        return _call(draft, node, node.body, around)
    return None


def _empty_of(draft: Draft, body: ast.expr) -> str | None:
    """Return the type whose call gives this empty value."""
    name = None
    match body:
        case ast.Constant(value=value):
            for kind, empty, text in _EMPTY:
                if type(value) is kind and value == empty:
                    name = text
        case ast.List(elts=[]):
            name = "list"
        case ast.Dict(keys=[]):
            name = "dict"
        case ast.Tuple(elts=[]):
            name = "tuple"
    if name is None or not is_builtin(draft.scope, name):
        return None
    return name


def _call(draft: Draft, node: ast.Lambda, call: ast.Call, around: Around) -> Expression | None:
    parameters = [each.arg for each in node.args.args]
    function = _function(draft, call.func, around)
    if function is None:
        return None
    positional = list(call.args)
    keywords = list(call.keywords)
    if node.args.vararg and not _takes_star(positional, node.args.vararg.arg):
        return None
    if node.args.kwarg and not _takes_double_star(keywords, node.args.kwarg.arg):
        return None
    if any(isinstance(each, ast.Starred) for each in positional):
        return None
    if any(each.arg is None for each in keywords):
        return None
    head, tail = _around(positional, parameters)
    if head is None:
        return None
    bound = [_fixed(draft, each, around) for each in head]
    named: list[tuple[str, Written | None]] = []
    if tail:
        names = _parameter_names(draft, call.func)
        start = len(head) + len(parameters)
        if names is None or len(names) < start + len(tail):
            return None
        named = [
            (names[start + offset], _fixed(draft, each, around)) for offset, each in enumerate(tail)
        ]
    named += [(str(each.arg), _fixed(draft, each.value, around)) for each in keywords]
    if any(each is None for each in bound) or any(value is None for _, value in named):
        return None
    return Expression(
        function,
        tuple(each for each in bound if each is not None),
        tuple((name, value) for name, value in named if value is not None),
    )


def _takes_star(positional: list[ast.expr], name: str) -> bool:
    match positional:
        case [*_, ast.Starred(value=ast.Name(id=given))] if given == name:
            positional.pop()
            return True
    return False


def _takes_double_star(keywords: list[ast.keyword], name: str) -> bool:
    match keywords:
        case [*_, ast.keyword(arg=None, value=ast.Name(id=given))] if given == name:
            keywords.pop()
            return True
    return False


def _around(
    positional: list[ast.expr], parameters: list[str]
) -> tuple[list[ast.expr] | None, list[ast.expr]]:
    """Part a call's arguments at the run of the lambda's own parameters."""
    names = [each.id if isinstance(each, ast.Name) else None for each in positional]
    if not parameters:
        return positional, []
    for start in range(len(names) - len(parameters) + 1):
        if names[start : start + len(parameters)] == parameters:
            rest = [*names[:start], *names[start + len(parameters) :]]
            if not set(parameters) & set(rest):
                return positional[:start], positional[start + len(parameters) :]
    return None, []


def _function(draft: Draft, func: ast.expr, around: Around) -> str | None:
    """Return the text of a function that pickle finds by name, and that is bound once."""
    root: ast.expr = func
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    name = root.id
    if is_builtin(draft.scope, name):
        return name if root is func and name not in ("super", "locals", "vars") else None
    binder = draft.scope.lookup(name)
    if binder is None or not binder.is_module or not is_global(draft.module, draft.scope, name):
        return None
    bindings = binder.bindings.get(name, [])
    if len(bindings) != 1:
        return None
    node = bindings[0].node
    if root is not func:
        if isinstance(node, ast.ClassDef) and draft.module.scope_of(draft.node).is_module:
            return None if begins_before(draft.node, node) else _attribute_of(draft, func, around)
        outside = isinstance(node, (ast.alias, ast.ClassDef)) and name not in _NOT_BY_NAME
        return _attribute_of(draft, func, around) if outside else None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        after = begins_before(draft.node, node) and draft.module.scope_of(draft.node).is_module
        return name if not node.decorator_list and not after else None
    return name if isinstance(node, ast.alias) and around.picklable(func) else None


def _attribute_of(draft: Draft, func: ast.expr, around: Around) -> str | None:
    return draft.module.segment(func) if around.picklable(func) else None


def _parameter_names(draft: Draft, func: ast.expr) -> list[str] | None:
    """Return the parameters of a function of this file that may be passed by name."""
    if not isinstance(func, ast.Name):
        return None
    for binding in draft.module.scope.bindings.get(func.id, ()):
        if isinstance(binding.node, ast.FunctionDef):
            args = binding.node.args
            if args.posonlyargs or args.vararg:
                return None
            return [each.arg for each in args.args]
    return None


def _fixed(draft: Draft, value: ast.expr, around: Around) -> Written | None:
    """Return the text of an argument that is the same whenever it is worked out."""
    own = {each.arg for each in draft.node.args.args}
    match value:
        case ast.Constant():
            return draft.module.segment(value)
        case ast.UnaryOp(operand=ast.Constant()):
            return draft.module.segment(value)
        case ast.Lambda():
            return _simpler(draft, value, around) or around.within(value)
        case ast.Name(id=name) if name not in own:
            return name if _is_settled(draft, value) else None
        case ast.Call() if not draft.node.args.args:
            return None
    if isinstance(value, ast.Attribute) and draft.captures:
        text = draft.module.segment(value)
        return text if any(each.value == text for each in draft.captures.values()) else None
    return None


def _is_settled(draft: Draft, name: ast.Name) -> bool:
    scope = draft.module.scope_of(name)
    binder = scope.lookup(name.id)
    if binder is None:
        return is_builtin(scope, name.id)
    if name.id in draft.captures:
        return is_bound_before(draft.module, binder, name.id, draft.node)
    if not binder.is_module:
        return False
    bindings = binder.bindings.get(name.id, [])
    in_function = not draft.module.scope_of(draft.node).is_module
    before = all(begins_before(each.node, draft.node) for each in bindings)
    return len(bindings) == 1 and name.id not in scope.module_globals and (before or in_function)
