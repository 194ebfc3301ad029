"""Which names a module, function, class or comprehension binds and reads, and where."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dlfix.project.trees import COMPREHENSIONS, children, walk

Path = tuple[object, ...]  # unpacking steps: an index, EACH, a slice, a Key or an Attribute

EACH = "each"  # an item of an iterable, which one is not known


@dataclass(frozen=True, slots=True)
class Key:
    """What a pattern takes of a mapping."""

    key: object


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a pattern takes of an object."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Binding:
    """One place where a name gets a value.

    `value` is the expression it comes from (None for a def, class, import or parameter), `path` the
    steps from that expression's value to the name's: `a, b = x` binds `b` to `x` by path `(1,)`, a
    loop binds its target by `("each",)`.
    """

    name: str
    kind: str
    node: ast.AST
    statement: ast.AST  # the statement, or the lambda or comprehension, that binds
    value: ast.expr | None = None
    path: Path = ()


T = TypeVar("T", ast.expr, ast.pattern)
_STARRED = (ast.Starred, ast.MatchStar)
_WHOLE = frozenset({"str", "int", "float", "bool", "bytes", "dict", "list", "tuple", "set"})


class Names(ast.NodeVisitor):
    """Collects what one scope binds and reads; nested scopes are noted, not entered."""

    def __init__(self, node: ast.AST) -> None:
        self.bindings: dict[str, list[Binding]] = {}
        self.reads: dict[str, list[ast.Name]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.returns: list[ast.Return] = []
        self.yields: list[ast.Yield | ast.YieldFrom] = []
        self.nested: list[ast.AST] = []
        self.statement: ast.AST = node
        self._enter(node)

    def _enter(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            for argument in _parameters(node.args):
                self._bind(argument.arg, "parameter", argument)
        if isinstance(node, COMPREHENSIONS):
            self._enter_comprehension(node)
        elif isinstance(node, ast.Lambda):
            self.visit(node.body)
        else:
            for statement in node.body:  # type: ignore[attr-defined]
                self.visit(statement)

    def _enter_comprehension(self, node: ast.AST) -> None:
        for index, generator in enumerate(node.generators):  # type: ignore[attr-defined]
            self._bind_target(generator.target, generator.iter, (EACH,), "for")
            if index:
                self.visit(generator.iter)
            for condition in generator.ifs:
                self.visit(condition)
        for part in ("key", "value", "elt"):
            if hasattr(node, part):
                self.visit(getattr(node, part))

    def visit(self, node: ast.AST) -> None:
        collect = _COLLECTING.get(node.__class__, Names.generic_visit)
        if isinstance(node, ast.stmt):
            outer, self.statement = self.statement, node
            collect(self, node)
            self.statement = outer
        else:
            collect(self, node)

    def generic_visit(self, node: ast.AST) -> None:
        for child in children(node):
            self.visit(child)

    # Names

    def _bind(
        self, name: str, kind: str, node: ast.AST, value: ast.expr | None = None, path: Path = ()
    ) -> None:
        binding = Binding(name, kind, node, self.statement, value, path)
        self.bindings.setdefault(name, []).append(binding)

    def _bind_target(self, target: ast.expr, value: ast.expr, path: Path, kind: str) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, kind, target, value, path)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element, step in unpacking(target.elts):
                self._bind_target(element, value, (*path, step), kind)
        else:
            self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.reads.setdefault(node.id, []).append(node)
        elif isinstance(node.ctx, ast.Del):
            self._bind(node.id, "delete", node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind_target(target, node.value, (), "assign")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is None:
            return
        self.visit(node.value)
        self._bind_target(node.target, node.value, (), "annotated")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            self.reads.setdefault(node.target.id, []).append(read)
        self._bind_target(node.target, node.value, (), "augmented")

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind_target(node.target, node.value, (), "walrus")

    def _visit_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._bind_target(node.target, node.iter, (EACH,), "for")
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_For(self, node: ast.For) -> None:
        self._visit_for(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self._visit_for(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        self.visit(node.context_expr)
        if node.optional_vars is not None:
            self._bind_target(node.optional_vars, node.context_expr, (), "with")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            self._bind(node.name, "except", node)
        for statement in node.body:
            self.visit(statement)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case in node.cases:
            self._bind_pattern(case.pattern, node.subject, ())
            if case.guard is not None:
                self.visit(case.guard)
            for statement in case.body:
                self.visit(statement)

    def _bind_pattern(self, node: ast.pattern | None, value: ast.expr | None, path: Path) -> None:
        if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            self._bind(node.name, "match", node, value, path)
        if isinstance(node, ast.MatchAs):
            self._bind_pattern(node.pattern, value, path)
        elif isinstance(node, ast.MatchOr):
            for each in node.patterns:
                self._bind_pattern(each, value, path)
        elif isinstance(node, ast.MatchSequence):
            for each, step in unpacking(node.patterns):
                self._bind_pattern(each, value, (*path, step))
        elif isinstance(node, ast.MatchMapping):
            self._bind_mapping(node, value, path)
        elif isinstance(node, ast.MatchClass):
            self._bind_class(node, value, path)
        elif isinstance(node, ast.MatchValue):
            self.visit(node.value)

    def _bind_mapping(self, node: ast.MatchMapping, value: ast.expr | None, path: Path) -> None:
        for key, pattern in zip(node.keys, node.patterns, strict=True):
            self.visit(key)
            step = Key(key.value) if isinstance(key, ast.Constant) else EACH
            self._bind_pattern(pattern, value, (*path, step))
        if node.rest:
            self._bind(node.rest, "match", node)

    def _bind_class(self, node: ast.MatchClass, value: ast.expr | None, path: Path) -> None:
        self.visit(node.cls)
        for pattern in node.patterns:
            is_whole = isinstance(node.cls, ast.Name) and node.cls.id in _WHOLE
            self._bind_pattern(pattern, value if is_whole else None, path)
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
            self._bind_pattern(pattern, value, (*path, Attribute(name)))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.partition(".")[0], "import", alias)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name, "import", alias)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals.update(node.names)

    def visit_Return(self, node: ast.Return) -> None:
        self.returns.append(node)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> None:
        self.yields.append(node)
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.yields.append(node)
        self.generic_visit(node)

    # Nested scopes

    def _visit_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outside in [*node.decorator_list, *_outside(node.args), node.returns]:
            if outside is not None:
                self.visit(outside)
        self._bind(node.name, "def", node)
        self.nested.append(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_def(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_def(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outside in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(outside)
        self._bind(node.name, "class", node)
        self.nested.append(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outside in _outside(node.args):
            self.visit(outside)
        self.nested.append(node)

    def _visit_comprehension(self, node: ast.AST) -> None:
        self.visit(node.generators[0].iter)  # type: ignore[attr-defined]
        self.nested.append(node)
        for walrus in walk(node):
            if isinstance(walrus, ast.NamedExpr):  # binds outside the comprehension
                self._bind_target(walrus.target, walrus.value, (), "walrus")

    visit_ListComp = visit_SetComp = _visit_comprehension  # noqa: N815
    visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815


# What collects from each kind of node; from any other, what is in it.
_COLLECTING: dict[type[ast.AST], Callable[[Names, Any], None]] = {
    getattr(ast, name.removeprefix("visit_")): method
    for name, method in vars(Names).items()
    if name.startswith("visit_")
}


def unpacking(targets: Sequence[T]) -> Iterator[tuple[T, object]]:
    """Yield the targets of an unpacking, or the parts of a pattern, with the index or slice taken."""
    starred = next((i for i, t in enumerate(targets) if isinstance(t, _STARRED)), len(targets))
    for index, target in enumerate(targets):
        if isinstance(target, _STARRED):
            yield getattr(target, "value", target), slice(index, index + 1 - len(targets) or None)
        else:
            yield target, index if index < starred else index - len(targets)


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return all parameters, in the order of the signature."""
    starred = [arguments.vararg] if arguments.vararg else []
    keywords = [arguments.kwarg] if arguments.kwarg else []
    return [
        *arguments.posonlyargs, *arguments.args, *starred, *arguments.kwonlyargs, *keywords
    ]  # fmt: skip


def _outside(arguments: ast.arguments) -> list[ast.expr]:
    """Return what a signature evaluates in the enclosing scope: defaults and annotations."""
    defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    annotations = [a.annotation for a in _parameters(arguments) if a.annotation is not None]
    return [*defaults, *annotations]
