"""DLF502: a sample stored by the dataset is modified in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.project.order import in_order, lies_in
from dlfix.project.trees import walk
from dlfix.reach.values import (
    Argument,
    Bound,
    Container,
    Derived,
    ExternalCall,
    Instance,
    Unknown,
    Value,
)
from dlfix.rules.base import Finding, Rule, Step
from dlfix.rules.reading import reached, samples
from dlfix.rules.reading.endings import ending_of
from dlfix.rules.reading.shared_tensors import shared_attributes

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

_ENTRIES = ("__getitem__", "__getitems__", "__iter__")
_CONTAINERS = frozenset({"list", "dict", "tuple", "sorted", "json.load", "json.loads"})
_ARRAYS = frozenset(
    {"array", "zeros", "ones", "empty", "full", "load", "arange", "linspace", "rand", "randn"}
)
_READ = frozenset({"genfromtxt", "loadtxt", "fromfile"})
_SAME_DATA = frozenset({"asarray", "asanyarray", "ascontiguousarray", "from_numpy", "as_tensor"})
_JOINED = {"stack": 2, "vstack": 2, "column_stack": 2, "dstack": 3, "concatenate": 0, "hstack": 0}
_TENSORS = frozenset({"tensor", "stack", "cat", "vstack", "hstack"})
_RANDOM = ("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator")
_SAME_SHAPE = frozenset({"astype", "float", "double", "half", "int", "long", "to", "copy", "clone"})
_ANNOTATIONS = {
    "list": "container", "List": "container", "dict": "container", "Dict": "container",
    "ndarray": "array", "Tensor": "tensor",
}  # fmt: skip


class SampleMutatedInPlace(Rule):
    """A sample stored by the dataset is modified in place.

    ## What it does

    Follows the values that `__getitem__` and `__iter__` read from a list, dict, array or tensor of
    the dataset, and reports the line that modifies them in place: an assignment to a key, `+=`,
    `append`, an in-place tensor method. Functions that receive the value are followed, and readers that the dataset
    keeps and indexes. Copies, caches that are filled on demand, and tensors that are put into shared memory
    (`share_memory_`), are not reported. What a shallow copy holds (`dict(item)`, `copy.copy(item)`) is no copy.

    ## The error you see

    None: each epoch modifies the sample once more, in the parent or in the copy of each worker
    (torch 2.13, Python 3.11). The example prints

        tensor([2, 4])
        tensor([4, 8])

    ## Example

        from torch.utils.data import DataLoader, Dataset


        class Samples(Dataset):
            def __init__(self, data):
                self.data = data

            def __len__(self):
                return len(self.data)

            def __getitem__(self, index):
                item = self.data[index]
                item["feature"] = item["feature"] * 2
                return item


        if __name__ == "__main__":
            samples = Samples([{"feature": 1}, {"feature": 2}])
            loader = DataLoader(samples, batch_size=2, num_workers=1, persistent_workers=True)
            for epoch in range(2):
                for batch in loader:
                    print(batch["feature"])

    ## Use instead

        from torch.utils.data import DataLoader, Dataset


        class Samples(Dataset):
            def __init__(self, data):
                self.data = data

            def __len__(self):
                return len(self.data)

            def __getitem__(self, index):
                item = dict(self.data[index])
                item["feature"] = item["feature"] * 2
                return item


        if __name__ == "__main__":
            samples = Samples([{"feature": 1}, {"feature": 2}])
            loader = DataLoader(samples, batch_size=2, num_workers=1, persistent_workers=True)
            for epoch in range(2):
                for batch in loader:
                    print(batch["feature"])

    ## Fix safety

    The fix is unsafe: samples no longer keep the changes of earlier reads, even without
    workers. The fix makes a deep copy only if an object inside the sample is modified.

    ## How to turn it off

    `# dlfix: ignore[DLF502]` on the line that changes the sample, or `ignore = ["DLF502"]` in the
    configuration.
    """

    code = "DLF502"
    name = "sample-mutated-in-place"
    severity = "warning"
    codemods = ("copy_sample",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield each line that changes what a dataset keeps."""
        for instance, crossing in reached.datasets(analysis):
            for code in reached.methods(analysis, instance, _ENTRIES):
                yield from self._method(analysis, instance, code, crossing)

    def _method(
        self, analysis: Analysis, instance: Instance, code: reached.Code, crossing: Crossing
    ) -> Iterator[Finding]:
        for helper in _own_methods(analysis, code):
            reader = _reader(analysis, helper.owner or instance, helper)
            for change in reader.changes():
                yield self._finding(helper, change, crossing)

    def _finding(self, code: reached.Code, change: samples.Change, crossing: Crossing) -> Finding:
        steps = [
            Step(code.module.place(change.alias.source), _text(change.alias.source), "is stored")
        ]
        steps += [
            Step(code.module.place(call), _text(call), "passes it on")
            for call in change.through[:1]
        ]
        node = change.through[0] if change.through else change.node
        place = code.module.place(node)
        evidence = _evidence(code, change)
        return Finding(
            type(self),
            f"`{_text(change.alias.source)}` is modified in place but belongs to the dataset",
            place,
            (*crossing.path, *steps, Step(place, _text(change.node), "modifies it")),
            evidence=evidence,
        )


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _own_methods(analysis: Analysis, code: reached.Code) -> list[reached.Code]:
    """Return a method and the methods of the same object that it calls."""
    found = [code]
    for own in found:  # it grows as it is gone through
        for call in reached.calls(own.node):
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
                found += [
                    each
                    for each in reached.called(analysis, own, call)
                    if each.owner is own.owner and all(each.node is not f.node for f in found)
                ]
        for each in _readers(analysis, own):
            if all(each.node is not f.node for f in found):
                found.append(each)
    return found


