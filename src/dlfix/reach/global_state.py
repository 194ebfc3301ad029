"""Module-level state: which code sets or changes a name, and in which process it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.syntax import FUNCTIONS, MUTATORS, dotted, last_name
from dlfix.reach.computed_names import computed_writes
from dlfix.reach.entry_points import Entries, Entry
from dlfix.reach.values import ExternalCall
from dlfix.reach.worker_code import WorkerCode, WorkerFunction

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.analysis import Analysis

_PARSING = ("parse_args", "parse_known_args", "parse_intermixed_args")
DEFINING = frozenset({"def", "class", "import"})


@dataclass(frozen=True)
class Use:
    """A place that reads, sets or changes a module-level name."""

    module: Module
    node: ast.expr
    rebinds: bool = False  # it gives the name another object
    owner: ast.expr | None = (
        None  # the module or class, where the name is not spelled as its attribute
    )
    is_sure: bool = True  # it sets the name, and not one of several that it may mean


class GlobalName:
    """One module-level name of a module of the tree."""

    def __init__(self, analysis: Analysis, module: Module, name: str) -> None:
        self.analysis = analysis
        self.module = module
        self.name = name

    @property
    def is_definition(self) -> bool:
        """Whether it names a function, class or import, which no process changes."""
        bindings = self.module.scope.bindings.get(self.name, [])
        return bool(bindings) and all(b.kind in DEFINING for b in bindings)

    @property
    def is_logger(self) -> bool:
        """Whether it names a logger, which each process sets up for itself."""
        return self._is_made_by("logging.getLogger")

    @property
    def is_of_each_thread(self) -> bool:
        """Whether it names what each thread, of whichever process, has its own attributes on."""
        return self._is_made_by("threading.local")

    def _is_made_by(self, maker: str) -> bool:
        interpreter = self.analysis.interpreter
        values = [reached.value for reached in interpreter.global_name(self.module, self.name)]
        return bool(values) and all(
            isinstance(value, ExternalCall) and value.name == maker for value in values
        )

    @cached_property
    def uses(self) -> list[tuple[Use, bool]]:
        """Each use of the name in the project, and whether it writes."""
        return list(self._found())

    def _found(self) -> Iterator[tuple[Use, bool]]:
        for module in self.analysis.project.users(self.module, self.name):
            for node in self._named_so(module):
                if self._is_use(module, node):
                    rebinds = isinstance(node.ctx, (ast.Store, ast.Del))
                    yield Use(module, node, rebinds), rebinds or changes(module, node)
        for call in self._sets_by_text():
            yield Use(self.module, call, rebinds=True), True
        for write in computed_writes(self.analysis, self.module):
            if write.may_set(self.name, self.analysis):
                is_sure = self.name in write.names
                yield Use(write.where, write.node, True, write.owner, is_sure), True

    def _by_alias(self, use: Use) -> Iterator[Use]:
        """Yield where a function changes the object, or a part, by a local name: `table = TABLE; table[key] = 1`."""
        module, scope = use.module, use.module.scope_of(use.node)
        match module.parent(whole_part(module, use.node)):
            case ast.Assign(targets=[ast.Name(id=alias)]) if scope.is_function:
                if len(scope.bindings.get(alias, ())) == 1:
                    for read in scope.reads.get(alias, ()):
                        if changes(module, read):
                            yield Use(module, read)

    def _sets_by_text(self) -> Iterator[ast.expr]:
        """Yield where the module sets the name through `globals()`."""
        for call in self.module.calls_by_name.get("globals", ()):
            parent = self.module.parent(call)
            above = self.module.parent(parent) if parent is not None else None
            match parent, above:
                case ast.Subscript(slice=ast.Constant(value=key), ctx=ast.Store()), _:
                    if key == self.name:
                        yield call
                case ast.Attribute(attr="update"), ast.Call(args=given, keywords=keywords):
                    named = {k.arg for k in keywords} | {k for each in given for k in _keys(each)}
                    whole = None in named or not all(isinstance(each, ast.Dict) for each in given)
                    if self.name in named or (whole and self._is_passed_around(call)):
                        yield call

    def _is_passed_around(self, node: ast.AST) -> bool:
        """Return whether a call of the function around a node passes an argument of the name, or an option of it."""
        function = next((a for a in self.module.ancestors(node) if isinstance(a, FUNCTIONS)), None)
        return function is not None and any(
            keyword.arg == self.name or (keyword.arg is None and self._is_an_option(module))
            for module in self.analysis.project.mentions(function.name)
            for call in module.calls_by_name.get(function.name, ())
            for keyword in call.keywords
        )

    def _is_an_option(self, module: Module) -> bool:
        """Return whether a module gives a parser an option of the name, which `**vars(args)` then passes."""
        spellings = {f"--{self.name}", f"--{self.name.replace('_', '-')}"}
        return any(
            isinstance(each, ast.Constant) and each.value in spellings
            for call in module.calls_by_name.get("add_argument", ())
            for each in call.args
        )

    def _named_so(self, module: Module) -> Iterator[ast.Name | ast.Attribute]:
        """Yield the names and attributes that are written as this one, or as an alias of it."""
        own = module is self.module
        aliases = self._other_names() if own else module.aliases_of(self.name)
        for name in (self.name, *aliases):
            yield from module.nodes_by_name.get(name, ())

    def _other_names(self) -> list[str]:
        """Return the other names of the same object in the module: `cfg = __C`."""
        found = []
        for name, bindings in self.module.scope.bindings.items():
            value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
            if isinstance(value, ast.Name) and bindings[0].kind == "assign":
                found += {name: [value.id], value.id: [name]}.get(self.name, [])
        return found

    def writes(self) -> list[Use]:
        """Return the places that set the name or change its object."""
        by_alias = (each for use, _ in self.uses for each in self._by_alias(use))
        return [*(use for use, writes in self.uses if writes), *by_alias]

    def reads(self) -> list[Use]:
        """Return the places that only read."""
        return [use for use, writes in self.uses if not writes]

    def _is_use(self, module: Module, node: ast.AST) -> bool:
        code = WorkerCode.of(self.analysis)
        if isinstance(node, ast.Name):
            scope = module.scope_of(node)
            if scope.lookup(node.id) is not module.scope:
                return False
            if module is self.module:
                return not _in_class_body(scope, node)
            return not isinstance(node.ctx, ast.Store) and code.home(module, node.id) == (
                self.module,
                self.name,
            )
        if isinstance(node, ast.Attribute) and node.attr == self.name:
            if not isinstance(node.value, ast.Name):
                return self._is_module(module, node.value)
            return code.module_named(module, module.scope_of(node), node.value.id) is self.module
        return False

    def _is_module(self, module: Module, node: ast.expr) -> bool:
        """Return whether an expression is the module by its dotted name: `package.module`, imported so."""
        path = dotted(node)
        imported = path and any(
            each.kind == "import" for each in module.scope.bindings.get(path.partition(".")[0], ())
        )
        return bool(imported) and self.analysis.project.find(path, module) is self.module

    def worker_writer(self, use: Use) -> WorkerFunction | None:
        """Return the worker's function that a use is in."""
        return WorkerCode.of(self.analysis).runs(use.module, use.node)

    def entries(self, use: Use) -> list[Entry]:
        """Return the top-level statements a use is run from."""
        return Entries.of(self.analysis).entries(use.module, use.node)


