"""Plans for `worker_globals`: a `worker_init_fn` that sets what only the parent sets."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, Union

from dlfix.fixing import naming
from dlfix.fixing.hoisting import carried_settings
from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.planners import worker_globals_in_place as in_place
from dlfix.fixing.planners.worker_globals_above import above_the_guard
from dlfix.fixing.planners.worker_globals_imports import imported_again, importing
from dlfix.fixing.planners.worker_globals_kept import on_their_objects, set_later, why_unsafe
from dlfix.fixing.planners.worker_globals_passed import is_the_global
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused, in_file
from dlfix.project.library_names import imported_as
from dlfix.project.module import enclosing_function
from dlfix.project.order import comes_before, lies_in, start
from dlfix.project.syntax import last_name, positional
from dlfix.reach.entry_points import Entries, is_before, runs_with, top_level_statement
from dlfix.reach.must_run import leads_surely
from dlfix.reach.starts import only_forks
from dlfix.reach.values import BoundMethod, Class, ExternalCall, Function, Instance
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.dlf303_global_set_in_main import (
    SetByParentImport,
    SetInEachProcess,
    SetInParent,
)
from dlfix.rules.reading.class_settings import SetOnClass
from dlfix.rules.reading.handles import kind_row, row_of
from dlfix.rules.reading.lacking import reads_by_boundary, runs_by_boundary
from dlfix.rules.reading.library_settings import SetInLibrary
from dlfix.rules.reading.own_objects import SetOnOwn
from dlfix.rules.reading.registered import adds_once_more
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.global_state import Use
    from dlfix.rules.base import Finding

Evidence: TypeAlias = Union[SetInParent, SetOnClass, SetInLibrary]  # noqa: UP007 - Python 3.10
CODEMOD = "worker_globals"
_OF_POOLS = ("Pool", "Executor")
SIMPLE = (
    ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


_CONVERSIONS = frozenset("bool dict float frozenset int list set str tuple".split())
OPTION = "worker_init_fn"
INITIALIZER = "initializer"
INITARGS = "initargs"
TARGET = "target"
_OPTIONS = {"DataLoader": OPTION, "Pool": INITIALIZER, "Executor": INITIALIZER, "Process": TARGET}
_POOLS = {
    "Pool": 1,
    "ProcessPoolExecutor": 2,
}  # each with how many arguments precede the initializer


@dataclass(frozen=True)
class WorkerGlobalsPlan:
    """A function for workers to start with, and the loaders' calls that get it.

    `header` and `body` are the function's lines; `values` are the parameters that a partial binds,
    each with the expression to bind. Where the option is the `target` of a process, the partial binds that, too.
    """

    name: str
    header: str
    body: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    calls: tuple[Span, ...]
    above: Span
    width: int = 88  # how long a line of the file may be
    option: str = OPTION
    imports: tuple[str, ...] = ()  # modules whose names the lines and the values read

    @property
    def is_pool(self) -> bool:
        """Whether the calls make pools, which pass the values themselves."""
        return self.option == INITIALIZER


class _No(Exception):
    """There is no fix, for a reason."""


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Set each constant above the guard, and carry other settings: on an object, in a partial, or by a `worker_init_fn`."""
    for form in (above_the_guard, on_their_objects, _to_workers):
        planned = list(form(findings, analysis))
        yield from planned
        done = {finding for each in planned for finding in each.findings}
        findings = [each for each in findings if each not in done]


