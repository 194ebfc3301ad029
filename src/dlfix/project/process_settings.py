"""Settings of a whole process: which ones a statement makes, and which statements may go by them."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator

from dlfix.project.import_time import ImportTime, Unit
from dlfix.project.repeatable import sets_by_name
from dlfix.project.syntax import FUNCTIONS, base_name, dotted

# What workers inherit, or what no worker that loads data goes by.
_OF_THE_PARENT = (
    "os.environ", "os.putenv", "sys.path", "warnings.", "logging.", "matplotlib.", "seaborn.", "pandas.",
    "plotly.", "IPython.", "wandb.", "mlflow.", "torch.backends.", "torch.cuda.", "torch.autograd.",
    "torch.set_float32_matmul_precision", "torch._dynamo.", "torch._inductor.", "faulthandler.", "gc.", "resource.",
)  # fmt: skip
# What changes how fast a call is, how results are sent, or at which limit a call fails: not what it gives.
_WITHOUT_RESULT = (
    "setNumThreads", "set_num_threads", "setUseOpenCL", "set_sharing_strategy", "LOAD_TRUNCATED_IMAGES",
    "MAX_IMAGE_PIXELS", "setrecursionlimit",
)  # fmt: skip
# Functions of the standard library that go by the environment or by how messages are shown, and those that run any code.
_GO_BY_MORE = (
    "os.system", "os.popen", "os.getenv", "os.environ", "os.exec", "os.spawn", "os.path.expand", "subprocess",
    "urllib", "http", "socket", "tempfile", "logging", "warnings", "locale", "webbrowser",
)  # fmt: skip
_RUN_CODE = (
    "importlib", "runpy", "exec", "eval", "__import__", "ctypes", "threading", "multiprocessing", "concurrent", "asyncio",
)  # fmt: skip
# Libraries that go by settings of their own and of those named here alone.
_GOES_BY: dict[str, tuple[str, ...]] = {
    "numpy": (), "pandas": ("numpy",), "yaml": (), "tqdm": (), "omegaconf": (), "natsort": (),
    "torchvision": ("torch", "PIL"), "albumentations": ("numpy", "cv2"),
}  # fmt: skip
# What an import below can depend on, and what only the start of Python does.
_FOR_IMPORTS = ("os.environ", "os.putenv", "sys.path", "matplotlib.use")
_READ_AT_START = ("PYTHONHASHSEED",)
ANYTHING = "*"  # code that is not known


def settings_made(module: ImportTime, statement: ast.stmt) -> frozenset[str]:
    """Return the full names of what a statement that sets up libraries sets, and calls to set it."""
    return frozenset(_set(module, statement, frozenset()))


def settings_in(module: ImportTime, node: ast.AST) -> Iterator[str]:
    """Yield the full names of the settings that any code makes, also by functions of its module."""
    yield from _settings_in(module, node, set())


def _settings_in(module: ImportTime, node: ast.AST, seen: set[str]) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=func):
                name = module.full_name(func)
                definition = module.definitions.get(name)
                if isinstance(definition, FUNCTIONS) and name not in seen:
                    seen.add(name)
                    for statement in definition.body:
                        yield from _settings_in(module, statement, seen)
                elif sets_by_name(module, name):
                    yield name
            case ast.Assign() | ast.AugAssign():
                yield from (name for name in _set(module, each, frozenset()) if "." in name)


def of_the_parent(name: str) -> bool:
    """Return whether a setting need not be made in a worker: it is inherited, or of no use there."""
    return name.startswith(_OF_THE_PARENT) or "verbosity" in name


def for_imports(name: str) -> bool:
    """Return whether what a module does when it is imported may depend on a setting."""
    return name.startswith(_FOR_IMPORTS)


def may_go_by(name: str, used: Iterable[str]) -> bool:
    """Return whether code that uses some libraries may do something else once a setting is made."""
    library = name.partition(".")[0]
    if name.endswith(_WITHOUT_RESULT):
        return False
    if name.startswith("sys.path"):
        return any(each.startswith(_RUN_CODE) for each in used)
    if library == "warnings":
        return bool(set(used))
    if library not in sys.stdlib_module_names:
        used = [each for each in used if not each.startswith(_GO_BY_MORE)]
    return any(library in (each, *_GOES_BY.get(each, (library,))) for each in used)


def libraries_used(module: ImportTime, unit: Unit) -> frozenset[str]:
    """Return the libraries that a unit may run code of; `*` stands for any."""
    return _Libraries(module).of_calls(unit.effects.calls)


class _Libraries:
    """Follows the calls of a module's statements to the libraries they come from."""

    def __init__(self, module: ImportTime) -> None:
        self.module = module
        self._seen: set[str] = set()

    def of_calls(self, calls: Iterable[ast.Call]) -> frozenset[str]:
        """Return the libraries that calls may run code of."""
        return frozenset(each for call in calls for each in self._of(call))

    def _of(self, call: ast.Call) -> Iterator[str]:
        name = base_name(call.func)
        if name is None or name in self._seen:
            return  # a method of a text, or of the result of a call, which counts by itself
        if name in self.module.imports:
            yield from self._of_import(self.module.full_name(call.func), call)
            return
        definition = self.module.definitions.get(name)
        given = self.module.assigned.get(name, [])
        self._seen.add(name)
        if definition is not None:
            yield from self.of_calls(self.module.body_effects(definition).calls)
        elif given:
            inner = (n for value in given for n in ast.walk(value) if isinstance(n, ast.Call))
            yield from self.of_calls(inner)
        elif not hasattr(builtins, name) or name in _RUN_CODE:
            yield ANYTHING

    def _of_import(self, full: str, call: ast.Call) -> Iterator[str]:
        root = full.partition(".")[0]
        if root not in sys.stdlib_module_names:
            yield ANYTHING if not root or self.module.outside(call).is_followed else root
        elif full.startswith((*_GO_BY_MORE, *_RUN_CODE)):
            yield full


def _set(module: ImportTime, node: ast.AST, seen: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Call(func=func):
            name = module.full_name(func)
            definition = module.definitions.get(name)
            if isinstance(definition, FUNCTIONS) and name not in seen:
                for statement in definition.body:
                    yield from _set(module, statement, seen | {name})
            elif isinstance(func, (ast.Name, ast.Attribute)):
                yield name
        case ast.Attribute(ctx=ast.Store()):
            yield module.full_name(node)
        case ast.Subscript(slice=ast.Constant(value=str(key))) if key in _READ_AT_START:
            pass
        case ast.Subscript(ctx=ast.Store()):
            yield module.full_name(node.value) if dotted(node.value) else ANYTHING
    if isinstance(node, (ast.If, ast.Expr)):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr) or isinstance(node, ast.Expr):
                yield from _set(module, child, seen)
    elif isinstance(node, (ast.Assign, ast.AugAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _set(module, target, seen)


__all__ = [
    "ANYTHING",
    "for_imports",
    "libraries_used",
    "may_go_by",
    "of_the_parent",
    "settings_in",
    "settings_made",
]
