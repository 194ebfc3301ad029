"""Generators of random numbers that an object keeps, and how to make one from a seed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlfix.project.syntax import is_attribute_of
from dlfix.project.trees import children, kept, walk
from dlfix.reach.methods import decorator_kind
from dlfix.reach.process_roles import used_on_self
from dlfix.rules.base import Place
from dlfix.rules.reading.names import words, words_of

if TYPE_CHECKING:
    from dlfix.project.module import Module

# How a generator is made from the worker's seed and from what tells it from others; {make} is the maker as the file
# writes it, {own} the worker's copy of the parent's, {base} the seed of that, which cannot cross itself.
_FROM_SEED = {
    "random.Random": "{make}(worker.seed + {own}.getrandbits(64))",
    "numpy.random.default_rng": "{make}([worker.seed, {own}.integers(2**63)])",
    "numpy.random.RandomState": "{make}([worker.seed % 2**32, {own}.tomaxint() % 2**32])",
    "numpy.random.mtrand.RandomState": "{make}([worker.seed % 2**32, {own}.tomaxint() % 2**32])",
    "numpy.random.Generator": "{make}({bits}([worker.seed, {own}.integers(2**63)]))",
    "torch.Generator": "{make}().manual_seed(hash((worker.seed, {base})))",
}
GENERATORS = frozenset(_FROM_SEED)
MUTATED_GLOBALLY = ("random.", "numpy.random.")
_NOT_DRAWING = frozenset(
    {
        "Random",
        "SystemRandom",
        "Generator",
        "RandomState",
        "default_rng",
        "SeedSequence",
        "PCG64",
        "MT19937",
        "Philox",
        "SFC64",
        "PCG64DXSM",
        "BitGenerator",
    }
)
RESEEDING = frozenset(
    {
        "get_worker_info",
        "worker_info",
        "initial_seed",
        "worker_init_fn",
        "worker_id",
        "worker_seed",
        "WorkerInfo",
    }
)
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "model_post_init")
SEED_METHODS = frozenset({"seed", "manual_seed", "setstate", "set_state", "spawn"})


@dataclass(frozen=True)
class Kept:
    """A generator kept on objects of a class."""

    place: Place  # of the call that makes it
    module: Module
    cls: ast.ClassDef
    attribute: str
    kind: str  # a key of _FROM_SEED
    call: ast.Call | None
    targets: tuple[ast.Attribute, ...]
    annotation: str = ""
    related: tuple[tuple[Module, ast.ClassDef], ...] = ()  # other classes of the same objects
    is_default: bool = False  # made where the caller passed none


@dataclass(frozen=True)
class Drawn:
    """A method of a hidden global generator kept on an object: `random.random`."""

    place: Place
    module: Module
    function: str
    cls: ast.ClassDef | None = None
    value: ast.expr | None = None
    is_global: bool = False  # a generator of the module's own, by this name


def draws_globally(name: str) -> bool:
    """Return whether a dotted name is a method of a generator that `random` or numpy hides."""
    prefix = next((each for each in MUTATED_GLOBALLY if name.startswith(each)), None)
    if prefix is None or name in GENERATORS:
        return False
    last = name.removeprefix(prefix).removeprefix("mtrand.")
    draws = last not in _NOT_DRAWING | SEED_METHODS | {"getstate", "get_state"}
    return last.isidentifier() and draws and last[0].islower()


def targets(cls: ast.ClassDef, attribute: str) -> tuple[ast.Attribute, ...]:
    """Return the places in a class where `self.<attribute>` is stored or deleted."""
    own = (node for node in walk(cls) if isinstance(node, ast.Attribute))
    return tuple(
        node for node in own if _is_own(node, attribute) and not isinstance(node.ctx, ast.Load)
    )


def loads(node: ast.AST, attribute: str) -> list[ast.Attribute]:
    """Return the places where `self.<attribute>` is read."""
    return [
        each
        for each in walk(node)
        if isinstance(each, ast.Attribute)
        and _is_own(each, attribute)
        and isinstance(each.ctx, ast.Load)
    ]


def read_as(line: Iterable[ast.ClassDef], attribute: str) -> frozenset[str]:
    """Return the names under which objects give an attribute: its own, and of properties that only return it."""
    getters = (
        method.name
        for cls in line
        for method in _methods(cls)
        if decorator_kind(method) == "property" and isinstance(method.body[-1], ast.Return)
        if (value := method.body[-1].value) is not None and _is_own(value, attribute)
    )
    return frozenset({attribute, *getters})


@dataclass(frozen=True)
class Questions:
    """What is asked of an object that keeps a generator.

    `is_set_up` says of a method that a constructor uses whether nothing else runs it, `is_idle` of any method
    whether nothing runs it at all, `is_on` of a flag of the object whether it is set, `is_dead` of code in a
    class whether the object does not come to it, `seeds_its` of a call whether it seeds one of its arguments.
    """

    is_set_up: Callable[[str], bool]
    is_idle: Callable[[str], bool]
    is_on: Callable[[str], bool | None]
    is_dead: Callable[[ast.ClassDef, ast.AST], bool]
    seeds_its: Callable[[ast.ClassDef, ast.Call, ast.expr], bool]


def is_reseeded(line: Sequence[ast.ClassDef], attribute: str, asked: Questions) -> bool:
    """Return whether classes ask which worker they are in, or seed the generator after `__init__`."""
    if any(not asked.is_dead(cls, node) for cls in line for node in _asking_which_worker(cls)):
        return True
    touching = [cls for cls in line if attribute in _may_be_seeded(cls)]
    if not touching:
        return False
    setting_up = _setting_up(line, asked.is_set_up)
    return any(
        not asked.is_dead(cls, node) and not asked.is_idle(method.name)
        for cls in touching
        for method in _methods(cls)
        if method.name not in setting_up
        for node in _always(method, _flags(cls), asked.is_on)
        if _seeds(node, attribute)
        or any(asked.seeds_its(cls, *each) for each in _handed(node, attribute))
    )


@kept
def _asking_which_worker(cls: ast.ClassDef) -> tuple[ast.AST, ...]:
    """Return where a class mentions what tells the worker it is in, or its seed."""
    return tuple(node for node in walk(cls) if _word(node) in RESEEDING)


@kept
def _may_be_seeded(cls: ast.ClassDef) -> frozenset[str]:
    """Return the attributes that a class stores, seeds or passes to a call."""
    found = set()
    for node in walk(cls):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name))):
                found.add(name)
        if isinstance(node, ast.Call):
            given = (*node.args, *(each.value for each in node.keywords))
            found.update(each.attr for each in given if isinstance(each, ast.Attribute))
    return frozenset(found)


def _setting_up(line: Sequence[ast.ClassDef], is_set_up: Callable[[str], bool]) -> set[str]:
    """Return the methods that only run while an object is made: constructors, and what only they use."""
    uses: dict[str, frozenset[str]] = {}
    for cls in line:
        for method in _methods(cls):
            uses[method.name] = uses.get(method.name, frozenset()) | used_on_self(method)
    found = {name for name in uses if name in _CONSTRUCTORS}
    size = -1
    while size != len(found):
        size = len(found)
        later = frozenset().union(*(used for name, used in uses.items() if name not in found))
        found |= {
            name
            for name in uses
            if not name.endswith("__") and name not in later
            if any(name in uses[each] for each in found)
            if name.startswith("_") or is_set_up(name)
        }
    return found


@kept
def _flags(cls: ast.ClassDef) -> frozenset[str]:
    """Return the attributes that nothing but the constructor sets, once."""
    stores = [
        (method.name, node.attr)
        for method in _methods(cls)
        for node in walk(method)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    names = [name for _, name in stores]
    return frozenset(n for m, n in stores if m == "__init__" and names.count(n) == 1)


def _always(
    tree: ast.AST, flags: frozenset[str], is_on: Callable[[str], bool | None]
) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, less those under a flag of the object that is not known to be on."""
    yield tree
    for child in children(tree):
        if isinstance(child, ast.If) and not child.orelse and _leaves_out(child.test, flags, is_on):
            continue
        yield from _always(child, flags, is_on)


