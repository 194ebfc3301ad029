"""Statements that run at import: what stays must not need what moved under the guard of the main module."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from dlfix.fixing.proof import left_guard, made_early, run_by_path, set_order, worker_state
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.late_code import opens_to_write
from dlfix.fixing.proof.order import CONSTRUCTORS
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    free_names,
    last_part,
    stored_names,
    strings,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.syntax import LOG_METHODS
from dlfix.project.trees import kept, said

_QUIET = frozenset({"filterwarnings", "simplefilter", "getLogger", "set_num_threads"})
_READS = frozenset("get copy keys values items".split())
_FAR = 4
_MAKES = frozenset("makedirs mkdir mkfifo symlink copy copyfile copytree move save savez".split())
_WRITES_ITSELF = frozenset("write_text write_bytes mkdir touch".split())
_LOOKS_UP = frozenset("globals vars locals getattr modules import_module attrgetter".split())
_DRAWS = frozenset(
    "random rand randn randint randrange permutation shuffle choice choices sample uniform normal gauss"
    " randperm Linear Conv2d Embedding integers standard_normal seed manual_seed seed_everything".split()
)
_GENERATORS = frozenset("default_rng RandomState Random Generator".split())
_LOGGING = "library:logging"
_SETS_UP_LOGGING = frozenset(
    "basicConfig dictConfig fileConfig addHandler removeHandler setLevel addLevelName setLoggerClass"
    " captureWarnings".split()
)
# What the import of another module can depend on.
_FOR_IMPORTS = ("environ", "path", "chdir", "putenv", "set_start_method", "use", "setlocale")


@dataclass
class _Effect:
    """What running some statements reads and changes, as roots of names."""

    reads: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)


def check(change: FileChange) -> Iterator[Regression]:
    """Yield statements that run at import and need what runs only in the main module now."""
    guarded = [s for node in change.before.tree.body if is_guard(node) for s in node.body]
    yield from worker_state.kept_results(
        change, guarded, lambda node: _effect(change, node, old=True).changes
    )
    yield from _defined_earlier(change)
    at_import, guards = _at_import(change.after), [*filter(is_guard, change.before.tree.body)]
    yield from left_guard.check(
        change, at_import, guards, lambda node: _effect(change, node, old=True).changes
    )
    moved = _moved(change)
    if not moved:
        return
    yield from set_order.check(change, at_import)
    yield from worker_state.kept_before_a_change(
        change, moved, lambda node: _effect(change, node, old=True).changes
    )
    yield from run_by_path.check(change)
    yield from _read_at_import(change, moved)
    yield from _read_elsewhere(change, moved)
    yield from _order(change, moved)
    yield from _changed_below(change, moved)
    yield from made_early.check(change, moved, _at_import(change.after))
    yield from worker_state.check(change, moved, _at_import(change.after))


def _defined_earlier(change: FileChange) -> Iterator[Regression]:
    """Yield definitions that left the guard and evaluate, when they run, what statements there had changed."""
    before, after = (
        {n.name for n in _at_import(module) if isinstance(n, (ast.ClassDef, *FUNCTIONS))}
        for module in (change.before, change.after)
    )
    left = after - before
    for guard in change.before.tree.body if left else ():
        changed: dict[str, int] = {}
        for node in guard.body if is_guard(guard) else ():
            effect = _effect(change, node, old=True)
            if getattr(node, "name", "") in left:
                for name in sorted(effect.reads.keys() & changed.keys()):
                    yield change.regression(
                        name,
                        node,
                        f"`{name}` is read on import (line {node.lineno} before the fix), but it is "
                        f"changed in the main module before that (line {changed[name]})",
                    )
            changed |= effect.changes


def is_guard(node: ast.stmt) -> TypeGuard[ast.If]:
    """Return whether a statement is `if __name__ == "__main__":`."""
    return (
        isinstance(node, ast.If)
        and "__main__" in set(strings(node.test))
        and "__name__" in said(node.test)
    )


def _moved(change: FileChange) -> list[ast.stmt]:
    """Return the statements of the module before that stand under a guard, or nowhere, after."""
    left = [said(n) for n in change.after.tree.body if not is_guard(n)]
    guarded = [
        said(s)
        for n in change.after.tree.body
        if is_guard(n)
        for s in ast.walk(n)
        if isinstance(s, ast.stmt)
    ]
    found = []
    for node in change.before.tree.body:
        text = said(node)
        if text in left:
            left.remove(text)
        elif text in guarded and not is_guard(node):
            found.append(node)
    return found


def _bound(statements: list[ast.stmt]) -> dict[str, int]:
    return {name: node.lineno for node in statements for name in stored_names(node)}


def _at_import(module: Module) -> list[ast.stmt]:
    return [node for node in module.tree.body if not is_guard(node)]


def _read_at_import(change: FileChange, moved: list[ast.stmt]) -> Iterator[Regression]:
    bound = _bound(moved)
    still = _bound(_at_import(change.after))
    for node in _at_import(change.after):
        for name, line in _effect(change, node).reads.items():
            if name in bound and name not in still:
                yield change.regression(
                    name,
                    line,
                    f"`{name}` is read on import (line {line}), but it is now set only in the main module",
                )
        for text in sorted(set(strings(node)) & set(bound)):
            if text not in still and _LOOKS_UP & {last_part(n) for n in executed(node)}:
                line = node.lineno
                yield change.regression(
                    text,
                    line,
                    f"`{text}` is looked up by name (line {line}), but it is now set only "
                    "in the main module",
                )


def _read_elsewhere(change: FileChange, moved: list[ast.stmt]) -> Iterator[Regression]:
    """Yield other modules that import or look up a name that import no longer sets."""
    bound = _bound(moved)
    still = _bound(_at_import(change.after))
    for name, line in bound.items():
        if name in still:
            continue
        for module in change.new.project.mentions(name):
            if module.path == change.after.path:
                continue
            for node in module.nodes(ast.ImportFrom):
                if any(a.name == name for a in node.names) and _from(change, module, node):
                    at = _line_of(change, name, line)
                    yield change.regression(
                        name,
                        at,
                        f"`{name}` is imported ({module.path.name}:{node.lineno}), but it is now set only in "
                        f"the main module (line {at})",
                    )
            for attribute in module.attributes_by_name.get(name, ()):
                root = dotted(attribute.value)
                if root and _names_module(change, module, root):
                    at = _line_of(change, name, line)
                    yield change.regression(
                        name,
                        at,
                        f"`{root}.{name}` is read ({module.path.name}:{attribute.lineno}), but it is now set "
                        f"only in the main module (line {at})",
                    )
                    break


def _line_of(change: FileChange, name: str, otherwise: int) -> int:
    for node in change.after.nodes_by_name.get(name, ()):
        if not isinstance(node.ctx, ast.Load):
            return node.lineno
    return otherwise


def _from(change: FileChange, module: Module, node: ast.ImportFrom) -> bool:
    origin = node.module or ""
    if node.level:
        origin = change.new.project.relative(module, node.level, node.module)
    found = change.new.project.find(origin, module)
    return found is not None and found.path == change.after.path


def _names_module(change: FileChange, module: Module, root: str) -> bool:
    for node in module.nodes(ast.Import):
        for alias in node.names:
            if (alias.asname or alias.name) == root:
                found = change.new.project.find(alias.name, module)
                return found is not None and found.path == change.after.path
    return False


# The order of what stays and what moved


def _order(change: FileChange, moved: list[ast.stmt]) -> Iterator[Regression]:
    """Yield statements that stay, stood below one that moved, and depend on what it did."""
    texts = {said(node): node for node in _at_import(change.after)}
    seen = _Effect()
    for node in change.before.tree.body:
        if any(node is each for each in moved):
            effect = _effect(change, node, old=True)
            for name, line in effect.changes.items():
                seen.changes.setdefault(name, line)
                key = _module_key(change, change.before, name)
                if key:
                    seen.changes.setdefault(key, line)
            continue
        stays = texts.get(said(node))
        if stays is None or is_guard(node) or not seen.changes:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in sorted(seen.changes.keys() & {f"import:{n}" for n in _FOR_IMPORTS}):
                yield change.regression(
                    "<module>",
                    stays,
                    f"an import (line {stays.lineno}) now runs before the statement that "
                    f"sets up `{name[7:]}` (line {seen.changes[name]} before the fix)",
                )
            continue
        effect = _effect(change, stays)
        for name in sorted(effect.reads.keys() & seen.changes.keys()):
            line = effect.reads[name]
            what = name.removeprefix("file ").removeprefix("library:").removeprefix("import:")
            yield change.regression(
                name,
                line,
                f"`{what}` is required on import (line {line}), but it is now set up only "
                "in the main module",
            )


def _changed_below(change: FileChange, moved: list[ast.stmt]) -> Iterator[Regression]:
    """Yield statements that stay, stood below one that moved, and change what it had read."""
    texts = {said(node): node for node in _at_import(change.after)}
    known: set[str] = {"import:environ"}
    read: dict[str, int] = {}
    for node in change.before.tree.body:
        effect = _effect(change, node, old=True)
        if any(node is each for each in moved):
            read.update({name: line for name, line in effect.reads.items() if name in known})
            continue
        stays = texts.get(said(node))
        for name in sorted(effect.changes.keys() & read.keys() if stays is not None else ()):
            if name.startswith("import:") or name in stored_names(node):
                yield change.regression(
                    name,
                    stays or node,
                    f"`{name.removeprefix('import:')}` (line {read[name]} before the fix) "
                    f"is now read after a statement that changes it (line {node.lineno})",
                )
        known |= stored_names(node)


def _effect(change: FileChange, node: ast.stmt, *, old: bool = False) -> _Effect:
    """Return what running one statement of the module reads and changes."""
    effect = _Effect()
    module = change.before if old else change.after
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return effect
    _add(change, module, [node], effect, set(), set(), _FAR)
    return effect


def _add(
    change: FileChange,
    module: Module,
    nodes: list[ast.AST] | list[ast.stmt],
    effect: _Effect,
    own: Collection[str],
    seen: set[int],
    far: int,
) -> None:
    written: set[int] = set()
    for node in executed(nodes):
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            written.add(id(node.value))
            if (
                isinstance(node.slice, ast.Constant)
                and node.slice.value in made_early.READ_AT_START
            ):
                continue
        if last_part(node) in {"environ", "getenv"} and id(node) not in written:
            effect.reads.setdefault("import:environ", line)
        if last_part(node) in {"abspath", "realpath", "getcwd"}:
            effect.reads.setdefault("import:chdir", line)
        if isinstance(node, ast.Name) and node.id not in own:
            (effect.reads if isinstance(node.ctx, ast.Load) else effect.changes).setdefault(
                node.id, line
            )
        elif _is_kernel_flag(module, node):
            continue
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(
            node.ctx, ast.Load
        ):
            _changes(
                effect, dotted(node.value) or dotted(getattr(node.value, "value", None)), line, own
            )
            if isinstance(node, ast.Subscript) and last_part(node.value) == "environ":
                effect.changes.setdefault("import:environ", line)
        elif isinstance(node, ast.Call):
            _call(change, module, node, effect, own, seen, far)
            _files(effect, node)


def _is_kernel_flag(module: Module, node: ast.AST) -> bool:
    """Return whether a node sets how kernels of a GPU work: no definition, and no code that loads data, depends on it."""
    if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
        return False
    return ImportTime(module.tree).full_name(node).startswith("torch.backends.cud")


def _files(effect: _Effect, call: ast.Call) -> None:
    """Note the files and folders that a call is given, by the text that names them, and those it makes."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    made: list[ast.expr | None] = [owner] if last_part(call.func) in _WRITES_ITSELF else []
    if opens_to_write(call) or last_part(call.func) in _MAKES:
        made = [*call.args[:1]]
    for each in made:
        if each is not None:
            effect.changes.setdefault(f"file {ast.unparse(each)}", call.lineno)
    for each in [*call.args, *([owner] if owner is not None else [])]:
        if each not in made and isinstance(each, (ast.Constant, ast.Name, ast.Attribute, ast.Call)):
            effect.reads.setdefault(f"file {ast.unparse(each)}", call.lineno)


