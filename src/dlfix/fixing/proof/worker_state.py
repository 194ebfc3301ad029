"""State of the module that statements under the guard set, and that workers read without it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.order import CONSTRUCTORS
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    bound_in,
    dotted,
    executed,
    free_names,
    last_part,
    stored_names,
    within,
)
from dlfix.project.module import Module
from dlfix.project.syntax import LOOPS

_FAR = 3
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def check(change: FileChange, moved: list[ast.stmt], stays: list[ast.stmt]) -> Iterator[Regression]:
    """Yield what a worker finds as import left it, where the program had changed it."""
    at_import = {name for node in stays for name in _defined(node)}
    for statement in moved:
        for name, attribute in _set(change, [statement], _FAR, set()):
            reads = _reads(change, stays, name, attribute) if name in at_import else 0
            if reads:
                text = f"{name}.{attribute}" if attribute else name
                yield change.regression(
                    name,
                    reads,
                    f"`{text}` is read in a worker (line {reads}), which no longer sets it "
                    f"(line {statement.lineno} before the fix)",
                )
                return


def kept_results(
    change: FileChange, guarded: list[ast.stmt], changes: Callable[[ast.stmt], Iterable[str]]
) -> Iterator[Regression]:
    """Yield what definitions that left the guard call, where the parent kept a result that no worker has."""
    nested = {node.name for node in executed(guarded) if isinstance(node, _DEFINITIONS)}
    left = [
        node
        for node in (change.after.tree.body if nested else ())
        if isinstance(node, _DEFINITIONS) and node.name in nested
    ]
    if not left:
        return
    changed = {name.removeprefix("import:") for node in guarded for name in changes(node)}
    called = _called(change.old, change.before, executed(guarded))
    by_parent = {(home.path, function.name) for home, function in called}
    for home, function in _called(change.new, change.after, within(left)):
        kept = _keeps_its_result(function)
        if kept is None or (home.path, function.name) not in by_parent:
            continue
        inner = [f for _, f in _called(change.new, home, within(function.body))]
        for name in sorted(
            {n for f in [function, *inner] for n in _read_names(f) if n in changed - kept}
        ):
            yield change.regression(
                left[0].name,
                left[0],
                f"`{function.name}` keeps its first result ({home.path.name}:{function.lineno}) and "
                f"reads `{name}`, which the main module changes: a worker computes another result",
            )
            return


def kept_before_a_change(
    change: FileChange, moved: list[ast.stmt], changes: Callable[[ast.stmt], Iterable[str]]
) -> Iterator[Regression]:
    """Yield what workers call, where the parent kept a result before it changed what that is made of."""
    defined = [node for node in change.after.tree.body if isinstance(node, _DEFINITIONS)]
    by_workers = _called(change.new, change.after, within(defined))
    names = {(home.path, function.name) for home, function in by_workers}
    kept: list[tuple[Module, Function]] = []
    for statement in _one_by_one(change.old, change.before, moved, _FAR):
        changed = {name.removeprefix("import:") for name in changes(statement)}
        for home, function in kept:
            if (home.path, function.name) in names and _read_names(function) & changed:
                yield change.regression(
                    function.name,
                    function,
                    f"`{function.name}` keeps its first result ({home.path.name}:{function.lineno}), and what it "
                    f"reads is changed after that (line {statement.lineno} before the fix): a worker computes another result",
                )
                return
        called = _called(change.old, change.before, executed([statement]))
        kept += [(home, each) for home, each in called if _keeps_its_result(each) is not None]


def _one_by_one(
    program: Program, module: Module, body: Iterable[ast.stmt], far: int
) -> Iterator[ast.stmt]:
    """Yield statements in the order in which they run, with those of a function that is called for itself: `main()`."""
    for node in body:
        blocks = [getattr(node, name, []) for name in ("body", "handlers", "orelse", "finalbody")]
        function = _called_alone(program, module, node) if far else None
        if function is not None:
            yield from _one_by_one(program, module, function.body, far - 1)
        elif isinstance(node, _DEFINITIONS) or not any(blocks):
            yield node
        else:
            heads = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
            heads += [each.context_expr for each in getattr(node, "items", ())]
            yield from (ast.copy_location(ast.Expr(each), each) for each in heads)
            for _ in range(2 if isinstance(node, LOOPS) else 1):  # the next round comes after
                for block in blocks:
                    inner = [s for each in block for s in getattr(each, "body", ())]
                    is_handlers = block is blocks[1]
                    yield from _one_by_one(program, module, inner if is_handlers else block, far)


def _called_alone(program: Program, module: Module, node: ast.stmt) -> Function | None:
    """Return the function of the same module that a statement does nothing but call, to run it each time."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    known = program.function_of(module, node.value.func)
    runs = known is not None and known[0] is module and _keeps_its_result(known[1]) is None
    return known[1] if known is not None and runs else None


