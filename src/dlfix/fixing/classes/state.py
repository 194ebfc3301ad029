"""The pickled state of a class: what its state methods are to leave out, and how."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dlfix.fixing.classes.facts import ClassFacts, Method
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.inputs import STATE_METHODS, Inputs, Related
from dlfix.fixing.classes.observed import seen_whole_at
from dlfix.fixing.classes.plans import Drop, State
from dlfix.project.targets import evaluates_generics
from dlfix.reach.pickle_protocol import Handed, read_reduce

REDUCERS = {"__reduce__", "__reduce_ex__"}
EACH_ITS_OWN = "each process opens its own"


@dataclass(frozen=True)
class Surroundings:
    """What the planner must know of the classes and code around the class."""

    parent_methods: frozenset[str] = frozenset(
        {"__len__"}
    )  # run in the parent, later than `__init__`
    touched_in_parent: frozenset[str] = frozenset()  # attributes read from outside in the parent
    started_elsewhere: frozenset[str] = frozenset()  # attributes heirs use while being made
    start_methods: frozenset[str] = frozenset()  # further methods that touch, run by `__init__`
    inherited: frozenset[str] = frozenset()  # methods that bases have
    only_started: frozenset[str] = frozenset()  # methods nothing but constructors runs, once each
    kept_by_bases: frozenset[str] = frozenset()  # attributes bases store, named after a parameter
    set_by_bases: frozenset[str] = frozenset()  # attributes that constructors of bases set
    set_elsewhere: frozenset[str] = frozenset()  # attributes that other code sets, or heirs
    set_outside: frozenset[str] = frozenset()  # handles that other code puts another in place of
    sent: frozenset[ast.stmt] = frozenset()  # statements that set what is sent
    inputs: Inputs | None = None  # whether what an opening reads may be read later

    @property
    def taken(self) -> set[str]:
        """The names that the class' bases and heirs use: one that is made must not be any of them."""
        related = self.inputs.related if self.inputs is not None else None
        others = (*related.bases, *related.heirs) if related is not None else ()
        return {name for each in others for name in (*each.names, *each.stores)}


def state_for(
    facts: ClassFacts,
    drops: tuple[Drop, ...],
    restores: tuple[str, ...],
    around: Surroundings,
    kept: tuple[str, ...] = (),
) -> State | None:
    """Return how a class' state methods change; None where its own leave the attributes out."""
    if drops or restores:
        _refuse_state_set_otherwise(facts, around)
    named = _slots_of(facts)
    related = around.inputs.related if around.inputs is not None else None
    if (drops or restores) and named is not None and related is not None and related.heirs:
        heir = related.heirs[0]
        raise Refusal(f"a subclass may have more than the slots ({heir.line(heir.node)})")
    slotted = slotted_by_decorator(facts)
    if slotted is not None and (named is None or kept or not {d.name for d in drops} <= {*named}):
        raise Refusal(f"the class stores its attributes in slots ({facts.line(slotted)})")
    own = facts.state_method("__getstate__")
    seen = seen_whole_at(around.inputs) if own is not None and restores else ""
    if seen:
        raise Refusal(f"code reads all attributes, and `__getstate__` may send others ({seen})")
    if own is not None and not _hands_over_all(facts, own):
        drops = ()
    reducer = next((facts.methods[name] for name in REDUCERS if name in facts.methods), None)
    handed = read_reduce(reducer) if reducer is not None else Handed(as_usual=True)
    left = handed.as_usual or handed.asks_state
    if own is None and not left and not handed.everything:
        return None
    if not REDUCERS.isdisjoint(around.inherited):
        raise Refusal(f"a base class defines how the class is pickled ({facts.line(facts.node)})")
    if (
        reducer is not None
        and handed.everything
        and (named is not None or (restores and not _leaves_state_to_be_set(reducer)))
    ):
        raise Refusal(f"`{reducer.name}` pickles all attributes ({facts.line(reducer)})")
    if not drops and not restores:
        return None
    slots: tuple[str, ...] = ()
    beside = _slots_beside_dict(facts, around) if named is None else []
    if beside:
        _refuse_state_without_slots(facts, drops, around)
        slots = tuple(name for name in beside if name not in {each.name for each in drops})
    if named is not None:
        gone = {each.name for each in drops}
        attributes = {re.sub(r"^_(\w+)_by_pid$", r"\1", name) for name in gone}
        slots = tuple(
            name
            for name in (*named, *kept)
            if name not in gone and name.lstrip("_") not in attributes
        )
        made = (f"self.{each.name} = {{}}" for each in drops if each.becomes == "{}")
        restores = (*restores, *made)
    setstate = _where(facts, "__setstate__", around)
    return State(
        drops=drops,
        restores=restores,
        getstate="reduce" if handed.everything else _where(facts, "__getstate__", around),  # type: ignore[arg-type]
        setstate=setstate,  # type: ignore[arg-type]
        called=own.name if own is not None else "__getstate__",
        slots=slots,
        has_dict=bool(beside),
        typed=facts.is_typed and evaluates_generics(facts.module),
        looks_up=setstate == "none" and _hands_on_every_name(facts),
    )