def _to_workers(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Carry settings by a partial or a `worker_init_fn`; one a module."""
    taken: set[Module] = set()
    groups: dict[ast.AST, list[Finding]] = {}
    for finding in findings:
        if isinstance(finding.evidence, SetInEachProcess):
            name = finding.evidence.name.name
            why = f"`{name}` must be passed to the workers with the object that uses it"
            yield Planned((finding,), Refused(why))
            continue
        if isinstance(finding.evidence, SetByParentImport):
            yield _importing(finding, analysis, taken)
            continue
        if isinstance(finding.evidence, SetOnOwn):
            write = finding.evidence.write
            where = f"{write.module.path.name}:{write.node.lineno}"
            yield Planned((finding,), Refused(f"it must be set in each worker, too ({where})"))
            continue
        groups.setdefault(finding.evidence.function.node, []).append(finding)
    left: dict[tuple[ast.AST, ...], list[Finding]] = {}
    for group in groups.values():
        fix = _in_partial(_all(group), analysis, taken)
        if fix is not None:
            yield Planned(tuple(group), fix)
            continue
        beside = _loaders_beside(analysis, group[0].evidence.function.crossing.boundary)
        left.setdefault(tuple(each.node for each in beside), []).extend(group)
    for group in left.values():
        yield from _in_each_worker(group, analysis, taken)


def _importing(finding: Finding, analysis: Analysis, taken: set[Module]) -> Planned:
    """Import what only the parent imports in each worker, too."""
    refused = Refused(_why_not_imported(finding.evidence))
    setting = importing(finding, analysis)
    plans = _in_each_worker([setting], analysis, taken, "Import") if setting is not None else ()
    found = next((each.outcome for each in plans), refused)
    return Planned((finding,), found if isinstance(found, Fix) else refused)


def _why_not_imported(found: SetByParentImport) -> str:
    where, line = found.imported.module.path.name, found.imported.node
    return (
        f"`{found.entry.module.name}` must be imported at the top level of a module that workers import, too "
        f"({where}:{getattr(line, 'lineno', 1)})"
    )


def _in_each_worker(
    findings: Sequence[Finding], analysis: Analysis, taken: set[Module], verb: str = "Set"
) -> Iterator[Planned]:
    """Set all that the workers of the same loaders lack in one `worker_init_fn`."""
    settings: dict[Finding, list[Setting]] = {}
    for finding in findings:
        try:
            settings[finding] = [_setting(each, analysis, taken) for each in finding.evidence.all]
        except _No as no:
            yield Planned((finding,), _refused(no, finding))
    if not settings:
        return
    try:
        made = dict.fromkeys(each for group in settings.values() for each in group)
        wanted = _at_each_loader(_all([*settings]), [*made], analysis, taken)
        fix = _fix(_all([*settings]), wanted, analysis, verb)
    except _No as no:
        yield from (Planned((each,), _refused(no, each)) for each in settings)
        return
    taken |= wanted.keys()
    yield Planned(tuple(settings), fix)


@dataclass
class _Wanted:
    """What the loaders of one module need: all of them the same."""

    settings: list[Setting]
    loaders: list[Boundary]


def _at_each_loader(
    evidences: Sequence[Evidence],
    settings: Sequence[Setting],
    analysis: Analysis,
    taken: set[Module],
) -> dict[Module, _Wanted]:
    """Return the loaders whose workers lack what some evidences are about, by module, the own one first."""
    own = evidences[0].function.crossing.boundary
    wanted = {own.frame.module: _Wanted([*settings], _loaders_beside(analysis, own))}
    for other in (each for one in evidences for each in _elsewhere_read(one, analysis)):
        boundary = other.function.crossing.boundary
        module = boundary.frame.module
        setting = _setting(other, analysis, taken)
        here = wanted.setdefault(module, _Wanted([], []))
        if boundary.node not in {each.node for each in here.loaders}:
            here.loaders += _loaders_beside(analysis, boundary)
        if setting not in here.settings and module is own.frame.module:
            where = f"{module.path.name}:{boundary.node.lineno}"
            raise _No(f"the loaders are made where the name differs ({where})")
        here.settings += [setting] if setting not in here.settings else []
    return wanted


def _elsewhere_read(evidence: Evidence, analysis: Analysis) -> Iterator[Evidence]:
    """Yield what is known of a name for the other loaders whose workers read it, and do not set it."""
    own = evidence.function.crossing.boundary
    met = {each.node for each in _loaders_beside(analysis, own)}
    for boundary, other in _others(evidence, analysis):
        if boundary.node in met or only_forks(analysis, boundary):
            continue
        met |= {each.node for each in _loaders_beside(analysis, boundary)}
        for write in (evidence.write, *_writes(evidence)):
            ways = Entries.of(analysis).entries(write.module, write.node)
            run = (each for each in ways if each.kind != "import")
            entry = next((each for each in run if runs_with(analysis, boundary, each)), None)
            if entry is not None:
                yield replace(other, write=write, entry=entry)
                break


def _others(evidence: Evidence, analysis: Analysis) -> Iterator[tuple[Boundary, Evidence]]:
    writes = _writes(evidence)
    if isinstance(evidence, SetInParent):
        for boundary, read in reads_by_boundary(evidence.name, writes):
            yield boundary, replace(evidence, read=read)
    else:
        for boundary, function in runs_by_boundary(analysis, evidence.function, writes):
            yield boundary, replace(evidence, function=function)


def _writes(evidence: Evidence) -> list[Use]:
    return evidence.name.writes() if isinstance(evidence, SetInParent) else [evidence.write]


def _all(findings: Sequence[Finding]) -> list[Evidence]:
    """Return what some findings are about, the names that one statement sets too."""
    return [each for finding in findings for each in finding.evidence.all]


def _refused(no: _No, finding: Finding) -> Refused:
    boundary = finding.evidence.function.crossing.boundary
    kind = {**dict.fromkeys(_OF_POOLS, "pool"), "Process": "process"}.get(boundary.kind, "loader")
    reason = str(no).replace("loader", kind)
    return Refused(in_file(reason, boundary.frame.module.path))


def _on_class(found: SetOnClass) -> str:
    write = found.write
    return f"`{found.name}` is set on a class ({write.module.path.name}:{write.node.lineno})"


def _in_partial(
    evidences: Sequence[Evidence], analysis: Analysis, taken: set[Module]
) -> Fix | None:
    """Return the fix that carries what a function reads in a partial, where that is the smaller."""
    settings = [each for each in evidences if isinstance(each, SetInParent)]
    if len(settings) < len(evidences):
        return None
    if any(True for each in evidences for _ in _elsewhere_read(each, analysis)):
        return None
    boundary = settings[0].read.function.crossing.boundary
    module = boundary.frame.module
    if boundary.kind != "DataLoader" or module in taken:
        return None
    loaders = _loaders_beside(analysis, boundary)
    try:
        for loader, evidence in itertools.product(loaders, settings):
            assert isinstance(loader.node, ast.Call)
            _carried(evidence, analysis, module, loader.node)
    except _No:
        return None
    plan = carried_settings.carried(analysis, [each.read for each in settings], loaders)
    if plan is None:
        return None
    taken.add(module)
    edit = Edit(module.path, "module_level_callables", plan)
    names = ", ".join(f"`{each.name.name}`" for each in settings)
    message = f"Pass {names} to `{plan.hoists[0].name}` with a partial"
    return Fix(message, Applicability.UNSAFE, (edit,), why_unsafe(settings))


@dataclass(frozen=True)
class Setting:
    """What a function for workers does for one name: its lines, and the parameters they read."""

    values: tuple[tuple[str, str], ...]  # parameters, each with what is bound to it
    body: tuple[str, ...]
    sets: str = ""  # what the lines assign, where they do no more: a global name, or `Config.rate`
    imports: tuple[str, ...] = ()  # modules to import


def _fix(
    evidences: Sequence[Evidence], wanted: Mapping[Module, _Wanted], analysis: Analysis, verb: str
) -> Fix:
    edits = [_edit(each.loaders, each.settings, analysis) for each in wanted.values()]
    first = edits[0].plan
    assert isinstance(first, WorkerGlobalsPlan)
    names = ", ".join(dict.fromkeys(f"`{each.title}`" for each in evidences))
    return Fix(
        f"{verb} {names} in each worker with `{first.name}`",
        Applicability.UNSAFE,
        tuple(edits),
        why_unsafe(evidences),
    )


def _edit(loaders: Sequence[Boundary], settings: Sequence[Setting], analysis: Analysis) -> Edit:
    """Return the edit that gives the loaders of a module one function for their workers."""
    boundary = min(loaders, key=lambda each: start(each.node))
    module, option = boundary.frame.module, _OPTIONS[boundary.kind]
    if any(_OPTIONS[each.kind] != option for each in loaders):
        raise _No("both loaders and pools or processes need the name")
    earlier = {_earlier(module, loader, analysis) for loader in loaders}
    if len(earlier) > 1:
        raise _No("the loaders have different `worker_init_fn` arguments")
    before = earlier.pop()
    wanted = "_run_worker" if option == TARGET else "_init_worker"
    name = naming.free_name(wanted, naming.names_in(module.tree))
    body, values = _joined(settings)
    parameters, last = _parameters_of(option, [each for each, _ in values], before)
    plan = WorkerGlobalsPlan(
        name,
        _header(name, parameters, _is_typed(module, boundary.node)),
        # As in a worker that is a copy of the parent: what is set is there when the function runs.
        (*body, *last),
        values,
        tuple(module.span(loader.node) for loader in loaders),
        module.span(top_level_statement(module, boundary.node)),
        width_of(module),
        option,
        tuple(dict.fromkeys(name for each in settings for name in each.imports)),
    )
    return Edit(module.path, CODEMOD, plan)


def _joined(
    settings: Sequence[Setting],
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the lines and the bound values of one function that does it all."""
    if len(settings) == 1:
        return settings[0].body, settings[0].values
    if not all(each.sets or not each.values for each in settings):
        raise _No("several names are set, and one of them is set by a call with arguments")
    declared = [each.sets for each in settings if each.sets.isidentifier()]
    lines = [f"global {', '.join(declared)}"] if declared else []
    values: list[tuple[str, str]] = []
    for each in settings:
        if not each.sets:
            lines += each.body
            continue
        taken = {*declared, "worker_id", *(name for name, _ in values)}
        wanted = each.sets.rpartition(".")[2].lower()
        wanted = f"{wanted}_value" if wanted in taken else wanted
        parameter = naming.free_name(wanted, taken)
        lines.append(f"{each.sets} = {parameter}")
        values.append((parameter, each.sets))
    return tuple(dict.fromkeys(lines)), tuple(values)


def _setting(evidence: Evidence, analysis: Analysis, taken: set[Module]) -> Setting:
    """Return what a function for workers does to set a name as the parent does."""
    boundary = _starting(evidence.function.crossing.boundary)
    if boundary is None or not isinstance(boundary.node, ast.Call):
        raise _No(_no_loader(evidence.function.crossing.boundary))
    module, loader = boundary.frame.module, boundary.node
    if module in taken:
        raise _No("another fix already changes a loader in this file")
    if isinstance(evidence, SetOnClass):
        return _carried_on_class(evidence, analysis, module, loader)
    if isinstance(evidence, SetInLibrary):
        return _in_library(evidence, analysis, module, loader)
    if evidence.entry.calls and evidence.write.module.scope_of(evidence.write.node).is_function:
        caller, call = evidence.entry.calls[-1]
        own = evidence.write.rebinds and caller is not module
        if own or _beside(caller, call, module, loader):
            if evidence.write.owner is not None:  # it may set more, and read files for it
                return _carried(evidence, analysis, module, loader)
            again = adds_once_more(evidence.write, evidence.name.name)
            if again:
                return _or_filled(_No(again), evidence, analysis, module, loader)
            try:
                return _made_again_or_carried(evidence, analysis, caller, call, module, loader)
            except _No as no:
                return _or_filled(no, evidence, analysis, module, loader)
    try:
        return _carried(evidence, analysis, module, loader)
    except _No as no:
        return _or_filled(no, evidence, analysis, module, loader)


def _or_filled(
    no: _No, evidence: SetInParent, analysis: Analysis, module: Module, loader: ast.Call
) -> Setting:
    """Carry what an object holds to the worker, and give it to the worker's own one; else refuse with a reason."""
    found = in_place.filled(evidence, analysis, module, loader)
    if found is None:
        raise no
    return Setting((("value", found.name),), (found.statement,), imports=found.imports)


def _made_again_or_carried(
    evidence: SetInParent,
    analysis: Analysis,
    caller: Module,
    call: ast.Call,
    module: Module,
    loader: ast.Call,
) -> Setting:
    try:
        if caller is module:
            way = evidence.entry.calls
            _refuse_condition(evidence.name.name, way, analysis, module, loader)
        return _made_again(caller, call, module, loader, _parameters(evidence))
    except _No as no:
        try:
            return _carried(evidence, analysis, module, loader)
        except _No:
            raise no from None


def _starting(boundary: Boundary) -> Boundary | None:
    """Return a loader, or what makes the pool that a call is sent to, where a name of the same function holds just that."""
    if boundary.kind not in _OF_POOLS:
        return boundary if boundary.kind in _OPTIONS else None
    match boundary.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as pool)):
            module = boundary.frame.module
            scope = module.scope_of(pool).lookup(name)
            made = scope.bindings.get(name, []) if scope is module.scope_of(pool) else []
            if len(made) == 1 and isinstance(made[0].value, ast.Call) and not made[0].path:
                call = made[0].value
                return replace(boundary, node=call) if _pool_of(module, call) in _POOLS else None
    return None


