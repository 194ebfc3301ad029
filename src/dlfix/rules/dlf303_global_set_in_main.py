"""DLF303: a worker reads a module-level name that only the parent sets."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.importing import comes_with
from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.entry_points import (
    Entries,
    Entry,
    ends_before,
    leads_to,
    runs_with,
    under_guard,
)
from dlfix.reach.global_state import GlobalName, Use
from dlfix.reach.starts import only_forks, runs_only_with_fork
from dlfix.reach.values import Constant
from dlfix.reach.worker_code import GlobalRead, WorkerCode, WorkerFunction
from dlfix.rules.base import Finding, Place, Rule, Step
from dlfix.rules.reading.class_settings import SetOnClass, set_on_classes
from dlfix.rules.reading.lacking import is_of_some_loaders, reads_by_boundary
from dlfix.rules.reading.lazy_defaults import without_defaults
from dlfix.rules.reading.library_settings import SetInLibrary, set_in_libraries
from dlfix.rules.reading.overridden import (
    merged_into,
    of_what_workers_read,
    overridden_by_parent,
)
from dlfix.rules.reading.own_objects import SetOnOwn, set_on_own_objects
from dlfix.rules.reading.registered import added_by_parent, changed_by_methods, dispatched
from dlfix.rules.reading.worker_imports import WorkerImports

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary, Crossing
    from dlfix.rules.reading.worker_imports import ParentImport

_NEW_NAMES = ("mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile")


@dataclass(frozen=True)
class SetInParent:
    """What the planner reads: who reads the name, where it is set, and from where that is run."""

    name: GlobalName
    read: GlobalRead
    write: Use
    entry: Entry
    added: str = ""  # the entry that only the parent adds, where an import adds others
    beside: tuple[SetInParent, ...] = ()  # other names that the same call or statement sets

    @property
    def all(self) -> tuple[SetInParent, ...]:
        """This name and those beside it."""
        return (self, *self.beside)

    @property
    def title(self) -> str:
        """What the name is called in messages."""
        return self.name.name

    @property
    def function(self) -> WorkerFunction:
        """The function that reads the name in workers."""
        return self.read.function

    @property
    def set_here(self) -> Step:
        """Where the name is set."""
        what = f"`{self.name.name}` is set" if not self.added else f"`{self.added}` is added"
        return Step(self.write.module.place(self.write.node), f"{what} only in the parent")

    @property
    def place(self) -> Place:
        """Where the parent has it set: the call nearest to that, or the statement."""
        return (self.entry.steps[-1] if self.entry.steps else self.set_here).place

    @property
    def has_default(self) -> bool:
        """Whether a worker finds the name, with the value that an import gives it."""
        bindings = self.name.module.scope.bindings.get(self.name.name, [])
        return any(not _guarded(self.name, each) for each in bindings)

    @property
    def crossing(self) -> Crossing:
        """What brings the function that reads the name to the workers."""
        return self.read.function.crossing


@dataclass(frozen=True)
class SetByParentImport:
    """A name that modules fill when they are imported, which only the parent does."""

    name: GlobalName
    read: GlobalRead
    write: Use
    entry: Entry  # in the module that is imported
    imported: ParentImport


@dataclass(frozen=True)
class SetInEachProcess:
    """A name that each process sets to another value when it imports the module, and that the parent uses, too."""

    name: GlobalName
    read: GlobalRead
    value: ast.expr
    entry: Entry  # where the parent uses it


class GlobalSetInMain(Rule):
    """A worker reads a module-level name that only the parent sets.

    ## What it does

    Finds module-level names that code in a worker reads, and that are set or filled only under the
    main guard or by a function called from there. A spawned worker imports the modules and runs
    neither: it sees the value after import, or no such name. A configuration object counts too that an import
    fills and the parent sets again (`cfg.merge_from_file(args.config)`, `cfg.TRAIN.SIZE = args.size`), if a worker
    reads what is set. Attributes and methods of classes (`Config.rate = rate`) that only the parent sets are
    found in the same way, also where a worker sets them itself if there is no value yet
    (`if _config is None: _config = Config()`). So are parts of an object that a function gives to all that call it
    (`Config.get().rate = rate`): each process has its own. So is what a module adds to a table when it is imported (`@register("blur")`), if only
    `main()` or the code under the main guard imports that module, and what only these register with a
    `functools.singledispatch` function. A context variable (`LEVEL.set(3)`) counts too. So is a temporary folder that a module makes on import
    (`SCRATCH = tempfile.mkdtemp()`), where parent and workers use it: each process makes its own. Settings of
    libraries count that hold for one process, such as `torch.set_default_dtype(torch.float64)` or what
    `sqlite3.register_converter` registers, if code in a worker depends on them; not where the parent sets the value that
    is there anyway, or sets it back.

    ## The error you see

    In the worker (torch 2.13, Python 3.11, spawn), for settings that the parent fills:

        KeyError: Caught KeyError in DataLoader worker process 0.
        KeyError: 'rate'

    for a name that is set under the guard:

        NameError: Caught NameError in DataLoader worker process 0.
        NameError: name 'rate' is not defined

    There is no error if the import sets a default value, which the worker then uses.

    ## Example

        from torch.utils.data import DataLoader, Dataset

        settings = {}


        class Clips(Dataset):
            def __init__(self, count):
                self.count = count

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return index * settings["rate"]


        def configure(rate):
            settings["rate"] = rate


        if __name__ == "__main__":
            configure(2)
            for batch in DataLoader(Clips(8), batch_size=4, num_workers=2):
                print(batch)

    ## Use instead

        from torch.utils.data import DataLoader, Dataset

        settings = {}


        class Clips(Dataset):
            def __init__(self, count):
                self._settings = settings
                self.count = count

            def __len__(self):
                return self.count

            def __getitem__(self, index):
                return index * self._settings["rate"]


        def configure(rate):
            settings["rate"] = rate


        if __name__ == "__main__":
            configure(2)
            for batch in DataLoader(Clips(8), batch_size=4, num_workers=2):
                print(batch)

    Or set it in each worker, with a `worker_init_fn`.

    ## Fix safety

    The fix is unsafe: workers that used the default value now use the value set by the parent. If only methods
    of the object sent read the name, its constructor keeps it. If only one
    function passed to the loader reads the name, the value becomes a parameter bound with
    `functools.partial`; otherwise a `worker_init_fn` sets the name in each worker, or fills the worker's own
    table or configuration object. A pool without an `initializer` gets one that sets it, and the target of a process is
    run by a function that sets it first.

    One form is safe: constants that only the guard sets (`size = 4`, `root = os.path.join("data", "train")`,
    `device = torch.device("cpu")`), and that nothing changes, are set above it. Each process computes the same.

    ## How to turn it off

    `# dlfix: ignore[DLF303]` on the line that sets the name, or `ignore = ["DLF303"]`.
    """

    code = "DLF303"
    name = "global-set-in-main"
    codemods = ("worker_globals", "module_level_callables")
    shows_late = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each name that workers read and only the parent sets."""
        seen: set[tuple[object, str]] = set()
        in_parent: dict[Place, list[SetInParent]] = {}
        for read in WorkerCode.of(analysis).global_reads():
            boundary = read.function.crossing.boundary
            if boundary.kind == "dataset" or (read.module, read.name) in seen:
                continue
            if under_guard(read.function.module, read.function.node) is not None:
                continue  # it does not get there itself: DLF101, DLF302
            seen.add((read.module, read.name))
            name = GlobalName(analysis, read.module, read.name)
            if only_forks(analysis, boundary) or (name.is_definition and not dispatched(name)):
                continue
            own = _set_in_each_process(name, read)
            if own is not None:
                yield self._of_each(own)
                continue
            found = _set_in_parent(name, read)
            if isinstance(found, SetByParentImport):
                yield self._of_import(found)
            elif found is not None and name.is_definition:
                yield self._of_dispatch(found)
            elif found is not None:
                in_parent.setdefault(found.place, []).append(found)
        for first, *others in in_parent.values():
            yield self._finding(replace(first, beside=tuple(others)))
        for each in set_on_classes(analysis):
            yield self._of_class(each)
        for setting in set_in_libraries(analysis):
            yield self._of_library(setting)
        for part in set_on_own_objects(analysis):
            yield self._of_own(part)

    def _of_each(self, found: SetInEachProcess) -> Finding:
        name, read = found.name, found.read
        made = Step(name.module.place(found.value), f"`{name.name}` is set in each process")
        reading = Step(read.function.module.place(read.node), f"`{name.name}` is read in a worker")
        return Finding(
            type(self),
            f"`{name.name}` is read in a worker by {read.reader}, but a spawned worker imports the "
            "module again and makes its own",
            made.place,
            (*read.function.steps, reading, made),
            evidence=found,
        )

    def _of_import(self, found: SetByParentImport) -> Finding:
        name, read, entry = found.name, found.read, found.entry
        imported, filling = found.imported, entry.module.name
        steps = (
            *read.function.steps,
            Step(read.function.module.place(read.node), f"`{name.name}` is read in a worker"),
            *entry.steps,
            Step(found.write.module.place(found.write.node), f"`{name.name}` is set"),
            Step(
                imported.module.place(imported.node), f"`{filling}` is imported only in the parent"
            ),
        )
        return Finding(
            type(self),
            f"`{name.name}` is read in a worker by {read.reader} but `{filling}`, which sets it, is imported only "
            "in the parent",
            steps[-1].place,
            steps,
            evidence=found,
        )

    def _of_class(self, found: SetOnClass) -> Finding:
        function, write = found.function, found.write
        steps = (
            *function.steps,
            Step(function.module.place(found.read), f"`{found.name}` is read in a worker"),
            *found.entry.steps,
            Step(write.module.place(write.node), f"`{found.name}` is set only in the parent"),
        )
        reader = f"`{function.qualname}` (line {found.read.lineno})"
        error = "" if found.has_default else f"AttributeError: {found.name.rpartition('.')[2]}"
        return Finding(
            type(self),
            _message_of(found, reader),
            steps[-1].place,
            steps,
            error=error,
            evidence=found,
        )

    def _of_library(self, found: SetInLibrary) -> Finding:
        function, write = found.function, found.write
        does = "is read" if found.row is None else "takes effect"
        by = "by" if found.row is None else "in"
        is_set = "set" if write.rebinds else "called"
        steps = (
            *function.steps,
            Step(function.module.place(found.read), f"`{found.name}` {does} in a worker"),
            *found.entry.steps,
            Step(write.module.place(write.node), f"`{found.name}` is {is_set} only in the parent"),
        )
        reader = f"`{function.qualname}` (line {found.read.lineno})"
        return Finding(
            type(self),
            f"`{found.name}` {does} in a worker {by} {reader} but is {is_set} only in the parent",
            steps[-1].place,
            steps,
            error=found.row.error if found.row is not None else "",
            evidence=found,
        )

    def _of_dispatch(self, found: SetInParent) -> Finding:
        name, read = found.name, found.read
        own = SetOnOwn(name.name, read.function, read.node, found.write, found.entry)
        steps = (
            *read.function.steps,
            Step(read.function.module.place(read.node), f"`{name.name}` is called in a worker"),
            *found.entry.steps,
            Step(found.write.module.place(found.write.node), "a function is registered with it"),
        )
        return Finding(
            type(self),
            f"`{name.name}` is called in a worker by {read.reader} but a function for a type is registered only in "
            "the parent",
            steps[-1].place,
            steps,
            evidence=own,
        )

    def _of_own(self, found: SetOnOwn) -> Finding:
        function, write = found.function, found.write
        steps = (
            *function.steps,
            Step(function.module.place(found.read), f"`{found.title}` is read in a worker"),
            *found.entry.steps,
            Step(write.module.place(write.node), "it is set only in the parent"),
        )
        return Finding(
            type(self),
            f"`{found.title}` is read in a worker by `{function.qualname}` (line {found.read.lineno}) but set only in "
            "the parent: a spawned worker has an object of its own",
            steps[-1].place,
            steps,
            evidence=found,
        )

    def _finding(self, found: SetInParent) -> Finding:
        name, read = found.name, found.read
        steps = (
            *read.function.steps,
            Step(read.function.module.place(read.node), f"`{name.name}` is read in a worker"),
            *found.entry.steps,
            found.set_here,
        )
        return Finding(
            type(self),
            _message(found),
            found.place,
            steps,
            error="" if found.has_default else f"NameError: name '{name.name}' is not defined",
            evidence=found,
        )