def _leaves_out(test: ast.expr, flags: frozenset[str], is_on: Callable[[str], bool | None]) -> bool:
    """Return whether a test is of nothing but a flag, by which its branch may not run."""
    wanted = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, wanted = test.operand, not wanted
    match test:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in flags:
            return is_on(name) is not wanted
    return False


def _seeds(node: ast.AST, attribute: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=called)):
            return name == attribute and called in SEED_METHODS
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return name == attribute
    return False


def _handed(node: ast.AST, attribute: str) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield a call that is passed the generator, and the argument: `with seeded(self.rng, seed):`."""
    if isinstance(node, ast.Call):
        for given in (*node.args, *(each.value for each in node.keywords)):
            if isinstance(given, ast.Attribute) and _is_own(given, attribute):
                yield node, given


def seeds_parameter(function: ast.AST, name: str) -> bool:
    """Return whether a function seeds what it gets for a parameter."""
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and isinstance(each.func.value, ast.Name)
        and each.func.value.id == name
        and each.func.attr in SEED_METHODS
        for each in walk(function)
    )


def reseeding(function: ast.AST, attribute: str) -> list[ast.AST]:
    """Return where a `worker_init_fn` touches a kept generator, or every dataset's."""
    return [node for node in walk(function) if words_of(node) & {attribute, "dataset"}]


