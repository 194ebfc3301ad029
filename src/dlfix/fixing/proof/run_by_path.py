"""Scripts that other code runs from their file: under a name that is not `__main__`, so no guard in them holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.path_ends import PathEnds, differ, frame_of
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import last_part, within
from dlfix.project.bindings import Binding
from dlfix.project.importing import imports_of
from dlfix.project.module import Module

# What runs the file of a path, or the module of a name, and which argument that is.
_OF_PATHS = {"run_path": 0}
_OF_NAMES = {"run_module": 0}
_LOADS = {"spec_from_file_location": 1, "SourceFileLoader": 1}  # where the file is known
_NAMED_SO = frozenset({"path_name", "mod_name", "location", "path"})
_READS = frozenset({"read_text", "read_bytes", "open"})
_FAR = 6  # assignments from what `exec` gets to the file that it was read from


def check(change: FileChange) -> Iterator[Regression]:
    """Yield where other code may run a script, of which statements stand under its main guard now."""
    script = change.before
    for module, node in _runs(change.new, script):
        if module.path != script.path:
            name = last_part(node.func if isinstance(node, ast.Call) else node)
            yield change.regression(
                "<module>",
                1,
                f"code under the main guard does not run where `{name}` may run the script "
                f"({module.path.name}:{node.lineno})",
            )
            return
    for module in change.new.project.mentions("import_module"):
        for use, found in imports_of(change.new.project, module):
            if not isinstance(use, (ast.Name, ast.Attribute)):
                continue
            if found.path == script.path and module.path != script.path:
                yield change.regression(
                    "<module>",
                    1,
                    "code under the main guard does not run on import "
                    f"({module.path.name}:{use.lineno})",
                )
                return


def _runs(program: Program, script: Module) -> Iterator[tuple[Module, ast.expr]]:
    """Yield the calls that may run the file of a script, and do not give it the name of the main module."""
    for name, position in (_OF_PATHS | _LOADS).items():
        for module, call in _calls(program, name):
            path = _argument(call, position)
            if not _is_main(call) and _may_be(program, module, path, script, name in _OF_PATHS):
                yield module, call
    for name, position in _OF_NAMES.items():
        for module, call in _calls(program, name):
            if not _is_main(call) and _may_name(_argument(call, position), script):
                yield module, call
    for name in (*_OF_PATHS, *_OF_NAMES):
        yield from _handed_on(program, name)
    for module, call in _calls(program, "exec"):
        paths = _files_read(module, call.args[0], _FAR) if call.args else ()
        if not _is_main(call) and any(_may_be(program, module, p, script, True) for p in paths):
            yield module, call


def _handed_on(program: Program, name: str) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where a function goes to other code, which calls it: `pool.map(runpy.run_path, paths)`."""
    for module in program.project.mentions(name):
        for node in module.nodes_by_name.get(name, ()):
            above = module.parent(node)
            is_called = isinstance(above, ast.Call) and above.func is node
            is_main = isinstance(above, ast.Call) and _is_main(above)
            if not is_called and not is_main and program.is_of_library(module, node):
                yield module, node


def _calls(program: Program, name: str) -> Iterator[tuple[Module, ast.Call]]:
    for module in program.project.mentions(name):
        yield from ((module, call) for call in module.calls_by_name.get(name, ()))


def _argument(call: ast.Call, position: int) -> ast.expr | None:
    named = (each.value for each in call.keywords if each.arg in _NAMED_SO)
    return call.args[position] if len(call.args) > position else next(named, None)


def _is_main(call: ast.Call) -> bool:
    """Return whether a call says that what it runs is the main module."""
    texts = [
        each.value
        for argument in (*call.args[1:], *(each.value for each in call.keywords))
        for each in within(argument)
        if isinstance(each, ast.Constant)
    ]
    return "__main__" in texts


def _may_be(
    program: Program, module: Module, path: ast.expr | None, script: Module, if_unknown: bool
) -> bool:
    """Return whether a path may be that of a script."""
    if path is None:
        return if_unknown
    frame = frame_of(module, program.enclosing(module, path))
    ends = PathEnds(program).of(path, frame)
    return if_unknown if ends is None else not differ(ends, frozenset({script.path.name}))


def _may_name(name: ast.expr | None, script: Module) -> bool:
    """Return whether the name of a module may be that of a script."""
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return True
    last = name.value.rpartition(".")[2]
    return last in (script.path.stem, script.path.parent.name if _is_of_package(script) else "")


def _is_of_package(script: Module) -> bool:
    return script.path.stem == "__main__"


def _files_read(module: Module, source: ast.expr, far: int) -> Iterator[ast.expr]:
    """Yield the paths of the files that a text, or code, was read from."""
    for node in within(source):
        match node:
            case ast.Call(func=func, args=[_, path, *_]) if last_part(func) == "compile":
                if not (isinstance(path, ast.Constant) and str(path.value).startswith("<")):
                    yield path
            case ast.Call(func=ast.Attribute(value=path, attr=attr)) if (
                attr in _READS and not _is_module(module, path)
            ):
                yield path
            case ast.Call(func=func, args=[path, *_]) if last_part(func) == "open":
                yield path
            case ast.Name(id=name, ctx=ast.Load()) if far:
                for value in _values(module, node, name):
                    yield from _files_read(module, value, far - 1)


def _is_module(module: Module, owner: ast.expr) -> bool:
    """Return whether an expression is an imported module: `io.open(path)`."""
    scope = module.scope_of(owner).lookup(owner.id) if isinstance(owner, ast.Name) else None
    bindings: list[Binding] = scope.bindings.get(owner.id, []) if scope is not None else []  # type: ignore[attr-defined]
    return any(each.kind == "import" for each in bindings)


def _values(module: Module, node: ast.Name, name: str) -> Iterator[ast.expr]:
    """Yield what a variable is assigned, also by a `with`."""
    scope = module.scope_of(node).lookup(name)
    for binding in scope.bindings.get(name, ()) if scope is not None else ():
        if binding.value is not None and binding.kind in ("assign", "annotated", "walrus", "with"):
            yield binding.value


__all__ = ["check"]
