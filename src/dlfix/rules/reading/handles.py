"""What the catalogue says of a value that crosses, and which class keeps it."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.catalog import ABSENT, PERHAPS, UNKNOWN, Catalog, OneOf, ResourceRow, Tail
from dlfix.project.module import enclosing_function
from dlfix.project.targets import python_of
from dlfix.project.trees import walk
from dlfix.reach.calls import SCRIPTING
from dlfix.reach.crossing import Crossing, Edge
from dlfix.reach.labels import label, node_of
from dlfix.reach.starts import never_forks
from dlfix.reach.values import (
    Argument,
    Bound,
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Generator,
    Instance,
    ModuleValue,
    origin_of,
)
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.rules.reading.closings import is_closed_again
from dlfix.rules.reading.endings import ending_of
from dlfix.rules.reading.processes import running
from dlfix.rules.reading.tensors import is_non_leaf
from dlfix.rules.reading.texts import Texts
from dlfix.rules.reading.unpickling import (
    OWN_MAKING,
    asked_for_state,
    made_with_arguments,
    reduced_to_other_arguments,
)
from dlfix.rules.reading.uses import uses_of, uses_of_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Store
    from dlfix.reach.values import Value


@dataclass(frozen=True)
class Handle:
    """A value that crosses and that the catalogue knows."""

    crossing: Crossing
    row: ResourceRow
    holder: Instance | None  # the nearest object of the tree that keeps it
    store: Store | None  # the statement that keeps it there
    passed_in: bool  # made outside the class that keeps it
    forked: bool = False  # the processes that get it fork for certain: nothing pickles it

    @property
    def name(self) -> str:
        """What it is called in a message: the words that make it."""
        return label(self.crossing.value)

    @property
    def late(self) -> bool:
        """Whether it is only there once the parent has used the object."""
        return self.store is not None and self.store.late

    @property
    def opened_by(self) -> str:
        """The method that opens it, where that is not the constructor."""
        return self.store.method if self.store is not None else ""

    @property
    def where(self) -> str:
        """What keeps it, for a message: " in `Clips.file`"."""
        if self.holder is None or self.store is None:
            return ""
        return f" in `{self.holder.cls.name}.{self.store.attribute}`"

    @property
    def error(self) -> str:
        """What this Python prints when it is pickled; nothing where it is not."""
        return "" if self.forked else self.row.error_on(sys.version_info[:2])

    @property
    def fails(self) -> bool:
        """Whether it is pickled, and does not come to a worker as it was."""
        return self.row.fails and not self.forked


def handles(analysis: Analysis) -> tuple[Handle, ...]:
    """Return what crosses and the catalogue has a row for, plain data left out."""
    return analysis.once(handles, lambda: tuple(_handles(analysis)))


def _handles(analysis: Analysis) -> Iterator[Handle]:
    pickled = {*_pickled(analysis)}
    for crossing in analysis.crossings:
        row = running(crossing, analysis) or row_of(crossing.value, analysis)
        if row is None or row.kind == "plain" or row.pickles == "unknown":
            continue
        row = row.on(python_of(crossing.boundary.frame.module.path))
        if crossing not in pickled and not _matters_in_fork(row):
            continue
        if row.kind == "resource" and not row.fails and never_forks(analysis, crossing.boundary):
            continue  # what it is after pickling is all that its worker gets
        kept = _kept(crossing)
        store = kept.edge.store if kept is not None else None
        if row.closed_crosses and store is not None and is_closed_again(store, row):
            continue
        yield Handle(
            crossing, row, _holder(kept), store, is_passed_in(crossing), crossing not in pickled
        )


def _pickled(analysis: Analysis) -> Iterator[Crossing]:
    """Yield what is pickled: a loader out of view is taken to fork where all in view that get the same do."""
    every = {*analysis.pickled}
    forked = {node_of(each.value) for each in analysis.crossings if each not in every}
    if not forked:
        yield from every
        return
    forked -= {node_of(each.value) for each in every if each.boundary.kind != "dataset"}
    for crossing in every:
        if crossing.boundary.kind != "dataset" or node_of(crossing.value) not in forked:
            yield crossing


def is_passed_in(crossing: Crossing) -> bool:
    """Return whether what crosses was made outside the class that keeps it."""
    kept = _kept(crossing)
    store = kept.edge.store if kept is not None else None
    inside = _holder(kept) is not None and _made_inside(crossing.value, store)
    return not inside and not _put_in_itself(crossing)


def _holder(kept: Crossing | None) -> Instance | None:
    above = kept.parent.value if kept is not None and kept.parent is not None else None
    return above if isinstance(above, Instance) else None


def _matters_in_fork(row: ResourceRow) -> bool:
    return row.kind == "random" or (row.kind == "resource" and row.fork_unsafe)


def class_handles(analysis: Analysis) -> Iterator[Handle]:
    """Yield the handles that the parent keeps on the class of what crosses, and workers use."""
    seen: set[object] = set()
    for crossing in list(analysis.crossings):
        instance = crossing.value
        if not isinstance(instance, Instance) or instance.cls in seen:
            continue
        seen.add(instance.cls)
        for store in analysis.class_stores(instance):
            for value in analysis.stored(store):
                row = row_of(value, analysis)
                if row is not None:
                    at = _hung(crossing, store, value)
                    yield Handle(at, row, instance, store, passed_in=False)


def _hung(parent: Crossing, store: Store, value: Value) -> Crossing:
    step = Step(store.frame.module.place(store.node), f"{store.attribute} of the class", "")
    edge = Edge("attribute", store.attribute, store)
    return Crossing(value, edge, parent.boundary, parent, (*parent.path, step), [])


def states(analysis: Analysis) -> Iterator[Handle]:
    """Yield what crosses and cannot be pickled by its very kind: generators and modules."""
    for crossing in analysis.pickled:
        row = kind_row(crossing.value, analysis)
        if row is None:
            continue
        kept = _kept(crossing)
        above = kept.parent.value if kept is not None and kept.parent is not None else None
        holder = above if isinstance(above, Instance) else None
        store = kept.edge.store if kept is not None else None
        yield Handle(crossing, row, holder, store, holder is None)


def kind_row(value: Value, analysis: Analysis) -> ResourceRow | None:
    """Return the row of what cannot be pickled by its very kind."""
    if isinstance(value, Generator):
        return _GENERATOR
    if isinstance(value, Derived) and is_non_leaf(value):
        return _NON_LEAF
    if isinstance(value, Instance):
        return (
            made_with_arguments(value, analysis)
            or reduced_to_other_arguments(value, analysis)
            or asked_for_state(value, analysis)
        )
    if isinstance(value, ExternalCall) and value.name in _CACHES:
        cached = analysis.values(value.arguments.get(0, "user_function"))
        return _CACHED if any(isinstance(v, BoundMethod) for v in cached) else None
    return _MODULE if isinstance(value, ModuleValue) else None


_OF_GROUPS = frozenset({"[str]", "attrs", "keys", "values", "items"})  # no array has these
_NON_LEAF = ResourceRow(
    "the output of a layer",
    kind="state",
    action="report",
    error="RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad",
    note="the tensor is the output of a layer and requires a gradient; call `detach()` first",
)
# What reads nothing but dicts, lists, texts and numbers.
_READERS = frozenset("json.load json.loads tomllib.load tomllib.loads yaml.safe_load".split())
_GENERATOR = ResourceRow(
    "generator", kind="state", error="TypeError: cannot pickle 'generator' object"
)
_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_CACHED = ResourceRow(
    "functools.lru_cache",
    kind="state",
    error="PicklingError: Can't pickle <functools._lru_cache_wrapper object at 0x...>: "
    "it's not the same object as ...",
)
SCRIPTED_FUNCTION = ResourceRow(
    "torch.jit.ScriptFunction",
    kind="state",
    action="report",
    error="_pickle.PickleError: ScriptFunction cannot be pickled",
    note="call the compiled function from a function of the module, and send that",
)
_MODULE = ResourceRow("module", kind="state", error="TypeError: cannot pickle 'module' object")


def finding(rule: type[Rule], handle: Handle, message: str) -> Finding | None:
    """Return a finding about a handle; None where no code makes it."""
    made = node_of(handle.crossing.value)
    if made is None and handle.store is None:
        return None
    node, module = made or (handle.store.node, handle.store.frame.module)  # type: ignore[union-attr]
    place = Place(module.path, module.span(node))
    path = (*handle.crossing.path, *_opened_at(handle.crossing))
    return Finding(rule, message, place, path, handle.error, evidence=handle.crossing)


def _opened_at(crossing: Crossing) -> Iterator[Step]:
    """Yield the line that opens what a derived resource belongs to, where the path does not have it."""
    origin = origin_of(crossing.value)
    made = node_of(origin)
    if origin is crossing.value or made is None:
        return
    node, module = made
    place = module.place(node)
    if all(step.place.span.start.row != place.span.start.row for step in crossing.path):
        yield Step(place, label(origin), f"`{crossing.edge.name}` belongs to it")


def _kept(crossing: Crossing) -> Crossing | None:
    """Return the crossing whose edge is the attribute that keeps it, through containers."""
    current: Crossing | None = crossing
    while current is not None and current.edge.kind == "item":
        current = current.parent
        if current is not None and not _holds_items(current.value):
            return None
    if current is not None and current.edge.kind != "attribute":
        return kept_with_whole(crossing)
    return current


def kept_with_whole(crossing: Crossing) -> Crossing | None:
    """Return the crossing whose edge is the attribute that keeps a callable over what the same method opens.

    `self.read = ZipFile(path).read`, `self.read = partial(read, open(path))`; a partial also in two steps.
    """
    current: Crossing | None = crossing
    bound_methods = False
    while current is not None and current.edge.kind in ("self", "bound"):
        bound_methods = bound_methods or current.edge.kind == "self"
        current = current.parent
    if current is None or current is crossing or current.edge.store is None:
        return None
    stored, made = current.edge.store.value, node_of(crossing.value)
    if not isinstance(stored, Bound) or made is None or current.edge.kind != "attribute":
        return None
    here = stored.node if bound_methods else enclosing_function(stored.frame.module, stored.node)
    opens_it = here is not None and any(each is made[0] for each in walk(here))
    return current if opens_it else None


def _holds_items(value: Value) -> bool:
    is_dict = isinstance(value, ExternalCall) and value.name == "collections.defaultdict"
    return is_dict or isinstance(value, Container)


def _made_inside(value: Value, store: Store | None) -> bool:
    """Return whether a value is made by code of the class that stores it, or its module's helpers."""
    made = node_of(value)
    if made is None or store is None:
        return False
    if not isinstance(store.value, Bound):
        return True
    given = _given(store.value, store.path)
    return not given or any(_default_of(each, made[0]) for each in given)


