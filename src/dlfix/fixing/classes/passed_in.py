"""Plan a class that is handed open handles: other processes open the same again by their names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dlfix.fixing import naming
from dlfix.fixing.classes.closing import questions_and_guards
from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import ClassFacts, StoreSite, self_name
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.plans import ClassPlan, Drop, Exchange, Insert, Lazy
from dlfix.fixing.classes.recorded import MOST_COLUMNS, fitted
from dlfix.fixing.classes.reopening import AT_FORK
from dlfix.fixing.classes.state import EACH_ITS_OWN, Surroundings, state_for
from dlfix.project.module import Module
from dlfix.project.syntax import defaults, is_none, last_name, parameters
from dlfix.reach.access_paths import added_to
from dlfix.reach.labels import label, node_of
from dlfix.reach.narrowing import facts_of
from dlfix.reach.values import Bound, Constant, Derived, ExternalCall, Value


@dataclass(frozen=True)
class Again:
    """How a handle is opened again: what to ask it for, and the call that takes the answers."""

    asks: tuple[tuple[str, str], ...]  # suffix of the attribute that keeps it, and the question
    call: str
    library: str
    knows: frozenset[str] = frozenset()  # further arguments that the answers hold
    positional: int = (
        0  # how many positional arguments they hold, where that is not the number of questions
    )
    alone: bool = False  # no process may open it while it holds its parent's
    fuller: Again | None = None  # where the caller opened it with more


_PATHS = ("name", "file", "filename", "database")
_EMPTY = ("{}", "[]", "dict()", "list()")
_READING = ("r", "rb", "r:*", "r:gz", "r:bz2", "r:xz", None)
_FLAGS_OF_LMDB = frozenset(
    "subdir readonly metasync sync map_async readahead writemap meminit lock".split()
)

REOPENED = {
    "h5py.File": Again((("name", "filename"), ("mode", "mode")), "h5py.File({}, {})", "h5py"),
    "zipfile.ZipFile": Again((("name", "filename"),), "zipfile.ZipFile({})", "zipfile"),
    "netCDF4.Dataset": Again((("name", "filepath()"),), "netCDF4.Dataset({})", "netCDF4"),
    "open": Again((("name", "name"), ("mode", "mode")), "open({}, {})", ""),
    "gzip.open": Again((("name", "name"),), "gzip.open({})", "gzip"),
    "rasterio.open": Again((("name", "name"),), "rasterio.open({})", "rasterio"),
    "tarfile.open": Again((("name", "name"),), "tarfile.open({})", "tarfile"),
    "soundfile.SoundFile": Again((("name", "name"),), "soundfile.SoundFile({})", "soundfile"),
    "numpy.load": Again((("name", "zip.filename"),), "numpy.load({})", "numpy"),
    "lmdb.open": Again(
        (("path", "path()"), ("flags", "flags()")),
        "lmdb.open({}, **{})",
        "lmdb",
        knows=_FLAGS_OF_LMDB,
        alone=True,
        fuller=Again(
            (("path", "path()"), ("map_size", 'info()["map_size"]'), ("flags", "flags()")),
            "lmdb.open({}, map_size={}, **{})",
            "lmdb",
            knows=_FLAGS_OF_LMDB | {"map_size"},
            alone=True,
        ),
    ),
}
# What tells nothing of how it was set up: for an attribute only, where nobody sets it up.
_CONNECTIONS = {
    "sqlite3.connect": Again(
        (("path", 'execute("PRAGMA database_list").fetchone()[2]'),),
        "sqlite3.connect({})",
        "sqlite3",
        knows=frozenset({"timeout"}),
    ),
}
_MAP_OF_A_FILE = Again(
    (("path", "filename"),),
    'numpy.load({}, mmap_mode="r")',
    "numpy",
    knows=frozenset({"mmap_mode", "mode", "allow_pickle"}),
    positional=3,
)
# Objects cannot be mapped: `allow_pickle` only says that the header may have any length.
_MAP_OF_A_TRUSTED_FILE = replace(
    _MAP_OF_A_FILE, call='numpy.load({}, mmap_mode="r", allow_pickle=True)'
)
_MAP_OF_BYTES = Again(
    (("path", "filename"), ("dtype", "dtype"), ("offset", "offset"), ("shape", "shape")),
    'numpy.memmap({}, {}, "r", {}, {})',
    "numpy",
    knows=frozenset({"mode"}),
    positional=5,
)
_PART_OF_H5 = Again(
    (("file", "file.filename"), ("mode", "file.mode"), ("name", "name")),
    "h5py.File({}, {})[{}]",
    "h5py",
)


def plan_passed_in(culprit: Culprit, around: Surroundings) -> ClassPlan:
    """Plan an attribute that is set to a handle, or to several in a list or dict, that the caller opened."""
    facts, site = culprit.facts, culprit.site
    again = _opened_again(culprit, REOPENED | _CONNECTIONS)
    if _is_part_of_argument(culprit):
        return _part_kept(culprit, again, around)
    if not isinstance(site.value, ast.Name) or not _is_parameter(site):
        raise Refusal(
            f"the stored resource is not a parameter of `{site.method.name}` ({facts.line(site.statement)})"
        )
    if culprit.opener == "sqlite3.connect":
        _refuse_set_up(facts, site)
    alone = getattr(site.statement, "targets", [site.target]) == [site.target]
    if not alone and not _is_unpacked(site):
        raise Refusal(f"the statement also sets other attributes ({facts.line(site.statement)})")
    if len([each for each in facts.stores[site.attribute] if not each.resets]) > 1:
        raise Refusal(f"the attribute is reassigned ({facts.line(site.statement)})")
    me, given = self_name(site.method), site.value.id
    stem = f"{me}._{site.attribute.lstrip('_')}"
    kept_in = f"_{site.attribute.lstrip('_')}_by_pid"
    if culprit.container:
        kept, body = _several(culprit, again, stem, around)
    else:
        kept, body = _one(facts.module, site, again, stem)
    table = f"{{os.getpid(): {given}}}"
    lines = [f"{me}.{kept_in} = {table}", *kept]
    span = facts.module.span(site.statement)
    drops = (Drop(kept_in, "{}", EACH_ITS_OWN),)
    exchanges: tuple[Exchange, ...] = (Exchange(span, "\n".join(lines)),)
    if not alone:
        exchanges = (
            Exchange(facts.module.span(site.target), f"{me}.{kept_in}", "expression"),
            Exchange(facts.module.span(site.value), table, "expression"),
        )
    exchanges += tuple(questions_and_guards(facts, site.attribute, kept_in))
    return ClassPlan(
        cls=facts.module.span(facts.node),
        exchanges=exchanges,
        inserts=() if alone else (Insert(span, "\n".join(kept)),),
        lazies=(
            Lazy(
                name=site.attribute,
                body=body,
                kept_in=kept_in,
                self_name=me,
                alone=again.alone,
                settable=any(each.resets for each in facts.stores[site.attribute]),
            ),
        ),
        state=state_for(facts, drops, (), around),
        after=site.method.name,
        imports=(again.library,) if again.library else (),
    )


def _is_part_of_argument(culprit: Culprit) -> bool:
    """Return whether one attribute is set to an item of an argument, or to several: `group["frames"]`."""
    site, value = culprit.site, culprit.value
    alone = getattr(site.statement, "targets", [site.target]) == [site.target]
    if not alone or len(culprit.facts.stores[site.attribute]) != 1:
        return False
    if not isinstance(value, Derived) or site.value is None:
        return False
    if culprit.container and not _are_alike(culprit):
        return False
    item = _item(site.value)
    root = item
    while isinstance(root, ast.Subscript):
        root = root.value
    return root is not item and isinstance(root, ast.Name) and root.id in parameters(site.method)


def _item(made: ast.expr) -> ast.expr:
    """Return what a comprehension makes each item of; another expression itself."""
    match made:
        case ast.ListComp(elt=item) | ast.DictComp(value=item):
            return item
    return made


def _part_kept(culprit: Culprit, again: Again, around: Surroundings) -> ClassPlan:
    """Plan an attribute that is set to items of an argument: what is stored is asked how to open it again."""
    facts, site = culprit.facts, culprit.site
    assert site.value is not None
    me, stem = self_name(site.method), f"_{site.attribute.lstrip('_')}"
    kept_in = f"{stem}_by_pid"
    taken = {*facts.module.inner_scope(site.method).bindings, *facts.module.scope.bindings}
    local = naming.free_name(site.attribute.strip("_") or "part", taken)
    if culprit.container:
        kept, body = _for_each(again, f"{me}.{stem}", local, culprit.container)
    else:
        kept, body = _for_one(again, f"{me}.{stem}", local)
    lines = [
        f"{local} = {facts.module.segment(site.value)}",
        f"{me}.{kept_in} = {{os.getpid(): {local}}}",
        *kept,
    ]
    return ClassPlan(
        cls=facts.module.span(facts.node),
        exchanges=(Exchange(facts.module.span(site.statement), "\n".join(lines)),),
        lazies=(Lazy(name=site.attribute, body=body, kept_in=kept_in, self_name=me),),
        state=state_for(facts, (Drop(kept_in, "{}", EACH_ITS_OWN),), (), around),
        after=site.method.name,
        imports=(again.library,) if again.library else (),
    )


def _opened_again(culprit: Culprit, known: Mapping[str, Again] = REOPENED) -> Again:
    """Return how what the caller opened is opened again, with all that it was opened with."""
    value, again = culprit.value, known.get(culprit.opener)
    if isinstance(value, Derived):
        value, again = _part_of_h5(value)
    elif isinstance(value, ExternalCall) and value.name in _MODES_OF_MAPS:
        again = _mapped_again(value, again)
    if again is None:
        raise Refusal(_unknown(culprit))
    if isinstance(value, ExternalCall) and not _records(again, value.node) and again.fuller:
        again = again.fuller
    if isinstance(value, ExternalCall) and not _records(again, value.node):
        where = f"{value.frame.module.path.name}:{value.node.lineno}"
        raise Refusal(
            "the caller opens the resource with arguments that the resource does not "
            f"record ({where})"
        )
    if isinstance(value, ExternalCall) and _is_in_memory(value):
        where = f"{value.frame.module.path.name}:{value.node.lineno}"
        raise Refusal(f"the database may exist only in the memory of the parent ({where})")
    used = _set_up_at(value) if isinstance(value, ExternalCall) else None
    if used is not None and isinstance(value, ExternalCall):
        where = f"{value.frame.module.path.name}:{used.lineno}"
        raise Refusal(
            f"the caller may set up the connection, which records nothing of it ({where})"
        )
    if again.alone and isinstance(value, ExternalCall) and not _is_handed_on(value):
        where = f"{value.frame.module.path.name}:{value.node.lineno}"
        raise Refusal(
            f"the caller may hold the resource, which no forked worker may open ({where})"
        )
    return _spelled(again, culprit.facts)


def _unknown(culprit: Culprit) -> str:
    """Say why a worker cannot open what the caller passes, and what would let it."""
    cls, found = culprit.facts.node.name, node_of(culprit.value)
    if not culprit.opener or found is None:
        how = f"passes `{label(culprit.value)}`"
        return f"the caller {how}, which does not record how to reopen the resource"
    node, module = found
    where = f"{module.path.name}:{getattr(node, 'lineno', 1)}"
    return (
        f"the resource does not record what `{culprit.opener}` opened it with: pass that to `{cls}`, "
        f"and open it there ({where})"
    )


def _is_in_memory(value: ExternalCall) -> bool:
    """Return whether a database may have no file: its path is not seen, or the module names one in memory."""
    if value.name != "sqlite3.connect":
        return False
    path = value.arguments.get(0, "database")
    if not isinstance(path, Bound) or getattr(path.node, "value", path) == "":
        return True
    return any(name in value.frame.module.text for name in (":memory:", "mode=memory"))


def _set_up_at(value: ExternalCall) -> ast.expr | None:
    """Return where code that opens a connection does more with it than ask queries, close it and hand it on."""
    if value.name != "sqlite3.connect":
        return None
    module, node = value.frame.module, value.node
    if _is_handed_on(value):
        return None
    match module.parent(node):
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = module.scope_of(node)
            owner = scope.lookup(name) or scope
            if len(owner.bindings.get(name, ())) > 1:
                return node
            reads = [each for inner in owner.walk() for each in inner.reads.get(name, ())]
            return next((each for each in reads if not _only_asks(module, each)), None)
    return node


def _refuse_set_up(facts: ClassFacts, site: StoreSite) -> None:
    """Refuse a constructor that does more than store the connection that it is given, and ask it queries."""
    assert isinstance(site.value, ast.Name)
    by_name = facts.module.inner_scope(site.method).reads.get(site.value.id, ())
    reads: list[ast.AST] = [each for each in by_name if each is not site.value]
    by_attribute = facts.reads.get(site.attribute, ())
    reads += [node for method, node in by_attribute if method.name in facts.started]
    for each in reads:
        if not _only_asks(facts.module, each):
            raise Refusal(f"the connection is used where it is stored ({facts.line(each)})")


def _only_asks(module: Module, node: ast.AST) -> bool:
    above = module.parent(node)
    match above, module.parent(above) if above is not None else None:
        case ast.Attribute(attr="close"), ast.Call(args=[]):
            return True
        case ast.Attribute(attr="execute"), ast.Call(args=[query, *_]) as call:
            return call.func is above and _begins(query).lstrip()[:6].upper() == "SELECT"
        case ast.Call(func=made), _:
            return last_name(made)[:1].isupper()  # an object of a class is made of it
        case ast.keyword(), ast.Call(func=made):
            return last_name(made)[:1].isupper()
    return False


def _begins(query: ast.expr) -> str:
    """Return how a text begins: one statement alone is executed, whatever a formatted text has in it."""
    match query:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=[first, *_]) | ast.BinOp(left=first, op=ast.Add() | ast.Mod()):
            return _begins(first)
        case ast.Call(func=ast.Attribute(value=first, attr="format")):
            return _begins(first)
    return ""


_MODES_OF_MAPS = {
    "numpy.load": (1, "mmap_mode"),
    "numpy.memmap": (2, "mode"),
    "numpy.lib.format.open_memmap": (1, "mode"),
}


def _mapped_again(value: ExternalCall, unmapped: Again | None) -> Again | None:
    """Return how a file that is mapped for reading is mapped again; what is given if `numpy.load` reads it."""
    mode = _written(value, *_MODES_OF_MAPS[value.name])
    if value.name == "numpy.load" and mode is None:
        return unmapped
    if mode != "r":
        return None
    if value.name == "numpy.memmap":
        return _MAP_OF_BYTES
    trusted = _written(value, 2, "allow_pickle") if value.name == "numpy.load" else None
    if trusted is True:
        return _MAP_OF_A_TRUSTED_FILE
    return _MAP_OF_A_FILE if trusted in (None, False) else None


def _written(value: ExternalCall, position: int, name: str) -> object:
    """Return the constant that an argument is; what stands there otherwise, None where it is left out."""
    given = value.arguments.get(position, name)
    known = given.node if isinstance(given, Bound) else given
    return known.value if isinstance(known, (ast.Constant, Constant)) else known


def _part_of_h5(value: Derived) -> tuple[Value, Again | None]:
    """Return the file that a group or dataset is an item of, and how the item is opened again."""
    origin: Value = value
    while isinstance(origin, Derived) and origin.how == "__getitem__":
        origin = origin.origin
    opened = isinstance(origin, ExternalCall) and origin.name == "h5py.File"
    return origin, _PART_OF_H5 if opened else None


def _spelled(again: Again, facts: ClassFacts) -> Again:
    """Return a call under the name that the module gives to the library: `import h5py as h5`."""
    name = facts.imported_as(again.library)
    if not name:
        return again
    return replace(again, call=again.call.replace(f"{again.library}.", f"{name}."), library="")


def _is_handed_on(value: ExternalCall) -> bool:
    """Return whether what opens a resource is written where it is passed, or next to it: nothing else holds it."""
    module = value.frame.module
    above = module.parent(value.node)
    match above:
        case ast.Call() | ast.keyword():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = module.scope_of(above)
            reads = scope.reads.get(name, []) if scope.is_function else []
            return len(reads) == 1 and _is_returned_in_call(reads[0], module)
    return False


def _is_returned_in_call(read: ast.AST, module: Module) -> bool:
    """Return whether a name is passed to the call that a function returns: `return Store(env)`."""
    above = module.parent(read)
    call = module.parent(above) if isinstance(above, ast.keyword) else above
    return isinstance(call, ast.Call) and isinstance(module.parent(call), ast.Return)


def _records(again: Again, call: ast.Call) -> bool:
    """Return whether a handle knows all that it was opened with; to be open for reading needs no saying."""
    asked = [suffix for suffix, _ in again.asks]
    others = call.args[again.positional or (1 if again.knows else len(asked)) :]
    known = {*asked[1:], *_PATHS, *again.knows}
    others += [k.value for k in call.keywords if k.arg not in known]
    return all(isinstance(each, ast.Constant) and each.value in _READING for each in others)


def _one(module: Module, site: StoreSite, again: Again, stem: str) -> tuple[list[str], str]:
    """Return what keeps how a handle is opened, and the body that opens it again."""
    assert isinstance(site.value, ast.Name)
    return _for_one(again, stem, site.value.id, optional=_may_be_none(module, site))


def _for_one(
    again: Again, stem: str, given: str, *, optional: bool = False
) -> tuple[list[str], str]:
    kept = [f"{stem}_{suffix}" for suffix, _ in again.asks]
    unless = f" if {given} is not None else None" if optional else ""
    lines = [
        f"{name} = {given}.{question}{unless}"
        for name, (_, question) in zip(kept, again.asks, strict=True)
    ]
    body = _returned(again.call.format(*kept))
    return lines, body + (f" if {kept[0]} is not None else None" if optional else "")


def _returned(call: str) -> str:
    """Return a statement that returns what a call gives, in one line where it is short, else in three."""
    if len(call) <= MOST_COLUMNS:
        return f"return {call}"
    called, _, given = call.partition("(")
    return f"return {called}(\n    {given.removesuffix(')')}\n)"


def _several(
    culprit: Culprit, again: Again, stem: str, around: Surroundings
) -> tuple[list[str], str]:
    """Return what keeps how the handles of a list or dict are opened, and the body that opens them again."""
    site, container = culprit.site, culprit.container
    where = culprit.facts.line(site.statement)
    assert isinstance(site.value, ast.Name)
    given = site.value.id
    if not _are_alike(culprit) or _may_be_none(culprit.facts.module, site):
        raise Refusal(f"the caller opens the resources of a {container} in several ways ({where})")
    if around.inputs is None or any(around.inputs.mutated_argument(site.method, given)):
        raise Refusal(f"the caller modifies the {container} that it passed ({where})")
    return _for_each(again, stem, given, container)


def _for_each(again: Again, stem: str, given: str, container: str) -> tuple[list[str], str]:
    names = [suffix for suffix, _ in again.asks]
    answers = [f"each.{question}" for _, question in again.asks]
    alone = len(names) == 1
    kept = f"{stem}_{names[0]}s" if alone else f"{stem}_arguments"
    answer = answers[0] if alone else f"({', '.join(answers)})"
    opened, target = again.call.format(*names), ", ".join(names)
    if container == "list":
        body = fitted("return ", "[", opened, f"for {target} in {kept}", "]")
        return [fitted(f"{kept} = ", "[", answer, f"for each in {given}", "]")], body
    target = target if alone else f"({target})"
    body = fitted("return ", "{", f"key: {opened}", f"for key, {target} in {kept}.items()", "}")
    answer = f"key: {answer}"
    return [fitted(f"{kept} = ", "{", answer, f"for key, each in {given}.items()", "}")], body


def _are_alike(culprit: Culprit) -> bool:
    """Return whether a comprehension, or one statement of a loop, makes all handles of a list or dict alike."""
    made = node_of(culprit.value)
    if made is None:
        return False
    match made[1].parent(made[0]):
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
            | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))
        ):
            return _is_filled_alone(name, *made)
        case ast.ListComp(elt=item):
            return item is made[0] and culprit.container == "list"
        case ast.DictComp(value=item):
            return item is made[0] and culprit.container == "dict"
    return False


def _is_filled_alone(name: str, made: ast.AST, module: Module) -> bool:
    """Return whether a local list or dict begins empty, and one statement alone puts something into it."""
    scope = module.scope_of(made)
    bindings = scope.bindings.get(name, [])
    added = [each for each in added_to(("", name), module) if module.scope_of(each.node) is scope]
    begins_empty = len(bindings) == 1 and ast.unparse(bindings[0].value or made) in _EMPTY
    return begins_empty and len(added) == 1 and added[0].value is made


def plan_field(culprit: Culprit, around: Surroundings) -> ClassPlan:
    """Plan a field whose handle the caller opens: its state says how to open it again."""
    facts, name = culprit.facts, culprit.attribute
    again = _opened_again(culprit)
    if culprit.container:
        where = facts.line(culprit.site.statement)
        raise Refusal(f"the caller opens several resources for a field ({where})")
    asked = [f"self.{name}.{question}" for _, question in again.asks]
    one = len(asked) == 1
    becomes = asked[0] if one else f"({', '.join(asked)})"
    written = again.call.format(
        *[f"self.{name}"] if one else [f"self.{name}[{i}]" for i in range(len(asked))]
    )
    restore = facts.setting(name, written)
    drops = (Drop(name, becomes, "__setstate__ reopens it"),)
    state = state_for(facts, drops, (restore,), around)
    if state is None or facts.slots is not None or state.getstate == "own":
        raise Refusal(f"the class defines how it is pickled ({facts.line(facts.node)})")
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state,
        after=next((m for m in ("__init__", "__post_init__") if m in facts.methods), ""),
        imports=(again.library,) if again.library else (),
        remains=AT_FORK,
    )


def _is_unpacked(site: StoreSite) -> bool:
    """Return whether an attribute is one of several that one statement sets, each to a value of its own."""
    match site.statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return (
                site.target in targets
                and len(targets) == len(values)
                and values[targets.index(site.target)] is site.value
            )
    return False


def _may_be_none(module: Module, site: StoreSite) -> bool:
    """Return whether the caller may leave the handle out, and no test above has an error for that."""
    assert isinstance(site.value, ast.Name)
    if not is_none(defaults(site.method.args).get(site.value.id)):
        return False
    return not any(_is_not_none(*fact) for fact in facts_of(site.value, module))


def _is_not_none(test: ast.expr, held: bool) -> bool:
    """Return whether a name is not None where a test of it came out one way."""
    match test:
        case ast.Compare(ops=[ast.Is()], comparators=[value]):
            return not held and is_none(value)
        case ast.Compare(ops=[ast.IsNot()], comparators=[value]):
            return held and is_none(value)
    return held and isinstance(test, ast.Name)


def _is_parameter(site: StoreSite) -> bool:
    arguments = site.method.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    assert isinstance(site.value, ast.Name)
    return site.value.id in names