def _pool_of(module: Module, call: ast.Call) -> str:
    """Return which pool a call makes, also by another name: `from multiprocessing import Pool as ProcessPool`."""
    return (imported_as(module, call.func) or last_name(call.func)).rpartition(".")[2]


def _no_loader(boundary: Boundary) -> str:
    """Return why no function for workers is written where these are not a loader's, nor those of a pool in view."""
    if boundary.kind not in _OF_POOLS:
        return "only a loader has a `worker_init_fn` that can set the name"
    at = f"{boundary.frame.module.path.name}:{boundary.node.lineno}"
    return f"the pool is not created in the same function ({at})"


def _beside(caller: Module, call: ast.Call, module: Module, loader: ast.Call) -> bool:
    same = caller is module and enclosing_function(caller, call) is enclosing_function(
        module, loader
    )
    return same and comes_before(call, loader)


def _parameters(evidence: SetInParent) -> list[str]:
    """Return the names of the positional parameters of the function that sets it."""
    return _parameters_around(evidence.write.module, evidence.write.node)


def _parameters_around(module: Module, node: ast.AST) -> list[str]:
    function = enclosing_function(module, node)
    if function is None:
        return []
    names = positional(function)
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _made_again(
    caller: Module, call: ast.Call, module: Module, loader: ast.Call, named: Sequence[str]
) -> Setting:
    """Make the call that sets it again in the worker, with what it was given."""
    is_anywhere = caller is module and _means_the_same(module, call)
    if not is_anywhere and not _beside(caller, call, module, loader):
        raise _No(
            "the call that sets the name does not precede the loader in the same function "
            f"({caller.path.name}:{call.lineno})"
        )
    if not isinstance(module.parent(call), ast.Expr):
        raise _No(f"the return value of the call is used (line {call.lineno})")
    head = call.func
    while isinstance(head, ast.Attribute):
        head = head.value
    if not isinstance(head, ast.Name) or module.scope_of(call).lookup(head.id) is not module.scope:
        raise _No(f"`{ast.unparse(call.func)}` is not a module-level name (line {call.lineno})")
    values: list[tuple[str, str]] = []

    def carried(node: ast.expr, wanted: str) -> str:
        if _is_of_an_import(module, node) or _is_written_again(module, node):
            return _text(module, node)
        if not all(isinstance(n, SIMPLE) or _is_lookup(n) for n in ast.walk(node)):
            raise _No(f"an argument of the call is not a simple expression (line {call.lineno})")
        name = naming.free_name(wanted, {*(each for each, _ in values), "worker_id", head.id})
        values.append((name, _text(module, node)))
        return name

    given = [carried(a, _name_of(a, wanted)) for a, wanted in zip(call.args, named, strict=False)]
    if len(given) < len(call.args):
        raise _No(f"the call has more arguments than the function declares (line {call.lineno})")
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _No(f"the call uses `**` (line {call.lineno})")
        given.append(f"{keyword.arg}={carried(keyword.value, keyword.arg)}")
    line = f"{ast.unparse(call.func)}({', '.join(given)})"
    return Setting(tuple(values), (line,))


