"""Closers: methods that close an attribute must not open it in order to close it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TypeGuard

from dlfix.fixing.classes.facts import (
    CLOSERS,
    STARTS,
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.plans import Exchange
from dlfix.fixing.classes.text import indented, render
from dlfix.project.module import Module
from dlfix.project.order import begins_before, start
from dlfix.source.text import Span

INDENT = "    "


def is_closer(method: Method) -> bool:
    """Return whether a method is there to close what the instance holds."""
    return method.name in CLOSERS or method.name.lstrip("_").startswith(("close", "release"))


def questions_and_guards(
    facts: ClassFacts,
    attribute: str,
    kept_in: str,
    place: str = "",
    together: Collection[str] = (),
) -> Iterator[Exchange]:
    """Yield what changes where a class asks for, or closes, an attribute that is now lazy.

    `place` is the attribute that is set once it is open, where that is another; those in `together`
    are open when it is.
    """
    for method in facts.all_methods:
        me = self_name(method)
        for node in ast.walk(method):
            if asks(node, me, attribute) and _is_about_opening(facts, method, node, attribute):
                yield _exchange(facts, node, _has(facts, place or attribute, kept_in, method))
        if is_closer(method):
            asked = _asked_with(facts, method, {*together} - {attribute})
            for each in _in_closer(facts, method, attribute, kept_in, place):
                if each.kind == "expression" or each.span not in asked:
                    yield each


def _asked_with(facts: ClassFacts, method: Method, others: Collection[str]) -> set[Span]:
    """Return the statements that run only where another of those opened together is open."""
    me = self_name(method)
    return {
        facts.module.span(inner)
        for each in ast.walk(method)
        if isinstance(each, ast.If) and _asks_for_any(facts, each.test, me, others)
        for statement in each.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.stmt)
    }


def _asks_for_any(facts: ClassFacts, test: ast.expr, me: str, attributes: Collection[str]) -> bool:
    """Return whether a test holds only if one of some attributes is there."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(
        asks(part, me, name) or _gets(part, me, name) or _is_tested(facts, part, me, name)
        for each in parts
        for part in (each.left if _is_not_none(each) else each,)
        for name in attributes
    )


def _is_not_none(node: ast.expr) -> TypeGuard[ast.Compare]:
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.IsNot)
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    )


def _in_closer(
    facts: ClassFacts, method: Method, attribute: str, kept_in: str, place: str
) -> Iterator[Exchange]:
    me = self_name(method)
    apart = bool(place) and place != attribute
    questions = [node for node in ast.walk(method) if asks(node, me, attribute)]
    for node in ast.walk(method):
        if not _gets(node, me, attribute) and not _is_tested(facts, node, me, attribute):
            continue
        questions.append(node)
        if _is_asked_before(facts, node, me, attribute):
            continue
        if apart:
            yield _opened_with(facts, node, me, attribute, _has(facts, place, kept_in, method))
        else:
            default = facts.module.segment(node.args[2]) if isinstance(node, ast.Call) else "None"
            yield _exchange(facts, node, _got(facts, attribute, kept_in, method, default))
    yield from _guards(
        facts, method, attribute, kept_in, place, min(questions, key=start, default=None)
    )


def _is_asked_before(facts: ClassFacts, node: ast.AST, me: str, attribute: str) -> bool:
    """Return whether `hasattr` asks in the same test whether it is there: `hasattr(self, "f") and self.f`."""
    child = node
    for above in facts.module.ancestors(node):
        if isinstance(above, ast.stmt):
            return False
        if isinstance(above, ast.BoolOp) and isinstance(above.op, ast.And):
            before = above.values[: above.values.index(child)]  # type: ignore[arg-type]
            return any(asks(each, me, attribute) for each in before)
        child = above
    return False


def _opened_with(facts: ClassFacts, node: ast.AST, me: str, attribute: str, has: str) -> Exchange:
    """Ask for the attribute that holds a handle with others, where the handle itself is asked for."""
    parent = facts.module.parent(node)
    if isinstance(parent, ast.Compare) and parent.left is node and len(parent.ops) == 1:
        if isinstance(parent.ops[0], ast.IsNot):
            return _exchange(facts, parent, has)
        if isinstance(parent.ops[0], ast.Is):
            return _exchange(facts, parent, has.replace(" in ", " not in ", 1))
    if _is_test(facts, node):
        negated = isinstance(parent, ast.UnaryOp)
        return _exchange(facts, node, f"({has})" if negated else has)
    return _exchange(facts, node, f"({me}.{attribute} if {has} else None)")