def _keys(node: ast.expr) -> set[object]:
    """Return the keys of a dict that is written out."""
    if not isinstance(node, ast.Dict):
        return set()
    return {key.value for key in node.keys if isinstance(key, ast.Constant)}


def _in_class_body(scope: Scope, node: ast.Name) -> bool:
    return scope.is_class and node.id in scope.bindings


def whole_part(module: Module, node: ast.expr) -> ast.expr:
    """Return the longest attribute or item that begins with a node: of `cfg.TRAIN["rate"]` for `cfg`, all of it."""
    above = module.parent(node)
    while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is node:
        node, above = above, module.parent(above)
    return node


def method_called(module: Module, node: ast.expr) -> ast.Call | None:
    """Return the call of a method of what a node stands for: `TABLE.update(...)`."""
    above = module.parent(node)
    call = module.parent(above) if isinstance(above, ast.Attribute) else None
    return call if isinstance(call, ast.Call) and call.func is above else None


def changes(module: Module, node: ast.expr) -> bool:
    """Return whether the object a name stands for is changed where it is used."""
    parent = module.parent(node)
    child: ast.AST | None = node
    while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is child:
        if not isinstance(parent.ctx, ast.Load):
            return True
        above = module.parent(parent)
        called = isinstance(above, ast.Call) and above.func is parent
        if isinstance(parent, ast.Attribute) and called:
            return parent.attr in MUTATORS
        child, parent = parent, above
    return (isinstance(parent, ast.AugAssign) and parent.target is child) or _is_filled(
        module, node
    )


def _is_filled(module: Module, node: ast.expr) -> bool:
    """Return whether a call sets attributes of what it is passed: `parser.parse_args(namespace=FLAGS)`."""
    parent = module.parent(node)
    match parent, module.parent(parent) if parent is not None else None:
        case ast.keyword(arg="namespace"), ast.Call() as call:
            return last_name(call.func) in _PARSING
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[first, *_]), _:
            return first is node
        case ast.Call(func=ast.Name(id="vars")), ast.Attribute(attr=changed):
            return changed in MUTATORS
    return False