def _given(
    stored: Bound, path: tuple[object, ...], followed: frozenset[str] = frozenset()
) -> list[Bound] | None:
    """Return the parameters that a value is, by whatever local names; None where code makes it of them."""
    node, frame = _taken(stored.node, path), stored.frame
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        found = [_given(Bound(each, frame), (), followed) for each in parts]
        return [one for given in found for one in given or ()] if None not in found else None
    if isinstance(node, ast.Constant):
        return []
    if isinstance(node, (ast.ListComp, ast.DictComp)):
        return _given_to_each(node, frame, followed)
    if not isinstance(node, ast.Name) or node.id in followed:
        return None
    bound = Bound(node, frame)
    if _is_parameter(bound):
        return [bound] if node.id not in ("self", "cls") else None
    bindings = frame.scope.bindings.get(node.id, [])
    if len(bindings) != 1 or bindings[0].value is None:
        return None
    return _given(Bound(bindings[0].value, frame), bindings[0].path, followed | {node.id})


def _given_to_each(
    made: ast.ListComp | ast.DictComp, frame: Frame, followed: frozenset[str]
) -> list[Bound] | None:
    """Return the parameters that the items of a comprehension are parts of: `[file[name] for name in names]`."""
    item = made.value if isinstance(made, ast.DictComp) else made.elt
    targets = {
        node.id
        for each in made.generators
        for node in walk(each.target)
        if isinstance(node, ast.Name)
    }
    return _given(Bound(item, frame), (), followed | targets)


