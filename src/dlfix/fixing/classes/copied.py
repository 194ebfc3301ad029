"""Plan attributes whose state can be pickled: a worker makes an object in the same state."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import STARTS, ClassFacts, StoreSite, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.project.syntax import is_attribute_of
from dlfix.reach.labels import node_of
from dlfix.rules.reading import randomness


def plan_copied(
    facts: ClassFacts, copied: Sequence[Culprit], around: Surroundings, drawing: set[str]
) -> ClassPlan:
    """Plan attributes of which the state is sent; `drawing` are generators that give each worker the same numbers."""
    drops, restores = list[Drop](), list[str]()
    for culprit in copied:
        name, row = culprit.attribute, culprit.row
        assert row is not None
        if name in drawing:
            where = facts.line(culprit.site.statement)
            raise Refusal(f"each worker would draw the same numbers from `{name}` ({where})")
        _refuse_other_values(culprit, around)
        saved, restored = f"self.{name}.{row.saved}", row.restored.format(f"self.{name}")
        set_again = facts.setting(name, _spelled(facts, restored, row.library))
        if _may_be_none(facts, name):
            asked = f"if self.{name} is not None:\n    "
            drops.append(Drop(name, code=f'{asked}state["{name}"] = {saved}'))
            restores.append(asked + set_again)
        else:
            drops.append(Drop(name, saved, why="" if drops else "__setstate__ restores it"))
            restores.append(set_again)
    after = copied[-1].site.method.name
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, tuple(drops), tuple(restores), around),
        after=after if after in STARTS else "__init__",
    )


def _refuse_other_values(culprit: Culprit, around: Surroundings) -> None:
    """Refuse an attribute that may hold another kind of object, or one that something else holds, too."""
    facts, name, site = culprit.facts, culprit.attribute, culprit.site
    where = facts.line(site.statement)
    made = node_of(culprit.value)
    if culprit.container or culprit.on_class or site.method.name not in STARTS:
        raise Refusal(f"`{name}` is not set by the constructor alone ({where})")
    if culprit.is_passed_in or made is None or made[0] not in [*_values_of(facts, site)]:
        raise Refusal(f"`{name}` may be passed in by other code ({where})")
    if around.inputs is None:
        raise Refusal(f"the classes around `{facts.node.name}` are unknown ({where})")
    for related in around.inputs.related.all:
        for each in related.stores.get(name, ()):
            if not each.resets and each.statement is not site.statement:
                raise Refusal(f"`{name}` is also set elsewhere ({related.line(each.statement)})")
    if around.inputs.set_outside(name):
        raise Refusal(f"`{name}` is set outside the class ({where})")
    if not isinstance(made[0], ast.Call) or not randomness.is_on_cpu(made[0]):
        raise Refusal(f"the generator may not be on the CPU ({where})")
    for held in _held_elsewhere(facts, site):
        raise Refusal(f"another object keeps `{name}` ({facts.line(held)})")
    for where in _given_out(facts, name, around.inputs.project):
        raise Refusal(f"another object keeps `{name}` ({where})")


def _values_of(facts: ClassFacts, site: StoreSite) -> Iterator[ast.AST]:
    """Yield the calls by which a statement, or the only one that binds its local name, makes what is stored."""
    value = site.value
    if isinstance(value, ast.Name):
        bound = facts.module.inner_scope(site.method).bindings.get(value.id, [])
        value = bound[0].value if len(bound) == 1 else None
    while isinstance(value, ast.Call):
        yield value
        value = value.func.value if isinstance(value.func, ast.Attribute) else None


def _may_be_none(facts: ClassFacts, name: str) -> bool:
    """Return whether an attribute is None on some paths; refuse one that is not set on all of them."""
    sites = facts.stores[name]
    always = [each for each in sites if each.statement in each.method.body]
    if not always or any(each.method.name not in STARTS for each in always):
        raise Refusal(f"`{name}` is not set on all paths ({facts.line(sites[0].statement)})")
    return any(each.resets for each in sites)


def _held_elsewhere(facts: ClassFacts, site: StoreSite) -> Iterator[ast.AST]:
    """Yield where code of the class hands what it stores to more than a function that uses it at once."""
    local = site.value.id if isinstance(site.value, ast.Name) else ""
    module = facts.module
    names = randomness.read_as([facts.node], site.attribute)
    getters = [facts.methods[each] for each in names - {site.attribute} if each in facts.methods]
    for method in facts.all_methods:
        me = self_name(method)
        for node in ast.walk(method) if method not in getters else ():
            own = is_attribute_of(node, me) and node.attr in names
            by_name = isinstance(node, ast.Name) and node.id == local and method is site.method
            if node is site.value or not (own or by_name):
                continue
            if isinstance(node.ctx, ast.Load) and not _is_used_at_once(module, node):  # type: ignore[attr-defined]
                yield node


def _given_out(facts: ClassFacts, name: str, project: Project) -> Iterator[str]:
    """Yield where any code reads a property that returns an attribute, and does more than use it at once."""
    for getter in randomness.read_as([facts.node], name) - {name}:
        for module in project.mentions(getter):
            for node in module.attributes_by_name.get(getter, ()):
                if isinstance(node.ctx, ast.Load) and not _is_used_at_once(module, node):
                    yield f"{module.path.name}:{node.lineno}"


def _is_used_at_once(module: Module, node: ast.AST) -> bool:
    """Return whether a function of torch draws from a generator, or one of its own methods is called."""
    above = module.parent(node)
    if isinstance(above, ast.keyword):
        above = module.parent(above)
    match above:
        case ast.Attribute() | ast.Compare():
            return True
        case ast.Call(func=called):
            first, _, rest = ImportTime(module.tree).full_name(called).partition(".")
            return first == "torch" and rest.islower() and "." not in rest
    return False


def _spelled(facts: ClassFacts, restored: str, library: str) -> str:
    """Return an expression under the name that the module gives to the library: `import torch as th`."""
    name = facts.imported_as(library)
    if not name:
        raise Refusal(f"the file does not import `{library}` ({facts.line(facts.node)})")
    return restored.replace(f"{library}.", f"{name}.")