def _module_key(change: FileChange, module: Module, name: str) -> str:
    """Return one text for a module of the project, however it is called."""
    found = change.new.bound(module, name)
    is_module = found is not None and isinstance(found[1], ast.Module)
    return f"module {found[0].name}" if found is not None and is_module else ""


def _changes(effect: _Effect, name: str, line: int, own: Collection[str]) -> None:
    root = name.partition(".")[0]
    if root and root not in own:
        effect.changes.setdefault(root, line)


def _call(
    change: FileChange,
    module: Module,
    node: ast.Call,
    effect: _Effect,
    own: Collection[str],
    seen: set[int],
    far: int,
) -> None:
    name, program = dotted(node.func), change.old if module is change.before else change.new
    found = program.resolve(module, node.func)
    if found is not None and isinstance(found[1], FUNCTIONS) and far and id(found[1]) not in seen:
        seen.add(id(found[1]))
        _inside(
            change, found[0], found[1], effect, seen, far, node, here=found[0].path == module.path
        )
    if last_part(node.func) in _QUIET:
        return
    for function in _run_by(program, module, node, found) if far else ():
        if id(function) not in seen:
            seen.add(id(function))
            _inside(change, module, function, effect, seen, far, node, here=True)
    if not name:
        return
    imported = imported_as(module, node.func) or name
    for part in _FOR_IMPORTS if last_part(node.func) not in _READS else ():
        if f".{part}." in f".{imported}." and not imported.startswith("os.path."):
            effect.changes.setdefault(f"import:{part}", node.lineno)
    if not _draws_from_own(program, module, node):
        _library(node, name, effect)
    if isinstance(node.func, ast.Attribute) and (found is None or found[0].path != module.path):
        root = name.partition(".")[0]
        if _is_own_module(program, module, root) or not _is_library(module, root):
            _changes(effect, name, node.lineno, own)


