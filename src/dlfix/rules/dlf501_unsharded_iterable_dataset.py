"""DLF501: an iterable dataset yields every sample in every worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.project.trees import walk
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Function,
    Generator,
    Instance,
    Partial,
    Value,
    origin_of,
)
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.reading import reached, shares, streams

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Frame

_ITERABLE = "IterableDataset"
# What libraries hand out that surely knows nothing of workers.
_PASSING_ON = frozenset(
    {
        "zip",
        "map",
        "filter",
        "enumerate",
        "sorted",
        "list",
        "tuple",
        "iter",
        "reversed",
        "set",
        "dict",
    }
    | {"csv.reader", "csv.DictReader", "json.load", "collections.deque"}
)
_CALLABLE = (External, Function, BoundMethod, Partial, Class)
_PLAIN = frozenset(
    {"builtins", "io", "os", "csv", "json", "re", "glob", "itertools", "functools", "collections"}
    | {
        "pathlib",
        "gzip",
        "bz2",
        "lzma",
        "zipfile",
        "tarfile",
        "pickle",
        "sqlite3",
        "math",
        "string",
    }
    | {"operator", "numpy", "pandas", "linecache", "fileinput", "h5py"}
)


class UnshardedIterableDataset(Rule):
    """An iterable dataset yields every sample in every worker.

    ## What it does

    Each worker has a copy of an `IterableDataset` and iterates over all of it, unless `__iter__`
    selects a part. dlfix reports datasets whose `__iter__`, with all functions that it calls, does
    not depend on the worker, rank or shard, and whose samples come from a known source (a list, a
    file, a range). What is called on one sample, such as a transform, is no source. Nothing is reported if the source is unknown and may already be split, if
    samples are drawn at random, or if a `worker_init_fn` configures the dataset.

    ## The error you see

    None: with two workers, every sample is returned twice (torch 2.13, Python 3.11). The example prints

        tensor([0, 1, 2, 3])
        tensor([0, 1, 2, 3])

    ## Example

        from torch.utils.data import DataLoader, IterableDataset


        class Numbers(IterableDataset):
            def __init__(self, count):
                self.count = count

            def __iter__(self):
                for number in range(self.count):
                    yield number


        if __name__ == "__main__":
            for batch in DataLoader(Numbers(4), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        import itertools

        from torch.utils.data import DataLoader, IterableDataset, get_worker_info


        class Numbers(IterableDataset):
            def __init__(self, count):
                self.count = count

            def __iter__(self):
                worker = get_worker_info()
                start, step = (worker.id, worker.num_workers) if worker else (0, 1)
                for number in itertools.islice(range(self.count), start, None, step):
                    yield number


        if __name__ == "__main__":
            for batch in DataLoader(Numbers(4), batch_size=4, num_workers=2):
                print(batch)

    ## Fix safety

    The fix is unsafe: with workers, an epoch has fewer samples than before (as many as without workers). There
    is no fix if each worker shuffles in its own order, or if the object is its own iterator.

    ## How to turn it off

    `# dlfix: ignore[DLF501]` on the line of `def __iter__`, or `ignore = ["DLF501"]` in the configuration.
    """

    code = "DLF501"
    name = "unsharded-iterable-dataset"
    codemods = ("worker_sharding",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each `__iter__` that gives all of its samples to every worker."""
        seen: set[ast.AST] = set()
        for instance, crossing in _streams(analysis):
            found = _unshared(analysis, instance, crossing)
            if found is None or found.function in seen:
                continue
            seen.add(found.function)
            yield Finding(
                type(self),
                f"`{instance.cls.name}` yields every sample in every worker",
                found.place,
                (*crossing.path, Step(found.place, "__iter__", "does not depend on the worker")),
                evidence=found,
            )


def _streams(analysis: Analysis) -> Iterator[tuple[Instance, Crossing]]:
    for instance, crossing in analysis.datasets():
        if not isinstance(instance, Instance) or crossing.boundary.workers is False:
            continue
        _, outside = reached.chain(analysis, instance.cls)
        if any(name.rpartition(".")[2] == _ITERABLE for name in outside):
            yield instance, crossing


def _unshared(analysis: Analysis, instance: Instance, crossing: Crossing) -> streams.Stream | None:
    if _is_shared_by_loader(analysis, crossing) or _is_shared_above(analysis, crossing):
        return None
    if _is_replaced(analysis, instance):
        return None
    start = reached.method(analysis, instance, "__iter__")
    if start is None or _is_abstract(start.node):
        return None
    inside, outside = reached.chain(analysis, instance.cls)
    if any(shares.speaks_of_shares(cls.node) for cls in inside) or len(outside) != 1:
        return None
    if streams.draws(start.node):
        return None
    running = list(reached.runs(analysis, [start]))
    if any(streams.draws(code.node) for code in running):
        return None
    entries = [start, *reached.methods(analysis, instance, ("__init__", "__next__"))]
    if any(shares.speaks_of_shares(code.node) for code in reached.runs(analysis, entries)):
        return None
    leading = reached.runs(analysis, [start], without=streams.only_of_items)
    if not all(
        _is_known(analysis, code, each, running)
        for code in leading
        for each in streams.sources(code.node)
    ):
        return None
    return _stream(analysis, start, running)


def _stream(
    analysis: Analysis, start: reached.Code, running: list[reached.Code]
) -> streams.Stream | None:
    module = start.module
    cls = module.parent(start.node)
    if not isinstance(cls, ast.ClassDef):
        return None
    refused = ""
    for code in running:
        call = streams.ordering(code.node)
        if call is not None:
            row = code.module.span(call).start.row
            refused = f"each worker shuffles in its own order (line {row})"
    place = module.place(start.node)
    return streams.Stream(place, module, cls, start.node, refused)


def _is_shared_by_loader(analysis: Analysis, crossing: Crossing) -> bool:
    """Return whether the loader has one worker, or a `worker_init_fn` that may set the dataset up."""
    arguments = crossing.boundary.arguments
    if "num_workers" in arguments:
        values = analysis.values(arguments["num_workers"])
        if any(isinstance(value, Constant) and value.value == 1 for value in values):
            return True
    if any(_takes_share(analysis, value) for value in analysis.values(arguments.get("collate_fn"))):
        return True
    if "worker_init_fn" not in arguments:
        return False
    for value in analysis.values(arguments["worker_init_fn"]):
        if isinstance(value, Constant) and value.value is None:
            continue
        codes = list(reached.runs(analysis, reached.started(analysis, value)))
        if not codes or any("dataset" in _words(code.node) for code in codes):
            return True
    return False


def _is_shared_above(analysis: Analysis, crossing: Crossing) -> bool:
    """Return whether a stage of a pipeline gives each worker its share of what a dataset yields."""
    above = crossing.parent
    while above is not None:
        value: Value = above.value
        while isinstance(value, Derived):
            if _gives_shares(analysis, origin_of(value), value.how):
                return True
            value = value.origin
        if _gives_shares(analysis, value, "*"):
            return True
        above = above.parent
    return False


def _gives_shares(analysis: Analysis, made: Value, method: str) -> bool:
    row = analysis.interpreter.catalog.holder(made.name) if isinstance(made, ExternalCall) else None
    return row is not None and method in row.shares


def _takes_share(analysis: Analysis, collate: Value) -> bool:
    """Return whether what makes a batch asks which worker it runs in."""
    codes = reached.runs(analysis, reached.started(analysis, collate))
    return any(shares.speaks_of_shares(code.node) for code in codes)


def _words(tree: ast.AST) -> set[str]:
    return {node.attr for node in walk(tree) if isinstance(node, ast.Attribute)}


def _is_abstract(function: ast.AST) -> bool:
    for node in walk(function):
        match node:
            case ast.Raise(exc=ast.Name(id="NotImplementedError")):
                return True
            case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"))):
                return True
            case ast.Name(id="abstractmethod") | ast.Attribute(attr="abstractmethod"):
                return True
    return False


def _is_replaced(analysis: Analysis, instance: Instance) -> bool:
    """Return whether a class that nobody makes is there to be derived from."""
    if instance.call is not None:
        return False
    name = instance.cls.name
    for module in analysis.project.mentions(name):
        for node in walk(module.tree):
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(base).rpartition(".")[2] == name for base in node.bases
            ):
                return True
    return False