def _readers(analysis: Analysis, code: reached.Code) -> Iterator[reached.Code]:
    """Yield the methods that give items of the objects which the object of a method keeps: `self.rows[index]`."""
    for node in reached.own(code.node):
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name("self"), attr=name)) if (
                code.owner is not None and isinstance(node.ctx, ast.Load)
            ):
                stores = analysis.stores(code.owner).get(name, ())
                kept = (value for store in stores for value in analysis.stored(store))
                for value in kept:
                    if isinstance(value, Instance) and not analysis.is_dataset(value.cls):
                        yield from reached.methods(analysis, value, ["__getitem__"])


def _reader(analysis: Analysis, instance: Instance, code: reached.Code) -> samples.Reader:
    stores = analysis.stores(instance)
    shared = shared_attributes(analysis, instance)

    def kept(attribute: str) -> samples.Holder | None:
        found = [_holder(analysis, store) for store in stores.get(attribute, ())]
        if not found or any(each != found[0] for each in found) or attribute in shared:
            return None
        holder = found[0]
        if holder is not None and holder.kind == "container" and not holder.element:
            return samples.Holder("container", _put_in(analysis, code, attribute))
        return holder

    return samples.Reader(code.node, kept, _callee(analysis, code))


def _put_in(analysis: Analysis, code: reached.Code, attribute: str) -> str:
    """Return what kind of thing a method puts in what its object keeps; "" where it may be of several."""
    kinds: set[str] = set()
    for node in reached.own(code.node):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(attr=name))], value=put):
                if name == attribute:
                    found = reached.values(analysis, put, code.frame)
                    kinds |= {_element_kind(value, analysis) for value in found}
    return kinds.pop() if len(kinds) == 1 else ""


def _callee(analysis: Analysis, code: reached.Code) -> samples.Callee:
    def callee(call: ast.Call) -> list[samples.Called]:
        return [
            samples.Called(each.node, 0 if each.owner is None else 1, _callee(analysis, each))
            for each in reached.called(analysis, code, call)
        ]

    return callee


def _holder(analysis: Analysis, store: object) -> samples.Holder | None:
    value = getattr(store, "value", None)
    statement = getattr(store, "statement", None)
    held = analysis.values(value) if value is not None else []
    if any(isinstance(each, Container) and _gathers(analysis, each) for each in held):
        return None
    if isinstance(statement, ast.AnnAssign):
        annotated = _annotated(statement.annotation)
        if annotated is not None:
            return annotated
    if value is None:
        return None
    found = [_kind(analysis, each) for each in _operands(analysis, value)]
    if not found or any(each is None for each in found):
        return None
    first = found[0]
    return first if all(each == first for each in found) else None