def _draws_from_own(program: Program, module: Module, call: ast.Call) -> bool:
    """Return whether a call is of a generator of random numbers that the same function, or the module, makes."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)):
            around = program.enclosing(module, call)
            scopes = [module.tree] if around is None else [around, module.tree]
            return any(name in _generators(scope) for scope in scopes)
    return False


@kept
def _generators(scope: Function | ast.Module) -> frozenset[str]:
    """Return the names that a function or a module gives to generators of random numbers it makes."""
    made = (
        node
        for node in executed(scope.body)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_part(node.value.func) in _GENERATORS
    )
    return frozenset(name for node in made for name in stored_names(node))


def _library(node: ast.Call, name: str, effect: _Effect) -> None:
    """Add the state of libraries that a call reads and changes."""
    last, library = last_part(node.func), f"library:{name.partition('.')[0]}"
    if last in _DRAWS:
        effect.reads.setdefault("the random state", node.lineno)
        effect.changes.setdefault("the random state", node.lineno)
    _logging(node, effect)
    if last.startswith("set_default"):
        effect.changes.setdefault(library, node.lineno)
    effect.reads.setdefault(library, node.lineno)


def _logging(node: ast.Call, effect: _Effect) -> None:
    """Add whether a call logs, or sets up how that is done."""
    last = last_part(node.func)
    if last in LOG_METHODS:
        effect.reads.setdefault(_LOGGING, node.lineno)
    if last in _SETS_UP_LOGGING:
        effect.changes.setdefault(_LOGGING, node.lineno)


def _logging_elsewhere(
    change: FileChange,
    module: Module,
    function: Function,
    effect: _Effect,
    seen: set[int],
    far: int,
    line: int,
) -> None:
    """Add whether a function of another module logs, or sets that up, by others too."""
    inner = _Effect()
    for call in calls_in(function.body):
        _logging(call, inner)
        found = change.new.function_of(module, call.func)
        if found is not None and far and id(found[1]) not in seen:
            seen.add(id(found[1]))
            _logging_elsewhere(change, *found, inner, seen, far - 1, line)
    for name in inner.reads:
        effect.reads.setdefault(name, line)
    for name in inner.changes:
        effect.changes.setdefault(name, line)


def _run_by(
    program: Program, module: Module, node: ast.Call, found: tuple[Module, ast.AST] | None
) -> Iterator[Function]:
    """Yield the methods of the module's classes that a call may run."""
    if found is not None and isinstance(found[1], ast.ClassDef) and found[0] is module:
        for method in found[1].body:
            if isinstance(method, FUNCTIONS) and method.name in CONSTRUCTORS:
                yield method
    elif found is None and isinstance(node.func, ast.Attribute):
        for cls in program.classes(module):
            if node.func.attr in cls.methods:
                yield cls.methods[node.func.attr]