def _is_known(
    analysis: Analysis, code: reached.Code, source: ast.expr, running: Sequence[reached.Code]
) -> bool:
    """Return whether a source surely gives the same in every worker."""
    if isinstance(source, ast.Name):
        if source.id == "self":
            return _counts_by_itself(analysis, code)
        opened = streams.opened(code.node, source.id)
        source = opened if opened is not None else source
    taken_from = streams.taken_from(code.node, source)
    if taken_from is not None:
        return _is_known(analysis, code, taken_from, running)
    match source:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return all(_is_known(analysis, code, each, running) for each in (left, right))
        case ast.Subscript(value=whole, slice=ast.Slice(step=None)):
            return _is_known(analysis, code, whole, running)
    found = reached.values(analysis, source, code.frame)
    if all(value == Constant(None) for value in found):
        return _is_set_known(analysis, source, running)
    return all(_is_plain(analysis, value) for value in found)


def _is_set_known(analysis: Analysis, attribute: ast.expr, running: Sequence[reached.Code]) -> bool:
    """Return whether an attribute that is None till then is set to what gives the same, by what the stream runs."""
    name = ast.unparse(attribute)
    stored = [
        (code, node.value)
        for code in running
        for node in walk(code.node)
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets)
    ]
    values = [(c, v) for c, v in stored if not (isinstance(v, ast.Constant) and v.value is None)]
    return bool(values) and all(
        all(_is_plain(analysis, each) for each in reached.values(analysis, value, code.frame))
        for code, value in values
    )


def _counts_by_itself(analysis: Analysis, code: reached.Code) -> bool:
    """Return whether `__next__` is there and asks nobody else for a sample."""
    following = reached.method(analysis, code.owner, "__next__") if code.owner else None
    if following is None:
        return False
    names = {ast.unparse(call.func) for call in reached.calls(following.node)}
    return names <= {"StopIteration", "len", "int", "float", "str"}


def _is_plain(analysis: Analysis, value: Value) -> bool:
    match value:
        case Generator(node=ast.Call() as call, frame=frame):
            return not any(_is_of_another(analysis, each, frame) for each in call.args)
        case Container() | Constant() | Generator():
            return True
        case ExternalCall(name=name, arguments=arguments):
            if name.partition(".")[0] not in _PLAIN and not _is_builtin(name):
                return False
            if name.removeprefix("builtins.") not in _PASSING_ON and "itertools" not in name:
                return True
            return all(
                _is_plain(analysis, each)
                for argument in arguments.positional
                for each in analysis.values(argument)
                if not isinstance(each, _CALLABLE)
            )
        case Derived(origin=origin):
            return _is_plain(analysis, origin)
    return False


def _is_of_another(analysis: Analysis, given: ast.expr, frame: Frame) -> bool:
    """Return whether what a generator goes through is an object of the tree, which may take shares itself."""
    match given:
        case ast.Call(func=ast.Name(id="iter"), args=[through]):
            given = through
    return any(
        isinstance(value, Instance) and analysis.method(value.cls, "__iter__") is not None
        for value in reached.values(analysis, given, frame)
    )


def _is_builtin(name: str) -> bool:
    return "." not in name
