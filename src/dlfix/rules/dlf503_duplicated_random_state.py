"""DLF503: a random number generator is the same in every worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import parameters
from dlfix.project.trees import walk
from dlfix.reach.conditions import is_dead
from dlfix.reach.labels import node_of
from dlfix.reach.predicates import truth
from dlfix.reach.values import (
    Arguments,
    Bound,
    Constant,
    Derived,
    External,
    Function,
    Instance,
    Partial,
)
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.reading import exceptions, randomness, reached
from dlfix.rules.reading.global_generators import drawn_by_workers, kind_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing, Store
    from dlfix.reach.values import Value

# Bases whose own code calls no method of an object but those of a dataset.
_BASES = frozenset(
    {
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.Dataset",
        "torch.utils.data.dataset.IterableDataset",
        "abc.ABC",
    }
)


class DuplicatedRandomState(Rule):
    """A random number generator is the same in every worker.

    ## What it does

    Reports `random.Random`, `numpy.random.Generator`, `RandomState` and `torch.Generator` stored on
    objects that are sent to a worker and used there, and functions of `random` and `numpy.random`
    stored by reference (`self.draw = random.random`), which are pickled with their generator. A
    generator in a module-level name that code in workers draws from is reported too.
    Generators that a worker reseeds (`worker_init_fn`, `get_worker_info`,
    `torch.initial_seed()`) are not reported, nor is the global state of `random`, `numpy.random`
    and `torch`, which torch seeds in each worker.

    ## The error you see

    None: all workers draw the same numbers, and without persistent workers, every epoch does. The
    example prints (torch 2.13, numpy 2, Python 3.11)

        tensor([850, 636])
        tensor([850, 636])

    A `torch.Generator` fails in a spawned worker: `RuntimeError: unable to resize file <filename not
    specified> to the right size: Invalid argument (22)`.

    ## Example

        import numpy as np
        from torch.utils.data import DataLoader, Dataset


        class Noise(Dataset):
            def __init__(self, count, seed):
                self.count = count
                self.rng = np.random.default_rng(seed)

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.rng.integers(1000)


        if __name__ == "__main__":
            for batch in DataLoader(Noise(4, seed=0), batch_size=2, num_workers=2):
                print(batch)

    ## Use instead

        import numpy as np
        from torch.utils.data import DataLoader, Dataset, get_worker_info


        class Noise(Dataset):
            def __init__(self, count, seed):
                self.count = count
                self._rng = np.random.default_rng(seed)
                self._rng_seed = None

            @property
            def rng(self):
                worker = get_worker_info()
                if worker is not None and self._rng_seed != worker.seed:
                    # each worker draws its own numbers in each epoch
                    self._rng_seed = worker.seed
                    self._rng = np.random.default_rng([worker.seed, self._rng.integers(2**63)])
                return self._rng

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return self.rng.integers(1000)


        if __name__ == "__main__":
            for batch in DataLoader(Noise(4, seed=0), batch_size=2, num_workers=2):
                print(batch)

    Or set `rng` in a `worker_init_fn`, or draw from `torch`'s global generator.

    ## Fix safety

    The fix is unsafe: workers draw different numbers than before because they use torch's seed, beside a number of the
    generator itself, so that several generators of one worker stay independent. Without workers nothing changes. There is no fix if the generator is passed to other code, or is set in more
    than one way.

    ## How to turn it off

    `# dlfix: ignore[DLF503]` on the line that creates the generator, or `ignore = ["DLF503"]` in the
    configuration.
    """

    code = "DLF503"
    name = "duplicated-random-state"
    severity = "warning"
    codemods = ("worker_random_state",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each generator that all workers get a copy of."""
        for crossing in analysis.crossings:
            boundary = crossing.boundary
            if boundary.workers is False or boundary.is_message or crossing.edge.kind == "returned":
                continue
            kind = kind_of(crossing.value)
            if kind is not None:
                yield from self._generator(analysis, crossing, kind)
            elif _is_method_of_generator(crossing):
                yield from self._method(analysis, crossing)
            elif isinstance(crossing.value, External):
                yield from self._by_reference(analysis, crossing, crossing.value.name)
        yield from self._in_globals(analysis)

    def _in_globals(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield the generators of modules: a worker gets the parent's by fork, or seeds it alike."""
        for read, value in drawn_by_workers(analysis):
            module = value.frame.module
            place = module.place(value.node)
            used = Step(read.function.module.place(read.node), f"`{read.name}` is drawn from")
            yield Finding(
                type(self),
                f"Every worker has a copy of the generator `{read.name}` and draws the same numbers",
                place,
                (*read.function.steps, used, Step(place, f"generator `{read.name}`")),
                evidence=randomness.Drawn(place, module, read.name, is_global=True),
            )

    def _generator(self, analysis: Analysis, crossing: Crossing, kind: str) -> Iterator[Finding]:
        holder = crossing.parent.value if crossing.parent else None
        store = crossing.edge.store
        if isinstance(holder, Partial):
            yield from self._bound(analysis, crossing, holder, kind)
        if not isinstance(holder, Instance) or crossing.edge.kind != "attribute" or store is None:
            return
        # What follows calls comes last: most generators are seeded again.
        if _is_reseeded(analysis, holder, crossing) or not _is_drawn_from(
            analysis, holder, crossing
        ):
            return
        name = crossing.edge.name
        yield Finding(
            type(self),
            f"Every worker gets a copy of the generator `{name}` and draws the same numbers",
            crossing.path[-1].place,
            crossing.path,
            evidence=_kept(analysis, holder, crossing, kind, store),
        )

    def _bound(
        self, analysis: Analysis, crossing: Crossing, holder: Partial, kind: str
    ) -> Iterator[Finding]:
        """Yield a generator that a partial hands to a function which draws from it."""
        name = crossing.edge.name
        if not isinstance(holder.function, Function) or _is_reseeded_in_worker(
            analysis, crossing, name
        ):
            return
        calls = [each for each in walk(holder.function.node) if isinstance(each, ast.Attribute)]
        if not any(isinstance(each.value, ast.Name) and each.value.id == name for each in calls):
            return
        place = crossing.path[-1].place
        module = crossing.boundary.frame.module
        yield Finding(
            type(self),
            f"Every worker gets a copy of the generator `{name}` and draws the same numbers",
            place,
            crossing.path,
            evidence=randomness.Drawn(place, module, kind),
        )

    def _method(self, analysis: Analysis, crossing: Crossing) -> Iterator[Finding]:
        """Yield a method of a generator that is kept without the generator: `Random(seed).random`."""
        name = crossing.edge.name
        if _is_reseeded_in_worker(analysis, crossing, name):
            return
        place = crossing.path[-1].place
        yield Finding(
            type(self),
            f"`{name}` is pickled with its generator, so all workers draw the same numbers",
            place,
            crossing.path,
            evidence=randomness.Drawn(place, crossing.boundary.frame.module, name),
        )

    def _by_reference(
        self, analysis: Analysis, crossing: Crossing, function: str
    ) -> Iterator[Finding]:
        if not randomness.draws_globally(function) or crossing.parent is None:
            return
        place = crossing.path[-1].place
        yield Finding(
            type(self),
            f"`{function}` is pickled with its generator, so all workers draw the same numbers",
            place,
            crossing.path,
            evidence=_drawn(crossing, function),
        )


def _is_method_of_generator(crossing: Crossing) -> bool:
    """Return whether an attribute keeps a method, and nothing else keeps its generator."""
    value, holder = crossing.value, crossing.parent.value if crossing.parent else None
    return (
        isinstance(value, Derived)
        and not value.called
        and kind_of(value.origin) is not None
        and crossing.edge.kind == "attribute"
        and isinstance(holder, Instance)
        and not value.how.startswith("_")
        and value.how not in ("seed", "state", "bit_generator")
    )


def _is_drawn_from(analysis: Analysis, holder: Instance, crossing: Crossing) -> bool:
    """Return whether code that runs in the worker reads the generator of its holder."""
    own = {cls.node for cls in reached.chain(analysis, holder.cls)[0]}
    names = randomness.read_as(own, crossing.edge.name)
    start = [code for each in _objects_above(crossing) for code in reached.methods(analysis, each)]
    running = reached.runs(analysis, start, _towards_reads(analysis, names))
    return any(
        any(randomness.loads(code.node, name) for name in names)
        for code in running
        if isinstance(code.owner, Instance) and code.owner.cls.node in own
    )


def _objects_above(crossing: Crossing) -> Iterator[Instance]:
    """Yield the objects of the tree that a value hangs from, the nearest first."""
    at = crossing.parent
    while at is not None:
        if isinstance(at.value, Instance):
            yield at.value
        at = at.parent


def _towards_reads(analysis: Analysis, names: frozenset[str]) -> reached.Towards:
    def reads(_: Module, node: ast.AST) -> bool:
        return any(randomness.loads(node, name) for name in names)

    return analysis.once((DuplicatedRandomState, names), lambda: reached.Towards(analysis, reads))


def _is_reseeded(analysis: Analysis, holder: Instance, crossing: Crossing) -> bool:
    inside, _ = reached.chain(analysis, holder.cls)
    name = crossing.edge.name
    sides, open_to_users = analysis.interpreter.roles, crossing.boundary.kind == "dataset"

    def is_set_up(method: str) -> bool:
        return not open_to_users and sides.run_with_constructor(holder.cls, method, holder)

    def is_on(flag: str) -> bool | None:
        stores = analysis.stores(holder).get(flag, ())
        held = [value for store in stores for value in analysis.stored(store)]
        known = {truth(value, analysis.interpreter) for value in held}
        return known.pop() if len(known) == 1 else None

    def seeds_its(cls: ast.ClassDef, call: ast.Call, given: ast.expr) -> bool:
        module = next(each.module for each in inside if each.node is cls)
        return _seeds_its(analysis, module, call, given)

    def is_never_run(method: str) -> bool:
        return not open_to_users and _is_idle(analysis, holder, method)

    def is_left_out(cls: ast.ClassDef, node: ast.AST) -> bool:
        module = next(each.module for each in inside if each.node is cls)
        return _is_left_out(analysis, holder, module, node)

    asked = randomness.Questions(is_set_up, is_never_run, is_on, is_left_out, seeds_its)
    if randomness.is_reseeded(reached.nodes(inside), name, asked):
        return True
    return _is_reseeded_in_worker(analysis, crossing, name)


def _is_idle(analysis: Analysis, holder: Instance, method: str) -> bool:
    """Return whether nothing runs a method of an object: no code in view, and no library knows the object."""
    roles = analysis.interpreter.roles
    _, outside = reached.chain(analysis, holder.cls)
    return (
        method != "set_epoch"  # which trainers call
        and all(base in _BASES for base in outside)
        and not any(
            module.attributes_by_name.get(method) for module in analysis.project.mentions(method)
        )
        and roles.run_with_others(holder.cls, method, holder)
    )


def _is_left_out(analysis: Analysis, holder: Instance, module: Module, node: ast.AST) -> bool:
    """Return whether a method of an object does not come to a node, by what the object's flags surely are."""
    function = enclosing_function(module, node)
    if isinstance(function, ast.Lambda) or function is None:
        return False
    method = analysis.interpreter.instances.method(holder.cls, function.name)
    if method is None or method.node is not function:
        return False
    calls = analysis.interpreter.calls
    frame = calls.frame_of(method, Arguments(), function, method.frame, holder)
    return frame is not None and is_dead(node, frame, analysis.interpreter)


def _seeds_its(analysis: Analysis, module: Module, call: ast.Call, given: ast.expr) -> bool:
    """Return whether the function that a call runs seeds what it gets for one of the arguments."""
    keyword = next((each.arg for each in call.keywords if each.value is given), None)
    index = call.args.index(given) if given in call.args else 0
    frame = analysis.frame(module.scope_of(call))
    for value in analysis.values(Bound(call.func, frame)):
        names = parameters(value.node) if isinstance(value, Function) else []
        name = keyword or next(iter(names[index:]), "")
        if isinstance(value, Function) and randomness.seeds_parameter(value.node, name):
            return True
    return False


def _is_reseeded_in_worker(analysis: Analysis, crossing: Crossing, name: str) -> bool:
    argument = crossing.boundary.arguments.get("worker_init_fn")
    if argument is None:
        return False
    for value in analysis.values(argument):
        if isinstance(value, Constant) and value.value is None:
            continue
        codes = list(reached.runs(analysis, reached.started(analysis, value)))
        if not codes or any(
            not is_dead(node, code.frame, analysis.interpreter)
            for code in codes
            for node in randomness.reseeding(code.node, name)
        ):
            return True
    return False


def _kept(
    analysis: Analysis, holder: Instance, crossing: Crossing, kind: str, store: Store
) -> randomness.Kept:
    name = crossing.edge.name
    call = _call(store)
    cls = _class_of(store) or holder.cls.node
    return randomness.Kept(
        place=store.frame.module.place(store.statement),
        module=store.frame.module,
        cls=cls,
        attribute=name,
        kind=kind,
        call=call,
        targets=randomness.targets(cls, name),
        annotation=_annotation(store) or _type(cls, call),
        related=tuple(_related(analysis, holder, cls)),
        is_default=_is_default(store, crossing.value),
    )


def _related(
    analysis: Analysis, holder: Instance, cls: ast.ClassDef
) -> Iterator[tuple[Module, ast.ClassDef]]:
    """Yield the other classes whose methods may run on objects of a class: its line, and heirs."""
    line, _ = reached.chain(analysis, holder.cls)
    own = next((each for each in line if each.node is cls), holder.cls)
    found = [*line, *analysis.interpreter.instances.subclasses(own)]
    seen = {cls}
    for each in found:
        if each.node not in seen:
            seen.add(each.node)
            yield each.module, each.node


def _call(store: Store) -> ast.Call | None:
    value = store.value
    node = value.node if isinstance(value, Bound) else None
    return node if isinstance(node, ast.Call) else None


def _is_default(store: Store, value: Value) -> bool:
    """Return whether a generator was made because none was passed: `Random() if rng is None else rng`."""
    node = store.value.node if isinstance(store.value, Bound) else None
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            choices = [body, orelse]
        case ast.BoolOp(values=choices):
            pass
        case _:
            return False
    made = node_of(value)
    return made is not None and made[0] in choices


def _annotation(store: Store) -> str:
    statement = store.statement
    return ast.unparse(statement.annotation) if isinstance(statement, ast.AnnAssign) else ""


def _type(cls: ast.ClassDef, call: ast.Call | None) -> str:
    """Return how a typed class would annotate what a call makes; nothing for one without types."""
    init = exceptions.method(cls, "__init__")
    if call is None or init is None or init.returns is None:
        return ""
    match call.func:
        case ast.Attribute(value=ast.Call() as made):  # torch.Generator().manual_seed(...)
            return _type(cls, made)
        case ast.Attribute(value=library, attr="default_rng"):
            return f"{ast.unparse(library)}.Generator"
        case ast.Name(id="default_rng"):
            return ""
    return ast.unparse(call.func)


def _class_of(store: Store) -> ast.ClassDef | None:
    node: ast.AST | None = store.statement
    while node is not None and not isinstance(node, ast.ClassDef):
        node = store.frame.module.parent(node)
    return node


def _drawn(crossing: Crossing, function: str) -> randomness.Drawn:
    store = crossing.edge.store
    place = crossing.path[-1].place
    if store is None or not isinstance(store.value, Bound):
        module = crossing.boundary.frame.module
        return randomness.Drawn(place, module, function)
    node = store.value.node
    direct = isinstance(node, ast.Attribute) and store.value.frame.module is store.frame.module
    return randomness.Drawn(
        place=place,
        module=store.frame.module,
        function=function,
        cls=_class_of(store) if direct else None,
        value=node if direct else None,
    )
