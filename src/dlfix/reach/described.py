"""What Python says of an object's attributes: `vars(options)`, `x.__dict__`, `dataclasses.fields(Options)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.texts import PARSED
from dlfix.reach.values import (
    Argument,
    Arguments,
    Bound,
    Class,
    Constant,
    ExternalCall,
    Frame,
    Instance,
    Reached,
)

if TYPE_CHECKING:
    from dlfix.reach.crossing import Store
    from dlfix.reach.evaluator import Evaluator

NAMESPACES = frozenset(
    {"types.SimpleNamespace", "argparse.Namespace", "easydict.EasyDict", "addict.Dict", "munch.Munch",
     "box.Box", "ml_collections.ConfigDict", "yacs.config.CfgNode", "fvcore.common.config.CfgNode", PARSED}
)  # fmt: skip
_FIELDS = frozenset({"dataclasses.fields", "attr.fields", "attrs.fields"})
DESCRIBING = frozenset({"vars", "dataclasses.asdict", "attr.asdict", "attrs.asdict"}) | _FIELDS
_OF_FIELD = frozenset({"default", "default_factory", "factory", "metadata"})


def described(
    name: str, argument: Argument, node: ast.Call, frame: Frame, evaluator: Evaluator
) -> list[Reached]:
    """Return what a function of `DESCRIBING` gives for an object; nothing where the object is not known."""
    if name not in _FIELDS:
        return as_dicts(argument, node, frame, evaluator)
    return [
        Reached(evaluator.displays.new("tuple", enumerate(fields), node, frame, cls), reached.steps)
        for reached in evaluator.reached(argument)
        if (cls := _class_of(reached)) is not None
        and (fields := list(_fields(cls, node, frame, evaluator)))
    ]


def _class_of(reached: Reached) -> Class | None:
    value = reached.value
    if isinstance(value, Instance):
        return value.cls
    return value if isinstance(value, Class) else None


def _fields(
    cls: Class, node: ast.Call, frame: Frame, evaluator: Evaluator
) -> Iterator[ExternalCall]:
    """Yield an object for each field of a class, with its name and what the class says of it."""
    for name in evaluator.instances.fields(cls):
        attributes: dict[str, Argument] = {"name": Constant(name)}
        attributes.update(_said_of(cls, name, evaluator))
        given = Arguments((), attributes)
        yield evaluator.calls.made(
            node,
            frame,
            lambda given=given: ExternalCall("types.SimpleNamespace", node, frame, given),  # type: ignore[misc]
            cls,
            name,
        )


def _said_of(cls: Class, name: str, evaluator: Evaluator) -> Iterator[tuple[str, Argument]]:
    for base in evaluator.instances.mro(cls):
        if not isinstance(base, Class):
            continue
        for statement in base.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=found), value=ast.Call(keywords=given)):
                    if found == name:
                        body = evaluator.instances.body(base)
                        yield from (
                            (k.arg, Bound(k.value, body)) for k in given if k.arg in _OF_FIELD
                        )
                        return


def as_dicts(
    argument: Argument, node: ast.expr, frame: Frame, evaluator: Evaluator
) -> list[Reached]:
    """Return the dicts of what objects hold under their names: `vars(options)`, `x.__dict__`."""
    found: list[Reached] = []
    for reached in evaluator.reached(argument):
        value = reached.value
        items: list[tuple[object, Argument]] = []
        if isinstance(value, Instance):
            for name, stores in evaluator.instances.stores(value).items():
                items += [(name, one) for store in stores for one in _stored(store, evaluator)]
        elif isinstance(value, ExternalCall) and value.name in NAMESPACES:
            items += value.arguments.keywords.items()
            for module in dict.fromkeys((value.frame.module, frame.module)):
                for store in evaluator.instances.set_on(value.node, module):
                    items += [(store.attribute, one) for one in _stored(store, evaluator)]
        elif isinstance(value, Class):
            items += _set_in_body(value, evaluator)
        else:
            continue
        made = evaluator.displays.new("dict", items, node, frame, value, is_open=True)
        found.append(Reached(made, reached.steps))
    return found


def _set_in_body(cls: Class, evaluator: Evaluator) -> Iterator[tuple[object, Argument]]:
    body = evaluator.instances.body(cls)
    for statement in cls.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, Bound(value, body)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, Bound(value, body)


def own_line(cls: Class, node: ast.expr, frame: Frame, evaluator: Evaluator) -> Reached:
    """Return `cls.__mro__`, but for the classes of libraries."""
    line = [base for base in evaluator.instances.mro(cls) if isinstance(base, Class)]
    return Reached(evaluator.displays.new("tuple", enumerate(line), node, frame, cls))


def _stored(store: Store, evaluator: Evaluator) -> list[Argument]:
    """Return what a statement stores: as it is written, or what unpacking takes of it."""
    if store.value is None:
        return []
    if not store.path:
        return [store.value]
    return [reached.value for reached in evaluator.instances.stored(store)]
