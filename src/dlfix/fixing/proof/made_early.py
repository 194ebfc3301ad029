"""Settings of a process that stay at import, and are made before statements that ran without them."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, executed, last_part, stored_names
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module
from dlfix.project.trees import said

# Variables of the environment that Python reads when a process starts, and no code later.
READ_AT_START = ("PYTHONHASHSEED",)
_FAR = 4
_SETS = tuple(
    "chdir set disable enable use filter simplefilter register ignore basicConfig".split()
)
# What sets how fast code runs, or a limit at which it fails, or what only kernels of a GPU and later imports go by.
_UNSEEN = frozenset(
    "setNumThreads set_num_threads setUseOpenCL set_sharing_strategy set_start_method LOAD_TRUNCATED_IMAGES"
    " MAX_IMAGE_PIXELS setrecursionlimit".split()
)
_OF_OTHERS = ("torch.backends.", "torch.cuda.", "sys.path")
# Libraries that go by no environment, and by the settings of no others but these.
_NUMERIC = {
    **dict.fromkeys("numpy yaml tqdm omegaconf natsort".split(), ("warnings",)),
    "pandas": ("warnings", "numpy"),
    "torchvision": ("warnings", "torch", "PIL"),
    "albumentations": ("warnings", "numpy", "cv2"),
}
# What of the standard library goes by the environment, or by how messages are shown; and what runs any code.
_ASKS = tuple(
    "os.system os.popen os.getenv os.environ subprocess urllib http socket tempfile logging warnings locale".split()
)
_RUNS = tuple("importlib runpy threading multiprocessing concurrent asyncio".split())


def check(
    change: FileChange, moved: Sequence[ast.stmt], stays: Sequence[ast.stmt]
) -> Iterator[Regression]:
    """Yield what stays, stood below a statement that moved, and is made early for that, or goes by what that sets."""
    texts = {said(node): node for node in stays}
    # What the statements that moved run, and what they set, with their lines.
    used: dict[str, int] = {}
    made: dict[str, int] = {}
    for node in change.before.tree.body:
        kept = texts.get(said(node))
        if any(node is each for each in moved):
            used = {**dict.fromkeys(_libraries(change, node), node.lineno), **used}
            made = {**dict.fromkeys(_settings_of(change, node), node.lineno), **made}
        elif (
            kept is not None and (used or made) and not isinstance(node, (*FUNCTIONS, ast.ClassDef))
        ):
            yield from _made_early(change, node, kept, used)
            if made:
                yield from _made_without(change, node, kept, made)


def below_settings(
    change: FileChange, body: Sequence[ast.stmt], some: Sequence[ast.stmt]
) -> Iterator[ast.stmt]:
    """Yield those of some statements of a block that may go by a setting which another makes before."""
    made: list[str] = []
    for node in body:
        if not any(node is each for each in some):
            made += _settings_of(change, node)
        elif any(_is_under(each, name) for each in _libraries(change, node) for name in made):
            yield node


def _made_early(
    change: FileChange, node: ast.stmt, kept: ast.stmt, used: Mapping[str, int]
) -> Iterator[Regression]:
    """Yield settings that stay and may change what a statement does that moved from above."""
    for name in _settings_of(change, node):
        line = next((used[each] for each in used if _goes_by(each, name)), 0)
        if line:
            yield change.regression(
                name,
                kept,
                f"`{name}` is set on import (line {kept.lineno}), but a statement that may depend on it "
                f"ran before that (line {line} before the fix)",
            )


def _made_without(
    change: FileChange, node: ast.stmt, kept: ast.stmt, made: Mapping[str, int]
) -> Iterator[Regression]:
    """Yield what stays and goes by a setting that a statement made which moved from above."""
    libraries = [*_libraries(change, node), *_files(node)]
    for name, line in made.items():
        if any(_is_under(each, name) for each in libraries):
            yield change.regression(
                name,
                kept,
                f"a statement that runs on import (line {kept.lineno}) may depend on `{name}`, but that "
                f"is now set only in the main module (line {line} before the fix)",
            )


def _libraries(change: FileChange, node: ast.stmt) -> Iterator[str]:
    return _used(change.old, change.before, [node], _FAR, set())


def _settings_of(change: FileChange, node: ast.stmt) -> Iterator[str]:
    return _settings(change.old, change.before, [node], _FAR)


def _is_under(library: str, name: str) -> bool:
    """Return whether code of a library goes by a setting of the process, or by one of its own."""
    if name == "os.chdir":
        return True
    return library != "open" and (
        _goes_by(library, name) if name.startswith("os.") else library == name.partition(".")[0]
    )


def _files(node: ast.AST) -> Iterator[str]:
    """Yield `open` where code opens a file, which the current folder decides on."""
    for each in executed(node):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id == "open"
        ):
            yield "open"


def _settings(
    program: Program, module: Module, nodes: Iterable[ast.AST], far: int
) -> Iterator[str]:
    """Yield the full names of what code sets in libraries, also by functions of its module."""
    for node in executed(list(nodes)):
        name = ""
        match node:
            case ast.Attribute(ctx=ast.Store()):
                name = imported_as(module, node)
            case ast.Subscript(slice=ast.Constant(value=key)) if key in READ_AT_START:
                pass
            case ast.Subscript(value=value, ctx=ast.Store()):
                name = imported_as(module, value)
            case ast.Expr(value=ast.Call(func=func)):
                called = imported_as(module, func)
                found = program.resolve(module, func)
                if found is not None and isinstance(found[1], FUNCTIONS) and far:
                    if found[0] is module:
                        yield from _settings(program, module, found[1].body, far - 1)
                    continue
                is_set = last_part(func).startswith(_SETS) or called.startswith("os.environ.")
                name = called if is_set else ""
        is_seen = name.rpartition(".")[2] not in _UNSEEN and not name.startswith(_OF_OTHERS)
        if "." in name and is_seen and program.project.find(name.partition(".")[0], module) is None:
            yield name


def _goes_by(library: str, name: str) -> bool:
    """Return whether code of a library may go by a setting."""
    root = name.partition(".")[0]
    if library.startswith(_ASKS):
        return root in sys.stdlib_module_names
    if library in _NUMERIC:
        return root in (library, *_NUMERIC[library])
    return True


def _used(
    program: Program, module: Module, nodes: Iterable[ast.AST], far: int, seen: set[int]
) -> Iterator[str]:
    """Yield the libraries that code may run, `*` for code that is not known."""
    for node in executed(list(nodes)):
        if isinstance(node, ast.Call) and id(node.func) not in seen:
            seen.add(id(node.func))
            yield from _used_by(program, module, node.func, far, seen)


def _used_by(
    program: Program, module: Module, func: ast.expr, far: int, seen: set[int]
) -> Iterator[str]:
    full, first = imported_as(module, func), func
    while isinstance(first, (ast.Attribute, ast.Subscript)):
        first = first.value
    found = program.resolve(module, func)
    if found is not None and isinstance(found[1], (*FUNCTIONS, ast.ClassDef)):
        if id(found[1]) not in seen:
            seen.add(id(found[1]))
            inner = [each for each in ast.walk(found[1]) if isinstance(each, ast.Call)]
            yield from _used(program, found[0], inner, far - 1, seen) if far else ["*"]
    elif full:
        root = full.partition(".")[0]
        if root not in sys.stdlib_module_names or full.startswith((*_ASKS, *_RUNS)):
            yield full if root in sys.stdlib_module_names else root
    elif isinstance(first, ast.Name) and not (first is func and hasattr(builtins, first.id)):
        values = [
            each.value
            for each in module.nodes(ast.Assign)
            if first.id in stored_names(each) and id(each.value) not in seen
        ]
        seen.update(map(id, values))
        yield from _used(program, module, values, far, seen) if values else ["*"]


__all__ = ["READ_AT_START", "below_settings", "check"]