def _taken(node: ast.expr, path: tuple[object, ...]) -> ast.expr:
    """Return the part of a display that a target is unpacked from, or the whole that a part is taken of."""
    for step in path:
        if not isinstance(node, (ast.Tuple, ast.List)) or not isinstance(step, int):
            break
        if step >= len(node.elts) or any(isinstance(each, ast.Starred) for each in node.elts):
            break
        node = node.elts[step]
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node


def _put_in_itself(crossing: Crossing) -> bool:
    """Return whether the code of a class that derives from a list or dict makes what it puts in."""
    above = crossing.parent.value if crossing.parent is not None else None
    made = node_of(crossing.value)
    if crossing.edge.kind != "item" or not isinstance(above, Instance) or made is None:
        return False
    return made[1] is above.cls.module and above.cls.node in made[1].ancestors(made[0])


def _is_parameter(bound: Bound) -> bool:
    node, scope = bound.node, bound.frame.scope
    if not isinstance(node, ast.Name):
        return False
    bindings = scope.bindings.get(node.id, [])
    return bool(bindings) and all(b.kind == "parameter" for b in bindings)


def _default_of(bound: Bound, made: ast.AST) -> bool:
    function = bound.frame.scope.node
    parameters = getattr(function, "args", None)
    return isinstance(parameters, ast.arguments) and made in walk(parameters)