def _operands(analysis: Analysis, argument: Argument) -> list[Value]:
    """Return what is stored; of arithmetic, the side that is an array or tensor."""
    if isinstance(argument, Bound) and isinstance(argument.node, ast.BinOp):
        for side in (argument.node.left, argument.node.right):
            found = _operands(analysis, Bound(side, argument.frame))
            kinds = [_kind(analysis, value) for value in found]
            if kinds and all(kind and kind.kind != "container" for kind in kinds):
                return found
    return analysis.values(argument)


def _annotated(annotation: ast.expr) -> samples.Holder | None:
    node = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    name = ast.unparse(node).rpartition(".")[2]
    kind = _ANNOTATIONS.get(name)
    return samples.Holder(kind) if kind else None


def _kind(analysis: Analysis, value: Value) -> samples.Holder | None:
    match value:
        case Container(kind="list" | "dict" | "tuple"):
            if _gathers(analysis, value):
                return None
            return samples.Holder("container", _element(analysis, value))
        case ExternalCall(name="numpy.load"):
            return samples.Holder("array") if _is_one_array(value, analysis) else None
        case ExternalCall(name=name, node=node):
            name = name.removeprefix("builtins.")
            if name in _CONTAINERS:
                return samples.Holder("container")
            return _array(name, node)
        case Derived(origin=origin, how="__getitem__"):
            return samples.Holder("container") if _is_json(origin) else None
        case Derived(origin=ExternalCall(name=name), node=ast.Call() as node) if name in _RANDOM:
            return samples.Holder("array", dimensions=_size(node))
        case Derived(origin=origin, how=how, node=ast.Call() as node):
            return _reshaped(_kind(analysis, origin), how, node)
    return None


def _is_json(value: Value) -> bool:
    return isinstance(value, ExternalCall) and value.name in ("json.load", "json.loads")


def _reshaped(holder: samples.Holder | None, how: str, node: ast.Call) -> samples.Holder | None:
    """Return what a method makes of an array or tensor: another of its kind."""
    if holder is None or holder.kind == "container":
        return None
    if how in _SAME_SHAPE:
        return holder
    if how in ("reshape", "view"):
        sizes = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args
        return samples.Holder(holder.kind, dimensions=len(sizes))
    return None


def _gathers(analysis: Analysis, container: Container) -> bool:
    """Return whether what a container holds is empty at first: buffers to be filled, no samples."""
    held = [v for _, argument in container.items for v in analysis.values(argument)]
    return bool(held) and all(_is_empty(value) for value in held)


def _is_empty(value: Value) -> bool:
    match getattr(value, "node", None):
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[], keywords=[]):
            return True
    return False


def _element(analysis: Analysis, container: Container) -> str:
    kinds = {
        _element_kind(value, analysis)
        for _, argument in container.items
        for value in analysis.values(argument)
    }
    if samples.INDEXED in kinds:
        return samples.INDEXED
    return kinds.pop() if len(kinds) == 1 else ""


def _element_kind(value: Value, analysis: Analysis) -> str:
    match value:
        case Instance(cls=cls) if analysis.method(cls, "__getitem__") is not None:
            return samples.INDEXED
        case Unknown():
            return samples.INDEXED  # it may be one: a list of datasets, say
        case Container(kind="list" | "dict" as kind):
            return kind
        case ExternalCall(name="numpy.load"):
            return "array" if _is_one_array(value, analysis) else ""
        case ExternalCall(name=name, node=node):
            found = _array(name, node)
            return found.kind if found else ""
    return ""


def _is_one_array(load: ExternalCall, analysis: Analysis) -> bool:
    """Return whether `np.load` gives an array of numbers: of a `.npy` file, or of one that it maps."""
    options = {keyword.arg for keyword in load.node.keywords}
    path = next(iter(load.node.args), None)
    if "allow_pickle" in options or path is None:
        return False
    ending = ending_of(Bound(path, load.frame), analysis) or ""
    return ending.endswith(".npy") or (not ending and "mmap_mode" in options)


