"""A length that is asked of a handle is computed once, while the instance is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dlfix.fixing.classes.facts import (
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
    self_names_used,
    whole_uses,
)
from dlfix.fixing.classes.plans import Exchange
from dlfix.fixing.classes.state import Surroundings
from dlfix.fixing.classes.text import comments_of, names_in, render, shifted
from dlfix.project.syntax import FUNCTIONS, LOOPS

COUNT = "__len__"
KEEPS_NOTHING = ("super", "type", "isinstance", "hasattr", "getattr", "setattr", "vars", "id")


@dataclass(frozen=True)
class Count:
    """How `__init__` computes what `__len__` gives."""

    method: Method
    kept_in: str
    text: str  # the statements that compute it
    exchanges: tuple[Exchange, ...]  # what becomes of `__len__`


def find_count(
    facts: ClassFacts, start: Method | None, handles: set[str], around: Surroundings
) -> Count | None:
    """Return how the length of a class is computed once; None where it may be another each time."""
    method = facts.methods.get(COUNT)
    if start is None or method is None or method.decorator_list or around.start_methods:
        return None
    me = self_name(method)
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    result = _only_return(body)
    if result is None or {COUNT} & (facts.started | around.set_elsewhere) or me != self_name(start):
        return None
    if any(_hands_itself_on(facts, facts.methods[name]) for name in facts.started):
        return None
    if _returns(start) or _names_collide(facts, start, method, me):
        return None
    if not all(_is_settled(facts, name, handles, around) for name in _needed(facts)):
        return None
    kept_in = _free_name(facts)
    return Count(
        method,
        kept_in,
        "\n".join(_computing(facts, body, result, f"{me}.{kept_in}")),
        tuple(_exchanges(facts, body, f"return {me}.{kept_in}")),
    )


def _only_return(body: list[ast.stmt]) -> ast.Return | None:
    """Return the `return` that ends a body, within `with` blocks perhaps, if it is the only one."""
    if not body or sum(_returns(each) for each in body) != 1:
        return None
    last = body[-1]
    if isinstance(last, ast.With):
        return _only_return(last.body)
    return last if isinstance(last, ast.Return) and last.value is not None else None


def _returns(node: ast.AST) -> int:
    return sum(isinstance(each, ast.Return) for each in ast.walk(node))


def _hands_itself_on(facts: ClassFacts, method: Method) -> bool:
    """Return whether a method gives the instance to somebody, who may ask for its length."""
    above = (facts.module.parent(node) for node in whole_uses(facts, method))
    return any(
        not isinstance(each, ast.Call) or ast.unparse(each.func) not in KEEPS_NOTHING
        for each in above
    )


def _names_collide(facts: ClassFacts, start: Method, method: Method, me: str) -> bool:
    bound = facts.module.inner_scope(start).bindings.keys()
    return bool((names_in([method]) - {me}) & bound)


def _needed(facts: ClassFacts) -> Iterator[str]:
    """Yield the attributes and methods that computing the length uses."""
    for name in facts.reached([COUNT]):
        yield from self_names_used(facts.methods[name])
        me = self_name(facts.methods[name])
        for node in ast.walk(facts.methods[name]):
            if is_self_attribute(node, me) and not isinstance(node.ctx, ast.Load):
                yield ""  # it sets something: once is not as good as each time


def _is_settled(facts: ClassFacts, name: str, handles: set[str], around: Surroundings) -> bool:
    """Return whether an attribute is what it will be once `__init__` is through."""
    if name in handles:
        return not any(
            _is_conditional(facts, site.statement) for site in facts.stores.get(name, ())
        )
    if name in around.set_elsewhere:
        return False
    if name in facts.methods:
        return name != "__getitem__"
    stores = facts.stores.get(name, [])
    if stores:
        return all(site.method.name in facts.started for site in stores)
    return name in facts.fields


def _is_conditional(facts: ClassFacts, statement: ast.stmt) -> bool:
    """Return whether a method may leave a statement out: without a handle nobody could tell a length."""
    for above in facts.module.ancestors(statement):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, (ast.match_case, *LOOPS)):
            return True
        if isinstance(above, ast.If) and not _binds(above.test):
            return True
    return False


def _binds(test: ast.expr) -> bool:
    """Return whether a test is of what it opens itself: `if (file := File(path)) is not None`."""
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(test))


def _free_name(facts: ClassFacts) -> str:
    wanted = "_length"
    while wanted in facts.names:
        wanted += "_"
    return wanted


def _computing(
    facts: ClassFacts, body: list[ast.stmt], result: ast.Return, kept: str
) -> Iterator[str]:
    assert result.value is not None
    span = facts.module.span(result.value).start
    value = shifted(
        facts.module.segment(result.value), len(f"{kept} = ") - len("return "), span.column
    )
    for statement in body:
        above, beside = comments_of(facts.module, statement)
        yield from above
        within = result in ast.walk(statement)
        text = render(facts.module, statement, {result: f"{kept} = {value}"} if within else {})
        yield f"{text}  {beside}" if beside else text


def _exchanges(facts: ClassFacts, body: list[ast.stmt], becomes: str) -> Iterator[Exchange]:
    for statement in body[:-1]:
        yield Exchange(facts.module.span(statement), takes_comments=True)
    yield Exchange(facts.module.span(body[-1]), becomes, takes_comments=True)
