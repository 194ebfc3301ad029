"""Local classes that need what only their function imports: they move to a module that the function imports in turn."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dlfix.fixing import naming
from dlfix.fixing.classes.text import comments_of
from dlfix.fixing.hoisting.captures import CannotHoist, has_its_line
from dlfix.fixing.hoisting.classes import ClassMoves, Work, is_imported
from dlfix.fixing.hoisting.module_ways import Way, way_to
from dlfix.fixing.plans import Edit
from dlfix.fixing.plans_classes import Carried, ClassesPlan, ClassModulePlan, InsteadOf
from dlfix.fixing.plans_notebooks import Imported
from dlfix.project.importing import imported, may_come_with
from dlfix.project.module import Module, Scope
from dlfix.project.order import comes_before, in_order
from dlfix.project.syntax import dotted
from dlfix.source import seen

Import = ast.Import | ast.ImportFrom
_LEAVES = (ast.Raise, ast.Return)


def imports_needed(moves: ClassMoves, node: ast.ClassDef) -> bool:
    """Return whether a local class reads a name that only the function around it imports."""
    module = moves.module
    for read in _names_in(node):
        binder = module.scope_of(read).lookup(read.id)
        around = binder is not None and binder in _above(module.scope_of(node))
        if around and binder is not None and binder.is_function and is_imported(binder, read.id):
            return True
    return False


@dataclass
class ClassModules:
    """Plans the modules that the classes of one file go to."""

    moves: ClassMoves
    codemod: str
    given: dict[Path, set[str]] = field(default_factory=dict)  # the names of classes
    roots: dict[Path, frozenset[str]] = field(
        default_factory=dict
    )  # the libraries that are imported

    def move(self, node: ast.ClassDef) -> tuple[str, tuple[Edit, ...]]:
        """Plan the move of a class statement, with the local classes it needs; return what is done, and the edits."""
        work = _Leaving(self.moves)
        work.way = way_to(self.moves.project, self.moves.module)
        work.add(node)
        work.take_globals()
        path = self._path(node, work)
        self.given.setdefault(path, set()).update(work.done.values())
        home = f"{work.way.prefix}{path.stem}"
        plan = work.leaving(home)
        carried = Carried(self.moves.module.text, plan)
        libraries = " and ".join(f"`{root}`" for root in work.roots)
        title = (
            f"Classes of {self.moves.module.path.name} that require {libraries.replace('`', '')}."
        )
        future = _future(self.moves.module)
        made = ClassModulePlan(title, tuple(work.imported), future, carried)
        message = (
            f"Move the class `{node.name}` to {path.name}, which is imported where the class is "
            "used"
        )
        source = self.moves.module.path
        return message, (
            Edit(source, self.codemod, plan),
            Edit(path, self.codemod, made, beside=source),
        )

    def _path(self, node: ast.ClassDef, work: _Leaving) -> Path:
        """Return the file that a class goes to: named after its library and after what makes it."""
        folder, roots = self.moves.module.path.parent, frozenset(work.roots)
        for stem in _stems(self.moves.module, node, work.library(node)):
            path = folder / f"{stem}.py"
            free = not self.moves.project.called(stem) and not seen.exists(path)
            free = free and not seen.exists(folder / stem)
            if path in self.roots:  # what an earlier class of the file goes to
                if self.roots[path] == roots and not self.given[path] & {*work.done.values()}:
                    return path
            elif free:
                self.roots[path] = roots
                return path
        raise CannotHoist(f"no name is available for a module beside {self.moves.module.path.name}")


def _stems(module: Module, node: ast.ClassDef, library: str) -> Iterator[str]:
    """Yield names of a module for a class, those that say less first."""
    around = [each for each in module.ancestors(node) if isinstance(each, ast.ClassDef)]
    functions = [each.name for each in module.ancestors(node) if isinstance(each, ast.FunctionDef)]
    subject = naming.snake(around[-1].name if around else node.name)
    function = naming.snake(functions[-1]) if functions else subject
    file = naming.snake(module.path.stem)
    for parts in ([subject], [file, subject], [subject, function], [file, subject, function]):
        said = "_".join(dict.fromkeys(parts))
        with_library = f"{library}_{said}"
        yield f"_{said if said.startswith(f'{library}_') else with_library}"


@dataclass
class _Leaving(Work):
    """What the move of classes to a module beside their file asks of both."""

    way: Way = field(default_factory=Way)
    imported: dict[Imported, None] = field(default_factory=dict)
    imports_around: dict[tuple[Scope, str], None] = field(default_factory=dict)
    roots: dict[str, None] = field(default_factory=dict)  # of what the functions import

    def _name(self, name: str, scope: Scope, node: ast.AST) -> str:
        """Return the name of a class, which it keeps in a module of its own."""
        if name in self.done.values() or name in dir(builtins):
            raise CannotHoist(f"`{name}` is the name of several classes (line {_line(node)})")
        return name

    def add_made(self, call: ast.Call) -> str:
        """Refuse a class that a call makes."""
        raise CannotHoist(f"the class depends on one that a call makes (line {call.lineno})")

    def _meant(self, read: ast.Name) -> str | None:
        """Take no local name for what it is another name for."""
        return None

    def _import(self, node: ast.ClassDef, binder: Scope, read: ast.Name) -> None:
        """Let the new module import what the function around a class imports."""
        for binding in binder.bindings[read.id]:
            statement = binding.statement
            if binder.is_module or not self._surely_ran(statement, binder, node):
                raise CannotHoist(
                    f"the class `{node.name}` requires `{read.id}`, which may not be imported when the "
                    f"class is defined (line {_line(statement)})"
                )
            self._take_import(statement, binding.node, read)
        self.imports_around[binder, read.id] = None

    def _surely_ran(self, statement: ast.AST, binder: Scope, node: ast.ClassDef) -> bool:
        """Return whether an import has been made, or an error raised, wherever a class is defined."""
        above = self.module.parent(statement)
        if isinstance(above, ast.Try) and statement in above.body and not above.orelse:
            left = all(isinstance(each.body[-1], _LEAVES) for each in above.handlers)
            above = self.module.parent(above) if left else None
        return above is binder.node and comes_before(statement, node)

    def _take_import(self, statement: ast.AST, alias: ast.AST, read: ast.Name) -> None:
        assert isinstance(statement, Import)
        assert isinstance(alias, ast.alias)
        made = _imported(statement, alias)
        if made is None or (
            isinstance(statement, ast.ImportFrom) and statement.level and not self.way.prefix
        ):
            raise CannotHoist(
                f"the import of `{read.id}` cannot be made in another module (line {statement.lineno})"
            )
        self.imported[made] = None
        root = made.module.lstrip(".").partition(".")[0]
        if root:
            self.roots[root] = None

    def library(self, node: ast.ClassDef) -> str:
        """Return the library that a module is named after: that of the base, or else the first that is imported."""
        for base in node.bases:
            name = dotted(base).partition(".")[0]
            binder = self.module.scope_of(node).lookup(name) if name else None
            for binding in binder.bindings[name] if binder is not None else ():
                if isinstance(binding.statement, Import) and isinstance(binding.node, ast.alias):
                    made = _imported(binding.statement, binding.node)
                    root = made.module.lstrip(".").partition(".")[0] if made is not None else ""
                    if root:
                        return root
        return next(iter(self.roots), "local")

    # What the classes read of their file

    def take_globals(self) -> None:
        """Let the new module import what the classes read of the module that they leave."""
        inside = {scope for node in self.carried for scope in self._scopes_of(node)}
        roots = dict(self.roots)
        for node in self.carried:
            self._refuse_unclear(node)
            for read in _names_in(node):
                binder = self.module.scope_of(read).lookup(read.id)
                if binder in inside:
                    continue
                if binder is None:
                    self._refuse_unknown(read)
                elif binder.is_module:
                    self._take_global(read)
        self.roots = roots  # what the file imports anyway is no library of the new module alone

    def _scopes_of(self, node: ast.ClassDef | ast.FunctionDef) -> list[Scope]:
        return [*self.module.inner_scope(node).walk()]

    def _refuse_unclear(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        """Refuse code that another module's names, or a text, would mean something else in."""
        for each in ast.walk(node):
            if isinstance(each, ast.Global):
                raise CannotHoist(f"`{each.names[0]}` is set by `global` (line {each.lineno})")
            for text in _annotations(each):
                if any(
                    isinstance(one, ast.Constant) and isinstance(one.value, str)
                    for one in ast.walk(text)
                ):
                    raise CannotHoist(
                        f"an annotation is a text, whose names another module may not have (line {text.lineno})"
                    )

    def _refuse_unknown(self, read: ast.Name) -> None:
        if not hasattr(builtins, read.id) or read.id.startswith("__"):
            raise CannotHoist(
                f"`{read.id}` may mean something else in another module (line {read.lineno})"
            )
        if any(alias.name == "*" for alias in self.module.nodes(ast.alias)):
            raise CannotHoist(f"`{read.id}` may come from a star import (line {read.lineno})")

    def _take_global(self, read: ast.Name) -> None:
        """Import what the file imports by a name, at its top and under no condition."""
        bindings = self.module.scope.bindings.get(read.id, [])
        for binding in bindings:
            is_plain = self.module.parent(binding.statement) is self.module.tree
            if (
                binding.kind != "import"
                or not is_plain
                or read.id in self.module.scope.module_globals
            ):
                raise CannotHoist(
                    f"the class reads `{read.id}` of its module, which another module may not have "
                    f"(line {read.lineno})"
                )
            self._refuse_circle(binding.statement)
            self._take_import(binding.statement, binding.node, read)
        if len({_line(each.statement) for each in bindings}) > 1 and any(
            isinstance(each.statement, ast.ImportFrom) for each in bindings
        ):
            raise CannotHoist(f"`{read.id}` is imported more than once (line {read.lineno})")

    def _refuse_circle(self, statement: ast.AST) -> None:
        """Refuse an import of what imports the file in turn: the packages around it are there already."""
        assert isinstance(statement, Import)
        project, module = self.moves.project, self.module
        for other in imported(project, module, statement):
            is_around = other.is_package and other.path.parent in module.path.parents
            if not is_around and (other is module or may_come_with(project, other, module)):
                raise CannotHoist(
                    f"{other.path.name} imports {module.path.name}, which the class uses it in "
                    f"(line {statement.lineno})"
                )

    # What stays

    def leaving(self, home: str) -> ClassesPlan:
        """Return what happens to the file that classes leave for another module."""
        plan = self.plan()
        return ClassesPlan(
            plan.moves, plan.renames, plan.parameters, plan.arguments, plan.helpers,
            partials=plan.partials, width=plan.width, required=plan.required,
            leaves=True, instead=tuple(self._instead(home)),
        )  # fmt: skip

    def _instead(self, home: str) -> Iterator[InsteadOf]:
        """Yield what takes the place of the classes and of the imports that only they needed."""
        classes = in_order(each for each in self.carried if isinstance(each, ast.ClassDef))
        used = [each for each in classes if self._is_used_outside(each)]
        if len({self.module.scope_of(each) for each in used}) > 1 or not used:
            raise CannotHoist(
                f"the classes are used in several functions (line {classes[0].lineno})"
            )
        scope = self.module.scope_of(used[0])
        text = f"from {home} import {', '.join(sorted(each.name for each in used))}"
        together = all(self.module.parent(each) is scope.node for each in used)
        unused = [*self._unused(scope)] if together else []
        whole = [statement for statement, names in unused if not names]
        place = whole[0] if whole else used[0]
        for statement, names in unused:
            if statement is place:
                yield InsteadOf(self.module.span(statement), text)
            elif names:
                yield InsteadOf(self.module.span(statement), names)
            elif self.module.parent(statement) is scope.node:
                yield InsteadOf(self.module.span(statement), "")
        if place is used[0]:
            yield InsteadOf(self.module.span(place), text)

    def _is_used_outside(self, node: ast.ClassDef) -> bool:
        return any(
            not self._is_carried(each)
            for each in self._reads(self.module.scope_of(node), node.name)
        )

    def _reads(self, scope: Scope, name: str) -> Iterator[ast.Name]:
        for each in scope.walk():
            if each.lookup(name) is scope:
                yield from each.reads.get(name, ())

    def _is_carried(self, node: ast.AST) -> bool:
        return any(each is node or each in self.module.ancestors(node) for each in self.carried)

    def _unused(self, scope: Scope) -> Iterator[tuple[Import, str]]:
        """Yield the imports of a function that only the classes needed: each with what is left of it."""
        names = [name for binder, name in self.imports_around if binder is scope]
        statements = [b.statement for name in names for b in scope.bindings[name]]
        for statement in in_order(dict.fromkeys(statements)):
            assert isinstance(statement, Import)
            if not has_its_line(self.module, statement) or any(comments_of(self.module, statement)):
                continue
            kept = [each for each in statement.names if self._is_needed(each, statement, scope)]
            if len(kept) == len(statement.names):
                continue
            span = self.module.span(statement)
            if kept and span.start.row != span.end.row:
                continue
            yield statement, _written(statement, kept) if kept else ""

    def _is_needed(self, alias: ast.alias, statement: Import, scope: Scope) -> bool:
        bound = alias.asname or alias.name
        if isinstance(statement, ast.Import):
            bound = bound if alias.asname else bound.partition(".")[0]
        if (scope, bound) not in self.imports_around:
            return True
        return any(not self._is_carried(each) for each in self._reads(scope, bound))


def _written(statement: Import, names: Sequence[ast.alias]) -> str:
    listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in names)
    if isinstance(statement, ast.Import):
        return f"import {listed}"
    return f"from {'.' * statement.level}{statement.module or ''} import {listed}"


def _imported(statement: Import, alias: ast.alias) -> Imported | None:
    if isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        return None if alias.name == "*" else Imported(module, alias.name, alias.asname or "")
    return None if alias.name == "__main__" else Imported(alias.name, "", alias.asname or "")


def _future(module: Module) -> tuple[str, ...]:
    return tuple(
        alias.name
        for each in module.tree.body
        if isinstance(each, ast.ImportFrom) and each.module == "__future__"
        for alias in each.names
    )


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    for name in ("annotation", "returns"):
        found = getattr(node, name, None)
        if isinstance(found, ast.expr):
            yield found


def _names_in(node: ast.AST) -> Iterator[ast.Name]:
    return (
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    )


def _above(scope: Scope) -> list[Scope]:
    found = [scope]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


__all__ = ["ClassModules", "imports_needed"]
