"""DLF207: a sample returned by a worker cannot be collated or pickled."""

from __future__ import annotations

import ast
import sys
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, TypeGuard

from dlfix.reach.calls import class_of
from dlfix.reach.conditions import is_dead
from dlfix.reach.entry_points import Entries
from dlfix.reach.labels import label
from dlfix.reach.values import (
    Arguments,
    Bound,
    Constant,
    Container,
    Derived,
    ExternalCall,
    Function,
    Generator,
    Instance,
    ModuleValue,
    Value,
)
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.reading import callables, reached
from dlfix.rules.reading.handles import row_of

if TYPE_CHECKING:
    from dlfix.catalog import ResourceRow
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary, Crossing
    from dlfix.reach.values import Argument

_COLLATE = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
# What a library makes that torch's collate does not take.
_UNCOLLATED = {
    "PIL.Image.open": "PIL.Image.Image",
    "PIL.Image.new": "PIL.Image.Image",
    "PIL.Image.fromarray": "PIL.Image.Image",
    "datetime.date": "datetime.date",
    "datetime.datetime": "datetime.datetime",
    "datetime.timedelta": "datetime.timedelta",
    "decimal.Decimal": "decimal.Decimal",
    "frozenset": "frozenset",
    "pathlib.Path": "pathlib.PosixPath",
    "set": "set",
    "uuid.uuid4": "uuid.UUID",
}
_OF_AN_IMAGE = frozenset({"convert", "copy", "crop", "resize", "rotate", "transpose"})
_PASSING_ON = frozenset({"list", "tuple", "zip"})
_POOLS = frozenset({"Pool", "Executor"})
_IN_PLACE = frozenset({"func", "fn"})  # what a pool calls, whose result it sends back
_FAILING = frozenset({"resource", "sync", "state"})
_NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})
_DEPTH = 4


