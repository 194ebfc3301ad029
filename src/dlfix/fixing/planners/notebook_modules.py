"""Plans the moves of what a notebook sends to workers into a module next to it."""

from __future__ import annotations

import ast
import builtins
import contextlib
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from dlfix.fixing.equal_values import EqualValues
from dlfix.fixing.hoisting.names import wanted, wanted_for_def
from dlfix.fixing.notebooks import NOT_MOVED, module_path
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.fixing.plans_notebooks import CellsPlan, Imported, ModulePlan, Replaced
from dlfix.project.order import begins_before, in_order
from dlfix.project.syntax import FUNCTIONS, last_name
from dlfix.rules.reading.callables import definition
from dlfix.source.notebook import MAGIC, MARK
from dlfix.source.text import Position, Span

if TYPE_CHECKING:
    from dlfix.project.bindings import Binding
    from dlfix.project.module import Scope
    from dlfix.project.project import Project
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

CODEMOD = "notebook_modules"
RESTART = "the kernel has to be restarted"
# What gives the same path each time, which cannot be changed.
Method: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOVABLE = (*_FUNCTIONS, ast.ClassDef)


class _Stays(Exception):
    """A definition cannot leave the notebook; the message is the reason."""


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer each finding; those of a notebook that can move share a fix."""
    by_path: dict[Path, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.place.path, []).append(finding)
    for path, group in by_path.items():
        move = _Move(analysis.project, path, _target(path, analysis))
        moved = []
        for finding in group:
            try:
                move.take(finding)
                moved.append(finding)
            except _Stays as reason:
                yield Planned((finding,), Refused(str(reason)))
        if moved:
            yield Planned(tuple(moved), move.fix())


@dataclass(frozen=True)
class _Target:
    """The module next to a notebook: its file, and what it binds already."""

    path: Path
    bound: frozenset[str] = frozenset()
    broken: bool = False


def _target(path: Path, analysis: Analysis) -> _Target:
    target, project = module_path(path), analysis.project
    if not project.knows(target):
        return _Target(target)
    module = project.get(target)
    if module is None or module.unwritable is not None:
        return _Target(target, broken=True)
    return _Target(target, frozenset(module.scope.bindings))


@dataclass
class _Parts:
    """What moves together."""

    statements: dict[ast.stmt, str] = field(default_factory=dict)  # with the name it binds
    imports: dict[Imported, None] = field(default_factory=dict)
    lambdas: dict[ast.Lambda, str] = field(default_factory=dict)  # with the name it gets
    local: dict[Method, str] = field(
        default_factory=dict
    )  # functions of functions, with their name

    def take(self, more: _Parts) -> None:
        self.statements.update(more.statements)
        self.imports.update(more.imports)
        self.lambdas.update(more.lambdas)
        self.local.update(more.local)


class _Move:
    """All that leaves one notebook."""

    def __init__(self, project: Project, path: Path, target: _Target) -> None:
        self.module = project.module(path)
        self.values = EqualValues(project, self.module)
        self.target = target
        self.parts = _Parts()

    def take(self, finding: Finding) -> None:
        """Add what a finding is about, and what that uses; raise _Stays where something cannot move."""
        if self.target.broken:
            raise _Stays(f"{self.target.path.name} cannot be parsed or written")
        found = definition(getattr(finding.evidence, "value", None))
        if found is None or found.module is not self.module:
            raise _Stays(NOT_MOVED)
        more = _Parts()
        if isinstance(found.node, ast.Lambda):
            self._take_lambda(found.node, more)
        elif isinstance(found.node, _FUNCTIONS) and self.module.scope_of(found.node).is_function:
            self._take_local(found.node, more)
        else:
            self._take_statement(self.module.statement(self._top(found.node)), more)
        self.parts.take(more)

    def _top(self, node: ast.AST) -> ast.AST:
        """Return the top-level statement that defines a function or class."""
        chain = [node, *self.module.ancestors(node)]
        top = chain[-2]  # the last is the module
        if any(
            isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for each in chain[1:]
        ):
            name = getattr(node, "name", "the function")
            raise _Stays(f"`{name}` is defined in a function {self._at(node)}")
        return top

    def _at(self, node: ast.AST) -> str:
        return f"(line {getattr(node, 'lineno', 1)})"

    # What moves

    def _take_statement(self, statement: ast.stmt, parts: _Parts) -> None:
        if statement in self.parts.statements or statement in parts.statements:
            return
        name = self._name_of(statement)
        if self.module.span(statement) in self.module.crowded:
            raise _Stays(f"the line contains more than one statement {self._at(statement)}")
        if MAGIC in self._segment(statement):
            raise _Stays(f"`{name}` contains an IPython command {self._at(statement)}")
        self._refuse_changed(name, statement)
        self._refuse_taken(name)
        parts.statements[statement] = name
        self._take_used([statement], parts)

    def _take_local(self, node: Method, parts: _Parts) -> None:
        """Add a function of a function that captures nothing: its name means the same from the module."""
        if node in self.parts.local:
            return
        name, scope = node.name, self.module.scope_of(node)
        is_whole = self.module.span(node) not in self.module.crowded
        if not is_whole or MAGIC in self._segment(node) or not self._says_the_same(node):
            raise _Stays(f"`{name}` cannot be moved as a whole {self._at(node)}")
        self._refuse_captures(node)
        if len(scope.bindings.get(name, ())) > 1:
            raise _Stays(f"`{name}` is defined more than once {self._at(node)}")
        if not self._leaves_others(node):
            raise _Stays(f"`{name}` is all that its block contains {self._at(node)}")
        self._refuse_uses(name, self.module.nodes_by_name.get(name, ()))
        self._refuse_nested(node)
        parts.local[node] = self._name_of_local(node)
        self._take_used([node], parts)

    def _name_of_local(self, node: Method) -> str:
        """Return the name of a function of a function in the module: its own, where nothing else has it."""
        uses = self.module.nodes_by_name.get(node.name, ())
        is_other = any(_is_read(each) and self._lookup(each) is None for each in uses)
        taken = {*self.module.scope.bindings, *self.target.bound, *self.parts.local.values()}
        taken |= {*self.parts.lambdas.values(), *dir(builtins)}
        if not is_other and node.name not in taken:
            return node.name
        taken |= {*self.module.nodes_by_name}
        reads = self._reads_of(node)
        names = wanted_for_def(self.module, node, node.name, keeps=False, reads=reads)
        for name in (each.lstrip("_") for each in names):
            if name not in taken and not self._moves(node) and not self._is_recursive(node, reads):
                return name
        raise _Stays(f"`{node.name}` is also the name of something else {self._at(node)}")

    def _is_recursive(self, node: Method, reads: Sequence[ast.Name]) -> bool:
        return any(node in self.module.ancestors(each) for each in reads)

    def _reads_of(self, node: Method) -> list[ast.Name]:
        """Return where the name of a function of a function is read."""
        scope = self.module.scope_of(node)
        uses = self.module.nodes_by_name.get(node.name, ())
        return [each for each in uses if _is_read(each) and self._lookup(each) is scope]

    def _refuse_captures(self, node: Method) -> None:
        """Refuse a function that needs what the function around it has when it is called, or defined."""
        free = sorted({*self.module.inner_scope(node).free_variables()} - {node.name})
        if free:
            raise _Stays(f"`{node.name}` captures `{free[0]}` {self._at(node)}")
        if node.decorator_list:
            raise _Stays(f"`{node.name}` has a decorator {self._at(node)}")
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            if not self.values.is_equal(default):
                raise _Stays(f"a default value of `{node.name}` is computed {self._at(default)}")
        heads = [each for each in (node.args, node.returns) if each is not None]
        for each in (part for head in heads for part in ast.walk(head)):
            found = self._lookup(each) if _is_read(each) else None
            if _is_read(each) and found is not None and found.is_function:
                raise _Stays(f"`{node.name}` uses the local `{each.id}` {self._at(each)}")

    def _lookup(self, name: ast.Name) -> Scope | None:
        return self.module.scope_of(name).lookup(name.id)

    def _refuse_nested(self, node: ast.AST) -> None:
        """Refuse what stands in a function of a function that moves, or around it."""
        local = [*self.parts.local, *self.parts.lambdas]
        above, inside = {*self.module.ancestors(node)}, {*self.module.within(node)}
        if any(each in above or (each in inside and each is not node) for each in local):
            raise _Stays(f"it is defined in a function that moves {self._at(node)}")

    def _leaves_others(self, node: ast.stmt) -> bool:
        """Return whether the block of a statement has others, which do not move."""
        above = self.module.parent(node)
        blocks = [getattr(above, name, None) for name in ("body", "orelse", "finalbody")]
        block = next(each for each in blocks if isinstance(each, list) and node in each)
        return any(each is not node and each not in self.parts.local for each in block)

    def _name_of(self, statement: ast.stmt) -> str:
        """Return the one name that a statement binds, which can be executed again in a worker."""
        if isinstance(statement, _MOVABLE):
            return statement.name
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name))
            ) if self._is_equal(statement):
                return name
        raise _Stays(f"the definition is not at the top level of a cell {self._at(statement)}")

    def _refuse_taken(self, name: str) -> None:
        if name in self.target.bound:
            raise _Stays(f"`{name}` is already defined in {self.target.path.name}")

    def _take_lambda(self, node: ast.Lambda, parts: _Parts) -> None:
        statement = self.module.statement(node)
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value) if (
                value is node and self.module.scope_of(node).is_module
            ):
                self._take_statement(statement, parts)
                return
        scope = self.module.inner_scope(node)
        free = sorted(scope.free_variables())
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        local = not self.module.scope_of(node).is_module
        if local and any(isinstance(each, ast.Name) for one in defaults for each in ast.walk(one)):
            raise _Stays(
                f"a default value of the lambda uses a local name of the enclosing function {self._at(node)}"
            )
        if free:
            raise _Stays(f"the lambda captures `{free[0]}` {self._at(node)}")
        if any(each in self.parts.local for each in self.module.ancestors(node)):
            raise _Stays(f"the lambda is defined in a function that moves {self._at(node)}")
        parts.lambdas[node] = self._free_name(node)
        self._take_used([node], parts)

    def _free_name(self, node: ast.Lambda) -> str:
        used = {*self.module.nodes_by_name, *self.module.scope.bindings, *self.target.bound}
        used |= {*self.parts.lambdas.values(), *dir(builtins)}
        names = [name.lstrip("_") for name in wanted(self.module, node)]
        for name in (*names, *(f"{names[0]}_{number}" for number in range(2, 100))):
            if name not in used:
                return name
        raise _Stays("no unused name is available for the lambda")

    # What it uses

    def _take_used(self, nodes: Sequence[ast.AST], parts: _Parts) -> None:
        for node in nodes:
            for name, read in self._global_reads(node).items():
                bindings = [
                    *self.module.scope.bindings.get(name, ()),
                    *self.module.scope.module_globals.get(name, ()),
                ]
                self._take_bound(name, read, bindings, parts)

    def _global_reads(self, node: ast.AST) -> dict[str, ast.AST]:
        """Return the names of the notebook and builtins that a node reads, or sets by `global`."""
        found: dict[str, ast.AST] = {}
        for each in self.module.within(node):
            if isinstance(each, ast.Global):
                raise _Stays(f"the code sets the global `{each.names[0]}` {self._at(each)}")
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                scope = self.module.scope_of(each).lookup(each.id)
                if scope is None or scope.is_module:
                    found.setdefault(each.id, each)
        return found

    def _take_bound(
        self, name: str, read: ast.AST, bindings: Sequence[Binding], parts: _Parts
    ) -> None:
        if not bindings:
            if hasattr(builtins, name) and not name.startswith("__"):
                return
            if name == "__name__":
                above = self.module.parent(read)
                if isinstance(above, ast.Call) and last_name(above.func) == "getLogger":
                    return  # whichever name its messages show
                raise _Stays(f"`__name__` is another one in a module {self._at(read)}")
            starred = next(self._star_imports(), None)
            if starred is not None:
                raise _Stays(f"`{name}` may come from a star import {self._at(starred)}")
            raise _Stays(f"`{name}` is not defined in the notebook {self._at(read)}")
        if all(each.kind == "import" for each in bindings):
            self._take_imports(name, bindings, parts)
            return
        if len(bindings) > 1:
            raise _Stays(f"`{name}` is set more than once {self._at(bindings[1].statement)}")
        statement = bindings[0].statement
        if (
            not isinstance(statement, ast.stmt)
            or self.module.parent(statement) is not self.module.tree
        ):
            raise _Stays(f"`{name}` is set in a compound statement {self._at(statement)}")
        if not isinstance(statement, _MOVABLE) and not self._is_equal(statement):
            raise _Stays(
                f"the code uses `{name}`, which is computed in the notebook {self._at(statement)}"
            )
        if begins_before(read, statement) and not self._is_delayed(read):
            raise _Stays(f"`{name}` is used above its definition {self._at(read)}")
        self._take_statement(statement, parts)

    def _is_delayed(self, read: ast.AST) -> bool:
        """Return whether a read is in a function, which runs once all is defined."""
        scope: Scope | None = self.module.scope_of(read)
        while scope is not None and not isinstance(scope.node, (*FUNCTIONS, ast.Lambda)):
            scope = scope.parent
        return scope is not None

    def _is_equal(self, statement: ast.stmt) -> bool:
        value = getattr(statement, "value", None)
        return isinstance(value, ast.Lambda) or (
            isinstance(value, ast.expr) and self.values.is_equal(value)
        )

    def _refuse_uses(self, name: str, nodes: Iterable[ast.AST]) -> None:
        """Refuse a name that is deleted, or of which an attribute or item is set."""
        for node in nodes:
            above = self.module.parent(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                raise _Stays(f"`{name}` is deleted {self._at(node)}")
            stored = isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is node
            if stored and isinstance(above.ctx, (ast.Store, ast.Del)):  # type: ignore[union-attr]
                raise _Stays(f"an attribute or item of `{name}` is set {self._at(node)}")
            if isinstance(above, ast.Call) and getattr(above.func, "id", "") in (
                "setattr",
                "delattr",
            ):
                raise _Stays(f"an attribute of `{name}` is set {self._at(node)}")

    def _star_imports(self) -> Iterator[ast.ImportFrom]:
        """Yield the imports of the notebook that bring names which it does not spell out."""
        for each in self.module.nodes(ast.ImportFrom):
            if any(alias.name == "*" for alias in each.names):
                yield each

    def _take_imports(self, name: str, bindings: Sequence[Binding], parts: _Parts) -> None:
        found: dict[Imported, None] = {}
        for binding in bindings:
            statement = binding.statement
            if self.module.parent(statement) is not self.module.tree:
                raise _Stays(f"`{name}` is imported in a compound statement {self._at(statement)}")
            found[_imported(statement, binding.node)] = None
        members = {(each.module.partition(".")[0] if not each.member else each) for each in found}
        if len(members) > 1:
            raise _Stays(
                f"`{name}` is imported from several modules {self._at(bindings[1].statement)}"
            )
        if name in self.target.bound:
            return
        parts.imports.update(found)

    def _refuse_changed(self, name: str, statement: ast.stmt) -> None:
        """Refuse what other cells change: a worker would import it unchanged."""
        bindings = self.module.scope.bindings.get(name, ())
        if len(bindings) > 1:
            raise _Stays(f"`{name}` is defined more than once {self._at(bindings[1].statement)}")
        if name in self.module.scope.module_globals:
            raise _Stays(f"`{name}` is assigned with `global` in a function {self._at(statement)}")
        change = self.values.change(name, getattr(statement, "value", None))
        if change is not None:
            raise _Stays(f"`{name}` may be changed after its definition {self._at(change)}")

    # The texts

    def fix(self) -> Fix:
        """Return the fix that moves everything taken."""
        return Fix(
            self._message(),
            Applicability.UNSAFE,
            (
                Edit(self.module.path, CODEMOD, CellsPlan(tuple(self._replaced()))),
                Edit(self.target.path, CODEMOD, self._module_plan(), beside=self.module.path),
            ),
            why_unsafe=RESTART,
        )

    def _message(self) -> str:
        sent = [f"`{name}`" for name in self.parts.statements.values()]
        sent += [f"`{name}`" for name in self.parts.local.values()]
        sent += [f"the lambda (now `{name}`)" for name in self.parts.lambdas.values()]
        if len(sent) > 3:
            sent = [*sent[:2], f"{len(sent) - 2} other definitions"]
        what = sent[0] if len(sent) == 1 else f"{', '.join(sent[:-1])} and {sent[-1]}"
        them = "it" if len(sent) == 1 else "them"
        return f"Move {what} to {self.target.path.name} and import {them} from there"

    def _module_plan(self) -> ModulePlan:
        statements = in_order(self.parts.statements)
        taken = [((each.lineno, 1), self._moved(each)) for each in statements]
        taken += [
            ((self._top_row(node), 0), _as_function(name, *self._lambda_texts(node)))
            for node, name in self.parts.lambdas.items()
        ]
        taken += [((each.lineno, 0), self._dedented(each)) for each in self.parts.local]
        title = f"Definitions from {self.module.path.name} that worker processes import."
        texts = tuple(text for _, text in sorted(taken, key=lambda each: each[0]))
        return ModulePlan(title, tuple(self.parts.imports), texts)

    def _moved(self, statement: ast.stmt) -> str:
        """Return a statement's text with the lambdas in it named."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as node):
                return _as_function(name, *self._lambda_texts(node))
        first = self._rows(statement)[0]
        lines = self._segment(statement).split("\n")
        moving: list[ast.Lambda | Method] = [*self.parts.lambdas, *self.parts.local]
        for each in reversed(in_order(moving)):
            if self._top_row(each) != self._top_row(statement):
                continue
            if isinstance(each, ast.Lambda):
                _put(lines, self.module.span(each), first, self.parts.lambdas[each])
            else:
                top, last = self._rows_cut(each)
                del lines[top - first : last - first + 1]
        return "\n".join(lines)

    def _dedented(self, statement: Method) -> str:
        """Return the text of a function of a function, as it stands at module level."""
        text, name = textwrap.dedent(self._segment(statement)), self.parts.local.get(statement)
        return (
            re.sub(rf"^((?:async )?def ){statement.name}\b", rf"\1{name}", text, count=1)
            if name
            else text
        )

    def _says_the_same(self, node: Method) -> bool:
        """Return whether a function is the same at module level: a text over several lines may not be."""
        [moved] = ast.parse(self._dedented(node)).body
        skipped = int(ast.get_docstring(node) is not None)
        bodies = [each.body[skipped:] for each in (node, moved)]  # type: ignore[attr-defined]
        said = [[ast.dump(one) for one in each] for each in bodies]
        return said[0] == said[1]

    def _lambda_texts(self, node: ast.Lambda) -> tuple[str, str]:
        """Return the parameters and the body of a lambda."""
        text = self.module.segment(node)
        body = self.module.span(node.body)
        head = _between(self.module.lines, self.module.span(node).start, body.start)
        parameters = head[len("lambda") : head.rindex(":")].strip()
        alone = self.module.segment(node.body)  # without the parentheses around it
        return parameters, text[head.rindex(":") + 1 :].strip() if "\n" in alone else alone

    def _top_row(self, node: ast.AST) -> int:
        chain = [node, *self.module.ancestors(node)]
        return int(getattr(chain[-2], "lineno", 0))

    def _rows(self, statement: ast.stmt) -> tuple[int, int]:
        """Return the first and last row of a statement: decorators and the comment above belong to it."""
        return self.module.first_row(statement), statement.end_lineno or statement.lineno

    def _rows_cut(self, statement: ast.stmt) -> tuple[int, int]:
        """Return the rows that go with a function of a function: blank lines above what follows it, too."""
        first, end = self._rows(statement)
        lines, last = self.module.lines, end
        while last < len(lines) and not lines[last].strip():
            last += 1
        below = lines[last] if last < len(lines) else ""
        is_followed = len(below) - len(below.lstrip()) >= statement.col_offset
        return first, last if is_followed else end

    def _segment(self, statement: ast.stmt) -> str:
        first, last = self._rows(statement)
        return "\n".join(line.rstrip("\n") for line in self.module.lines[first - 1 : last])

    def _replaced(self) -> Iterator[Replaced]:
        """Yield what changes in the notebook: cells without what moved, and with an import of it."""
        outer = [node for node in self.parts.lambdas if not self._moves(node)]
        local = [node for node in self.parts.local if not self._moves(node)]
        cells: dict[int, list[tuple[int, str]]] = {}
        for statement, name in self.parts.statements.items():
            cells.setdefault(self._cell(statement.lineno), []).append((statement.lineno, name))
        for node, name in (*self.parts.lambdas.items(), *self.parts.local.items()):
            if node in outer or node in local:
                row = self._top_row(node)
                cells.setdefault(self._cell(row), []).append((row, name))
        place = {
            min(named)[0]: sorted({name for _, name in named}, key=_order)
            for named in cells.values()
        }
        for statement in self.parts.statements:
            yield self._cut(statement, place.pop(statement.lineno, None))
        for row, names in place.items():
            below = next(each for each in self.module.tree.body if each.lineno == row)
            at = Position(self._rows(below)[0], 0)
            blank = "\n\n" if isinstance(below, _MOVABLE) else "\n"
            yield Replaced(Span(at, at), f"{self._import(names)}\n{blank}")
        for node in outer:
            yield Replaced(self.module.span(node), self.parts.lambdas[node])
        for each in local:
            first, last = self._rows_cut(each)
            yield Replaced(Span(Position(first, 0), Position(last + 1, 0)), "")
            if self.parts.local[each] != each.name:
                for read in self._reads_of(each):
                    yield Replaced(self.module.span(read), self.parts.local[each])

    def _moves(self, node: ast.AST) -> bool:
        return any(above in self.parts.statements for above in self.module.ancestors(node))

    def _cell(self, row: int) -> int:
        """Return the first row of the cell that a row is in."""
        lines = self.module.lines
        return next((at for at in range(row, 0, -1) if lines[at - 1].startswith(f"{MARK}(")), 0)

    def _cut(self, statement: ast.stmt, names: Sequence[str] | None) -> Replaced:
        first, last = self._rows(statement)
        if names is not None:
            end = Position(last, len(self.module.lines[last - 1].rstrip("\n")))
            return Replaced(Span(Position(first, 0), end), self._import(names))
        lines = self.module.lines
        while last < len(lines) and not lines[last].strip():
            last += 1
        if last == len(lines):
            return Replaced(Span(Position(first, 0), Position(last, len(lines[last - 1]))), "")
        return Replaced(Span(Position(first, 0), Position(last + 1, 0)), "")

    def _import(self, names: Sequence[str]) -> str:
        return f"from {self.target.path.stem} import {', '.join(names)}"