def _carried(
    evidence: SetInParent, analysis: Analysis, module: Module, loader: ast.Call
) -> Setting:
    """Carry the value itself to the worker and set it there."""
    name, write = evidence.name, evidence.write
    held = None if write.rebinds else _held_by_another(evidence, analysis)
    if held is not None:
        raise _No(f"`{held.path.name}` imports the object by name and would keep the old one")
    elsewhere = _elsewhere(f"`{name.name}` is set in", write.module, module, loader)
    written = _written_as(name.name, write, module)
    dotted = "" if written else in_place.module_name(module, name.module, analysis)
    if write.module is not module and not (dotted and write.module is name.module):
        raise elsewhere
    own = name.module is module
    if not own and not dotted and not written:
        raise _elsewhere(f"`{name.name}` is defined in", name.module, module, loader)
    if own and evidence.read.function.module is not module:
        raise _elsewhere(f"`{name.name}` is read in", evidence.read.function.module, module, loader)
    made_by = [(way, module, loader) for way in Entries.of(analysis).entries(module, loader)]
    later = (each for each in set_later(evidence, made_by) if each.node is not write.node)
    late = next(later, None) if _is_before(evidence, analysis, module, loader) else write
    if late is not None:
        line = getattr(late.node, "lineno", 0)
        raise _No(f"the name may be set after the loader is created (line {line})")
    if dotted:
        return replace(_assigning(f"{dotted}.{name.name}"), imports=(dotted,))
    if not own:
        return _assigning(written)
    if not is_the_global(analysis, module, loader, name.name):
        raise _No(f"`{name.name}` refers to a different variable where the loader is created")
    body = (f"global {name.name}", f"{name.name} = value")
    return Setting((("value", name.name),), body, name.name)