def _array(name: str, node: ast.Call) -> samples.Holder | None:
    library, _, last = name.rpartition(".")
    if library == "numpy" and last in (_ARRAYS - {"load"}) | _SAME_DATA | _READ:
        return samples.Holder("array", dimensions=_dimensions(last, node))
    if library == "numpy" and last in _JOINED:
        return samples.Holder("array", dimensions=_JOINED[last])
    if library == "numpy.random" and last in {"rand", "randn"}:
        return samples.Holder("array", dimensions=len(node.args))
    if library == "torch" and last in (_ARRAYS - {"load", "array"}) | _SAME_DATA | _TENSORS:
        return samples.Holder("tensor")
    return None


def _size(node: ast.Call) -> int:
    """Return how many dimensions the array has that a generator draws: `rng.normal(size=(3, 4))`."""
    given = [keyword.value for keyword in node.keywords if keyword.arg == "size"]
    tuples = [each for each in [*given, *node.args] if isinstance(each, ast.Tuple)]
    return len(tuples[0].elts) if tuples else 0


def _dimensions(name: str, node: ast.Call) -> int:
    match node.args[:1]:
        case [ast.Tuple(elts=sizes)] if name in {"zeros", "ones", "empty", "full"}:
            return len(sizes)
        case [ast.List(elts=[ast.List(), *_])] if name == "array":
            return 2
    return 0


def _evidence(code: reached.Code, change: samples.Change) -> samples.Changed:
    source = change.alias.source
    uses, before = _direct_uses(code, source)
    shallow = _shallow_copy(code, change.alias)
    return samples.Changed(
        place=code.module.place(change.node),
        source_place=code.module.place(uses[0] if uses else source),
        module=code.module,
        function=code.node,
        source=source,
        form=change.form,
        uses=tuple(uses),
        before=before,
        shallow=shallow,
        refused="" if shallow is not None else _why_not(code, change.alias, uses),
    )


def _shallow_copy(code: reached.Code, alias: samples.Alias) -> ast.Call | None:
    """Return the call that copies a sample, where a part that copy and sample share is changed."""
    above = code.module.parent(alias.source)
    while isinstance(above, (ast.Attribute, ast.keyword)):
        above = code.module.parent(above)
    made = alias.beneath and isinstance(above, ast.Call) and samples.copied(above) is alias.source
    return above if made and isinstance(above, ast.Call) else None


def _why_not(code: reached.Code, alias: samples.Alias, uses: Sequence[ast.expr]) -> str:
    """Return why no copy is made where the sample is taken out; nothing where one is."""
    if alias.beneath:
        return f"the method copies the sample, but not what it holds (line {alias.source.lineno})"
    if not _is_once(code, alias.source):
        return "the sample is read in more than one place"
    for node in reached.own(code.node):
        match node:
            case ast.If(test=ast.Compare(ops=[ast.NotIn()]), body=[first, *_]):
                if any(use in set(walk(node)) for use in uses):
                    return f"the method first stores the sample if its key is missing (line {first.lineno})"
    return ""


def _direct_uses(code: reached.Code, source: ast.expr) -> tuple[list[ast.expr], ast.stmt | None]:
    """Return the places of a sample that has no name, and the statement to name it above."""
    parent = code.module.parent(source)
    if isinstance(source, ast.Name):
        loop = next(each for each in code.module.ancestors(source) if isinstance(each, ast.For))
        return [], loop.body[0]
    if isinstance(parent, ast.Tuple) and isinstance(code.module.parent(parent), ast.Assign):
        return [], None
    if isinstance(parent, ast.Assign | ast.AnnAssign) and parent.value is source:
        return [], None
    text = ast.dump(source, annotate_fields=False).replace("Store()", "Load()")
    uses = [
        node
        for node in reached.own(code.node)
        if isinstance(node, ast.Subscript)
        and ast.dump(node, annotate_fields=False).replace("Store()", "Load()") == text
    ]
    uses = in_order(uses)
    before = next((s for s in code.node.body if lies_in(uses[0], s)), None)
    return list(uses), before


def _is_once(code: reached.Code, source: ast.expr) -> bool:
    """Return whether one copy will do: the sample is named once, or never bound."""
    text = ast.unparse(source)
    bound = [
        node
        for node in reached.own(code.node)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == text
    ]
    return len(bound) <= 1