class UnpicklableSample(Rule):
    """A sample returned by a worker cannot be collated or pickled.

    ## What it does

    Checks the values that `__getitem__`, `__iter__` and `collate_fn` return. Without a
    `collate_fn`, torch collates tensors, arrays, numbers, strings, dicts and lists, but not
    instances of other classes, None, sets, paths, dates and images. With a `collate_fn`, or with
    `batch_size=None`, the returned value is pickled: a lambda, a local function, a generator, a
    module, a match of a regular expression, an open handle or an object of a class that is made under another name
    than that of its module (`Batch = namedtuple("B", "x y")`) cannot be. So is what a function
    returns that a pool or a process executor calls, if the program waits for it.

    ## The error you see

    torch 2.13, Python 3.11, without a `collate_fn`:

        TypeError: Caught TypeError in DataLoader worker process 0.
        TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class '__main__.Point'>

    With a `collate_fn` there is no error: the worker cannot send the batch, and the loader never
    returns (with `timeout=8`: `RuntimeError: DataLoader timed out after 8 seconds`).

    ## Example

        from torch.utils.data import DataLoader, Dataset


        class Point:
            def __init__(self, x, y):
                self.x = x
                self.y = y


        class Points(Dataset):
            def __init__(self, rows):
                self.rows = rows

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                return Point(*self.rows[index])


        if __name__ == "__main__":
            points = Points([(0, 1), (2, 3)])
            for batch in DataLoader(points, batch_size=2, num_workers=2):
                print(batch)

    ## Use instead

        from torch.utils.data import DataLoader, Dataset


        class Point:
            def __init__(self, x, y):
                self.x = x
                self.y = y


        class Points(Dataset):
            def __init__(self, rows):
                self.rows = rows

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                point = Point(*self.rows[index])
                return {"x": point.x, "y": point.y}


        if __name__ == "__main__":
            points = Points([(0, 1), (2, 3)])
            for batch in DataLoader(points, batch_size=2, num_workers=2):
                print(batch)

    Or pass a `collate_fn` that makes a batch of your objects.

    ## Fix safety

    There is no fix for most samples, because their intended content is unknown. A class that a call makes under another
    name than that of its module (`Batch = namedtuple("B", "x y")`) is bound to that name as well; this is safe.

    ## How to turn it off

    `# dlfix: ignore[DLF207]` on the line that returns it, or `ignore = ["DLF207"]` in the configuration.
    """

    code = "DLF207"
    name = "unpicklable-sample"
    codemods = ("module_level_classes",)
    needs_evidence = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each return of a sample or batch that cannot come back."""
        if _is_taught(analysis):
            return
        for crossing in analysis.crossings:
            boundary = crossing.boundary
            if crossing.edge.kind != "argument" or boundary.workers is False:
                continue
            if boundary.kind == "DataLoader":
                yield from self._loader(analysis, crossing)
            elif boundary.kind in _POOLS and _is_awaited(crossing):
                yield from self._function(analysis, crossing)

    def _function(self, analysis: Analysis, crossing: Crossing) -> Iterator[Finding]:
        """Yield the results of a function, called by workers, that cannot come back."""
        for code in reached.started(analysis, crossing.value):
            if _is_generator(code.node):
                place = code.module.place(code.node)
                message = f"`{code.node.name}` returns a generator, which cannot be pickled and returned to the parent"
                step = Step(place, f"def {code.node.name}", "has `yield`")
                error = "cannot pickle 'generator' object"
                yield Finding(type(self), message, place, (*crossing.path, step), error)
                continue
            yield from self._results(analysis, code, crossing, collates=False)

    def _loader(self, analysis: Analysis, crossing: Crossing) -> Iterator[Finding]:
        boundary, value = crossing.boundary, crossing.value
        if crossing.edge.name == "collate_fn":
            found = {each.place: each for each in self._batches(analysis, crossing)}
            found |= {each.place: each for each in self._function(analysis, crossing)}
            yield from found.values()
            return
        if crossing.edge.name != "dataset" or not isinstance(value, (Instance, Container)):
            return
        none_given = _is_none(analysis, boundary, "collate_fn", default=True)
        if none_given or _hands_samples_on(analysis, boundary):
            one_by_one = _is_none(analysis, boundary, "batch_size", default=False)
            if isinstance(value, Container):
                yield from self._items(analysis, value, crossing) if none_given else ()
                return
            for code in reached.methods(analysis, value, ("__getitem__", "__iter__")):
                collates = none_given and not one_by_one
                yield from self._results(analysis, code, crossing, collates=collates)

    def _batches(self, analysis: Analysis, crossing: Crossing) -> Iterator[Finding]:
        """Yield the batches of a `collate_fn` that keep what cannot come back of a sample."""
        boundary = crossing.boundary
        if _hands_samples_on(analysis, boundary):
            return  # it is found in the samples
        for dataset in analysis.values(boundary.arguments.get("dataset")):
            if not isinstance(dataset, Instance) or not isinstance(boundary.node, ast.expr):
                continue
            for code in reached.methods(analysis, dataset, ("__getitem__", "__iter__")):
                results = [(None, Bound(each, code.frame)) for each in _handed_out(code.node)]
                batch = Container("list", boundary.node, code.frame, tuple(results))
                given = Arguments((batch,))
                args = crossing.value, given, boundary.node, code.frame
                for collating in reached.started_with(analysis, *args):
                    if not _is_generator(collating.node):
                        yield from self._results(analysis, collating, crossing, collates=False)

    def _items(
        self, analysis: Analysis, samples: Container, crossing: Crossing
    ) -> Iterator[Finding]:
        """Yield the items of a list that torch's collate refuses."""
        if _is_none(analysis, crossing.boundary, "batch_size", default=False):
            return
        for _, argument in samples.items if samples.kind in ("list", "tuple") else ():
            parts = _parts(analysis, analysis.values(argument), _DEPTH)
            whats = [_refused_all(analysis, values, True) for values in parts]
            what = next(filter(None, whats), None)
            is_sent = what is not None and _is_error(what[1])  # it is found on the way there
            if what is not None and not is_sent and isinstance(argument, Bound):
                place = argument.frame.module.place(argument.node)
                step = Step(place, ast.unparse(argument.node)[:60])
                error = _COLLATE.format(what[1])
                message = f"{what[0]} cannot be collated"
                yield Finding(type(self), message, place, (*crossing.path, step), error)
                return

    def _results(
        self, analysis: Analysis, code: reached.Code, crossing: Crossing, *, collates: bool
    ) -> Iterator[Finding]:
        for result in _handed_out(code.node):
            if is_dead(result, code.frame, analysis.interpreter):
                continue
            parts = [*_parts(analysis, _values(analysis, result, code), _DEPTH)]
            whats = [_refused_all(analysis, values, collates) for values in parts]
            if collates and _holds_none(result) and not _is_asked_of_self(code, result):
                whats.append(("None", "<class 'NoneType'>"))
            for what in filter(None, whats):
                place = code.module.place(result)
                fails = collates and not _is_error(what[1])
                yield Finding(
                    type(self),
                    f"{_sentence(what[0])} cannot be "
                    f"{'collated' if fails else 'pickled and returned to the parent'}",
                    place,
                    (
                        *crossing.path,
                        Step(place, ast.unparse(result)[:60], f"in `{code.node.name}`"),
                    ),
                    _error(what[1], collates),
                    _class_to_name(analysis, parts, collates),
                )
                break