def _written_as(name: str, write: Use, module: Module) -> str:
    """Return how a module writes the attribute of another that it sets; empty where it sets a name of its own."""
    if write.module is not module:
        return ""
    if write.owner is None:
        return ast.unparse(write.node) if _is_of_an_import(module, write.node) else ""
    node = write.owner
    while isinstance(node, ast.Attribute):
        node = node.value
    return f"{ast.unparse(write.owner)}.{name}" if _names_an_import(module, node) else ""


def _held_by_another(evidence: SetInParent, analysis: Analysis) -> Module | None:
    """Return a module that has an object by a name of its own: it would keep it where the name gets another."""
    code, home = WorkerCode.of(analysis), (evidence.name.module, evidence.name.name)
    for module in analysis.project.users(*home):
        names = {home[1], *module.aliases_of(home[1])}
        if module is not home[0] and any(
            code.home(module, each) == home for each in names & {*module.scope.bindings}
        ):
            return module
    return None


def _assigning(written: str) -> Setting:
    """Return what sets an attribute of a module or a class to the value that it has where the loader is made."""
    return Setting((("value", written),), (f"{written} = value",), written)


def _carried_on_class(
    evidence: SetOnClass, analysis: Analysis, module: Module, loader: ast.Call
) -> Setting:
    """Carry the value of an attribute of a class to the worker, and set it there."""
    owner = _name_of_class(evidence.cls, module, analysis)
    if not evidence.write.rebinds or not owner or not _is_data(evidence, analysis):
        raise _No(_on_class(evidence))
    if not _is_before(evidence, analysis, module, loader):
        line = getattr(evidence.write.node, "lineno", 0)
        raise _No(f"the attribute may be set after the loader is created (line {line})")
    return _assigning(f"{owner}.{evidence.read.attr}")


