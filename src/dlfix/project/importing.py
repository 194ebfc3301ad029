"""Which modules of the project a module imports."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from dlfix.project.import_time import IMPORTS, is_guard
from dlfix.project.lazily import Lazily

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

Import = ast.Import | ast.ImportFrom
_MOST = 400  # modules that are gone through
_DEEPEST = 64  # packages that a name leads through
# What imports modules whose names are not written in an import statement.
_DYNAMIC = (
    "import_module __import__ iter_modules walk_packages exec_module load_module runpy import_string entry_points"
    " instantiate get_class get_method locate"
).split()


def imported(project: Project, importer: Module, node: Import) -> Iterator[Module]:
    """Yield the modules of the project that an import statement names."""
    for name in _names(project, importer, node):
        if (module := project.find(name, importer)) is not None:
            yield module


def _names(project: Project, importer: Module, node: Import) -> Iterator[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        yield from (
            package for name in names for package in accumulate(name.split(".")[:_DEEPEST], _joined)
        )
        return
    base = node.module or ""
    if node.level:
        base = project.relative(importer, node.level, node.module)
    yield from accumulate(base.split(".")[:_DEEPEST], _joined) if base else ()
    yield from (_joined(base, name) if base else name for name in names)


def _joined(package: str, name: str) -> str:
    return f"{package}.{name}"


def comes_with(project: Project, script: Module, wanted: Module) -> bool:
    """Return whether running a script imports a module, itself or through other modules."""
    return wanted in imported_with(project, script)


def may_come_with(project: Project, script: Module, wanted: Module) -> bool:
    """Return whether running a script may import a module, by a name that is computed too."""
    reached = imported_with(project, script)
    return any(module is wanted or any(map(module.says, _DYNAMIC)) for module in reached)


def imported_with(project: Project, script: Module) -> Lazily[Module]:
    """Return the modules that running a script imports, itself or through others, and the script."""
    if script not in project.imported_with:
        reached = _reached([script], partial(_imported_by, project))
        project.imported_with[script] = Lazily(reached)
    return project.imported_with[script]


def together(project: Project, module: Module) -> frozenset[Module] | None:
    """Return the modules that some program imports beside one; None where any may be.

    A program is a file that no other imports, with all that it imports.
    """
    return _programs_of(project, [module])


def beside(project: Project, module: Module) -> frozenset[Module] | None:
    """Return the modules that may be imported beside one that scripts alone use; None where others may use it.

    A script is run, and what it does not import is no part of its program.
    """
    seen = _leading_to(project, [module])
    programs = [
        each
        for each in seen or ()
        if not any(other is not each for other in _importing(project, each))
    ]
    if not programs or not all(map(_is_script, programs)):
        return None
    found = _programs_of(project, [module])
    return None if found is None else found | beside_tests(project)


def program_of(project: Project, script: Module) -> frozenset[Module] | None:
    """Return the modules of a script's program; None for a file that another imports, or that is no script."""
    if not _is_script(script) or any(other is not script for other in _importing(project, script)):
        return None
    return _programs_of(project, [script])


def beside_tests(project: Project) -> frozenset[Module]:
    """Return the modules that pytest loads beside any test."""
    return frozenset(filter(None, map(project.opened, project.called("conftest"))))


def is_of_sphinx(project: Project, module: Module) -> bool:
    """Return whether Sphinx runs a module, as the configuration of documentation, and nothing imports it."""
    if module.path.name != "conf.py" or _is_script(module):
        return False
    names = {
        target.id
        for statement in module.tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    return {"project", "extensions"} <= names and not any(_importing(project, module))


def elsewhere(project: Project, module: Module, names: Iterable[str]) -> frozenset[Module]:
    """Return the modules that only programs run which a module is no part of.

    These are scripts and notebooks, with what they import. A module that none of them imports may be imported by anyone.
    A program that names a class of the module (`names`) is one of its own, wherever it imports that from.
    """
    naming = (each for name in names for each in project.mentions(name))
    own = _programs_of(project, [*dict.fromkeys([module, *naming])])
    found: set[Module] = set()
    unsure: set[Module] = set(own or ())
    for script in _scripts(project) if own is not None else ():
        if script in unsure:
            continue
        program = [*itertools.islice(_reached([script], partial(_imported_by, project)), _MOST)]
        may_be_own = len(program) == _MOST or any(map(_is_dynamic, program))
        (unsure if may_be_own else found).update(program)
    return frozenset(found - unsure)


def _programs_of(project: Project, modules: list[Module]) -> frozenset[Module] | None:
    programs = _leading_to(project, modules)
    if programs is None:
        return None
    found: set[Module] = set()
    for each in _reached(programs, partial(_imported_by, project)):
        found.add(each)
        if len(found) > _MOST or _is_dynamic(each):
            return None
    return frozenset(found)


def _scripts(project: Project) -> Iterator[Module]:
    """Yield the modules that are run, not imported."""
    for path in project.files:
        if path.suffix == ".ipynb" and (notebook := project.opened(path)) is not None:
            yield notebook
    for module in project.mentions("__main__"):
        if module.path.suffix != ".ipynb" and _is_script(module):
            yield module


def _is_script(module: Module) -> bool:
    return module.path.suffix == ".ipynb" or (
        module.says("__main__") and any(map(is_guard, module.tree.body))
    )


def _is_dynamic(module: Module) -> bool:
    """Return whether a module may import any other by a name that is worked out."""
    return any(
        any(_first_names(module, use) is None for use in module.nodes_by_name.get(word, ()))
        or bool(module.aliases_of(word))
        for word in _DYNAMIC
        if module.says(word)
    )


def _first_names(module: Module, use: ast.AST) -> str | None:
    """Return the name that is passed to what imports by name, or how it begins: `utils.`; None for any."""
    call = module.parent(use)
    if not isinstance(call, ast.Call) or call.func is not use or not call.args:
        return None
    text, given = _beginning(call.args[0]), call.args[0]
    if text.startswith("."):  # of the package that is given besides
        return f"{module.package}." if _is_own_package(call) and not text.startswith("..") else None
    if isinstance(given, ast.Constant):
        return text or None
    package, dot, _ = text.rpartition(".")
    return package + dot if dot else None


def _beginning(text: ast.expr) -> str:
    """Return the constant that a text begins with."""
    match text:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=[first, *_]) | ast.BinOp(left=first, op=ast.Add()):
            return _beginning(first)
    return ""