def _class_to_name(
    analysis: Analysis, parts: list[list[Value]], collates: bool
) -> ExternalCall | None:
    """Return the class of a part of a sample that pickle does not find by its name."""
    lost = (_lost_class(analysis, value, collates) for values in parts for value in values)
    return next(filter(None, lost), None)


def _is_error(what: str) -> bool:
    """Return whether a kind of object is named by what pickle says: collating keeps it as it is."""
    return "Error: " in what


def _error(what: str, collates: bool) -> str:
    if _is_error(what):
        return what
    return _COLLATE.format(what) if collates else f"cannot pickle {what}"


def _is_taught(analysis: Analysis) -> bool:
    """Return whether workers may be able to collate more than torch does: `default_collate_fn_map[T] = f`."""
    name = "default_collate_fn_map"
    for module in analysis.project.mentions(name):
        for node in module.nodes_by_name.get(name, ()):
            entries = Entries.of(analysis).entries(module, node)
            by_worker = WorkerCode.of(analysis).runs(module, node) is not None
            if by_worker or not entries or any(entry.kind == "import" for entry in entries):
                return True
    return False


def _is_none(analysis: Analysis, boundary: Boundary, name: str, *, default: bool) -> bool:
    """Return whether an argument is certainly None (or what is passed may be, where it is not)."""
    if name not in boundary.arguments:
        return default
    found = analysis.values(boundary.arguments[name])
    return bool(found) and all(isinstance(each, Constant) and each.value is None for each in found)


def _is_generator(function: reached.Definition) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in reached.own(function))


def _handed_out(function: reached.Definition) -> list[ast.expr]:
    yields = [node for node in reached.own(function) if isinstance(node, ast.Yield)]
    if yields:
        return [node.value for node in yields if node.value is not None]
    if function.name == "__iter__":
        return []
    returns = (node for node in reached.own(function) if isinstance(node, ast.Return))
    return [node.value for node in returns if node.value is not None]


def _values(analysis: Analysis, node: ast.expr, code: reached.Code) -> list[Value]:
    found = reached.values(analysis, node, code.frame)
    if isinstance(node, ast.Subscript) and not any(isinstance(v, Instance) for v in found):
        for holder in reached.values(analysis, node.value, code.frame):
            if isinstance(holder, Container):
                found = [*found, *_items(analysis, holder)]
    return found


