"""DLF304: workers modify module-level state that the parent reads."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import FUNCTIONS, callee_name, is_name, parameters
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entries, is_before
from dlfix.reach.global_state import GlobalName, Use
from dlfix.reach.methods import methods_of
from dlfix.reach.worker_code import WorkerCode, WorkerFunction
from dlfix.rules.base import Finding, Rule, Step

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_ENDS = ("__enter__", "__aenter__", "__aexit__", "__exit__")


class WorkerMutatesGlobal(Rule):
    """Workers modify a module-level object that the parent reads.

    ## What it does

    Finds module-level dicts, lists, counters and names that `__getitem__`, a `collate_fn` or
    functions called by them modify, while other code reads them in the parent. Every process has
    its own copy: the parent never sees changes made by the workers, and a `threading.Lock` does not
    lock between processes. A cache that only the workers read is not reported.

    ## The error you see

    None: the object of the parent does not change (torch 2.13, Python 3.11, with any start method).
    The example prints

        {}

    ## Example

        from torch.utils.data import DataLoader, Dataset

        lengths = {}


        class Words(Dataset):
            def __init__(self, words):
                self.words = words

            def __len__(self):
                return len(self.words)

            def __getitem__(self, index):
                lengths[index] = len(self.words[index])
                return self.words[index]


        def main():
            for word in DataLoader(Words(["a", "bc"]), batch_size=None, num_workers=2):
                print(word)
            print(lengths)


        if __name__ == "__main__":
            main()

    ## Use instead

        from torch.utils.data import DataLoader, Dataset

        lengths = {}


        class Words(Dataset):
            def __init__(self, words):
                self.words = words

            def __len__(self):
                return len(self.words)

            def __getitem__(self, index):
                word = self.words[index]
                return index, word, len(word)


        def main():
            for index, word, length in DataLoader(Words(["a", "bc"]), batch_size=None, num_workers=2):
                lengths[index] = length
                print(word)
            print(lengths)


        if __name__ == "__main__":
            main()

    ## Fix safety

    There is no fix, because there are several solutions: return the value with the sample, or store
    it in a `multiprocessing.Manager().dict()` or in a tensor in shared memory.

    ## How to turn it off

    `# dlfix: ignore[DLF304]` on the line that changes the object, or `ignore = ["DLF304"]`.
    """

    code = "DLF304"
    name = "worker-mutates-global"
    severity = "warning"

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each module-level name that workers change and the parent reads."""
        seen: set[tuple[object, str]] = set()
        for read in WorkerCode.of(analysis).global_reads(writes=True):
            if (
                read.module,
                read.name,
            ) in seen or read.function.crossing.boundary.kind == "dataset":
                continue
            seen.add((read.module, read.name))
            name = GlobalName(analysis, read.module, read.name)
            if name.is_definition or name.is_logger or name.is_of_each_thread:
                continue
            for use, function in _worker_writes(name):
                seen_by = next(_parent_reads(name, use, function), None)
                if seen_by:
                    yield self._finding(name, use, function, seen_by)
                    break

    def _finding(
        self, name: GlobalName, use: Use, function: WorkerFunction, seen_by: Use
    ) -> Finding:
        row = seen_by.node.lineno
        where = f"{seen_by.module.path.name}:{row}"
        change = Step(use.module.place(use.node), f"`{name.name}` is modified in the worker")
        return Finding(
            type(self),
            f"`{name.name}` is modified in each worker's own copy; the parent ({where}) "
            "does not see the changes",
            change.place,
            (
                *function.steps,
                change,
                Step(seen_by.module.place(seen_by.node), f"`{name.name}` is read in the parent"),
            ),
        )


def _worker_writes(name: GlobalName) -> Iterator[tuple[Use, WorkerFunction]]:
    for use in name.writes():
        function = name.worker_writer(use)
        if function is None or _sets_up(function) or _takes_over(use, function):
            continue
        if _is_kept_by_process(use) or _is_set_back(name, use) or _is_done_once(use):
            continue
        if not _is_set_by_each(name, use, function):
            yield use, function