def _word(node: ast.AST) -> str:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
            return word
    return ""


def attributes(cls: ast.ClassDef) -> set[str]:
    """Return every attribute a class mentions, and what its body binds."""
    return words(cls)


def names(module: Module) -> set[str]:
    """Return every name a module mentions."""
    return words(module.tree)


def maker(kept: Kept, own: str, base: str) -> str:
    """Return the expression that makes a generator from `worker.seed`, unlike that of another generator of the worker."""
    assert kept.call is not None
    call: Any = kept.call
    bits = ""
    if kept.kind == "torch.Generator" and _is_seeding(call):
        call = call.func.value
    if kept.kind == "numpy.random.Generator":
        bits = ast.unparse(call.args[0].func)
    make = ast.unparse(call.func)
    return _FROM_SEED[kept.kind].format(
        make=make, bits=bits, own=f"self.{own}", base=f"self.{base}"
    )


def _is_seeding(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "manual_seed"


def why_not(kept: Kept) -> str:
    """Return why a kept generator cannot be made a property, "" if it can."""
    cls, module = kept.cls, kept.module
    if kept.call is None:
        how = "may be" if kept.is_default else "is"
        return f"`{kept.attribute}` {how} created elsewhere and passed to `{cls.name}`"
    if not kept.targets:
        return f"`{kept.attribute}` is not set by a simple assignment in `{cls.name}`"
    for other, also in kept.related:
        for target in targets(also, kept.attribute):
            row = other.span(target).start.row
            return f"`{kept.attribute}` is also set in `{also.name}` ({other.path.name}:{row})"
    if len(kept.targets) != 1 or not _is_plain(module, kept.targets[0]):
        row = module.span(kept.targets[-1]).start.row
        return f"`{kept.attribute}` is not set by one simple assignment (line {row})"
    if kept.kind == "numpy.random.Generator" and not _has_bits(kept.call):
        return "the bit generator is created elsewhere"
    if kept.kind == "torch.Generator" and not is_on_cpu(kept.call):
        return "the generator may not be on the CPU"
    if any(isinstance(each, ast.Name) and each.id == "__slots__" for each in walk(cls)):
        return f"`{cls.name}` has `__slots__`"
    if kept.kind == "torch.Generator" and _has_state(cls):
        return f"`{cls.name}` defines how it is pickled"
    return _handed_on(kept)


def _handed_on(kept: Kept) -> str:
    for module, cls in ((kept.module, kept.cls), *kept.related):
        init = next((each for each in _methods(cls) if each.name == "__init__"), None)
        for load in loads(init, kept.attribute) if init else ():
            if not isinstance(module.parent(load), ast.Attribute):
                where = "line " if module is kept.module else f"{module.path.name}:"
                return f"`{kept.attribute}` is passed on ({where}{load.lineno})"
    return ""


def _is_plain(module: Module, target: ast.Attribute) -> bool:
    statement = module.parent(target)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.value, ast.Call)
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.Call)
    )


def _has_bits(call: ast.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], ast.Call)


def is_on_cpu(call: ast.Call) -> bool:
    """Return whether a call makes a `torch.Generator` of the CPU, seeded or not."""
    made: ast.expr = call
    if isinstance(call.func, ast.Attribute) and call.func.attr == "manual_seed":
        made = call.func.value
    if not isinstance(made, ast.Call):
        return False
    devices = [*made.args, *(keyword.value for keyword in made.keywords)]
    return all(isinstance(each, ast.Constant) and each.value == "cpu" for each in devices)


def _has_state(cls: ast.ClassDef) -> bool:
    own = {"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"}
    return any(method.name in own for method in _methods(cls))


def _methods(cls: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for statement in cls.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement


def _is_own(node: ast.AST, attribute: str) -> bool:
    return is_attribute_of(node, "self") and node.attr == attribute