def _order(name: str) -> tuple[bool, bool, str]:
    """Order names as isort does: CONSTANTS, Classes, functions."""
    return not name.isupper(), not name[:1].isupper(), name


def _imported(statement: ast.AST, alias: ast.AST) -> Imported:
    assert isinstance(alias, ast.alias)
    if isinstance(statement, ast.ImportFrom):
        if statement.level or not statement.module or alias.name == "*":
            raise _Stays(
                f"a relative or star import cannot be copied to a module (line {statement.lineno})"
            )
        return Imported(statement.module, alias.name, alias.asname or "")
    if alias.name == "__main__":
        raise _Stays("`__main__` is a different module in a worker")
    return Imported(alias.name, "", alias.asname or "")


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _put(lines: list[str], span: Span, first: int, text: str) -> None:
    """Write a text in the place of a stretch of lines that begin with row `first`."""
    top, end = span.start.row - first, span.end.row - first
    lines[top : end + 1] = [lines[top][: span.start.column] + text + lines[end][span.end.column :]]


def _between(lines: Sequence[str], start: Position, end: Position) -> str:
    if start.row == end.row:
        return lines[start.row - 1][start.column : end.column]
    return "".join(
        [
            lines[start.row - 1][start.column :],
            *lines[start.row : end.row - 1],
            lines[end.row - 1][: end.column],
        ]
    )


def _as_function(name: str, parameters: str, body: str) -> str:
    """Return a function that does what a lambda did."""
    joined = re.sub(r"\s*\\?\n\s*", " ", body).strip()
    if "\n" in body and not _means(joined, f"({body}\n)"):
        joined = f"({body})"
    return f"def {name}({parameters}):\n    return {joined}"


def _means(text: str, other: str) -> bool:
    """Return whether two texts are the same expression; a comment that is joined with code is none."""
    with contextlib.suppress(SyntaxError):
        trees = [ast.parse(each, mode="eval") for each in (text, other)]
        return ast.dump(trees[0]) == ast.dump(trees[1])
    return False