def _items(analysis: Analysis, container: Container) -> list[Value]:
    return [value for _, argument in container.items for value in analysis.values(argument)]


def _parts(analysis: Analysis, found: list[Value], depth: int) -> Iterator[list[Value]]:
    """Yield what a sample may be, and what each thing inside it may be; no container is opened twice."""
    level = [found]
    met: set[Hashable] = set()
    for _ in range(depth + 1):
        yield from level
        found_next = dict.fromkeys(each for values in level for each in _items_of_all(values))
        items = [each for each in found_next if each not in met]
        met.update(items)
        level = [[each for one in item for each in analysis.values(one)] for item in items]


def _items_of_all(values: list[Value]) -> Iterator[tuple[Argument, ...]]:
    """Yield each item of a sample, as it is in every container that the sample may be; none where it may be another thing."""
    opened = [each for each in values if _is_opened(each)]
    if not opened or len(opened) < len(values):
        return
    by_key = [_by_key(each) for each in opened]
    for key in by_key[0]:
        if all(key in each for each in by_key):
            yield tuple(dict.fromkeys(one for each in by_key for one in each[key]))


def _by_key(container: Container) -> dict[object, list[Argument]]:
    """Return the items of a container by their keys, or their places: one may be set again."""
    found: dict[object, list[Argument]] = {}
    for place, (key, item) in enumerate(container.items):
        found.setdefault(place if key is None else key, []).append(item)
    return found


def _is_opened(value: Value) -> TypeGuard[Container]:
    return isinstance(value, Container) and value.kind != "set"


def _holds_none(result: ast.expr) -> bool:
    """Return whether None is spelled out in what is handed out."""
    match result:
        case ast.Constant(value=None):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return any(_holds_none(part) for part in parts)
    return False


def _is_asked_of_self(code: reached.Code, result: ast.expr) -> bool:
    """Return whether a line only runs for some datasets of its class: `if self.train`."""
    above = [each for each in code.module.ancestors(result) if isinstance(each, ast.If)]
    return any("self" in ast.unparse(each.test) for each in above)


def _hands_samples_on(analysis: Analysis, boundary: Boundary) -> bool:
    """Return whether a `collate_fn` hands the samples themselves on: `return batch[0]`."""
    found = analysis.values(boundary.arguments.get("collate_fn"))
    return bool(found) and all(_is_handing_on(value) for value in found)


def _is_handing_on(value: Value) -> bool:
    if not isinstance(value, Function) or len(value.node.args.args) != 1:
        return False
    match value.node:
        case (
            ast.Lambda(body=result) | ast.FunctionDef(body=[ast.Return(value=ast.expr() as result)])
        ):
            known = _PASSING_ON | {value.node.args.args[0].arg}
            return all(
                isinstance(node, (ast.Name, ast.Call, ast.Subscript, ast.Starred, ast.Constant))
                and getattr(node, "id", None) in (known | {None})
                for node in ast.walk(result)
                if isinstance(node, ast.expr)
            )
    return False


def _refused_all(analysis: Analysis, values: list[Value], collates: bool) -> tuple[str, str] | None:
    """Say what cannot come back, where none of the things it may be can."""
    found = [_refused(analysis, value, collates) for value in values]
    return found[0] if found and all(found) else None