def _message(found: SetInParent) -> str:
    if found.added:
        name = f"`{found.name.name}`"
        return f"{name} is read in a worker by {found.read.reader} but `{found.added}` is added only in the parent"
    return _message_of(found, found.read.reader)


def _message_of(found: SetInParent | SetOnClass, reader: str) -> str:
    """Return what is said of the names, or the attributes of a class, that one place sets."""
    is_set = "set" if all(each.write.is_sure for each in found.all) else "may be set"
    names = [f"`{each.title}`" for each in found.all]
    if len(names) == 1:
        return f"{names[0]} is read in a worker by {reader} but {is_set} only in the parent"
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    readers = {each.function.qualname for each in found.all}
    by = f" by `{readers.pop()}`" if len(readers) == 1 else ""
    return f"{listed} are read in a worker{by} but {is_set} only in the parent"


def _set_in_each_process(name: GlobalName, read: GlobalRead) -> SetInEachProcess | None:
    """Return where an import makes a temporary file or folder that the parent uses, too."""
    bindings = name.module.scope.bindings.get(name.name, [])
    value = bindings[0].value if len(bindings) == 1 else None
    if value is None or under_guard(name.module, value) is not None:
        return None
    if not any(isinstance(n, ast.Call) and last_name(n.func) in _NEW_NAMES for n in walk(value)):
        return None
    entries = (entry for use in name.reads() for entry in name.entries(use))
    parent = next((entry for entry in entries if entry.kind == "parent"), None)
    return SetInEachProcess(name, read, value, parent) if parent is not None else None