def _in_library(
    evidence: SetInLibrary, analysis: Analysis, module: Module, loader: ast.Call
) -> Setting:
    """Make a setting of a library in the worker, too: by the call that makes it, or by its statement."""
    write, row = evidence.write, evidence.row
    if row is not None and row.again:
        return Setting((), (row.again,), imports=row.imports)
    if not _is_before(evidence, analysis, module, loader):
        line = getattr(write.node, "lineno", 0)
        raise _No(f"`{evidence.name}` may be set after the loader is created (line {line})")
    if row is not None and row.is_once:
        raise _No(f"`{evidence.name}` raises where it is set already, as in a forked worker")
    line = imported_again(write, module)
    if line:
        return Setting((), (line,))
    called = _called_beside(evidence, module, loader)
    if called is not None:
        return _by_function(evidence, called, analysis, module, loader)
    if write.module is not module:
        raise _elsewhere(f"`{evidence.name}` is set in", write.module, module, loader)
    _refuse_others(
        evidence, [*evidence.entry.calls, (module, write.node)], analysis, module, loader
    )
    made = module.parent(write.node)
    if not write.rebinds and isinstance(made, ast.Call):
        _refuse_objects(evidence, made, analysis)
        return _made_again(module, made, module, loader, ["value"] * len(made.args))
    if not _is_set_on_imports(module, write.node):
        raise _No(f"`{evidence.name}` is not a module-level name (line {write.node.lineno})")
    statement = module.statement(write.node)
    if isinstance(statement, ast.Assign) and _is_of_imports(module, statement.value):
        return Setting((), (_text(module, statement),))
    is_plain = row is not None  # what the catalogue lists are numbers and texts
    if is_plain and isinstance(statement, ast.Assign):
        return _assigning(ast.unparse(write.node))
    raise _No(f"the value of `{evidence.name}` depends on variables (line {write.node.lineno})")


def _called_beside(evidence: SetInLibrary, module: Module, loader: ast.Call) -> int | None:
    """Return which of the calls that lead to a setting is beside a loader: the nearest to the setting."""
    calls = evidence.entry.calls
    beside = (n for n in reversed(range(len(calls))) if _beside(*calls[n], module, loader))
    return next(beside, None)


def _by_function(
    evidence: SetInLibrary, called: int, analysis: Analysis, module: Module, loader: ast.Call
) -> Setting:
    """Make the call of a function that makes a setting again in the worker."""
    calls = evidence.entry.calls
    _refuse_others(evidence, calls[: called + 1], analysis, module, loader)
    further = [*calls[called + 1 :], (evidence.write.module, evidence.write.node)]
    return _made_again(*calls[called], module, loader, _parameters_around(*further[0]))


def _refuse_others(
    evidence: SetInLibrary,
    way: Sequence[tuple[Module, ast.AST]],
    analysis: Analysis,
    module: Module,
    loader: ast.Call,
) -> None:
    """Refuse a setting that the parent makes in other ways, too, or only sometimes before a loader is made."""
    _, last = way[-1]
    for use, entry in evidence.more:
        if last is not use.node and not any(call is last for _, call in entry.calls):
            where = f"{use.module.path.name}:{getattr(use.node, 'lineno', 0)}"
            raise _No(f"`{evidence.name}` is set in several places ({where})")
    _refuse_condition(evidence.name, way, analysis, module, loader)