def _refuse_state_set_otherwise(facts: ClassFacts, around: Surroundings) -> None:
    """Refuse a class whose state methods are no `def` of its own: assigned, or put there by a decorator."""
    related = around.inputs.related if around.inputs is not None else None
    for each in (facts, *(related.bases if related is not None else ())):
        for name in STATE_METHODS & each.fields.keys():
            if name == "__getstate__" and _may_be_edited(each, facts, related):
                continue
            raise Refusal(
                f"`{name}` is assigned instead of defined with `def` "
                f"({each.line(each.fields[name])})"
            )
        for decorator in each.node.decorator_list:
            where = _adds_state(each, decorator, around)
            if where:
                raise Refusal(f"a decorator defines how the class is pickled ({where})")
    if "__getattribute__" in facts.methods:
        where = facts.line(facts.methods["__getattribute__"])
        raise Refusal(f"`__getattribute__` handles every attribute ({where})")


def _may_be_edited(facts: ClassFacts, changed: ClassFacts, related: Related | None) -> bool:
    """Return whether a class itself gives a method the name `__getstate__`, and no relation or other code has that method."""
    method = facts.named_by_assignment("__getstate__")
    if method is None or facts is not changed or related is None:
        return False
    others = (*related.bases, *related.heirs)
    return not any(method.name in each.names for each in others)


def _adds_state(facts: ClassFacts, decorator: ast.expr, around: Surroundings) -> str:
    if around.inputs is None:
        return ""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = ast.unparse(called).rpartition(".")[2]
    for module in around.inputs.project.mentions(name):
        for function in (*module.functions_by_name.get(name, ()), *module.classes):
            if function.name == name and STATE_METHODS & set(_names_written(function)):
                return f"{module.path.name}:{function.lineno}"
    return ""


def _names_written(node: ast.AST) -> list[str]:
    """Return the names of attributes and functions that a definition writes, or names in a text."""
    found = []
    for each in ast.walk(node):
        match each:
            case ast.Attribute(attr=name) | ast.FunctionDef(name=name):
                found.append(name)
            case ast.Constant(value=str() as name):
                found.append(name)
    return found


def _hands_on_every_name(facts: ClassFacts) -> bool:
    """Return whether `__getattr__` asks another object for whatever name it is given."""
    method = facts.methods.get("__getattr__")
    return method is not None and not any(
        isinstance(each, (ast.If, ast.Raise)) for each in ast.walk(method)
    )


def slotted_by_decorator(facts: ClassFacts) -> ast.expr | None:
    """Return the decorator that gives a class slots: `@dataclass(slots=True)`, `@attrs.define`."""
    for decorator in facts.node.decorator_list:
        text = ast.unparse(decorator)
        if "slots=True" in text:
            return decorator
        name = text.partition("(")[0].rpartition(".")[2]
        if name in ("define", "mutable", "frozen") and "slots=False" not in text:
            return decorator
    return None