def _guarded(name: GlobalName, binding: object) -> bool:
    node = getattr(binding, "node", None)
    return node is not None and under_guard(name.module, node) is not None


def _set_in_parent(name: GlobalName, read: GlobalRead) -> SetInParent | SetByParentImport | None:
    """Return a write that only the parent makes; None where a worker makes it too, or none is seen."""
    found_in = (name.writes(), changed_by_methods(name), merged_into(name), dispatched(name))
    writes = list(dict.fromkeys(itertools.chain(*found_in)))
    if name.is_logger:
        firsts = name.module.scope.bindings.get(name.name, [])
        is_bound = any(not _guarded(name, each) for each in firsts)
        writes = [write for write in writes if write.rebinds and not is_bound]
    writes = without_defaults(writes, WorkerCode.of(name.analysis))
    found = _unset_in_workers(name, read, writes)
    if found is None:
        return None
    read = found
    later = [
        write
        for write in writes
        if not _is_first_value(name, write)
        and not _sets_nothing_new(name, write)
        and not runs_only_with_fork(write.module, write.node)
    ]
    later = of_what_workers_read(name, later)
    boundary = read.function.crossing.boundary
    entries = [
        (write, entry)
        for write in later
        for entry in name.entries(write)
        if (
            runs_with(name.analysis, boundary, entry)
            and _may_start_later(name, write, entry, boundary)
        )
        or WorkerImports.of(name.analysis, boundary).by_name_in_text(entry) is not None
    ]
    if not any(entry.kind == "import" for _, entry in entries):
        return SetInParent(name, read, *entries[0]) if entries else None
    guarded = _of_guarded_scripts(name, entries, boundary)
    if guarded is not None:
        return SetInParent(name, read, *guarded)
    by_import = _by_import(name, read, entries)
    if by_import is not None:
        return by_import
    added = added_by_parent(name, entries)
    if added is not None:
        return SetInParent(name, read, added.write, added.entry, ", ".join(added.added))
    again = overridden_by_parent(name, entries)
    return SetInParent(name, read, *again) if again is not None else None


