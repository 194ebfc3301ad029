"""Plan views of dicts: `self.names = self.sizes.keys()` becomes a list, or is made again in each process.

A list shows what the view showed only where the dict stays as it is. A dict has several names: those of the method that
stores the view, and the attributes that hold it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from dlfix.fixing.classes.facts import STARTS, ClassFacts, Method, StoreSite, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.inputs import Inputs, IsChange, is_mutated
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange
from dlfix.fixing.classes.restoring import after_constructor
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.project.module import Module
from dlfix.project.order import comes_before, start
from dlfix.project.syntax import FUNCTIONS, LOOPS

_MADE_ANEW = (ast.Dict, ast.DictComp, ast.Call)


@dataclass(frozen=True)
class View:
    """An attribute that holds the view of a dict."""

    site: StoreSite
    node: ast.AST | None  # the expression that gives it
    inserts: bool = (
        False  # whether the dict gets a key that is read and missing, as a `defaultdict` does
    )


def plan_lists(facts: ClassFacts, views: Mapping[str, View], inputs: Inputs | None) -> ClassPlan:
    """Plan views of a dict, each with the expression that gives it: they become lists of what they show."""
    exchanges = []
    for name, view in views.items():
        if view.node is None:
            raise Refusal(
                "the expression that creates the stored value is unknown "
                f"({facts.line(view.site.statement)})"
            )
        _refuse_set_operations(facts, name)
        shown = _Shown(facts, view.site, _dict_of(view.node), inputs)
        changed = next(shown.changes(is_mutated), "")
        if changed:
            raise Refusal(f"the dict changes after the view is stored {changed}")
        inserted = next(shown.changes(_is_item_read), "") if view.inserts else ""
        if inserted:
            raise Refusal(
                f"a missing key is inserted when it is read after the view is stored {inserted}"
            )
        text = f"list({facts.module.segment(view.node)})"
        exchanges.append(Exchange(facts.module.span(view.node), text, "expression"))
    return ClassPlan(cls=facts.module.span(facts.node), exchanges=tuple(exchanges))


def plan_views_again(
    facts: ClassFacts,
    views: Mapping[str, View],
    around: Surroundings,
    reason: Refusal,
) -> ClassPlan:
    """Plan views of dicts that other attributes hold for good; refuse others with the reason why they are no lists."""
    restores = []
    for name, view in views.items():
        site = view.site
        match site.value:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(value=ast.Name(id=me), attr=held), attr=method
                ),
                args=[],
            ) if me == self_name(site.method) and _is_set_once(facts, held, name, around):
                restores.append(facts.setting(name, f"self.{held}.{method}()"))
            case _:
                raise reason
    drops = tuple(
        Drop(name, why="" if index else "recreated by __setstate__")
        for index, name in enumerate(views)
    )
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, drops, tuple(restores), around),
        after=after_constructor(facts),
        verb="Create {names} of `{cls}` again in each process",
    )


def _is_set_once(facts: ClassFacts, held: str, view: str, around: Surroundings) -> bool:
    """Return whether the constructor alone sets an attribute, and the view of it."""
    if around.inputs is None or around.inputs.set_outside(held) or around.inputs.set_outside(view):
        return False
    for name in (held, view):
        sites = [site for each in around.inputs.related.all for site in each.stores.get(name, ())]
        if not sites and name == held and name in facts.fields:
            continue
        if len(sites) != 1 or sites[0].method.name not in STARTS:
            return False
        if sites[0].statement not in sites[0].method.body or name not in facts.stores:
            return False
    return True


def _dict_of(view: ast.AST) -> ast.AST:
    match view:
        case ast.Call(func=ast.Attribute(value=shown)):
            return shown
    return view


def _is_item_read(module: Module, node: ast.AST) -> bool:
    match module.parent(node):
        case ast.Subscript(ctx=ast.Load(), value=value):
            return value is node
    return False


def _refuse_set_operations(facts: ClassFacts, name: str) -> None:
    for _, node in facts.reads.get(name, []):
        parent = facts.module.parent(node)
        if isinstance(parent, ast.BinOp):
            raise Refusal(f"the value is used as a set ({facts.line(parent)})")


@dataclass
class _Shown:
    """The dict that a view shows: what changes it once the view is stored."""

    facts: ClassFacts
    site: StoreSite
    of: ast.AST
    inputs: Inputs | None

    def changes(self, is_change: IsChange) -> Iterator[str]:
        """Yield where the dict changes later, in brackets."""
        for facts in self._family:
            for method in facts.all_methods:
                for node in self._reads(facts, method):
                    if is_change(facts.module, node) and self._may_follow(facts, method, node):
                        yield f"({facts.line(node)})"
        if self.inputs is not None:
            yield from self._elsewhere(self.inputs, is_change)

    def _elsewhere(self, inputs: Inputs, is_change: IsChange) -> Iterator[str]:
        """Yield where code outside the class, or by another name of it, may change a dict later."""
        for where in (
            *(
                at
                for each in sorted(self._attributes)
                for at in inputs.changes_outside(each, is_change)
            ),
            *(at for each in sorted(self._parts) for at in inputs.changes_of_part(each, is_change)),
        ):
            yield f"({where})"
        for method, name in self._arguments():
            yield from (f"({at})" for _, at in inputs.changes_of_argument(method, name, is_change))

    def _arguments(self) -> Iterator[tuple[Method, str]]:
        """Yield the names by which a caller may have passed the dict, with the method that took it."""
        yield from ((self.site.method, name) for name in sorted(self._names))
        for attribute in sorted(self._attributes):
            for site in self.facts.stores.get(attribute, ()):
                if isinstance(site.value, ast.Name) and site.method.name in STARTS:
                    yield site.method, site.value.id

    # -- its names

    @cached_property
    def _names(self) -> frozenset[str]:
        """What the method that stores the view calls the dict: `sizes`, `self.sizes`."""
        return _with_aliases(self.site.method, frozenset({ast.unparse(self.of)}))

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """The attributes of the class that hold the dict."""
        own = self_name(self.site.method) + "."
        held = (name.removeprefix(own) for name in self._names if name.startswith(own))
        return frozenset(name for name in held if name.isidentifier())

    @cached_property
    def _parts(self) -> frozenset[str]:
        """The attributes of other objects that hold the dict: `rows` of `labels.rows`."""
        own = {f"{self_name(self.site.method)}.{name}" for name in self._attributes}
        return frozenset(name.rpartition(".")[2] for name in self._names - own if "." in name)

    @property
    def _family(self) -> tuple[ClassFacts, ...]:
        return (self.facts,) if self.inputs is None else self.inputs.related.all

    def _reads(self, facts: ClassFacts, method: Method) -> Iterator[ast.AST]:
        """Yield where a method names the dict."""
        me = self_name(method)
        names = self._names
        if method is not self.site.method:
            if not self._attributes:
                return
            names = _with_aliases(method, frozenset(f"{me}.{name}" for name in self._attributes))
        for node in ast.walk(method):
            if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in names:
                yield node

    # -- the order

    def _may_follow(self, facts: ClassFacts, method: Method, node: ast.AST) -> bool:
        """Return whether a node of a method may run once the view is stored, while that is in use."""
        if method is self.site.method:
            alone = self._runs_once(method) or self._is_made_anew(method, node)
            return not alone or not self._is_before(method, node, self.site.statement)
        if facts is not self.facts:
            inherits = self.inputs is not None and facts in self.inputs.related.heirs
            return inherits or method.name not in facts.started
        if method.name in STARTS and self._runs_once(self.site.method):
            users = self._users(self.site.method)
            return not users or not all(
                each is method and self._is_before(method, node, used) for each, used in users
            )
        users = self._users(method)
        inner = all(
            each is not method and not self._may_follow(facts, each, used) for each, used in users
        )
        return not users or not inner or self._is_used_outside(method)

    def _is_before(self, method: Method, node: ast.AST, other: ast.AST) -> bool:
        """Return whether a node of a method runs before another does, and not again in a loop around that."""
        module = self.facts.module
        again = {each for each in module.ancestors(other) if isinstance(each, LOOPS)}
        above = list(takewhile(lambda each: each is not method, module.ancestors(node)))
        later = any(each in again or isinstance(each, (*FUNCTIONS, ast.Lambda)) for each in above)
        return start(node) < start(other) and not later

    def _is_made_anew(self, method: Method, node: ast.AST) -> bool:
        """Return whether a method, however often it is called, makes the dict before a node of it runs."""
        return any(
            isinstance(each, (ast.Assign, ast.AnnAssign))
            and isinstance(each.value, _MADE_ANEW)
            and comes_before(each, node)
            and self._names & set(_targets(each))
            for each in method.body
        )

    def _runs_once(self, method: Method) -> bool:
        return method.name in STARTS or (self.inputs is not None and self.inputs.runs_once(method))

    def _users(self, method: Method) -> list[tuple[Method, ast.AST]]:
        return list(self.facts.reads.get(method.name, ()))

    def _is_used_outside(self, method: Method) -> bool:
        return self.inputs is not None and self.inputs.is_used_outside(method)


def _targets(statement: ast.AST) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (ast.unparse(each) for each in targets)
        case ast.AnnAssign(target=target):
            yield ast.unparse(target)


def _with_aliases(method: Method, names: frozenset[str]) -> frozenset[str]:
    """Return names with all that the method assigns them to, or assigns to them."""
    same = [
        {*_targets(each), *_named(each.value)}
        for each in ast.walk(method)
        if isinstance(each, (ast.Assign, ast.AnnAssign))
    ]
    found = set(names)
    while True:
        more = {name for each in same if found & each for name in each} - found
        if not more:
            return frozenset(found)
        found |= more


def _named(value: ast.expr | None) -> Iterator[str]:
    if isinstance(value, (ast.Name, ast.Attribute)):
        yield ast.unparse(value)
