"""What each top-level statement of a module does when the module is imported."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dlfix.project.syntax import (
    DEFINITIONS,
    FUNCTIONS,
    MUTATORS,
    base_name,
    dotted,
    parameters,
    positional,
)
from dlfix.project.trees import COMPREHENSIONS, walk

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
IMPORTS = (ast.Import, ast.ImportFrom)
IN_PLACE = frozenset({"random.shuffle", "numpy.random.shuffle", "heapq.heapify", "bisect.insort"})
CURRENT_FOLDER = "os.getcwd"
# What an import may need that a script installs first: `os.system("pip install ...")`.
PACKAGES = "the installed packages"
_RUN_COMMANDS = frozenset(
    "os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output"
    " subprocess.Popen pip.main pip._internal.main".split()
)
_INSTALLS = re.compile(
    r"\b(pip3?|conda|mamba|uv|apt(-get)?|easy_install|install|clone|setup\.py)\b"
)
OF_CURRENT_FOLDER = ("os.getcwd", "os.path.abspath", "os.path.realpath", "pathlib.Path.cwd")
# What gives objects that no call changes.
UNCHANGING = frozenset({"logging.getLogger", "pathlib.Path", "os.path.join"})
EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "SystemExit"})


@dataclass
class Effects:
    """What running some code does to names: reads, binds, changes in place, calls."""

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    mutates: set[str] = field(default_factory=set)
    calls: list[ast.Call] = field(default_factory=list)

    @property
    def touches(self) -> set[str]:
        """Names that are something else afterwards."""
        return self.binds | self.mutates


# Flags of kernels that run on devices, which workers that load data run none of.
_OF_DEVICES = ("torch.backends.cudnn.", "torch.backends.cuda.")


@dataclass(frozen=True, eq=False)
class Unit:
    """Top-level statements that stand or move together: those that share a line."""

    statements: tuple[ast.stmt, ...]
    effects: Effects

    @property
    def row(self) -> int:
        """The line it starts on."""
        return self.statements[0].lineno

    @property
    def first(self) -> ast.stmt:
        """Its first statement."""
        return self.statements[0]


def is_guard(statement: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == "__main__":`."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return False
    test = statement.test
    if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    return any(isinstance(s, ast.Name) and s.id == "__name__" for s in sides) and any(
        isinstance(s, ast.Constant) and s.value == "__main__" for s in sides
    )


def in_main_only(above: Iterable[ast.AST]) -> bool:
    """Return whether one of the branches a node stands in is the main process's alone."""
    around = list(above)
    within = set(around)
    return any(
        _main_branch(test, around[-1]) is outcome
        for node in around
        for test, outcome, parts in _choices(node)
        if not within.isdisjoint(parts)
    )


def main_branch(statement: ast.stmt, tree: ast.AST) -> Sequence[ast.stmt] | None:
    """Return the branch of a statement that only the main process runs; None where it asks for no such thing."""
    if not isinstance(statement, ast.If):
        return None
    outcome = _main_branch(statement.test, tree)
    if outcome is None:
        return None
    return statement.body if outcome else statement.orelse


def _installs(call: ast.Call) -> bool:
    """Return whether a command that is run may install something, by its words."""
    texts = (each.value for each in walk(call) if isinstance(each, ast.Constant))
    return any(isinstance(text, str) and _INSTALLS.search(text) for text in texts)


