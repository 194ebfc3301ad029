"""How a file of the project can import a new module beside it: as a part of its package, or by its bare name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.project.import_time import is_guard
from dlfix.project.importing import imported
from dlfix.project.module import Module
from dlfix.project.packaged import packaged
from dlfix.project.project import Project
from dlfix.project.roots import PACKAGING, packaging_text
from dlfix.source import seen
from dlfix.source.notebook import is_notebook

Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Way:
    """What stands before the name of a module in an import: `.` in a package, nothing beside a script."""

    prefix: str = ""


def way_to(project: Project, module: Module) -> Way:
    """Return how a file can import a module beside it; raise CannotHoist where that is not clear."""
    _refuse_single_files(module)
    own = set(_own_ways(project, module))
    if len(own) == 1:
        return Way(own.pop())
    others = set(_ways_of_others(project, module))
    is_script = any(map(is_guard, module.tree.body))
    in_package = seen.is_file(module.folder / "__init__.py") or project.lists(
        module.folder / "__init__.py"
    )
    if not own and len(others) < 2:
        if in_package and not is_script and others != {""}:
            return Way(".")
        if not in_package and (others == {""} or (is_script and not others)):
            return Way()
        if not in_package and not is_script and others == {"."}:
            return Way(".")
    raise CannotHoist(
        f"it is not known whether {module.path.name} is imported as a part of a package"
    )


def _refuse_single_files(module: Module) -> None:
    """Refuse a file that is installed by its own name, without what lies beside it."""
    if is_notebook(module.path):
        raise CannotHoist("a notebook has no module beside it")
    top = packaged(module.folder)
    for name in PACKAGING if top is not None else ():
        assert top is not None
        text = packaging_text(top / name)
        if "py_modules" in text or "py-modules" in text:
            raise CannotHoist(f"{name} lists the modules that are installed")


def _own_ways(project: Project, module: Module) -> Iterator[str]:
    """Yield how a file imports what lies beside it, at its top."""
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            yield "."
        elif isinstance(node, Import):
            names = (
                [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
            for name in filter(None, names):
                first = name.partition(".")[0]
                beside = (module.folder / f"{first}.py", module.folder / first / "__init__.py")
                found = project.find(first, module)
                if found is not None and found.path in beside:
                    yield ""


def _ways_of_others(project: Project, module: Module) -> Iterator[str]:
    """Yield how other files import a module: as a part of a package, or by its bare name."""
    last = module.name.rpartition(".")[2]
    for other in project.mentions(last):
        for node in other.nodes(ast.Import, ast.ImportFrom):
            assert isinstance(node, Import)
            if other is not module and module in imported(project, other, node):
                yield _way_of(node, last)


def _way_of(node: Import, last: str) -> str:
    if isinstance(node, ast.ImportFrom):
        return "" if not node.level and node.module == last else "."
    return "" if any(alias.name == last for alias in node.names) else "."