def _refuse_condition(
    name: str,
    way: Sequence[tuple[Module, ast.AST]],
    analysis: Analysis,
    module: Module,
    loader: ast.Call,
) -> None:
    """Refuse what is set only under a condition: a worker would set it always."""
    where, last = way[-1]
    for entry in Entries.of(analysis).entries(module, loader):
        if not leads_surely(way, [*entry.calls, (module, loader)]):
            line = f"{where.path.name}:{getattr(last, 'lineno', 0)}"
            raise _No(f"`{name}` is not set in all runs before the loader is created ({line})")


def _refuse_objects(evidence: SetInLibrary, call: ast.Call, analysis: Analysis) -> None:
    """Refuse a call that gets an object made in the parent: to send it to workers may fail."""
    module = evidence.write.module
    for node in (*call.args, *(each.value for each in call.keywords)):
        found = analysis.interpreter.values_at(node, analysis.interpreter.frame_at(module, node))
        is_made = any(isinstance(each, (Instance, ExternalCall)) for each in found)
        if is_made and not _is_written_again(module, node):
            line = f"{module.path.name}:{node.lineno}"
            raise _No(f"`{evidence.name}` gets an object that is made in the parent ({line})")


def _is_written_again(module: Module, node: ast.expr) -> bool:
    """Return whether an argument names only what an import gives or a module defines: no value is passed for it."""
    calls = [each for each in ast.walk(node) if isinstance(each, (ast.Call, ast.Await))]
    is_plain = all(last_name(getattr(each, "func", None)) in _CONVERSIONS for each in calls)
    return is_plain and _is_of_imports(module, node)


def _is_lookup(node: ast.AST) -> bool:
    """Return whether a call asks a mapping for an entry: `config.get("plugins", ())`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str()), *_]):
            return not node.keywords
    return False


def _text(module: Module, node: ast.AST) -> str:
    """Return how a module writes something, on one line."""
    text = module.segment(node)
    return ast.unparse(node) if "\n" in text else text


def _means_the_same(module: Module, call: ast.Call) -> bool:
    """Return whether a call has no argument that depends on where it is."""
    given = [*call.args, *(each.value for each in call.keywords)]
    return all(_is_written_again(module, each) for each in given)


def _is_set_on_imports(module: Module, target: ast.expr) -> bool:
    """Return whether a target is an attribute of an import, or of what it gives: `decimal.getcontext().prec`."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Call):
        call = target.value
        return not (call.args or call.keywords) and _is_of_imports(module, call.func)
    return _is_of_an_import(module, target)


def _is_of_imports(module: Module, value: ast.expr) -> bool:
    """Return whether an expression names only what each process imports or defines: it means the same in a worker."""
    kinds = {"import", "def", "class"}
    for node in ast.walk(value):
        scope = module.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        if scope is None:
            continue
        bindings = scope.bindings.get(getattr(node, "id", ""), [])
        if scope is not module.scope or not all(
            each.kind in kinds and each.statement in module.tree.body for each in bindings
        ):
            return False
    return True


def _is_data(evidence: SetOnClass, analysis: Analysis) -> bool:
    """Return whether what is set on a class can be pickled: no resource, nor an object in view, that may hold one."""
    write = evidence.write
    if write.owner is not None:  # the name is computed, and so is the value
        return evidence.is_plain
    value = getattr(write.module.statement(write.node), "value", None)
    if not isinstance(value, ast.expr):
        return False
    found = analysis.evaluate(value, analysis.frame(write.module.scope_of(write.node)))
    values = [each.value for each in found]
    return not any(
        isinstance(each, (Instance, BoundMethod))
        or (isinstance(each, Function) and each.node not in each.module.tree.body)
        or row_of(each, analysis)
        or kind_row(each, analysis)
        for each in values
    )


def _name_of_class(cls: Class, module: Module, analysis: Analysis) -> str:
    """Return the global name of a class in a module; empty where it has none."""
    frame = analysis.frame(module.scope)
    for name, bindings in module.scope.bindings.items():
        if any(each.kind in ("import", "class") for each in bindings):
            values = [each.value for each in analysis.interpreter.name(name, frame, None)]
            if values and all(isinstance(v, Class) and v.node is cls.node for v in values):
                return name
    return ""


def _is_of_an_import(module: Module, node: ast.AST) -> bool:
    """Return whether a node is an attribute of a module that this one imports for all its functions."""
    return isinstance(node, ast.Attribute) and _names_an_import(module, node.value)


def _names_an_import(module: Module, node: ast.expr) -> bool:
    """Return whether a node is the name of what a module imports for all its functions."""
    if not isinstance(node, ast.Name):
        return False
    bindings = module.scope.bindings.get(node.id, [])
    looked_up = module.scope_of(node).lookup(node.id) is module.scope
    return looked_up and {each.kind for each in bindings} == {"import"}