def _is_own_package(call: ast.Call) -> bool:
    package = call.args[1:] or [each.value for each in call.keywords if each.arg == "package"]
    match package:
        case [ast.Name(id="__name__" | "__package__")]:
            return True
    return False


def _named_by_text(project: Project, module: Module) -> Iterator[tuple[ast.AST, Module]]:
    """Yield the modules that a module may import by the names that it passes as texts, each with where it does."""
    for use in _by_name(module):
        first = _first_names(module, use)
        if not first:
            continue
        names = first.rstrip(".").split(".")
        for name in accumulate(names, _joined):
            if (found := project.find(name, module)) is not None:
                yield use, found
                yield from ((use, each) for each in _inside(project, found, first == f"{name}."))


def _by_name(module: Module) -> Iterator[ast.AST]:
    """Yield where a module names what imports by a name that is passed."""
    for word in filter(module.says, _DYNAMIC):
        yield from module.nodes_by_name.get(word, ())


def _inside(project: Project, package: Module, may_be_any: bool) -> Iterator[Module]:
    """Yield the modules of a package of which any may be meant."""
    if may_be_any and package.is_package:
        for path in project.files:
            inside = package.path.parent in path.parents
            if inside and (module := project.opened(path)) is not None:
                yield module


def _reached(
    start: list[Module], following: Callable[[Module], Iterable[Module]]
) -> Iterator[Module]:
    waiting, seen = start, set(start)
    while waiting:
        module = waiting.pop()
        yield module
        new = [each for each in dict.fromkeys(following(module)) if each not in seen]
        seen.update(new)
        waiting += new


def _imported_by(project: Project, module: Module) -> Sequence[Module]:
    """Return the modules that a module may import, looked up once in a project."""
    if module not in project.imports_by_module:
        project.imports_by_module[module] = (*dict.fromkeys(_looked_up(project, module)),)
    return project.imports_by_module[module]


def _looked_up(project: Project, module: Module) -> Iterator[Module]:
    return (each for _, each in imports_of(project, module))


def imports_of(project: Project, module: Module) -> Iterator[tuple[ast.AST, Module]]:
    """Yield the modules that a module may import, each with the statement or the name that does."""
    for node in _imports(module):
        found = list(imported(project, module, node)) or _called_alike(project, node)
        yield from ((node, each) for each in found)
    yield from _named_by_text(project, module)


def imports_unknown(module: Module) -> Iterator[ast.AST]:
    """Yield where a module may import any other, by a name that is worked out."""
    yield from (use for use in _by_name(module) if _first_names(module, use) is None)
    for word in filter(module.says, _DYNAMIC):
        for alias in module.aliases_of(word):
            yield from module.nodes_by_name.get(alias, ())


def _called_alike(project: Project, node: Import) -> Iterator[Module]:
    """Yield the modules that an import may mean which leads nowhere: `sys.path` may be changed by then."""
    names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module]
    for name in filter(None, names):
        for path in project.called(name.rpartition(".")[2]):
            if (module := project.opened(path)) is not None:
                yield module


def _leading_to(project: Project, modules: list[Module]) -> list[Module] | None:
    """Return some modules and all that import them, however far; None where these are too many for a program."""
    waiting, seen = [*modules], dict.fromkeys(modules)
    while waiting:
        for each in _importing(project, waiting.pop()):
            if each not in seen:
                seen[each] = None
                waiting.append(each)
            if len(seen) > _MOST:
                return None
    return [*seen]


def _importing(project: Project, module: Module) -> Iterator[Module]:
    for other in project.mentions(module.name.rpartition(".")[2]):
        if module in _imported_by(project, other):
            yield other


def _imports(module: Module) -> Iterator[Import]:
    for node in module.nodes(*IMPORTS):
        assert isinstance(node, Import)
        yield node