def _is_of_a_package(node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether an import is of something that is installed, or of the program: not of Python itself."""
    if isinstance(node, ast.ImportFrom):
        names = [node.module or ""] if not node.level else [""]
    else:
        names = [alias.name for alias in node.names]
    return not all(name.partition(".")[0] in sys.stdlib_module_names for name in names)


def _given_by(node: ast.AST) -> set[str]:
    """Return the names that a loop binds before its body runs."""
    return _names_in(node.target) if isinstance(node, (ast.For, ast.AsyncFor)) else set()


def _surely_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement has bound once it is through."""
    match statement:
        case ast.Assign(targets=targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
    return set()


def _names_in(target: ast.expr) -> set[str]:
    return {
        each.id
        for each in walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _choices(node: ast.AST) -> Iterator[tuple[ast.expr, bool, Sequence[ast.AST]]]:
    """Yield the tests of a node, each with an outcome and what runs only then: also of `test and main()`."""
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield test, True, body
            yield test, False, orelse
        case ast.IfExp(test=test, body=chosen, orelse=other):
            yield test, True, [chosen]
            yield test, False, [other]
        case ast.BoolOp(op=op, values=values):
            for index, value in enumerate(values):
                yield value, isinstance(op, ast.And), values[index + 1 :]


def _main_branch(test: ast.expr, tree: ast.AST) -> bool | None:
    """Return the outcome of a test that only the main process comes to; None where there is none."""
    match test:
        case ast.Name(id=name):
            value = _constant(name, tree)
            return _main_branch(value, tree) if isinstance(value, ast.Compare) else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _main_branch(operand, tree)
            return None if inner is None else not inner
        case ast.BoolOp(op=ast.And(), values=values):
            return True if any(_main_branch(value, tree) is True for value in values) else None
        case ast.Call(
            func=ast.Attribute(
                value=ast.Name(id="__name__"), attr="startswith" | "endswith" as asks
            ),
            args=[ast.Constant(value=str(part))],
        ):
            main, other = (getattr(name, asks)(part) for name in ("__main__", "__mp_main__"))
            return None if main == other else main
        case ast.Compare(left=left, ops=[way], comparators=[right]):
            equal = _is_main(ast.unparse(left), ast.unparse(right))
            if equal is not None and isinstance(way, (ast.Eq, ast.Is)):
                return equal
            if equal is not None and isinstance(way, (ast.NotEq, ast.IsNot)):
                return not equal
    return None


def _constant(name: str, tree: ast.AST) -> ast.expr | None:
    """Return what a module sets a name to, by one statement at its top level."""
    found = [
        statement.value
        for statement in (tree.body if isinstance(tree, ast.Module) else ())
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    return found[0] if len(found) == 1 else None


def _is_main(left: str, right: str) -> bool | None:
    """Return whether only the main process finds two things equal, or only others; None where neither."""
    for value, other in ((left, right), (right, left)):
        if value == "__name__" and other.startswith("'__"):
            return other != "'__mp_main__'"  # a name such as `__main2__` no process has at all
        if other == "'MainProcess'" and value.endswith("current_process().name"):
            return True
    return None


@dataclass
class Touched:
    """What state of other modules a call sets and reads, and why it must not run again there."""

    sets: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    once: str = ""
    is_followed: bool = False  # it runs code of the project


Outside = Callable[[ast.Call], Touched]


class ImportTime:
    """The top-level statements of a module, and what running them does."""

    def __init__(self, tree: ast.Module, outside: Outside = lambda _: Touched()) -> None:
        self.tree = tree
        self.outside = outside

    @cached_property
    def units(self) -> list[Unit]:
        """The statements in order, those on shared lines together."""
        groups: list[list[ast.stmt]] = []
        for statement in self.tree.body:
            if groups and statement.lineno <= (groups[-1][-1].end_lineno or 0):
                groups[-1].append(statement)
            else:
                groups.append([statement])
        return [Unit(tuple(group), self._effects_of(group)) for group in groups]

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Functions and classes of the top level by name; the last one of a name."""
        found: dict[str, Definition] = {}
        for statement in _flat(self.tree.body):
            if isinstance(statement, DEFINITIONS):
                found[statement.name] = statement
        return found

    @cached_property
    def imports(self) -> dict[str, str]:
        """The dotted name that each imported name stands for."""
        names: dict[str, str] = {}
        for node in _flat(self.tree.body):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    head = alias.name.partition(".")[0]
                    names[alias.asname or head] = alias.name if alias.asname else head
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{module}.{alias.name}"
        return names

    @cached_property
    def assigned(self) -> dict[str, list[ast.expr]]:
        """What any assignment of the module, also in functions, gives each name."""
        given: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        given.setdefault(target.id, []).append(node.value)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                given.setdefault(dotted(node.target), []).append(node.value)
        return given

    @cached_property
    def lazy_annotations(self) -> bool:
        """Return whether annotations are not evaluated (`from __future__ import annotations`)."""
        return self.imports.get("annotations") == "__future__.annotations"

    def full_name(self, node: ast.expr) -> str:
        """Return the dotted name of a callee with its import spelled out."""
        head, dot, rest = dotted(node).partition(".")
        return self.imports.get(head, head) + dot + rest

    def exits(self, unit: Unit) -> bool:
        """Return whether running a unit may end the program."""
        return any(self.full_name(call.func) in EXITS for call in unit.effects.calls) or any(
            isinstance(node, ast.Raise) for s in unit.statements for node in walk(s)
        )

    def called_definitions(self, calls: Iterable[ast.Call]) -> list[Definition]:
        """Return the module's own functions that calls of these run, directly or further down."""
        found: dict[str, Definition] = {}
        names = [base_name(call.func) for call in calls]
        while names:
            name = names.pop()
            if name is None or name in found or name not in self.definitions:
                continue
            definition = found[name] = self.definitions[name]
            names += [base_name(call.func) for call in self.body_effects(definition).calls]
        return list(found.values())

    def body_effects(self, definition: Definition) -> Effects:
        """What calling a function, or making an instance of a class, does to module-level names."""
        effects = Effects()
        for function in walk(definition):
            if not isinstance(function, FUNCTIONS):
                continue
            inner = Effects()
            for statement in function.body:
                self._statement(statement, inner)
            declared = {n for s in walk(function) if isinstance(s, ast.Global) for n in s.names}
            local = (inner.binds | set(parameters(function))) - declared
            effects.reads |= inner.reads - local
            effects.binds |= inner.binds & declared
            effects.mutates |= inner.mutates - local
            effects.calls += inner.calls
        return effects

    def _effects_of(self, statements: Iterable[ast.stmt]) -> Effects:
        effects = Effects()
        for statement in statements:
            self._statement(statement, effects)
        calls = list(effects.calls)
        for definition in self.called_definitions(effects.calls):
            inner = self.body_effects(definition)
            effects.binds |= inner.binds
            effects.mutates |= inner.mutates
            calls += inner.calls
        for call in calls:
            touched = self.outside(call)
            effects.mutates |= touched.sets
            effects.reads |= touched.reads
        return effects

    def _statement(self, node: ast.AST, effects: Effects) -> None:
        if isinstance(node, IMPORTS):
            effects.binds |= {a.asname or a.name.partition(".")[0] for a in node.names}
            effects.reads |= {PACKAGES} if _is_of_a_package(node) else set()
        elif isinstance(node, DEFINITIONS):
            self._definition(node, effects)
        elif isinstance(node, ast.Name):
            (effects.reads if isinstance(node.ctx, ast.Load) else effects.binds).add(node.id)
            effects.reads |= self._state_read(node)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, effects)
        else:
            if isinstance(node, ast.Attribute):
                effects.reads |= self._state_read(node)
            self._changes(node, effects)
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.AST):
                    self._statement(value, effects)
                elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    self._block(value, effects, _given_by(node) if name == "body" else set())
                elif isinstance(value, list):
                    for child in value:
                        if isinstance(child, ast.AST):
                            self._statement(child, effects)

    def _block(self, statements: Iterable[ast.stmt], effects: Effects, bound: set[str]) -> None:
        """Statements one after another: what the ones above have surely bound is read from nowhere else."""
        for statement in statements:
            inner = Effects()
            self._statement(statement, inner)
            effects.reads |= inner.reads - bound
            effects.binds |= inner.binds
            effects.mutates |= inner.mutates
            effects.calls += inner.calls
            bound = bound | _surely_bound(statement)

    def _comprehension(self, node: ast.expr, effects: Effects) -> None:
        """A comprehension binds its variables in a scope of its own; a walrus in it binds outside."""
        inner = Effects()
        for child in ast.iter_child_nodes(node):
            self._statement(child, inner)
        generators: list[ast.comprehension] = getattr(node, "generators", [])
        own = {
            name.id
            for generator in generators
            for name in walk(generator.target)
            if isinstance(name, ast.Name)
        }
        effects.reads |= inner.reads - own
        effects.binds |= inner.binds - own
        effects.mutates |= inner.mutates - own
        effects.calls += inner.calls

    def _definition(self, node: Definition, effects: Effects) -> None:
        """A definition binds its name; decorators, defaults and a class's body run at once."""
        effects.binds.add(node.name)
        for decorator in node.decorator_list:
            self._statement(decorator, effects)
            if not isinstance(decorator, ast.Call):
                effects.calls.append(ast.copy_location(ast.Call(decorator, [], []), decorator))
        if isinstance(node, ast.ClassDef):
            inner = Effects()
            for child in (*node.bases, *node.keywords, *node.body):
                self._statement(child, inner)
            effects.reads |= inner.reads
            effects.mutates |= inner.mutates - inner.binds
            effects.calls += inner.calls
            return
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self._statement(default, effects)
        if not self.lazy_annotations:
            for annotation in annotations_of(node):
                self._statement(annotation, effects)

    def _changes(self, node: ast.AST, effects: Effects) -> None:
        is_set = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        if (
            isinstance(node, ast.Attribute)
            and is_set
            and self.full_name(node).startswith(_OF_DEVICES)
        ):
            return
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            effects.mutates |= self._state(node)
        elif isinstance(node, ast.AugAssign):
            effects.mutates |= self._state(node.target)
            effects.reads |= self._state(node.target)
        elif isinstance(node, ast.Call):
            effects.calls.append(node)
            effects.mutates |= set(self._changed_by_call(node))
            called = self.full_name(node.func)
            effects.mutates |= {CURRENT_FOLDER} if called in ("os.chdir", "os.fchdir") else set()
            effects.reads |= {CURRENT_FOLDER} if called in OF_CURRENT_FOLDER else set()
            effects.mutates |= {PACKAGES} if called in _RUN_COMMANDS and _installs(node) else set()
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            # A call whose result nobody keeps is made for its effect: `parser.add_argument(...)`.
            func = node.value.func
            name = base_name(func)
            is_known = name in self.imports or (name is not None and self._stays_the_same(name))
            if isinstance(func, ast.Attribute) and name and not is_known:
                effects.mutates.add(name)

    def _stays_the_same(self, name: str) -> bool:
        """Return whether calls leave what a name stands for as it is: a logger, a text, a number or a path."""
        given = self.assigned.get(name, [])
        return bool(given) and all(self._is_unchanging(each) for each in given)

    def _is_unchanging(self, value: ast.expr) -> bool:
        match value:
            case ast.Constant() | ast.JoinedStr():
                return True
            case ast.BinOp(left=left, op=ast.Div()):
                return self._is_unchanging(left)
            case ast.Call(func=func):
                return self.full_name(func) in UNCHANGING
        return False

    def _state(self, node: ast.expr) -> set[str]:
        """Return what a change of an attribute or an item changes: a name, or `os.environ` of the standard library."""
        name, inner = base_name(node), node
        if name is None:
            return set()
        if self.imports.get(name, "").partition(".")[0] not in sys.stdlib_module_names:
            return {name}
        while not dotted(inner) and isinstance(inner, (ast.Attribute, ast.Subscript, ast.Starred)):
            inner = inner.value
        return {_of_module(self.full_name(inner))}

    def _state_read(self, node: ast.Attribute | ast.Name) -> set[str]:
        """Return the state of the standard library that a node reads."""
        full = self.full_name(node) if isinstance(node.ctx, ast.Load) else ""
        is_state = "." in full and full.partition(".")[0] in sys.stdlib_module_names
        return {_of_module(full)} if is_state and base_name(node) in self.imports else set()

    def is_of_imported_module(self, func: ast.expr) -> bool:
        """Return whether a callee is a function of what `import` names, not of an object: `os.remove`."""
        owner = func.value if isinstance(func, ast.Attribute) else None
        return isinstance(owner, ast.Name) and "." not in self.imports.get(owner.id, ".")

    def _changed_by_call(self, call: ast.Call) -> Iterator[str]:
        func = call.func
        name = base_name(func)
        if name and _mutates(call) and not self.is_of_imported_module(func):
            yield from self._state(func)
        passed = [(i, base_name(a)) for i, a in enumerate(call.args)]
        if self.full_name(func) in IN_PLACE:
            yield from (n for _, n in passed if n)
        definition = self.definitions.get(name or "") if isinstance(func, ast.Name) else None
        if isinstance(definition, FUNCTIONS):
            named = positional(definition)
            changed = changed_names(definition)
            yield from (n for i, n in passed if n and i < len(named) and named[i] in changed)


def _of_module(full: str) -> str:
    """Return the attribute of a module that a dotted name begins with: `os.environ`."""
    state = ".".join(full.split(".")[:2])
    return "os.environ" if state == "os.getenv" else state


def annotations_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """Yield the annotations of a function's parameters and of what it returns."""
    for node in walk(function.args):
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield node.annotation
    if function.returns is not None:
        yield function.returns


def changed_names(function: ast.AST) -> set[str]:
    """Return the names whose object some code changes in place, by what it says itself."""
    names: set[str | None] = set()
    for node in walk(function):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            names.add(base_name(node))
        elif isinstance(node, ast.AugAssign):
            names.add(base_name(node.target))
        elif isinstance(node, ast.Call) and _mutates(node):
            names.add(base_name(node.func))
    return {name for name in names if name}


def _mutates(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS


def _flat(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, also those inside top-level `if`, `try` and `with` blocks."""
    for statement in statements:
        yield statement
        for block in ("body", "orelse", "finalbody"):
            if not isinstance(statement, DEFINITIONS):
                yield from _flat(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _flat(handler.body)