def _called(
    program: Program, module: Module, nodes: Iterable[ast.AST]
) -> list[tuple[Module, Function]]:
    """Return the functions of the project that code calls, constructors too, and those that these call."""
    found: dict[int, tuple[Module, Function]] = {}
    pending = [(module, nodes)]
    for home, code in pending:
        for call in code:
            known = program.resolve(home, call.func) if isinstance(call, ast.Call) else None
            for function in _run_by(known[1]) if known is not None else ():
                if known is not None and id(function) not in found:
                    found[id(function)] = known[0], function
                    pending.append((known[0], within(function.body)))
    return list(found.values())


def _run_by(called: ast.AST) -> list[Function]:
    """Return a function, or the constructors of a class."""
    if isinstance(called, ast.ClassDef):
        return [f for f in called.body if isinstance(f, FUNCTIONS) and f.name in CONSTRUCTORS]
    return [called] if isinstance(called, FUNCTIONS) else []


def _keeps_its_result(function: Function) -> set[str] | None:
    """Return the global names in which a function keeps its first result; None if it keeps none."""
    names = [last_part(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list]
    if any("cache" in name for name in names):
        return set()
    declared = {
        name
        for node in executed(function.body)
        if isinstance(node, ast.Global)
        for name in node.names
    }
    asked = {
        name
        for node in executed(function.body)
        if isinstance(node, ast.If)
        for name in (n.id for n in ast.walk(node.test) if isinstance(n, ast.Name))
    }
    return (declared & asked) or None


def _read_names(function: Function) -> set[str]:
    """Return the names of its module that a function reads, and `environ`."""
    asked = {last_part(node) for node in within(function.body)} & {"environ", "getenv"}
    return {*free_names(function), *(["environ"] if asked else [])} - bound_in(function)


def _defined(node: ast.stmt) -> set[str]:
    """Return what a statement defines itself: imports stand for other modules."""
    return set() if isinstance(node, (ast.Import, ast.ImportFrom)) else stored_names(node)


def _set(
    change: FileChange, nodes: list[ast.stmt], far: int, seen: set[int]
) -> Iterator[tuple[str, str]]:
    """Yield the names that code sets through `globals()`, and the attributes of names."""
    for node in executed(nodes):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name):
                yield node.value.id, node.attr
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _set_by_name(node)
        elif isinstance(node, ast.Call) and dotted(node.func) == "setattr":
            yield from _set_by_text(node)
        elif isinstance(node, ast.Call) and far:
            found = change.old.resolve(change.before, node.func)
            own = found is not None and found[0] is change.before
            if own and found and isinstance(found[1], FUNCTIONS) and id(found[1]) not in seen:
                seen.add(id(found[1]))
                yield from _set(change, found[1].body, far - 1, seen)


def _set_by_text(call: ast.Call) -> Iterator[tuple[str, str]]:
    match call.args:
        case [ast.Name(id=owner), ast.Constant(value=str() as name), _]:
            yield owner, name


def _set_by_name(node: ast.Subscript) -> Iterator[tuple[str, str]]:
    called = node.value.func if isinstance(node.value, ast.Call) else None
    if dotted(called) == "globals" and isinstance(node.slice, ast.Constant):
        yield str(node.slice.value), ""


def _reads(change: FileChange, stays: list[ast.stmt], name: str, attribute: str) -> int:
    """Return the line where a method of a class that stays reads a name or attribute; 0 if none."""
    for cls in (node for node in stays if isinstance(node, ast.ClassDef)):
        for function in (node for node in cls.body if isinstance(node, FUNCTIONS)):
            for node in within(function.body):
                if not attribute and isinstance(node, ast.Name) and node.id == name:
                    return node.lineno
                if attribute and isinstance(node, ast.Attribute) and node.attr == attribute:
                    owner = dotted(node.value)
                    if owner == name or (cls.name == name and owner in {"self", "cls"}):
                        return node.lineno
    return 0
