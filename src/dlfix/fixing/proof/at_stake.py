"""What a call of Python or of a library removes, replaces or writes, whichever file that is."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from dlfix.catalog import load
from dlfix.fixing.proof.commands import files_of_command
from dlfix.fixing.proof.late_code import opens_to_write
from dlfix.fixing.proof.library_calls import files_written
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.outliving import REMOVES, TEMPORARY, on_disk
from dlfix.fixing.proof.program import Program, whose_class
from dlfix.fixing.proof.steps import AT_THE_END
from dlfix.fixing.proof.syntax import (
    Function,
    bound_in,
    calls_in,
    dotted,
    executed,
    last_part,
    self_name,
    strings,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.roots import STANDARD
from dlfix.project.trees import kept

# What code may read of a path, or of what holds several.
_OF_PATHS = frozenset(
    name for kind in (str, bytes, Path, list, set, dict, deque, map) for name in dir(kind)
)
_OF_OWNER = frozenset("cleanup write_text write_bytes symlink_to hardlink_to touch".split())
_TO_SECOND = frozenset("copy copy2 copyfile copytree symlink link".split())


def files_at_stake(
    program: Program, module: Module, written: ast.Call, origins: Origins
) -> list[ast.expr | None]:
    """Return what names the files that a call removes or replaces, or that a method of a library writes."""
    node = spelled_out(written, imports_of(module.tree))
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    given = [*node.args, *(k.value for k in node.keywords)]
    at_stake = [*named_files(node, origins)]
    if any(map(_is_remover, origins.values(node.func))):
        at_stake += given  # `remove = os.remove`
    if any(map(_calls_remover, [node.func, *origins.values(node.func)])):
        at_stake += [*given, node.func]
    if any(_is_remover(each) for each in given) and last_part(node.func) not in AT_THE_END:
        at_stake += given
    row = load().methods_of_files.get(last_part(node.func)) if owner is not None else None
    if row is None or program.resolve(module, written.func) is not None:
        return at_stake
    is_known = load().function(dotted(node.func)) is not None
    if not is_known and not _is_of_program(program, last_part(node.func)):
        at_stake += files_written(row, node)
    return at_stake


def given_to_library(program: Program, module: Module, written: ast.Call) -> list[ast.expr]:
    """Return the arguments that a library may change the files of: no row says that the function does not."""
    node = spelled_out(written, imports_of(module.tree))
    if program.resolve(module, written.func) is not None or not _is_of_library(module, node):
        return []
    function = program.enclosing(module, node)
    if function is not None and dotted(node.func).partition(".")[0] in bound_in(function):
        return []  # a local name, though a package is called so too
    row = load().function(dotted(node.func))
    if row is not None and row.does == "writes":
        return files_written(row, node)
    return [*node.args, *(k.value for k in node.keywords)] if row is None else []


def _is_of_library(module: Module, node: ast.Call) -> bool:
    """Return whether a call is of what a module imports from elsewhere than the standard library."""
    root = dotted(node.func).partition(".")[0]
    imported = imports_of(module.tree).imports.values()
    return (
        bool(root)
        and root not in STANDARD
        and any(full.partition(".")[0] == root for full in imported)
    )


def _is_of_program(program: Program, name: str) -> bool:
    """Return whether classes of the program have a method of a name: what it does is seen there."""
    return any(
        isinstance(home.parent(function), ast.ClassDef)
        for home in program.project.mentions(name)
        for function in home.functions_by_name.get(name, ())
    )


@kept
def used_as_no_paths(around: Function | ast.Module) -> frozenset[str]:
    """Return the names of which code reads what no path has, nor a list of paths: a tensor's `shape`, an option's name."""
    return frozenset(
        node.value.id
        for node in executed(around.body)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr not in _OF_PATHS
    )


@kept
def spelled_out(call: ast.Call, imports: ImportTime) -> ast.Call:
    """Return a call of an imported function by its full name: `from os import remove as tidy`."""
    full = imports.full_name(call.func)
    if not full or full.startswith(".") or full == dotted(call.func):
        return call  # a local name, or one of the package's own modules
    func = ast.copy_location(ast.parse(full, mode="eval").body, call.func)
    return ast.copy_location(ast.Call(func, call.args, call.keywords), call)


@kept
def imports_of(tree: ast.Module) -> ImportTime:
    """Return what a module imports, by the names that it has for that."""
    return ImportTime(tree)


def named_files(node: ast.Call, origins: Origins) -> Iterator[ast.expr | None]:
    """Yield what names the files that a call by such a name removes or replaces."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = last_part(node.func)
    if name in _OF_OWNER:
        yield owner
    elif name in _TO_SECOND:
        yield from node.args[1:2]
    elif opens_to_write(node):
        yield from node.args[:1]
    elif moves_away(node):
        yield from (owner, *node.args)
    elif dotted(node.func).startswith("fileinput.") and _is_in_place(node):
        yield from node.args[:1]
    else:
        yield from files_of_command(node, origins)


