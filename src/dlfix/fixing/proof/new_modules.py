"""A module that a fix makes for classes of a file: it is found, loads as little, and means by each name what the file meant."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.proof.changes import Regression
from dlfix.fixing.proof.moves import missing
from dlfix.fixing.proof.named_modules import questions
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.put_back import homes_of, imports_from, is_in_function
from dlfix.fixing.proof.replaced_names import replacing
from dlfix.fixing.proof.same_classes import Local, says_the_same
from dlfix.fixing.proof.syntax import FUNCTIONS
from dlfix.project.import_time import is_guard
from dlfix.project.importing import imported, is_of_sphinx, may_come_with
from dlfix.project.module import Module, Scope
from dlfix.project.order import in_order

if TYPE_CHECKING:
    from dlfix.project.project import Project

_IMPORTS = (ast.Import, ast.ImportFrom)
# Names that each module has of its own.
_OF_THE_MODULE = frozenset(
    "__name__ __file__ __package__ __spec__ __loader__ __path__ __doc__ __dict__ globals".split()
)
# What asks a class or function for the file that it is defined in.
_OF_ITS_FILE = ("getmodule", "getfile", "getsourcefile", "getsource", "getsourcelines")
_GO_THROUGH_MODULES = ("iter_modules", "walk_packages")
_GO_THROUGH_FILES = ("glob", "rglob", "iglob", "listdir", "iterdir", "scandir", "walk")
_BY_NAME = ("import_module", "__import__", "exec_module", "find_modules")
Import = ast.Import | ast.ImportFrom


def check(
    before: Project, after: Project, path: Path, changed: Collection[Path]
) -> Iterator[Regression]:
    """Yield what a file that a fix makes, and the file that it is made for, do not have in common."""
    found = homes_of(before, after, changed).get(path)
    if found is None:
        is_made = path.suffix == ".py" and not before.knows(path)
        if is_made and all(each.suffix == ".py" for each in changed):
            yield Regression(path, "", 1, f"nothing imports {path.name}")
        return
    home, statement = found
    module, origin = after.module(path), before.module(home.path)
    made = _Made(before, Program(after), module, origin, home, statement)
    for line, reason in made.reasons():
        yield Regression(path, "", line, reason)


class _Made:
    """A new module, the file that it is made for, before and after, and the import of it there."""

    def __init__(
        self,
        before: Project,
        program: Program,
        module: Module,
        origin: Module,
        home: Module,
        statement: ast.ImportFrom,
    ) -> None:
        self.before, self.program, self.project = before, program, program.project
        self.module, self.origin, self.home = module, origin, home
        self.statement = statement
        self.at = f"({home.path.name}:{statement.lineno})"

    def reasons(self) -> Iterator[tuple[int, str]]:
        yield from self._contents()
        yield from self._classes()
        yield from self._names()
        yield from self._imports()
        yield from self._circles()
        yield from self._uses()
        yield from self._way()
        yield from self._asked()
        yield from self._gone_through()

    def _contents(self) -> Iterator[tuple[int, str]]:
        """Yield what stands in the module besides classes that were local ones, and imports."""
        local = {
            each.name
            for each in self.origin.nodes(ast.ClassDef)
            if isinstance(each, ast.ClassDef) and is_in_function(self.origin, each)
        }
        for number, node in enumerate(self.module.tree.body):
            is_title = (
                not number and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
            is_class = isinstance(node, ast.ClassDef) and node.name in local
            if not (is_title or is_class or isinstance(node, _IMPORTS)):
                yield (
                    node.lineno,
                    f"the statement is not part of {self.home.path.name} (line {node.lineno})",
                )
        for each in self.module.nodes(ast.Global):
            yield getattr(each, "lineno", 1), f"`global` means another module {self.at}"

    def _classes(self) -> Iterator[tuple[int, str]]:
        """Yield classes that are none of the local ones with what these captured passed to them."""
        for node in self.module.tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            calls = [*self._calls(node.name)]
            if not any(
                says_the_same(each, node, calls) and not self._is_hidden(each)
                for each in self._local(node.name)
            ):
                where = f"(line {node.lineno})"
                yield (
                    node.lineno,
                    f"`{node.name}` is not the class of {self.home.path.name} {where}",
                )

    def _local(self, name: str) -> Iterator[Local]:
        """Yield the classes of a name in functions of the file as it was."""
        module = self.origin
        functions = module.nodes(*FUNCTIONS)
        for node in module.nodes(ast.ClassDef):
            if (
                isinstance(node, ast.ClassDef)
                and node.name == name
                and is_in_function(module, node)
            ):
                scope = module.scope_of(node)
                beside = [each for each in functions if module.scope_of(each) is scope]
                yield Local(node, beside, [*_calls_of(module, scope, name)])

    def _is_hidden(self, local: Local) -> bool:
        """Return whether a call passes a variable of an inner function that has the name of what a class captured."""
        read = {each.id for part in (local.node, *local.around) for each in _names_of(part)}
        return any(
            self.home.scope_of(each).lookup(each.id) is not scope.lookup(each.id)
            for scope in self._scopes(local.node.name)
            for call in _calls_of(self.home, scope, local.node.name)
            for part in (*call.args, *(keyword.value for keyword in call.keywords))
            for each in _names_of(part)
            if each.id in read
        )

    def _calls(self, name: str) -> Iterator[ast.Call]:
        """Yield where the file makes an object of a class that left."""
        for scope in self._scopes(name):
            yield from _calls_of(self.home, scope, name)

    def _scopes(self, name: str) -> Iterator[Scope]:
        """Yield the functions of the file that import a class that left."""
        for node in imports_from(self.home, self.module.path):
            if any(alias.name == name for alias in node.names):
                yield self.home.scope_of(node)

    def _names(self) -> Iterator[tuple[int, str]]:
        """Yield names that mean nothing there, or something else than in the file."""
        for name in sorted(missing(self.module.text)):
            yield 1, f"`{name}` is not defined in {self.module.path.name}"
        for name in sorted(_OF_THE_MODULE):
            for node in self.module.nodes_by_name.get(name, ()):
                if isinstance(node, ast.Name):
                    yield (
                        node.lineno,
                        f"`{name}` is that of another module now (line {node.lineno})",
                    )
        for text in _texts_of_annotations(self.module):
            yield text.lineno, f"an annotation is a text (line {text.lineno})"

    def _imports(self) -> Iterator[tuple[int, str]]:
        """Yield imports that the file does not make, of that name and from there."""
        local = [each for each in self.origin.nodes(*_IMPORTS) if is_in_function(self.origin, each)]
        inside, top = set(_origins(local)), set(_origins(self.origin.tree.body))
        for node in self.module.tree.body:
            for made in _origins([node]):
                name, line = made[-1], node.lineno
                is_known = made in top if self._is_of_file(name) else made in inside
                if not is_known and made[0] != "__future__":
                    yield line, f"`{name}` is imported from elsewhere in the file (line {line})"
                elif self._is_of_file(name) and (why := self._changes(name)):
                    yield line, f"`{name}` {why} in {self.home.path.name} (line {line})"
        futures = {each for each in top if each[0] == "__future__"}
        if futures != {m for m in _origins(self.module.tree.body) if m[0] == "__future__"}:
            yield 1, "what is imported from `__future__` differs"

    def _is_of_file(self, name: str) -> bool:
        return bool(self.origin.scope.bindings.get(name))

    def _changes(self, name: str) -> str:
        """Say how a name of the file may come to mean something else than its import does; empty where it may not."""
        scope = self.origin.scope
        bindings = scope.bindings.get(name, [])
        if name in scope.module_globals or any(
            each.statement not in self.origin.tree.body for each in bindings
        ):
            return "may be bound otherwise"
        for owner in {self.origin.name, self.origin.path.stem}:
            for module, node in replacing(self.program, f"{owner}.{name}"):
                line = getattr(node, "lineno", 1)
                return f"is replaced ({module.path.name}:{line})"
        return ""

    def _circles(self) -> Iterator[tuple[int, str]]:
        """Yield imports of modules that import the file: it could be loaded in the midst of theirs."""
        top = set(_origins(self.origin.tree.body))
        for node in self.module.tree.body:
            if not isinstance(node, Import):
                continue
            for other in imported(self.project, self.module, node):
                is_around = other.is_package and other.path.parent in self.home.path.parents
                leads_back = other is self.home or (
                    set(_origins([node])) & top and may_come_with(self.project, other, self.home)
                )
                if not is_around and leads_back:
                    yield node.lineno, f"{other.path.name} imports {self.home.path.name} {self.at}"

    def _uses(self) -> Iterator[tuple[int, str]]:
        """Yield where the module is loaded though nothing needs its classes yet."""
        for node in imports_from(self.home, self.module.path):
            if not is_in_function(self.home, node):
                yield 1, f"the module is imported with the file {self.at}"
        for other in self.project.mentions(self.module.path.stem):
            if other.path not in (self.home.path, self.module.path) and any(
                isinstance(node, Import) and self.module in imported(self.project, other, node)
                for node in other.nodes(*_IMPORTS)
            ):
                yield 1, f"another file imports the module ({other.path.name}:1)"

    def _way(self) -> Iterator[tuple[int, str]]:
        """Yield where the file is imported, or run, in a way in which it does not find the module."""
        own = [n for n in self.origin.tree.body if isinstance(n, ast.ImportFrom) and n.level]
        relative, stem = bool(self.statement.level), self.origin.path.stem
        if relative and not own and any(map(is_guard, self.origin.tree.body)):
            yield 1, f"a script has no package to import from {self.at}"
        if not relative and own:
            yield 1, f"the file is a part of a package {self.at}"
        for other in self.before.mentions(self.origin.name.rpartition(".")[2]):
            for node in other.nodes(*_IMPORTS):
                assert isinstance(node, Import)
                if other is self.origin or self.origin not in imported(self.before, other, node):
                    continue
                bare = _is_bare(node, stem)
                if bare is relative and not own:
                    where = f"({other.path.name}:{node.lineno})"
                    yield 1, f"the file is imported in another way {where}"

    def _asked(self) -> Iterator[tuple[int, str]]:
        """Yield code that may ask a class for its module, or for the file that it is in."""
        homes = frozenset({self.origin.path.stem, self.module.path.stem, "__main__"})
        for module, line in questions(self.project, homes):
            yield 1, f"`__module__` is read ({module.path.name}:{line}), which is another now"
            return
        for word in _OF_ITS_FILE:
            for module in self.project.mentions(word):
                is_run = not is_of_sphinx(self.project, module)  # it only documents
                for call in module.calls_by_name.get(word, ()) if is_run else ():
                    where = f"({module.path.name}:{call.lineno})"
                    yield 1, f"`{word}` may be asked for the file of a class {where}"
                    return

    def _gone_through(self) -> Iterator[tuple[int, str]]:
        """Yield code that may import all modules of the package, this one too."""
        words = (*_GO_THROUGH_MODULES, *_BY_NAME)
        asking = dict.fromkeys(each for word in words for each in self.project.mentions(word))
        for other in asking:
            is_around = other.path.parent in self.home.path.parents
            is_all = any(other.calls_by_name.get(each) for each in _GO_THROUGH_MODULES)
            by_name = any(other.calls_by_name.get(each) for each in _BY_NAME)
            files = any(other.calls_by_name.get(each) for each in _GO_THROUGH_FILES)
            if is_all or (is_around and by_name and files):
                yield 1, f"{other.path.name} goes through the modules of the package {self.at}"


def _calls_of(module: Module, scope: Scope, name: str) -> Iterator[ast.Call]:
    """Yield the calls, in order, of what a name is bound to in a function."""
    for call in in_order(module.calls_by_name.get(name, ())):
        if isinstance(call.func, ast.Name) and module.scope_of(call).lookup(name) is scope:
            yield call


def _origins(nodes: Collection[ast.AST]) -> Iterator[tuple[str, int, str, str]]:
    """Yield what imports bind: the module, its level, the name there, and the name here."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.module or "", node.level, alias.name, alias.asname or alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield alias.name, 0, "", bound


def _names_of(node: ast.AST) -> Iterator[ast.Name]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Name))


def _is_bare(node: Import, stem: str) -> bool:
    if isinstance(node, ast.ImportFrom):
        return not node.level and node.module == stem
    return any(alias.name == stem for alias in node.names)


def _texts_of_annotations(module: Module) -> Iterator[ast.Constant]:
    for node in ast.walk(module.tree):
        for name in ("annotation", "returns"):
            found = getattr(node, name, None)
            for each in ast.walk(found) if isinstance(found, ast.expr) else ():
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each


__all__ = ["check"]
