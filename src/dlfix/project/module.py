"""One module: its text, its tree, its scopes, and where things stand in it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar, cast

from dlfix.project import scan
from dlfix.project.bindings import Binding, Names
from dlfix.project.bodies import Bodies, Named, Parents
from dlfix.project.extent import too_large, too_much
from dlfix.project.order import first_row, in_order, start
from dlfix.project.recovery import recover
from dlfix.project.syntax import class_name
from dlfix.project.trees import COMPREHENSIONS, SCOPED, children, holding
from dlfix.source.text import Place, Position, SourceError, SourceText, Span

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", bound=ast.AST)
R = TypeVar("R")
T = TypeVar("T")
_OPENING = frozenset({*SCOPED, *COMPREHENSIONS})


class Module:
    """A module. Its text is parsed when the tree is first asked for; all else is worked out like that, too.

    `said` remembers what its bytes were asked before they were parsed. With `noting`, it is noted who looks at
    what, so that a later reading can tell whether an edit matters.
    """

    def __init__(
        self,
        source: SourceText,
        name: str,
        said: dict[tuple[Any, ...], Any] | None = None,
        *,
        noting: bool = True,
    ) -> None:
        self.source = source
        self._noting = noting
        self.path: Path = source.path
        self._recovered: str | None = None  # what was parsed, where that is not the whole text
        self._said = {} if said is None else said
        self.is_text_seen = False
        self.name = name
        self._broken: SourceError | None = None
        self._failure: SourceError | None = None
        # What was asked for of the whole module.
        self.kinds: set[type[ast.AST]] = set()
        self.tables: dict[Any, Named[Any, Any]] = {}
        self.answers: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def is_test(self) -> bool:
        """Whether its name is one that test runners look for."""
        name = self.path.stem
        return name == "conftest" or name.startswith("test_") or name.endswith("_test")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty one where the text does not parse."""
        try:
            tree = self._parsed()
        except SourceError as error:
            self._failure = error
            tree = ast.Module([], [])
        self._bodies = Bodies(tree, noting=self._noting)  # before anybody looks at the tree
        return tree

    @property
    def is_parsed(self) -> bool:
        """Whether the tree has been asked for."""
        return "tree" in self.__dict__

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies of its outermost functions."""
        _ = self.tree
        return self._bodies

    @property
    def failure(self) -> SourceError | None:
        """Why there is no tree, once it has been asked for."""
        return self._failure

    @property
    def broken(self) -> SourceError | None:
        """What was cut out of the text, if it did not parse as a whole."""
        return self._broken if self.tree is not None else None

    @property
    def trouble(self) -> SourceError | None:
        """Why the text did not parse, or not as a whole, once that has been tried."""
        return self._failure or self._broken

    def may(self, question: Callable[[bytes, bytes], bool], name: str) -> bool:
        """Return what a search of the bytes says of a name; True once the tree can be asked instead."""
        if self.is_parsed or not (name and name.isascii()):
            return True
        key = (question, name.encode(errors="surrogatepass"))
        if key not in self._said:
            self._said[key] = question(self.source.data, key[1])
        return cast("bool", self._said[key])

    def _parsed(self) -> ast.Module:
        reason = too_large(self.source.text)
        if reason is not None:
            raise SourceError(self.path, None, reason)
        try:
            return _parse(self.source)
        except SourceError as error:
            found = recover(self.source.text)
            if found is None:
                raise
            reason = f"{error.reason}; {_counted(found.cut)} skipped, the rest is analyzed"
            self._broken = SourceError(self.path, error.row, reason)
            self._recovered = found.text
            return found.tree

    @property
    def text(self) -> str:
        """The text as it was parsed; who asks for it has seen all of the module."""
        self._see_text()
        return self._read_text

    @property
    def _read_text(self) -> str:
        if self.tree is None:
            return ""
        return self.source.text if self._recovered is None else self._recovered

    @property
    def lines(self) -> list[str]:
        """The text's lines, split as Python splits them."""
        self._see_text()
        return self.unnoted_lines

    def _see_text(self) -> None:
        if not self.bodies.is_quiet:
            self.is_text_seen = True

    @cached_property
    def unwritable(self) -> str | None:
        """Why no fix is carried out in this file, whatever the fix; None where one may be."""
        if self.broken is not None:
            return "the file has a syntax error"
        return self.source.unwritable or too_much(self.tree, self.text)

    @cached_property
    def crowded(self) -> frozenset[Span]:
        """Where the simple statements stand that share a line with another statement."""
        found = []
        for body, header in _bodies(self.tree):
            rows = [header, *((node.lineno, node.end_lineno) for node in body), (0, 0)]
            for node, above, below in zip(body, rows, rows[2:], strict=False):
                if above[1] == node.lineno or node.end_lineno == below[0]:
                    found.append(self.span(node))
        return frozenset(found)

    @cached_property
    def one_liners(self) -> frozenset[Span]:
        """Where the statements stand that are the whole body of what begins their line: `def f(self): return 1`."""
        return frozenset(
            self.span(body[0])
            for body, (first, last) in _bodies(self.tree)
            if len(body) == 1 and first == body[0].lineno == last
        )

    @cached_property
    def folder(self) -> Path:
        """The folder that it lies in."""
        return self.path.parent

    @property
    def is_package(self) -> bool:
        """Whether this is a package's `__init__.py`."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The dotted name relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @cached_property
    def unnoted_lines(self) -> list[str]:
        """The lines, without its being noted that somebody asked for them."""
        return self._read_text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def scope(self) -> Scope:
        """The module's own scope."""
        return Scope(self.tree, self, None)

    @cached_property
    def _scopes(self) -> dict[ast.AST, Scope]:
        return {self.tree: self.scope}

    @cached_property
    def _scope_of_statement(self) -> dict[ast.AST, Scope]:
        """What was asked before: a chain of `elif` is climbed once, not once for each name in it."""
        return {}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent (contexts and operators, which trees share, left out)."""
        parents = Parents(self.bodies)
        order: list[ast.AST] = []
        stack: list[ast.AST] = [self.tree]
        pop, note = stack.pop, order.append
        with self.bodies.on_behalf_of_nobody():
            while stack:
                node = pop()
                note(node)
                if holding(node.__class__):
                    found = children(node)
                    for child in found:
                        parents[child] = node
                    found.reverse()
                    stack += found
        self._order = order
        self.bodies.parents = parents
        return parents

    @cached_property
    def _order(self) -> list[ast.AST]:
        """All nodes, each right before all that is in it."""
        _ = self.parents
        return self._order

    @cached_property
    def _extents(self) -> dict[ast.AST, tuple[int, int]]:
        """For each node, where it stands in that order, and how many nodes it is with all in it."""
        sizes = dict.fromkeys(self._order, 1)
        for node in reversed(self._order[1:]):
            sizes[self.parents[node]] += sizes[node]
        return {node: (index, sizes[node]) for index, node in enumerate(self._order)}

    def within(self, node: ast.AST) -> list[ast.AST]:
        """Return a node of the tree and all that is in it, depth first."""
        start, size = self._extents[node]
        found = self._order[start : start + size]
        self.bodies.noted(found)
        return found

    def exports(self, name: str) -> bool:
        """Return whether a star import of this module may bring a name."""
        listed = self._listed
        return name in listed if listed is not None else not name.startswith("_")

    @cached_property
    def _listed(self) -> set[str] | None:
        """What `__all__` lists, where that is one literal list of texts."""
        bindings = self.scope.bindings.get("__all__", [])
        value = bindings[0].value if len(bindings) == 1 else None
        if not isinstance(value, (ast.List, ast.Tuple)):
            return None
        texts = [e.value for e in value.elts if isinstance(e, ast.Constant)]
        return {str(t) for t in texts} if len(texts) == len(value.elts) else None

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        kinds: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self._order[1:]:
            kinds.setdefault(type(node), []).append(node)
        return kinds

    @cached_property
    def _sorted(self) -> dict[tuple[type[ast.AST], ...], list[ast.AST]]:
        """What was asked before, in source order."""
        return {}

    def of_kind(self, kind: type[N]) -> list[N]:
        """Return all nodes of a kind, outer ones first, on behalf of nobody."""
        return cast("list[N]", self._by_kind.get(kind, []))

    def nodes(self, *kinds: type[N]) -> list[N]:
        """Return all nodes of these very kinds, in source order."""
        if kinds not in self._sorted:
            found = [node for kind in kinds for node in self._by_kind.get(kind, ())]
            self._sorted[kinds] = in_order(found)
        if not self.bodies.is_quiet and not self.kinds.issuperset(kinds):
            self.kinds.update(kinds)
            self.bodies.noted(self._sorted[kinds])
        return cast("list[N]", [*self._sorted[kinds]])

    @property
    def calls(self) -> list[ast.Call]:
        """All calls, in source order."""
        return self.nodes(ast.Call)

    def calls_in(self, scope: Scope) -> list[ast.Call]:
        """Return the calls that are evaluated in a scope, in source order; who asks has seen all of the module's."""
        if not self.bodies.is_quiet and ast.Call not in self.kinds:
            self.nodes(ast.Call)
        return self._calls_by_scope.get(scope, [])

    @cached_property
    def _calls_by_scope(self) -> dict[Scope, list[ast.Call]]:
        found: dict[Scope, list[ast.Call]] = {}
        for call in in_order(self._by_kind.get(ast.Call, ())):
            found.setdefault(self.scope_of(call), []).append(cast("ast.Call", call))
        return found

    def table(
        self,
        build: Callable[[Module], dict[K, list[R]]],
        may_have: Callable[[bytes, bytes], bool] | None = None,
    ) -> Named[K, R]:
        """Return nodes of this module by something, as a function of the module gives them.

        Whoever asks has seen only the nodes that they get. `may_have` says of the bytes whether there may be
        any by a name; while it says no, the module need not be parsed.
        """
        if build not in self.tables:
            asked = None if may_have is None else partial(self.may, may_have)
            self.tables[build] = Named(partial(build, self), lambda: self.bodies, asked)
        return self.tables[build]

    def answer(self, question: Callable[..., T], *asked: Hashable) -> T:
        """Return what a function says of this module, without any node of it; who asks has seen only that."""
        key = (question, *asked)
        if key not in self.answers:
            with self.bodies.on_behalf_of_nobody():
                self.answers[key] = question(self, *asked)
        return cast("T", self.answers[key])

    def says(self, text: str) -> bool:
        """Return whether a text is anywhere in this module's."""
        return self.may(scan.says, text) and self.answer(_says, text)

    @property
    def calls_by_name(self) -> Named[str, ast.Call]:
        """The calls whose callee is written as a name, or ends in one: `f(x)`, `a.f(x)`."""
        return self.table(_calls_by_name, scan.may_call)

    def calls_as(self, written: str) -> list[ast.Call]:
        """Return the calls whose callee is written just so: `copy`, `copy.copy`."""
        if not self.may(scan.may_call_as, written):
            return []
        calls = self.calls_by_name.get(written.rpartition(".")[2], ())
        return [call for call in calls if ast.unparse(call.func) == written]

    def calls_of(self, names: AbstractSet[str]) -> list[ast.Call]:
        """Return those of some names, in source order."""
        return self.in_order(c for name in names for c in self.calls_by_name.get(name, ()))

    def in_order(self, calls: Iterable[ast.Call]) -> list[ast.Call]:
        """Return calls in source order."""
        return sorted(calls, key=self._rank_of_calls.__getitem__)

    @cached_property
    def _rank_of_calls(self) -> dict[ast.AST, int]:
        calls = in_order(self._by_kind.get(ast.Call, ()))
        return {call: index for index, call in enumerate(calls)}

    @property
    def nodes_by_name(self) -> Named[str, ast.Name | ast.Attribute]:
        """The names and attributes, by what they are written as (an attribute by its last part)."""
        return self.table(_nodes_by_name, scan.may_name)

    @property
    def attributes_by_name(self) -> Named[str, ast.Attribute]:
        """The attributes by name."""
        return self.table(_attributes_by_name, scan.may_read)

    @property
    def stores_by_name(self) -> Named[str, ast.Attribute]:
        """The attributes that are set or deleted, by name."""
        return self.table(_stores_by_name, scan.may_store)

    def aliases_of(self, name: str) -> AbstractSet[str]:
        """Return the other names that imports of this module give to things of a name."""
        return self.answer(_named_by_import, name) if self.may(scan.renames, name) else _NONE

    @cached_property
    def aliases(self) -> dict[str, set[str]]:
        """The other names that imports give, by the name; on behalf of nobody."""
        renamed: dict[str, set[str]] = {}
        for alias in self.of_kind(ast.alias):
            if alias.asname and alias.asname != alias.name:
                renamed.setdefault(alias.name.rpartition(".")[2], set()).add(alias.asname)
        return renamed

    @property
    def classes(self) -> list[ast.ClassDef]:
        """All class statements, in source order."""
        return self.nodes(ast.ClassDef)

    @property
    def deriving_classes(self) -> list[ast.ClassDef]:
        """The classes that name any base, in source order."""
        found = self.classes if self.may(scan.has_bases, "class") else []
        return [node for node in found if node.bases]

    def deriving(self, name: str) -> list[ast.ClassDef]:
        """Return the classes that name a class as their base, by its name or one that an import gives it."""
        names = {name, *self.aliases_of(name)}
        deriving = [each for each in names if self.may(scan.derives, each)]
        found = {node for each in deriving for node in self._classes_by_base.get(each, ())}
        return in_order(found)

    @cached_property
    def _classes_by_base(self) -> dict[str, list[ast.ClassDef]]:
        named: dict[str, list[ast.ClassDef]] = {}
        for node in self.classes:
            for base in node.bases:
                named.setdefault(class_name(base), []).append(node)
        return named

    def rows_of(self, qualname: str) -> tuple[int, int] | None:
        """Return the first and last row of a class or function; None where there is none."""
        name = qualname.rpartition(".")[2]
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in self.nodes(*kinds):
            if getattr(node, "name", "") == name:
                return node.lineno, node.end_lineno or node.lineno
        return None

    @cached_property
    def functions_by_name(self) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The functions, by the name they are called by: a constructor by its class's."""
        named: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [*self.nodes(ast.FunctionDef)]
        for function in (*functions, *self.nodes(ast.AsyncFunctionDef)):
            above = self.parent(function)
            made = isinstance(above, ast.ClassDef) and function.name == "__init__"
            name = getattr(above, "name", "") if made else function.name
            named.setdefault(name, []).append(function)
        return named

    @cached_property
    def decorated(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
        """All functions and classes that have decorators."""
        found = self.nodes(ast.FunctionDef), self.nodes(ast.AsyncFunctionDef), self.classes
        return [node for nodes in found for node in nodes if node.decorator_list]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return a node's parent; None for the module."""
        return self.parents.get(node)

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the block that a statement stands in."""
        above = self.parents.get(statement)
        blocks = (getattr(above, field, None) for field in ("body", "orelse", "finalbody"))
        return next((b for b in blocks if isinstance(b, list) and statement in b), [statement])

    def below(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements that follow one in its block."""
        block = self.block_of(statement)
        return block[block.index(statement) + 1 :]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield a node's parents, nearest first."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement a node is part of (itself, if it is one); one that no code holds has a `pass`."""
        while not isinstance(node, ast.stmt):
            above = self.parents.get(node)
            if above is None:  # the call that a decorator stands for, a dict of keywords
                return ast.Pass()
            node = above
        return node

    def inner_scope(self, node: ast.AST) -> Scope:
        """Return the scope that a def, lambda, class or comprehension opens."""
        found = self._scopes.get(node)
        if found is None:
            found = self._scopes[node] = Scope(node, self, self.scope_of(node))
        return found

    def scope_of(self, node: ast.AST) -> Scope:
        """Return the scope a node is evaluated in; a default or decorator is outside its def."""
        known, parents = self._scope_of_statement, self.parents
        passed: list[ast.AST] = []
        child: ast.AST | None = node
        below: ast.AST | None = None
        scope = self.scope
        while child is not None:
            if child in known:
                scope = known[child]
                break
            if isinstance(child, ast.stmt):
                passed.append(child)
            parent = parents.get(child)
            if (
                parent is not None
                and parent.__class__ in _OPENING
                and _opens_for(parent, child, below)
            ):
                scope = self.inner_scope(parent)
                break
            below, child = child, parent
        for each in passed:
            known[each] = scope
        return scope

    @cached_property
    def set_by_global(self) -> dict[str, list[Binding]]:
        """Names that functions set by `global`, with those bindings."""
        found: dict[str, list[Binding]] = {}
        scopes = dict.fromkeys(map(self.scope_of, self.nodes(ast.Global)))
        for scope in sorted(scopes, key=lambda scope: start(scope.node)):
            for name in scope.globals:
                found.setdefault(name, []).extend(scope.bindings.get(name, ()))
        return found

    def place(self, node: ast.AST) -> Place:
        """Return where a node stands, with the file."""
        return Place(self.path, self.span(node))

    def span(self, node: ast.AST) -> Span:
        """Return where a node stands, columns in characters."""
        row, end_row = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        start = Position(row, self._column(row, getattr(node, "col_offset", 0)))
        return Span(
            start, Position(end_row, self._column(end_row, getattr(node, "end_col_offset", 0)))
        )

    def first_row(self, statement: ast.stmt) -> int:
        """Return the row that a statement begins on, with its decorators and the comment right above."""
        row = first_row(statement)
        while row > 1 and self.lines[row - 2].lstrip().startswith("#"):
            row -= 1
        return row

    def segment(self, node: ast.AST) -> str:
        """Return the text of a node."""
        if isinstance(node, ast.stmt):
            self._see_text()
        span = self.span(node)
        rows = self.unnoted_lines[span.start.row - 1 : span.end.row]
        if not rows:
            return ""
        rows[-1] = rows[-1][: span.end.column]
        rows[0] = rows[0][span.start.column :]
        return "\n".join(rows)

    def _column(self, row: int, offset: int) -> int:
        lines = self.unnoted_lines
        line = lines[row - 1] if row <= len(lines) else ""
        if line.isascii():
            return offset
        return len(line.encode(errors="surrogatepass")[:offset].decode(errors="replace"))

    def __repr__(self) -> str:
        return f"Module({self.name})"


class Scope:
    """A scope: the module, a function, a lambda, a class body or a comprehension."""

    def __init__(self, node: ast.AST, module: Module, parent: Scope | None) -> None:
        self.node = node
        self.module = module
        self.parent = parent

    @cached_property
    def is_module(self) -> bool:
        """Whether this is a module's own scope."""
        return self.parent is None

    @cached_property
    def is_class(self) -> bool:
        """Whether this is a class body, whose names nested functions do not see."""
        return isinstance(self.node, ast.ClassDef)

    @cached_property
    def is_function(self) -> bool:
        """Whether names bound here are local: a def, a lambda or a comprehension."""
        return not self.is_module and not self.is_class

    @cached_property
    def name(self) -> str:
        """The bare name, as Python writes it in a qualified name."""
        if isinstance(self.node, ast.Lambda):
            return "<lambda>"
        return getattr(self.node, "name", "<comprehension>")

    @property
    def qualname(self) -> str:
        """The name `__qualname__` has; empty for the module."""
        if self.parent is None:
            return ""
        above = self.parent.qualname
        if not above:
            return self.name
        return f"{above}.{self.name}" if self.parent.is_class else f"{above}.<locals>.{self.name}"

    @cached_property
    def _names(self) -> Names:
        return Names(self.node)

    @cached_property
    def bindings(self) -> dict[str, list[Binding]]:
        """The names bound here, each with its bindings in source order."""
        return self._names.bindings

    @cached_property
    def reads(self) -> dict[str, list[ast.Name]]:
        """The names read here (not in nested scopes), in source order."""
        return self._names.reads

    @cached_property
    def globals(self) -> set[str]:
        """Names declared `global` here."""
        return self._names.globals

    @cached_property
    def nonlocals(self) -> set[str]:
        """Names declared `nonlocal` here."""
        return self._names.nonlocals

    @cached_property
    def returns(self) -> list[ast.Return]:
        """The return statements of a function."""
        return self._names.returns

    @cached_property
    def yields(self) -> list[ast.Yield | ast.YieldFrom]:
        """The yields of a generator function."""
        return self._names.yields

    @cached_property
    def children(self) -> list[Scope]:
        """The scopes that open directly within this one, in source order."""
        return [self.module.inner_scope(node) for node in self._names.nested]

    def walk(self) -> Iterator[Scope]:
        """Yield this scope and all within it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def lookup(self, name: str) -> Scope | None:
        """Return the scope that binds a name read here; None for a builtin, or an unknown one."""
        module = self.module.scope
        if name in self.globals:
            return module
        if name in self.bindings and name not in self.nonlocals:
            return self
        above = self.parent
        while above is not None and not above.is_module:
            if above.is_function and name in above.bindings and name not in above.nonlocals:
                return module if name in above.globals else above
            above = above.parent
        if name in module.bindings or name in self.module_globals:
            return module
        return None

    @cached_property
    def module_globals(self) -> dict[str, list[Binding]]:
        """Names that functions of the module set by `global`, with those bindings."""
        return self.module.set_by_global

    def free_variables(self) -> dict[str, Scope]:
        """Return the names this scope and those within read from enclosing functions."""
        inner = set(self.walk())
        free: dict[str, Scope] = {}
        for scope in self.walk():
            for name in [*scope.reads, *scope.nonlocals]:
                binder = scope.lookup(name) if name not in scope.nonlocals else scope.outer(name)
                if binder is not None and binder.is_function and binder not in inner:
                    free.setdefault(name, binder)
        return free

    def outer(self, name: str) -> Scope | None:
        """Return the enclosing function scope that binds a nonlocal name."""
        above = self.parent
        while above is not None:
            if above.is_function and name in above.bindings and name not in above.nonlocals:
                return above
            above = above.parent
        return None

    def __repr__(self) -> str:
        return f"Scope({self.module.name}:{self.qualname})"


def _counted(statements: int) -> str:
    return "1 statement" if statements == 1 else f"{statements} statements"


def is_test(module: Module) -> bool:
    """Return whether a module is a file of tests, by the names that test runners look for."""
    return module.is_test


def _bodies(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], tuple[int, int | None]]]:
    """Yield every list of statements, with the rows of what it is the body of."""
    for node in ast.walk(tree):
        row = getattr(node, "lineno", 0)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body:
                yield body, (row, row)


def _parse(source: SourceText) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarnings are the user's, not ours to print
            return ast.parse(source.text, filename=str(source.path))
    except SyntaxError as error:
        raise SourceError(source.path, error.lineno, f"does not parse: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise SourceError(source.path, None, "does not parse: nested too deeply") from error
    except ValueError as error:
        raise SourceError(source.path, None, f"does not parse: {error}") from error


def _says(module: Module, text: str) -> bool:
    return text in module.text


def _named_by_import(module: Module, name: str) -> AbstractSet[str]:
    return module.aliases.get(name, _NONE)


def _calls_by_name(module: Module) -> dict[str, list[ast.Call]]:
    named: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        func = call.func
        if isinstance(func, ast.Attribute):
            named.setdefault(func.attr, []).append(call)
        elif isinstance(func, ast.Name):
            named.setdefault(func.id, []).append(call)
    return named


def _nodes_by_name(module: Module) -> dict[str, list[ast.Name | ast.Attribute]]:
    named: dict[str, list[ast.Name | ast.Attribute]] = {}
    for name in module.of_kind(ast.Name):
        named.setdefault(name.id, []).append(name)
    for attribute in module.of_kind(ast.Attribute):
        named.setdefault(attribute.attr, []).append(attribute)
    return named


def _attributes_by_name(module: Module) -> dict[str, list[ast.Attribute]]:
    named: dict[str, list[ast.Attribute]] = {}
    for node in module.of_kind(ast.Attribute):
        named.setdefault(node.attr, []).append(node)
    return named


def _stores_by_name(module: Module) -> dict[str, list[ast.Attribute]]:
    named: dict[str, list[ast.Attribute]] = {}
    for node in module.of_kind(ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            named.setdefault(node.attr, []).append(node)
    return named


_NONE: frozenset[str] = frozenset()


def _opens_for(parent: ast.AST, child: ast.AST, below: ast.AST | None) -> bool:
    """Return whether `below`, or `child` itself, a child of `parent`, is evaluated in the scope `parent` opens."""
    if isinstance(parent, ast.Lambda):
        return child is parent.body
    if isinstance(parent, COMPREHENSIONS):
        first = parent.generators[0]
        return child is not first or below not in (None, first.iter)
    return isinstance(child, ast.stmt)


def enclosing_function(
    module: Module, node: ast.AST
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """Return the function whose body a node is in; decorators and defaults are outside."""
    scope: Scope | None = module.scope_of(node)
    while scope is not None:
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return scope.node
        scope = scope.parent
    return None