def _is_in_place(node: ast.Call) -> bool:
    """Return whether lines that are gone through are written back: `fileinput.input(path, inplace=True)`."""
    return any(
        each.arg == "inplace"
        and not (isinstance(each.value, ast.Constant) and not each.value.value)
        for each in node.keywords
    )


def writers_used(module: Module, node: ast.Call, origins: Origins) -> Iterator[ast.Call]:
    """Yield what opened the writers that a call uses, and keeps open: `log.write(text)`, `json.dump(rows, log)`."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    for used in (owner, *node.args, *(keyword.value for keyword in node.keywords)):
        for made in origins.values(used) if used is not None else ():
            is_closed = isinstance(module.parent(made), ast.withitem)
            if isinstance(made, ast.Call) and opens_to_write(made) and not is_closed:
                yield made


def ends_temporary(node: ast.Call, origins: Origins) -> bool:
    """Return whether a call gives up a temporary file or directory: `scratch.cleanup()`."""
    made = origins.called(dotted(getattr(node.func, "value", None)))
    return last_part(node.func) in ("cleanup", "close") and any(
        last_part(each) in TEMPORARY for each in made
    )


def moves_away(node: ast.Call) -> bool:
    """Return whether a call removes a file, or gives it another name: `path.rename(target)`."""
    renames = last_part(node.func) in ("rename", "replace") and len(node.args) == 1
    return on_disk(node) or renames


def _calls_remover(node: ast.expr) -> bool:
    """Return whether an expression is a call that gives what removes files: `methodcaller("unlink")`."""
    return isinstance(node, ast.Call) and not REMOVES.isdisjoint(strings(node.args))


@kept
def changes_files(function: Function) -> bool:
    """Return whether a function itself moves, removes or writes files."""
    return any(map(moves_or_writes, calls_in(function.body)))


def moves_or_writes(node: ast.Call) -> bool:
    """Return whether a call removes a file, gives it another name, or opens it to write."""
    return moves_away(node) or opens_to_write(node)


def hands_on_a_remover(program: Program) -> bool:
    """Return whether a program passes `os.remove` on as a value."""
    return any(_hands_on(home, word) for word in REMOVES for home in program.project.mentions(word))


def _hands_on(module: Module, word: str) -> bool:
    """Return whether code passes `os.remove` on as a value: it is more than called, and no part of a name."""
    for node in module.nodes_by_name.get(word, ()):
        above = module.parent(node)
        is_called = isinstance(above, ast.Call) and above.func is node
        if not is_called and _is_remover(node):
            return True
    return False


def _is_remover(node: ast.expr) -> bool:
    """Return whether an expression is a function that removes files, handed on."""
    return last_part(node) in REMOVES and dotted(node).partition(".")[0] in ("os", "shutil")


def is_shared(program: Program, module: Module, target: ast.expr) -> bool:
    """Return whether a target is an attribute of a class or a module, or a global name."""
    match target:
        case ast.Attribute(value=owner):
            is_class = is_class_of(program, module, owner) or whose_class(owner) is not None
            return is_class or program.bound(module, dotted(owner)) is not None
        case ast.Name(id=name):
            return name in module.scope_of(target).globals
    return False


def is_class_of(program: Program, module: Module, owner: ast.expr) -> bool:
    """Return whether an expression is a class of the program: by its name, or in its own class methods."""
    method = program.enclosing(module, owner)
    if method is not None and dotted(owner) == self_name(method):
        return any(last_part(each) == "classmethod" for each in method.decorator_list)
    return program.class_of(module, owner) is not None


__all__ = [
    "changes_files",
    "ends_temporary",
    "files_at_stake",
    "given_to_library",
    "hands_on_a_remover",
    "imports_of",
    "is_class_of",
    "is_shared",
    "moves_or_writes",
    "named_files",
    "spelled_out",
    "used_as_no_paths",
    "writers_used",
]
