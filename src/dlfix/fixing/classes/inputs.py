"""What an opening reads: each input has the value that it had, or is evaluated once and kept.

Calls may be delayed, reads may not. An opening that moves into a body of its own runs later, so all
that it reads must be the same then: a constant, a module name bound once, an attribute that nobody
sets again or mutates. Everything else is evaluated where it was, and its value is kept.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dlfix.catalog import load
from dlfix.fixing.classes.facts import (
    STARTS,
    ClassFacts,
    Method,
    is_self_attribute,
    self_name,
    self_names_used,
)
from dlfix.fixing.classes.handles import Refusal
from dlfix.project.bindings import Binding
from dlfix.project.directory import changes_for_certain, changes_of_directory
from dlfix.project.import_time import IN_PLACE, ImportTime
from dlfix.project.module import Module, Scope
from dlfix.project.project import Project
from dlfix.project.syntax import FUNCTIONS, MUTATORS, callee_name, positional
from dlfix.source.lines import bare

# Modules whose functions give values: what they return may be kept instead of asked for again.
OF_VALUES = frozenset(
    "os pathlib posixpath ntpath random tempfile glob time datetime uuid secrets platform getpass "
    "socket string json shutil urllib numpy.random".split()
)
PATHS = frozenset({"os.path.join", "os.fspath", "os.path.abspath", "os.path.normpath"})
WRAPPERS = frozenset(
    "str int float bool bytes len sorted list tuple dict set frozenset range zip enumerate "
    "reversed min max Path PurePath abs round".split()
)
OF_TEXT = frozenset(
    "format joinpath with_suffix with_name with_stem as_posix lower upper strip replace join encode "
    "decode removeprefix removesuffix".split()
)
_NUMBERS = frozenset({"int", "float", "bool", "len"})
OF_VIEWS = frozenset({"items", "keys", "values"})
AMBIENT = frozenset({"environ", "getenv", "getcwd", "cwd"})
PATH_NAMES = ("path", "file", "filename", "name", "database", "fileobj")
MOST_CALLS = 3  # from function to function, that what opens is followed
COPIES = {"iterated": "list({})", "spread": "tuple({})", "mapped": "dict({})"}
STATE_METHODS = frozenset(
    {"__setstate__", "__getstate__", "__reduce__", "__reduce_ex__", "__copy__"}
)


IsChange = Callable[[Module, ast.AST], bool]  # whether what a node reads is changed there


@dataclass(frozen=True)
class Related:
    """A class with those that it derives from, and those that derive from it."""

    facts: ClassFacts
    bases: tuple[ClassFacts, ...] = ()
    heirs: tuple[ClassFacts, ...] = ()
    nodes: frozenset[ast.ClassDef] = frozenset()  # whose methods may have an object of it as `self`

    @property
    def all(self) -> tuple[ClassFacts, ...]:
        """All classes of which `self` may be an instance."""
        return (self.facts, *self.bases, *self.heirs)

    @cached_property
    def started(self) -> frozenset[str]:
        """The methods that run while an instance is made: a constructor also calls those of its bases."""
        found: set[str] = set()
        todo = list(STARTS)
        while todo:
            name = todo.pop()
            methods = [each.methods[name] for each in self.all if name in each.methods]
            if name not in found and methods:
                found.add(name)
                todo += [used for method in methods for used in self_names_used(method)]
        return frozenset(found)


@dataclass
class Inputs:
    """Answers, for one class, whether what an opening reads may be read later."""

    project: Project
    related: Related
    opens: Callable[[ast.expr], bool | None] = lambda _: None  # whether a call opens something
    holds: Callable[[ast.expr], bool] = lambda _: False  # whether a read gives what is open
    calls: tuple[tuple[Module, ast.Call], ...] = ()  # what makes instances of the class
    handles: frozenset[str] = frozenset()  # the attributes that are to be opened again
    _known: dict[str, str] = field(default_factory=dict)

    # -- attributes

    def changes(self, name: str) -> str:
        """Return where an attribute may become another value, or be mutated; empty if nowhere."""
        if name not in self._known:
            self._known[name] = next(self._changes(name), "")
        return self._known[name]

    def set_outside(self, name: str) -> bool:
        """Return whether code outside the class sets or deletes an attribute of an instance."""
        return any(self._set_from_outside(name))

    def set_late(self, name: str) -> str:
        """Return where any object's attribute of a name is set after the object is made; empty if nowhere."""
        for module in self.project.setters(name):
            for node in module.stores_by_name.get(name, ()):
                method = method_around(module, node)
                made = method is not None and method.name in STARTS
                if method is None or not made or not is_self_attribute(node, self_name(method)):
                    return f"{module.path.name}:{node.lineno}"
        return ""

    def _changes(self, name: str) -> Iterator[str]:
        yield from self._set_again(name)
        yield from self._set_from_outside(name)
        yield from self._set_by_any_name(name)
        yield from self.mutated(name)
        yield from self._mutated_by_callers(name)

    def _set_again(self, name: str) -> Iterator[str]:
        if any(name in each.methods for each in self.related.all):
            return
        first: ClassFacts | None = None
        for facts in self.related.all:
            for site in facts.stores.get(name, []):
                if site.method.name in STATE_METHODS or self._opens_again(facts, site.method):
                    continue
                if not self.runs_once(site.method):
                    yield f"the attribute is reassigned ({facts.line(site.statement)})"
                if first is not None and first is not facts:
                    yield f"the attribute is set by two classes ({facts.line(site.statement)})"
                first = facts

    def _opens_again(self, facts: ClassFacts, method: Method) -> bool:
        """Return whether a method, no constructor, sets the handles along with what they come from."""
        if method.name in STARTS:
            return False
        return any(
            site.method is method for name in self.handles for site in facts.stores.get(name, [])
        )

    def runs_once(self, method: Method) -> bool:
        """Return whether a method runs while an instance is made, and never again."""
        if method.name in STARTS:
            return True
        if method.name not in self.related.started:
            return False
        users = (user for each in self.related.all for user, _ in each.reads.get(method.name, []))
        if any(user.name not in self.related.started for user in users):
            return False
        return not self.is_used_outside(method)

    def is_used_outside(self, method: Method) -> bool:
        """Return whether code outside the class may call a method of an instance, as it may a public one that it names."""
        return not method.name.startswith("_") and any(
            isinstance(node, ast.Attribute) and self._is_outside(module, node)
            for module in self.project.mentions(method.name)
            for node in module.attributes_by_name.get(method.name, ())
        )

    def _set_from_outside(self, name: str) -> Iterator[str]:
        for module in self.project.setters(name):
            for node in module.stores_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
                    continue
                if self._is_outside(module, node):
                    yield f"it is set outside the class ({module.path.name}:{node.lineno})"
            for call in module.calls_by_name.get("setattr", ()):
                named = len(call.args) == 3 and _is_text(call.args[1], name)
                if named and not _is_self_of_start(module, call):
                    yield f"it is set outside the class ({module.path.name}:{call.lineno})"

    def _set_by_any_name(self, name: str) -> Iterator[str]:
        if name.startswith("_"):
            return
        for facts in self.related.all:
            for method in facts.all_methods:
                if method.name in facts.started or method.name in STATE_METHODS:
                    continue
                for node in ast.walk(method):
                    if _sets_any(node, self_name(method)):
                        yield f"code may set any attribute ({facts.line(node)})"

    def mutated(self, name: str) -> Iterator[str]:
        """Yield where an attribute of the class is modified in place once an object is made, and how."""
        for module in self.project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or not is_mutated(module, node):
                    continue
                method = method_around(module, node)
                own = self._own(module, node)
                if own is not None and method is not None and method.name in own.started:
                    continue
                if own is not None or self._is_outside(module, node):
                    yield f"it is modified in place ({module.path.name}:{node.lineno})"

    def changes_outside(self, name: str, is_change: IsChange) -> Iterator[str]:
        """Yield where code outside the class changes what an attribute of an instance holds."""
        for module in self.project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or not is_change(module, node):
                    continue
                if self._own(module, node) is None and self._is_outside(module, node):
                    yield f"{module.path.name}:{node.lineno}"

    def changes_of_part(self, name: str, is_change: IsChange) -> Iterator[str]:
        """Yield where what other objects keep under a name is changed, their constructors left out."""
        for module in self.project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                method = method_around(module, node)
                made = method is not None and method.name in STARTS
                own = made and method is not None and is_self_attribute(node, self_name(method))
                if is_change(module, node) and not own:
                    yield f"{module.path.name}:{node.lineno}"

    def _mutated_by_callers(self, name: str) -> Iterator[str]:
        """Yield where a caller mutates what it passed for the parameter that is kept."""
        for facts in self.related.all:
            for site in facts.stores.get(name, []):
                if isinstance(site.value, ast.Name) and site.method.name in STARTS:
                    yield from self.mutated_argument(site.method, site.value.id)

    def mutated_argument(self, method: Method, parameter: str) -> Iterator[str]:
        """Yield where a caller of the constructor mutates what it passed for a parameter, and what."""
        for name, where in self.changes_of_argument(method, parameter, is_mutated):
            yield f"`{name}` is modified by the caller ({where})"

    def changes_of_argument(
        self, method: Method, parameter: str, is_change: IsChange
    ) -> Iterator[tuple[str, str]]:
        """Yield where a caller of the constructor changes what it passed, and its name there."""
        for module, call in self.calls:
            passed = argument_of(method, call, parameter)
            if not isinstance(passed, ast.Name):
                continue
            scope = module.scope_of(passed).lookup(passed.id)
            if scope is None:
                continue
            for node in module.nodes_by_name.get(passed.id, ()):
                same = module.scope_of(node).lookup(passed.id) is scope
                if same and is_change(module, node) and _may_follow(module, node, call):
                    yield passed.id, f"{module.path.name}:{node.lineno}"

    def _own(self, module: Module, node: ast.Attribute) -> ClassFacts | None:
        """Return the class of the family whose own `self` a node reads an attribute of."""
        method = method_around(module, node)
        if method is None or not isinstance(node.value, ast.Name):
            return None
        if node.value.id != self_name(method):
            return None
        cls = module.parent(method)
        return next((each for each in self.related.all if each.node is cls), None)

    def _is_outside(self, module: Module, node: ast.Attribute) -> bool:
        """Return whether an attribute's object may be an instance, seen from outside its classes."""
        if not isinstance(node.value, ast.Name):
            return True
        method = method_around(module, node)
        if method is not None and node.value.id == self_name(method):
            return False
        scope = module.scope_of(node).lookup(node.value.id)
        if scope is None:
            return False
        return not all(self._is_another(module, each) for each in scope.bindings[node.value.id])

    def _is_another(self, module: Module, binding: Binding) -> bool:
        """Return whether a name stands for something else for certain: a module, a parser's result."""
        if binding.kind in ("import", "class"):
            named = binding.node.name if isinstance(binding.node, ast.alias) else binding.name
            return all(each.node.name != named.rpartition(".")[2] for each in self.related.all)
        if binding.kind == "def":
            return True
        value = binding.value
        if not isinstance(value, ast.Call) or binding.path:
            return isinstance(value, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.JoinedStr))
        called = ast.unparse(value.func).rpartition(".")[2]
        if called == "parse_args":
            return True
        names = {each.node.name for each in self.related.all}
        defined = any(each.name == called for each in module.classes)
        return defined and called not in names

    # -- the working directory

    @cached_property
    def moves(self) -> str:
        """Return where the project changes the working directory; empty if nowhere."""
        for module, node in changes_of_directory(self.project):
            if changes_for_certain(module, node):
                return f"{module.path.name}:{node.lineno}"
        return ""

    def path_of(self, module: Module, call: ast.Call) -> ast.expr | None:
        """Return the path that a call opens, where it may be relative."""
        of_a_handle = isinstance(call.func, ast.Attribute) and self.opens(call.func.value)
        if of_a_handle or not self.opens(call):
            return None  # the name of a member, or a statement: `archive.open("all")`
        path = self._path_given(module, call)
        if path is None or isinstance(path, ast.Starred):
            return None
        text = path.value if isinstance(path, ast.Constant) else ""
        if not isinstance(text, str) or text.startswith(("/", ":")) or "://" in text:
            return None
        return path

    def _path_given(self, module: Module, call: ast.Call, depth: int = 0) -> ast.expr | None:
        """Return the argument of a call that names what it opens: of a function of the project the one that this opens."""
        functions = [*self.called(module, call.func)] if depth < MOST_CALLS else []
        if not functions:
            name = ImportTime(module.tree).full_name(call.func)
            is_known = not depth or name == "open" or load().resource(name) is not None
            named = {each.arg: each.value for each in call.keywords}
            given = next((named[n] for n in PATH_NAMES if n in named), None)
            return (call.args[0] if call.args else given) if is_known else None
        found: dict[ast.expr, None] = {}
        for home, function in functions:
            inner = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
            paths = [self._path_given(home, each, depth + 1) for each in inner]
            names = {each.id for each in paths if isinstance(each, ast.Name)}
            names -= {*_tested(function)}  # what may be None has no absolute path
            skipped = int(isinstance(home.parent(function), ast.ClassDef))
            pairs = [*zip(positional(function)[skipped:], call.args, strict=False)]
            pairs += [(each.arg, each.value) for each in call.keywords if each.arg is not None]
            found.update((value, None) for name, value in pairs if name in names)
        return next(iter(found)) if len(found) == 1 else None

    def reads_ambient(self, name: str, depth: int = 0) -> bool:
        """Return whether a function of the project gives a plain value that it makes from what the process has around it."""
        functions = [
            (module, function)
            for module in (self.project.mentions(name) if self.project.defines(name) else ())
            for function in module.functions_by_name.get(name, ())
        ]
        if depth > MOST_CALLS or not functions:
            return False
        if not depth and not all(map(_gives_plain, functions)):
            return False
        return any(
            _is_ambient(each)
            or (
                isinstance(each, ast.Call)
                and (
                    is_of_process(module, each) or self.reads_ambient(callee_name(each), depth + 1)
                )
            )
            for module, function in functions
            for each in ast.walk(function)
        )

    # -- objects that are handed on

    def refuse_call(self, home: Module, call: ast.Call, depth: int = 0) -> None:
        """Refuse a function that reads, when it opens, what somebody sets meanwhile."""
        if depth > MOST_CALLS:
            return
        for module, function in self.called(home, call.func):
            self._refuse_globals(module, function)
            for each in ast.walk(function):
                if isinstance(each, ast.Call):
                    self.refuse_call(module, each, depth + 1)
            for parameter in _given(function, call):
                for attribute in _parts_read(function, parameter):
                    for where in self._set_from_outside(attribute):
                        raise Refusal(
                            f"`{function.name}` reads `{attribute}` of `{parameter}` when the "
                            f"resource is opened, but {where}"
                        )

    def called(self, module: Module, func: ast.expr) -> Iterator[tuple[Module, Method]]:
        """Yield the functions that a call may run: those of its name, unless it is of a library, or no method."""
        name = ast.unparse(func).rpartition(".")[2]
        if not self.project.defines(name) or self.is_of_library(module, func):
            return
        for home in self.project.mentions(name):
            for function in home.functions_by_name.get(name, ()):
                is_method = isinstance(home.parent(function), ast.ClassDef)
                if isinstance(func, ast.Attribute) or function.name != name or not is_method:
                    yield home, function

    def is_of_library(self, module: Module, func: ast.expr) -> bool:
        """Return whether what is called comes from an import of what is not in the tree: `lmdb.open`."""
        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        scope = module.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
        if scope is None or not isinstance(root, ast.Name):
            return False
        origins = [_imported_from(each.statement) for each in scope.bindings.get(root.id, ())]
        return bool(origins) and all(
            origin and not self.project.contains(origin, module) for origin in origins
        )

    def _refuse_globals(
        self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        for node in ast.walk(function):
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            if isinstance(node.ctx, ast.Load):
                where = self.global_changes(module, node)
                if where:
                    read = ast.unparse(node)
                    raise Refusal(
                        f"`{function.name}` reads `{read}` when the resource is opened, but {where}"
                    )

    def global_changes(self, module: Module, node: ast.Name | ast.Attribute) -> str:
        """Return where a variable of a module may be set again; empty where it is none, or may not."""
        if isinstance(node, ast.Name):
            if module.scope_of(node).lookup(node.id) is not module.scope:
                return ""
            return self._variable_changes(module, node.id)
        owner = self._module_of(module, node.value)
        return self._variable_changes(owner, node.attr) if owner is not None else ""

    def _module_of(self, module: Module, node: ast.expr) -> Module | None:
        """Return the module of the tree that a name stands for by an import."""
        if not isinstance(node, ast.Name):
            return None
        if module.scope_of(node).lookup(node.id) is not module.scope:
            return None
        for binding in module.scope.bindings.get(node.id, []):
            match binding.statement:
                case ast.Import(names=names):
                    for each in names:
                        if (each.asname or each.name) == node.id:
                            return self.project.find(each.name, module)
                case ast.ImportFrom(module=origin, level=level, names=names):
                    for each in names:
                        if (each.asname or each.name) == node.id:
                            package = self.project.relative(module, level, origin)
                            package = package if level else origin or ""
                            dotted = f"{package}.{each.name}" if package else each.name
                            return self.project.find(dotted, module)
        return None

    def _variable_changes(self, module: Module, name: str) -> str:
        bindings = module.scope.bindings.get(name, [])
        kinds = {each.kind for each in bindings}
        if kinds & {"import", "def", "class"}:
            return ""
        for each in module.nodes(ast.Global):
            if name in each.names:
                return f"it may be reassigned ({module.path.name}:{each.lineno})"
        if not bindings:
            return ""
        for call in module.calls_by_name.get("globals", ()):
            parent = module.parent(call)
            stored = isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load)
            updated = isinstance(parent, ast.Attribute) and parent.attr == "update"
            if stored or updated:
                return f"any module-level name may be reassigned ({module.path.name}:{call.lineno})"
        for other in self.project.setting(name, module):
            for node in other.stores_by_name.get(name, ()):
                if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
                    continue
                if self._module_of(other, node.value) is module:
                    return f"it is reassigned ({other.path.name}:{node.lineno})"
        return ""

    # -- expressions

    def kept_parts(
        self,
        module: Module,
        scope: Scope,
        me: str,
        node: ast.AST,
        skip: Callable[[ast.AST], bool],
        remade: ast.expr | None = None,
    ) -> list[ast.expr]:
        """Return the parts of what moves that must be evaluated where they are, the largest ones.

        `skip` tells what stands for a handle, and names bound within what moves. `remade` is not kept
        as a whole: it is what cannot be pickled.
        """
        return list(_Parts(self, module, scope, me, skip, remade).of(node))

    def refuse_changing(self, facts: ClassFacts, body: str, me: str, lazy: set[str]) -> None:
        """Refuse a body that reads what may be another value when it runs."""
        tree = ast.parse("def f():\n" + "".join(f"    {line}\n" for line in bare(body)))
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == me:
                    if attr not in lazy:
                        self._refuse_attribute(facts, attr, lazy, set())

    def _refuse_attribute(
        self, facts: ClassFacts, name: str, lazy: set[str], seen: set[str]
    ) -> None:
        method = next((e.methods[name] for e in self.related.all if name in e.methods), None)
        if method is None:
            why = self.changes(name)
            if why:
                raise Refusal(f"opening the resource reads `{name}`, but {why}")
            return
        if name in seen:
            return
        seen.add(name)
        me = self_name(method)
        for node in ast.walk(method):
            match node:
                case ast.Attribute(value=ast.Name(id=owner), attr=attr, ctx=ast.Load()):
                    if owner == me and attr not in lazy:
                        self._refuse_attribute(facts, attr, lazy, seen)