def _slots_of(facts: ClassFacts) -> list[str] | None:
    """Return the attributes of a class whose instances have no `__dict__`; None where that is not known."""
    if is_slotted(facts):  # `__weakref__` is no attribute that anybody may set
        return [name for name in facts.slots or () if name != "__weakref__"]
    decorator = slotted_by_decorator(facts)
    if decorator is None or facts.node.bases or not _is_plain_dataclass(decorator):
        return None
    return [
        each.target.id
        for each in facts.node.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and not {"ClassVar", "InitVar", "KW_ONLY"} & set(_names_written(each.annotation))
        and getattr(each.annotation, "id", "") not in ("ClassVar", "InitVar", "KW_ONLY")
    ]


def _is_plain_dataclass(decorator: ast.expr) -> bool:
    text = ast.unparse(decorator)
    name = text.partition("(")[0].rpartition(".")[2]
    return name == "dataclass" and "frozen=True" not in text and "weakref_slot=True" not in text


def _slots_beside_dict(facts: ClassFacts, around: Surroundings) -> list[str]:
    """Return the slots of a class and its bases whose instances also have a `__dict__`."""
    related = around.inputs.related if around.inputs is not None else None
    for heir in related.heirs if related is not None else ():
        if heir.slots != [] and "__slots__" in heir.fields:
            raise Refusal(f"a subclass has slots ({heir.line(heir.fields['__slots__'])})")
    line = (facts, *(related.bases if related is not None else ()))
    found: dict[str, None] = {}
    for each in line:
        if "__slots__" in each.fields:
            where = each.line(each.fields["__slots__"])
            if each.slots is None or any(name.startswith("__") for name in _kept(each.slots)):
                raise Refusal(f"the names of the class's slots are unknown ({where})")
            found |= dict.fromkeys(_kept(each.slots))
    if found and not _has_dict(line):
        raise Refusal(f"instances may have no `__dict__` ({facts.line(facts.node)})")
    return [*found]


def _has_dict(line: Sequence[ClassFacts]) -> bool:
    """Return whether instances of a class, given with its bases, have a `__dict__` for sure."""
    names = {each.node.name for each in line}
    outside = {ast.unparse(base) for each in line for base in each.node.bases} - names
    return any(
        "__slots__" not in each.fields or "__dict__" in (each.slots or ()) for each in line
    ) or any(name.partition("[")[0].endswith(("Dataset", "Module")) for name in outside)


def _kept(slots: list[str]) -> list[str]:
    return [name for name in slots if name not in ("__dict__", "__weakref__")]


def _refuse_state_without_slots(
    facts: ClassFacts, drops: tuple[Drop, ...], around: Surroundings
) -> None:
    """Refuse what the state methods of a class cannot hold beside its `__dict__`."""
    theirs = {"__getstate__", "__setstate__"} & {*facts.methods, *around.inherited}
    if theirs:
        raise Refusal(
            f"the class has slots, and `{min(theirs)}` of its own ({facts.line(facts.node)})"
        )
    if any(each.code for each in drops):
        raise Refusal(f"the class also has slots ({facts.line(facts.node)})")


def _leaves_state_to_be_set(reducer: Method) -> bool:
    """Return whether what `__reduce__` returns has a state, for which `__setstate__` is called."""
    returned = [each.value for each in ast.walk(reducer) if isinstance(each, ast.Return)]
    return all(isinstance(each, ast.Tuple) and len(each.elts) > 2 for each in returned)


def is_slotted(facts: ClassFacts) -> bool:
    """Return whether instances have slots and no `__dict__`."""
    bases = [ast.unparse(each) for each in facts.node.bases]
    return facts.slots is not None and "__dict__" not in facts.slots and bases in ([], ["object"])


def _where(facts: ClassFacts, name: str, around: Surroundings) -> str:
    if facts.state_method(name) is not None:
        return "own"
    return "inherited" if name in around.inherited else "none"


def _hands_over_all(facts: ClassFacts, method: Method) -> bool:
    text = facts.module.segment(method)
    return "__dict__" in text or "vars(" in text or "super()" in text
