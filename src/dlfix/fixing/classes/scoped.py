"""Resources that only the constructor uses: they become local variables, and leave the object."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import STARTS, ClassFacts, Method, is_self_attribute, self_name
from dlfix.fixing.classes.hierarchy import family_of
from dlfix.fixing.classes.inputs import Inputs
from dlfix.fixing.classes.plans import ClassPlan, Exchange
from dlfix.fixing.classes.statements import is_plain
from dlfix.fixing.classes.text import names_in
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.order import in_order
from dlfix.project.project import Project
from dlfix.project.syntax import is_name
from dlfix.reach.analysis import Analysis

LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.GeneratorExp)
_SOME = frozenset({"next", "any", "all"})  # of the items that they are given
_AT_ONCE = frozenset("list tuple set frozenset dict sorted sum min max".split()) | _SOME
CLOSERS = ("close", "release", "shutdown", "terminate")


def only_started(analysis: Analysis, group: Sequence[Culprit]) -> dict[str, list[ast.Attribute]]:
    """Return the attributes of a group that nothing but the constructor names, with where it does."""
    found: dict[str, list[ast.Attribute]] = {}
    for culprit in group:
        if culprit.is_passed_in or culprit.on_class:
            continue
        nodes = _in_start(culprit.facts, culprit.attribute)
        related = family_of(analysis, culprit.facts).nodes
        if nodes and _is_known_here_only(
            analysis.project, related, culprit.facts, culprit.attribute
        ):
            found[culprit.attribute] = nodes
    return found


def gone_through(analysis: Analysis, group: Sequence[Culprit]) -> dict[str, list[ast.Attribute]]:
    """Return the generators of a group that the constructor makes and goes through, and that nothing else names."""
    found: dict[str, list[ast.Attribute]] = {}
    for culprit in group:
        facts, statement = culprit.facts, culprit.site.statement
        nodes = _named_in_start(facts, culprit.attribute) or []
        reads = [each for each in nodes if isinstance(each.ctx, ast.Load)]
        is_made_here = (
            statement in culprit.site.method.body
            and len(nodes) - len(reads) == 1
            and {_method(facts.module, each) for each in nodes} == {culprit.site.method}
            and _is_set_first(nodes)
        )
        if (
            is_made_here
            and reads
            and all(_is_gone_through(facts.module, each) for each in reads)
            and _goes_to_the_end(facts.module, in_order(reads)[-1])
            and _is_known_here_only(
                analysis.project, family_of(analysis, facts).nodes, facts, culprit.attribute
            )
        ):
            found[culprit.attribute] = nodes
    return found


def _is_gone_through(module: Module, node: ast.Attribute) -> bool:
    """Return whether items are taken from a generator where it is named, and nothing keeps it."""
    late = any(isinstance(each, LATER) for each in [*_around(module, node)][:-1])
    above = module.parent(node)
    at_once = isinstance(above, ast.Call) and ast.unparse(above.func) in _AT_ONCE
    loop = isinstance(above, (ast.For, ast.comprehension)) and above.iter is node
    return not late and (at_once or loop)


def _goes_to_the_end(module: Module, node: ast.AST) -> bool:
    """Return whether nothing is left of a generator: what it does at its end is done where it was."""
    above = module.parent(node)
    if isinstance(above, ast.Call):
        return ast.unparse(above.func) not in _SOME
    return not any(isinstance(each, (ast.Break, ast.Return)) for each in ast.walk(above or node))


def plan_local(facts: ClassFacts, found: dict[str, list[ast.Attribute]]) -> ClassPlan:
    """Plan the attributes as local variables of the constructor."""
    exchanges = []
    taken: set[str] = set()
    for name, nodes in found.items():
        method = next(each for each in facts.module.ancestors(nodes[0]) if isinstance(each, Method))
        local = _local_name(facts.module, method, name, taken)
        taken.add(local)
        exchanges += [Exchange(facts.module.span(each), local, "expression") for each in nodes]
    return ClassPlan(cls=facts.module.span(facts.node), exchanges=tuple(exchanges))


def with_local(
    plan: ClassPlan, facts: ClassFacts, found: dict[str, list[ast.Attribute]]
) -> ClassPlan:
    """Return a plan for the rest of a class that makes these attributes local variables as well."""
    whole = [each.span for each in plan.exchanges if each.kind == "statement"]
    more = plan_local(facts, found).exchanges
    kept = [each for each in more if not any(span.contains(each.span) for span in whole)]
    return replace(plan, exchanges=(*plan.exchanges, *kept))


def is_needed_later(inputs: Inputs, facts: ClassFacts, name: str) -> bool:
    """Return whether anything but the constructor may read an attribute."""
    return _named_in_start(facts, name) is None or not _is_known_here_only(
        inputs.project, inputs.related.nodes, facts, name
    )


def _in_start(facts: ClassFacts, name: str) -> list[ast.Attribute]:
    """Return where the constructor names an attribute, if it closes it or takes only plain data from it."""
    nodes = _named_in_start(facts, name) or []
    methods = {_method(facts.module, each) for each in nodes}
    if len(methods) != 1 or not _is_set_first(nodes):
        return []
    (method,) = methods
    me = self_name(method) if isinstance(method, Method) else ""
    if not all(_is_plain_use(facts.module, each, me) for each in nodes):
        return []
    closed = any(_closes(facts.module, each) for each in nodes)
    return nodes if closed or _is_read_at_once(facts.module, nodes) else []


def _named_in_start(facts: ClassFacts, name: str) -> list[ast.Attribute] | None:
    """Return where a class names an attribute; None where more than its constructor does."""
    if name in facts.fields or name in facts.methods or facts.slots is not None:
        return None
    nodes: list[ast.Attribute] = []
    for method in facts.all_methods:
        me = self_name(method)
        for node in ast.walk(method):
            if isinstance(node, ast.Constant) and node.value == name:
                return None
            if not isinstance(node, ast.Attribute) or node.attr != name:
                continue
            if not is_self_attribute(node, me) or method.name not in STARTS:
                return None
            nodes.append(node)
    return nodes


def _closes(module: Module, node: ast.AST) -> bool:
    parent = module.parent(node)
    if isinstance(parent, ast.withitem):
        return True
    return isinstance(parent, ast.Attribute) and parent.attr in CLOSERS


def _is_read_at_once(module: Module, nodes: Sequence[ast.Attribute]) -> bool:
    """Return whether all that is kept of a resource that stays open is plain data, not parts in a list."""
    values = [
        getattr(module.statement(each), "value", None)
        for each in nodes
        if isinstance(each.ctx, ast.Load)
    ]
    return bool(values) and all(isinstance(each, ast.Call) and is_plain(each) for each in values)


def _is_set_first(nodes: Sequence[ast.Attribute]) -> bool:
    first = in_order(nodes)[0]
    return isinstance(first.ctx, ast.Store)


def _is_plain_use(module: Module, node: ast.Attribute, me: str) -> bool:
    """Return whether a use keeps nothing that lives on the resource."""
    if isinstance(node.ctx, ast.Del) or module.segment(node) != f"{me}.{node.attr}":
        return False
    statement = module.statement(node)
    if isinstance(node.ctx, ast.Store):
        return isinstance(statement, (ast.Assign, ast.AnnAssign))
    if any(
        isinstance(each, LATER) and each is not _method(module, node)
        for each in _around(module, node)
    ):
        return False
    if isinstance(statement, ast.Assign):
        bound = all(isinstance(each, ast.Name) for each in statement.targets)
        return is_plain(statement.value) or (bound and _is_read(module, node))
    if isinstance(statement, ast.Expr):
        call = statement.value
        owner = (
            call.func.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            else None
        )
        return owner is node  # a call of its own: `close()`, `seek(0)`
    return isinstance(statement, (ast.For, ast.If, ast.With))


def _is_read(module: Module, node: ast.AST) -> bool:
    """Return whether a local name holds what reading gives: bytes, text, a row."""
    parent = module.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr.startswith(("read", "fetch", "getnames", "namelist"))
    return isinstance(parent, ast.Call) and ast.unparse(parent.func) in ("next", "json.load")


def _method(module: Module, node: ast.AST) -> ast.AST | None:
    return next((each for each in module.ancestors(node) if isinstance(each, Method)), None)


def _around(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    for each in module.ancestors(node):
        yield each
        if isinstance(each, Method):
            return


def _is_known_here_only(
    project: Project, related: frozenset[ast.ClassDef], facts: ClassFacts, name: str
) -> bool:
    """Return whether no other code of the project names the attribute, but as its own."""
    for module in project.mentions(name):
        for node in module.attributes_by_name.get(name, ()):
            if not isinstance(node, ast.Attribute) or facts.node in module.ancestors(node):
                continue
            if imported_as(module, node):  # `torch.utils.data`
                continue
            method = _method(module, node)
            owner = self_name(method) if isinstance(method, Method) else ""
            cls = module.parent(method) if method is not None else None
            if (
                not is_name(node.value, owner)
                or not isinstance(cls, ast.ClassDef)
                or cls in related
            ):
                return False
    return True


def _local_name(module: Module, method: Method, name: str, taken: set[str]) -> str:
    used = names_in([method]) | {*module.scope.bindings, *dir(builtins)} | taken
    used |= {each.arg for each in ast.walk(method) if isinstance(each, ast.arg)}
    wanted = name.strip("_") or "opened"
    while wanted in used:
        wanted = f"opened_{wanted}"
    return wanted
