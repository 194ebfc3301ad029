"""Methods with class-private names: Python keeps `__run` of `Rows` as `_Rows__run`, which pickle does not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.hoisting import names, rebinding
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.project.module import Module
from dlfix.project.project import Project
from dlfix.reach.values import Class, External, Value
from dlfix.source.text import Span

Method = ast.FunctionDef | ast.AsyncFunctionDef

_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# External bases whose attributes are known, and what a method of a class derived from them must not be called.
KNOWN_BASES = frozenset(
    {
        "abc.ABC",
        "multiprocessing.Process",
        "multiprocessing.context.Process",
        "object",
        "threading.Thread",
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.Sampler",
        "typing.Generic",
    }
)
# What `multiprocessing.Process` and `threading.Thread` of Python 3.10 to 3.14 have.
TAKEN = frozenset(
    "_Popen _after_fork _args _authkey _bootstrap _bootstrap_inner _check_closed _closed _config _context _daemonic "
    "_delete _handle _ident _identity _initialized _invoke_excepthook _is_stopped _kwargs _name _native_id _os_thread_handle "
    "_parent_name _parent_pid _popen _reset_internal_locks _sentinel _set_ident _set_native_id _set_os_name "
    "_set_tstate_lock _start_method _started _stderr _stop _target _tstate_lock _wait_for_tstate_lock".split()
)


def is_private(module: Module, node: ast.AST) -> bool:
    """Return whether a function is a method that its class keeps under another name than its own."""
    name = getattr(node, "name", "")
    in_class = isinstance(module.parent(node), ast.ClassDef)
    return in_class and name.startswith("__") and not name.endswith("__")


def renamed(
    project: Project, module: Module, method: Method, line: Iterable[Value], taken: set[str]
) -> tuple[str, list[tuple[Span, str]]]:
    """Return a name that Python keeps as it is, and what to write where; raise CannotHoist where that is unsure.

    `line` has the bases and subclasses of the class, `taken` the names that other methods get.
    """
    owner = module.parent(method)
    assert isinstance(owner, ast.ClassDef)
    line = list(line)
    _check(project, module, owner, method, line)
    name = _free(project, module, owner, method, line, taken)
    taken.add(name)
    places = [(rebinding.name_span(module, method), name)]
    places += [(module.span(each), _written(each, name)) for each in _reads(module, owner, method)]
    return name, places


def _check(
    project: Project,
    module: Module,
    owner: ast.ClassDef,
    method: Method,
    line: list[Value],
) -> None:
    """Raise CannotHoist where more than the text of the class may lead to the method."""
    where = f"line {method.lineno}"
    if project.mentions(_mangled(owner.name, method.name)):
        raise CannotHoist(f"code asks for `{_mangled(owner.name, method.name)}` ({where})")
    for each in project.mentions(method.name):
        for node in ast.walk(each.tree):
            if isinstance(node, ast.Constant) and method.name in str(node.value):
                raise CannotHoist(f"a text has its name ({each.path.name}:{node.lineno})")
    if sum(getattr(each, "name", "") == method.name for each in _own(module, owner)) > 1:
        raise CannotHoist(f"the class has several of its name ({where})")
    for cls in line:
        if not isinstance(cls, Class) or cls.node is owner:
            continue
        if _mangled(cls.node.name, "") == _mangled(owner.name, ""):
            raise CannotHoist(f"another class of its line is named `{cls.node.name}` ({where})")


def _mangled(owner: str, name: str) -> str:
    return f"_{owner.lstrip('_')}{name}"


def _own(module: Module, owner: ast.ClassDef) -> Iterator[ast.AST]:
    """Yield what is in a class, but for the classes within it, which have names of their own."""
    for node in ast.walk(owner):
        around = (each for each in module.ancestors(node) if isinstance(each, ast.ClassDef))
        if next(around, None) is owner:
            yield node


def _reads(module: Module, owner: ast.ClassDef, method: Method) -> Iterator[ast.expr]:
    """Yield where the class names the method; raise CannotHoist where that is not all."""
    for node in _own(module, owner):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name != method.name or not isinstance(node, (ast.Attribute, ast.Name)):
            continue
        around = next(each for each in module.ancestors(node) if isinstance(each, _SCOPES))
        is_name = isinstance(node, ast.Name) and around is owner
        is_read = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if not isinstance(node.ctx, ast.Load) or not (is_name or is_read):
            raise CannotHoist(f"`{ast.unparse(node)}` is no plain read of it (line {node.lineno})")
        yield node


def _written(node: ast.expr, name: str) -> str:
    return f"{ast.unparse(node.value)}.{name}" if isinstance(node, ast.Attribute) else name


def _free(
    project: Project,
    module: Module,
    owner: ast.ClassDef,
    method: Method,
    line: list[Value],
    taken: set[str],
) -> str:
    """Return a name that no class of the line has; one of its own where a base is out of view."""
    stem = method.name.lstrip("_")
    in_view = all(
        isinstance(each, Class) or (isinstance(each, External) and each.name in KNOWN_BASES)
        for each in line
    )
    wanted = [f"_{stem}"] if in_view else []
    wanted.append(names.of_class(owner, stem))
    modules = {module, *(each.module for each in line if isinstance(each, Class))}
    for name in wanted:
        users = project.mentions(name)
        if name not in TAKEN | taken and not modules.intersection(users) and not project.sets(name):
            return name
    raise CannotHoist(f"`{wanted[-1]}` is taken (line {method.lineno})")