def _elsewhere(what: str, where: Module, module: Module, loader: ast.Call) -> _No:
    place = f"{module.path.name}:{loader.lineno}"
    return _No(f"{what} `{where.path.name}`, but the loader is created in another file ({place})")


def _is_before(evidence: Evidence, analysis: Analysis, module: Module, loader: ast.Call) -> bool:
    """Return whether what the parent sets is set whenever a loader of a module is made."""
    node, where = evidence.write.node, evidence.write.module
    if where is module and module.statement(node) is module.statement(loader):
        return lies_in(node, loader)  # an argument; not a name that the statement sets
    ways = Entries.of(analysis).entries(module, loader)
    return bool(ways) and all(is_before(evidence.entry, node, way, module, loader) for way in ways)


def _name_of(node: ast.expr, parameter: str) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else parameter


def _loaders_beside(analysis: Analysis, boundary: Boundary) -> list[Boundary]:
    """Return the loaders made in the same function, all of which need the setting; a pool alone."""
    if boundary.kind in _OF_POOLS:
        return [_starting(boundary) or boundary]
    module = boundary.frame.module
    function = enclosing_function(module, boundary.node)
    found: dict[ast.AST, Boundary] = {boundary.node: boundary}
    for other in analysis.boundaries:
        if other.kind != "DataLoader" or other.workers is False or other.frame.module is not module:
            continue
        if isinstance(other.node, ast.Call) and enclosing_function(module, other.node) is function:
            found.setdefault(other.node, other)
    return list(found.values())


def _earlier(module: Module, loader: Boundary, analysis: Analysis) -> str:
    """Return the `worker_init_fn` that is there; the new one calls it."""
    call = loader.node
    assert isinstance(call, ast.Call)
    if any(isinstance(a, ast.Starred) for a in call.args) or _may_be_spread(loader, analysis):
        raise _No(f"the loader is created with `*` or `**` arguments (line {call.lineno})")
    if loader.kind in _OF_POOLS:
        _refuse_initialized(module, call)
        return ""
    if loader.kind == "Process":
        if TARGET not in {each.arg for each in call.keywords}:
            raise _No(f"the process is not created with `target=` (line {call.lineno})")
        return ""
    node = next((k.value for k in call.keywords if k.arg == OPTION), None)
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        if len(call.args) > 10:
            raise _No("the `worker_init_fn` of the loader is passed by position")
        return ""
    is_global = isinstance(node, ast.Name) and module.scope_of(node).lookup(node.id) is module.scope
    if is_global or _is_of_an_import(module, node):
        return ast.unparse(node)
    raise _No(f"the `worker_init_fn` of the loader cannot be extended (line {call.lineno})")


def _refuse_initialized(module: Module, call: ast.Call) -> None:
    """Refuse a pool that has an initializer already."""
    given = {k.arg for k in call.keywords} & {INITIALIZER, INITARGS}
    if given or len(call.args) > _POOLS[_pool_of(module, call)]:
        raise _No(f"the pool has an `initializer` already (line {call.lineno})")


def _may_be_spread(loader: Boundary, analysis: Analysis) -> bool:
    """Return whether a mapping that a call spreads may have a `worker_init_fn`."""
    call = loader.node
    assert isinstance(call, ast.Call)
    if all(k.arg is not None for k in call.keywords):
        return False
    given = analysis.interpreter.calls.arguments(call, loader.frame)
    return given.more_keywords or bool({OPTION, INITIALIZER} & given.keywords.keys())


def _is_typed(module: Module, node: ast.AST) -> bool:
    function = enclosing_function(module, node)
    return isinstance(function, ast.FunctionDef) and function.returns is not None


def _header(name: str, parameters: Sequence[str], typed: bool) -> str:
    listed = ", ".join(
        f"{each}: int" if typed and each == "worker_id" else each for each in parameters
    )
    return f"def {name}({listed}){' -> None' if typed else ''}:"


def _parameters_of(
    option: str, values: Sequence[str], before: str
) -> tuple[list[str], tuple[str, ...]]:
    """Return the parameters of a function that workers start with, and what it calls last."""
    if option == OPTION:
        return ["worker_id", *values], (f"{before}(worker_id)",) if before else ()
    if option == INITIALIZER:
        return [*values], ()
    target, args, kwargs = (naming.free_name(n, set(values)) for n in ("target", "args", "kwargs"))
    return [target, f"*{args}", *values, f"**{kwargs}"], (f"{target}(*{args}, **{kwargs})",)