def _refused(analysis: Analysis, value: Value, collates: bool) -> tuple[str, str] | None:
    """Say what cannot come back, and how torch or pickle names it; None if it can, or may."""
    match value:
        case Function(node=ast.Lambda()):
            return "a lambda", "<class 'function'>"
        case Function(node=node, frame=frame) if frame.scope.is_function:
            return f"the local function `{node.name}`", "<class 'function'>"  # type: ignore[union-attr]
        case Generator():
            return "a generator", "<class 'generator'>" if collates else "'generator' object"
        case ModuleValue(name=name):
            return f"the module `{name}`", "<class 'module'>" if collates else "'module' object"
        case ExternalCall() | Derived() if (row := _failing(value, analysis, collates)) is not None:
            return f"an object returned by `{label(value).partition('(')[0]}`", (
                f"<class '{row.type}'>" if collates else row.error_on(sys.version_info[:2])
            )
        case Container(kind="set") if collates:
            return "a set", "<class 'set'>"
        case ExternalCall(name=name) if collates and name.removeprefix("builtins.") in _UNCOLLATED:
            kind = _UNCOLLATED[name.removeprefix("builtins.")]
            return f"an object returned by `{name.removeprefix('builtins.')}`", f"<class '{kind}'>"
        case Derived(origin=origin, how=how, called=True) if collates and how in _OF_AN_IMAGE:
            made = _refused(analysis, origin, collates)
            return made if made and "PIL" in made[1] else None
        case Derived(how="__iter__") if (row := row_of(value, analysis)) is not None and row.fails:
            return f"a row of `{label(value.origin)}`", row.error
        case ExternalCall(name=name) if not collates:
            held = _refused_in(analysis, value)
            return held and (f"{held[0]} in a `{name.rpartition('.')[2]}`", held[1])
        case Derived() if (lost := _lost_class(analysis, value, collates)) is not None:
            name, error = callables.class_name(lost), callables.not_found(lost)
            return f"an object of the class `{name}`", f"PicklingError: {error}"
        case Instance(cls=cls) if collates and _is_plain_object(analysis, value):
            return f"an instance of `{cls.name}`", f"<class '{cls.module.name}.{cls.name}'>"
    return None


def _lost_class(analysis: Analysis, value: Value, collates: bool) -> ExternalCall | None:
    """Return the class of a sample, where a call makes it under a name that pickle does not find.

    Of what it collates, torch makes named tuples again, and refuses objects.
    """
    made = class_of(value)
    if made is None or (collates and made.name not in _NAMED_TUPLES):
        return None
    return made if callables.is_lost_class(made, analysis) else None


def _failing(value: Value, analysis: Analysis, collates: bool) -> ResourceRow | None:
    """Return the row of what pickle refuses, or torch's collate where that gets it first."""
    row = row_of(value, analysis)
    if row is None or not row.fails or row.kind not in _FAILING or not row.error:
        return None
    is_sequence = any(how.startswith("[") for how in row.derived)  # it may be collated as such
    return None if collates and (is_sequence or not row.type) else row


def _is_awaited(crossing: Crossing) -> bool:
    """Return whether a pool's function gives a result that somebody waits for."""
    node, row = crossing.boundary.node, crossing.boundary.row
    if row is None or not row.results or crossing.edge.name not in _IN_PLACE:
        return False
    is_dropped = isinstance(crossing.boundary.frame.module.parent(node), ast.Expr)
    method = row.name.rpartition(".")[2]
    return not (is_dropped and (method.endswith("_async") or method == "submit"))


def _refused_in(analysis: Analysis, holder: ExternalCall) -> tuple[str, str] | None:
    """Say what cannot come back of what a library's object keeps: the factory of a `defaultdict`."""
    row = analysis.catalog.holder(holder.name)
    given = zip(row.parameters, holder.arguments.positional, strict=False) if row else ()
    named = holder.arguments.keywords.items() if row else ()
    kept = [argument for name, argument in (*given, *named) if row and name in row.keeps]
    whats = (_refused_all(analysis, analysis.values(each), collates=False) for each in kept)
    return next(filter(None, whats), None)


def _is_plain_object(analysis: Analysis, value: Instance) -> bool:
    """Return whether torch's collate surely refuses an object: its class derives from nothing else."""
    inside, outside = reached.chain(analysis, value.cls)
    return not outside and not any(cls.node.keywords for cls in inside)


def _sentence(what: str) -> str:
    return what[:1].upper() + what[1:]