# Rows


def row_of(value: Value, analysis: Analysis) -> ResourceRow | None:
    """Return the catalogue's row for what a value is, arguments taken into account.

    None also where the program tells `copyreg` how to pickle its type.
    """
    row = _row_of(value, analysis)
    if row is None or analysis.interpreter.instances.registered_makers.isdisjoint(
        (row.name, row.constructor, row.type.removeprefix("builtins."))
    ):
        return row
    return None


def _class_and_bases(frame: Frame, analysis: Analysis) -> list[ast.ClassDef]:
    """Return the class of the object whose method runs, and its bases."""
    owner = frame.owner
    line = analysis.mro(owner.cls) if isinstance(owner, Instance) else []
    return [each.node for each in line if isinstance(each, Class)]


def _row_of(value: Value, analysis: Analysis) -> ResourceRow | None:
    catalog = analysis.catalog
    if isinstance(value, ExternalCall) and value.name == "iter":
        return _iterator_row(value, analysis)
    if isinstance(value, ExternalCall):
        if is_scripted_function(value, analysis):
            return SCRIPTED_FUNCTION
        row = catalog.resource(value.name)
        if row is None:
            return None
        uses = uses_of(value, lambda frame: _class_and_bases(frame, analysis))
        return row.variant(_reader(value, analysis), uses)
    if isinstance(value, Derived):
        return _derived_row(value, analysis, catalog)
    if isinstance(value, External):
        row = catalog.resource(value.name)
        return row if row is not None and row.value else None
    if isinstance(value, Instance):
        return _refusing_row(value, analysis) or _inherited_row(value, analysis)
    return None