def _guards(
    facts: ClassFacts,
    method: Method,
    attribute: str,
    kept_in: str,
    place: str,
    asked: ast.AST | None,
) -> Iterator[Exchange]:
    me = self_name(method)
    guarded: dict[ast.stmt, None] = {}
    for node in ast.walk(method):
        if not (is_self_attribute(node, me) and node.attr == attribute):
            continue
        if isinstance(node.ctx, ast.Store) or _is_test(facts, node):
            continue
        statement = facts.module.statement(node)
        if asked is None or begins_before(node, asked):
            guarded[statement] = None
    has = _has(facts, place or attribute, kept_in, method)
    for first, *others in _runs(sorted(guarded, key=start), facts.module):
        texts = [render(facts.module, each, {}) for each in (first, *others)]
        text = "\n".join(indented(each, INDENT) for each in texts)
        yield Exchange(facts.module.span(first), f"if {has}:\n{text}")
        yield from (Exchange(facts.module.span(each)) for each in others)


def _runs(statements: list[ast.stmt], module: Module) -> list[list[ast.stmt]]:
    """Return statements in lists of those that follow one another, no comment in between."""
    found: list[list[ast.stmt]] = []
    for each in statements:
        if found and _follows(found[-1][-1], each, module):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _follows(one: ast.stmt, other: ast.stmt, module: Module) -> bool:
    """Return whether a statement stands in the row below another one, beside which is no comment."""
    end = module.span(one).end
    is_next = module.span(other).start.row == end.row + 1
    is_bare = not module.unnoted_lines[end.row - 1][end.column :].strip()
    return is_next and is_bare and module.parent(one) is module.parent(other)


def _is_tested(facts: ClassFacts, node: ast.AST, me: str, attribute: str) -> bool:
    if not is_self_attribute(node, me):
        return False
    return node.attr == attribute and _is_test(facts, node)


def _is_test(facts: ClassFacts, node: ast.AST) -> bool:
    parent = facts.module.parent(node)
    if isinstance(parent, ast.BoolOp) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    ):
        return True
    if isinstance(parent, (ast.If, ast.IfExp)):
        return parent.test is node
    return isinstance(parent, ast.Compare) and all(
        isinstance(each, ast.Constant) and each.value is None for each in parent.comparators
    )


def _is_about_opening(facts: ClassFacts, method: Method, node: ast.AST, attribute: str) -> bool:
    """Return whether a question is asked in order to close, or to open what is not open yet.

    Elsewhere it asks whether there is such a handle at all.
    """
    if is_closer(method) or method.name in STARTS:
        return True
    return any(
        site.method is method and site.statement in ast.walk(facts.module.statement(node))
        for site in facts.stores.get(attribute, [])
    )


def asks(node: ast.AST, me: str, attribute: str) -> bool:
    """Return whether a node asks with `hasattr` for an attribute."""
    match node:
        case ast.Call(
            func=ast.Name(id="hasattr"), args=[ast.Name(id=name), ast.Constant(value=value)]
        ):
            return bool(name == me and value == attribute)
    return False


def _gets(node: ast.AST, me: str, attribute: str) -> bool:
    match node:
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[ast.Name(id=name), ast.Constant(value=value), default],
        ):
            empty = isinstance(default, (ast.Constant, ast.Tuple, ast.List, ast.Dict))
            return bool(name == me and value == attribute and empty)
    return False


def _has(facts: ClassFacts, attribute: str, kept_in: str, method: Method) -> str:
    me = self_name(method)
    if not kept_in:
        return f'"{attribute}" in {me}.__dict__'
    unset = _may_be_unset(facts, attribute, method)
    held = f'getattr({me}, "{kept_in}", ())' if unset else f"{me}.{kept_in}"
    return f"os.getpid() in {held}"


def _got(
    facts: ClassFacts, attribute: str, kept_in: str, method: Method, default: str = "None"
) -> str:
    me = self_name(method)
    end = "" if default == "None" else f", {default}"
    if not kept_in:
        return f'{me}.__dict__.get("{attribute}"{end})'
    unset = _may_be_unset(facts, attribute, method)
    held = f'getattr({me}, "{kept_in}", {{}})' if unset else f"{me}.{kept_in}"
    return f"{held}.get(os.getpid(){end})"


def _may_be_unset(facts: ClassFacts, attribute: str, method: Method) -> bool:
    """Return whether a method may run before the constructor has set what the class keeps by process.

    So does `__del__` and what it calls, and a method that asks for an attribute which no constructor sets.
    """
    if method.name == "__del__" or any(
        each.name == "__del__" and method.name in self_names_used(each)
        for each in facts.all_methods
    ):
        return True
    me, made = self_name(method), [site.method for site in facts.stores.get(attribute, [])]
    asked = any(
        asks(node, me, attribute) or _gets(node, me, attribute) for node in ast.walk(method)
    )
    return asked and not any(each.name in STARTS for each in made)


def _exchange(facts: ClassFacts, node: ast.AST, text: str) -> Exchange:
    return Exchange(facts.module.span(node), text, "expression")