def _of_guarded_scripts(
    name: GlobalName, entries: list[tuple[Use, Entry]], boundary: Boundary
) -> tuple[Use, Entry] | None:
    """Return a write in a script's guarded code, where no module that sets the name on import comes with the script.

    The script that sets it on import may be the one that starts the workers: then the other has to be seen to do so.
    """
    project = name.analysis.project
    on_import = {entry.module for _, entry in entries if entry.kind == "import"}
    return next(
        (
            (write, entry)
            for write, entry in entries
            if entry.kind == "parent"
            and not any(comes_with(project, entry.module, other) for other in on_import)
            and leads_to(name.analysis, boundary, entry.module)
        ),
        None,
    )


def _may_start_later(name: GlobalName, write: Use, entry: Entry, boundary: Boundary) -> bool:
    """Return whether code that sets a name may go on to start the workers: it does not return with that."""
    module = boundary.frame.module
    starts = Entries.of(name.analysis).entries(module, boundary.node)
    return not starts or not all(
        ends_before(entry, write.node, start, module, boundary.node) for start in starts
    )


def _by_import(
    name: GlobalName, read: GlobalRead, entries: list[tuple[Use, Entry]]
) -> SetByParentImport | None:
    """Return what a module sets on import, where workers import none that sets the same."""
    imports = WorkerImports.of(name.analysis, read.function.crossing.boundary)
    told: list[tuple[Use, Entry]] = []
    only: dict[Entry, ParentImport] = {}
    for write, entry in entries:
        imported = imports.only_by_parent(entry)
        by = replace(entry, kind="parent") if imported is not None else entry
        only |= {by: imported} if imported is not None else {}
        told.append((write, by))
    if only and any(entry.kind == "import" for _, entry in told):
        added = added_by_parent(name, told)
        told = [(added.write, added.entry)] if added is not None else []
    return next(
        (SetByParentImport(name, read, *each, only[each[1]]) for each in told if each[1] in only),
        None,
    )