@dataclass
class _Parts:
    """Looks through an expression for what must be evaluated once."""

    inputs: Inputs
    module: Module
    scope: Scope  # of the method
    me: str
    skip: Callable[[ast.AST], bool]
    remade: ast.expr | None = None

    def of(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield the largest parts that are to be evaluated where they are."""
        whole = isinstance(node, ast.expr) and not isinstance(node, ast.Call)
        if isinstance(node, ast.expr) and whole and node is not self.remade:
            yield from self._part(node)
        else:
            yield from self._within(node)

    def _within(self, node: ast.AST) -> Iterator[ast.expr]:
        for child in ast.iter_child_nodes(node):
            yield from self._part(child)

    def _part(self, node: ast.AST) -> Iterator[ast.expr]:
        if self.skip(node) or isinstance(node, (ast.Lambda, ast.expr_context)):
            return
        handle = self._of_a_part(node)
        if handle is not None and self.skip(handle):
            yield from self._within(node)
            return
        if handle is not None:
            if is_self_attribute(handle, self.me):
                where = self.inputs.changes(handle.attr)
            else:
                late = self.inputs.set_late(handle.attr)
                where = f"which is reassigned ({late})" if late else ""
            if where:
                raise Refusal(f"opening the resource reads `{handle.attr}`, {where}")
            yield from self._within(node)
            return
        if isinstance(node, ast.expr) and node is not self.remade and self._is_to_keep(node):
            yield node
            return
        yield from self._within(node)

    def _of_a_part(self, node: ast.AST) -> ast.Attribute | None:
        """Return the handle of a base, or of a part of this object, that is read here or of which an item is."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return None
        if self._is_called(node):
            return None  # a method of the handle
        owner = node.value
        of_part = isinstance(owner, ast.Attribute) and is_self_attribute(owner, self.me)
        own = of_part or is_self_attribute(node, self.me)
        return node if own and self.inputs.holds(node) else None

    def _is_to_keep(self, node: ast.expr) -> bool:
        if not self._is_free(node):
            return False
        if self._is_condition(node):
            return False
        if self._is_once(node):
            return True
        if not _is_plain_operation(node) or not any(self._within(node)):
            return False
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        return all(_is_plain_operation(each) or self._gives_value(each) for each in calls)

    def _is_condition(self, node: ast.expr) -> bool:
        """Return whether an expression compares parts that have names of their own to keep them by."""
        if not isinstance(node, ast.Compare):
            return False
        parts = [node.left, *node.comparators]
        return all(
            isinstance(each, ast.Constant)
            or (isinstance(each, ast.Attribute) and self._is_once(each))
            for each in parts
        )

    def _is_free(self, node: ast.AST) -> bool:
        """Return whether a part reads nothing that is bound within what moves."""
        return not any(self.skip(each) for each in ast.walk(node))

    def _is_once(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(ctx=ast.Load()):
                if self.inputs.global_changes(self.module, node):
                    return True
                return self._is_held(node) and not self._is_called(node)
            case ast.Subscript(ctx=ast.Load(), value=value):
                return self._is_own(value) or self._is_held(value) or self._is_imported(value)
            case ast.Call():
                return self._gives_value(node)
            case ast.Name(ctx=ast.Load()):
                return bool(self.inputs.global_changes(self.module, node))
        return False

    def _is_held(self, node: ast.expr) -> bool:
        """Return whether something is an attribute of an object that others hold, too."""
        root = node
        depth = 0
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            depth += 1
            if isinstance(root, ast.Call) and not self._gives_value(root):
                return False
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name) or depth == 0:
            return False
        if root.id == self.me:
            return depth > 1 and not _is_class_named(node)
        return self._is_variable(root.id)

    def _is_imported(self, node: ast.expr) -> bool:
        """Return whether something is an attribute of a module: `os.environ`."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        bindings = self.module.scope.bindings.get(root.id, [])
        return any(each.kind == "import" for each in bindings)

    def _is_own(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name)):
                return name == self.me
            case ast.Name(id=name):
                return name != self.me and self._is_variable(name)
        return False

    def _is_variable(self, name: str) -> bool:
        """Return whether a name is neither imported nor defined by a statement, nor a constant."""
        scope = self.scope.lookup(name)
        if scope is None:
            return False
        kinds = {each.kind for each in scope.bindings.get(name, [])}
        if kinds & {"import", "def", "class"}:
            return False
        values = [each.value for each in scope.bindings.get(name, [])]
        return scope is not self.module.scope or not all(
            isinstance(each, ast.Constant) for each in values
        )

    def _is_called(self, node: ast.expr) -> bool:
        parent = self.module.parent(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _gives_value(self, call: ast.Call) -> bool:
        """Return whether a call within an opening gives a value that may differ when called later."""
        opens = self.inputs.opens(call)
        if opens is not None:
            return not opens and self._has_inputs(call)
        written = ast.unparse(call.func)
        _head, _, last = written.rpartition(".")
        if written in PATHS or (written in WRAPPERS and hasattr(builtins, written)):
            return False
        if last in WRAPPERS and last[:1].isupper():  # pathlib.Path
            return False
        if written in ("next", "input", "iter"):
            return True
        if isinstance(call.func, ast.Attribute):
            if last in OF_TEXT or last in OF_VIEWS:
                return False
            owner = call.func.value
            if isinstance(owner, ast.Call):
                return last not in OF_TEXT and self._of_values(ast.unparse(owner.func))
            if self._is_own(owner) or self._is_held(owner):
                return not _opens_by_name(last)
            if isinstance(owner, ast.Name) and owner.id == self.me:
                return not _opens_by_name(last)
        own = is_of_process_number(self.module, call)
        return own or self._of_values(written) or self.inputs.reads_ambient(last)

    def _of_values(self, written: str) -> bool:
        root = written.partition(".")[0]
        if root in ("Path", "PurePath"):
            return True
        bindings = self.module.scope.bindings.get(root, [])
        for each in bindings:
            match each.statement:
                case ast.Import(names=names):
                    origin = [n.name for n in names if (n.asname or n.name.split(".")[0]) == root]
                case ast.ImportFrom(module=str() as origin_, level=0):
                    origin = [origin_]
                case _:
                    origin = []
            if any(name in OF_VALUES or name.split(".")[0] in OF_VALUES for name in origin):
                return True
        return False

    def _has_inputs(self, call: ast.Call) -> bool:
        return any(
            isinstance(each, ast.Name) and (each.id == self.me or self._is_variable(each.id))
            for each in ast.walk(call)
        )


def _is_plain_operation(node: ast.expr) -> bool:
    """Return whether an expression makes a value of its parts, and does nothing else."""
    if isinstance(node, ast.Call):
        return is_repeatable(node)
    return isinstance(
        node,
        (ast.BinOp, ast.JoinedStr, ast.FormattedValue, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.Compare),
    )  # fmt: skip


def is_repeatable(call: ast.Call) -> bool:
    """Return whether a call gives the same value each time, and does nothing else."""
    written = ast.unparse(call.func)
    last = written.rpartition(".")[2]
    return written in PATHS or last in WRAPPERS or last in OF_TEXT


def _opens_by_name(name: str) -> bool:
    words = name.strip("_").lower().split("_")
    return bool(
        {
            "open",
            "connect",
            "load",
            "reader",
            "session",
            "client",
            "cursor",
            "make",
            "create",
            "build",
        }
        & set(words)
    )


def _is_class_named(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node).endswith("__class__.__name__")


def _is_ambient(node: ast.AST) -> bool:
    """Return whether a node reads what the process has around it, and code may change."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in AMBIENT


def is_of_process(module: Module, call: ast.Call) -> bool:
    """Return whether a call asks a library for what the process has set up: `dist.get_rank()`."""
    row = load().function(ImportTime(module.tree).full_name(call.func))
    return row is not None and row.of_process


def _gives_plain(found: tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    """Return whether a function surely returns a text, a path, a number or a truth value."""
    module, function = found
    values = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
    return bool(values) and all(
        each is not None and _is_plain_made(each, module, function) for each in values
    )


def _is_plain_made(
    node: ast.expr, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    def plain(each: ast.expr) -> bool:
        return _is_plain_made(each, module, function)

    match node:
        case ast.JoinedStr() | ast.Constant() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(map(plain, values))
        case ast.IfExp(body=body, orelse=orelse):
            return plain(body) and plain(orelse)
        case ast.BinOp(left=left, right=right):
            return plain(left) or plain(right)
        case ast.Call(func=func):
            written = ast.unparse(func)
            last = written.rpartition(".")[2]
            made = written in PATHS or last in OF_TEXT or last in ("str", "Path", "PurePath")
            return made or last in _NUMBERS or is_of_process_number(module, node)
        case ast.Name(id=name):
            bound = module.inner_scope(function).bindings.get(name, [])
            return bool(bound) and all(
                each.value is not None
                and not each.path
                and not _names(each.value, name)
                and plain(each.value)
                for each in bound
            )
    return False


def is_of_process_number(module: Module, call: ast.Call) -> bool:
    """Return whether a call asks a library for a rank or a count of the process's own."""
    last = callee_name(call)
    return is_of_process(module, call) and last.endswith(("rank", "size", "is_initialized"))


def _tested(function: ast.AST) -> Iterator[str]:
    """Yield the names that a function compares with None, or asks for their truth."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=None)]):
                yield name
            case ast.If(test=ast.Name(id=name)) | ast.IfExp(test=ast.Name(id=name)):
                yield name
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
                yield name
            case ast.BoolOp(values=values):
                yield from (each.id for each in values if isinstance(each, ast.Name))


def _names(node: ast.expr, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _sets_any(node: ast.AST, me: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), key, _]):
            return name == me and not isinstance(key, ast.Constant)
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name)), attr="update")
        ):
            return name == me and "__dict__" in ast.unparse(node.func)
    return False


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _is_self_of_start(module: Module, call: ast.Call) -> bool:
    method = method_around(module, call)
    me = self_name(method) if method is not None else ""
    owner = call.args[0]
    return method is not None and isinstance(owner, ast.Name) and owner.id == me


def method_around(module: Module, node: ast.AST) -> Method | None:
    """Return the method of a class that a node stands in."""
    for each in module.ancestors(node):
        if isinstance(each, Method) and isinstance(module.parent(each), ast.ClassDef):
            return each
    return None


def is_mutated(module: Module, node: ast.AST) -> bool:
    """Return whether what a node reads is changed in place where it stands."""
    parent = module.parent(node)
    match parent:
        case ast.Attribute(attr=attr) if attr in MUTATORS:
            call = module.parent(parent)
            return isinstance(call, ast.Call) and call.func is parent
        case ast.Subscript(ctx=ast.Store() | ast.Del(), value=value):
            return value is node
        case ast.AugAssign(target=target):
            return target is node
        case ast.Call(func=func) if node in parent.args[:1]:
            return ast.unparse(func) in IN_PLACE
    return False


def _imported_from(statement: ast.AST) -> str:
    """Return the package that a statement imports from by its full name; empty where it does not."""
    match statement:
        case ast.Import(names=[alias]):
            return alias.name.partition(".")[0]
        case ast.ImportFrom(module=str() as origin, level=0):
            return origin.partition(".")[0]
    return ""


def _given(function: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> Iterator[str]:
    """Yield the parameters for which a call passes a variable."""
    names = positional(function)
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, (ast.Name, ast.Attribute)):
            yield name
    for keyword in call.keywords:
        if keyword.arg and isinstance(keyword.value, (ast.Name, ast.Attribute)):
            yield keyword.arg


def _parts_read(function: ast.AST, parameter: str) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Load()):
                if name == parameter:
                    yield attr


def _may_follow(module: Module, node: ast.AST, call: ast.AST) -> bool:
    """Return whether a node may run after a call: it stands below, or a loop runs both again."""
    around = list(module.ancestors(call))
    for each in module.ancestors(node):
        if each in around:
            if isinstance(each, (ast.For, ast.AsyncFor, ast.While)):
                return True
            continue
        if isinstance(each, (*FUNCTIONS, ast.Lambda)):
            return True
    begin, end = module.span(node).start, module.span(call).start
    return begin > end or _function_around(module, node) is not _function_around(module, call)


def _function_around(module: Module, node: ast.AST) -> ast.AST | None:
    return next((each for each in module.ancestors(node) if isinstance(each, FUNCTIONS)), None)


def argument_of(method: Method, call: ast.Call, name: str) -> ast.expr | None:
    """Return what a call of a constructor passes for one of its parameters."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = positional(method)[1:]
    position = names.index(name) if name in names else len(call.args)
    if any(isinstance(each, ast.Starred) for each in call.args[: position + 1]):
        return None
    return call.args[position] if position < len(call.args) else None