def _is_library(module: Module, root: str) -> bool:
    """Return whether a name is imported."""
    return any(
        root in stored_names(node)
        for node in [*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)]
    )


def _is_own_module(program: Program, module: Module, root: str) -> bool:
    """Return whether a name stands for a module of the project."""
    resolved = program.bound(module, root)
    return resolved is not None and isinstance(resolved[1], ast.Module)


def _inside(
    change: FileChange,
    module: Module,
    function: Function,
    effect: _Effect,
    seen: set[int],
    far: int,
    call: ast.Call,
    *,
    here: bool,
) -> None:
    """Add what a function that a call runs reads and changes of its module."""
    declared = {
        n for node in executed(function.body) if isinstance(node, ast.Global) for n in node.names
    }
    if not here:
        _logging_elsewhere(change, module, function, effect, seen, far, call.lineno)
        for name, line in free_names(function).items():
            key = _module_key(change, module, name)
            if key:
                effect.reads.setdefault(key, line)
        return
    own = bound_in(function)
    inner = _Effect()
    _add(
        change,
        change.after if module.path == change.after.path else module,
        list(function.body),
        inner,
        own,
        seen,
        far - 1,
    )
    for name, line in inner.reads.items():
        effect.reads.setdefault(name, line)
    for name, line in inner.changes.items():
        effect.changes.setdefault(name, line)
    for name in sorted(declared & stored_names(function.body)):
        effect.changes.setdefault(name, function.lineno)
    for name in free_names(function):
        effect.reads.setdefault(name, function.lineno)