def _unset_in_workers(name: GlobalName, read: GlobalRead, writes: list[Use]) -> GlobalRead | None:
    """Return a read in workers that do not set the name: those of another loader may."""
    writers = [each for write in writes if (each := name.worker_writer(write)) is not None]
    if not writers:
        return read
    if not all(map(is_of_some_loaders, writers)):
        return None
    reads = (one for _, one in reads_by_boundary(name, writes))
    return next(reads, None)


def _is_first_value(name: GlobalName, write: Use) -> bool:
    """Return whether a write is the module's own first word on the name, which an import runs."""
    scope = write.module.scope_of(write.node)
    return (
        write.module is name.module
        and write.rebinds
        and scope.is_module
        and under_guard(write.module, write.node) is None
    )


def _sets_nothing_new(name: GlobalName, write: Use) -> bool:
    """Return whether a write gives the name the constant, or empty container, that an import has given it."""
    statement = write.module.statement(write.node)
    if not write.rebinds or not isinstance(statement, ast.Assign):
        return False
    bindings = name.module.scope.bindings.get(name.name, [])
    firsts = [each for each in bindings if not _guarded(name, each)]
    if len(firsts) != 1 or firsts[0].kind != "assign" or firsts[0].value is None or firsts[0].path:
        return False
    if ast.unparse(statement.value) == ast.unparse(firsts[0].value) in ("{}", "[]", "()"):
        return True
    interpreter = name.analysis.interpreter
    values = [
        *interpreter.values_at(
            statement.value, interpreter.frame_at(write.module, statement.value)
        ),
        *interpreter.values_at(firsts[0].value, interpreter.frame(name.module.scope)),
    ]
    constants = {repr(each.value) if isinstance(each, Constant) else None for each in values}
    return len(constants) == 1 and None not in constants