def _is_kept_by_process(use: Use) -> bool:
    """Return whether an entry has the number of its process in its key: no other process looks for it."""
    place = use.module.parent(use.node)
    around = enclosing_function(use.module, use.node)
    if not isinstance(place, ast.Subscript) or around is None:
        return False
    keys = [place.slice]
    for inner in walk(around):
        if isinstance(inner, ast.Assign) and isinstance(place.slice, ast.Name):
            named = any(is_name(target, place.slice.id) for target in inner.targets)
            keys += [inner.value] * named
    return any(
        isinstance(node, ast.Call) and callee_name(node) == "getpid"
        for key in keys
        for node in walk(key)
    )


def _is_set_back(name: GlobalName, use: Use) -> bool:
    """Return whether a change holds for the length of a `with` or `try` only, which sets the name back."""
    around = enclosing_function(use.module, use.node)
    if around is None or not use.rebinds:
        return False
    pair = _other_end(use.module, around)
    return any(
        other.rebinds
        and other.module is use.module
        and (
            (pair is not None and enclosing_function(other.module, other.node) is pair)
            or around in _ending_in(other)
        )
        for other in name.writes()
    )


def _is_done_once(use: Use) -> bool:
    """Return whether each process gives a name its first value, where a flag says that it has not: `if not ready`."""
    if not use.rebinds:
        return False
    for above in use.module.ancestors(use.node):
        match above:
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=flag), body=body):
                said = {ast.dump(t) for each in body for t in _said_true(each)}
                return _as_stored(flag) in said
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return False
    return False


def _said_true(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets, value=ast.Constant(value=True)):
            return targets
    return []


def _as_stored(flag: ast.expr) -> str:
    return ast.dump(flag).removesuffix("ctx=Load())") + "ctx=Store())"


def _other_end(module: Module, function: ast.AST) -> ast.AST | None:
    """Return the method that runs at the other end of a `with`."""
    cls = module.parent(function)
    ends = dict(zip(_ENDS, reversed(_ENDS), strict=True))
    wanted = ends.get(getattr(function, "name", ""))
    return methods_of(cls).get(wanted) if wanted and isinstance(cls, ast.ClassDef) else None


def _ending_in(use: Use) -> Iterator[ast.AST]:
    """Yield the function in whose `finally` something is done."""
    below: ast.AST = use.node
    for above in use.module.ancestors(use.node):
        if isinstance(above, ast.Try) and below in above.finalbody:
            around = enclosing_function(use.module, use.node)
            yield from [around] if around is not None else []
        below = above


def _is_set_by_each(name: GlobalName, use: Use, function: WorkerFunction) -> bool:
    """Return whether what writes first gives the name a new value, and the parent runs it too."""
    around = enclosing_function(use.module, use.node)
    if around is None or not any(
        around is enclosing_function(other.module, other.node) and _starts_anew(name, other)
        for other in name.writes()
    ):
        return False
    code, scripts = WorkerCode.of(name.analysis), _scripts(name, function)
    return any(
        not any(code.runs(*call) for call in entry.calls)
        for entry in Entries.of(name.analysis).entries_in(scripts, use.module, use.node)
    )


def _starts_anew(name: GlobalName, write: Use) -> bool:
    statement = write.module.statement(write.node)
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    return (
        write.rebinds
        and value is not None
        and not any(isinstance(inner, ast.Name) and inner.id == name.name for inner in walk(value))
    )


def _scripts(name: GlobalName, function: WorkerFunction) -> set[Module]:
    """Return the modules from which the workers of a function are started."""
    boundary = function.crossing.boundary
    starts = Entries.of(name.analysis).entries(boundary.frame.module, boundary.node)
    return {entry.module for entry in starts}