def is_scripted_function(value: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a call compiles a function; a module is saved in another way."""
    if value.name not in SCRIPTING:
        return False
    given = analysis.values(value.arguments.get(0, "obj"))
    return bool(given) and all(isinstance(each, Function) for each in given)


def _inherited_row(value: Instance, analysis: Analysis) -> ResourceRow | None:
    """Return the row of the library's class that an instance's class derives from and is pickled like."""
    own = any(
        analysis.method(value.cls, name) is not None for name in (*OWN_MAKING, "__getstate__")
    )
    if own or value.cls in analysis.interpreter.instances.registered:
        return None
    for base in analysis.mro(value.cls):
        row = analysis.catalog.resource(base.name) if isinstance(base, External) else None
        if row is not None and row.fails and row.kind in ("resource", "sync", "state"):
            note = (
                f"`{value.cls.name}` inherits from `{row.name}` and may hold state that "
                "its constructor arguments do not restore"
            )
            return replace(row, modes=(), action="report", note=note)
    return None


def _refusing_row(value: Instance, analysis: Analysis) -> ResourceRow | None:
    """Return a row for an instance of a class that refuses to be pickled: each process makes its own."""
    for name in ("__reduce_ex__", "__reduce__", "__getstate__"):
        method = analysis.method(value.cls, name) if isinstance(value.cls, Class) else None
        if method is None:
            continue
        *before, last = method.node.body if isinstance(method.node, ast.FunctionDef) else [None]
        if isinstance(last, ast.Raise) and all(isinstance(each, ast.Expr) for each in before):
            close = "close" if analysis.method(value.cls, "close") is not None else ""
            return ResourceRow(value.cls.name, action="lazy", close=close)
    return None


def _iterator_row(value: ExternalCall, analysis: Analysis) -> ResourceRow | None:
    """Return the row of the iterator of a handle: `iter(loader)`, `iter(open(path))`."""
    below = value.arguments.get(0, None)
    above = [row_of(one, analysis) for one in analysis.values(below)] if below is not None else []
    given = next((row.derived["iter"] for row in above if row and "iter" in row.derived), None)
    return analysis.catalog.hanging(given) if given is not None else None


def _derived_row(value: Derived, analysis: Analysis, catalog: Catalog) -> ResourceRow | None:
    origin = value.origin
    kind = origin.kind if isinstance(origin, Container) else "dict" if _is_read(origin) else ""
    if kind:
        return catalog.resource(f"{kind}.{value.how}") if value.called else None
    if isinstance(origin, ExternalCall):
        own = catalog.resource(f"{origin.name}.{value.how}")
        if own is not None and value.called:
            return own.variant(_call_reader(value, analysis))
    above = row_of(origin, analysis)
    if above is None:
        return None
    opened = catalog.resource(f"{above.type or above.name}.{value.how}") if value.called else None
    if opened is not None:
        return opened.variant(_call_reader(value, analysis))
    given = above.hangs(value.how, _key(value, analysis)) or _any_attribute(value, above)
    return catalog.hanging(given) if given is not None else None


def _is_read(value: Value) -> bool:
    """Return whether a value is what a text format gives, or a part of it: if it has keys, it is a dict."""
    while isinstance(value, Derived) and value.how == "__getitem__":
        value = value.origin
    return isinstance(value, ExternalCall) and value.name in _READERS


def _any_attribute(value: Derived, above: ResourceRow) -> str | None:
    named = value.called or value.how.startswith("_") or value.how in above.plain
    return None if named else above.derived.get(".")


def _key(value: Derived, analysis: Analysis) -> object:
    if value.how != "__getitem__" or not isinstance(value.node, ast.Subscript):
        return None
    if isinstance(value.node.slice, (ast.Slice, ast.Tuple)):
        return slice(None)
    key = Bound(value.node.slice, value.frame)
    known = _constant(key, analysis)
    if isinstance(known, (str, int)):
        return known
    texts = Texts(analysis, lambda each: _goes_by_name(each, value.origin, analysis))
    return "" if texts.is_text(key) or _is_used_as_group(value, analysis) else None


def _is_used_as_group(value: Derived, analysis: Analysis) -> bool:
    """Return whether code does to a part of a handle what no array has: `file["train"][split]["images"]`."""
    row = row_of(value.origin, analysis)
    if row is None or "[str]" not in row.derived or "[]" in row.derived:
        return False
    used = uses_of_part(value, lambda frame: _class_and_bases(frame, analysis))
    return not used.isdisjoint(_OF_GROUPS)


def _goes_by_name(value: Value, subscripted: Value, analysis: Analysis) -> bool:
    """Return whether iterating a value gives names of parts: a dataset that is read by number is none."""
    row = row_of(value, analysis)
    if row is None or "keys" not in row.derived:
        return False
    return "[]" in row.derived or node_of(value) == node_of(subscripted)


def _reader(value: ExternalCall, analysis: Analysis):  # type: ignore[no-untyped-def]
    def read(position: int | None, name: str) -> object:
        argument = value.arguments.get(position, name or None)
        if argument is None:
            more = value.arguments.more_positional or value.arguments.more_keywords
            return PERHAPS if more else ABSENT
        return _constant(argument, analysis)

    return read


def _call_reader(value: Derived, analysis: Analysis):  # type: ignore[no-untyped-def]
    def read(position: int | None, name: str) -> object:
        call = value.node
        if not isinstance(call, ast.Call):
            return UNKNOWN
        for keyword in call.keywords:
            if keyword.arg == name:
                return _constant(Bound(keyword.value, value.frame), analysis)
        if position is not None and position < len(call.args):
            return _constant(Bound(call.args[position], value.frame), analysis)
        return ABSENT

    return read


def _constant(argument: Argument, analysis: Analysis) -> object:
    """Return an argument's constant or constants, the end of a text that is put together, or UNKNOWN."""
    values = analysis.values(argument)
    constants = [value.value for value in values if isinstance(value, Constant)]
    if constants and len(constants) == len(values):
        return constants[0] if len(constants) == 1 else OneOf(constants)
    if isinstance(argument, Bound):
        ending = ending_of(argument, analysis)
        return UNKNOWN if ending is None else Tail(ending)
    return UNKNOWN


__all__ = ["Class", "Handle", "finding", "handles", "kind_row", "row_of"]