def _fills(use: Use, name: str, kinds: tuple[type[ast.AST], ...]) -> bool:
    """Return whether something is put there only where it is missing, as a test of a kind says."""
    for above in use.module.ancestors(use.node):
        if isinstance(above, FUNCTIONS):
            break
        if isinstance(above, ast.If) and _asks(above.test, name, kinds):
            return True
    return False


def _asks(test: ast.expr, name: str, kinds: tuple[type[ast.AST], ...]) -> bool:
    for node in walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], kinds):
            asked: ast.AST = node
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, kinds):
            asked = node.operand
        else:
            continue
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(asked)):
            return True
    return False


def _as_a_whole(use: Use) -> bool:
    """Return whether a read asks for all that was gathered, not for one thing: `len(seen)`."""
    above = use.module.parent(use.node)
    if isinstance(above, ast.Attribute):
        return above.attr in ("items", "keys", "values")
    return isinstance(above, ast.Call | ast.For | ast.comprehension)


def _sets_up(function: WorkerFunction) -> bool:
    """Return whether a function only prepares a worker, whose own copy is what it wants to change."""
    crossings = (function.crossing, *function.crossing.above())
    return any(c.edge.name in ("worker_init_fn", "initializer") for c in crossings)


def _takes_over(use: Use, function: WorkerFunction) -> bool:
    """Return whether what a process runs first only keeps what the parent gave it: `settings.update(given)`."""
    if function.crossing.edge.name not in ("target", "fn"):
        return False
    if enclosing_function(use.module, use.node) is not function.node:
        return False
    statement = use.module.statement(use.node)
    match statement:
        case ast.Assign(value=given) if use.rebinds:
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"), args=[given], keywords=[])):
            pass
        case _:
            return False
    return isinstance(given, ast.Name) and given.id in parameters(function.node)


def _parent_reads(name: GlobalName, write: Use, function: WorkerFunction) -> Iterator[Use]:
    """Yield the parent's reads that a worker's write should have been seen by.

    What any process makes for itself where it is missing is a cache: only who asks for all that was
    gathered under keys looks for what the workers put there.
    """
    if _fills(write, name.name, (ast.Is, ast.Eq, ast.Not)):
        return
    keyed = _fills(write, name.name, (ast.NotIn,))
    changed = _attribute(write)
    for use in _reads_in_parent(name, function):
        read = _attribute(use)
        if (changed and read and read != changed) or _is_sent(use, name.analysis):
            continue
        if not keyed or _as_a_whole(use):
            yield use


def _is_sent(use: Use, analysis: Analysis) -> bool:
    """Return whether a read only hands the object on to further workers: `Process(args=(settings,))`."""
    starting = {boundary.node for boundary in analysis.boundaries}
    above = itertools.takewhile(
        lambda node: not isinstance(node, ast.stmt), use.module.ancestors(use.node)
    )
    return any(node in starting for node in above)


def _attribute(use: Use) -> str:
    """Return the attribute that alone is used of an object; empty for all of it, or for a method of its own."""
    taken = use.module.parent(use.node)
    if not isinstance(taken, ast.Attribute):
        return ""
    above = use.module.parent(taken)
    return "" if isinstance(above, ast.Call) and above.func is taken else taken.attr


def _reads_in_parent(name: GlobalName, function: WorkerFunction) -> Iterator[Use]:
    """Yield the reads that really run in the parent: outside worker code, from a script's top level."""
    boundary = function.crossing.boundary
    code, entries = WorkerCode.of(name.analysis), Entries.of(name.analysis)
    starts = entries.entries(boundary.frame.module, boundary.node)
    scripts = {entry.module for entry in starts}
    for use in name.reads():
        if name.worker_writer(use) is not None:
            continue
        ways = entries.entries_in(scripts, use.module, use.node) if starts else name.entries(use)
        for entry in ways:
            in_parent = starts or entry.kind == "parent"
            if starts and all(
                is_before(entry, use.node, start, boundary.frame.module, boundary.node)
                for start in starts
            ):
                continue
            if in_parent and not any(code.runs(*call) for call in entry.calls):
                yield use
                break
